# SPDX-License-Identifier: GPL-2.0
"""What tests that boot a stock kernel share: modules for it, and a guest."""
import pathlib
import subprocess
import sys

TOOLS = pathlib.Path(__file__).resolve().parents[1]


def modules(series, *options):
    """The folder of the modules for a series; options: of tools/build/modules."""
    done = subprocess.run([TOOLS / "build/modules", *options, series], check=True,
                          text=True, stdout=subprocess.PIPE)
    return pathlib.Path(done.stdout.strip())


def stripped(module, target):
    """A copy without debugging data, which takes a guest long to read."""
    subprocess.run(["strip", "-g", "-o", target, module], check=True)
    return target


def run(script, words, *options, added=(), show=True):
    """Run a script in a guest; returns (what it prints, the exit status). With show
    the output is shown as it comes. options: of tools/vm/vm run."""
    line = [TOOLS / "vm/vm", "run", *options]
    for path in added:
        line += ["--add", path]
    text = []
    with subprocess.Popen([str(word) for word in [*line, script, *words]], text=True,
                          errors="replace", stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE,
                          stderr=None if show else subprocess.DEVNULL) as guest:
        for said in guest.stdout:
            text.append(said)
            if show:
                print(said, end="", flush=True)
    return "".join(text), guest.returncode


def exit_status(work, *args):
    """What work() returns, or what a program that failed asks for: 2 and 3 are
    passed on."""
    try:
        return work(*args)
    except subprocess.CalledProcessError as error:
        print(error, file=sys.stderr)
        return error.returncode if error.returncode in (2, 3) else 1
    except OSError as error:
        print(error, file=sys.stderr)
        return 1
