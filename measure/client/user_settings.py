"""What the user's own client settings say about reaching the model, and whose account it is.

Invariant: of the user's settings only the way to the model passes on; everything else there (memory, hooks, plugins,
servers, permissions) stays out of a launch. Nothing is written here and no credential is read: a log-in is known by
its traces.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HELPERS = (
    "apiKeyHelper",
    "awsAuthRefresh",
    "awsCredentialExport",
    "gcpAuthRefresh",
    "proxyAuthHelper",
    "forceLoginMethod",
    "forceLoginOrgUUID",
)
"""Settings through which credentials are made or chosen. They pass by a settings file, never by the command line."""


@dataclass(frozen=True, slots=True)
class UserSettings:
    """The user's configuration as far as it concerns reaching the model."""

    config_dir: Path
    variables: Mapping[str, str] = field(default_factory=dict, repr=False)
    """The `env` of the settings file, whole."""
    helpers: Mapping[str, Any] = field(default_factory=dict, repr=False)
    logged_in: bool = False
    """There are traces of a log-in. On systems with a key store its absence proves nothing."""
    identities: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Ids and address of the account, by the name of their mark: what must not be kept."""
    notes: tuple[str, ...] = ()


def read_user_settings(environ: Mapping[str, str]) -> UserSettings:
    """Read the configuration that a client started with `environ` would use. Unreadable files count as absent."""
    home = Path(environ.get("HOME") or Path.home())
    named = environ.get("CLAUDE_CONFIG_DIR")
    config_dir = Path(named) if named else home / ".claude"
    state_file = (config_dir if named else home) / ".claude.json"
    settings_file = config_dir / "settings.json"
    settings, broken = _read(settings_file)
    state, _ = _read(state_file)
    account = state.get("oauthAccount")
    variables = settings.get("env")
    return UserSettings(
        config_dir=config_dir,
        variables=_texts(variables) if isinstance(variables, dict) else {},
        helpers={name: settings[name] for name in HELPERS if settings.get(name)},
        logged_in=bool(account or state.get("primaryApiKey")) or (config_dir / ".credentials.json").is_file(),
        identities=_identities(account) if isinstance(account, dict) else {},
        notes=("the user's settings.json can't be read; nothing of it is used",) if broken else (),
    )


def _read(file: Path) -> tuple[dict[str, Any], bool]:
    """The object in a JSON file, and whether there is a file that holds none."""
    try:
        value = json.loads(file.read_bytes())
    except OSError:
        return {}, False
    except (ValueError, RecursionError):
        return {}, True
    return (value, False) if isinstance(value, dict) else ({}, True)


def _texts(variables: Mapping[str, Any]) -> dict[str, str]:
    return {
        str(name): value if isinstance(value, str) else json.dumps(value)
        for name, value in variables.items()
        if isinstance(value, str | int | float | bool)
    }


def _identities(account: Mapping[str, Any]) -> dict[str, str]:
    named = {"account": "accountUuid", "organization": "organizationUuid", "email": "emailAddress"}
    return {mark: value for mark, key in named.items() if isinstance(value := account.get(key), str) and value}
