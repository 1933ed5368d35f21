# SPDX-License-Identifier: GPL-2.0
"""The ways in which the tools of this folder give up, with exit statuses."""


class VmError(Exception):
    """Something on the host stands in the way."""

    def __init__(self, text, status=1):
        super().__init__(text)
        self.status = status


def bad_argument(text):
    """The user gave a value that is not allowed."""
    return VmError(text, status=2)


def not_offered(what):
    """The distribution at hand has no such package: callers may skip."""
    return VmError(f"{what} not offered by this distribution: skipped",
                   status=3)
