"""What each file of a workspace or rule repository is to the agents that load it.

Invariant: a file's loading mode follows from its path, its front matter and the manifests beside it, with the reason
in words; a file that no known layout names is not listed.

Layouts: Claude Code (CLAUDE.md family, `.claude/`), Codex (AGENTS.md, `.codex/`, `.agents/skills`), Li+ source
(`rules/`, `skills/`, `adapter/`), and a context layer (`leji.json`).
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from measure.errors import WorkspaceError
from measure.surface.frontmatter import FrontMatter, read_front_matter
from measure.surface.leji import Manifest, read_manifest
from measure.surface.unit import Loading, Place, Unit, When, units_of

FILE_LIMIT = 4_194_304
"""Bytes of the largest instruction file that Claude Code loads; a larger one it leaves out without a word."""

_PASSED_OVER = frozenset({".git", "node_modules", ".venv", "venv", "__pycache__", ".tox", ".mypy_cache"})
_KNOWN = re.compile(r"\.(?:claude|agents|codex)/")
_KNOWN_IN_SOURCE = re.compile(r"(?:\.(?:claude|agents|codex)|rules|skills|adapter|docs)/|[^/]+\.md$")
_HOST_FILES = frozenset({"CLAUDE.md", "CLAUDE.local.md", "AGENTS.md"})


@dataclass(frozen=True, slots=True)
class SurfaceFile:
    """One file of the surface: its path from the workspace with `/`, its bytes, and what it is."""

    path: str
    data: bytes
    place: Place
    same_as: str | None = None
    """The path of the file that this one is too, by a link: what a client loads of both it loads once."""

    def units(self) -> tuple[Unit, ...]:
        """Its units, itself first."""
        return units_of(self.path, self.data, self.place)


@dataclass(frozen=True, slots=True)
class Workspace:
    """What the loading of a file can depend on besides itself."""

    root: Path
    is_source: bool
    """Whether it is a rule repository: `rules/` or `skills/` beside `adapter/`, or both of them."""
    manifest: Manifest | None
    output_style: str | None
    profiles: frozenset[str]
    """The layer's profile documents."""
    imports: Mapping[str, str]
    """File → the place that imports it (`CLAUDE.md:3`)."""


def read_workspace(root: Path) -> Workspace:
    """Look at what the loading of files depends on. Raises `WorkspaceError` where `root` is no folder."""
    if not root.is_dir():
        raise WorkspaceError(f"{root} is not a folder.", hint="Name the workspace: --workspace DIR.")
    folders = {name for name in ("rules", "skills", "adapter") if (root / name).is_dir()}
    is_source = len(folders) >= 2 and not (root / ".claude-plugin").exists()
    manifest = read_manifest(root)
    profiles = frozenset(manifest.profile_paths(root) if manifest is not None else ())
    return Workspace(root, is_source, manifest, _output_style(root), profiles, _imports(root))


def read_files(workspace: Workspace) -> tuple[SurfaceFile, ...]:
    """Every file of a known layout, sorted by path."""
    found = []
    for path in sorted(set(_candidates(workspace))):
        data = _read(workspace.root / path)
        if data is not None and (len(data) <= FILE_LIMIT or path.endswith(".md")):
            place = classify(workspace, path, data)
            if place is not None:
                found.append(SurfaceFile(path, data, place))
    names = _names_of_one_file(workspace.root, found)
    return tuple(file if names[file.path] == file.path else replace(file, same_as=names[file.path]) for file in found)


def _names_of_one_file(root: Path, files: Sequence[SurfaceFile]) -> dict[str, str]:
    """Each path → the one that stands for its file: that by which it loads the soonest, then the one without links."""
    top = os.path.realpath(root)
    sooner = list(Loading)
    groups: dict[str, list[SurfaceFile]] = {}
    for file in files:
        groups.setdefault(os.path.realpath(root / file.path), []).append(file)
    names: dict[str, str] = {}
    for real, same in groups.items():
        own = os.path.relpath(real, top)
        stands = min(same, key=lambda file: (sooner.index(file.place.body.loading), file.path != own, file.path))
        names |= {file.path: stands.path for file in same}
    return names


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes() if path.is_file() else None
    except OSError:
        return None


def _candidates(workspace: Workspace) -> Iterator[str]:
    manifest = workspace.manifest
    if manifest is not None:
        yield manifest.boot_profile_path
    yield from workspace.profiles
    yield from workspace.imports
    known = _KNOWN_IN_SOURCE if workspace.is_source else _KNOWN
    seen: set[str] = set()
    for folder, names, files in os.walk(workspace.root, followlinks=True):
        real = os.path.realpath(folder)
        inside = Path(folder).relative_to(workspace.root).as_posix()
        if real in seen:
            names.clear()
            continue
        seen.add(real)
        prefix = "" if inside == "." else f"{inside}/"
        # A link elsewhere could lead to a whole disk; clients follow those in their own folders.
        names[:] = sorted(
            name
            for name in names
            if name not in _PASSED_OVER and (known.match(f"{prefix}{name}/") or not Path(folder, name).is_symlink())
        )
        for name in files:
            if name in _HOST_FILES or known.match(prefix + name):
                yield prefix + name


