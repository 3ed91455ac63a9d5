"""Making an arm: the entries of a surface as files of their own.

Invariant: an arm shares no bytes with what it was made from (no hard link, no link out), and two arms made of the
same entries list their folders in the same order, because entries are always made in the same order.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from measure.surface.model import Entry, Kind

_NO_SPACE: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_NOT_HERE: Final = (errno.EXDEV, errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP, errno.EBADF, errno.EPERM)
_FICLONE: Final = 0x40049409
"""ioctl(2) request number of FICLONE on Linux."""

_SMALL: Final = 128 * 1024
"""Below this one read and one write are faster than asking the file system for anything clever."""


class Copier:
    """Copies bytes of one file into a new one, in the cheapest way that this file system was seen to allow."""

    def __init__(self) -> None:
        self._can_reflink = hasattr(os, "copy_file_range")
        self._can_range = hasattr(os, "copy_file_range")

    def copy(self, source: int, target: int, size: int) -> None:
        """Copy everything; shared extents first, then a copy inside the kernel, then through memory piece by piece."""
        if size <= _SMALL or not (self._reflink(source, target) or self._copy_range(source, target)):
            _copy_through_memory(source, target)

    def _reflink(self, source: int, target: int) -> bool:
        if not self._can_reflink:
            return False
        import fcntl

        try:
            fcntl.ioctl(target, _FICLONE, source)
        except OSError as error:
            if error.errno in _NO_SPACE:
                raise
            self._can_reflink = False
            return False
        return True

    def _copy_range(self, source: int, target: int) -> bool:
        if not self._can_range:
            return False
        copied = 0
        try:
            while count := os.copy_file_range(source, target, 1 << 30):
                copied += count
        except OSError as error:
            if copied or error.errno not in _NOT_HERE:
                raise
            self._can_range = False
            return False
        return copied > 0


def _copy_through_memory(source: int, target: int) -> None:
    while block := os.read(source, 1 << 20):
        write_all(target, block)


def write_all(descriptor: int, data: bytes) -> None:
    """Write every byte; a short write is no error but the first half of one."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def make_arm(
    top: Path,
    entries: Sequence[Entry],
    copier: Copier,
    *,
    sources: Path | None = None,
    instead: Mapping[str, bytes] | None = None,
) -> None:
    """Make the folder `top` hold exactly `entries`, which are sorted so that folders precede what they hold.

    `sources`: an arm to copy from; without it bytes come from the workspace. `instead`: bytes of single files that
    come from neither. Raises `OSError`, with the half-made arm left for the caller to remove.
    """
    top.mkdir(mode=0o700)
    folder = os.open(top, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    locked: list[Entry] = []
    try:
        for entry in entries:
            if entry.kind is Kind.DIRECTORY:
                os.mkdir(entry.path, 0o700, dir_fd=folder)
                if entry.mode != 0o700:
                    locked.append(entry)
            elif entry.kind is Kind.LINK:
                assert entry.target is not None
                os.symlink(entry.target, entry.path, dir_fd=folder)
            else:
                _make_file(entry, folder, copier, sources, instead)
        for entry in reversed(locked):
            os.chmod(entry.path, entry.mode, dir_fd=folder)
    finally:
        os.close(folder)


def _make_file(
    entry: Entry, folder: int, copier: Copier, sources: Path | None, instead: Mapping[str, bytes] | None
) -> None:
    target = os.open(
        entry.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, entry.mode, dir_fd=folder
    )
    try:
        data = None if instead is None else instead.get(entry.path)
        if data is None and sources is None:
            data = entry.content
        if data is not None:
            write_all(target, data)
        else:
            place = entry.source if sources is None else sources / entry.path
            assert place is not None
            source = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
            try:
                copier.copy(source, target, entry.size)
            finally:
                os.close(source)
        # The umask may have taken bits away. Asking is cheap; setting an inode that is right already is not.
        if os.fstat(target).st_mode & 0o777 != entry.mode:
            os.fchmod(target, entry.mode)
        # Both arms, and every copy of them, tell the same times: those of the workspace.
        os.utime(target, ns=(entry.mtime_ns, entry.mtime_ns))
    finally:
        with contextlib.suppress(OSError):
            os.close(target)
