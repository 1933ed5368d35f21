# SPDX-License-Identifier: GPL-2.0
"""How Sphinx builds this folder: tools/check/docs, or sphinx-build itself."""
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
extensions = ["kerneldoc"]
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
