# SPDX-License-Identifier: GPL-2.0
"""The cache folder: entries that are complete or do not exist.

An entry is built in a temporary folder beside its place and renamed. Its stamp
lists the sizes of the files that matter, so that a truncated one is noticed.
"""
import contextlib
import fcntl
import json
import os
import pathlib
import shutil
import tempfile

STAMP = ".complete"


def root():
    """The cache folder, created when absent."""
    path = os.environ.get("CURPAGE_CACHE") or "~/.cache/curpage"
    path = pathlib.Path(path).expanduser().resolve()
    path.mkdir(parents=True, exist_ok=True)
    return path


@contextlib.contextmanager
def lock(name):
    """Hold the cache's lock of that name."""
    folder = root() / "locks"
    folder.mkdir(exist_ok=True)
    with open(folder / name.replace("/", "_"), "w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def complete(entry):
    """Is this folder an entry whose listed files have their full size?"""
    try:
        sizes = json.loads((entry / STAMP).read_text())
        return all((entry / name).stat().st_size == size
                   for name, size in sizes.items())
    except (OSError, ValueError, AttributeError):
        return False


def ensure(kind, key, build):
    """Return the entry kind/key; build(tmp) makes it and returns the names of
    the files (relative) whose sizes the stamp shall guard."""
    entry = root() / kind / key
    if complete(entry):
        return entry
    with lock(f"{kind}-{key}"):
        if complete(entry):
            return entry
        entry.parent.mkdir(parents=True, exist_ok=True)
        prefix = f".tmp-{key}-"
        # We hold the lock: what lies here was left by a killed run.
        for stale in [entry, *entry.parent.glob(f"{prefix}*")]:
            shutil.rmtree(stale, ignore_errors=True)
        tmp = pathlib.Path(tempfile.mkdtemp(prefix=prefix, dir=entry.parent))
        try:
            sizes = {name: (tmp / name).stat().st_size for name in build(tmp)}
            (tmp / STAMP).write_text(json.dumps(sizes) + "\n")
            tmp.chmod(0o755)
            os.rename(tmp, entry)
        except BaseException:
            shutil.rmtree(tmp, ignore_errors=True)
            raise
    return entry
