"""Reading the surface: from a live workspace to the list of what an arm gets.

Invariant: the workspace is only read. Every entry stands inside the arm, every link of an arm leads to another place
of the same arm, and whatever is not taken is listed with its reason.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from measure.errors import WorkspaceError
from measure.surface.elsewhere import loaded_elsewhere, shown
from measure.surface.includes import find_included
from measure.surface.memory import follow_imports
from measure.surface.model import LeftOut, LoadedElsewhere, Origin, Surface
from measure.surface.names import ROOTS, SETTINGS
from measure.surface.resolve import resolve
from measure.surface.settings import rewrite_settings
from measure.surface.walk import Walk, folder_entry


def read_surface(workspace: Path, include: Sequence[str] = (), *, exclude: Iterable[Path] = ()) -> Surface:
    """Read what an agent loads from `workspace`, plus what the `include` patterns name.

    `exclude` holds the harness's own files and folders (probe files, the folder of records): none of them enters an
    arm. `CLAUDE.md` files in sub-folders, which the client loads only when it reads a file there, are not part of the
    surface unless included.

    Raises `WorkspaceError` when the workspace can't be read or cloned as it stands.
    """
    root = _checked_workspace(workspace)
    walk = Walk(root, frozenset(os.path.realpath(path) for path in exclude))
    for name in ROOTS:
        if os.path.lexists(root / name):
            walk.reach(name, Origin.ENTRY)
    for pattern in include:
        _take_included(walk, pattern)
    follow_imports(walk)
    removed = _rewrite_settings(walk)
    _add_parents(walk)
    elsewhere = loaded_elsewhere(root)
    return Surface(
        workspace=root,
        entries=tuple(sorted(walk.entries.values(), key=lambda entry: entry.path.split("/"))),
        left_out=tuple(LeftOut(path, why) for path, why in sorted(walk.left_out.items())),
        notices=(*walk.notices, *_notices(walk, elsewhere)),
        settings_removed=removed,
        elsewhere=elsewhere,
    )


def _checked_workspace(workspace: Path) -> Path:
    root = Path(os.path.realpath(workspace))
    if not root.exists():
        raise WorkspaceError(f"The workspace {workspace} does not exist.")
    if not root.is_dir():
        raise WorkspaceError(f"The workspace {workspace} is not a folder.")
    if root == root.parent:
        raise WorkspaceError(
            f"The workspace {workspace} is the root of a file system; agents treat that place unlike any other.",
            hint="Name the project's own folder.",
        )
    if not os.access(root, os.R_OK | os.X_OK):
        raise WorkspaceError(f"The workspace {workspace} can't be read.", hint="Make the folder readable.")
    return root


def _take_included(walk: Walk, pattern: str) -> None:
    before = walk.taken
    for path in find_included(walk.root, pattern):
        walk.reach(path, Origin.INCLUDE)
    if walk.taken == before:
        raise WorkspaceError(
            f"--include {pattern!r}: everything it names is kept out of the arms.",
            hint="Version control, hooks, servers, personal state and the harness's own files never enter an arm.",
        )


def _rewrite_settings(walk: Walk) -> tuple[str, ...]:
    removed: list[str] = []
    for folder in sorted(walk.claude_folders):
        entry = resolve(walk.entries, f"{folder}/{SETTINGS}")
        if entry is None or entry.source is None or entry.content is not None:
            continue
        data = entry.source.read_bytes()
        rewritten = rewrite_settings(data, entry.path)
        if rewritten.removed:
            removed += (f"{entry.path}: {key}" for key in rewritten.removed)
            walk.entries[entry.path] = replace(
                entry,
                content=rewritten.data,
                size=len(rewritten.data),
                digest=hashlib.sha256(rewritten.data).hexdigest(),
                source_digest=hashlib.sha256(data).hexdigest(),
            )
    return tuple(removed)


def _add_parents(walk: Walk) -> None:
    for path in list(walk.entries):
        parent = path.rpartition("/")[0]
        while parent and parent not in walk.entries:
            walk.entries[parent] = folder_entry(parent, os.lstat(walk.root / parent), Origin.LINKED)
            parent = parent.rpartition("/")[0]


def _notices(walk: Walk, elsewhere: tuple[LoadedElsewhere, ...]) -> Iterator[str]:
    for found in elsewhere:
        loads = "loads in the arms too" if found.in_arms else "loads in real use but not in the arms"
        yield f"{shown(found.path)} ({found.who}) {loads}."
    if (walk.root / ".git").is_file():
        yield "The workspace is a linked checkout; the client may load other files above it than usual."
    for child in sorted(walk.root.iterdir()):
        if child.name.lower() == "claude.md" and child.name != "CLAUDE.md":
            yield f"{child.name} is not read by the client: the name has to be CLAUDE.md exactly."
