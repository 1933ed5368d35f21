# SPDX-License-Identifier: GPL-2.0
"""Page blocks with each policy of the buddy: hot, from the stock of a CPU, and
the buddy itself, without a stock and with memory of its own."""
import pathlib
import tempfile

import guests
import rows

POLICIES = ("binary", "revised", "tailored")
CASES = ("pages/0", "pages/3", "pages/6", "mixed/6")
# Enough for all that mixed has live, so that nothing goes back to the system.
ALONE = "stock=0 arena_min_mb=16 chunk_order=10 idle_ms=0"


def _runs(options):
    """Of each policy: hot, and alone."""
    load = (f"curpage_bench cases=unit,{','.join(CASES)} "
            f"rounds={options.rounds}")
    for policy in POLICIES:
        yield guests.Run(f"hot-{policy}", f"buddy={policy}", load)
        yield guests.Run(f"alone-{policy}", f"buddy={policy} {ALONE}", load)


def _name(run, case):
    """As the table shows it: buddy/N is pages/N without the stock."""
    how, _, policy = run.partition("-")
    if how == "alone":
        case = case.replace("pages", "buddy").replace("mixed/6", "buddy/mixed")
    return f"{case} {policy}"


def measure(options, built, init_on_alloc):
    """(kernel, samples), as guests.icount() has them."""
    runs, found = list(_runs(options)), {}
    with tempfile.TemporaryDirectory() as name:
        out = pathlib.Path(name)
        kernel = guests.loads(options, built, init_on_alloc, runs, out)
        for run in runs:
            samples = rows.read((out / run.name / "log").read_text())
            rows.prove_unit(samples)
            if sorted(samples) != sorted(CASES):
                raise rows.BadFigures(f"{run.name}: {', '.join(samples)} came "
                                      f"back of {', '.join(CASES)}")
            found |= {_name(run.name, case): samples[case] for case in CASES}
    return kernel, dict(sorted(found.items(),
                               key=lambda item: (item[0].startswith("buddy"),
                                                 item[0])))
