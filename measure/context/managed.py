"""Whether an administrator's settings would lead the client away from where it is sent.

Invariant: these settings win over everything this program sets, so that a capture is not tried where they name a way
to a model. Only names of settings are looked at, never values.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from measure.client.environment import reaches_model
from measure.client.user_settings import HELPERS

_FOLDERS: Final = (
    (Path("/Library/Application Support/ClaudeCode"),) if sys.platform == "darwin" else (Path("/etc/claude-code"),)
)


def leads_elsewhere(folders: tuple[Path, ...] = _FOLDERS) -> Path | None:
    """The file that names a way to a model or a helper that makes credentials; None where there is none."""
    for file in _files(folders):
        settings = _read(file)
        variables = settings.get("env")
        names = variables if isinstance(variables, dict) else {}
        if any(settings.get(helper) for helper in HELPERS) or any(reaches_model(str(name)) for name in names):
            return file
    return None


def _files(folders: tuple[Path, ...]) -> Iterator[Path]:
    for folder in folders:
        yield folder / "managed-settings.json"
        try:
            yield from sorted((folder / "managed-settings.d").glob("*.json"))
        except OSError:
            continue


def _read(file: Path) -> dict[str, Any]:
    try:
        value = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
