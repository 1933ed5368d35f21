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


def _parts(version, series):
    """Package names that make a bootable, buildable kernel, or None."""
    headers = f"linux-headers-{version}-{FLAVOUR}"
    common = f"linux-headers-{version}-common"
    image = f"linux-image-{version}-{FLAVOUR}"
    kbuild = f"linux-kbuild-{version}"
    # Before 6.4 or so one kbuild package served a whole series.
    old_kbuild = f"linux-kbuild-{series}"
    have = packages.versions([headers, common, image, f"{image}-unsigned",
                              kbuild, old_kbuild])
    if headers not in have or have.get(common) != have[headers]:
        return None
    images = [name for name in (f"{image}-unsigned", image)
              if have.get(name) == have[headers]]
    kbuilds = [name for name in (kbuild, old_kbuild) if name in have]
    if not images or not kbuilds:
        return None
    chosen = [images[0], headers, common, kbuilds[0]]
    return {name: have[name] for name in chosen}


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
    fixed = text.replace(f"include /usr/src/{common}/",
                         "include $(dir $(lastword $(MAKEFILE_LIST)))"
                         f"../{common}/")
    if fixed == text:
        raise VmError(f"{makefile.name} of {kdir.name} has another form than "
                      f"the one known: {text.strip()!r}")
    makefile.write_text(fixed)
    modules = tmp / "lib/modules" / uname
    for link, target in (("build", kdir.name), ("source", common)):
        (modules / link).unlink(missing_ok=True)
        (modules / link).symlink_to(f"../../../usr/src/{target}")


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
