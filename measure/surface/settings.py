"""The workspace's client settings, with everything taken out that reaches beyond text.

Invariant: only settings of a closed list of harmless ones stay, the same in both arms; what goes is named, its value
never. A setting this program does not know is not harmless.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final

from measure.errors import WorkspaceError

HARMLESS: Final = frozenset(
    {
        "$schema",
        "alwaysThinkingEnabled",
        "attribution",
        "autoMemoryEnabled",
        "claudeMdExcludes",
        "disableAllHooks",
        "disableSkillShellExecution",
        "effortLevel",
        "includeCoAuthoredBy",
        "includeGitInstructions",
        "language",
        "outputStyle",
        "permissions",
        "respectGitignore",
    }
)
"""Settings that shape what the model is told or narrow what it may do; none starts, redirects or widens anything."""

_HARMLESS_PERMISSIONS: Final = frozenset({"ask", "deny"})
"""Only what narrows: `allow`, `defaultMode` and `additionalDirectories` open the arm to the machine it stands on."""


@dataclass(frozen=True, slots=True)
class Rewritten:
    """Settings as the arms get them. `data` is the original where nothing had to go."""

    data: bytes
    removed: tuple[str, ...]


def rewrite_settings(data: bytes, name: str) -> Rewritten:
    """Take out every setting that isn't harmless; `name` is the file's path for messages.

    Raises `WorkspaceError`, naming file and position, for anything but one JSON object.
    """
    try:
        settings = json.loads(data)
    except json.JSONDecodeError as error:
        raise WorkspaceError(
            f"{name}, line {error.lineno}, column {error.colno}: wanted JSON, found an error: {error.msg}.",
            hint="Correct the file; the client ignores settings it can't read, and arms must be what you use.",
        ) from None
    except UnicodeDecodeError as error:
        raise WorkspaceError(f"{name}, byte {error.start}: wanted JSON in UTF-8, found bytes that are not.") from None
    except RecursionError:
        raise WorkspaceError(f"{name}: wanted JSON, found values nested too deeply to read.") from None
    if not isinstance(settings, dict):
        raise WorkspaceError(f"{name}: wanted a JSON object of settings, found {type(settings).__name__}.")
    kept: dict[str, Any] = {key: value for key, value in settings.items() if key in HARMLESS}
    removed = [key for key in settings if key not in HARMLESS]
    permissions = kept.get("permissions")
    if isinstance(permissions, dict):
        removed += [f"permissions.{key}" for key in permissions if key not in _HARMLESS_PERMISSIONS]
        kept["permissions"] = {key: value for key, value in permissions.items() if key in _HARMLESS_PERMISSIONS}
    if not removed:
        return Rewritten(data=data, removed=())
    text = json.dumps(kept, indent=2, ensure_ascii=True)
    return Rewritten(data=f"{text}\n".encode(), removed=tuple(sorted(removed)))