# Where a path is named by several layouts, the first line that matches speaks.
_CLAUDE_RULE = re.compile(r"\.claude/rules/.+\.md")
_SKILL = re.compile(r"(?P<base>\.claude|\.agents|\.codex)/skills/(?P<name>[^/]+)/SKILL\.md")
_SKILL_FILE = re.compile(r"(?:\.claude|\.agents|\.codex)/skills/(?P<name>[^/]+)/.+")
_AGENT = re.compile(r"\.claude/agents/.+\.md")
_COMMAND = re.compile(r"\.claude/commands/.+\.md")
_STYLE = re.compile(r"\.claude/output-styles/[^/]+\.md")
_CODEX_AGENT = re.compile(r"\.codex/agents/[^/]+\.toml")
_SOURCE_RULE = re.compile(r"rules/.+\.md")
_SOURCE_SKILL = re.compile(r"skills/(?P<name>[^/]+)/SKILL\.md")
_SOURCE_ADAPTER = re.compile(r"adapter/(?P<host>[^/]+)/(?P<rest>.+\.(?:md|toml))")


def classify(workspace: Workspace, path: str, data: bytes) -> Place | None:
    """What a file is to the agents that load it, or None where no known layout names it."""
    front = read_front_matter(data) if path.endswith(".md") else None
    place = _layer_file(workspace, path) or _claude_file(workspace, path, data, front) or _codex_file(workspace, path)
    if place is None and workspace.is_source:
        place = _source_file(path, front)
    if path in workspace.imports and (place is None or place.body.loading is Loading.NEVER):
        owner = place.owner if place else "user"
        why = f"imported by {workspace.imports[path]}"
        place = Place(place.role if place else "import", owner, When(Loading.LAUNCH, why))
    return place


def _owner(front: FrontMatter | None) -> str:
    """Who a file says it belongs to: Li+ files carry their layer, context documents their owners."""
    if front is not None:
        layer = front.table.get("layer")
        if isinstance(layer, str) and re.match(r"L\d", layer):
            return f"Li+ {layer}"
        for key in ("owner", "owners"):
            value = front.table.get(key)
            names = value if isinstance(value, list) else [value]
            if value and all(isinstance(name, str) for name in names):
                return ", ".join(map(str, names))
    return "user"


def _claude_file(workspace: Workspace, path: str, data: bytes, front: FrontMatter | None) -> Place | None:
    folder, name = posixpath.split(path)
    owner = _owner(front)
    if name in ("CLAUDE.md", "CLAUDE.local.md") and not path.startswith("adapter/"):
        if len(data) > FILE_LIMIT:
            return Place("instructions", owner, When(Loading.NEVER, f"larger than {FILE_LIMIT:,} bytes"))
        if not folder or path == ".claude/CLAUDE.md":
            return Place("instructions", owner, When(Loading.LAUNCH, "read before every prompt"))
        why = f"read with the first file that is read in {folder}/"
        return Place("instructions", owner, When(Loading.PATH, why))
    if _CLAUDE_RULE.fullmatch(path):
        return Place("rule", owner, _rule_loading(front))
    if skill := _SKILL.fullmatch(path):
        return _skill(front, owner, skill["name"], listed_for="Claude Code" if skill["base"] == ".claude" else "Codex")
    if other := _SKILL_FILE.fullmatch(path):
        return Place(
            "skill file", owner, When(Loading.NEVER, f"no client loads it; the skill {other['name']} may read it")
        )
    if _AGENT.fullmatch(path):
        table = front.table if front else {}
        if not table.get("name") or not table.get("description"):
            return Place("agent", owner, When(Loading.NEVER, "an agent without name and description is not listed"))
        body = When(Loading.DEMAND, "the system prompt of the sub-agent, when it is started")
        return Place("agent", owner, body, When(Loading.LAUNCH, "listed to the main agent"))
    if _COMMAND.fullmatch(path):
        body = When(Loading.DEMAND, "when the command is used")
        return Place("command", owner, body, When(Loading.LAUNCH, "listed like a skill"))
    if _STYLE.fullmatch(path):
        names = {name.removesuffix(".md"), str(front.table.get("name")) if front else ""}
        if workspace.output_style in names:
            return Place("output style", owner, When(Loading.LAUNCH, "the output style the settings choose"))
        return Place("output style", owner, When(Loading.NEVER, "not the output style the settings choose"))
    return None


