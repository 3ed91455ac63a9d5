"""Tagged source: Markdown whose H1 and H2 sections stand between `<name>` and `</name>`.

Invariant: a tag belongs to a section by where it stands: an opening one right above the heading, a closing one last in
the section. Tags elsewhere are the author's own, unless they bear a section's name. Reading changes nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from measure.surface.bytelines import line_number
from measure.surface.html import ELEMENTS
from measure.surface.markdown import Heading, Markdown, read_markdown
from measure.surface.slug import tag_name

_TAG = re.compile(rb"<(/?)([^\s<>/!?=\"']+)>[ \t]*")

_HEADING = re.compile(rb"#{1,2}[ \t]+(.*?)[ \t]*#*[ \t]*$")

WRAPPED_LEVELS = 2
"""Sections of H1 and H2 are wrapped; deeper ones stay plain inside them."""


class TagRule(StrEnum):
    """What can be wrong with a tag."""

    MISSING = "tag-missing"
    NAME = "tag-name"
    CROSSING = "tag-crossing"
    MISPLACED = "tag-misplaced"
    BLANK_LINE = "tag-blank-line"


@dataclass(frozen=True, slots=True)
class TagFault:
    """One thing wrong, at a line counted from 1: what it is, and what to do."""

    rule: TagRule
    line: int
    message: str
    fix: str


@dataclass(frozen=True, slots=True)
class Wrapped:
    """One H1 or H2 section and where its tags stand, as lines of the body; None where a tag is missing.

    The section's own text ends before `limit`: the next section's opening tag or heading, or the end.
    """

    heading: Heading
    name: str
    opening: int | None
    closing: int | None
    limit: int


@dataclass(frozen=True)
class Tagged:
    """A file with its headings and tags put together."""

    markdown: Markdown
    sections: tuple[Wrapped, ...]
    blocks: tuple[tuple[str, int, int], ...]
    """The author's own tag pairs: name, opening line, closing line."""
    faults: tuple[TagFault, ...]

    @cached_property
    def has_tags(self) -> bool:
        """Whether the file is tagged source at all, if only in part."""
        return any(section.opening is not None or section.closing is not None for section in self.sections)


def read_tagged(data: bytes) -> Tagged:
    """The sections of a file with their tags, and what is wrong with them."""
    return _Reader(data).read()


