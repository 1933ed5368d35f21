# SPDX-License-Identifier: GPL-2.0
"""Did the guest do well? Judged from its console, its output and its end."""
import re

BAD_KERNEL, NOT_CLEAN, NO_WORD, TIMEOUT, HOST = 120, 121, 122, 124, 125

BAD = re.compile("|".join((
    r"\bBUG\b", r"\bWARNING:", r"\bOops\b", r": [0-9a-f]{4} \[#\d+\]", r"Call Trace:", r"cut here",
    r"unreferenced object", r"suspected memory leak", r"Objects remaining",
    r"\b(KASAN|UBSAN|KCSAN|KMSAN|KFENCE|DMA-API):",
    r"possible (circular locking|recursive locking|irq lock inversion)",
    r"inconsistent lock state", r"held lock freed", r"bad unlock balance",
    r"suspicious RCU usage", r"non-static key", r"lock held when returning",
    r"sleeping function called from invalid", r"scheduling while atomic",
    r"(rcu_\w+|rcu) (self-)?detected (expedited )?stalls?",
    r"task .* blocked for more than", r"soft lockup", r"hard LOCKUP",
    r"general protection fault", r"double fault", r"stack guard page",
    r"Kernel panic", r"Bad page state", r"Bad rss-counter",
    r"refcount_t:", r"list_(add|del) corruption", r"page allocation failure",
    r"Trying to vfree", r"nobody cared",
)))
# Lines that quote words and lines that every healthy boot may print.
HARMLESS = re.compile("|".join((
    r"[Cc]ommand line:", r"Unknown kernel command line",
    r"Spectre V2 : WARNING", r"nobody cared \(try booting",
)))
# What the kernel prints around the text of every warning.
FRAME = re.compile(r"\[ cut here \]|\bWARNING: .* at |Call Trace:")
STAMP = re.compile(r"^\[[ \d.]+\](\[[ \w]+\])? ")
SAYS = "curpage-vm: "


def _warnings(lines):
    """Ranges of lines of a warning, or of several that processors mix up."""
    start = depth = 0
    for i, line in enumerate(lines):
        if "[ cut here ]" in line:
            start = start if depth else i
            depth += 1
        elif depth and "[ end trace " in line:
            depth -= 1
            if not depth:
                yield range(start, i + 1)


def bad_lines(console, allow=()):
    """Lines of the console that no healthy guest prints. A warning whose text
    is allowed is allowed with its stack."""
    allowed = [re.compile(pattern) for pattern in allow]
    lines = console.splitlines()
    fine = [any(pattern.search(line) for pattern in allowed) for line in lines]
    for warning in _warnings(lines):
        frame = [i for i in warning if FRAME.search(lines[i])]
        wanted = sum(fine[i] and i not in frame for i in warning)
        if wanted >= sum("[ cut here ]" in lines[i] for i in frame):
            for i in frame:
                fine[i] = True
    return [line for line, good in zip(lines, fine)
            if BAD.search(line) and not HARMLESS.search(line) and not good]


def said(console, word):
    """What the guest's init said after that word, or None."""
    found = None
    for line in console.splitlines():
        text = STAMP.sub("", line)
        if text.startswith(SAYS + word):
            found = text[len(SAYS + word):].strip()
    return found


def judge(console, output, ended, want=None, allow=()):
    """(exit status, reasons). ended: did QEMU end by itself, within the
    limit; want: a word that output or console must have."""
    bad = bad_lines(console, allow)
    status = said(console, "script exited with status")
    error = said(console, "error:")
    findings = []
    if bad:
        more = [f"  ... and {len(bad) - 20} more"] if len(bad) > 20 else []
        findings.append((BAD_KERNEL, "the kernel complained:\n" + "\n".join(
            [f"  {line}" for line in bad[:20]] + more)))
    if not ended:
        findings.append((TIMEOUT, "the guest was killed at the time limit"))
    elif "reboot: Power down" not in console:
        findings.append((NOT_CLEAN, "the guest did not power off cleanly"))
    if error is not None:
        findings.append((HOST, f"the guest's init: {error}"))
    if status not in (None, "0"):
        findings.append((int(status), f"the script's status is {status}"))
    elif said(console, "success") is None:
        findings.append((NO_WORD, "the script's success was not seen"))
    elif want and want not in output and want not in console:
        findings.append((NO_WORD, f"the word of success '{want}' is missing"))
    code = findings[0][0] if findings else 0
    return code, [text for _, text in findings]
