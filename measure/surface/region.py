"""Owned regions: the part of a file that an upstream owns, between a BEGIN and an END line.

Invariant: a file has one region or none, found by markers that occur nowhere else in it; an update exchanges the
region's bytes and no other.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from measure.errors import RequestError
from measure.surface.bytelines import line_number, newline_of
from measure.surface.frontmatter import body_start

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


class Branch(StrEnum):
    """What an update does to its target."""

    CREATE = "create"
    """The target is missing: it becomes the template."""
    REPLACE = "replace"
    """The target's region has another tag: its bytes become the template's."""
    KEEP = "keep"
    """The target's region has the template's tag."""
    ASK = "ask"
    """The target has no markers: the region is added only where its user says so."""
    CREATE_ONLY = "create-only"
    """The template has no region, and the target exists: it is the user's."""


@dataclass(frozen=True, slots=True)
class Update:
    """What an update comes to: its branch, the target's bytes after it, and a word to the user."""

    branch: Branch
    after: bytes
    was: str | None
    now: str | None
    edited: bool
    """Whether the target's region has the same tag as the template's but other bytes."""


def plan_update(template: bytes, target: bytes | None, names: tuple[str, str], *, force: bool = False) -> Update:
    """Decide what bringing `target` to `template` means; `names` are what to call the two files.

    `force` replaces a region whose tag is the same. Raises `RegionError` where either file's markers are wrong.
    """
    source = require_region(template, names[0])
    now = source.tag if source else None
    if target is None:
        return Update(Branch.CREATE, template, None, now, edited=False)
    if source is None:
        return Update(Branch.CREATE_ONLY, target, None, None, edited=False)
    region = require_region(target, names[1])
    upstream = template[source.start : source.end]
    if region is None:
        return Update(Branch.ASK, target, None, now, edited=False)
    if region.owner != source.owner:
        fault = RegionFault(
            line_number(target, region.start),
            f"the region belongs to {region.owner}, the template's to {source.owner}",
            "name the right template",
        )
        raise RegionError(names[1], (fault,))
    after = _exchange(target, region.start, region.end, upstream)
    edited = region.tag == source.tag and after != target
    if region.tag == source.tag and not force:
        return Update(Branch.KEEP, target, region.tag, now, edited=edited)
    _refuse_second(after, names[1])
    return Update(Branch.REPLACE, after, region.tag, now, edited=edited)


def with_region_added(template: bytes, target: bytes, names: tuple[str, str]) -> bytes:
    """The target with the template's region in it, all its own bytes kept.

    In a Markdown file the region goes below the front matter, in a TOML file above the first table. Raises
    `RegionError` or `RequestError` where that would break the file.
    """
    source = require_region(template, names[0])
    if source is None:
        raise RequestError(f"{names[0]} has no region to add.")
    upstream = template[source.start : source.end]
    is_toml = names[1].endswith(".toml")
    at = _before_tables(target) if is_toml else body_start(target)
    newline = newline_of(target)
    head = newline if at and not target[:at].endswith((b"\n", b"\xef\xbb\xbf")) else b""
    gap = newline if target[at:].strip() and not target[at:].startswith((b"\n", b"\r")) else b""
    after = target[:at] + head + _ended(upstream, newline) + gap + target[at:]
    _refuse_second(after, names[1])
    if is_toml:
        _refuse_other_keys(target, upstream, after, names[1])
    return after


def with_tag(template: bytes, tag: str, path: str) -> bytes:
    """The template with this version tag in its BEGIN line."""
    if not tag or re.search(r"[()\r\n]", tag):
        raise RequestError(f"--tag {tag!r}: wanted a version tag without brackets or line breaks.")
    source = require_region(template, path)
    if source is None:
        return template
    return template[: source.tag_start] + tag.encode("utf-8") + template[source.tag_end :]


def _exchange(target: bytes, start: int, end: int, upstream: bytes) -> bytes:
    """The target with `upstream` in place of `start:end`, ended as the region there was."""
    if target[end - 1 : end] == b"\n":
        return target[:start] + _ended(upstream, newline_of(target)) + target[end:]
    return target[:start] + upstream.rstrip(b"\r\n") + target[end:]


def _ended(text: bytes, newline: bytes) -> bytes:
    return text if text.endswith(b"\n") else text + newline


def _before_tables(target: bytes) -> int:
    found = re.search(rb"^[ \t]*\[", target, re.MULTILINE)
    return found.start() if found else len(target)


def _refuse_other_keys(target: bytes, upstream: bytes, after: bytes, path: str) -> None:
    try:
        own, added, both = (tomllib.loads(text.decode("utf-8-sig")) for text in (target, upstream, after))
    except ValueError as reason:
        raise RequestError(
            f"{path}: with the region added it would not be valid TOML: {reason}.",
            hint="Take the keys the region sets out of the file, then try again.",
        ) from None
    if both != own | added:
        raise RequestError(f"{path}: no place for the region was found that keeps every key's meaning; add it by hand.")


def _refuse_second(after: bytes, path: str) -> None:
    reading = read_region(after)
    if reading.faults:
        raise RegionError(path, reading.faults)
