"""Does the firing condition hold for a change?

Invariant: counted as a line diff without detection of renames over the governed paths, so text that leaves them is
deleted; more deleted than added fires, in lines or in bytes, without margin and without anybody's own word for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from measure.errors import RequestError
from measure.gate.git import GITLINK, REGULAR, Entry, Hunk, Repository, Revision, is_binary, lines_of, open_repository
from measure.record.models import Amount, Change

GOVERNED = ("rules/**", "skills/**", "adapter/**")
"""The governed text of a rule repository; a project's own may be `CLAUDE.md` and `.claude/**`."""


@dataclass(frozen=True, slots=True)
class Replacement:
    """Lines of one file that went, and the lines that came in their place, with their line ends."""

    old_first: int
    """Number of the first line that went, from 1; where none went, of the line before."""
    old: tuple[bytes, ...]
    new_first: int
    """Number of the first line that came; where none came, of the line before, 0 at the top."""
    new: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Changed:
    """One governed file of a change. `note` says what of it is not counted; None where all of it is."""

    path: str
    text: bool
    """A file (not a link or a submodule) whose content is counted."""
    gone: bool
    """It does not exist any more."""
    replacements: tuple[Replacement, ...]
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Firing:
    """A change over the governed paths: its figures, and the lines behind them."""

    change: Change
    files: tuple[Changed, ...]
    notes: tuple[str, ...]
    root: Path
    """The folder that paths are relative to."""


def evaluate(
    base: str, head: str = "HEAD", *, governed: Sequence[str] = (), workspace: Path | None = None, parted: bool = False
) -> Firing:
    """The firing condition for the change from `base` to `head`.

    `governed` are patterns as git's `:(glob)` reads them, relative to `workspace` (default: the top of the repository
    that the current folder belongs to). `parted`: count from where the two histories parted, as a pull request does.
    Raises `RequestError` for what is no repository, revision or pattern.
    """
    repository = open_repository(workspace or Path())
    if workspace is None and repository.top is not None:
        repository = open_repository(repository.top)
    patterns = tuple(governed) or GOVERNED
    if any(not pattern.strip() for pattern in patterns):
        raise RequestError("a governed path is empty.", hint="Give a pattern such as rules/** or CLAUDE.md.")
    start, end = repository.resolve(base), repository.resolve(head)
    notes = []
    if parted:
        start = repository.merge_base(start, end)
    elif not repository.is_ancestor(start, end):
        notes.append(
            f"{base} is not part of the history of {head}: what was added to {base} meanwhile counts as deleted. "
            "--merge-base counts from where they parted."
        )
    files = _read(repository, start, end, patterns)
    if not files and not repository.holds(end, patterns):
        notes.append(
            f"Nothing in {head} is governed by {' '.join(patterns)}. If the instructions stand elsewhere, name their "
            "paths: --governed CLAUDE.md --governed '.claude/**'."
        )
    notes += [f"{one.path}: {one.note}" for one in files if one.note]
    old = [line for one in files for part in one.replacements for line in part.old]
    new = [line for one in files for part in one.replacements for line in part.new]
    lines = Amount(added=len(new), deleted=len(old))
    size = Amount(added=sum(map(len, new)), deleted=sum(map(len, old)))
    by: list[Literal["lines", "bytes"]] = []
    if lines.deleted > lines.added:
        by.append("lines")
    if size.deleted > size.added:
        by.append("bytes")
    change = Change(
        base=start.commit,
        head=end.commit,
        governed=patterns,
        fired=bool(by),
        by=tuple(by),
        lines=lines,
        bytes=size,
        paths=tuple(one.path for one in files),
    )
    return Firing(change, files, tuple(notes), repository.top or repository.folder.absolute())


def _read(repository: Repository, start: Revision, end: Revision, patterns: Sequence[str]) -> tuple[Changed, ...]:
    entries = repository.changed(start, end, patterns)
    if not entries:
        return ()
    both = any(not entry.added and not entry.deleted for entry in entries)
    hunks = repository.hunks(start, end, patterns) if both else {}
    wanted = [one for entry in entries for one in _blobs(entry)]
    contents = repository.contents(wanted)
    return tuple(_file(repository, entry, hunks.get((entry.old, entry.new)), contents) for entry in entries)


def _blobs(entry: Entry) -> list[str]:
    sides = ((entry.old_mode, entry.old, entry.added), (entry.new_mode, entry.new, entry.deleted))
    return [one for mode, one, absent in sides if not absent and mode != GITLINK]


def _file(repository: Repository, entry: Entry, hunks: tuple[Hunk, ...] | None, contents: dict[str, bytes]) -> Changed:
    path = entry.path.decode("utf-8", "backslashreplace")
    old = b"" if entry.added else _content(entry.old_mode, entry.old, contents)
    new = b"" if entry.deleted else _content(entry.new_mode, entry.new, contents)
    if is_binary(old) or is_binary(new):
        return Changed(path, False, entry.deleted, (), "binary; it has no lines to count")
    submodule = GITLINK in (entry.old_mode, entry.new_mode)
    note = "a submodule; the one line that names its commit is counted, the text in it is not" if submodule else None
    plain = all(mode in REGULAR for mode, absent in _modes(entry) if not absent)
    return Changed(path, plain, entry.deleted, _replacements(repository, entry, hunks, old, new), note)


def _modes(entry: Entry) -> tuple[tuple[bytes, bool], tuple[bytes, bool]]:
    return (entry.old_mode, entry.added), (entry.new_mode, entry.deleted)


def _content(mode: bytes, one: str, contents: dict[str, bytes]) -> bytes:
    return f"Subproject commit {one}\n".encode() if mode == GITLINK else contents[one]


def _replacements(
    repository: Repository, entry: Entry, hunks: tuple[Hunk, ...] | None, old: bytes, new: bytes
) -> tuple[Replacement, ...]:
    before, after = lines_of(old), lines_of(new)
    if old == new:
        return ()
    if not before or not after or GITLINK in (entry.old_mode, entry.new_mode):
        return (Replacement(min(1, len(before)), tuple(before), min(1, len(after)), tuple(after)),)
    if hunks is None or entry.old_mode[:2] != entry.new_mode[:2]:
        hunks = repository.hunks_between(entry.old, entry.new)
    return tuple(
        Replacement(
            hunk.old_first,
            tuple(before[hunk.old_first - 1 : hunk.old_first - 1 + hunk.old_count]) if hunk.old_count else (),
            hunk.new_first,
            tuple(after[hunk.new_first - 1 : hunk.new_first - 1 + hunk.new_count]) if hunk.new_count else (),
        )
        for hunk in hunks
    )
