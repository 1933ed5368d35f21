# SPDX-License-Identifier: GPL-2.0
"""QEMU's command line, and which accelerator really works here."""
import json
import pathlib
import platform
import re
import shutil
import subprocess
import tempfile

import cache
import guest
import packages
import stock
from errors import VmError, bad_argument

QEMU = "qemu-system-x86_64"
PROBE_SECONDS = 8
KERNEL_ARGS = ("console=ttyS0 rdinit=/init panic=-1 oops=panic loglevel=5 "
               # An emulated guest stalls when the host is busy; --timeout sees hangs.
               "rcupdate.rcu_cpu_stall_suppress=1 "
               "printk.devkmsg=on no_timer_check")


def program():
    """QEMU's path, installed when absent."""
    if not shutil.which(QEMU):
        packages.setup("vm")
    return shutil.which(QEMU)


def kernel_image(name):
    """--kernel's value as a path: a series or a bzImage."""
    if pathlib.Path(name).is_file():
        return pathlib.Path(name)
    if "/" in name:
        raise bad_argument(f"--kernel '{name}': no such file")
    try:
        return stock.image(stock.entry(name))
    except VmError as error:
        if error.status != 2:
            raise
        raise bad_argument(f"--kernel '{name}': must be a series such as 6.12 "
                           "or the path of a bzImage") from None


def _memory(options):
    """Memory, and a module of it that the guest has to take online."""
    dimm = getattr(options, "dimm", None)
    if not dimm:
        return ["-m", str(options.mem)]
    return ["-m", f"{options.mem}M,slots=1,maxmem={options.mem + dimm}M",
            "-object", f"memory-backend-ram,id=dimm,size={dimm}M",
            "-device", "pc-dimm,memdev=dimm"]


def _kernel_args(options):
    if getattr(options, "dimm", None):
        return f"{KERNEL_ARGS} memhp_default_state=offline"
    return KERNEL_ARGS


def command(image, initrd, accel, options, disks=()):
    """The command line without serial ports. options: smp, mem, append;
    trace and trace_at when there are any."""
    line = [program(), "-nodefaults", "-no-user-config", "-display", "none",
            "-machine", "pc", "-no-reboot", *accel,
            "-smp", str(options.smp), *_memory(options),
            "-kernel", str(image), "-initrd", str(initrd),
            "-append", f"{_kernel_args(options)} {options.append}".strip()]
    if getattr(options, "trace", None):
        line += ["-d", "exec,in_asm,nochain", "-D", options.trace,
                 "-dfilter", ",".join(options.trace_at)]
    if disks:
        # Init finds a disk by its namespace number.
        line += ["-device", "nvme,id=nvme,serial=curpage"]
    for number, (path, readonly) in enumerate(disks, 1):
        line += ["-drive", f"file={path},if=none,id=disk{number},format=raw,"
                 f"cache=unsafe,readonly={'on' if readonly else 'off'}",
                 "-device", f"nvme-ns,drive=disk{number},nsid={number}"]
    return line


def stale_code(console):
    """Did QEMU fall over code that the kernel patches while it runs?

    With a thread for each processor, QEMU 7.2's TCG can keep a translation of
    an int3 that text_poke() put there for a moment, and trap on it later: in
    about one of 200 boots, within 100 switches of tracepoints on and off, and
    at times as a hang. One thread for all processors never showed it: hence
    the default. No code of ours has an int3.
    """
    return re.search(r"\bint3: 0000 \[#", console) is not None


def wild_flags(console):
    """Did the kernel die of flags that no processor has?

    QEMU 7.2's TCG leaves anything in the flags behind cmpxchg16b, bits above
    the 21st too, until the next instruction that sets them. An interrupt in
    between saves them, and the return from it loads them: single step, nested
    task, I/O privilege.
    """
    return any(int(flags, 16) >> 22 for flags in
               re.findall(r"\bEFLAGS: ([0-9a-f]{8})\b", console))


def _boot_id():
    text = pathlib.Path("/proc/sys/kernel/random/boot_id").read_text()
    return f"{platform.node()}-{text.strip()}"


class _Trial:
    """Options of the trial boot."""
    smp, mem, append = 1, 256, ""


def _try_kvm(image):
    """Boot a guest that powers off at once; why not, or None."""
    device = pathlib.Path("/dev/kvm")
    if not device.exists():
        return "there is no /dev/kvm"
    with tempfile.TemporaryDirectory() as folder:
        tmp = pathlib.Path(folder)
        script = tmp / "script"
        script.write_text("exit 0\n")
        guest.write(tmp / "initrd", {}, script, [], [])
        line = command(image, tmp / "initrd", KVM, _Trial)
        line += ["-serial", f"file:{tmp / 'console'}", "-serial", "null"]
        try:
            done = subprocess.run(line, timeout=PROBE_SECONDS, text=True,
                                  stdin=subprocess.DEVNULL, check=False,
                                  capture_output=True)
        except subprocess.TimeoutExpired:
            return (f"/dev/kvm is there, but a trial boot did not end within "
                    f"{PROBE_SECONDS} s")
        console = tmp / "console"
        if console.exists() and "curpage-vm: success" in console.read_text(
                errors="replace"):
            return None
        reason = (done.stderr.strip().splitlines() or ["no message"])[-1]
        return f"/dev/kvm is there, but a trial boot failed: {reason}"


KVM = ["-accel", "kvm", "-cpu", "host"]
# Without cmpxchg16b, see wild_flags(): SLUB has another way, which takes more
# instructions, so that it stays where these are counted.
_CPU = ["-cpu", "max,la57=off,cx16=off"]
TCG = ["-accel", "tcg,thread=single", *_CPU]
PARALLEL = ["-accel", "tcg,thread=multi", *_CPU]
ICOUNT = ["-accel", "tcg,thread=single", "-cpu", "max,la57=off",
          "-icount", "shift=0,sleep=off"]


def probe(image):
    """(use KVM?, why), measured once in each boot of this machine."""
    path = cache.root() / f"kvm-{_boot_id()}.json"
    with cache.lock("kvm"):
        try:
            works, why = json.loads(path.read_text())
        except (OSError, ValueError):
            refusal = _try_kvm(image)
            works, why = not refusal, refusal or "a trial boot with it worked"
            for old in cache.root().glob("kvm-*.json"):
                old.unlink()
            path.write_text(json.dumps([works, why]))
    return works, why


def accelerator(image, options):
    """QEMU's options for how the guest's instructions are run."""
    if options.icount:
        return ICOUNT
    if probe(image)[0]:
        return KVM
    return PARALLEL if options.parallel else TCG
