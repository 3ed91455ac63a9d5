"""Lines of a file as ranges of its bytes.

Invariant: lines are cut at LF alone, counted as `git` and editors count them; a byte order mark and every line end
stay outside the text, and nothing is decoded or converted on the way.
"""

from __future__ import annotations

from dataclasses import dataclass

BOM = b"\xef\xbb\xbf"
"""The UTF-8 byte order mark."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line: its text is `start:text_end`, its line end (LF, CR LF or none) `text_end:end`. Offsets in bytes."""

    start: int
    text_end: int
    end: int


def split_lines(data: bytes) -> tuple[Line, ...]:
    """The lines of a file. The first starts after a byte order mark; a last line may have no line end."""
    lines = []
    start = len(BOM) if data.startswith(BOM) else 0
    while start < len(data):
        newline = data.find(b"\n", start)
        end = len(data) if newline < 0 else newline + 1
        text_end = end if newline < 0 else newline
        if newline > start and data[newline - 1 : newline] == b"\r":
            text_end = newline - 1
        lines.append(Line(start, text_end, end))
        start = end
    return tuple(lines)
