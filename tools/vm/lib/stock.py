# SPDX-License-Identifier: GPL-2.0
"""Debian's stock kernels, their headers and sources, in the cache folder: the cloud
kernels, and with -rt behind the series those with PREEMPT_RT.

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
# What is behind the series: the flavour, and what its common headers are called.
FLAVOURS = {"": (FLAVOUR, "common"), "-rt": ("rt-amd64", "common-rt")}


def check_series(series):
    """Refuse what is not a kernel series such as 6.12."""
    if not re.fullmatch(r"\d+\.\d+(-rt)?", series):
        raise bad_argument(f"kernel series '{series}': must be two numbers "
                           "with a dot, such as 6.12 or 6.1, or these and -rt")


def _flavour(series):
    """6.12, the flavour and the name of the common headers of 6.12 or 6.12-rt."""
    number, dash, rest = series.partition("-")
    return (number, *FLAVOURS[dash + rest])


def _natural(text):
    """Sort key: numbers inside a version compare as numbers."""
    return [int(number) for number in re.findall(r"\d+", text)]


def _images(name):
    """Packages that have a kernel's image, the preferred ones first: (those with
    it, ...)."""
    return ((f"linux-binary-unsigned-{name}", f"linux-base-{name}"),
            (f"linux-binary-{name}", f"linux-base-{name}"),
            (f"linux-image-{name}-unsigned",), (f"linux-image-{name}",))


def _image(images, have, wanted):
    """Those of them that are offered in the version that is wanted, or None. Where
    there is a linux-binary, since 6.19, linux-image has nothing in it."""
    images = [names for names in images if names[0] in have]
    return next((names for names in images
                 if len(names) == len(images[0]) and
                 all(have.get(name) == wanted for name in names)), None)


def _parts(version, series):
    """Package names that make a bootable, buildable kernel, or None."""
    number, flavour, shared = _flavour(series)
    headers = f"linux-headers-{version}-{flavour}"
    common = f"linux-headers-{version}-{shared}"
    # Before 6.4 or so one kbuild package served a whole series.
    kbuilds = (f"linux-kbuild-{version}", f"linux-kbuild-{number}")
    images = _images(f"{version}-{flavour}")
    have = packages.versions([headers, common, *kbuilds, *sum(images, ())])
    if headers not in have or have.get(common) != have[headers]:
        return None
    image = _image(images, have, have[headers])
    kbuild = next((name for name in kbuilds if name in have), None)
    if not image or not kbuild:
        return None
    return {name: have[name] for name in (*image, headers, common, kbuild)}


def _newest_offered(series):
    """(kernel version, {package: version}) of the newest complete set."""
    number, flavour, _ = _flavour(series)
    pattern = rf"linux-headers-({re.escape(number)}\.\S+)-{flavour}"
    matches = (re.fullmatch(pattern, name)
               for name in packages.names(f"linux-headers-{number}."))
    for version in sorted((m[1] for m in matches if m), key=_natural,
                          reverse=True):
        parts = _parts(version, series)
        if parts:
            return version, parts
    return None


def _relative_headers(tmp, uname, common):
    """Make the headers work from wherever the entry lies."""
    kdir = tmp / "usr/src" / f"linux-headers-{uname}"
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


def _unpack_stock(tmp, uname, common, parts):
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
    _relative_headers(tmp, uname, common)
    kdir = f"usr/src/linux-headers-{uname}"
    return [f"boot/vmlinuz-{uname}", f"boot/config-{uname}",
            f"{kdir}/Makefile", f"{kdir}/Module.symvers", f"{kdir}/.config",
            f"{kdir}/scripts/mod/modpost"]


def _cached(kind, pattern):
    """Newest complete entry with such a name, or None."""
    entries = (entry for entry in (cache.root() / kind).glob(pattern)
               if cache.complete(entry))
    return max(entries, key=lambda entry: _natural(entry.name), default=None)


def fetch(series):
    """Get the newest kernel that the distribution offers; returns its entry."""
    check_series(series)
    _, flavour, shared = _flavour(series)
    version, parts = packages.look_up(
        lambda: _newest_offered(series), f"kernel {series} ({flavour})")
    package_version = next(iter(parts.values()))
    name, common = f"{version}-{flavour}", f"linux-headers-{version}-{shared}"
    return cache.ensure("stock", f"{name}_{package_version}",
                        lambda tmp: _unpack_stock(tmp, name, common, parts))


def entry(series):
    """The cached kernel of the series, fetched when absent."""
    check_series(series)
    number, flavour, _ = _flavour(series)
    return _cached("stock", f"{number}.*-{flavour}_*") or fetch(series)


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
    cached = _cached("source", f"{series}.*")
    if cached:
        return cached
    name = f"linux-source-{series}"
    version = packages.look_up(
        lambda: packages.versions([name]).get(name), name)
    return cache.ensure("source", version,
                        lambda tmp: _unpack_source(tmp, name, version))
