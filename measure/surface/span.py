"""A place in a file.

Invariant: offsets are bytes of the original file, and `line` is where `start` stands, counted from 1.
"""

from __future__ import annotations

from dataclasses import dataclass

from measure.surface.bytelines import line_number


@dataclass(frozen=True, slots=True)
class Span:
    """Bytes `start` to `end` (end excluded) of a file, and the line `start` is in."""

    start: int
    end: int
    line: int

    def of(self, data: bytes) -> bytes:
        """The bytes that stand there."""
        return data[self.start : self.end]


def span(data: bytes, start: int, end: int) -> Span:
    """The span with its line filled in."""
    return Span(start, end, line_number(data, start))
