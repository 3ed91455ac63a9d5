"""Owned regions: the part of a file that an upstream owns, between a BEGIN and an END line.

Invariant: a file has one region or none, found by markers that occur nowhere else in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from measure.errors import RequestError
from measure.surface.bytelines import line_number

_LINE = re.compile(
    rb"^(?:\xef\xbb\xbf)?[ \t]*(?:#+|//+|;+|<!--|/\*|--)?[ \t]*"
    rb"--- ([^\s\r\n](?:[^\r\n]*?[^\s\r\n])?) (?:(BEGIN)(?: \(([^()\r\n]*)\))?|(END)) ---[ \t]*(?:-->|\*/)?[ \t]*\r?$",
    re.MULTILINE,
)


class RegionError(RequestError):
    """The file's markers don't make one region; `faults` says why."""

    kind = "region"

    def __init__(self, path: str, faults: tuple[RegionFault, ...]) -> None:
        lines = "\n".join(f"{path}:{fault.line}: {fault.message}; {fault.fix}" for fault in faults)
        super().__init__(f"{path} has no region that can be found safely:\n{lines}")
        self.faults = faults


@dataclass(frozen=True, slots=True)
class RegionFault:
    """One thing wrong with a region, at a line counted from 1."""

    line: int
    message: str
    fix: str


@dataclass(frozen=True, slots=True)
class Region:
    """The bytes `start` to `end`: whole lines, from the BEGIN line through the END line, whose start is `inner_end`."""

    owner: str
    tag: str
    start: int
    end: int
    inner_end: int
    tag_start: int
    tag_end: int


@dataclass(frozen=True, slots=True)
class RegionReading:
    """The region of a file, if it has one, and what is wrong. With faults there is no region."""

    region: Region | None
    faults: tuple[RegionFault, ...]


def read_region(data: bytes) -> RegionReading:
    """Find the owned region of a file."""
    lines = list(_LINE.finditer(data)) if b" BEGIN" in data or b" END" in data else []
    if not lines:
        return RegionReading(None, ())
    faults = tuple(_faults(data, lines))
    if faults:
        return RegionReading(None, faults)
    begin, end = lines
    stop = data.find(b"\n", end.end() - 1)
    return RegionReading(
        Region(
            owner=begin[1].decode("utf-8", "replace"),
            tag=begin[3].decode("utf-8", "replace"),
            start=begin.start() + (3 if begin.group().startswith(b"\xef\xbb\xbf") else 0),
            end=len(data) if stop < 0 else stop + 1,
            inner_end=end.start(),
            tag_start=begin.start(3),
            tag_end=begin.end(3),
        ),
        (),
    )


def marker_lines(data: bytes) -> frozenset[int]:
    """The lines, from 1, that are written as markers, whether or not they make a region."""
    return frozenset(line_number(data, found.start()) for found in _LINE.finditer(data))


def require_region(data: bytes, path: str) -> Region | None:
    """The region, or None where the file has no marker. Raises `RegionError` where its markers are wrong."""
    reading = read_region(data)
    if reading.faults:
        raise RegionError(path, reading.faults)
    return reading.region


def _faults(data: bytes, lines: list[re.Match[bytes]]) -> Iterator[RegionFault]:
    def number(offset: int) -> int:
        return line_number(data, offset)

    begins = [line for line in lines if line[2]]
    ends = [line for line in lines if line[4]]
    if not begins:
        yield RegionFault(number(ends[0].start()), "an END line without a BEGIN line", "add the BEGIN line above it")
        return
    first = begins[0]
    for line in begins[1:]:
        yield RegionFault(number(line.start()), "a second BEGIN line", "a file has one region: take one away")
    if not first[3]:
        yield RegionFault(number(first.start()), "the BEGIN line has no version tag", "write it as BEGIN (TAG)")
        return
    own = [line for line in ends if line[1] == first[1]]
    if not own:
        yield RegionFault(number(first.start()), "a BEGIN line without its END line", "add the END line below it")
        return
    for line in ends:
        if line is not own[0]:
            yield RegionFault(number(line.start()), "a second END line", "a file has one region: take one away")
    if own[0].start() < first.start():
        yield RegionFault(number(own[0].start()), "the END line stands above the BEGIN line", "change their order")
        return
    borders = {first.start(), own[0].start(), *(line.start() for line in lines)}
    for needle in (b"--- " + first[1] + b" BEGIN", b"--- " + first[1] + b" END"):
        at = data.find(needle)
        while at >= 0:
            if data.rfind(b"\n", 0, at) + 1 not in borders:
                words = needle.decode("utf-8", "replace")
                yield RegionFault(
                    number(at), f"“{words}” occurs outside the two marker lines", "reword it: a border is found by it"
                )
            at = data.find(needle, at + 1)
    yield from _tags_outside(data, first, own[0].end())


def _tags_outside(data: bytes, begin: re.Match[bytes], end: int) -> Iterator[RegionFault]:
    tag = begin[3]
    if len(tag) < 2:
        return
    for found in re.finditer(rb"(?<![\w.-])" + re.escape(tag) + rb"(?![\w-]|\.\w)", data):
        if not begin.start() <= found.start() < end:
            yield RegionFault(
                line_number(data, found.start()),
                f"the version tag “{tag.decode('utf-8', 'replace')}” stands outside the region",
                "take it away: only the region is updated, so it would grow stale",
            )
