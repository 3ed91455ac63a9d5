"""Units: what a surface is made of, down to the single trigger condition.

Invariant: every unit has an address that resolves to its bytes, an owner, a loading mode with the reason, and a cost
whose way of counting is stated; nothing about it depends on which other units were asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from measure.surface.frontmatter import FrontMatter, read_front_matter
from measure.surface.outline import read_outline, section_addresses
from measure.surface.region import read_region
from measure.surface.skill import bytes_of, read_description
from measure.surface.span import Span, span

TOKENS_ARE = "an estimate: one token for 4 characters of ASCII, one for every other character"


class Loading(StrEnum):
    """When an agent gets to see a unit."""

    LAUNCH = "at launch"
    PATH = "on a matching path"
    DEMAND = "on demand"
    NEVER = "never"


class UnitKind(StrEnum):
    """What a unit is."""

    FILE = "file"
    FRONT_MATTER = "front matter"
    DESCRIPTION = "description"
    CONDITION = "condition"
    SECTION = "section"
    REGION = "region"


@dataclass(frozen=True, slots=True)
class When:
    """A loading mode and why it is so."""

    loading: Loading
    why: str


@dataclass(frozen=True, slots=True)
class Place:
    """What a file is to the agents that load it.

    `role` is a word such as `rule` or `skill`; `body` says when its text loads, `description` when its description
    does (None where a description plays no part); `front` when the rest of its front matter does.
    """

    role: str
    owner: str
    body: When
    description: When | None = None


@dataclass(frozen=True, slots=True)
class Unit:
    """One addressable piece of a file. `depth` is how many sections stand around it."""

    address: str
    kind: UnitKind
    span: Span
    owner: str
    when: When
    lines: int
    tokens: int
    depth: int = 0


STRIPPED = When(Loading.NEVER, "the client takes front matter off before the model sees the file")


def units_of(path: str, data: bytes, place: Place) -> tuple[Unit, ...]:
    """The units of one file, the file itself first, in the order they begin."""
    whole = _unit(path, UnitKind.FILE, data, Span(0, len(data), 1), place.owner, place.body)
    found = [whole, *_front(path, data, place), *_region(path, data, place), *_sections(path, data, place)]
    return (whole, *sorted(found[1:], key=lambda unit: (unit.span.start, -unit.span.end)))


def _unit(address: str, kind: UnitKind, data: bytes, where: Span, owner: str, when: When, depth: int = 0) -> Unit:
    text = where.of(data)
    return Unit(address, kind, where, owner, when, _count_lines(text), estimate_tokens(text), depth)


def _count_lines(text: bytes) -> int:
    return text.count(b"\n") + (bool(text) and not text.endswith(b"\n"))


def estimate_tokens(text: bytes) -> int:
    """The estimated number of tokens; see `TOKENS_ARE`. Bytes that are not UTF-8 count as a character each."""
    beyond = sum(map(len, _BEYOND_ASCII.findall(text))) if not text.isascii() else 0
    if not beyond:
        return -(-len(text) // 4)
    characters = len(text.decode("utf-8", "replace"))
    return -(-(len(text) - beyond) // 4) + characters - (len(text) - beyond)


_BEYOND_ASCII = re.compile(rb"[\x80-\xff]+")


def _front(path: str, data: bytes, place: Place) -> Iterator[Unit]:
    if not path.endswith(".md"):
        return
    front = read_front_matter(data)
    if front is None:
        return
    # No address of its own: its lines are addressed by number.
    whole = span(data, front.start, front.end)
    first, last = whole.line, whole.line + _count_lines(whole.of(data)) - 1
    yield _unit(f"{path}:{first}-{last}", UnitKind.FRONT_MATTER, data, whole, place.owner, STRIPPED)
    if place.description is not None:
        yield from _description(path, data, front, place, place.description)


def _description(path: str, data: bytes, front: FrontMatter, place: Place, when: When) -> Iterator[Unit]:
    entry = front.entry("description")
    if entry is None:
        return
    where = span(data, entry.start, entry.end)
    yield _unit(f"{path}@description", UnitKind.DESCRIPTION, data, where, place.owner, when, 1)
    for number, condition in enumerate(read_description(entry.text or "").conditions or (), start=1):
        part = bytes_of(data, front, entry, condition.start, condition.end)
        if part is not None:
            address = f"{path}@condition[{number}]"
            yield _unit(address, UnitKind.CONDITION, data, span(data, *part), place.owner, when, 2)


def _region(path: str, data: bytes, place: Place) -> Iterator[Unit]:
    region = read_region(data).region
    if region is not None:
        where = span(data, region.start, region.end)
        yield _unit(f"{path}@region", UnitKind.REGION, data, where, f"{region.owner} {region.tag}", place.body)


def _sections(path: str, data: bytes, place: Place) -> Iterator[Unit]:
    if not path.endswith(".md"):
        return
    outline = read_outline(data)
    region = read_region(data).region
    for address, section in zip(section_addresses(outline), outline.sections, strict=True):
        inside = region is not None and region.start <= section.span.start and section.span.end <= region.end
        owner = region.owner if region is not None and inside else place.owner
        kind, depth = UnitKind.SECTION, len(section.parents)
        yield _unit(f"{path}#{address}", kind, data, section.span, owner, place.body, depth)
