# SPDX-License-Identifier: GPL-2.0
"""Programs that are run from here, and end when this one is told to."""
import os
import signal
import subprocess

running = set()


def run(words, **options):
    """As subprocess.run() with what it prints captured as text; no check."""
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.PIPE, **options) as child:
        running.add(child)
        try:
            out, said = child.communicate()
        finally:
            running.discard(child)
    return subprocess.CompletedProcess(words, child.returncode, out, said)


def end_all(number, _frame):
    """Threads wait for them, so there is no way out but this one."""
    for child in tuple(running):
        child.kill()
    os._exit(128 + number)


def end_together():
    """From now on a signal to end is one for all of them."""
    signal.signal(signal.SIGTERM, end_all)
    signal.signal(signal.SIGHUP, end_all)
