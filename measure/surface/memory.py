"""Following `@path` imports from memory files through the workspace.

Invariant: an import that leaves the workspace is never read; it is told, since it is in neither arm.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from measure.surface.elsewhere import shown
from measure.surface.imports import MAX_HOPS, Import, find_imports
from measure.surface.model import Origin
from measure.surface.notices import LARGEST_LOADED
from measure.surface.resolve import resolve
from measure.surface.walk import Walk

_NOT_TEXT: Final = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".pdf", ".zip", ".gz")


def follow_imports(walk: Walk) -> None:
    """Take what the CLAUDE.md family, AGENTS.md and rules import, up to four hops away."""
    waiting = deque((path, 0) for path in sorted(walk.entries) if _is_memory(path))
    seen = {path for path, _ in waiting}
    while waiting:
        path, hops = waiting.popleft()
        if hops == MAX_HOPS:
            continue
        for imported in _imports_of(walk, path):
            if imported not in seen:
                seen.add(imported)
                walk.reach(imported, Origin.IMPORT)
                waiting.append((imported, hops + 1))


def _is_memory(path: str) -> bool:
    return path in {"CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", ".claude/CLAUDE.md"} or (
        path.startswith(".claude/rules/") and path.endswith(".md")
    )


def _imports_of(walk: Walk, path: str) -> Iterator[str]:
    entry = resolve(walk.entries, path)
    if entry is None or entry.source is None or entry.size > LARGEST_LOADED:
        return
    text = entry.source.read_bytes().decode("utf-8", "replace")
    for found in find_imports(text):
        # A linked memory file is known by two folders; which one counts has changed between clients, so both do.
        for folder in dict.fromkeys(((walk.root / path).parent, entry.source.parent)):
            imported = _target(walk, path, found, folder)
            if imported is not None:
                yield imported
                break


def _target(walk: Walk, path: str, found: Import, folder: Path) -> str | None:
    if found.path.startswith("~/"):
        _tell(walk, path, found)
        return None
    aimed = Path(os.path.normpath(folder / found.path))
    inside = walk.inside(aimed)
    if inside is None:
        if "/" in found.path:
            _tell(walk, path, found)
        return None
    try:
        real = Path(os.path.realpath(aimed, strict=True))
        is_file = real.is_file()
    except (OSError, ValueError):
        return None
    if not is_file or found.path.lower().endswith(_NOT_TEXT):
        return None
    if walk.inside(real) is None:
        _tell(walk, path, found)
        return None
    return inside


def _tell(walk: Walk, path: str, found: Import) -> None:
    named = shown(Path(found.path)) if found.path.startswith("/") else found.path
    notice = f"{path}, line {found.line}: @{named} leads out of the workspace; it is in neither arm."
    if notice not in walk.notices:
        walk.notices.append(notice)
