# SPDX-License-Identifier: GPL-2.0
"""The stock kernel in QEMU, its clock counting instructions."""
import pathlib
import re
import subprocess
import sys

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


def modules(series):
    """The folder of the modules built for a stock kernel; raises
    CalledProcessError with the tool's status."""
    return pathlib.Path(subprocess.run(
        [ROOT / "tools/build/modules", series], check=True, text=True,
        stdout=subprocess.PIPE).stdout.strip())


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
