"""Removing a tree that agents have written in.

Invariant: no link is followed, nothing mounted is entered, and no depth, mode or name keeps a tree from being
removed. A folder below the top is entered only after it was moved to a fresh name, which a mount point can't be.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from pathlib import Path
from typing import Final

from measure.arena.names import fresh_name

LIMIT_S: Final = 60.0
"""Somebody may still be writing in the tree: removal ends after this time, with a warning."""


def remove_tree(top: Path, *, limit_s: float = LIMIT_S) -> tuple[str, ...]:
    """Remove `top` and all below it. Returns a warning for each thing that is still there; a missing tree is none."""
    try:
        status = os.lstat(top)
        if not stat.S_ISDIR(status.st_mode):
            top.unlink()
            return ()
        if os.path.ismount(top):
            return (f"Not removed: {top} (something is mounted there).",)
        if status.st_mode & stat.S_IRWXU != stat.S_IRWXU:
            top.chmod(0o700)
        folder = os.open(top, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            left = _empty(folder, time.monotonic() + limit_s)
        finally:
            os.close(folder)
        if not left:
            top.rmdir()
    except FileNotFoundError:
        return ()
    except OSError as error:
        return (f"Not removed: {top} ({error.strerror}).",)
    return tuple(f"Not removed: {top / name} ({why})." for name, why in sorted(left.items()))


def _empty(folder: int, until: float) -> dict[str, str]:
    """Remove all that is in an open folder; sub-folders of sub-folders are lifted up first, so no tree is too deep.

    Returns what is left, by name, with the reason.
    """
    left: dict[str, str] = {}
    while names := [name for name in os.listdir(folder) if name not in left]:
        for name in names:
            left |= _remove(name, folder)
        if time.monotonic() > until:
            return left | dict.fromkeys(names[:1], "something still writes there")
    return left


def _remove(name: str, folder: int) -> dict[str, str]:
    """Remove one entry; of a folder, remove its files, lift its folders up beside it, and then remove it."""
    try:
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if not stat.S_ISDIR(status.st_mode):
            os.unlink(name, dir_fd=folder)
            return {}
        moved = fresh_name()
        _move(name, folder, moved, folder, status.st_mode)
    except FileNotFoundError:
        return {}
    except OSError as error:
        return {name: error.strerror or str(error)}
    try:
        inner = os.open(moved, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
        try:
            why = _empty_into(inner, folder)
        finally:
            os.close(inner)
        if why is None:
            os.rmdir(moved, dir_fd=folder)
    except OSError as error:
        # Written in meanwhile: the next round sees it again. Anything else stays.
        why = None if error.errno in (errno.ENOTEMPTY, errno.EEXIST) else error.strerror
    return {} if why is None else {moved: why}


def _empty_into(inner: int, folder: int) -> str | None:
    """Remove the files of an open folder and move its folders beside it. Returns why something stayed."""
    why = None
    for child in os.listdir(inner):
        try:
            status = os.stat(child, dir_fd=inner, follow_symlinks=False)
            if stat.S_ISDIR(status.st_mode):
                _move(child, inner, fresh_name(), folder, status.st_mode)
            else:
                os.unlink(child, dir_fd=inner)
        except FileNotFoundError:
            continue
        except OSError as error:
            why = f"{child}: {error.strerror}"
    return why


def _move(name: str, source: int, moved: str, folder: int, mode: int) -> None:
    """Move a folder; one without full rights for its owner can neither be moved nor gone through, so it gets them."""
    if mode & stat.S_IRWXU != stat.S_IRWXU:
        os.chmod(name, 0o700, dir_fd=source)
    os.rename(name, moved, src_dir_fd=source, dst_dir_fd=folder)
