# SPDX-License-Identifier: GPL-2.0
"""Makes what host tests share known."""
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
pytest_plugins = ("hosttest",)
pytest.register_assert_rewrite("hosttest")
