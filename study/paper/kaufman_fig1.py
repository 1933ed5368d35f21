# SPDX-License-Identifier: GPL-2.0
"""Kaufman's Figure 1: searches a request."""
import kaufman_runs as kaufman
import kaufman_speed

NAME = "kaufman-fig1"
TITLE = "Kaufman, Figure 1: searches a request by loading factor"


def with_own(loads, policy):
    """As a part of binary's, were the list that was asked for counted too."""
    def looks(cell, of):
        return cell.total(of, "searches") / cell.total(of, "requests") + 1
    return [looks(cell, policy) / looks(cell, "binary")
            for cell in loads.values()]


def run(lab):
    """All of it."""
    kaufman_speed.figure(lab, TITLE, NAME, "searches")
    parts = [part for policy in ("revised", "tailored")
             for part in with_own(kaufman.speed_cells(lab), policy)]
    lab.note(f"""A search is a list that is looked at because those before it
had no block: lists of larger blocks than were asked for, up to the first that
has one. The list that was asked for itself is not counted, with which the parts
of binary's would be {min(parts):.2f} to {max(parts):.2f}, nor are lists of smaller
blocks looked at for pairs: each list knows whether it has any. The paper's
figures are drawings without numbers, so there are none beside ours.""")
