# SPDX-License-Identifier: GPL-2.0
"""What is inside the guest: busybox, init, the script, added files, tools."""
import pathlib
import re
import shlex
import shutil
import subprocess

import cache
import packages
from errors import VmError, bad_argument
from initramfs import Initramfs

HERE = pathlib.Path(__file__).resolve().parent
FOLDERS = ("bin", "dev", "etc", "out", "proc", "root", "sbin", "sys", "tmp",
           "tools", "usr/bin", "usr/sbin", "var/tmp")


def parse_add(text):
    """SRC[:DST] of --add as (path, absolute path in the guest)."""
    source, _, target = text.partition(":")
    path = pathlib.Path(source)
    if not path.exists():
        raise bad_argument(f"--add '{text}': no such file or folder: {source}")
    target = target or f"/{path.resolve().name}"
    if not target.startswith("/"):
        raise bad_argument(f"--add '{text}': the place in the guest must be "
                           f"absolute, not '{target}'")
    if target.endswith("/"):
        target += path.resolve().name
    return path, target


def _busybox():
    found = shutil.which("busybox")
    if not found:
        packages.setup("vm")
        found = shutil.which("busybox")
    linked = subprocess.run(["ldd", found], capture_output=True, check=False)
    if linked.returncode == 0:
        raise VmError(f"{found} is not static; install busybox-static "
                      "(tools/setup/setup vm)")
    return found


def _base(archive):
    """busybox with a link for each applet, init, and the usual folders."""
    for folder in FOLDERS:
        archive.folder(folder)
    busybox = _busybox()
    archive.copy(busybox, "bin/busybox")
    applets = subprocess.run([busybox, "--list"], capture_output=True,
                             text=True, check=True).stdout.split()
    for applet in applets:
        if applet != "busybox":
            archive.link(f"bin/{applet}", "/bin/busybox")
    archive.copy(HERE / "init", "init")
    archive.copy(HERE / "lib.sh", "vm/lib.sh")
    archive.node("dev/console", 5, 1)
    archive.node("dev/null", 1, 3)


def write(path, config, script, args, added, tools=False):
    """Write the initramfs. config: shell variables for init; script: path or
    None for a shell; added: (source, target) pairs; tools: see the tools disk."""
    settings = "".join(f"{name}={shlex.quote(value)}\n"
                       for name, value in config.items())
    with open(path, "wb") as handle:
        archive = Initramfs(handle)
        _base(archive)
        archive.file("vm/config", settings.encode())
        if script:
            archive.copy(script, "vm/script")
            command = shlex.join(["sh", "/vm/script", *args])
            archive.file("vm/main", f"cd /\nexec {command}\n".encode())
        for source, target in added:
            archive.copy(source, target)
        if tools:
            for name in ("lib", "lib64", "usr/lib"):
                archive.link(name, f"/tools/{name}")
            archive.link("usr/bin/bpftrace", "/tools/usr/bin/bpftrace")
        archive.close()


def _libraries(program):
    """Paths of all shared libraries of a program, its loader included."""
    text = subprocess.run(["ldd", program], capture_output=True, text=True,
                          check=True).stdout
    return re.findall(r"^\s*(?:\S+ => )?(/\S+) \(", text, re.MULTILINE)


def _make_tools_disk(tmp, files):
    tree = tmp / "tree"
    for name in ("lib", "lib64", "usr/lib"):
        (tree / name).mkdir(parents=True)
    size = 0
    for name in files:
        target = tree / name.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(name, target)
        size += target.stat().st_size
    command = ["mke2fs", "-q", "-t", "ext4", "-O", "^has_journal", "-m", "0",
               "-d", tree, tmp / "disk.img", f"{size * 5 // 4 // 1024 + 8192}k"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    shutil.rmtree(tree)
    return ["disk.img"]


def tools_disk():
    """A cached ext4 image with bpftrace and its libraries."""
    if not (shutil.which("bpftrace") and shutil.which("mke2fs")):
        packages.setup("bpf", "vm")
    program = shutil.which("bpftrace")
    version = subprocess.run([program, "--version"], capture_output=True,
                             text=True, check=True).stdout.split()[-1]
    files = [program, *_libraries(program)]
    newest = max(pathlib.Path(name).stat().st_mtime_ns for name in files)
    entry = cache.ensure("guest", f"bpftrace-{version}-{newest:x}",
                         lambda tmp: _make_tools_disk(tmp, files))
    return entry / "disk.img"
