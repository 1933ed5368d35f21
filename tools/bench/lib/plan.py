# SPDX-License-Identifier: GPL-2.0
"""Which kernels run, what each measures, and what comes of them all."""
import concurrent.futures
import dataclasses
import os

import guests
import memory
import native
import policies
import rows
from errors import VmError

# The cases, as GROUP/NUMBER.
CASES = {
    "pair": (16, 64, 256, 1024),
    "batch": (10, 100, 1000),
    "shuffled": (1000,),
    "bulk": (32,),
    "size": (64, 200, 1000),
    "vary": (64, 200, 1000),
    "pages": (0, 3, 6),
    "mixed": (6,),
    "flat": (64,),
    "policies": (),
    "remote": (64,),
    "hold": (64, 256),
    "overhead": (),
}
# What each mode can measure; remote needs a second processor, policies load
# curpage anew for each.
GROUPS = {
    "icount": tuple(CASES)[:-2],
    "native": tuple(CASES)[:-4],
    "memory": tuple(CASES)[-2:],
}
MODES = tuple(GROUPS)
NAMES = tuple(CASES) + tuple(f"{group}/{number}" for group in CASES
                             for number in CASES[group])
# Not with init_on_alloc=1: policies do not differ in it, and it takes minutes to
# count what clears so many pages.
NO_INIT = ("flat", "mixed", "policies")
# This kernel hangs when QEMU counts the instructions of two processors.
NO_REMOTE = "6.1"
# Long enough for the host's clock and its other work not to matter.
NATIVE_SCALE = 20
NATIVE_ROUNDS = 51


@dataclasses.dataclass
class Section:
    """The rows of one kernel and mode. init_on_alloc: of the command line."""
    mode: str
    init_on_alloc: int
    kernel: str
    rows: list

    def title(self):
        """What stands above its table."""
        how = {"icount": "QEMU, counting instructions",
               "native": "user-mode Linux on this machine",
               "memory": "the load of make demo"}[self.mode]
        return (f"Linux {self.kernel}, {how}"
                + (f", init_on_alloc={self.init_on_alloc}"
                   if self.mode == "icount" else ""))


def _pick(options, mode):
    """The cases of a mode that the user wants."""
    if mode not in options.mode or mode not in GROUPS:
        return []
    if not options.cases:
        return [group for group in GROUPS[mode]
                if group != "remote" or options.kernel != NO_REMOTE]
    return [case for case in options.cases
            if case.partition("/")[0] in GROUPS[mode]]


def wanted(options):
    """The cases that have to come out, groups as groups."""
    return [case for mode in options.mode for case in _pick(options, mode)]


def refused(options):
    """Why the cases cannot be measured, or None."""
    if not wanted(options) and (options.cases or
                                set(options.mode) & set(MODES)):
        return (f"--cases {','.join(options.cases)}: there are none of them in "
                f"--mode {','.join(options.mode)}")
    if options.kernel == NO_REMOTE and any(_is(case, "remote")
                                           for case in wanted(options)):
        return f"--kernel {NO_REMOTE}: must be another one for the case remote"
    if wanted(options) and options.init_on_alloc == [1] and all(
            _group(case) in NO_INIT for case in wanted(options)):
        return (f"--init-on-alloc 1: must be 0 for --cases "
                f"{','.join(options.cases)}")
    return None


def _group(case):
    return case.partition("/")[0]


def _is(case, group):
    return _group(case) == group


def _icount_jobs(options, built, jobs):
    cases = _pick(options, "icount")
    remote = [case for case in cases if _is(case, "remote")]
    for init in options.init_on_alloc:
        mine = [case for case in cases if case not in remote
                and case != "policies"
                and not (init and _group(case) in NO_INIT)]
        if mine:
            jobs.append(("icount", init, guests.icount,
                         (options, built, init, mine)))
        if "policies" in cases and not init:
            jobs.append(("icount", init, policies.measure,
                         (options, built, init)))
    if remote:
        jobs.append(("icount", options.init_on_alloc[0], guests.icount,
                     (options, built, options.init_on_alloc[0], remote, 2)))


def _memory_jobs(options, built, jobs):
    cases = _pick(options, "memory")
    loads = [memory.SMALL] + ([] if options.check else [memory.LARGE])
    # overhead comes with the load of the smallest objects.
    jobs += [("memory", 1, memory.measure,
              (options, built, size, loads, cases))
             for size in CASES["hold"] if memory.needed(size, cases)]


def _collect(sections, mode, init, kernel, made):
    """Guests that differ in nothing but what they measure share a section."""
    for section in sections:
        if (section.mode, section.init_on_alloc) == (mode, init):
            section.rows += made
            return
    sections.append(Section(mode, init, kernel, made))


def _guests(options, say):
    """Every guest, as many at a time as there are processors."""
    built = guests.modules_for(options)
    jobs, sections = [], []
    _icount_jobs(options, built, jobs)
    _memory_jobs(options, built, jobs)
    if jobs:
        say(f"{len(jobs)} guests boot, {os.cpu_count()} at a time")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        futures = [pool.submit(run, *args) for _, _, run, args in jobs]
        for (mode, init, _, _), future in zip(jobs, futures):
            kernel, made = future.result()
            if mode == "icount":
                made = rows.made_of(mode, made, options.rounds, not init)
            _collect(sections, mode, init, kernel, made)
    return sections


def _native(options, say):
    """Alone on the machine, as far as it is for us to say."""
    cases = _pick(options, "native")
    if not cases:
        return []
    program = native.build(say)
    say("user-mode Linux runs")
    rounds = max(options.rounds, NATIVE_ROUNDS)
    kernel, samples = native.measure(program, cases, rounds, NATIVE_SCALE,
                                     min(options.live, native.MOST_LIVE))
    return [Section("native", 0, kernel,
                    rows.made_of("native", samples, rounds))]


def carry_out(options, say):
    """Measure all that is wanted; the sections, the first one in front."""
    sections = _guests(options, say) if set(options.mode) != {"native"} else []
    try:
        return sections + _native(options, say)
    except VmError as error:
        # No source here: what was measured is worth having without it.
        if error.status != 3 or not sections:
            raise
        say(f"native is left out: {error}")
        return sections
