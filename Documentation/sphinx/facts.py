#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Is what the code has in Documentation/, and is there what it names? Do
README.rst, NEWS.rst, CONTRIBUTING.rst and MAINTAINERS say what is so?

Prints a line "ok - ..." or "not ok - ..." for each kind of thing, with what is
missing. Exit status 1 when something is. Called by tools/check/docs --test.
"""
import fnmatch
import os
import re
import subprocess
import sys

from docutils import nodes
from docutils.core import publish_doctree
from docutils.utils import SystemMessage

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
README_LINES = 120
# Folders whose files are named in the pages by their path from the root.
FOLDERS = r"(?:mm|include|kunit|torture|tools|study|Documentation|LICENSES|\.ci)"
FILES_ABOVE = r"[A-Z]{4,}\.rst|COPYING|MAINTAINERS|\.clang-format|\.editorconfig"
# The study can be elsewhere. Then none of its files is looked for.
STUDY = os.path.isdir(os.path.join(ROOT, "study"))


def files():
    """The files of the tree, tracked or not yet, as paths from the root."""
    command = ["git", "-C", ROOT, "ls-files", "-co", "--exclude-standard"]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    return [path for path in found.stdout.splitlines()
            if os.path.isfile(os.path.join(ROOT, path))]


FILES = files()


def read(path):
    """The text of a file of the tree."""
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def matching(pattern):
    """The paths that match all of a pattern."""
    return [path for path in FILES if re.fullmatch(pattern, path)]


def sources(pattern):
    """All files that match, in one text."""
    return "\n".join(read(path) for path in matching(pattern))


def page(name):
    """A page of Documentation/."""
    return read(f"Documentation/{name}.rst")


PAGES = {path: read(path) for path in matching(
    r"[A-Z]+\.rst|study/README\.rst|(?:study/)?Documentation/.*\.rst")}
ALL = "\n".join(text for path, text in PAGES.items()
                if path not in ("CONTRIBUTING.rst", "NEWS.rst"))
failed = 0


def check(what, wanted, is_there):
    """One line for a kind of thing; wanted must not be empty."""
    global failed
    wanted = sorted(set(wanted))
    missing = [thing for thing in wanted if not is_there(thing)]
    if missing or not wanted:
        failed += 1
        print(f"not ok - {what}")
        for thing in missing or ["(nothing was found to look for)"]:
            print(f"    missing: {thing}")
    else:
        print(f"ok - {what} ({len(wanted)})")


def literal(text):
    """A test: is a thing there as ``thing``?"""
    return lambda thing: f"``{thing}``" in text


def strings(text):
    """The text of adjacent string literals of C."""
    return "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', text))


def counters(source):
    """The names of counters in stats.c."""
    for array, body in re.findall(r"(\w+)\[\] = \{(.*?)\};", source, re.S):
        if array.endswith("_stat_name"):
            yield from re.findall(r'= "(\w+)"', body)


def log_lines():
    """What curpage logs, with ... for each figure, as in the pages."""
    literals = r'(?:pr_(?!fmt)\w+|cp_broken)\(\s*((?:"(?:[^"\\]|\\.)*"\s*)+)'
    for found in re.findall(literals, sources(r"mm/.*\.c")):
        line = strings(found).replace("\\n", "")
        line = re.sub(r"%[#0-9l.*]*(?:p[SVG]g?|[a-z])", "...", line)
        yield re.sub(r"(?:\.\.\.){2,}", "...", line)


def log_line_there(line):
    """Reports have a first word for each kind; the others are as they are."""
    if line.startswith("...: ") and not re.search("must be|needs", line):
        return "address" in line or "live" in line
    # One that a macro goes on with is known by its beginning.
    return f"``{line}" in ALL if line.endswith(" ") else f"``{line}``" in ALL


def named_paths():
    """Paths of the tree that the pages name; NAME and wildcards stand for many."""
    for path, text in PAGES.items():
        for word in re.findall(rf"(?<![\w/$.-]){FOLDERS}/[\w./*-]*[\w*]|"
                               rf"``(?:{FILES_ABOVE})``", text):
            word = word.strip("`")
            if "NAME" not in word and "*" not in word and \
               (STUDY or not word.startswith("study/")):
                yield f"{word} (in {path})"


def path_exists(named):
    """Is it a file or a folder of the tree, or of a kernel that has the tree?"""
    path = named.split(" ")[0].removeprefix("mm/curpage/")
    return os.path.exists(os.path.join(ROOT, path))


def executables():
    """What can be called by a user: not what a tool keeps in its lib/ or guest/."""
    for path in matching(r"(?:tools|kunit|study|\.ci)/.*"):
        if os.access(os.path.join(ROOT, path), os.X_OK) and \
           not re.search(r"/(lib|guest)/", path):
            yield path


def make_targets(source):
    """The targets of the Makefile, which are all phony."""
    for names in re.findall(r"^\.PHONY: (.*)", source, re.M):
        yield from names.split()


def check_alone(path, lines=None):
    """A page above Documentation/ stands alone: docutils has to be content with it."""
    text = PAGES[path]
    problems = []
    if lines and len(text.splitlines()) > lines:
        problems.append(f"{len(text.splitlines())} lines, {lines} at most")
    try:
        tree = publish_doctree(text, settings_overrides={
            "report_level": 2, "halt_level": 5, "warning_stream": False})
        problems += [message.astext() for message in tree.findall(nodes.system_message)]
    except SystemMessage as error:
        problems.append(str(error))
    check(f"{path} {'is short and ' if lines else ''}has no error",
          [path] + problems, lambda thing: thing == path)


def measured(case):
    """A case in performance.rst, on 6.12 and on 7.3: curpage, its peer, what follows."""
    row = rf"^ +{case} +([\d.,]+) +[\d.,]+ +([\d.,]+) +[\d.,]+ +(.*)"
    for part in page("performance").split("\nSLUB of Linux 7.3\n", 1):
        found = re.search(row, part, re.M)
        yield found.groups() if found else ("", "", "")


def pages_row(size, live):
    """A row of README.rst's table of pages held, as performance.rst has the figures."""
    (held, packed, old), (held_7, _, new) = measured(f"hold/{size}/{live.replace(',', '')}")
    slub = [re.sub(r".*; SLUB (.*),.*", r"\1", text) for text in (old, new)]
    held = held if held == held_7 else f"{held} or {held_7}"
    return " ".join([size, live, packed, *slub, held]).replace(".0", "")


