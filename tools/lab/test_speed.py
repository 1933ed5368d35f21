# SPDX-License-Identifier: GPL-2.0
"""The lab is fast, and its memory is bounded by what is live."""
import os
import subprocess
import sys

import hosttest
import pytest

pytestmark = pytest.mark.full

# Requests a second that the lab as it is built for use must make at least, with
# a trace of this length: far less than it does where nothing else runs.
LEAST_SPEED, EVENTS = 2e6, 3000000

# What a process has used counts from when it was forked, by a small one here.
RSS = """import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"""


@pytest.fixture
def drop(plain, file):
    """drop(EVENTS): a trace with at most 20,000 live blocks."""
    return lambda events: file("drop", plain.output(
        "gen", "--profile", "drop", "--live", 20000, "--events", events))


def test_memory(plain, drop):
    """A replay's memory goes by what is live, not by the length of the trace."""
    small, large = (int(hosttest.Program(sys.executable).output(
        "-I", "-S", "-c", RSS, plain.path, "replay", drop(events)))
        for events in (100000, EVENTS))
    assert large < 1.2 * small, f"KiB, for 100,000 and for {EVENTS:,} events"


def test_speed(plain, drop):
    """The best of three replays."""
    path, spent = drop(EVENTS), []
    for _ in range(3):
        start = os.times().children_user
        subprocess.run([plain.path, "replay", path], check=True,
                       stdout=subprocess.DEVNULL, timeout=hosttest.SECONDS)
        spent.append(os.times().children_user - start)
    assert EVENTS / max(min(spent), 1e-3) > LEAST_SPEED
