"""The manifest of a context layer (`leji.json`), as far as governed text depends on it.

Invariant: a broken manifest is read as far as it goes, and everything wrong with it is told; no path in it leads out
of the repository.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MANIFEST_FILE = "leji.json"
BOOT_PROFILE = "docs/boot-profile.md"
"""Where the boot profile is, unless the manifest says otherwise."""


@dataclass(frozen=True, slots=True)
class LayerProblem:
    """One thing wrong: the file, the line from 1, what it is and what to do."""

    path: str
    line: int
    message: str
    fix: str


@dataclass(frozen=True, slots=True)
class Mount:
    """A sibling layer the manifest declares, and its owner's name."""

    name: str
    owner: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """What the harness needs of a manifest. Paths are relative to the repository's root, with `/`."""

    name: str
    owner: str
    boot_profile_path: str
    mounts: tuple[Mount, ...]
    agent_profiles_path: str | None
    agents: Mapping[str, str]
    vendor_adapters: tuple[str, ...]
    actor_roles: frozenset[str]
    machine: Mapping[str, str]
    problems: tuple[LayerProblem, ...]

    def profile_paths(self, root: Path) -> tuple[str, ...]:
        """The layer's profile set: all documents under `machine.agentProfilesPath` and all the `agents` map names."""
        paths = set(self.agents.values())
        if self.agent_profiles_path is not None:
            folder = root / self.agent_profiles_path
            paths |= {file.relative_to(root).as_posix() for file in folder.rglob("*.md") if file.is_file()}
        return tuple(sorted(paths))


def read_manifest(root: Path) -> Manifest | None:
    """The manifest of the layer at `root`, or None where there is none. What is wrong with it is in `problems`."""
    try:
        data = (root / MANIFEST_FILE).read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as reason:
        return _manifest(
            {}, [LayerProblem(MANIFEST_FILE, 1, f"it can't be read: {reason.strerror}", "make it readable")]
        )
    return parse_manifest(data)


def parse_manifest(data: bytes) -> Manifest:
    """A manifest from its bytes; a broken one is read as far as it goes."""
    problems: list[LayerProblem] = []
    table: Any = {}
    try:
        table = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as reason:
        line = getattr(reason, "lineno", 1)
        problems.append(LayerProblem(MANIFEST_FILE, line, f"not valid JSON: {reason}", "mend it"))
    if not isinstance(table, dict):
        problems.append(LayerProblem(MANIFEST_FILE, 1, "not a JSON object", "write one object"))
        table = {}
    return _manifest(table, problems)


def _manifest(table: dict[str, Any], problems: list[LayerProblem]) -> Manifest:
    def tell(key: str, wanted: str) -> None:
        problems.append(LayerProblem(MANIFEST_FILE, 1, f"{key}: wanted {wanted}", "mend the manifest"))

    def path(value: Any, key: str) -> str | None:
        if value is None:
            return None
        parts = value.split("/") if isinstance(value, str) else []
        if not parts or value.startswith("/") or parts[0] == "." or ".." in parts or "\\" in value:
            tell(key, "a path from the repository's root, with “/” and without “..”")
            return None
        return str(value).rstrip("/")

    def section(key: str) -> dict[str, Any]:
        value = table.get(key, {})
        if not isinstance(value, dict):
            tell(key, "an object")
            return {}
        return value

    machine = {
        key: found for key, value in section("machine").items() if (found := path(value, f"machine.{key}")) is not None
    }
    agents = {
        role: found for role, value in section("agents").items() if (found := path(value, f"agents.{role}")) is not None
    }
    adapters = table.get("vendorAdapters", [])
    if not isinstance(adapters, list):
        tell("vendorAdapters", "an array")
        adapters = []
    return Manifest(
        name=_text(table.get("name")),
        owner=_text(_within(table, "owners", "primary", "name")) or "unnamed owner",
        boot_profile_path=path(table.get("bootProfilePath"), "bootProfilePath") or BOOT_PROFILE,
        mounts=tuple(_declared(section("federation"), tell)),
        agent_profiles_path=machine.get("agentProfilesPath"),
        agents=agents,
        vendor_adapters=tuple(found for value in adapters if (found := path(value, "vendorAdapters")) is not None),
        actor_roles=frozenset(_roles(table.get("actors"))),
        machine=machine,
        problems=tuple(problems),
    )


def _declared(federation: dict[str, Any], tell: Any) -> Iterator[Mount]:
    mounts = federation.get("mounts", [])
    if not isinstance(mounts, list):
        tell("federation.mounts", "an array")
        return
    seen = set()
    for index, mount in enumerate(mounts):
        name = mount.get("name") if isinstance(mount, dict) else None
        owner = _within(mount, "owner", "name")
        if not isinstance(name, str) or not name or not isinstance(owner, str) or not owner:
            tell(f"federation.mounts[{index}]", "a name and an owner.name")
        elif name in seen:
            tell(f"federation.mounts[{index}].name", f"a name of its own; “{name}” is taken")
        else:
            seen.add(name)
            yield Mount(name, owner)


def _within(value: Any, *keys: str) -> Any:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _roles(actors: Any) -> Iterator[str]:
    for actor in actors.values() if isinstance(actors, dict) else actors if isinstance(actors, list) else ():
        roles = actor.get("roles") if isinstance(actor, dict) else None
        if isinstance(roles, list):
            yield from (role for role in roles if isinstance(role, str))
