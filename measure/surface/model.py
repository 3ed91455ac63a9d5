"""What an agent loads from a workspace, as a plain value.

Invariant: a `Surface` says everything an arm needs and nothing an arm must not have; it holds no open file, and
every path in it is relative to the workspace except the places bytes are copied from.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from pathlib import Path


class Kind(StrEnum):
    """What an entry is in the arm."""

    FILE = "file"
    LINK = "link"
    DIRECTORY = "directory"


class Origin(StrEnum):
    """Why an entry is part of the surface."""

    ENTRY = "entry"
    """The client reads it by its name: the CLAUDE.md family, AGENTS.md, `.claude/`."""
    IMPORT = "import"
    """A file of the surface imports it with `@path`."""
    INCLUDE = "include"
    """The user asked for it."""
    LINKED = "linked"
    """A link of the surface leads to it."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One file, link or directory of an arm."""

    path: str
    """Where it stands in the arm: relative, with `/`."""
    kind: Kind
    mode: int
    """Permission bits (0 for links)."""
    size: int
    """Bytes in the arm (0 for directories)."""
    digest: str
    """SHA-256 in hex of the bytes in the arm; of the target's bytes for a link; empty for a directory."""
    origin: Origin
    source: Path | None = field(default=None, compare=False)
    """The absolute file the bytes are copied from; None where there is nothing to copy."""
    target: str | None = None
    """Where a link leads: always relative, never out of the arm."""
    content: bytes | None = field(default=None, repr=False)
    """The bytes themselves where the arm gets other ones than the workspace has (settings)."""
    source_digest: str | None = None
    """SHA-256 of the workspace's own bytes where `content` replaces them."""
    mtime_ns: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Something of the workspace that no arm gets, and why."""

    path: str
    why: str


@dataclass(frozen=True, slots=True)
class LoadedElsewhere:
    """An instruction file that is not part of the workspace.

    `in_arms` says whether the client would load it in the arms as well (an administrator's file does).
    """

    path: Path
    who: str
    in_arms: bool = False


@dataclass(frozen=True)
class Surface:
    """Everything that goes into an arm, sorted by path, with what was left out and what is worth telling."""

    workspace: Path
    """The live folder, resolved."""
    entries: tuple[Entry, ...]
    left_out: tuple[LeftOut, ...] = ()
    notices: tuple[str, ...] = ()
    settings_removed: tuple[str, ...] = ()
    """Names (never values) of settings taken out of both arms, as `file: key`."""
    elsewhere: tuple[LoadedElsewhere, ...] = ()

    @cached_property
    def by_path(self) -> Mapping[str, Entry]:
        """The entries by their path in the arm."""
        return {entry.path: entry for entry in self.entries}

    @cached_property
    def digest(self) -> str:
        """SHA-256 in hex over every entry: path, kind, mode, bytes, target and replaced bytes.

        Two readings of an unchanged workspace have the same digest; any change to what an arm gets changes it.
        """
        whole = hashlib.sha256()
        for entry in self.entries:
            fields = (
                entry.path,
                entry.kind,
                oct(entry.mode),
                entry.digest,
                entry.target or "",
                entry.source_digest or "",
            )
            for value in fields:
                data = value.encode("utf-8", "surrogateescape")
                whole.update(len(data).to_bytes(8, "big") + data)
        return whole.hexdigest()
