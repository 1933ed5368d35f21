# SPDX-License-Identifier: GPL-2.0
"""tools/vm/vm notices what it must notice. Boots a guest for each case."""
import os
import pathlib
import time

import hosttest
import pytest

VM = hosttest.Program(pathlib.Path(__file__).resolve().parent / "vm")

BUG = "echo '<3>BUG: planted' >/dev/kmsg"
SEVERE = 120        # the kernel's log is bad
NOT_OFF = 121       # the power-off was not clean
NOT_SAID = 122      # a word of success is missing
TOO_LATE = 124

BAD_OPTIONS = (
    "--smp none", "--smp 0", "--mem 1", "--timeout 1s", "--kernel six",
    "--kernel /no/such/bzImage", "--add /no/such/file",
    "--add /etc/passwd:relative", "--insmod /no/such.ko", "--allow (",
    "--trace file", "--trace-at 4096",
)


@pytest.fixture
def guest(request, tmp_path, file):
    """guest(SCRIPT, OPTION...): a run of a script, its output and log in one."""
    def boot(script, *options):
        done = VM.run("run", "--kernel", request.config.option.kernel, "--log",
                      tmp_path / "console", *options, "--",
                      file("script", script), "one", "two  2")
        done.said = done.stdout + done.stderr
        return done
    return boot


def planted(*texts):
    """A script that writes a warning with its stack to the log for each text."""
    return "".join(
        f"echo '<4>{line}' >/dev/kmsg\n" for text in texts for line in (
            "------------[ cut here ]------------", f"planted {text}",
            f"WARNING: CPU: 0 PID: 1 at planted.c:{text}", "Call Trace:",
            "---[ end trace 0 ]---"))


def test_script(guest, file, tmp_path):
    """A good script succeeds: arguments, output, and files into and out of it."""
    data = os.urandom(1 << 20)
    done = guest("echo \"args: $1,$2\"\necho 'a word' >&2\nmkdir /out/sub\n"
                 "cp /data/in /out/sub/random\n",
                 "--add", f"{file('random', data)}:/data/in",
                 "--out", tmp_path / "out", "--want", "a word")
    assert done.returncode == 0, done.said
    assert "args: one,two  2" in done.said
    assert (tmp_path / "out/sub/random").read_bytes() == data


def test_status(guest):
    """A script's status is passed through, and its output shown even when quiet."""
    done = guest("echo noise; exit 7", "--quiet")
    assert done.returncode == 7 and "noise" in done.said


def test_bug(guest, tmp_path):
    """BUG in the kernel's log fails, its line and the log's place are shown."""
    done = guest(BUG)
    assert done.returncode == SEVERE
    assert "BUG: planted" in done.said
    assert f"console log: {tmp_path / 'console'}" in done.said


def test_warning(guest):
    """WARNING in the kernel's log fails."""
    done = guest("echo '<4>WARNING: CPU: 0 PID: 1 at planted' >/dev/kmsg")
    assert done.returncode == SEVERE, done.said


def test_allow(guest):
    """--allow takes a line out."""
    done = guest(BUG, "--allow", "BUG: planted")
    assert done.returncode == 0, done.said


def test_allow_warning(guest):
    """--allow takes a warning out with its stack."""
    done = guest(planted("one"), "--allow", "planted one")
    assert done.returncode == 0, done.said


def test_allow_one(guest):
    """--allow takes no other warning out, and that is shown."""
    done = guest(planted("one", "two"), "--allow", "planted one")
    assert done.returncode == SEVERE and "planted.c:two" in done.said


def test_crash(guest):
    """A crash fails, and is no clean power-off."""
    done = guest("echo c >/proc/sysrq-trigger")
    assert done.returncode == SEVERE
    assert "did not power off cleanly" in done.said


def test_timeout(guest):
    """A hung script is killed at the limit, and the end of its console shown."""
    start = time.monotonic()
    done = guest("echo 'still here' >/dev/kmsg; sleep 1000", "--timeout", 30)
    assert done.returncode == TOO_LATE and "still here" in done.said
    assert time.monotonic() - start < 60


def test_reboot(guest):
    """A reboot is no clean power-off."""
    assert guest("reboot -f; sleep 100").returncode == NOT_OFF


def test_want(guest):
    """A missing word of success fails."""
    assert guest("echo hello", "--want", "never said").returncode == NOT_SAID


@pytest.mark.parametrize("bad", BAD_OPTIONS)
def test_refused(guest, bad):
    """A bad value is named, and the script is not run."""
    option, value = bad.split(" ", 1)
    done = guest("echo ran", option, value)
    assert done.returncode == 2, done.said
    assert value in done.said and "ran" not in done.said.split()


def test_refused_together(guest):
    """--icount cannot be with --parallel."""
    assert guest("echo ran", "--icount", "--parallel").returncode == 2


def test_no_script():
    """A script that is not there is refused."""
    assert VM.run("run", "--", "/no/such/script").returncode == 2
