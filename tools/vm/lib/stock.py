# SPDX-License-Identifier: GPL-2.0
"""Debian's stock cloud kernels, their headers and sources, in the cache folder.

Nothing is installed: packages are downloaded and unpacked, and the headers'
absolute paths made relative, so that `make -C KDIR M=$PWD modules` works.
"""
import pathlib
import re
import shutil
import subprocess
import tempfile

import cache
import packages
from errors import VmError, bad_argument

FLAVOUR = "cloud-amd64"


def check_series(series):
    """Refuse what is not a kernel series such as 6.12."""
    if not re.fullmatch(r"\d+\.\d+", series):
        raise bad_argument(f"kernel series '{series}': must be two numbers "
                           "with a dot, such as 6.12 or 6.1")


def _natural(text):
    """Sort key: numbers inside a version compare as numbers."""
    return [int(number) for number in re.findall(r"\d+", text)]


def _images(version):
    """Packages that have a kernel's image, the preferred ones first: (those with
    it, ...)."""
    name = f"{version}-{FLAVOUR}"
    return ((f"linux-binary-unsigned-{name}", f"linux-base-{name}"),
            (f"linux-binary-{name}", f"linux-base-{name}"),
            (f"linux-image-{name}-unsigned",), (f"linux-image-{name}",))


def _image(version, have, wanted):
    """Those of them that are offered in the version that is wanted, or None. Where
    there is a linux-binary, since 6.19, linux-image has nothing in it."""
    images = [names for names in _images(version) if names[0] in have]
    return next((names for names in images
                 if len(names) == len(images[0]) and
                 all(have.get(name) == wanted for name in names)), None)


def _parts(version, series):
    """Package names that make a bootable, buildable kernel, or None."""
    headers = f"linux-headers-{version}-{FLAVOUR}"
    common = f"linux-headers-{version}-common"
    # Before 6.4 or so one kbuild package served a whole series.
    kbuilds = (f"linux-kbuild-{version}", f"linux-kbuild-{series}")
    have = packages.versions([headers, common, *kbuilds,
                              *sum(_images(version), ())])
    if headers not in have or have.get(common) != have[headers]:
        return None
    image = _image(version, have, have[headers])
    kbuild = next((name for name in kbuilds if name in have), None)
    if not image or not kbuild:
        return None
    return {name: have[name] for name in (*image, headers, common, kbuild)}


def _newest_offered(series):
    """(kernel version, {package: version}) of the newest complete set."""
    pattern = rf"linux-headers-({re.escape(series)}\.\S+)-{FLAVOUR}"
    matches = (re.fullmatch(pattern, name)
               for name in packages.names(f"linux-headers-{series}."))
    for version in sorted((m[1] for m in matches if m), key=_natural,
                          reverse=True):
        parts = _parts(version, series)
        if parts:
            return version, parts
    return None


def _relative_headers(tmp, version):
    """Make the headers work from wherever the entry lies."""
    uname = f"{version}-{FLAVOUR}"
    kdir = tmp / "usr/src" / f"linux-headers-{uname}"
    common = f"linux-headers-{version}-common"
    makefile = kdir / "Makefile"
    text = makefile.read_text()
    if f"include /usr/src/{common}/" not in text:
        raise VmError(f"{makefile.name} of {kdir.name} has another form than "
                      f"the one known: {text.strip()!r}")
    makefile.write_text("curpage-src := $(abspath $(dir $(lastword "
                        "$(MAKEFILE_LIST)))..)\n" +
                        text.replace("/usr/src/", "$(curpage-src)/"))
    modules = tmp / "lib/modules" / uname
    for link, target in (("build", kdir.name), ("source", common)):
        (modules / link).unlink(missing_ok=True)
        (modules / link).symlink_to(f"../../../usr/src/{target}")


def _image_in_boot(tmp, uname):
    """Since 6.19 the image and its configuration lie beside the modules."""
    boot = tmp / "boot"
    if boot.exists():
        return
    boot.mkdir()
    modules = pathlib.Path("lib/modules") / uname
    image, = (tmp / modules).glob("vmlinuz*")
    (boot / f"vmlinuz-{uname}").symlink_to(f"../{modules}/{image.name}")
    (boot / f"config-{uname}").symlink_to(f"../{modules}/config")


def _unpack_stock(tmp, version, parts):
    uname = f"{version}-{FLAVOUR}"
    debs = tmp / "debs"
    debs.mkdir()
    for deb in packages.download(parts, debs):
        subprocess.run(["dpkg-deb", "-x", deb, tmp], check=True)
    shutil.rmtree(debs)
    shutil.rmtree(tmp / "usr/share", ignore_errors=True)
    # Debian 13 and later keep all of lib below usr.
    if not (tmp / "lib").exists():
        (tmp / "lib").symlink_to("usr/lib")
    _image_in_boot(tmp, uname)
    _relative_headers(tmp, version)
    kdir = f"usr/src/linux-headers-{uname}"
    return [f"boot/vmlinuz-{uname}", f"boot/config-{uname}",
            f"{kdir}/Makefile", f"{kdir}/Module.symvers", f"{kdir}/.config",
            f"{kdir}/scripts/mod/modpost"]


def _cached(kind, series):
    """Newest complete entry of the series, or None."""
    entries = (entry for entry in (cache.root() / kind).glob(f"{series}.*")
               if cache.complete(entry))
    return max(entries, key=lambda entry: _natural(entry.name), default=None)


def fetch(series):
    """Get the newest kernel that the distribution offers; returns its entry."""
    check_series(series)
    version, parts = packages.look_up(
        lambda: _newest_offered(series), f"kernel {series} ({FLAVOUR})")
    package_version = next(iter(parts.values()))
    return cache.ensure("stock", f"{version}-{FLAVOUR}_{package_version}",
                        lambda tmp: _unpack_stock(tmp, version, parts))


def entry(series):
    """The cached kernel of the series, fetched when absent."""
    check_series(series)
    return _cached("stock", series) or fetch(series)


def uname(folder):
    """What uname -r says on this kernel."""
    return folder.name.split("_")[0]


def image(folder):
    """The kernel image of an entry."""
    return folder / "boot" / f"vmlinuz-{uname(folder)}"


def kdir(folder):
    """The folder for make -C."""
    return folder / "usr/src" / f"linux-headers-{uname(folder)}"


def _unpack_source(tmp, name, version):
    packages.setup("kbuild")
    with tempfile.TemporaryDirectory(dir=tmp.parent,
                                     prefix=f"{tmp.name}-") as debs:
        deb, = packages.download({name: version}, pathlib.Path(debs))
        listing = ["dpkg-deb", "--fsys-tarfile", deb]
        with subprocess.Popen(listing, stdout=subprocess.PIPE) as outer, \
             subprocess.Popen(["tar", "-xO", f"./usr/src/{name}.tar.xz"],
                              stdin=outer.stdout,
                              stdout=subprocess.PIPE) as inner:
            subprocess.run(["nice", "tar", "-xJ", "--strip-components=1",
                            "-C", tmp], stdin=inner.stdout, check=True)
    return ["Makefile", "MAINTAINERS", "mm/slub.c"]


def source(series):
    """The folder of the series' kernel source, downloaded when absent."""
    check_series(series)
    cached = _cached("source", series)
    if cached:
        return cached
    name = f"linux-source-{series}"
    version = packages.look_up(
        lambda: packages.versions([name]).get(name), name)
    return cache.ensure("source", version,
                        lambda tmp: _unpack_source(tmp, name, version))
