"""What an agent gets in real use that is not the workspace's, and what of the workspace never reaches it by its name.

Invariant: names only. Nothing outside the workspace is opened but the client's own settings, and of these only the
names of plugins and servers are told.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from measure.surface.elsewhere import shown
from measure.surface.layout import read_files, read_workspace
from measure.surface.model import Surface
from measure.surface.names import INSTRUCTIONS

KEPT_OUT = "kept out of launches here"


def loaded_in_real_use(surface: Surface, environ: Mapping[str, str]) -> Iterator[str]:
    """Parents' and users' files, memory, plugins, servers: each with whether launches here have it."""
    for loaded in surface.elsewhere:
        yield f"{shown(loaded.path)} ({loaded.who}; {'in launches here, too' if loaded.in_arms else KEPT_OUT})"
    home = Path(environ.get("HOME") or Path.home())
    named = environ.get("CLAUDE_CONFIG_DIR")
    config = Path(named) if named else home / ".claude"
    slug = re.sub(r"[^A-Za-z0-9]", "-", str(surface.workspace))
    memory = config / "projects" / slug / "memory" / "MEMORY.md"
    if memory.is_file():
        yield f"{shown(memory)} (memory of earlier sessions; {KEPT_OUT})"
    settings = _read(config / "settings.json")
    for plugin in _names(settings.get("enabledPlugins")):
        yield f"plugin {plugin} (the user; {KEPT_OUT})"
    if settings.get("hooks"):
        yield f"hooks in {shown(config / 'settings.json')} (the user; {KEPT_OUT})"
    state = _read((config if named else home) / ".claude.json")
    projects = state.get("projects")
    own = projects.get(str(surface.workspace)) if isinstance(projects, dict) else None
    for servers in (state, own if isinstance(own, dict) else {}):
        for server in _names(servers.get("mcpServers")):
            yield f"server {server} (the user; {KEPT_OUT})"
    for server in _names(_read(surface.workspace / ".mcp.json").get("mcpServers")):
        yield f"server {server} (.mcp.json; {KEPT_OUT})"


def never_by_name(surface: Surface) -> Iterator[str]:
    """Files that look like instructions and are in no launch at its start: sub-folders' own, and misspelt names."""
    for file in read_files(read_workspace(surface.workspace)):
        if file.path not in surface.by_path and file.path.endswith(INSTRUCTIONS):
            yield f"{file.path}: {file.place.body.why}; not in the clone unless named with --include"
    for folder in (surface.workspace, surface.workspace / ".claude"):
        for name in sorted(child.name for child in folder.iterdir()) if folder.is_dir() else ():
            meant = next((right for right in INSTRUCTIONS if name.lower() == right.lower() and name != right), None)
            if meant is not None:
                yield f"{name}: the client reads {meant}, and case counts"


def _read(file: Path) -> dict[str, Any]:
    try:
        value = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _names(table: object) -> list[str]:
    return sorted(str(name) for name, value in table.items() if value) if isinstance(table, dict) else []
