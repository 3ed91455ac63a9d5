"""Addresses of units, and the bytes they stand for.

Invariant: an address means exactly one contiguous range of the file's bytes, or is refused; where a unit can't go
without breaking the file's form (the only condition, a flow mapping), dropping it is refused.

Forms: `FILE:LINE`, `FILE:FROM-TO`, `FILE#section` (`#outer/section` where ambiguous, `#section[2]` for the second of
its kind), `FILE@description`, `FILE@condition[3]`, `FILE@region`.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from dataclasses import dataclass
from typing import Literal

from measure.errors import ContrastError
from measure.surface.bytelines import BOM
from measure.surface.frontmatter import Entry, FrontMatter, read_front_matter
from measure.surface.outline import find_sections, read_outline, section_addresses
from measure.surface.region import require_region
from measure.surface.skill import bytes_of, condition_range, read_description
from measure.surface.span import Span, span

FORMS = "FILE:LINE, FILE:FROM-TO, FILE#section, FILE@description, FILE@condition[3], FILE@region"

Purpose = Literal["drop", "text"]

_SELECTOR = re.compile(
    r"(?P<lines>:(?P<first>\d{1,9})(?:-(?P<last>\d{1,9}))?)"
    r"|@(?P<part>description|region)"
    r"|@condition\[(?P<number>\d{1,9})\]"
    r"|#(?P<section>[^#\r\n]+)"
)


class AddressError(ContrastError):
    """The address means no unit of the file, more than one, or one that can't be dropped."""

    kind = "address"


@dataclass(frozen=True, slots=True)
class Address:
    """An address taken apart: the file, and the selector with its leading sign."""

    file: str
    selector: str


def parse_address(address: str) -> Address:
    """Take an address apart at its last selector. Raises `AddressError` where it has none."""
    for at in range(len(address) - 1, 0, -1):
        if address[at] in ":#@" and _SELECTOR.fullmatch(address, at):
            return Address(address[:at], address[at:])
    raise AddressError(f"{address!r} is not an address of a unit: wanted {FORMS}.")


def resolve(address: str, data: bytes, path: str, *, purpose: Purpose = "drop") -> Span:
    """The bytes of the unit an address means in the file `path` that holds `data`.

    With the purpose `drop` they are what has to go so that the file keeps its form: a condition goes with one
    separator, a description with its key. With `text` they are the unit's own. Raises `AddressError`.
    """
    selector = address[len(path) :] if address.startswith(path) else ""
    found = _SELECTOR.fullmatch(selector)
    if found is None:
        taken = parse_address(address)
        if taken.file != path:
            raise AddressError(f"{address!r} is an address in {taken.file}, not in {path}.")
        found = _SELECTOR.fullmatch(taken.selector)
        assert found is not None
    if found["lines"]:
        return _lines(path, data, int(found["first"]), int(found["last"] or found["first"]))
    if found["section"]:
        return _section(path, data, found["section"])
    if found["number"]:
        return _condition(path, data, int(found["number"]), purpose)
    if found["part"] == "region":
        return _region(path, data)
    return _description(path, data, purpose)


def _lines(path: str, data: bytes, first: int, last: int) -> Span:
    starts = [len(BOM) if data.startswith(BOM) else 0, *(found.end() for found in re.finditer(rb"\n", data))]
    count = len(starts) - (starts[-1] == len(data))
    if not 1 <= first <= last:
        raise AddressError(f"{path}:{first}-{last}: wanted two line numbers in order, from 1.")
    if last > count:
        raise AddressError(f"{path}:{last} does not exist: the file has {count} line{'' if count == 1 else 's'}.")
    return Span(starts[first - 1], starts[last] if last < len(starts) else len(data), first)


def _section(path: str, data: bytes, name: str) -> Span:
    outline = read_outline(data)
    found = find_sections(outline, name)
    if len(found) == 1:
        return found[0].span
    addresses = section_addresses(outline)
    if not found:
        near = difflib.get_close_matches(name, addresses, n=3, cutoff=0.5)
        hint = f"Did you mean {_listed(path, near)}?" if near else "`measure surface` lists the sections."
        raise AddressError(f"{path} has no section {name!r}.", hint=hint)
    same = [address for address, section in zip(addresses, outline.sections, strict=True) if section in found]
    raise AddressError(f"{path} has {len(found)} sections {name!r}.", hint=f"Name one: {_listed(path, same[:9])}.")


