# SPDX-License-Identifier: GPL-2.0
"""The short form's verdict: a line for each bar."""
import bars
from count import Count

# What the control fabricates: a share of the bar, and whether it passes.
CONTROLS = ((0.96, True), (1.04, True), (1.06, False))


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
        count.check(met == good,
                    f"control: {share:.0%} of a bar is "
                    f"{'passed' if good else 'not passed'}")


def judge(sections, wanted, more):
    """A line for each row that has a bar, and for each group of cases that
    has none to show; and for what more is demanded, [(met, text), ...]. The
    exit status."""
    count = Count()
    _control(count)
    judged = [row for section in sections for row in section.rows
              if row["bar"] is not None]
    for row in judged:
        count.check(*judge_row(row))
    for name in wanted:
        if bars.named(name) and not any(row["name"] == name or row["name"].startswith(f"{name}/")
                   for row in judged):
            count.check(False, f"{name}: not measured")
    for met, text in more:
        count.check(met, text)
    return count.end()
