"""Which other files a memory file brings in with `@path`.

Invariant: a path is found wherever the client would find one. Text in fenced blocks and code spans is none; in doubt
a path counts, since a file too many is in both arms alike while one too few would make the arms unlike real use.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass
from typing import Final

MAX_HOPS: Final = 4
"""Imports of imports are followed this far: five files in a row."""

_FENCE = re.compile(r"[ \t]*(?:>[ \t]*)*(?:[-*+][ \t]+|\d{1,9}[.)][ \t]+)?(`{3,}|~{3,})(.*)$")
_IMPORT = re.compile(r"(?<!\S)@((?:[^\s\\]|\\ )+)")
_TICKS = re.compile(r"`+")


@dataclass(frozen=True, slots=True)
class Import:
    """One `@path` in a text: its line (from 1) and the path with escaped spaces made plain."""

    line: int
    path: str


def find_imports(text: str) -> tuple[Import, ...]:
    """Every `@path` in a Markdown text, in order."""
    if "@" not in text:
        return ()
    found: list[Import] = []
    paragraph: list[str] = []
    first = 1
    fence: str | None = None
    lines = text.split("\n")

    def close() -> None:
        if paragraph:
            found.extend(_in_paragraph("\n".join(paragraph), first))
            paragraph.clear()

    for number, line in enumerate(lines, start=1):
        mark = _FENCE.match(line)
        if fence is not None:
            if mark and mark[1][0] == fence[0] and len(mark[1]) >= len(fence) and not mark[2].strip():
                fence = None
        elif mark and not (mark[1][0] == "`" and "`" in mark[2]):
            close()
            fence = mark[1]
        elif not line.strip():
            close()
        else:
            if not paragraph:
                first = number
            paragraph.append(line)
    close()
    return tuple(found)


def _in_paragraph(text: str, first_line: int) -> list[Import]:
    blanked = _blank_code_spans(text)
    return [
        Import(line=first_line + blanked.count("\n", 0, match.start()), path=match[1].replace("\\ ", " "))
        for match in _IMPORT.finditer(blanked)
    ]


def _blank_code_spans(text: str) -> str:
    """The text with every code span overwritten by spaces, line ends kept.

    A run of backticks opens a span when a later run has the same length (CommonMark 0.31, section 6.1).
    """
    runs = [(match.start(), match.end()) for match in _TICKS.finditer(text)]
    starts_by_length: dict[int, list[int]] = defaultdict(list)
    for start, end in runs:
        starts_by_length[end - start].append(start)
    pieces: list[str] = []
    copied = 0
    for start, end in runs:
        if start < copied:
            continue
        later = starts_by_length[end - start]
        index = bisect_right(later, start)
        if index == len(later):
            continue
        close = later[index] + (end - start)
        pieces += (text[copied:start], re.sub(r"[^\n]", " ", text[start:close]))
        copied = close
    return "".join((*pieces, text[copied:]))
