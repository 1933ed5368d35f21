# SPDX-License-Identifier: GPL-2.0
"""Checks, a line each, and their sum."""
import sys

import results


class Count:
    """Prints a line for each check, and counts them."""

    def __init__(self, to=None):
        self.passed = self.failed = 0
        self.to = to or sys.stdout

    def check(self, met, text, why=""):
        """One line, and a comment when it is not met."""
        print(f"{'ok' if met else 'not ok'} - {text}", file=self.to, flush=True)
        if met:
            self.passed += 1
        else:
            self.failed += 1
            if why:
                print(f"# {why}", file=self.to, flush=True)

    def add(self, text):
        """Count the checks in what a guest has printed."""
        passed, failed = results.add_up(text)
        self.passed += passed
        self.failed += failed

    def end(self):
        """The sum; the exit status."""
        print(f"{self.passed} passed, {self.failed} failed", file=self.to,
              flush=True)
        return 1 if self.failed or not self.passed else 0
