# SPDX-License-Identifier: GPL-2.0
"""How Sphinx builds this folder, alone or by tools/check/docs with the study."""
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "sphinx"))
with open(os.path.join(HERE, "..", "mm", "main.c"), encoding="utf-8") as main:
    release = re.search(r'^MODULE_VERSION\("(.*)"\);', main.read(), re.M)[1]
version = release

project = "curpage"
author = "The curpage authors"
copyright = author  # no year: pages would change with the date
extensions = ["kerneldoc", "sources"]
root_doc = "index"
exclude_patterns = ["sphinx"]
highlight_language = "none"
html_theme = "alabaster"
html_theme_options = {
    "description": "An allocator that keeps live objects on few pages",
    "page_width": "1080px",
}
html_show_sphinx = False
html_copy_source = False
html_show_sourcelink = False

# Pages of the study that other pages name, as in |papers|, and the words for them
# when the study is not in the tree. tools/check/docs links its pages as study/.
STUDY = {"papers": "the papers' tables"}
STUDY_TOCTREE = """

.. toctree::
   :maxdepth: 2
   :caption: Study

   study/index
"""


def has_study(app):
    """Return whether the pages of the study are built, too."""
    return os.path.exists(os.path.join(app.srcdir, "study", "index.rst"))


def name_study(app, config):
    """Define the names in STUDY: links, or words without the study."""
    config.rst_epilog = "\n".join(
        f".. |{name}| replace:: " + (f":doc:`/study/{name}`" if has_study(app)
                                     else text)
        for name, text in STUDY.items())


def list_study(app, docname, source):
    """Put the study at the end of the index."""
    if docname == "index" and has_study(app):
        source[0] += STUDY_TOCTREE


def setup(app):
    """Connect to Sphinx, which calls this."""
    app.connect("config-inited", name_study)
    app.connect("source-read", list_study)
