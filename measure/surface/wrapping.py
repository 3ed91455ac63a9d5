"""Putting tags around the sections of a file, and taking them away.

Invariant: `wrap` only adds lines and `unwrap` takes exactly those away. An opening tag and the blank line after it go
right before the heading; the blank line before a closing tag and the tag go right after the section's last line that
is not blank. So nothing that was there has to move, and both are local.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath

from measure.errors import RequestError
from measure.surface.bytelines import Lines, newline_of
from measure.surface.tagged import TagFault, Tagged, TagRule, Wrapped, read_tagged

_NEVER_WRAPPED = frozenset({"AGENTS.md", "CLAUDE.md", "CLAUDE.local.md"})


class TagError(RequestError):
    """The tags of a file can't be completed or taken away; `faults` says why."""

    kind = "tags"

    def __init__(self, path: str, faults: Sequence[TagFault]) -> None:
        lines = "\n".join(f"{path}:{fault.line}: {fault.message}; {fault.fix}" for fault in faults)
        super().__init__(f"the tags of {path} don't fit its headings:\n{lines}", hint="Mend these lines and try again.")
        self.faults = tuple(faults)


def why_not_wrapped(path: PurePath) -> str | None:
    """Why a file is no tagged source by its place: entry files of hosts and documents stay plain."""
    if path.name in _NEVER_WRAPPED:
        return "an entry file of a host is not wrapped"
    return "documents are not wrapped" if path.parent.name == "docs" else None


def wrap(data: bytes, path: str = "the file") -> bytes:
    """The file with the tags it lacks. Raises `TagError` where tags are there that don't fit."""
    tagged = _read(data, path)
    newline = newline_of(data)
    lines = tagged.markdown.lines
    # At one place closing tags come before opening ones, inner before outer.
    inserts: list[tuple[int, int, bytes]] = []
    for place, section in _missing_closings(tagged):
        tag = f"</{section.name}>".encode()
        inserts.append((place, 0, newline + tag + newline if _is_ended(lines, place) else newline * 2 + tag))
    inserts += [
        (lines.starts[section.heading.first], 1, f"<{section.name}>".encode() + newline * 2)
        for section in tagged.sections
        if section.opening is None
    ]
    pieces, at = [], 0
    for place, _, text in sorted(inserts, key=lambda insert: insert[:2]):
        pieces += [data[at:place], text]
        at = place
    return b"".join([*pieces, data[at:]])


def unwrap(data: bytes, path: str = "the file") -> bytes:
    """The file without its tags. Raises `TagError` where tags are there that don't fit."""
    tagged = _read(data, path)
    lines = tagged.markdown.lines
    cuts = [
        (lines.starts[section.opening], lines.start_of(section.opening + 2))
        for section in tagged.sections
        if section.opening is not None
    ]
    bare_end = bool(lines) and lines.stops[-1] == lines.ends[-1]
    last = len(lines) - 1
    for closing in sorted((s.closing for s in tagged.sections if s.closing is not None), reverse=True):
        if bare_end and closing == last:
            # The tag took over the file's unended last line: give that back to the line before.
            cuts.append((lines.stops[closing - 2], lines.ends[closing]))
            last = closing - 2
        else:
            cuts.append((lines.starts[closing - 1], lines.ends[closing]))
    for start, end in sorted(cuts, reverse=True):
        data = data[:start] + data[end:]
    return data


def _read(data: bytes, path: str) -> Tagged:
    tagged = read_tagged(data)
    faults = [fault for fault in tagged.faults if fault.rule is not TagRule.MISSING]
    if faults:
        raise TagError(path, faults)
    return tagged


def _is_ended(lines: Lines, place: int) -> bool:
    return place < len(lines.data) or lines.stops[-1] < lines.ends[-1]


def _missing_closings(tagged: Tagged) -> Iterator[tuple[int, Wrapped]]:
    """Sections without a closing tag, with the byte where it is to go; inner ones before those around them."""
    lines = tagged.markdown.lines
    borders: dict[int, int] = {}
    found: list[tuple[int, Wrapped]] = []
    # Sections that end together share a limit; the outermost, first in the file, stands nearest to it.
    for section in tagged.sections:
        border = borders.get(section.limit, section.limit)
        if section.closing is not None:
            borders[section.limit] = section.closing
            continue
        last = border - 1
        while lines.is_blank(last):
            last -= 1
        found.append((lines.ends[last], section))
    return reversed(found)
