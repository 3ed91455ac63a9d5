"""A hint to the file system: the folders made in here have nothing to do with each other.

Invariant: a hint only; where it is not understood nothing changes, and no file's content or mode ever does.

ext4 puts a new folder near its parent, and without a journal it steps over every inode that was deleted near by in
the last seconds, one at a time: where copies come and go quickly, a file takes thirty times as long to make. The flag
(FS_TOPDIR_FL, `chattr +T`) places each folder in a block group of its own (Orlov's allocator).
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import struct
from pathlib import Path
from typing import Final

_GET_FLAGS: Final = 0x80086601
_SET_FLAGS: Final = 0x40086602
_TOPDIR: Final = 0x00020000


def spread_folders(top: Path) -> None:
    """Ask that folders made directly in `top` be placed apart from each other."""
    if not hasattr(os, "copy_file_range") or struct.calcsize("l") != 8:
        return  # the numbers above are those of 64-bit Linux
    with contextlib.suppress(OSError):
        descriptor = os.open(top, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            (flags,) = struct.unpack("l", fcntl.ioctl(descriptor, _GET_FLAGS, bytes(8)))
            fcntl.ioctl(descriptor, _SET_FLAGS, struct.pack("l", flags | _TOPDIR))
        finally:
            os.close(descriptor)
