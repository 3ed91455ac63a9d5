"""Agent profiles of a context layer, and their resolution with the profile they inherit.

Invariant: a profile is resolved whole or not at all: what can't be resolved is unsupported, with every reason, and is
never applied by half. Resolution reorders nothing (Leji 1.0, agent profiles, requirement 3).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from measure.errors import RequestError
from measure.surface.frontmatter import read_front_matter
from measure.surface.leji import LayerProblem, Manifest

CORE = "core"
POSTURE = ("requiredRead", "defaultContext", "mustAskWhen", "mustRefuseWhen")
"""The lists that are inherited: the base's entries, then the derived ones that the base lacks."""
REQUIRED = ("requiredRead", "mustAskWhen")
"""The lists every profile has once it is resolved."""

_PATH = r"^(?!/)(?!\./)(?!.*(^|/)\.\.(/|$))(?!.*\\).+$"
_TEXT = {"type": "string"}
_TEXTS = {"type": "array", "items": _TEXT}
_SOME_TEXT = {"type": "string", "minLength": 1}
SCHEMA: Mapping[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "required": ["id", "name", "role"],
    "additionalProperties": False,
    "properties": {
        "id": {"type": "string", "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$"},
        "name": _SOME_TEXT,
        "role": _SOME_TEXT,
        "purpose": _TEXT,
        "version": _TEXT,
        "inherits": _TEXT,
        "requiredRead": {"type": "array", "minItems": 1, "items": {"type": "string", "pattern": _PATH}},
        "defaultContext": {
            "type": "array",
            "items": {"enum": ["domain", "system", "practice", "governance", "decisions"]},
        },
        "mustAskWhen": {**_TEXTS, "minItems": 1},
        "mustRefuseWhen": _TEXTS,
        "escalation": _TEXT,
        "owners": _TEXTS,
        "freshness": {
            "type": "object",
            "additionalProperties": False,
            "properties": {"reviewAfter": {"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$"}},
        },
        "host": _TEXT,
        "invocation": {
            "type": "object",
            "additionalProperties": False,
            "required": ["command"],
            "properties": {"command": {"type": "string", "pattern": "<prompt>"}, "constraints": _TEXTS},
        },
    },
}
"""The front matter of a profile (Leji 1.0, agent profile schema); the required lists are checked after resolution."""


class UnsupportedProfileError(RequestError):
    """The profile can't be resolved, so it must not be applied; `problems` says why."""

    kind = "profile"

    def __init__(self, name: str, problems: Sequence[LayerProblem]) -> None:
        lines = "\n".join(f"{p.path}:{p.line}: {p.message}; {p.fix}" for p in problems)
        super().__init__(f"the profile {name!r} is unsupported: it can't be resolved.\n{lines}")
        self.problems = tuple(problems)


@dataclass(frozen=True, slots=True)
class Profile:
    """One profile document: its front matter, its body, and what is wrong with it by itself."""

    path: str
    fields: Mapping[str, Any]
    body: str
    problems: tuple[LayerProblem, ...]
    lines: Mapping[str, int]

    @property
    def id(self) -> str | None:
        """Its id, where it has a usable one."""
        value = self.fields.get("id")
        return value if isinstance(value, str) else None

    @property
    def role(self) -> str | None:
        """The role it fills."""
        value = self.fields.get("role")
        return value if isinstance(value, str) else None

    def line(self, key: str) -> int:
        """The line of a key, 1 where it is absent."""
        return self.lines.get(key, 1)


@dataclass(frozen=True, slots=True)
class ResolvedProfile:
    """A profile as it applies: its own fields with the inherited lists, and the bodies, the base's first."""

    path: str
    base: str | None
    """The file of the profile it inherits, or None."""
    fields: Mapping[str, Any]
    body: str


def parse_profile(path: str, data: bytes) -> Profile:
    """Read one profile document."""
    front = read_front_matter(data)
    if front is None:
        problem = LayerProblem(path, 1, "no YAML front matter", "begin the file with a block between two lines “---”")
        return Profile(path, {}, data.decode("utf-8", "replace"), (problem,), {})
    body = data[front.end :].decode("utf-8", "replace")
    lines = {entry.key: entry.line for entry in front.entries}
    if front.error is not None:
        problem = LayerProblem(path, front.error_line, f"the front matter is not valid YAML: {front.error}", "mend it")
        # Read line by line, so that it can be named; the problem keeps it from being applied.
        return Profile(path, front.table, body, (problem,), lines)
    problems = [
        *(LayerProblem(path, line, f"“{key}” is set twice", "keep one") for key, line in _twice(front.entries)),
        *_broken(path, front.table, lines),
    ]
    return Profile(path, front.table, body, tuple(problems), lines)


def _twice(entries: Sequence[Any]) -> Iterator[tuple[str, int]]:
    seen = set()
    for entry in entries:
        if entry.key in seen:
            yield entry.key, entry.line
        seen.add(entry.key)


