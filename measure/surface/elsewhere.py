"""Instruction files outside the workspace that the client loads in real use.

Invariant: these are only looked at by name, never read; the arms stand where none of them reaches, except an
administrator's file, which reaches everywhere.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from measure.surface.model import LoadedElsewhere
from measure.surface.names import INSTRUCTIONS


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