class _Reader:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self._markdown = read_markdown(data)
        self._lines = self._markdown.lines
        self._headings = [h for h in self._markdown.headings if h.level <= WRAPPED_LEVELS]
        self._names = [tag_name(heading.text) for heading in self._headings]
        self._faults: list[TagFault] = []
        self._tags = self._find_tags()
        self._taken: set[int] = set()

    def read(self) -> Tagged:
        openings = [self._opening(index) for index in range(len(self._headings))]
        sections: dict[int, Wrapped] = {}
        open_sections: list[int] = []
        for index in range(len(self._headings) + 1):
            at_end = index == len(self._headings)
            level = 1 if at_end else self._headings[index].level
            if at_end:
                limit = len(self._lines)
            else:
                opening = openings[index]
                limit = self._headings[index].first if opening is None else opening
            closing: list[int] = []
            while open_sections and self._headings[open_sections[-1]].level >= level:
                closing.append(open_sections.pop())
            found = self._closings(closing, limit, openings)
            for one, line in zip(closing, found, strict=True):
                sections[one] = Wrapped(self._headings[one], self._names[one], self._right(one, openings), line, limit)
            if not at_end:
                open_sections.append(index)
        ordered = tuple(sections[index] for index in range(len(self._headings)))
        blocks = self._left_over()
        for section in ordered:
            self._tell_missing(section)
        self._tell_swallowed()
        faults = sorted(self._faults, key=lambda fault: (fault.line, fault.rule, fault.message))
        return Tagged(self._markdown, ordered, blocks, tuple(faults))

    def _find_tags(self) -> dict[int, tuple[bool, str]]:
        found = {}
        if b"<" not in self._data:
            return {}
        for line in range(len(self._lines)):
            if self._data.startswith(b"<", self._lines.starts[line]):
                tag = _TAG.fullmatch(self._lines.text(line))
                if tag:
                    found[line] = (bool(tag[1]), tag[2].decode("utf-8", "surrogateescape"))
        return found

    def _number(self, line: int) -> int:
        return line_number(self._data, self._lines.start_of(line))

    def _fault(self, rule: TagRule, line: int, message: str, fix: str) -> None:
        self._faults.append(TagFault(rule, self._number(line), message, fix))

    def _right(self, index: int, openings: list[int | None]) -> int | None:
        line = openings[index]
        return line if line is not None and self._tags[line][1] == self._names[index] else None

    def _above(self, line: int) -> tuple[int, int]:
        """The nearest line above that is not blank (-1 where there is none), and the number of blank ones between."""
        at = line - 1
        while at >= 0 and self._lines.is_blank(at):
            at -= 1
        return at, line - 1 - at

    def _opening(self, index: int) -> int | None:
        """The opening tag above a heading, right or wrong; a tag that is the author's own is none."""
        heading, name = self._headings[index], self._names[index]
        line, gap = self._above(heading.first)
        closes, found = self._tags.get(line, (True, ""))
        if closes:
            return None
        if found != name:
            if found.lower() in ELEMENTS or self._markdown.is_raw(line) or not self._is_closed(index, (found, name)):
                return None
            self._fault(TagRule.NAME, line, f"<{found}> opens the section “{heading.text}”", f"name it <{name}>")
        elif gap != 1:
            self._fault(TagRule.BLANK_LINE, line, f"{_blank_lines(gap)} after <{name}>", "leave exactly one")
        self._taken.add(line)
        return line

    def _is_closed(self, index: int, names: tuple[str, str]) -> bool:
        """Whether one of the closing tags that stand together at the end of a section has one of these names."""
        heading = self._headings[index]
        below = (h.first for h in self._headings[index + 1 :] if h.level <= heading.level)
        line, _ = self._above(next(below, len(self._lines)))
        if not self._tags.get(line, (True, ""))[0]:
            line, _ = self._above(line)
        while line >= heading.last and self._tags.get(line, (False, ""))[0]:
            if self._tags[line][1] in names:
                return True
            line, _ = self._above(line)
        return False

    def _closings(self, closing: list[int], limit: int, openings: list[int | None]) -> list[int | None]:
        """The closing tags at a border for the sections that end there, inner first."""
        found: list[int | None] = [None] * len(closing)
        lowest = max((self._headings[one].last for one in closing), default=0)
        border = limit
        waiting = list(enumerate(closing))
        while waiting:
            line, _ = self._above(border)
            closes, name = self._tags.get(line, (False, ""))
            if line < lowest or not closes:
                break
            at = next((k for k in reversed(range(len(waiting))) if self._names[waiting[k][1]] == name), None)
            if at is None:
                # A name no section here has: either the author's own tag or this section's with a wrong name.
                position, one = waiting[-1]
                expected = self._names[one]
                opening = openings[one]
                if opening is None or self._tags[opening][1] not in (name, expected):
                    break
                if name.lower() in ELEMENTS or self._is_paired(line, lowest, name):
                    break
                self._fault(
                    TagRule.NAME, line, f"</{name}> closes the section of <{expected}>", f"name it </{expected}>"
                )
                waiting.pop()
            else:
                position, one = waiting[at]
                if found[position] is None:
                    found[position] = line
                if at < len(waiting) - 1 and any(
                    self._closes_above(line, lowest, self._names[other]) for _, other in waiting[at + 1 :]
                ):
                    self._fault(
                        TagRule.CROSSING,
                        line,
                        f"</{name}> stands after the tag that closes the section around it",
                        "close inner sections first",
                    )
                    del waiting[at]
                else:
                    del waiting[at:]
                _, gap = self._above(line)
                if gap != 1:
                    self._fault(TagRule.BLANK_LINE, line, f"{_blank_lines(gap)} before </{name}>", "leave exactly one")
            self._taken.add(line)
            border = line
        return found

    def _closes_above(self, line: int, lowest: int, name: str) -> bool:
        at, _ = self._above(line)
        while at >= lowest and self._tags.get(at, (False, ""))[0]:
            if self._tags[at][1] == name:
                return True
            at, _ = self._above(at)
        return False

    def _is_paired(self, line: int, lowest: int, name: str) -> bool:
        return any(
            lowest <= other < line and not closes and found == name for other, (closes, found) in self._tags.items()
        )

    def _left_over(self) -> tuple[tuple[str, int, int], ...]:
        """Tags that belong to no heading: pairs are the author's own; a single one with a section's name is astray."""
        names = set(self._names)
        deeper = {h.first: tag_name(h.text) for h in self._markdown.headings if h.level > WRAPPED_LEVELS}
        pairs, stack = [], []
        single: list[int] = []
        for line, (closes, name) in self._tags.items():
            if line in self._taken or self._markdown.is_raw(line):
                continue
            if not closes:
                stack.append(line)
                continue
            at = next((k for k in reversed(range(len(stack))) if self._tags[stack[k]][1] == name), None)
            if at is None:
                single.append(line)
            else:
                pairs.append((name, stack[at], line))
                single += stack[at + 1 :]
                del stack[at:]
        for line in [*single, *stack]:
            closes, name = self._tags[line]
            if name in names and name.lower() not in ELEMENTS:
                shown = f"</{name}>" if closes else f"<{name}>"
                self._fault(
                    TagRule.MISPLACED,
                    line,
                    f"{shown} does not stand where the section “{name}” {'ends' if closes else 'begins'}",
                    "move it there, or take it away",
                )
        kept = []
        for name, opening, closing in pairs:
            below = next((h for h in deeper if opening < h and self._above(h)[0] == opening), None)
            if below is not None and deeper[below] == name:
                self._fault(
                    TagRule.MISPLACED,
                    opening,
                    f"<{name}> wraps a heading below H2",
                    "take this tag and its closing one away; only H1 and H2 are wrapped",
                )
            kept.append((name, opening, closing))
        return tuple(sorted(kept, key=lambda pair: pair[1]))

    def _tell_swallowed(self) -> None:
        """Headings right below a tag: without a blank line between, Markdown takes them for a part of the HTML."""
        names = set(self._names)
        headings = {heading.first for heading in self._markdown.headings}
        for line, (closes, name) in self._tags.items():
            below = line + 1
            if below >= len(self._lines) or below in headings or self._markdown.is_raw(line):
                continue
            heading = _HEADING.match(self._lines.text(below))
            if heading and name not in ELEMENTS:
                text = heading[1].decode("utf-8", "replace")
                if name in names or name == tag_name(text):
                    shown = f"</{name}>" if closes else f"<{name}>"
                    self._fault(
                        TagRule.BLANK_LINE,
                        line,
                        f"no blank line after {shown}, so Markdown takes “{text}” for HTML and no heading",
                        "leave exactly one" if not closes else "leave one",
                    )

    def _tell_missing(self, section: Wrapped) -> None:
        first = section.heading.first
        number = self._number(first)
        told = {fault.line for fault in self._faults if fault.rule is TagRule.NAME}
        if section.opening is None and not self._has_wrong_opening(section, told):
            self._fault(
                TagRule.MISSING,
                first,
                f"the section “{section.heading.text}” has no opening tag",
                f"add <{section.name}> and a blank line before the heading, or run `measure surface wrap`",
            )
        if section.closing is None and not self._has_wrong_closing(section, told):
            self._fault(
                TagRule.MISSING,
                first,
                f"the section “{section.heading.text}” (line {number}) has no closing tag",
                f"add a blank line and </{section.name}> at its end, or run `measure surface wrap`",
            )

    def _has_wrong_opening(self, section: Wrapped, told: set[int]) -> bool:
        line, _ = self._above(section.heading.first)
        return line >= 0 and self._number(line) in told

    def _has_wrong_closing(self, section: Wrapped, told: set[int]) -> bool:
        return any(
            closes and self._number(line) in told
            for line, (closes, _) in self._tags.items()
            if section.heading.last <= line < section.limit
        )


def _blank_lines(count: int) -> str:
    return {0: "no blank line"}.get(count, f"{count} blank lines")
