# SPDX-License-Identifier: GPL-2.0
"""Adds up what test programs print: their sum, pytest's last line, or KTAP."""
import re

SUM = re.compile(r"(\d+) passed, (\d+) failed")
PYTEST = re.compile(r"=+ (.*) in [\d.]+s(?: \([\d:]+\))? =+")
COUNTED = re.compile(r"(\d+) (passed|failed|errors?)\b")
# Indented lines are subtests; the line of their test sums them up.
KTAP = re.compile(r"(not )?ok\b(.*)")
NUMBERED = re.compile(r"(?:not )?ok \d+\b")
PLAN = re.compile(r"1\.\.(\d+)")
SKIP = re.compile(r"# SKIP\b", re.IGNORECASE)


def _ktap(lines):
    """(passed, failed); a test that the plan has and that did not report failed."""
    passed = failed = planned = numbered = 0
    for line in lines:
        if match := KTAP.match(line):
            numbered += bool(NUMBERED.match(line))
            if match[1]:
                failed += 1
            elif not SKIP.search(match[2]):
                passed += 1
        elif match := PLAN.match(line):
            planned += int(match[1])
        elif line.startswith("Bail out!"):
            failed += 1
    if numbered and not planned:
        failed += 1     # cut before the plan that ends it
    return passed, failed + max(0, planned - numbered)


def _pytest(text):
    """(passed, failed) of what pytest says behind its last run."""
    count = {"passed": 0, "failed": 0}
    for number, word in COUNTED.findall(text):
        count["passed" if word == "passed" else "failed"] += int(number)
    return count["passed"], count["failed"]


def add_up(text):
    """(passed, failed). The last sum counts, the lines themselves without one."""
    lines = text.splitlines()
    for line in reversed(lines):
        if match := SUM.fullmatch(line):
            return int(match[1]), int(match[2])
        if match := PYTEST.fullmatch(line):
            return _pytest(match[1])
    return _ktap(lines)


def verdict(status, text):
    """(passed, failed) of a program that ended. A program fails at least once when
    its exit status is not 0, and when nothing passed."""
    passed, failed = add_up(text)
    if not failed and (status or not passed):
        failed = 1
    return passed, failed
