# SPDX-License-Identifier: GPL-2.0
"""Plants a fault in a copy of mm/, for tests that have to notice it."""
import pathlib
import shutil

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def plant(work, file, old, new, once=True):
    """Copy mm/ with old replaced by new in a file, which is there at least once.

    The objects of other files, if they were built before, stay up to date.
    """
    folder = work / "planted-mm"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "mm", folder)
    path, = folder.rglob(file)
    text = path.read_text()
    if not text.count(old) or (once and text.count(old) != 1):
        raise RuntimeError(f"{file}: {text.count(old)} times there: {old}")
    path.write_text(text.replace(old, new))
    for path in folder.rglob("*.c" if file.endswith(".h") else file):
        path.touch()
    return folder
