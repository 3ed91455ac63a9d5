"""Walking a workspace: which file, folder or link becomes which entry of an arm.

Invariant: folders are never entered through a link. A link either leads to another place of the arm, or its content
is put in its place, or it is left out; so no walk runs in circles and no arm leads back to the original.
"""

from __future__ import annotations

import hashlib
import os
import posixpath
import stat
import tomllib
from collections import deque
from pathlib import Path
from typing import Final

from measure.errors import WorkspaceError
from measure.surface.model import Entry, Kind, Origin
from measure.surface.names import why_never
from measure.surface.notices import LARGEST_LOADED, look_at

MAX_FILE_BYTES: Final = 64 * 1024 * 1024
"""A bigger file is left out: no client loads one, and copying it for every trial would cost more than the trial."""

MAX_ENTRIES: Final = 50_000
MAX_TOTAL_BYTES: Final = 1 << 30

_RECORDS: Final = "the record of an earlier run"


class Walk:
    """Collects entries of one workspace; holds no open file between calls."""

    def __init__(self, root: Path, excluded: frozenset[str]) -> None:
        self.root = root
        self.entries: dict[str, Entry] = {}
        self.left_out: dict[str, str] = {}
        self.notices: list[str] = []
        self.claude_folders: set[str] = set()
        """Places in the arm that are a `.claude` folder, by name or because a link of that name leads there."""
        self.taken = 0
        """How often something that may be in an arm was asked for, again or for the first time."""
        self._excluded = excluded
        self._pending: deque[str] = deque()
        self._materialised: dict[Path, str] = {}
        self._entered: list[Path] = []
        """Outside folders whose content is being taken at the moment."""
        self._total_bytes = 0

    def reach(self, path: str, origin: Origin) -> None:
        """Take what stands at `path`, every link passed on the way, and all that links lead to."""
        self._reach(path, origin)
        while self._pending:
            waiting = self._pending.popleft()
            if waiting not in self.entries:
                self._reach(waiting, Origin.LINKED)

    def inside(self, path: Path) -> str | None:
        """The path relative to the workspace, "" for the workspace itself, None for anything outside."""
        if path == self.root:
            return ""
        return path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else None

    def _reach(self, path: str, origin: Origin) -> None:
        parts = path.split("/")
        for count in range(1, len(parts)):
            step = "/".join(parts[:count])
            if step in self.left_out:
                return
            if (why := self._why_never(step, self.root / step)) is not None:
                self.left_out[step] = why
                return
            if _is_record(self.root / step):
                self._leave_out(step, _RECORDS)
                return
            if (self.root / step).is_symlink():
                self._take(step, self.root / step, origin)
                inside = self.inside(Path(os.path.realpath(self.root / step)))
                if inside is not None:
                    self._reach("/".join((inside, *parts[count:])), origin)
                return
        self._take(path, self.root / path, origin)

    def _take(self, path: str, real: Path, origin: Origin) -> None:
        """Take the object at `real` into the arm at `path`; a folder with all it holds."""
        if path in self.entries:
            self.taken += 1
            return
        if (why := self._why_never(path, real)) is not None:
            self.left_out[path] = why
            return
        try:
            status = os.lstat(real)
            if stat.S_ISDIR(status.st_mode):
                self._take_folder(path, real, status, origin)
            elif stat.S_ISLNK(status.st_mode):
                self._take_link(path, real)
            elif stat.S_ISREG(status.st_mode):
                self._take_file(path, real, status, origin)
            else:
                self._leave_out(path, "neither a file, a folder nor a link")
        except OSError as error:
            raise WorkspaceError(
                f"{path} is part of what the agent loads but can't be read: {error.strerror or error}.",
                hint="Make it readable; arms without it would not be the workspace as it stands.",
            ) from None

    def _take_folder(self, path: str, real: Path, status: os.stat_result, origin: Origin) -> None:
        if _is_record(real):
            self._leave_out(path, _RECORDS)
            return
        if posixpath.basename(path) == ".claude":
            self.claude_folders.add(path)
        self._add(folder_entry(path, status, origin))
        for child in sorted(real.iterdir()):
            self._take(f"{path}/{child.name}", child, origin)

    def _take_file(self, path: str, real: Path, status: os.stat_result, origin: Origin) -> None:
        if status.st_size > MAX_FILE_BYTES:
            self._leave_out(path, f"larger than {MAX_FILE_BYTES >> 20} MiB")
            return
        size, digest, head = _digest_file(real, status.st_size)
        if real.suffix == ".toml" and _is_probe(head):
            self._leave_out(path, "a probe file")
            return
        mode = stat.S_IMODE(status.st_mode) & 0o777
        entry = Entry(path, Kind.FILE, mode, size, digest, origin, source=real, mtime_ns=status.st_mtime_ns)
        self._add(entry)
        self.notices += look_at(path, head, size)

    def _take_link(self, path: str, real: Path) -> None:
        written = str(real.readlink())
        try:
            target = Path(os.path.realpath(real, strict=True))
        except OSError:
            self._take_dangling_link(path, real, written)
            return
        inside = self.inside(target)
        if inside is None:
            self._materialise(path, target)
        elif (why := self._why_never_on_the_way(inside)) is not None:
            self._leave_out(path, f"leads to {inside}: {why}")
        else:
            self._add_link(path, inside, self._as_written(path, real, written, inside))
            if posixpath.basename(path) == ".claude":
                self.claude_folders.add(inside)
            if inside:
                self._pending.append(inside)
            else:
                self.notices.append(f"{path} leads to the workspace itself: kept as a link, not followed.")

    def _take_dangling_link(self, path: str, real: Path, written: str) -> None:
        aimed = self.inside(Path(os.path.normpath(real.parent / written)))
        if aimed is None or self.inside(real) is None:
            self._leave_out(path, "a link that leads nowhere, outside the workspace")
            return
        self._add_link(path, aimed, self._as_written(path, real, written, aimed))
        self.notices.append(f"{path} is a link that leads nowhere; kept as it is.")

    def _materialise(self, path: str, target: Path) -> None:
        """Put the content of an outside target at the link's place; once for every target."""
        for outside, placed in self._materialised.items():
            if target.is_relative_to(outside):
                rest = target.relative_to(outside).as_posix()
                self._add_link(path, posixpath.normpath(posixpath.join(placed, rest)), None)
                return
        if any(held.is_relative_to(target) for held in (self.root, *self._entered)):
            self._leave_out(path, "a link that leads to a folder around the workspace or around itself")
            return
        self._materialised[target] = path
        self._entered.append(target)
        self._take(path, target, Origin.LINKED)
        self._entered.pop()

    def _as_written(self, path: str, real: Path, written: str, aimed: str) -> str | None:
        """The link's own words, if they mean the same place in an arm as in the workspace."""
        if real != self.root / path:
            return None
        meant = posixpath.normpath(posixpath.join(posixpath.dirname(path), written))
        return written if meant == (aimed or ".") else None

    def _add_link(self, path: str, aimed: str, written: str | None) -> None:
        target = written or posixpath.relpath(aimed or ".", posixpath.dirname(path) or ".")
        data = os.fsencode(target)
        digest = hashlib.sha256(data).hexdigest()
        self._add(Entry(path, Kind.LINK, 0, len(data), digest, Origin.LINKED, target=target))

    def _add(self, entry: Entry) -> None:
        self.taken += 1
        self.entries[entry.path] = entry
        self._total_bytes += entry.size
        if len(self.entries) > MAX_ENTRIES or self._total_bytes > MAX_TOTAL_BYTES:
            raise WorkspaceError(
                f"The surface grew beyond {MAX_ENTRIES} entries or {MAX_TOTAL_BYTES >> 20} MiB at {entry.path}.",
                hint="A link or an --include pattern brings in more than an agent loads; narrow it.",
            )

    def _leave_out(self, path: str, why: str) -> None:
        self.left_out[path] = why
        self.notices.append(f"{path} is in neither arm: {why}.")

    def _why_never(self, path: str, real: Path) -> str | None:
        folder, name = posixpath.split(path)
        in_claude = folder in self.claude_folders or posixpath.basename(folder) == ".claude"
        if (why := why_never(name, in_claude_folder=in_claude)) is not None:
            return why
        if self._excluded and any(str(real) == own or str(real).startswith(own + os.sep) for own in self._excluded):
            return "the harness's own files"
        return None

    def _why_never_on_the_way(self, path: str) -> str | None:
        parts = path.split("/")
        steps = ("/".join(parts[: count + 1]) for count in range(len(parts)))
        return next((why for step in steps if (why := self._why_never(step, self.root / step)) is not None), None)


def folder_entry(path: str, status: os.stat_result, origin: Origin) -> Entry:
    """A folder of the arm with the mode it has in the workspace."""
    mode = stat.S_IMODE(status.st_mode) & 0o777
    return Entry(path, Kind.DIRECTORY, mode, 0, "", origin, mtime_ns=status.st_mtime_ns)


def _digest_file(real: Path, expected: int) -> tuple[int, str, bytes]:
    """Size, SHA-256 and as many first bytes as a client would load; never waits for the other end of a pipe."""
    descriptor = os.open(real, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        head = os.read(descriptor, min(expected, LARGEST_LOADED) + 1)
        whole, size = hashlib.sha256(head), len(head)
        while block := os.read(descriptor, 1 << 20):
            whole.update(block)
            size += len(block)
        return size, whole.hexdigest(), head
    finally:
        os.close(descriptor)


def _is_record(folder: Path) -> bool:
    return (folder / "trials.jsonl").exists()


def _is_probe(head: bytes) -> bool:
    try:
        return tomllib.loads(head.decode("utf-8", "replace")).keys() >= {"schema", "axis", "claim", "prompt"}
    except tomllib.TOMLDecodeError:
        return False