def _broken(path: str, table: Mapping[str, Any], lines: Mapping[str, int]) -> Iterator[LayerProblem]:
    for error in sorted(_validator().iter_errors(dict(table)), key=lambda error: [str(part) for part in error.path]):
        key = str(error.path[0]) if error.path else ""
        place = ".".join(map(str, error.path))
        wanted = error.message if len(error.message) <= 200 else error.message[:200] + "…"
        yield LayerProblem(
            path, lines.get(key, 1), f"{place}: {wanted}" if place else wanted, "see the schema of agent profiles"
        )


@cache
def _validator() -> Any:
    from jsonschema import Draft202012Validator

    return Draft202012Validator(SCHEMA)


def read_profiles(root: Path, manifest: Manifest) -> tuple[Profile, ...]:
    """The layer's profile set; a document that is named but missing is a profile with that problem."""
    profiles = []
    for path in manifest.profile_paths(root):
        try:
            profiles.append(parse_profile(path, (root / path).read_bytes()))
        except OSError as reason:
            words = f"the profile can't be read: {reason.strerror or reason}"
            profiles.append(Profile(path, {}, "", (LayerProblem(path, 1, words, "add it, or unname it"),), {}))
    return tuple(profiles)


def find_profile(profiles: Sequence[Profile], name: str, agents: Mapping[str, str]) -> Profile:
    """The profile with this id, or bound to this role, or at this path. Raises `RequestError`."""
    by_id = [profile for profile in profiles if profile.id == name]
    if len(by_id) > 1:
        raise RequestError(f"the id {name!r} is not unique: {', '.join(profile.path for profile in by_id)}.")
    bound = [profile for profile in profiles if name in (profile.path, *_roles_of(profile, agents))]
    found = by_id or bound
    if not found:
        known = ", ".join(sorted(filter(None, (profile.id for profile in profiles)))) or "none"
        raise RequestError(f"no profile {name!r} in this layer.", hint=f"Its profiles: {known}.")
    return found[0]


def _roles_of(profile: Profile, agents: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(role for role, path in agents.items() if path == profile.path)


def resolve_profile(profile: Profile, profiles: Sequence[Profile]) -> ResolvedProfile:
    """The profile with what it inherits. Raises `UnsupportedProfileError` with every reason it can't be."""
    base, problems = _base_of(profile, profiles)
    problems = [*profile.problems, *problems]
    fields = {key: value for key, value in profile.fields.items() if key != "inherits"}
    if base is not None:
        problems += base.problems
        for key in POSTURE:
            lists = [one.fields.get(key) for one in (base, profile)]
            if any(lists) and all(entries is None or isinstance(entries, list) for entries in lists):
                inherited, own = (entries or [] for entries in lists)
                fields[key] = [*inherited, *(entry for entry in own if entry not in inherited)]
    if "inherits" not in profile.fields or base is not None:
        problems += [
            LayerProblem(profile.path, 1, f"no “{key}” after inheritance is resolved", "add it here or to its base")
            for key in REQUIRED
            if not fields.get(key)
        ]
    if problems:
        raise UnsupportedProfileError(profile.id or profile.path, problems)
    body = profile.body if base is None else _joined(base.body, profile.body)
    return ResolvedProfile(profile.path, base.path if base else None, fields, body)


def _base_of(profile: Profile, profiles: Sequence[Profile]) -> tuple[Profile | None, list[LayerProblem]]:
    if "inherits" not in profile.fields:
        return None, []
    wanted = profile.fields["inherits"]

    def problem(message: str, fix: str) -> tuple[None, list[LayerProblem]]:
        return None, [LayerProblem(profile.path, profile.line("inherits"), message, fix)]

    if not isinstance(wanted, str):
        return problem("“inherits” names no single profile", "name exactly one, by its id")
    if profile.role == CORE:
        return problem("a profile whose role is core inherits", "take “inherits” away; resolution is one level deep")
    found = [one for one in profiles if one.id == wanted]
    if not found:
        return problem(f"the inherited profile “{wanted}” does not exist", "name one of this layer by its id")
    if len(found) > 1:
        paths = ", ".join(one.path for one in found)
        return problem(f"the id “{wanted}” is not unique: {paths}", "give each profile an id of its own")
    base = found[0]
    if base is profile:
        return problem("the profile inherits itself", "name the core profile")
    if "inherits" in base.fields:
        return problem(f"the inherited profile “{wanted}” inherits itself from another", "name the core profile")
    if base.role != CORE:
        return problem(f"the inherited profile “{wanted}” has the role “{base.role}”", "only a core can be inherited")
    return base, []


def _joined(base: str, derived: str) -> str:
    return base + ("" if not base or base.endswith("\n") else "\n") + derived
