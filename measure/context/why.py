"""Why a line of the surface is not in the request, as far as that can be worked out from outside.

Invariant: a reason is given only where something seen supports it; otherwise the words say that it is not known.
"""

from __future__ import annotations

import json
import posixpath
from dataclasses import dataclass

from measure.context.sources import FIRST_LINE, LISTED_FILES, FileText, Sources, fold
from measure.surface.frontmatter import FrontMatter
from measure.surface.layout import FILE_LIMIT, Workspace, classify
from measure.surface.place import find_place
from measure.surface.unit import Loading

_NAMES = ("CLAUDE.md", "CLAUDE.local.md")


@dataclass(frozen=True, slots=True)
class Why:
    """`on_demand`: the text comes in later, when the agent reaches for it."""

    words: str
    on_demand: bool = False


def why_absent(workspace: Workspace, sources: Sources, file: FileText, number: int) -> Why:
    """Why line `number` of `file` is not in the request that `sources` was found in."""
    text = file.lines[number - 1] if number <= len(file.lines) else ""
    if not text.strip():
        return Why("it is blank")
    return (
        _by_name(file)
        or _by_front_matter(sources, file, number)
        or _by_comment(file, number)
        or _by_loading(workspace, file)
        or _by_settings(workspace, file)
        or Why("the client left it out, for a reason that can't be seen from outside")
    )


def _by_name(file: FileText) -> Why | None:
    name = posixpath.basename(file.path)
    meant = next((right for right in _NAMES if name.lower() == right.lower() and name != right), None)
    if meant is not None:
        return Why(f"the client reads {meant}, and case counts: this file is named {name}")
    if name == "CLAUDE.local.md" and not file.is_loaded:
        return Why("the user's own text is kept out of launches here (--setting-sources project)")
    if name == "AGENTS.md" and not file.is_loaded:
        return Why("this client reads AGENTS.md not at all, or only where no CLAUDE.md has any text")
    if len(file.data) > FILE_LIMIT and not file.is_loaded:
        return Why(f"the file has {len(file.data):,} bytes; above {FILE_LIMIT:,} the client leaves it out")
    return None


def _by_front_matter(sources: Sources, file: FileText, number: int) -> Why | None:
    front, first = file.front, file.head
    if front is None or number > first:
        return None
    if not LISTED_FILES.match(file.path):
        return Why("it stands in front matter, which the client takes off")
    if front.error is not None and not file.listed:
        return Why(f"the file's front matter is not valid YAML: {front.error}")
    if number in (1, first):
        return Why("it is a border of front matter")
    key = _key_at(front, number)
    if front.table.get("disable-model-invocation") is True:
        return Why("disable-model-invocation takes the skill off the list")
    if key not in {"description", "when_to_use"}:
        return Why(f"the client reads {key!r} itself and does not send it")
    if not isinstance(front.table.get("name"), str) and file.path.startswith(".claude/agents/"):
        return Why("an agent without a name is not listed")
    shown = next((listed for listed in file.listed if listed.key == key), None)
    if shown is None:
        return Why("the list of skills is over its budget, and the client shows this one without its description")
    if shown.is_cut:
        return Why(f"the client cuts the {key} after {shown.shown} of its {len(shown.value)} characters")
    return None


def _key_at(front: FrontMatter, number: int) -> str | None:
    above = [entry for entry in front.entries if entry.line <= number]
    return max(above, key=lambda entry: entry.line).key if above else None


def _by_comment(file: FileText, number: int) -> Why | None:
    if file.has_comments and find_place(file.lines, number).in_comment:
        return Why("it stands in an HTML comment, which the client takes out")
    return None


def _by_loading(workspace: Workspace, file: FileText) -> Why | None:
    place = classify(workspace, file.path, file.data)
    if place is None:
        return Why("no client loads this file by itself; an agent may read it", on_demand=True)
    when = place.body
    if when.loading is Loading.PATH:
        return Why(f"it waits: {when.why}", on_demand=True)
    if when.loading is Loading.DEMAND:
        return Why(f"it loads later: {when.why}", on_demand=True)
    if when.loading is Loading.NEVER:
        return Why(when.why)
    return None


def _by_settings(workspace: Workspace, file: FileText) -> Why | None:
    for name in ("settings.json", "settings.local.json"):
        try:
            settings = json.loads((workspace.root / ".claude" / name).read_bytes())
        except (OSError, ValueError, RecursionError):
            continue
        if isinstance(settings, dict) and settings.get("claudeMdExcludes") and not file.is_loaded:
            return Why(f"the client left the file out; claudeMdExcludes in .claude/{name} may be why")
    return None


def first_line_instead(before: FileText, after: FileText) -> str | None:
    """The line that takes the place of a description that one arm lacks."""
    for one, other in ((before, after), (after, before)):
        found = next((listed for listed in other.listed if listed.key == FIRST_LINE), None)
        if found is not None and not any(listed.key == FIRST_LINE for listed in one.listed):
            return fold(found.value)
    return None
