# SPDX-License-Identifier: GPL-2.0
"""Runs a script in a guest: starts QEMU, shows the output, brings /out back."""
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time

import cache
import guest
import qemu
import verdict
from errors import VmError, bad_argument

POLL = 0.03
# Sparse: costs only what the guest writes.
OUT_BYTES = 2 << 30
KEPT_LOGS = 40
TAIL_LINES = 40
# See _qemu_failed().
RUNS = 3


class Follower:
    """Copies what is appended to a file, as it comes."""

    def __init__(self, path, sink):
        self._path, self._sink, self._at = path, sink, 0

    def step(self):
        """Copy what is new."""
        try:
            with open(self._path, "rb") as handle:
                handle.seek(self._at)
                data = handle.read()
        except FileNotFoundError:
            return
        self._at += len(data)
        if data and self._sink:
            self._sink.write(data)
            self._sink.flush()


def disks_of(options, tmp):
    """(QEMU's disks, variables for init) that the options ask for."""
    disks, config = [], {}
    if options.bpftrace:
        disks.append((guest.tools_disk(), True))
        config["VM_TOOLS"] = str(len(disks))
    if getattr(options, "out", None):
        image = tmp / "out.img"
        with open(image, "wb") as handle:
            handle.truncate(OUT_BYTES)
        disks.append((image, False))
        config["VM_OUT"] = str(len(disks))
    return disks, config


def place_modules(options, config):
    """(source, target) pairs of --add and --insmod; names them for init."""
    added = [guest.parse_add(text) for text in options.add]
    modules = []
    for name in options.insmod:
        source = pathlib.Path(name)
        if not source.is_file():
            raise bad_argument(f"--insmod '{name}': no such file")
        modules.append(f"/{source.name}")
        added.append((source, modules[-1]))
    config["VM_INSMOD"] = " ".join(modules)
    return added


def _wait(process, followers, limit):
    """Follow until QEMU ends; False when it had to be killed."""
    end = time.monotonic() + limit
    try:
        while process.poll() is None and time.monotonic() < end:
            for follower in followers:
                follower.step()
            time.sleep(POLL)
        return process.poll() is not None
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        for follower in followers:
            follower.step()


def _members(archive):
    """Only plain files and folders, only below the target."""
    for member in archive:
        parts = pathlib.PurePosixPath(member.name).parts
        if ".." in parts or member.name.startswith("/"):
            raise VmError(f"the guest's /out has a bad name: {member.name}")
        if member.isreg() or member.isdir():
            yield member


def _take_out(image, folder):
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with tarfile.open(image, "r:") as archive:
            for member in _members(archive):
                target = folder / member.name
                if member.isdir():
                    target.mkdir(parents=True, exist_ok=True)
                    continue
                target.parent.mkdir(parents=True, exist_ok=True)
                with archive.extractfile(member) as data, \
                     open(target, "wb") as handle:
                    shutil.copyfileobj(data, handle)
    except tarfile.ReadError:
        print("vm: nothing came back from /out", file=sys.stderr)


def _log_path(options):
    """Where the console log stays; the oldest of the default place go."""
    if options.log:
        pathlib.Path(options.log).parent.mkdir(parents=True, exist_ok=True)
        return pathlib.Path(options.log)
    folder = cache.root() / "log"
    folder.mkdir(exist_ok=True)
    for old in sorted(folder.glob("*.log"))[:-KEPT_LOGS]:
        old.unlink(missing_ok=True)
    return folder / f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.log"


def _boot(options, tmp, log):
    """Run the guest; (its output, did it end within the limit)."""
    image = qemu.kernel_image(options.kernel)
    disks, config = disks_of(options, tmp)
    added = place_modules(options, config)
    guest.write(tmp / "initrd", config, options.script, options.args, added,
                options.bpftrace)
    output = tmp / "output"
    line = qemu.command(image, tmp / "initrd",
                        qemu.accelerator(image, options), options,
                        disks)
    line += ["-serial", f"file:{log}", "-serial", f"file:{output}"]
    followers = [Follower(output, None if options.quiet else sys.stdout.buffer)]
    if options.console:
        followers.append(Follower(log, sys.stderr.buffer))
    with subprocess.Popen(line, stdin=subprocess.DEVNULL) as process:
        ended = _wait(process, followers, options.timeout)
    if options.out and ended:
        _take_out(tmp / "out.img", pathlib.Path(options.out))
    text = output.read_text(errors="replace") if output.exists() else ""
    return text, ended


def _report(reasons, console, output, log, quiet):
    shown = []
    if quiet and output:
        shown += ["vm: the last of the script's output:",
                  *output.splitlines()[-TAIL_LINES:]]
    shown += ["vm: the last of the console:",
              *console.splitlines()[-TAIL_LINES:]]
    shown += [f"vm: FAIL: {reason}" for reason in reasons]
    print("\n".join([*shown, f"vm: console log: {log}"]), file=sys.stderr)


def _qemu_failed(console, options):
    """Why a run says nothing about the guest, or None."""
    if options.parallel and qemu.stale_code(console):
        return "QEMU ran outdated guest code (int3 Oops)"
    if options.icount and qemu.wild_flags(console):
        return "QEMU gave the guest flags that no processor has"
    return None


def run(options):
    """Run options.script in a guest; returns the exit status."""
    log = _log_path(options)
    for again in range(RUNS):
        log.unlink(missing_ok=True)
        with tempfile.TemporaryDirectory(prefix="curpage-vm-") as folder:
            output, ended = _boot(options, pathlib.Path(folder), log)
        console = log.read_text(errors="replace") if log.exists() else ""
        failure = _qemu_failed(console, options)
        if not failure or again == RUNS - 1:
            break
        print(f"vm: {failure}; running again", file=sys.stderr)
    code, reasons = verdict.judge(console, output, ended, options.want,
                                  options.allow)
    if reasons:
        _report(reasons, console, output, log, options.quiet)
    return code


def shell(options):
    """An interactive shell in a guest, on this terminal."""
    image = qemu.kernel_image(options.kernel)
    with tempfile.TemporaryDirectory(prefix="curpage-vm-") as folder:
        tmp = pathlib.Path(folder)
        disks, config = disks_of(options, tmp)
        config["VM_SHELL"] = "1"
        added = place_modules(options, config)
        guest.write(tmp / "initrd", config, None, [], added, options.bpftrace)
        line = qemu.command(image, tmp / "initrd",
                            qemu.accelerator(image, options), options,
                            disks)
        line += ["-serial", "mon:stdio"]
        return subprocess.run(line, check=False).returncode
