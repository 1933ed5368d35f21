# SPDX-License-Identifier: GPL-2.0
"""Directives that take what a page says from the source.

    .. parameters:: mm/params.c

is a table of the module's parameters, made of their descriptions.

    .. debugfs-files:: mm/watch/debugfs*.c

is a table of the files that they make, with the comment on each.

    .. source-files:: kunit/*_test.c

is a table of these files, each with the first sentence of its first comment.

    .. output:: out/lab/lab replay --help

is what a program of the tree prints. tools/check/docs builds the programs;
without one a note stands in its place.
"""
import glob
import os
import re
import subprocess

from docutils import nodes
from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NOTE = "Built without {}: what it prints is missing here. Build with tools/check/docs."
STRINGS = r'((?:\s*"(?:[^"\\]|\\.)*")+)'
PARAMETER = re.compile(
    r"^MODULE_PARM_DESC\((\w+)," + STRINGS + r"|"
    r"^CP_\w+\((\w+),[^;]*?" + STRINGS, re.M)
# The comment in front, the arguments, the third of which says whose file it is.
DEBUGFS_FILE = re.compile(r"(?:/\*((?:(?!\*/).)*)\*/\s*)?debugfs_create_(?:file|u32)"
                          r"\(([^,]*, \d+), \w+, (\S+?)[,)]", re.S)
# The line of the licence, and the comment behind it.
HEADS = {".c": r"// SPDX[^\n]*\n/\*(.*?)\*/", ".h": r"/\* SPDX[^\n]*\n/\*(.*?)\*/",
         ".sh": r"# SPDX[^\n]*\n((?:#[^\n]*\n)+)"}


def read(path):
    """The text of a file of the tree."""
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def text_of(strings):
    """The text of adjacent string literals of C."""
    return "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', strings))


def plain(text):
    """A text of which reST takes nothing for markup."""
    return re.sub(r"([\\*`|_])", r"\\\1", text)


def parameters(source):
    """Each parameter of the module with its description."""
    for name, text, name_2, text_2 in PARAMETER.findall(source):
        if name or name_2 != "id":  # the macros themselves
            yield name or name_2, text_of(text or text_2)


def first_sentence(path):
    """The first sentence of the comment on top of a file, None without one."""
    text = read(path)
    if path.endswith(".sh"):
        text = re.sub(r"^#!.*\n", "", text)
    found = re.match(HEADS[os.path.splitext(path)[1]], text, re.S)
    if not found:
        return None
    words = " ".join(re.sub(r"^[ \t]*[*#]+", "", found[1], flags=re.M).split())
    return re.match(r".*?(?=\.(?: |$)|$)", words)[0]


class Table(SphinxDirective):
    """A table of what rows() yields."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self):
        """Return the nodes of a list-table."""
        rows = list(self.rows())
        if len(rows) < 2:
            raise self.error(f"{self.arguments[0]}: nothing was found")
        lines = [".. list-table::", "   :header-rows: 1", "   :widths: auto", ""]
        for row in rows:
            lines += [("     - " if i else "   * - ") + cell
                      for i, cell in enumerate(row)]
        node = nodes.section(document=self.state.document)
        self.state.nested_parse(StringList(lines, source=self.arguments[0]),
                                self.content_offset, node)
        return node.children

    def depend(self, path):
        """The page changes with this file."""
        self.env.note_dependency(os.path.join(ROOT, path))


class Parameters(Table):
    """Parameters of the module: name, default, description."""

    def rows(self):
        """Split "(default X)" from each description."""
        path = self.arguments[0]
        self.depend(path)
        yield "parameter", "default", "meaning, and what is allowed"
        for name, text in parameters(read(path)):
            found = re.fullmatch(r"(.*) \(default (.*)\)", text)
            if not found:
                raise self.error(f"{path}: {name}: must end in (default ...): {text}")
            yield f"``{name}``", plain(found[2]), plain(found[1])


class DebugfsFiles(Table):
    """Files of debugfs: name, mode, comment."""

    def rows(self):
        """Each call that makes a file, with the comment in front of it."""
        yield "file", "mode", "content"
        for path in sorted(glob.glob(os.path.join(ROOT, self.arguments[0]))):
            self.depend(path)
            for text, call, data in DEBUGFS_FILE.findall(read(path)):
                if not text:
                    raise self.error(f"{path}: no comment on {call}")
                name, mode = re.match(r'"(\w+)", (\d+)', call).groups()
                name = f"caches/NAME/{name}" if data == "cache" else name
                yield f"``{name}``", mode, plain(" ".join(text.split()))


class SourceFiles(Table):
    """Files that match a pattern, with what each says of itself."""

    option_spec = {"except": directives.unchanged_required}

    def rows(self):
        """Name and first sentence of each file."""
        without = self.options.get("except", "").split()
        yield "file", "what it is for"
        for pattern in self.arguments[0].split():
            for full in sorted(glob.glob(os.path.join(ROOT, pattern), recursive=True)):
                path = os.path.relpath(full, ROOT)
                if os.path.basename(path) not in without:
                    self.depend(path)
                    text = first_sentence(path)
                    if not text:
                        raise self.error(f"{path}: no comment on top")
                    yield f"``{path}``", plain(text)


class Output(SphinxDirective):
    """What a program prints."""

    required_arguments = 1
    final_argument_whitespace = True
    option_spec = {"lines": directives.positive_int}

    def run(self):
        """Return a literal block, or a note if the program is not built."""
        program, *words = self.arguments[0].split()
        if not os.path.exists(os.path.join(ROOT, program)):
            return [nodes.note("", nodes.paragraph(text=NOTE.format(program)))]
        self.env.note_dependency(os.path.join(ROOT, program))
        done = subprocess.run([os.path.join(ROOT, program), *words], text=True,
                              capture_output=True, cwd=ROOT, check=False)
        if done.returncode or not done.stdout:
            raise self.error(f"{self.arguments[0]}: {done.stderr or 'no output'}")
        text = "\n".join(done.stdout.rstrip().split("\n")[:self.options.get("lines")])
        text = f"$ {self.arguments[0]}\n{text}"
        return [nodes.literal_block(text, text, language="none")]


def setup(app):
    """Called by Sphinx."""
    app.add_directive("parameters", Parameters)
    app.add_directive("debugfs-files", DebugfsFiles)
    app.add_directive("source-files", SourceFiles)
    app.add_directive("output", Output)
    return {"version": "1", "parallel_read_safe": True}
