# SPDX-License-Identifier: GPL-2.0
"""Instructions of the engines' own code: the lab under valgrind's callgrind,
which counts inside of engine_alloc() and engine_free() and nowhere else.  They
are those of all requests, of the start-up as well."""
import json
import os
import pathlib
import re
import sys
import tempfile

import child

# Without it jemalloc cannot be loaded; the lab sets it for itself, but not here.
TLS = {"GLIBC_TUNABLES": "glibc.rtld.optional_static_tls=16384"}
COUNTED = ("engine_alloc", "engine_free")
CALLEE = re.compile(r"cfn=\((\d+)\)(?: (\S+))?")


def inclusive(text):
    """Instructions by the functions that are counted, from callgrind's file."""
    names, found, callee = {}, dict.fromkeys(COUNTED, 0), None
    lines = iter(text.splitlines())
    for line in lines:
        match = CALLEE.match(line)
        if match:
            callee = match[1]
            if match[2]:
                names[callee] = match[2]
        elif line.startswith("fn=("):
            number, _, name = line[4:].partition(") ")
            if name:
                names[number] = name
        elif line.startswith("calls="):
            cost = int(next(lines).split()[1])
            if names.get(callee) in found:
                found[names[callee]] += cost
    return found


def counted(lab, words, cwd):
    """What the lab says; the counts of each process are left in cwd."""
    tool = ["valgrind", "-q", "--tool=callgrind", "--trace-children=yes",
            "--callgrind-out-file=%p",
            *(f"--toggle-collect={name}" for name in COUNTED)]
    program = pathlib.Path(lab.labs, words[0]).resolve()
    try:
        done = child.run([*tool, program, *words[1:]], cwd=cwd,
                         env={**os.environ, **TLS})
    except OSError as error:
        sys.exit(f"paper: {error}; tools/setup/setup lab installs it")
    if done.returncode:
        sys.exit(f"paper: {' '.join(words)} under valgrind: "
                 f"{done.stderr.strip()}")
    return json.loads(done.stdout)


def run(lab, words):
    """As lab.run() for `lab engine --json ...`; each engine that ran also has
    instructions: [of all allocations, of all frees]."""
    with tempfile.TemporaryDirectory(prefix="curpage-") as cwd:
        data = counted(lab, words, cwd)
        for engine in data["engines"]:
            if engine["ran"]:
                text = pathlib.Path(cwd, str(engine["pid"])).read_text()
                engine["instructions"] = list(inclusive(text).values())
    return data
