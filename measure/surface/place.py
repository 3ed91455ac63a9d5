"""What stands around one line of a Markdown file: front matter, headings, comments.

Invariant: only reads; block structure follows CommonMark 0.31 as far as single lines can tell.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_ATX = re.compile(r" {0,3}#{1,6}(?:[ \t]+(?P<title>.*?))?(?:[ \t]+#+)?[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+)[ \t]*$")
_FENCE = re.compile(r" {0,3}(`{3,}(?!.*`)|~{3,})")
_NO_PARAGRAPH = re.compile(
    r"\s*$| {4}|\t| {0,3}(?:[-*+>]|\d{1,9}[.)])(?:[ \t]|$)| {0,3}(?:(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$"
)
_COMMENT = re.compile(r" {0,3}<!--")
_KEY = re.compile(r"(?P<indent> *)(?:- +)?(?P<key>[^\s:#'\"-][^:#]*?)[ \t]*:(?:[ \t]+(?P<value>.*))?$")
_BLOCK_SCALAR = re.compile(r"[|>][-+0-9]*[ \t]*(?:#.*)?$")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a line stands. Line numbers count from 1."""

    heading: str | None = None
    """The title of the section the line is in, or heads."""
    in_front_matter: bool = False
    in_comment: bool = False
    """Inside a block-level HTML comment, which the client strips."""
    setext_half: bool = False
    """The line is the text or the underline of an underlined heading."""


def front_matter_end(lines: Sequence[str]) -> int:
    """How many lines the front matter takes with both its borders; 0 where there is none.

    It begins with `---` alone on the very first line and ends with the next such line; without a second one nothing
    is front matter.
    """
    if not lines or lines[0].rstrip(" \t") != "---":
        return 0
    return next((number for number, line in enumerate(lines[1:], start=2) if line.rstrip(" \t") == "---"), 0)


def find_place(lines: Sequence[str], number: int) -> Place:
    """What stands around line `number` of these lines (text without line ends)."""
    front = front_matter_end(lines)
    if number <= front:
        return Place(in_front_matter=True)
    heading: str | None = None
    fence: str | None = None
    in_comment = False
    paragraph = False
    for at in range(front + 1, number + 1):
        line = lines[at - 1]
        opens = fence is None and not in_comment
        if opens and _COMMENT.match(line):
            in_comment = True
        if in_comment:
            if at == number:
                return Place(heading=heading, in_comment=True)
            in_comment = "-->" not in line
            paragraph = False
            continue
        mark = _FENCE.match(line)
        if fence is not None:
            if mark and mark[1].startswith(fence) and not line.strip().strip(fence[0]):
                fence = None
            continue
        if mark:
            fence, paragraph = mark[1], False
        elif paragraph and _UNDERLINE.match(line):
            heading, paragraph = lines[at - 2].strip(), False
            if at == number:
                return Place(heading=heading, setext_half=True)
        elif title := _ATX.match(line):
            heading, paragraph = (title["title"] or "").strip(), False
        else:
            paragraph = not _NO_PARAGRAPH.match(line)
    if paragraph and number < len(lines) and _UNDERLINE.match(lines[number]):
        return Place(heading=lines[number - 1].strip(), setext_half=True)
    return Place(heading=heading)


def why_front_matter_breaks(lines: Sequence[str], number: int) -> str | None:
    """Why dropping line `number` of the front matter leaves a value without its key or a key without its text."""
    end = front_matter_end(lines)
    if number in (1, end):
        return "it is a border of the front matter, and the rest would be read as text"
    own = lines[number - 1]
    if not own.strip():
        return None
    key = _key_above(lines, number)
    if key == number:
        match = _KEY.match(own)
        follows = [line for line in _block_below(lines, number, end) if line.strip()]
        if follows and match is not None:
            return f"the lines below it would lose their key {match['key']!r}"
        return None
    match = _KEY.match(lines[key - 1]) if key else None
    if key == 0 or match is None:
        return None
    value = match["value"] or ""
    siblings = [line for line in _block_below(lines, key, end) if line.strip()]
    if _BLOCK_SCALAR.match(value) and len(siblings) == 1:
        return f"it is all there is of {match['key']!r}"
    if value[:1] in {'"', "'"} and siblings and siblings[-1] == own:
        return f"it closes the quoted value of {match['key']!r}"
    return None


def is_block_scalar_text(lines: Sequence[str], number: int) -> bool:
    """Whether the line is text of a `|` or `>` value in the front matter."""
    key = _key_above(lines, number)
    match = _KEY.match(lines[key - 1]) if 0 < key < number else None
    return match is not None and _BLOCK_SCALAR.match(match["value"] or "") is not None


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _key_above(lines: Sequence[str], number: int) -> int:
    """The line of the key that line `number` is, or belongs to; 0 where there is none."""
    own = lines[number - 1]
    for at in range(number - 1, 1, -1):
        line = lines[at - 1]
        match = _KEY.match(line)
        if match is None or not line.strip():
            continue
        if _indent(line) < _indent(own) or (own.lstrip().startswith("- ") and _indent(line) == _indent(own)):
            nested = _KEY.match(own) is not None and not (match["value"] or "")
            return number if nested else at
        if _indent(line) >= _indent(own):
            break
    return number if _KEY.match(own) else 0


def _block_below(lines: Sequence[str], key: int, end: int) -> list[str]:
    """The lines that belong to the key at line `key`: indented deeper, or list items at its own depth."""
    depth = _indent(lines[key - 1])
    block: list[str] = []
    for line in lines[key : end - 1]:
        if line.strip() and _indent(line) <= depth and not (_indent(line) == depth and line.lstrip().startswith("- ")):
            break
        block.append(line)
    return block
