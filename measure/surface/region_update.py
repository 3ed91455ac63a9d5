"""Bringing an owned region up to its template.

Invariant: an update exchanges the region's bytes and no other; a target without a region is its user's, and nothing is
added to it unasked.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from enum import StrEnum

from measure.errors import RequestError
from measure.surface.bytelines import line_number, newline_of
from measure.surface.frontmatter import body_start
from measure.surface.region import RegionError, RegionFault, read_region, require_region


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
