"""How many trigger conditions each skill declares.

Invariant: a skill is counted by its description's fixed form or is reported as not countable, with the reason.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from measure.surface.frontmatter import read_front_matter
from measure.surface.layout import SurfaceFile
from measure.surface.skill import read_description


@dataclass(frozen=True, slots=True)
class TriggerCount:
    """The number of conditions of one skill, or None and why."""

    path: str
    count: int | None
    reason: str | None


def count_triggers(files: Sequence[SurfaceFile]) -> Mapping[str, TriggerCount]:
    """Skill name → its count. A name that two skills have is told apart by their paths."""
    counts: dict[str, TriggerCount] = {}
    for file in files:
        if file.place.role == "skill":
            name, counted = _count(file)
            counts[name if name not in counts else file.path] = counted
    return counts


def _count(file: SurfaceFile) -> tuple[str, TriggerCount]:
    folder = file.path.split("/")[-2]
    front = read_front_matter(file.data)
    if front is None:
        return folder, TriggerCount(file.path, None, "it has no front matter")
    named = front.table.get("name")
    name = named if isinstance(named, str) and named else folder
    entry = front.entry("description")
    if entry is None or entry.text is None:
        return name, TriggerCount(file.path, None, "it has no description")
    description = read_description(entry.text)
    return name, TriggerCount(file.path, description.count, description.reason)
