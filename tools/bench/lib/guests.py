# SPDX-License-Identifier: GPL-2.0
"""The stock kernel in QEMU, its clock counting instructions."""
import dataclasses
import pathlib
import re
import subprocess
import sys
import tempfile

import rows

ROOT = pathlib.Path(__file__).resolve().parents[3]
BENCH = ROOT / "tools/bench"
VM = ROOT / "tools/vm/vm"
# Seconds for a guest, without the live blocks of flat; so many a second more.
TIMEOUT = 300
LIVE_A_SECOND = 50000
KILLED = 124


class Failed(Exception):
    """A run did not come to its end; what is to be shown. status: of vm."""

    def __init__(self, text, status=1):
        super().__init__(text)
        self.status = status


@dataclasses.dataclass
class Run:
    """A line of runs-guest.sh: a load through a curpage of its own. name: also
    of its folder; parameters: of curpage.ko; load: module and parameters."""
    name: str
    parameters: str
    load: str


def modules(series, study=False):
    """The folder of the modules built for a stock kernel, with the strategies of
    the study or as a user gets them; raises CalledProcessError with the tool's
    status."""
    how = [] if study else ["--plain"]
    return pathlib.Path(subprocess.run(
        [ROOT / "tools/build/modules", *how, series], check=True, text=True,
        stdout=subprocess.PIPE).stdout.strip())


def modules_for(options):
    """The same for what is measured: as a user gets them, unless a parameter
    names a strategy, which may be one of the study."""
    return modules(options.kernel, any(word.startswith("strategy=")
                                       for word in options.param))


def vm_run(*arguments):
    """Run a guest; its output."""
    done = subprocess.run([VM, "run", *map(str, arguments)], check=False,
                          text=True, errors="replace",
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    if done.returncode:
        raise Failed("\n".join(done.stdout.splitlines()[-60:]),
                     done.returncode)
    return done.stdout


def _vm_run_twice(*arguments):
    """What QEMU 7.2 does to the flags (vm/lib/qemu.py) can also hang a guest
    whose SLUB is left as it is."""
    try:
        return vm_run(*arguments)
    except Failed as error:
        if error.status != KILLED:
            raise
        print("bench: a guest hung; running again", file=sys.stderr)
        return vm_run(*arguments)


def icount(options, built, init_on_alloc, cases, smp=1):
    """Measure in one guest; (kernel, samples)."""
    # A flat's live blocks, and as much again for all the rest.
    mem = 512 + (64 * options.live >> 20) * 5 // 4
    output = _vm_run_twice(
        "--kernel", options.kernel, "--icount", "--smp", smp, "--mem", mem,
        "--append", f"init_on_alloc={init_on_alloc}", "--timeout",
        TIMEOUT + options.live // LIVE_A_SECOND, "--want", "bench: measured",
        "--add", f"{built}/curpage.ko:/curpage.ko",
        "--add", f"{built}/tools/bench/kmod/curpage_bench.ko:"
                 "/curpage_bench.ko",
        "--", BENCH / "guest.sh", ",".join(options.param) or "-",
        f"cases=unit,{','.join(cases)}", f"rounds={options.rounds}",
        f"live={options.live}")
    samples = rows.read(output)
    rows.prove_unit(samples)
    return re.search(r"^kernel (\S+)", output, re.MULTILINE)[1], samples


def loads(options, built, init_on_alloc, runs, out, *more):
    """All runs in one guest, whose clock counts instructions; what they leave
    is in out."""
    with tempfile.TemporaryDirectory() as name:
        lines = pathlib.Path(name) / "runs"
        lines.write_text("".join(
            f"{run.name}|{' '.join([*options.param, run.parameters])}|"
            f"{run.load}\n" for run in runs), encoding="utf-8")
        _vm_run_twice(
            "--kernel", options.kernel, "--icount", "--smp", 1, "--mem", 512,
            "--append", f"init_on_alloc={init_on_alloc}",
            "--timeout", TIMEOUT, "--want", "bench: runs done", "--out", out,
            "--add", f"{built}/curpage.ko:/curpage.ko",
            "--add", f"{built}/tools/bench/kmod/curpage_bench.ko:"
                     "/curpage_bench.ko",
            "--add", f"{built}/tools/bench/kmod/buddies/curpage_buddies.ko:"
                     "/curpage_buddies.ko",
            "--add", f"{lines}:/runs", *more, "--", BENCH / "runs-guest.sh")
    for run in runs:
        broken = int((out / run.name / "check").read_text())
        if broken:
            raise Failed(f"{run.name}: curpage_check() found {broken} broken "
                         "invariants")
    return (out / "kernel").read_text().strip()
