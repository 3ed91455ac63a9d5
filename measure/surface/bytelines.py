"""Where the lines of a file's bytes begin and end.

Invariant: lines are cut as CommonMark cuts them (at LF, CR LF, and CR), their bytes joined give the file back, and
nothing is decoded or converted.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

BOM = b"\xef\xbb\xbf"
_ENDING = re.compile(rb"\r\n|\n|\r")


@dataclass(frozen=True, slots=True)
class Lines:
    """The lines of `data` from byte `base` on: line `i` is `starts[i]` to `ends[i]`, its text ends at `stops[i]`."""

    data: bytes
    base: int
    starts: tuple[int, ...]
    stops: tuple[int, ...]
    ends: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.starts)

    def text(self, index: int) -> bytes:
        """The line without its ending."""
        return self.data[self.starts[index] : self.stops[index]]

    def is_blank(self, index: int) -> bool:
        """Nothing but spaces and tabs."""
        return not self.text(index).strip(b" \t")

    def start_of(self, index: int) -> int:
        """The byte where line `index` begins; one past the last line is the end of the file."""
        return self.starts[index] if index < len(self.starts) else len(self.data)

    def index_at(self, offset: int) -> int:
        """The line that holds the byte at `offset`."""
        return max(0, bisect_right(self.starts, offset) - 1)


def split_lines(data: bytes, base: int = 0) -> Lines:
    """The lines of `data` from `base` on; text after the last line ending is a line of its own."""
    starts, stops, ends = [], [], []
    at = base
    for ending in _ENDING.finditer(data, base):
        starts.append(at)
        stops.append(ending.start())
        at = ending.end()
        ends.append(at)
    if at < len(data):
        starts.append(at)
        stops.append(len(data))
        ends.append(len(data))
    return Lines(data, base, tuple(starts), tuple(stops), tuple(ends))


def line_number(data: bytes, offset: int) -> int:
    """The line, counted from 1, as `git` and editors count: by LF."""
    return data.count(b"\n", 0, offset) + 1


def newline_of(data: bytes) -> bytes:
    """The line ending to add to this file.

    The first one it uses, unless a lone CR occurs: beside one, LF would merge with it, and CR LF can't.
    """
    first = _ENDING.search(data)
    if b"\r" in data.replace(b"\r\n", b""):
        return b"\r\n"
    return first.group() if first else b"\n"
