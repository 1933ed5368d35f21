# SPDX-License-Identifier: GPL-2.0
"""Table 7.3: paging behaviour with blocks of various sizes."""

NAME = "brent-7.3"
TITLE = "Table 7.3: storage algorithms compared for YKTVMV"

RATES = (0.5, 0.75, 1)
# strategy, FFCROSSOVER: E, page faults and CPU seconds a second, for each load
PAPER = (
    ("quick", 120, ((0.351, 80.2, 1.319), (0.355, 276.0, 2.194),
                    (0.352, 533.4, 3.227))),
    ("quick", 508, ((0.300, 70.2, 1.281), (0.301, 188.9, 2.034),
                    (0.304, 419.3, 2.943))),
    ("first-fit", 0, ((0.877, 22.5, 1.770), (0.879, 131.0, 2.866),
                      (0.891, 396.7, 4.124))),
    ("most-free", 120, ((0.881, 20.5, 1.394), (0.893, 71.5, 2.120),
                        (0.890, 221.9, 3.031))),
    ("most-free", 508, ((0.786, 18.5, 1.313), (0.789, 49.2, 2.027),
                        (0.793, 163.8, 2.831))),
    ("least-free", 120, ((0.886, 17.5, 1.400), (0.900, 76.0, 2.139),
                         (0.894, 213.1, 3.039))),
    ("least-free", 508, ((0.792, 14.8, 1.365), (0.796, 45.2, 2.101),
                         (0.798, 157.6, 2.872))),
    ("mru", 120, ((0.884, 18.9, 1.363), (0.901, 74.5, 2.081),
                  (0.892, 226.3, 2.954))),
    ("mru", 508, ((0.783, 18.8, 1.342), (0.788, 54.5, 1.996),
                  (0.791, 160.6, 2.801))),
)
THREE = ("most-free", "least-free", "mru")

# What has to come out.
NEAR_PAPER = 0.06       # efficiency of the three
NEAR_MRU = 0.03         # of MOST-FREE and LEAST-FREE, against MRU's
FAULTS_MRU = 0.25       # page faults of these, relatively


def arguments(lab, strategy, crossover, rate):
    """Of one simulation. First fit for all leaves no page to choose."""
    seconds = 500 if lab.short else 2000
    return {"load": "yktvmv", "build": 512, "rate": rate, "seed": 1,
            "strategy": "mru" if strategy == "first-fit" else strategy,
            "ffcrossover": crossover, "sizemap": "best",
            "seconds": seconds, "warmup": 0, "working_set": 3000}


def figures(run):
    """E, page faults and CPU seconds for each simulated second."""
    seconds = run["seconds"]
    return (run["efficiency"], run["paging"][0]["faults"] / seconds,
            run["cpu_seconds"] / seconds)


def rows_of(ours):
    """The paper's rows and ours, faults as a part of MRU's."""
    rows = []
    for strategy, crossover, paper in PAPER:
        for i, rate in enumerate(RATES):
            mru_paper = dict((row[:2], row[2]) for row in PAPER)["mru", 120][i]
            mru = ours["mru", 120, rate]
            run = ours[strategy, crossover, rate]
            rows.append([
                strategy.upper(), crossover, rate,
                paper[i][0], round(run[0], 3), round(run[0] - paper[i][0], 3),
                round(paper[i][1] / mru_paper[1], 2),
                round(run[1] / mru[1], 2), round(run[1], 1)])
    return rows


def times_of(ours):
    """CPU time as a part of MRU's."""
    theirs = dict((row[:2], row[2]) for row in PAPER)
    return [[strategy.upper(), crossover, rate,
             round(paper[i][2] / theirs["mru", 120][i][2], 2),
             round(ours[strategy, crossover, rate][2] /
                   ours["mru", 120, rate][2], 2)]
            for strategy, crossover, paper in PAPER
            for i, rate in enumerate(RATES)]


def judge_faults(lab, ours):
    """Who is better than whom."""
    for rate in RATES:
        mru = ours["mru", 120, rate][1]
        first, quick = (ours[key][1] for key in (("first-fit", 0, rate),
                                                 ("quick", 120, rate)))
        lab.check(quick > first > mru,
                  f"load {rate}: QUICK has more page faults a second than "
                  f"FIRST-FIT, and that more than MRU: {quick:.1f}, "
                  f"{first:.1f}, {mru:.1f}")
        for strategy in THREE[:2]:
            faults = ours[strategy, 120, rate][1]
            lab.check(abs(faults / mru - 1) <= FAULTS_MRU,
                      f"load {rate}: {strategy.upper()} has {faults:.1f}, "
                      "within 25 % of MRU's")


def judge_efficiency(lab, ours):
    """The three alike, and near the paper; QUICK far below."""
    for strategy, crossover, paper in PAPER:
        for i, rate in enumerate(RATES):
            got = ours[strategy, crossover, rate][0]
            mru = ours["mru", crossover, rate][0] if crossover else None
            what = f"{strategy.upper()}, crossover {crossover}, load {rate}"
            if strategy == "quick":
                lab.check(got < 0.7 * mru,
                          f"{what}: efficiency {got:.3f} is below 0.7 of "
                          f"MRU's, {mru:.3f}")
                continue
            lab.check(abs(got - paper[i][0]) <= NEAR_PAPER,
                      f"{what}: efficiency {got:.3f} is within {NEAR_PAPER} "
                      f"of the paper's {paper[i][0]:.3f}")
            if strategy in THREE[:2]:
                lab.check(abs(got - mru) <= NEAR_MRU,
                          f"{what}: and within {NEAR_MRU} of MRU's, "
                          f"{mru:.3f}")


def judge_cpu(lab, ours):
    """Only what is far apart: times of a run are not exact."""
    for rate in RATES:
        first, mru = (ours[key][2] for key in (("first-fit", 0, rate),
                                               ("mru", 120, rate)))
        lab.check(first > mru,
                  f"load {rate}: FIRST-FIT takes {first / mru:.2f} times the "
                  "CPU time of MRU, more than as much")


def run(lab):
    """All of it."""
    keys = [(strategy, crossover, rate) for strategy, crossover, _ in PAPER
            for rate in RATES]
    runs = lab.sims([arguments(lab, *key) for key in keys])
    ours = {key: figures(run) for key, run in zip(keys, runs)}
    lab.table(TITLE, ["Algorithm", "Crossover", "Load", "E, paper", "E, ours",
                      "Difference", "Faults / MRU's, paper", "ours",
                      "Faults a second, ours"], rows_of(ours))
    lab.inexact("CPU time as a part of MRU's",
              ["Algorithm", "Crossover", "Load", "Paper", "Ours"],
              times_of(ours))
    judge_faults(lab, ours)
    judge_efficiency(lab, ours)
    judge_cpu(lab, ours)
