# SPDX-License-Identifier: GPL-2.0
"""Table 3.1: TRIDIAG, list processing with blocks of 6 bytes."""

TITLE = "Table 3.1, TRIDIAG: 6-byte blocks, 512-byte pages"
SETS = 2000, 4000

# Virtual size, then faults and normalized faults with 2000 and 4000 pages.
PAPER = {
    "stack": (6423, 3469580, 0.498, 606808, 0.406),
    "queue": (6423, 3048212, 0.437, 460270, 0.308),
    "random": (6423, 6969773, 1.000, 1495095, 1.000),
    "nofree": (21467, 72471, 0.010, 21866, 0.015),
    "quick": (9361, 163520, 0.024, 29721, 0.020),
    "first-fit": (6397, 171484, 0.025, 30593, 0.020),
    "random-b": (6423, 165488, 0.024, 27374, 0.018),
    "most-free": (6423, 172207, 0.025, 25589, 0.017),
    "least-free": (6423, 172765, 0.025, 24768, 0.017),
    "mru": (6423, 160555, 0.023, 25089, 0.017),
}
COUNTS = (("requests to allocate", "allocs", 1803213),
          ("requests to free", "frees", 1789653),
          ("blocks, at most", "live_peak", 545777))
CURRENT = "random-b", "most-free", "least-free", "mru"
BOUND = 0.05
READINGS = "paper", "less-ahead", "more-ahead"


def faults(sim, which):
    return sim["paging"][which]["faults_all"]


def judge(lab, sims):
    for strategy in CURRENT:
        for i, pages in enumerate(SETS):
            ratio = faults(sims[strategy], i) / faults(sims["random"], i)
            lab.check(ratio < BOUND,
                      f"{strategy.upper()}: {ratio:.3f} of the faults of RANDOM "
                      f"with {pages} pages, below {BOUND}")
        lab.check(sims[strategy]["virtual_size"] ==
                  sims["random"]["virtual_size"],
                  f"{strategy.upper()}: the same virtual size as RANDOM, "
                  f"{sims[strategy]['virtual_size']:,} pages")


def counts(lab, sim):
    rows = [[text, theirs, sim[key], f"{100 * (sim[key] / theirs - 1):+.1f} %"]
            for text, key, theirs in COUNTS]
    lab.table("What TRIDIAG asks for", ["", "paper", "ours", "difference"], rows)
    lab.check(all(abs(sim[key] / theirs - 1) < 0.05
                  for _, key, theirs in COUNTS),
              "requests and blocks are within 5 % of the paper's")


def runs(lab, strategies, variant):
    return dict(zip(strategies, lab.sims(
        [{"load": "tridiag", "build": 512, "strategy": strategy,
          "working_set": "2000,4000", "variant": variant}
         for strategy in strategies])))


def readings(lab):
    """How the result moves with how far ahead columns are queued."""
    strategies = "random", "stack", "queue", "nofree", "mru"
    rows = []
    for variant in READINGS:
        sims = runs(lab, strategies, variant)
        rows.append([variant, sims["mru"]["live_peak"],
                     sims["mru"]["virtual_size"]] +
                    [faults(sims[s], 0) / faults(sims["random"], 0)
                     for s in strategies[1:]])
    lab.table("Columns queued ahead, 19, 9 and 38: normalized page faults with "
              f"{SETS[0]} pages", ["variant", "blocks, at most", "size",
                                   *(s.upper() for s in strategies[1:])], rows)


def run(lab):
    sims = runs(lab, PAPER, "paper")
    counts(lab, sims["mru"])
    rows = []
    for strategy, theirs in PAPER.items():
        sim = sims[strategy]
        row = [strategy.upper(), theirs[0], sim["virtual_size"]]
        for i in range(len(SETS)):
            row += [theirs[1 + 2 * i], faults(sim, i), theirs[2 + 2 * i],
                    faults(sim, i) / faults(sims["random"], i)]
        rows.append(row)
    columns = ["strategy", "size, paper", "ours"]
    for pages in SETS:
        columns += [f"faults with {pages}, paper", "ours", "normalized", "ours"]
    lab.table(TITLE, columns, rows)
    judge(lab, sims)
    if not lab.short:
        readings(lab)
