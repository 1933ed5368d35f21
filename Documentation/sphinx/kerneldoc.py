# SPDX-License-Identifier: GPL-2.0
"""The kernel-doc directive: what a source file says of its symbols.

    .. kernel-doc:: mm/cache/cache.c

takes what is exported from a file of this tree,

    .. kernel-doc:: include/linux/curpage.h
       :identifiers: curpage_cache_args

takes these symbols, and

    .. kernel-doc:: mm/base/base.h
       :doc: Lock order

takes the comment that begins with "DOC: Lock order". scripts/kernel-doc comes
with the kernel's source and is named by $KERNEL_DOC, which tools/check/docs
sets. Without it a note stands where the comments would be: the pages can be
read, and nothing warns.
"""
import os
import subprocess

from docutils import nodes
from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NOTE = ("Built without the kernel's scripts/kernel-doc: the comments for this "
        "place are in {}. To have them here, build with tools/check/docs.")


class KernelDoc(SphinxDirective):
    """Run scripts/kernel-doc on a file and parse what it prints."""

    required_arguments = 1
    option_spec = {"doc": directives.unchanged_required,
                   "identifiers": directives.unchanged_required}

    def run(self):
        """Return the nodes of the comments, or those of the note."""
        path = self.arguments[0]
        source = os.path.join(ROOT, path)
        self.env.note_dependency(source)
        script = os.environ.get("KERNEL_DOC")
        if not script:
            return [nodes.note("", nodes.paragraph(text=NOTE.format(path)))]
        command = ["perl", script, "-rst"]
        names = self.options.get("identifiers", "").split()
        if "doc" in self.options:
            names.append(self.options["doc"])
        for name in names:
            command += ["-function", name]
        if not names:
            command.append("-export")
        done = subprocess.run(command + [source], capture_output=True, text=True,
                              check=False)
        if done.returncode or done.stderr or not done.stdout.strip():
            raise self.error(f"kernel-doc {path}: {done.stderr or 'no comments'}")
        lines = StringList(done.stdout.expandtabs().splitlines(), source=path)
        node = nodes.section(document=self.state.document)
        self.state.nested_parse(lines, self.content_offset, node)
        return node.children


def setup(app):
    """Called by Sphinx."""
    app.add_directive("kernel-doc", KernelDoc)
    # A build without the script must not be taken for one with it.
    app.add_config_value("kerneldoc_script", os.environ.get("KERNEL_DOC", ""), "env")
    return {"version": "1", "parallel_read_safe": True}
