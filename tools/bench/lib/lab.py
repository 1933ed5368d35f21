# SPDX-License-Identifier: GPL-2.0
"""The lab, which runs the same loads in user space."""
import atexit
import functools
import pathlib
import shutil
import subprocess
import tempfile

from guests import ROOT, Failed

LAB = ROOT / "tools/lab"


def run(program, *arguments):
    """What the lab prints."""
    done = subprocess.run([program, *map(str, arguments)], check=False,
                          text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    if done.returncode:
        raise Failed(f"lab {' '.join(map(str, arguments))}: exit status "
                     f"{done.returncode}\n{done.stderr}")
    return done.stdout


@functools.cache
def build():
    """The lab's program, made once; it goes when this process does."""
    subprocess.run([ROOT / "tools/setup/setup", "lab"], check=True,
                   stdout=subprocess.DEVNULL)
    out = pathlib.Path(tempfile.mkdtemp(prefix="curpage-bench-"))
    atexit.register(shutil.rmtree, out, ignore_errors=True)
    program = out / "lab"
    subprocess.run(["make", "-s", "-C", LAB, f"OUT={out}", program],
                   check=True, stdout=subprocess.DEVNULL)
    return program
