# SPDX-License-Identifier: GPL-2.0
"""Kernels built from Debian's linux-source with curpage laid over it.

Each has a folder of its own in the cache, beside the source that they share.
A later build compiles only what has changed.
"""
import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import typing

import cache
import packages
import stock
from errors import VmError

SERIES = "6.12"
IMAGE = "arch/x86/boot/bzImage"
BUILD_SECONDS = 3600
ROOT = pathlib.Path(__file__).resolve().parents[3]
KUNIT = "mm/curpage/kunit"
X86 = ["--arch=x86_64", "--qemu_args=-smp 2"]
ARM64 = ["--arch=arm64", "--cross_compile=aarch64-linux-gnu-",
         "--qemu_args=-smp 2"]
S390X = ["--arch=s390", "--cross_compile=s390x-linux-gnu-",
         "--qemu_args=-smp 2"]
# KCSAN is for our code, as if every other Makefile said KCSAN_SANITIZE := n.
# The barriers inside of locks and the like are made known to it, as mm/ and
# kernel/sched/ do: without them it would take what a lock orders for a race.
# make expands these in every folder anew, $(obj) being the folder.
KCSAN = {
    "KCSAN_SANITIZE": "$(if $(findstring mm/curpage,$(obj)),y,n)",
    "KCSAN_INSTRUMENT_BARRIERS":
        "$(if $(filter kernel kernel/locking kernel/rcu kernel/time lib,"
        "$(obj)),y)",
}


class Kind(typing.NamedTuple):
    """Arguments of kunit.py, files of kunit/, what make shall inherit, and the
    groups of tools/setup beside kbuild and vm."""
    args: list
    configs: list
    env: dict = {}
    groups: tuple = ()


KINDS = {
    "plain": Kind(X86, [".kunitconfig", "configs/x86.config",
                        "configs/plain.config"]),
    "debug": Kind(X86, [".kunitconfig", "configs/x86.config",
                        "configs/vm.config", "configs/debug.config"]),
    "arm64": Kind(ARM64, [".kunitconfig", "configs/arm64.config"],
                  groups=("arm64",)),
    "s390x": Kind(S390X, [".kunitconfig", "configs/s390x.config"],
                  groups=("s390x",)),
    "uml": Kind(["--arch=um"], [".kunitconfig", "configs/uml.config"]),
    "kcsan": Kind(X86, ["configs/x86.config", "configs/vm.config",
                        "configs/kcsan.config"], KCSAN),
}


class Failed(Exception):
    """It was not built, or did not pass; what is to be shown."""


@contextlib.contextmanager
def tree(series=SERIES):
    """The source with curpage laid over it, ours alone for as long."""
    packages.setup("kbuild", "vm")
    source = stock.source(series)
    with cache.lock(f"kunit-{source.name}"):
        yield _lay_over(cache.root() / "kunit" / source.name, source)


def _lay_over(folder, source):
    """Bring folder/source, a copy by hard links, up to date with curpage.

    The overlay replaces files and never writes into them, so the source that
    is shared stays as it is.
    """
    copy = folder / "source"
    if not copy.exists():
        tmp = folder / ".source.tmp"
        shutil.rmtree(tmp, ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)
        if subprocess.run(["cp", "-al", source, tmp], check=False,
                          stderr=subprocess.DEVNULL).returncode:
            shutil.rmtree(tmp, ignore_errors=True)
            subprocess.run(["cp", "-a", source, tmp], check=True)
        tmp.rename(copy)
    subprocess.run([ROOT / "tools/overlay", copy], check=True)
    return copy


def kunit_py(source, action, name, *args, limit, nice=0):
    """Run kunit.py; returns (exit status, output)."""
    kind = KINDS[name]
    line = [sys.executable, "tools/testing/kunit/kunit.py", action,
            f"--build_dir={source.parent / name}", *kind.args, *args]
    env = dict(os.environ, PYTHONDONTWRITEBYTECODE="1", **kind.env)
    try:
        done = subprocess.run(["nice", "-n", str(nice), *line], cwd=source,
                              env=env, text=True, errors="replace",
                              stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False,
                              timeout=limit)
    except subprocess.TimeoutExpired as error:
        raise Failed(f"kunit.py {action} took more than {limit} s") from error
    return done.returncode, done.stdout


def build(source, name, say):
    """Configure and build; warnings about our files are failures. Returns the
    folder. say() is told what takes time."""
    if KINDS[name].groups:
        packages.setup(*KINDS[name].groups)
    folder = source.parent / name
    fresh = not (folder / "vmlinux").exists()
    say(f"{name}: building" + (", for the first time: minutes" if fresh
                               else ""))
    status, output = kunit_py(
        source, "build", name,
        *(f"--kunitconfig={KUNIT}/{path}" for path in KINDS[name].configs),
        f"--jobs={os.cpu_count()}", limit=BUILD_SECONDS, nice=10)
    if status:
        raise Failed("the build failed:\n" + "\n".join(
            output.splitlines()[-40:]))
    if re.search(r"mm/curpage/.*warning:", output):
        raise Failed("the compiler warns:\n" + output)
    return folder


def image(name, target, say):
    """Build and copy the bzImage to target, which no later build changes."""
    try:
        with tree() as source:
            shutil.copy(build(source, name, say) / IMAGE, target)
    except Failed as error:
        raise VmError(f"kernel {name}: {error}") from error
