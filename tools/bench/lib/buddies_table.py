# SPDX-License-Identifier: GPL-2.0
"""What the loads of page blocks came to: tables, demands, buddies.json."""
import dataclasses
import json

from buddies import (APART_MB, COUNTED, GROWTH, INTERARRIVAL, KERNEL, LOADS,
                     PAPER_MB, TIMES, Phase)
from policies import POLICIES


def _lines(rows):
    """Columns of equal width, the first one to the left."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    lines = ["  ".join(cell.rjust(width) if i else cell.ljust(width)
                       for i, (cell, width) in enumerate(zip(row, widths)))
             .rstrip() for row in rows]
    return [lines[0], "-" * max(map(len, lines)), *lines[1:]]


def _sum(phases):
    total = Phase()
    for phase in phases:
        total = total.plus(phase)
    return total


def event_sums(results, traces):
    """By side, over these traces."""
    found = {}
    for side in results.scale.sides:
        alloc = _sum(trace.phases[side]["alloc"] for trace in traces)
        free = _sum(trace.phases[side]["free"] for trace in traces)
        found[side] = {
            "requests": alloc.requests, "failed": alloc.failed,
            "alloc": alloc.each(), "free": free.each(),
            "request": (alloc.ticks + free.ticks) / alloc.requests,
            "largest": sum(trace.largest[side] for trace in traces)
            / len(traces)}
        if side != KERNEL:
            found[side] |= {what: sum(trace.counted[side][what]
                                      for trace in traces) / alloc.requests
                            for what in COUNTED}
    return found


def equal(trace, policy):
    """Did the kernel do what the lab did?"""
    return trace.counted[policy] == trace.lab[policy]


def _mean_table(results, mean):
    traces = [trace for trace in results.traces if trace.mean == mean]
    sums = event_sums(results, traces)
    rows = [("", "alloc", "free", "both", "of binary", "refused", "largest",
             *COUNTED, "lab")]
    for side, row in sums.items():
        same = [equal(trace, side) for trace in traces if side != KERNEL]
        rows.append((side, f"{row['alloc']:,.0f}", f"{row['free']:,.0f}",
                     f"{row['request']:,.0f}",
                     f"{row['request'] / sums['binary']['request']:.2f}",
                     f"{row['failed']:,}", f"{row['largest']:,.0f}",
                     *(f"{row[what]:.3f}" if what in row else ""
                       for what in COUNTED),
                     "" if not same else "equal" if all(same) else
                     f"{same.count(False)} DIFFER"))
    return ["", f"mean {mean}, loading factors "
            f"{', '.join(map(str, results.scale.factors[mean]))}: "
            f"{len(traces)} runs, {sums['binary']['requests']:,} requests", "",
            *_lines(rows)]


def _factors_table(results, mean):
    """Instructions a request, by loading factor."""
    rows = [("loading factor", *results.scale.sides,
             *(f"{side} of binary" for side in results.scale.sides[1:]))]
    for factor in results.scale.factors[mean]:
        sums = event_sums(results, [trace for trace in results.traces
                                    if (trace.mean, trace.factor)
                                    == (mean, factor)])
        both = [sums[side]["request"] for side in results.scale.sides]
        rows.append((str(factor), *(f"{n:,.0f}" for n in both),
                     *(f"{n / both[0]:.2f}" for n in both[1:])))
    return ["", f"both, mean {mean}:", "", *_lines(rows)]


def _events_table(results):
    lines = [f"The paper's load on real pages: {PAPER_MB} MiB, sizes "
             "negative-exponential, a mean of so many KiB.", "alloc, free and "
             "both: instructions; largest: pages of the largest block when a "
             "run ends, all joined;", "searches, splits, merges: a request. "
             "lab: are these, largest and refused the lab's in each run?"]
    for mean in results.scale.factors:
        lines += _mean_table(results, mean)
    return lines + _factors_table(results, min(results.scale.factors))


def parts(results, load, side, mb):
    """[(name, Phase)] of a load, and its total."""
    phases = results.loads[load, side, mb]
    made = [("+".join(names), _sum(phases[name] for name in names))
            for names in LOADS[load]]
    return [*made, ("all", _sum(phase for _, phase in made))]


def growths(results):
    """(load, side, part, few, many): Phases with so much memory, and TIMES as
    much."""
    mb = results.scale.mb
    for load in results.scale.loads:
        for side in results.scale.sides:
            for (name, few), (_, many) in zip(
                    parts(results, load, side, mb),
                    parts(results, load, side, TIMES * mb)):
                yield load, side, name, few, many


def growth(few, many):
    """How much more a request costs with more memory."""
    return many.each() / few.each()


def _loads_table(results):
    mb = results.scale.mb
    sides, lines = results.scale.sides, []
    for load in results.scale.loads:
        rows = [(load, *sides)]
        found = {(side, name): (few, many) for of, side, name, few, many
                 in growths(results) if of == load}
        for name in [name for name, _ in parts(results, load, sides[0], mb)]:
            rows.append((name, *(
                f"{found[side, name][0].each():,.0f} "
                f"x{growth(*found[side, name]):.2f}" for side in sides)))
        rows.append(("refused", *(
            f"{found[side, 'all'][0].failed:,} of "
            f"{found[side, 'all'][0].requests:,}" for side in sides)))
        rows.append(("worst", *(f"{found[side, 'all'][1].worst:,}"
                                for side in sides)))
        lines += ["", *_lines(rows)]
    return [f"Instructions a request with {mb} MiB, and x times as many with "
            f"{TIMES * mb} MiB; refused with {mb} MiB; worst: of one request "
            f"with {TIMES * mb} MiB.", *lines]


def _apart_table(results):
    rows = [("", "churn", "pinned", "large got")]
    for (side, apart), row in results.apart.items():
        large = row["large"]
        name = side if side == KERNEL else f"{side} apart={apart}"
        rows.append((name, f"{row['churn'].each():,.0f}", str(row["chunks"]),
                     f"{large.requests - large.failed} of {large.requests}"))
    first = next(iter(results.apart.values()))
    return [f"Objects that live on and blocks that do not, {APART_MB} MiB: "
            f"{first['objects']:,} objects of 256 bytes. churn: instructions a "
            "request for a block;", "pinned: chunks of 4 MiB that have "
            "objects when all blocks are gone; large got: blocks of 2 MiB "
            "then.", "", *_lines(rows)]


def table(results):
    """All as lines of text."""
    return [f"Linux {results.kernel}, QEMU, counting instructions, one "
            f"processor. {KERNEL} has as much memory as curpage,",
            "the rest being held from it; it may not wait, and what its CPU "
            "list has it does not join for a larger block.", "",
            *_events_table(results), "", *_loads_table(results), "",
            *_apart_table(results)]


def _growth_demand(results, load, side):
    """(met, text) for the worst part of a load."""
    worst = max((row for row in growths(results) if row[:2] == (load, side)),
                key=lambda row: growth(*row[3:]))
    more = growth(*worst[3:])
    return more <= GROWTH, (
        f"{load} {side}: {TIMES} times the blocks cost at most {more:.2f} "
        f"times as much a request ({worst[2]}: {worst[3].each():,.0f}, "
        f"{worst[4].each():,.0f}), at most {GROWTH} is allowed")


def _control(results):
    """Is a request noticed that costs more with more memory, and a merge more
    than the lab's?"""
    load = results.scale.loads[0]
    key = (load, "revised", TIMES * results.scale.mb)
    phases = results.loads[key]
    slow = {name: dataclasses.replace(phase, ticks=phase.ticks * 3 // 2)
            for name, phase in phases.items()}
    other = dataclasses.replace(results, loads=results.loads | {key: slow})
    trace = results.traces[0]
    counts = trace.counted["revised"]
    more = dataclasses.replace(trace, counted=trace.counted | {
        "revised": counts | {"merges": counts["merges"] + 1}})
    return [(_growth_demand(results, load, "revised")[0]
             and not _growth_demand(other, load, "revised")[0],
             "control: half as much again a request is noticed"),
            (equal(trace, "revised") and not equal(more, "revised"),
             "control: a merge more than the lab's is noticed")]


def _apart_demand(results, policy):
    """[(met, text)] where this was measured."""
    if (policy, 1) not in results.apart:
        return []
    off, on = (results.apart[policy, apart] for apart in (0, 1))
    failed = [row["large"].failed for row in (off, on)]
    return [(on["chunks"] < off["chunks"] and failed[1] < failed[0],
             f"{policy}: apart, objects pin {on['chunks']} chunks and not "
             f"{off['chunks']}, {failed[1]} large blocks are refused and not "
             f"{failed[0]}")]


def demands(results):
    """[(met, text), ...] for the judge."""
    found = _control(results)
    for policy in POLICIES:
        same = [equal(trace, policy) for trace in results.traces]
        found.append((all(same), f"{policy}: {same.count(True)} of "
                      f"{len(same)} runs of the paper's load have the lab's "
                      "refusals, searches, splits and merges"))
        found += [_growth_demand(results, load, policy)
                  for load in results.scale.loads]
        phases = results.loads["checkerboard", policy, results.scale.mb]
        refused, large = phases["refused"], phases["large"]
        found.append((refused.failed == refused.requests and not large.failed,
                      f"{policy}: {refused.failed} of {refused.requests} "
                      "blocks are refused on a checkerboard, "
                      f"{large.requests - large.failed} of {large.requests} "
                      "large ones served when all is free"))
    for policy in POLICIES:
        found += _apart_demand(results, policy)
    return found


def _phases(phases):
    return {name: dataclasses.asdict(phase) for name, phase in phases.items()}


def document(results):
    """All figures, for buddies.json."""
    return {
        "kernel": results.kernel, "parameters": results.parameters,
        "events": {
            "mb": PAPER_MB, "interarrival": INTERARRIVAL,
            "sums": {mean: event_sums(results, [
                trace for trace in results.traces if trace.mean == mean])
                     for mean in results.scale.factors},
            "runs": [{"mean": trace.mean, "factor": trace.factor,
                      "seed": trace.seed,
                      "largest": trace.largest, "counted": trace.counted,
                      "equal": {policy: equal(trace, policy)
                                for policy in POLICIES},
                      "phases": {side: _phases(phases) for side, phases
                                 in trace.phases.items()}}
                     for trace in results.traces]},
        "loads": [{"load": load, "side": side, "mb": mb,
                   "phases": _phases(phases)}
                  for (load, side, mb), phases in results.loads.items()],
        "apart": [{"side": side, "apart": apart, "objects": row["objects"],
                   "chunks": row["chunks"],
                   **_phases({name: row[name] for name in ("churn",
                                                           "large")})}
                  for (side, apart), row in results.apart.items()],
    }


def write(results, folder):
    """Print the tables, write buddies.txt and .json."""
    lines = table(results)
    print("\n".join(["", *lines]))
    (folder / "buddies.txt").write_text("\n".join(lines) + "\n",
                                        encoding="utf-8")
    (folder / "buddies.json").write_text(
        json.dumps(document(results), indent=1) + "\n", encoding="utf-8")
    print(f"In {folder}: buddies.txt, buddies.json")
