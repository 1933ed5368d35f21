# SPDX-License-Identifier: GPL-2.0
"""The right set of packages is taken for a kernel, and works where it is unpacked:
of layouts that the distribution here may not have."""
import packages
import pytest
import stock
from hosttest import Program

VERSION = "7.3.4+deb13"
NAME = f"{VERSION}-{stock.FLAVOUR}"
BUILD = (f"linux-headers-{NAME}", f"linux-headers-{VERSION}-common",
         f"linux-kbuild-{VERSION}")
BASE = f"linux-base-{NAME}"
BINARY = f"linux-binary-{NAME}"
UNSIGNED = f"linux-binary-unsigned-{NAME}"
IMAGE = f"linux-image-{NAME}"
CASES = (
    # what, offered beside BUILD, taken beside it
    ("until 6.18, the image", (IMAGE,), {IMAGE}),
    ("until 6.18, the one without a signature",
     (IMAGE, f"{IMAGE}-unsigned"), {f"{IMAGE}-unsigned"}),
    ("since 6.19, binary and base", (IMAGE, BINARY, BASE), {BINARY, BASE}),
    ("since 6.19, the one without a signature",
     (IMAGE, UNSIGNED, BINARY, BASE), {UNSIGNED, BASE}),
    ("never the empty image", (IMAGE, BINARY), None),
)


@pytest.mark.parametrize("_, offered, wanted", CASES,
                         ids=[case[0] for case in CASES])
def test_taken(monkeypatch, _, offered, wanted):
    """What is taken of the packages that are offered, or nothing."""
    monkeypatch.setattr(packages, "versions", lambda names: {
        name: "1" for name in names if name in (*offered, *BUILD)})
    parts = stock._parts(VERSION, "7.3")
    assert wanted == (parts and set(parts) - set(BUILD))


@pytest.fixture
def unpacked(tmp_path):
    """The layout since 6.19, as if from packages."""
    kdir = tmp_path / "usr/src" / f"linux-headers-{NAME}"
    common = tmp_path / "usr/src" / f"linux-headers-{VERSION}-common"
    modules = tmp_path / "usr/lib/modules" / NAME
    for folder in (kdir, common, modules):
        folder.mkdir(parents=True)
    (tmp_path / "lib").symlink_to("usr/lib")
    (modules / "vmlinuz.unsigned").write_text("image")
    (modules / "config").write_text("config")
    (kdir / "Makefile").write_text(f"KBUILD_OUTPUT=/usr/src/{kdir.name}\n"
                                   f"include /usr/src/{common.name}/Makefile\n")
    (common / "Makefile").write_text("all:\n\t@echo $(KBUILD_OUTPUT)\n")
    stock._image_in_boot(tmp_path, NAME)
    stock._relative_headers(tmp_path, NAME, common.name)
    return kdir


def test_headers(unpacked):
    """Headers work from where they lie."""
    assert Program("make").output("-s", "-C", unpacked).strip() == str(unpacked)


def test_boot(unpacked, tmp_path):
    """Image and configuration are in boot."""
    assert (tmp_path / "boot" / f"vmlinuz-{NAME}").read_text() == "image"
    assert (tmp_path / "boot" / f"config-{NAME}").exists()
