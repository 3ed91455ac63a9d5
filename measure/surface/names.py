"""Which names belong to the surface and which never do.

Invariant: what runs code, adds servers, holds credentials, history or the client's own state, or belongs to version
control is in no arm, however it is asked for.
"""

from __future__ import annotations

from typing import Final

ROOTS: Final = ("CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", ".claude")
"""What the client (or another agent's client) reads by name in the folder it is started in."""

INSTRUCTIONS: Final = ("CLAUDE.md", "CLAUDE.local.md")
"""Files whose text is put in front of the model at launch, wherever the client finds them above its folder."""

SETTINGS: Final = "settings.json"

_VERSION_CONTROL: Final = frozenset({".git", ".hg", ".svn", ".jj", ".bzr"})
_SERVERS: Final = frozenset({".mcp.json", ".lsp.json"})

_CODE = "runs code"
_STATE = "the client's own state"
_SECRET = "may hold credentials"  # noqa: S105 (a reason, no password)
_IN_CLAUDE: Final = {
    "hooks": _CODE,
    "workflows": _CODE,
    "plugins": "plugins load code and text of their own",
    "mcp.json": "starts servers",
    "worktrees": "holds other checkouts of the workspace",
    "settings.local.json": "one person's own settings",
    ".credentials.json": _SECRET,
    ".claude.json": _SECRET,
    "remote-settings.json": _SECRET,
    "policy-limits.json": _STATE,
    "agent-memory": "what agents noted in earlier sessions",
    "agent-memory-local": "what agents noted in earlier sessions",
    "scheduled_tasks.json": _CODE,
    "scheduled_tasks.lock": _STATE,
} | dict.fromkeys(
    (
        "backups",
        "cache",
        "debug",
        "file-history",
        "history.jsonl",
        "ide",
        "image-cache",
        "jobs",
        "logs",
        "paste-cache",
        "projects",
        "session-env",
        "sessions",
        "shell-snapshots",
        "stats-cache.json",
        "statsig",
        "tasks",
        "teams",
        "telemetry",
        "todos",
        "usage-data",
    ),
    _STATE,
)


def why_never(name: str, *, in_claude_folder: bool) -> str | None:
    """Why something of this name is in no arm; None where it may be. `in_claude_folder`: directly in `.claude/`."""
    if name in _VERSION_CONTROL:
        return "version control: its history holds the line"
    if name in _SERVERS:
        return "starts servers"
    return _IN_CLAUDE.get(name) if in_claude_folder else None
