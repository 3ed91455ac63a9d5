"""Skill descriptions: `Invoke when <condition> / <condition>. <what it provides>.`

Invariant: the number of trigger conditions is counted by the fixed form and nothing else; where the form is broken
the number is unknown, with the reason, and never guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from measure.surface.frontmatter import Entry, FrontMatter
from measure.surface.scalar import map_scalar

OPENING = "Invoke when "
SEPARATOR = " / "
TERMINATOR = ". "
CHARACTER_LIMIT = 1024
"""The longest description, in characters (Agent Skills specification, field `description`)."""

_ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|etc|vs|cf|approx|incl|No|Dr|Mr|Ms)$")


@dataclass(frozen=True, slots=True)
class Condition:
    """One trigger condition and where it stands in the description, in characters."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Description:
    """A description read by the form.

    `text` is its value with line breaks read as spaces; `conditions` is None where they can't be counted, and
    `reason` says why; `problems` are all ways in which the form is broken.
    """

    text: str
    conditions: tuple[Condition, ...] | None
    reason: str | None
    problems: tuple[str, ...]

    @property
    def count(self) -> int | None:
        """The number of trigger conditions, or None where the form doesn't say."""
        return None if self.conditions is None else len(self.conditions)


def read_description(value: str) -> Description:
    """Read the value of a `description`."""
    # A break of a block scalar is where an author's line ended, not part of the form.
    text = re.sub(r"[\r\n]", " ", value.rstrip())
    conditions, reason = _conditions(text)
    return Description(text, conditions, reason, tuple(_problems(text, conditions, reason)))


def _conditions(text: str) -> tuple[tuple[Condition, ...] | None, str | None]:
    if not text:
        return None, "the description is empty"
    if not text.startswith(OPENING):
        return None, f"it does not begin with “{OPENING}”"
    end = text.find(TERMINATOR)
    if end < 0:
        return None, "no full stop and space end the list of conditions"
    conditions = []
    at = len(OPENING)
    for part in text[at:end].split(SEPARATOR):
        conditions.append(Condition(part, at, at + len(part)))
        at += len(part) + len(SEPARATOR)
    if not all(condition.text.strip() for condition in conditions):
        return None, "a condition is empty"
    return tuple(conditions), None


def _problems(text: str, conditions: tuple[Condition, ...] | None, reason: str | None) -> Iterator[str]:
    if reason is not None:
        yield reason
    if len(text) > CHARACTER_LIMIT:
        yield f"it has {len(text):,} characters; at most {CHARACTER_LIMIT:,} are allowed"
    if conditions is None:
        return
    listed = text[: conditions[-1].end]
    tail = text[conditions[-1].end + len(TERMINATOR) :]
    if not tail.strip():
        yield "nothing after the list says what the skill provides"
    if cut := _ABBREVIATION.search(listed):
        yield f"“{cut.group()}. ” ends the list of conditions early; write the words out"
    elif listed.count("(") > listed.count(")") and ")" in tail:
        yield "the list of conditions ends inside a pair of brackets; a condition can't hold a full stop and a space"


def condition_range(conditions: tuple[Condition, ...], number: int) -> tuple[int, int]:
    """What goes when condition `number` (from 1) goes: itself and one separator, in characters of the description."""
    chosen = conditions[number - 1]
    if number == 1:
        return chosen.start, chosen.end + len(SEPARATOR)
    return chosen.start - len(SEPARATOR), chosen.end


def bytes_of(data: bytes, front: FrontMatter, entry: Entry, first: int, last: int) -> tuple[int, int] | None:
    """The bytes that characters `first` to `last` of the entry's value are written with; None where that is unclear."""
    if entry.text is None:
        return None
    text = data[front.inner_start : front.inner_end].decode("utf-8", "replace")
    prefix = data[front.inner_start : entry.value_start].decode("utf-8", "replace")
    written = data[entry.value_start : entry.value_end].decode("utf-8", "replace")
    start = len(prefix)
    if front.error is not None:
        # Read line by line: the value is as it is written, without its quotes.
        quotes = (len(written) - len(entry.text)) // 2
        places = tuple((start + quotes + k, start + quotes + k + 1) for k in range(len(entry.text)))
    else:
        mapped = map_scalar(text, start, start + len(written), entry.style, entry.text)
        if mapped is None:
            return None
        places = mapped
    if not 0 <= first < last <= len(places):
        return None
    begin, end = places[first][0], places[last - 1][1]
    return (
        front.inner_start + len(text[:begin].encode("utf-8")),
        front.inner_start + len(text[:end].encode("utf-8")),
    )
