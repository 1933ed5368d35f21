# SPDX-License-Identifier: GPL-2.0
"""Debian packages: what apt offers, and files out of packages not installed."""
import os
import pathlib
import re
import subprocess

from errors import VmError, not_offered

# mke2fs is there, and outside a plain user's PATH.
os.environ["PATH"] += ":/usr/sbin:/sbin"
SETUP = pathlib.Path(__file__).resolve().parents[2] / "setup" / "setup"


def setup(*args):
    """Run tools/setup/setup; its own message says what is wrong."""
    done = subprocess.run([SETUP, *args], check=False)
    if done.returncode:
        raise VmError(f"setup {' '.join(args)} failed", done.returncode)


def _apt_cache(*args):
    env = dict(os.environ, LC_ALL="C")
    try:
        return subprocess.run(["apt-cache", *args], env=env, text=True,
                              check=False, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL).stdout
    except FileNotFoundError:
        raise VmError("no apt-cache: this needs Debian (12 or 13)") from None


def names(prefix):
    """Names of all packages that start so, offered or only mentioned."""
    return _apt_cache("pkgnames", prefix).split()


def versions(wanted):
    """{name: version} of those packages that apt can give."""
    text = _apt_cache("show", "--no-all-versions", *wanted)
    return dict(re.findall(r"^Package: (\S+)$.*?^Version: (\S+)$", text,
                           re.MULTILINE | re.DOTALL))


def look_up(find, what):
    """What find() gives, with fresh package lists if it gives nothing."""
    found = find()
    if found:
        return found
    try:
        setup("--update")
    except VmError:
        # Old lists still tell what the distribution has; none at all do not.
        if not names("linux-headers-"):
            raise
    found = find()
    if not found:
        raise not_offered(what)
    return found


def _download(specs, folder):
    command = ["apt-get", "-qq", "-o", "APT::Sandbox::User=root",
               "-o", "Acquire::Retries=3", "download", *specs]
    return subprocess.run(command, cwd=folder, check=False).returncode == 0


def download(wanted, folder):
    """Download {name: version} into folder; returns the .deb files."""
    specs = [f"{name}={version}" for name, version in wanted.items()]
    if not _download(specs, folder):
        raise VmError(f"could not download {' '.join(specs)}\n"
                      "(package lists too old? as root: apt-get update)")
    return sorted(folder.glob("*.deb"))
