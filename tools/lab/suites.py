# SPDX-License-Identifier: GPL-2.0
"""What tests of the lab have in common: its programs, a folder for their files,
and the sum of what went well."""
import argparse
import os
import pathlib
import random
import subprocess
import sys
import tempfile

LAB = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(LAB.parent / "lib"))

import argtypes  # noqa: E402
from count import Count  # noqa: E402

SECONDS = 120       # for a run of the lab, which none comes near


class Suite:
    """Where things are, and how many tests went well."""

    def __init__(self, out, work, seed):
        self.lab = out / "lab"
        self.unit = out / "unit"
        self.plain = out / "plain" / "lab"
        self.interleave = out / "plain" / "interleave"
        self.work = work
        self.seed = seed
        self.count = Count()
        self.say = self.count.check

    def run(self, *args, **more):
        """The lab with these arguments."""
        return subprocess.run([self.lab, *map(str, args)], check=False,
                              timeout=SECONDS, capture_output=True, **more)

    def output(self, *args, **more):
        """What the lab prints, which has to succeed without a word."""
        done = self.run(*args, **more)
        if done.returncode or done.stderr:
            raise RuntimeError(f"lab {' '.join(map(str, args))}: exit "
                               f"{done.returncode}: {done.stderr.decode()}")
        return done.stdout.decode()

    def file(self, name, data):
        """A file of the test's."""
        path = self.work / name
        path.write_bytes(data if isinstance(data, bytes)
                         else data.encode("latin-1"))
        return path

    def attempt(self, test):
        """Run a test; one that cannot go on has failed."""
        try:
            test(self)
        except (RuntimeError, OSError, ValueError, LookupError,
                subprocess.SubprocessError) as error:
            self.say(False, f"{test.__name__} ran to its end", str(error))

    def refused(self, path, *words, status=2):
        """Why the lab did not refuse a trace as it should, or nothing."""
        done = self.run("replay", path)
        error = done.stderr.decode()
        if done.returncode != status:
            return f"exit {done.returncode}: {error[:2000]}"
        if done.stdout:
            return f"{len(done.stdout)} bytes on the standard output"
        missing = [word for word in words if word not in error]
        return f"{missing} not in: {error[:2000]}" if missing else ""


def make(folder, out, *words):
    """What the Makefile of a folder knows to build."""
    subprocess.run(["make", "-s", f"-j{os.cpu_count()}", "-C", folder, *words,
                    f"OUT={out}"], check=True, stdout=sys.stderr)


def setup(*groups):
    """What building and running need, installed where it is missing."""
    subprocess.run([LAB.parent / "setup" / "setup", *groups], check=True,
                   stdout=sys.stderr)


def run(name, about, build, tests):
    """Build, test, count: the main function of a test program."""
    parser = argparse.ArgumentParser(
        description=about, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seed", type=argtypes.whole(0, 2 ** 64 - 1), metavar="N",
                        help="of the random traces; default a random one")
    seed = parser.parse_args().seed
    if seed is None:
        seed = random.SystemRandom().getrandbits(32)
    print(f"# {name}: --seed {seed}", flush=True)
    with tempfile.TemporaryDirectory() as work:
        out = pathlib.Path(work) / "out"
        build(out)
        suite = Suite(out, pathlib.Path(work), seed)
        for test in tests:
            suite.attempt(test)
    return suite.count.end()