def _rule_loading(front: FrontMatter | None) -> When:
    if front is None or front.entry("paths") is None:
        return When(Loading.LAUNCH, "a rule without paths is read before every prompt")
    if front.error is not None:
        return When(Loading.NEVER, f"its front matter is not valid YAML ({front.error})")
    value = front.table.get("paths")
    patterns = value if isinstance(value, list) else str(value or "").split(",")
    shown = [str(pattern).strip() for pattern in patterns if str(pattern).strip()]
    if not shown or "**" in shown:
        return When(Loading.LAUNCH, "its paths match everything")
    return When(Loading.PATH, f"when a file that matches {', '.join(shown)} is read")


def _skill(front: FrontMatter | None, owner: str, name: str, *, listed_for: str) -> Place:
    body = When(Loading.DEMAND, "when the skill is used")
    if front is not None and front.table.get("disable-model-invocation") is True:
        body = When(Loading.DEMAND, f"when a person calls /{name}")
        return Place("skill", owner, body, When(Loading.NEVER, "disable-model-invocation takes it off the list"))
    return Place("skill", owner, body, When(Loading.LAUNCH, f"in the list of skills that {listed_for} shows its model"))


def _codex_file(workspace: Workspace, path: str) -> Place | None:
    folder, name = posixpath.split(path)
    if name == "AGENTS.md" and not path.startswith("adapter/"):
        if folder:
            return Place("instructions", "user", When(Loading.PATH, f"Codex, in {folder}/; Claude Code: never"))
        importer = workspace.imports.get(path)
        others = f"Claude Code through {importer}" if importer else "Claude Code does not read it"
        return Place("instructions", "user", When(Loading.LAUNCH, f"Codex; {others}"))
    if _CODEX_AGENT.fullmatch(path):
        body = When(Loading.DEMAND, "when Codex starts this sub-agent")
        return Place("agent", "user", body, When(Loading.LAUNCH, "listed to the main agent"))
    return None


def _source_file(path: str, front: FrontMatter | None) -> Place | None:
    owner = _owner(front)
    owner = "Li+" if owner == "user" else owner
    if _SOURCE_RULE.fullmatch(path):
        return Place("rule", owner, When(Loading.LAUNCH, "once installed under .claude/rules/"))
    if skill := _SOURCE_SKILL.fullmatch(path):
        body = When(Loading.DEMAND, "once installed, when the skill is used")
        return Place("skill", owner, body, When(Loading.LAUNCH, f"once installed as .claude/skills/{skill['name']}/"))
    if adapter := _SOURCE_ADAPTER.fullmatch(path):
        rest = adapter["rest"]
        if rest in _HOST_FILES:
            return Place("host entry", owner, When(Loading.LAUNCH, "once installed as the host's instruction file"))
        if rest.startswith("agents/"):
            body = When(Loading.DEMAND, "once installed, when the sub-agent is started")
            return Place("agent", owner, body, When(Loading.LAUNCH, "once installed, listed to the main agent"))
        return Place("adapter file", owner, When(Loading.NEVER, "read by the installer, not by a client"))
    if path.startswith("docs/") or "/" not in path:
        return Place("document", owner, When(Loading.NEVER, "no client loads it"))
    return None


def _layer_file(workspace: Workspace, path: str) -> Place | None:
    manifest = workspace.manifest
    if manifest is None:
        return None
    if path == manifest.boot_profile_path:
        why = "the boot profile: where every agent starts"
        return Place("boot profile", manifest.owner, When(Loading.LAUNCH, why))
    if path in workspace.profiles:
        return Place("agent profile", manifest.owner, When(Loading.DEMAND, "when an agent takes on this role"))
    return None


def _output_style(root: Path) -> str | None:
    import json

    for name in ("settings.local.json", "settings.json"):
        try:
            settings: Any = json.loads((root / ".claude" / name).read_bytes())
        except (OSError, ValueError):
            continue
        if isinstance(settings, dict) and isinstance(settings.get("outputStyle"), str):
            return str(settings["outputStyle"])
    return None


def _imports(root: Path) -> dict[str, str]:
    """The files that CLAUDE.md files at the top import, up to four hops, inside the workspace."""
    from measure.surface.imports import find_imports

    found: dict[str, str] = {}
    waiting = [(name, 0) for name in ("CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md")]
    while waiting:
        path, hops = waiting.pop(0)
        data = _read(root / path)
        if data is None or hops >= 4:
            continue
        for imported in find_imports(data.decode("utf-8", "replace")):
            target = posixpath.normpath(posixpath.join(posixpath.dirname(path), imported.path))
            if target not in found and not target.startswith(("../", "/", "~")) and (root / target).is_file():
                found[target] = f"{path}:{imported.line}"
                waiting.append((target, hops + 1))
    return found
