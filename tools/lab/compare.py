#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Hold a replay in the lab against the same replay in a kernel.

LAB is the output of lab replay --json --placements; KERNEL is a folder with the
placements and what curpage's debugfs files said: arena, buddy, fit, check, and
a file for each cache. Prints what differs, exit status 1 when something does.
"""
import json
import pathlib
import sys


def values(path):
    """Lines of a name and a number; other lines are left out."""
    found = {}
    for line in path.read_text().splitlines():
        words = line.split()
        if len(words) == 2 and words[1].isdigit():
            found[words[0]] = int(words[1])
    return found


def word_value(word):
    """A number where it is one; "-" is nothing."""
    if word == "-":
        return None
    try:
        return int(word) if word.isdigit() else float(word)
    except ValueError:
        return word


def buddy(path):
    """Names and values, and the tables by orders as columns."""
    found, table, columns = {}, {}, {}
    found["callers"] = table
    for line in path.read_text().splitlines():
        words = line.split()
        if words[0] == "order":
            columns = {name: [] for name in words[1:]}
            (found if "live" in columns else table).update(columns)
        elif words[0].isdigit():
            for column, word in zip(columns.values(), words[1:]):
                column.append(word_value(word))
        elif words[0] == "chunks":      # of caches follow those of callers
            table = found.setdefault(words[2], {})
        elif len(words) == 2 and words[0] != "all":
            found[words[0]] = word_value(words[1])
    return found


def compare_buddy(lab, kernel):
    """All of it: the lists of each of the buddies, and the rest."""
    differences = []
    for name in sorted({"callers", "caches"} & (lab.keys() | kernel.keys())):
        differences += compare_dicts(f"buddy of {name}", lab.pop(name, {}),
                                     kernel.pop(name, {}))
    return differences + compare_dicts("buddy", lab, kernel)


def compare_dicts(where, lab, kernel):
    """Names that the lab has; the kernel may tell more."""
    return [f"{where} {name}: lab {number}, kernel {kernel.get(name)}"
            for name, number in lab.items()
            if kernel.get(name) != number]


def compare_placements(lab, kernel):
    """The first place where they part."""
    places = [[int(word) for word in line.split()]
              for line in kernel.read_text().splitlines()]
    if lab == places:
        return []
    for i, (left, right) in enumerate(zip(lab, places)):
        if left != right:
            return [f"placement {i + 1}: lab {left}, kernel {right}"]
    return [f"placements: lab {len(lab)}, kernel {len(places)}"]


def compare_caches(classes, folder):
    """Every cache of the kernel; those the lab did not use are unused."""
    used = {c["class"]: c for c in classes if c["class"].startswith("size-")}
    differences = []
    found = {path.name for path in folder.glob("size-*")}
    for name in sorted(used.keys() | found):
        if name not in found:
            differences.append(f"{name}: not in the kernel")
            continue
        stats = values(folder / name)
        expected = used.get(name, {"alloc": 0, "free": 0, "pages": 0})
        expected = {key: number for key, number in expected.items()
                    if key != "class" and not key.endswith("_peak")}
        differences += compare_dicts(name, expected, stats)
    return differences


def compare(lab, folder):
    """All that differs, a line each."""
    arena = {name: number for name, number in lab["arena"].items()
             if name != "held_peak"}
    return (compare_placements(lab["placements"], folder / "placements")
            + compare_caches(lab["classes"], folder)
            + compare_dicts("arena", arena, values(folder / "arena"))
            + compare_buddy(dict(lab["buddy"]), buddy(folder / "buddy"))
            + compare_dicts("fit", lab["fit"], values(folder / "fit"))
            + ([] if (folder / "check").read_text().strip() == "0"
               else ["check: broken invariants in the kernel"]))


def main():
    """Compare, print, judge."""
    if len(sys.argv) != 3:
        print("usage: compare.py LAB KERNEL", file=sys.stderr)
        return 2
    lab = json.loads(pathlib.Path(sys.argv[1]).read_text())
    differences = compare(lab, pathlib.Path(sys.argv[2]))
    print("\n".join(differences), end="\n" if differences else "")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
