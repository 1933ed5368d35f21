# SPDX-License-Identifier: GPL-2.0
"""User-mode Linux with curpage and the bench built in: time on this machine's
own processor, without an emulator."""
import hashlib
import os
import re
import shutil
import subprocess

import cache
import rows
import stock
from guests import BENCH, ROOT, Failed

SERIES = "6.12"
CONFIG = BENCH / "uml.config"
HOOK = "obj-$(CONFIG_CURPAGE) += curpage_bench/\n"
BUILD_SECONDS = 3600
RUN_SECONDS = 600
# More would have to fit into /dev/shm.
MOST_LIVE = 1000000


def _replace(path, text):
    """Give a file a new text; others may share its inode, and a file that has
    it already is not touched."""
    if path.exists() and path.read_bytes() == text:
        return
    path.parent.mkdir(exist_ok=True)
    new = path.with_name(f"{path.name}.new")
    new.write_bytes(text)
    new.rename(path)


def _lay_over(tree):
    """Bring curpage and the bench in the source up to date."""
    subprocess.run([ROOT / "tools/overlay", tree], check=True)
    ours = [path for path in (BENCH / "kmod").iterdir()
            if path.name == "Kbuild" or
            path.suffix in (".c", ".h") and not path.name.endswith(".mod.c")]
    place = tree / "mm/curpage_bench"
    for path in ours:
        _replace(place / path.name, path.read_bytes())
    for path in place.glob("*.[ch]"):
        if path.name not in {mine.name for mine in ours}:
            path.unlink()
    makefile = tree / "mm/Makefile"
    text = makefile.read_text()
    if HOOK not in text:
        _replace(makefile, (text + HOOK).encode())


def _source(folder):
    """The kernel's source by hard links, with curpage laid over it."""
    tree = folder / "source"
    if not tree.exists():
        tmp = folder / ".source.tmp"
        shutil.rmtree(tmp, ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["cp", "-al", stock.source(SERIES), tmp], check=True)
        tmp.rename(tree)
    _lay_over(tree)
    return tree


def _make(tree, *targets):
    line = ["nice", "make", "-C", tree, f"O={tree.parent / 'build'}",
            "ARCH=um", f"-j{os.cpu_count()}", *targets]
    done = subprocess.run(line, check=False, text=True, errors="replace",
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=BUILD_SECONDS)
    if done.returncode:
        raise Failed("\n".join(done.stdout.splitlines()[-40:]))


def _configure(tree):
    """Once for each folder, whose name has a digest of the configuration."""
    config = tree.parent / "build/.config"
    if config.exists():
        return
    config.parent.mkdir(exist_ok=True)
    shutil.copy(CONFIG, config)
    _make(tree, "olddefconfig")
    got = config.read_text().splitlines()
    for line in CONFIG.read_text().splitlines():
        if "CONFIG_" in line and line.endswith("=y") and line not in got:
            config.unlink()
            raise Failed(f"{CONFIG.name}: the kernel does not take {line}")


def _folder():
    digest = hashlib.sha256(CONFIG.read_bytes()).hexdigest()[:12]
    return cache.root() / "bench" / f"{stock.source(SERIES).name}-{digest}"


def build(say):
    """The kernel's program, up to date."""
    folder = _folder()
    with cache.lock(f"bench-{folder.name}"):
        if not (folder / "build/linux").exists():
            say("user-mode Linux is built, for the first time: minutes")
        tree = _source(folder)
        _configure(tree)
        _make(tree, "linux")
    return folder / "build/linux"


def measure(program, cases, rounds, scale, live):
    """Run it; (kernel, samples)."""
    mem = 256 + (64 * live >> 20) * 5 // 4
    line = [program, f"mem={mem}M", "earlyprintk", "init_on_alloc=0",
            f"curpage_bench.cases={','.join(cases)}",
            f"curpage_bench.rounds={rounds}", f"curpage_bench.scale={scale}",
            f"curpage_bench.live={live}", "curpage_bench.halt=1"]
    done = subprocess.run(line, check=False, text=True, errors="replace",
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=RUN_SECONDS)
    if "curpage_bench: done" not in done.stdout:
        raise Failed("\n".join(done.stdout.splitlines()[-40:]))
    kernel = re.search(r"Linux version (\S+)", done.stdout)
    # A console that is flooded ends lines where its buffer ends.
    text = re.sub(r"\n(?!curpage_bench:)", "", done.stdout)
    return kernel[1] if kernel else SERIES, rows.read(text)
