"""Proof, on the disk, that the two arms are what they should be.

Invariant: an arm that passes holds every entry of the surface with its kind, mode, bytes and link target, and nothing
else; the variant differs from the baseline in one file, by exactly the bytes of the contrast.
"""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path

from measure.contrast import Contrast
from measure.errors import WorkspaceError
from measure.surface.model import Entry, Kind, Surface


def verify_arm(top: Path, surface: Surface, contrast: Contrast | None = None) -> tuple[str, ...]:
    """Check one arm against the surface, with the contrast applied where one is given.

    Returns the order in which folders list their content, which the client's prompt depends on and which two arms
    must share. Raises `WorkspaceError` naming the first thing that is not as it should be.
    """
    wanted = dict(surface.by_path)
    order: list[str] = []
    waiting = [""]
    while waiting:
        folder = waiting.pop()
        with os.scandir(top / folder) as listing:
            for found in listing:
                path = f"{folder}/{found.name}" if folder else found.name
                order.append(path)
                entry = wanted.pop(path, None)
                if entry is None:
                    raise _wrong(path, "nothing", "something")
                _check(found, entry, contrast)
                if entry.kind is Kind.DIRECTORY:
                    waiting.append(path)
    if wanted:
        missing = next(iter(wanted.values()))
        raise _wrong(missing.path, f"a {missing.kind}", "nothing")
    return tuple(order)


def verify_contrast(baseline: Path, variant: Path, contrast: Contrast) -> None:
    """Check the one differing file byte for byte. Raises `WorkspaceError`."""
    before = (baseline / contrast.path).read_bytes()
    after = (variant / contrast.path).read_bytes()
    head, tail = before[: contrast.start], before[contrast.end :]
    if before == after or before[contrast.start : contrast.end] != contrast.before:
        raise _wrong(contrast.path, "the line of the contrast in the baseline only", "something else")
    if after != head + contrast.after + tail:
        raise _wrong(contrast.path, "one exchanged range of bytes", "another difference")


def _check(found: os.DirEntry[str], entry: Entry, contrast: Contrast | None) -> None:
    status = found.stat(follow_symlinks=False)
    kind = _kind_of(status.st_mode)
    if kind is not entry.kind:
        raise _wrong(entry.path, f"a {entry.kind}", f"a {kind}")
    if kind is Kind.LINK:
        target = Path(found.path).readlink()
        if os.fspath(target) != entry.target:
            raise _wrong(entry.path, f"a link to {entry.target}", f"a link to {target}")
        return
    if stat.S_IMODE(status.st_mode) != entry.mode:
        raise _wrong(entry.path, f"mode {entry.mode:03o}", f"mode {stat.S_IMODE(status.st_mode):03o}")
    if kind is not Kind.FILE:
        return
    if status.st_nlink != 1:
        raise _wrong(entry.path, "a file of its own", "one with several names")
    edited = contrast is not None and contrast.path == entry.path
    digest = contrast.digest_after if contrast is not None and edited else entry.digest
    if _digest(found.path) != digest:
        raise _wrong(entry.path, "the workspace's bytes" if not edited else "the edited bytes", "others")


def _kind_of(mode: int) -> Kind | None:
    if stat.S_ISREG(mode):
        return Kind.FILE
    if stat.S_ISLNK(mode):
        return Kind.LINK
    return Kind.DIRECTORY if stat.S_ISDIR(mode) else None


def _digest(path: str) -> str:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        whole = hashlib.sha256()
        while block := os.read(descriptor, 1 << 18):
            whole.update(block)
        return whole.hexdigest()
    finally:
        os.close(descriptor)


def _wrong(path: str, wanted: str, found: str) -> WorkspaceError:
    return WorkspaceError(
        f"The arms are not what they should be: at {path} wanted {wanted}, found {found}.",
        hint="Was the workspace edited meanwhile? Start again when it is at rest.",
    )
