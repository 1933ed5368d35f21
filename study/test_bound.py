# SPDX-License-Identifier: GPL-2.0
"""Tests of `lab bound`, the adversary."""
import json

BAD_OPTIONS = (
    # arguments, what the error says
    (("bound", "--bytes", "4095"), "'4095': must be 4096 to 67108864"),
    (("bound", "--largest", "100"), "'100': must be 32 to 4096"),
    (("bound", "--largest", "8192"), "'8192': must be 32 to 4096"),
    (("bound", "--rounds", "0"), "'0': must be 1 to 100"),
)


def test_bound(suite):
    """An adversary stays below the bound, but against NOFREE."""
    for args, word in BAD_OPTIONS:
        done = suite.run(*args)
        error = done.stderr.decode()
        suite.say(done.returncode == 2 and not done.stdout and word in error,
                  f"refused: lab {' '.join(args)}", error)
    for strategy, held in (("mru", True), ("least-free", True),
                           ("most-free", True), ("nofree", False)):
        got = json.loads(suite.output("bound", "--json", "--bytes", 131072,
                                      "--largest", 1024, "--strategy",
                                      strategy))
        suite.say(got["within"] == held == (got["pages"] <= got["bound"]),
                  f"the bound {'holds' if held else 'does not hold'} for "
                  f"{strategy}", str(got))