def _listed(path: str, addresses: list[str]) -> str:
    return ", ".join(f"{path}#{address}" for address in addresses)


def _region(path: str, data: bytes) -> Span:
    region = require_region(data, path)
    if region is None:
        raise AddressError(f"{path} has no owned region.", hint="A region stands between a BEGIN and an END line.")
    return span(data, region.start, region.end)


def _entry(path: str, data: bytes) -> tuple[FrontMatter, Entry]:
    front = read_front_matter(data)
    entry = front.entry("description") if front else None
    if front is None or entry is None:
        raise AddressError(f"{path} has no description in its front matter.")
    return front, entry


def _description(path: str, data: bytes, purpose: Purpose) -> Span:
    if path.endswith(".toml"):
        return _toml_description(path, data)
    _, entry = _entry(path, data)
    if purpose == "text":
        return span(data, entry.value_start, entry.value_end)
    after = data[: entry.start] + data[entry.end :]
    if not _differs_by_description(data, after):
        raise AddressError(
            f"{path}@description can't be dropped: what is left would not be the same front matter without it.",
            hint="Write it as a key of its own, on lines of its own.",
        )
    return span(data, entry.start, entry.end)


def _differs_by_description(before: bytes, after: bytes) -> bool:
    was, now = read_front_matter(before), read_front_matter(after)
    if was is None or now is None or (now.error is not None and was.error is None):
        return False
    return {key: value for key, value in was.table.items() if key != "description"} == dict(now.table)


def _toml_description(path: str, data: bytes) -> Span:
    try:
        table = tomllib.loads(data.decode("utf-8-sig"))
    except ValueError as reason:
        raise AddressError(f"{path} is not valid TOML: {reason}.") from None
    if "description" not in table:
        raise AddressError(f"{path} has no description.")
    rest = {key: value for key, value in table.items() if key != "description"}
    ends = [found.end() for found in re.finditer(rb"\n|\Z", data)]
    for found in re.finditer(rb"^[ \t]*[\"']?description[\"']?[ \t]*=", data, re.MULTILINE):
        for end in (end for end in ends if end >= found.end()):
            try:
                left = tomllib.loads((data[: found.start()] + data[end:]).decode("utf-8-sig"))
            except ValueError:
                continue
            if left == rest:
                return span(data, found.start(), end)
    raise AddressError(f"{path}@description can't be dropped: it stands on no lines of its own.")


def _condition(path: str, data: bytes, number: int, purpose: Purpose) -> Span:
    where = f"{path}@condition[{number}]"
    front, entry = _entry(path, data)
    if entry.text is None:
        raise AddressError(f"{where}: the description is not a text.")
    description = read_description(entry.text)
    if description.conditions is None:
        raise AddressError(f"{where}: the conditions can't be counted: {description.reason}.")
    conditions = description.conditions
    if not 1 <= number <= len(conditions):
        raise AddressError(f"{where} does not exist: the description has {len(conditions)}, counted from 1.")
    if purpose == "drop" and len(conditions) == 1:
        raise AddressError(
            f"{where} is the only condition; without it the description would say nothing.",
            hint=f"Drop the whole description instead: {path}@description.",
        )
    chosen = conditions[number - 1]
    first, last = condition_range(conditions, number) if purpose == "drop" else (chosen.start, chosen.end)
    place = bytes_of(data, front, entry, first, last)
    if place is None:
        raise AddressError(
            f"{where}: the description is written in a way whose characters can't be told apart.",
            hint="Write it on one line.",
        )
    if purpose == "drop":
        wanted = description.text[:first] + description.text[last:]
        left = read_front_matter(data[: place[0]] + data[place[1] :])
        entry_left = left.entry("description") if left else None
        kept = left is not None and _others(left) == _others(front) and (left.error is None or front.error is not None)
        if not kept or entry_left is None or read_description(entry_left.text or "").text != wanted:
            raise AddressError(
                f"{where} can't be dropped: what is left would not read as the description without it.",
                hint="Write the description on one line.",
            )
    return span(data, *place)


def _others(front: FrontMatter) -> dict[str, object]:
    return {key: value for key, value in front.table.items() if key != "description"}
