"""Instruction files outside the workspace that the client loads in real use.

Invariants: the arms stand where none of them reaches, except an administrator's file, which reaches everywhere. Of
what they say nothing is kept; they are read only to tell whether a line stands in them as well.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from measure.probe.likeness import quotes
from measure.surface.model import LoadedElsewhere
from measure.surface.names import INSTRUCTIONS
from measure.surface.notices import LARGEST_LOADED


def loaded_elsewhere(workspace: Path) -> tuple[LoadedElsewhere, ...]:
    """Files above the workspace, of the user and of the administrator, nearest first."""
    user_folder = Path(os.environ.get("CLAUDE_CONFIG_DIR") or Path.home() / ".claude")
    found: list[LoadedElsewhere] = []
    for folder in workspace.parents:
        places = [folder / name for name in INSTRUCTIONS]
        if folder / ".claude" != user_folder:
            places += [folder / ".claude" / "CLAUDE.md", folder / ".claude" / "rules"]
        found += [LoadedElsewhere(place, "a folder above") for place in places if place.exists()]
    if user_folder != workspace / ".claude":
        mine = (user_folder / "CLAUDE.md", user_folder / "rules")
        found += [LoadedElsewhere(place, "the user") for place in mine if place.exists()]
    managed = _administrator_file()
    if managed.exists():
        found.append(LoadedElsewhere(managed, "the administrator", in_arms=True))
    return tuple(found)


def also_holding(line: str, elsewhere: Iterable[LoadedElsewhere]) -> Iterator[Path]:
    """Files among these, rules in folders too, that say the line as well, however it is typed."""
    for loaded in elsewhere:
        files = sorted(loaded.path.rglob("*.md")) if loaded.path.is_dir() else [loaded.path]
        for file in files:
            try:
                # Whatever is no plain file of a size that clients load could be waited for, or read, for ever.
                readable = file.is_file() and file.stat().st_size <= LARGEST_LOADED
                text = file.read_text(encoding="utf-8", errors="replace") if readable else ""
            except OSError:
                continue
            if quotes(text, line):
                yield file


def _administrator_file() -> Path:
    if sys.platform == "darwin":
        return Path("/Library/Application Support/ClaudeCode/CLAUDE.md")
    return Path("/etc/claude-code/CLAUDE.md")


def shown(path: Path) -> str:
    """A path for people: the home directory as `~`."""
    try:
        return f"~/{path.relative_to(Path.home()).as_posix()}"
    except ValueError:
        return path.as_posix()
