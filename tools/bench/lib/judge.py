# SPDX-License-Identifier: GPL-2.0
"""The short form's verdict: a line for each bar."""
import bars

# What the control fabricates: a share of the bar, and whether it passes.
CONTROLS = ((0.96, True), (1.04, True), (1.06, False))


class _Count:
    """Prints a line for each demand, and counts them."""

    def __init__(self):
        self.passed = self.failed = 0

    def demand(self, met, text):
        """One line."""
        print(f"{'ok' if met else 'not ok'} - {text}")
        if met:
            self.passed += 1
        else:
            self.failed += 1


def _figures(row):
    return (f"{row['curpage']:,.10g} of {row['peer']:,.10g} {row['unit']} "
            f"({row['peer_is']})")


def judge_row(row):
    """(met, text) of a row that has a bar."""
    return (bars.passed(row["ratio"], row["bar"]),
            f"{row['name']}: ratio {row['ratio']:.4g}, at most "
            f"{row['bar']:g}, {_figures(row)}")


def _control(count):
    """Would the judge see it? A result that nobody has measured."""
    for share, good in CONTROLS:
        row = {"name": "control", "ratio": 0.4 * share, "bar": 0.4,
               "curpage": 40 * share, "peer": 100, "unit": "instructions",
               "peer_is": "fabricated"}
        met, _ = judge_row(row)
        count.demand(met == good,
                     f"control: {share:.0%} of a bar is "
                     f"{'passed' if good else 'not passed'}")


def judge(sections, wanted, more):
    """A line for each row that has a bar, and for each group of cases that
    has none to show; and for what more is demanded, [(met, text), ...]. The
    exit status."""
    count = _Count()
    _control(count)
    judged = [row for section in sections for row in section.rows
              if row["bar"] is not None]
    for row in judged:
        count.demand(*judge_row(row))
    for name in wanted:
        if bars.named(name) and not any(row["name"] == name or row["name"].startswith(f"{name}/")
                   for row in judged):
            count.demand(False, f"{name}: not measured")
    for met, text in more:
        count.demand(met, text)
    print(f"{count.passed} passed, {count.failed} failed")
    return 1 if count.failed else 0
