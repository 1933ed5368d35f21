# SPDX-License-Identifier: GPL-2.0
"""Traces as text."""


def drained(text):
    """A trace, and then all that is live is freed in the order of IDs."""
    live = set()
    for line in text.splitlines():
        words = line.split()
        if words[0] == "a":
            live.add(int(words[1]))
        elif words[0] == "f":
            live.discard(int(words[1]))
    return text + "".join(f"f {number}\n" for number in sorted(live))
