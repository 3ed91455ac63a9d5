"""The passages of a Markdown file that can go one at a time: paragraphs, list items and quotes.

Invariant: passages do not overlap, and each is a run of whole lines. Headings, code, comments and front matter are
none: a heading is no rule by itself, and code belongs to what is said about it.

Blocks are told apart by markdown-it-py (CommonMark).
"""

from __future__ import annotations

from measure.surface.bytelines import Lines, split_lines
from measure.surface.frontmatter import body_start
from measure.surface.markdown import parse_blocks
from measure.surface.span import Span, span

_WHOLE = {("paragraph_open", 0), ("blockquote_open", 0), ("list_item_open", 1)}
"""Kinds of blocks and how deep they stand: an item goes with all that is nested in it."""


def passages(data: bytes) -> tuple[Span, ...]:
    """Where the passages of a file stand, in order; blank lines after them stay. Any bytes can be read."""
    lines = split_lines(data, body_start(data))
    found = []
    for token in parse_blocks(data[lines.base :]):
        if (token.type, token.level) in _WHOLE and token.map is not None:
            first, last = token.map
            found.append(_without_blank_end(lines, first, min(last, len(lines))))
    return tuple(found)


def _without_blank_end(lines: Lines, first: int, last: int) -> Span:
    while last > first + 1 and lines.is_blank(last - 1):
        last -= 1
    return span(lines.data, lines.start_of(first), lines.start_of(last))
