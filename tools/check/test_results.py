# SPDX-License-Identifier: GPL-2.0
"""Is what parts print counted as it is?"""
import pytest
import results

CASES = (
    # what is printed, exit status, the text, (passed, failed)
    ("a sum", 0, "ok - a\n12 passed, 0 failed\n", (12, 0)),
    ("a sum with failures", 1, "3 passed, 2 failed\n", (3, 2)),
    ("a sum with failures, exit status 0", 0, "3 passed, 2 failed\n", (3, 2)),
    ("a good sum, exit status 1", 1, "3 passed, 0 failed\n", (3, 1)),
    ("a sum of nothing", 0, "0 passed, 0 failed\n", (0, 1)),
    ("nothing", 0, "", (0, 1)),
    ("no result", 0, "all is well\n", (0, 1)),
    ("the sum of a part of it, then the sum", 0,
     "1 passed, 4 failed\n5 passed, 0 failed\n", (5, 0)),
    ("pytest's last line", 0, "== 12 passed in 3.21s ==\n", (12, 0)),
    ("pytest's failures and errors", 1,
     "= 1 failed, 12 passed, 3 skipped, 2 errors in 75.02s (0:01:15) =\n", (12, 3)),
    ("pytest without a test", 5, "== no tests ran in 0.01s ==\n", (0, 1)),
    ("pytest's last line and the sum", 0,
     "== 12 passed in 3.21s ==\n12 passed, 0 failed\n", (12, 0)),
    ("KTAP", 0, "KTAP version 1\nok 1 - a\nok 2 - b\n1..2\n", (2, 0)),
    ("KTAP that fails", 0, "ok 1 - a\nnot ok 2 - b\n1..2\n", (1, 1)),
    ("KTAP that is skipped", 0, "ok 1 - a # SKIP\nok 2 - b\n1..2\n", (1, 0)),
    ("KTAP that ends early", 0, "1..3\nok 1 - a\n", (1, 2)),
    ("KTAP with subtests", 0,
     "1..1\n    1..2\n    ok 1 - x\n    not ok 2 - y\nnot ok 1 - a\n", (0, 1)),
    ("KTAP whose plan a host's lines do not fill", 0,
     "1..3\nok 1 - a\nok - b\nok - c\n", (3, 2)),
    ("KTAP that is cut before its plan", 0, "ok 1 - a\n", (1, 1)),
    ("KTAP that gives up", 0, "ok 1 - a\nBail out! no memory\n1..1\n", (1, 1)),
    ("words that begin as KTAP", 0, "okay\nok 1 - a\n1..1\n", (1, 0)),
)


@pytest.mark.parametrize("status,text,wanted",
                         [pytest.param(*case, id=name) for name, *case in CASES])
def test_results(status, text, wanted):
    """What failed, ended early or said nothing counts as failed."""
    assert results.verdict(status, text) == wanted
