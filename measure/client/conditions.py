"""The two conditions a real client is launched under, as command lines.

Invariants: both arms get the same arguments; no argument holds a secret, a prompt or a line break; every argument is
in the record.

`production` is the client as it is used: its tools and skills stay listed, since a rule is measured among everything
that competes with it, less what fetches from outside. `lean` is the smallest request that still holds the
workspace's instructions. Both leave out servers, hooks, the user's own text and earlier sessions.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from measure.errors import RequestError

Name = Literal["production", "lean"]
NAMES: tuple[Name, ...] = ("production", "lean")

FETCHING_TOOLS = ("WebFetch", "WebSearch", "RemoteTrigger")
"""A line that was taken out still stands elsewhere; an arm that can fetch it back is no arm without it. The
last of them acts on a subscription's remote agents and is there only with one."""

_COMMON = (
    "--strict-mcp-config",
    "--setting-sources",
    "project",
    "--no-session-persistence",
    "--exclude-dynamic-system-prompt-sections",
)
_OWN: Mapping[Name, tuple[str, ...]] = {
    "production": ("--disallowedTools", ",".join(FETCHING_TOOLS)),
    "lean": ("--tools", "", "--disable-slash-commands"),
}

# Skills of a workspace may run commands while they are read into the prompt; that would act on the machine.
SETTINGS: Mapping[str, Any] = {"disableAllHooks": True, "disableSkillShellExecution": True}


def named(name: str) -> Name:
    """The condition of that name. Raises RequestError for any other."""
    for known in NAMES:
        if name == known:
            return known
    raise RequestError(f"no such condition: {name!r}; there are {' and '.join(NAMES)}")


def arguments(name: Name, *, model: str, max_turns: int, settings: str) -> tuple[str, ...]:
    """Everything after the executable. `settings` is a JSON text or the path of a settings file."""
    return (
        "-p",
        "--model",
        model,
        "--output-format",
        "stream-json",
        "--verbose",
        "--max-turns",
        str(max_turns),
        *_COMMON,
        *_OWN[name],
        "--settings",
        settings,
    )


def settings_of(helpers: Mapping[str, Any], closed: Path | None) -> dict[str, Any]:
    """The settings of every launch: no hooks, the user's way to the model, and a directory no tool may touch.

    `closed` is the user's configuration directory where it has to be used for its log-in: what one launch wrote
    there, another could read.
    """
    settings = {**SETTINGS, **helpers}
    if closed is not None:
        settings["permissions"] = {"deny": [f"Read(/{closed}/**)", f"Edit(/{closed}/**)"]}
    return settings


def settings_led_to(url: str) -> dict[str, Any]:
    """The settings of a launch against a loopback endpoint; they win over a workspace's own."""
    return {**SETTINGS, "env": {"ANTHROPIC_BASE_URL": url}}


def as_text(settings: Mapping[str, Any]) -> str:
    """Settings as one argument."""
    return json.dumps(settings, separators=(",", ":"))
