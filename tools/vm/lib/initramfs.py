# SPDX-License-Identifier: GPL-2.0
"""Writes an initramfs (cpio, newc) without root: device nodes are only data."""
import os
import pathlib
import stat

from errors import bad_argument


class Initramfs:
    """One archive being written; parents of a path appear by themselves."""

    def __init__(self, handle):
        self._handle = handle
        self._inode = 0
        self._known = {"", "."}

    def _header(self, name, mode, size=0, device=(0, 0)):
        self._inode += 1
        raw = name.encode() + b"\0"
        fields = (self._inode, mode, 0, 0, 1, 0, size, 0, 0, *device,
                  len(raw), 0)
        head = b"070701" + b"".join(b"%08X" % field for field in fields) + raw
        self._handle.write(head + b"\0" * (-len(head) % 4))

    def _entry(self, path, mode, data=b"", device=(0, 0)):
        path = path.strip("/")
        parent = os.path.dirname(path)
        if parent not in self._known:
            self.folder(parent)
        self._header(path, mode, len(data), device)
        self._handle.write(data + b"\0" * (-len(data) % 4))

    def folder(self, path):
        """Add a folder unless it is there."""
        path = path.strip("/")
        if path not in self._known:
            self._entry(path, stat.S_IFDIR | 0o755)
            self._known.add(path)

    def file(self, path, data, mode=0o644):
        """Add a file with these bytes."""
        self._entry(path, stat.S_IFREG | mode, data)

    def link(self, path, target):
        """Add a symbolic link."""
        self._entry(path, stat.S_IFLNK | 0o777, target.encode())

    def node(self, path, major, minor):
        """Add a character device."""
        self._entry(path, stat.S_IFCHR | 0o600, device=(major, minor))

    def copy(self, source, path):
        """Add a file or a folder of the host, links followed."""
        source = pathlib.Path(source)
        if source.is_dir():
            self.folder(path)
            for child in sorted(source.iterdir()):
                self.copy(child, f"{path}/{child.name}")
        elif source.is_file():
            mode = stat.S_IMODE(source.stat().st_mode)
            self.file(path, source.read_bytes(), mode)
        else:
            raise bad_argument(f"'{source}': no such file or folder")

    def close(self):
        """End the archive; the kernel wants it padded to four bytes."""
        self._header("TRAILER!!!", 0)
