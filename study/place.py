# SPDX-License-Identifier: GPL-2.0
"""Where curpage is, whose lab and tools the study uses: $CURPAGE, or by default
the folder that the study lies in. Importing this makes their modules known."""
import os
import pathlib
import sys

STUDY = pathlib.Path(__file__).resolve().parent
CURPAGE = pathlib.Path(os.environ.get("CURPAGE") or STUDY.parent).resolve()
OUT = CURPAGE / "out/study"
DOCUMENTATION = STUDY / "Documentation"
TABLES = DOCUMENTATION / "tables"

sys.path += [str(STUDY / "paper"), str(STUDY / "model"),
             str(CURPAGE / "tools/lib"), str(CURPAGE / "tools/lab")]