def calls_row(case):
    """The figures of README.rst's table of instructions, as performance.rst has them."""
    (held, slub, _), (held_7, slub_7, _) = measured(case)
    return f"{case} {slub} {held} {slub_7} {held_7}"


def check_figures():
    """What README.rst has measured is in performance.rst."""
    readme = PAGES["README.rst"]
    pages = re.findall(r"^ *(\d+) +([\d,]+)((?: +[\d,]+){4})$", readme, re.M)
    calls = re.findall(r"^``([a-z]+/\d+)``.*?((?: +\d+\.\d){4})$", readme, re.M)
    wanted = {" ".join([size, live, *rest.split()]): pages_row(size, live)
              for size, live, rest in pages}
    wanted |= {" ".join([case, *rest.split()]): calls_row(case) for case, rest in calls}
    check("figures of README.rst are those of performance.rst",
          wanted if pages and calls else [], lambda row: wanted[row] == row)


def maintained(pattern):
    """Is there a file that an F: of MAINTAINERS matches, or that is below?"""
    if not STUDY and pattern == "study/":
        return True
    return any(fnmatch.fnmatch(path, pattern + "*") for path in FILES)


def main():
    """All kinds, one after the other."""
    debugfs, stats = sources(r"mm/watch/debugfs(_\w+)?\.c"), read("mm/base/stats.c")
    events = sources(r"include/trace/.*\.h")

    check("every counter is in debugfs.rst",
          set(counters(stats)) - {"bad_none"}, literal(page("debugfs")))
    check("every other line of debugfs is in debugfs.rst",
          re.findall(r'seq_printf\(m, "(\w+) %', debugfs), literal(page("debugfs")))
    check("every heading of debugfs is in debugfs.rst",
          (line.replace("\\n", "") for line in
           re.findall(r'seq_puts\(m, "(.*?)"\)', debugfs)),
          lambda line: line in page("debugfs"))
    check("every kind of report has a heading in reports.rst",
          set(re.findall(r'\[CP_BAD_\w+\]\s*= "([a-z ]*)"', stats)),
          lambda kind: re.search(rf"^{kind}\n~+$", page("reports"), re.M))
    check("every line of the log is in Documentation/", log_lines(), log_line_there)
    check("every tracepoint is in tracepoints.rst",
          re.findall(r"(?:TRACE_EVENT\(|DEFINE_EVENT\(\w+, )(\w+)", events),
          literal(page("tracepoints")))
    check("every field of the tracepoints is in tracepoints.rst",
          re.findall(r"__field\([^,]*, (\w+)\)", events), literal(page("tracepoints")))
    check("every strategy is in strategies.rst",
          re.findall(r'\.name\s*= "(.*)"', sources(r"mm/heap/strategy_.*\.c")),
          literal(page("strategies")))
    check("every buddy policy is in buddies.rst",
          re.findall(r'\.name\s*= "(.*)"', sources(r"mm/arena/buddy_.*\.c")),
          literal(page("buddies")))
    check("every target of make is in Documentation/",
          make_targets(read("Makefile")), lambda name: re.search(rf"\bmake {name}\b", ALL))
    check("every program is in Documentation/", executables(),
          lambda path: re.search(rf"(?<!\w){re.escape(path)}(?![\w/-])", ALL))
    check("every part of make check is in testing.rst",
          re.findall(r'^    Part\("([^"]+)"', read("tools/check/check"), re.M),
          literal(page("testing")))
    check("every example of a bpftrace tool is in tracepoints.rst",
          matching(r"tools/bpftrace/.*\.txt"), literal(page("tracepoints")))
    check("files that the pages name exist", named_paths(), path_exists)
    check_alone("README.rst", README_LINES)
    check_alone("CONTRIBUTING.rst")
    check_alone("NEWS.rst")
    if STUDY:
        check_alone("study/README.rst", README_LINES)
        told = sources(r"study/Documentation/.*\.rst") + read("study/charts")
        check("every table of the study is on a page or in a chart",
              (path.split("/")[-1] for path in matching(r"study/.*/tables/.*")),
              lambda name: f"tables/{name}" in told or f'"{name[:-4]}"' in told)
    check_figures()
    check("what MAINTAINERS names exists",
          re.findall(r"^F:\t(.*)", read("MAINTAINERS"), re.M), maintained)
    # Elsewhere the version is taken from there.
    check("the version is in mm/main.c alone, and the first in NEWS.rst",
          re.findall(r'^MODULE_VERSION\("(.*)"\);', sources(r".*\.[ch]"), re.M),
          lambda version: PAGES["NEWS.rst"].split("\nVersion ")[1].startswith(f"{version}\n")
          and sources(r".*\.[ch]").count("MODULE_VERSION(") == 1)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
