"""The sections of a Markdown file as ranges of its bytes.

Invariant: a section is one contiguous range, from its tag or heading to where the next thing begins, and lies wholly
inside the section around it; none holds one border of an owned region without the other; the pieces between all
borders, joined, are the file.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from dataclasses import dataclass, replace
from itertools import pairwise

from measure.surface.bytelines import Lines, line_number
from measure.surface.frontmatter import body_start
from measure.surface.markdown import Heading
from measure.surface.region import marker_lines, read_region
from measure.surface.slug import section_name, slug, tag_name
from measure.surface.span import Span, span
from measure.surface.tagged import WRAPPED_LEVELS, Tagged, read_tagged


@dataclass(frozen=True, slots=True)
class Section:
    """A section and its names: `name` is its tag or, without one, its slug; `slug` the heading's slug.

    `level` is the heading's, 0 for a pair of tags without a heading. `parents` are the names around it, outer first.
    """

    name: str
    slug: str
    title: str
    level: int
    span: Span
    parents: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Outline:
    """The sections of a file in the order they begin, and the length of what stands before the body."""

    size: int
    body: int
    sections: tuple[Section, ...]

    def pieces(self) -> tuple[tuple[int, int], ...]:
        """The file cut at every border of a section: ranges that join to the whole."""
        cuts = {0, self.body, self.size}
        for section in self.sections:
            cuts |= {section.span.start, section.span.end}
        return tuple(pairwise(sorted(cuts)))


def read_outline(data: bytes, tagged: Tagged | None = None) -> Outline:
    """The sections of a file: of every heading, and of every pair of tags the author set."""
    tagged = tagged or read_tagged(data)
    sections = _within_region(data, [*_headed(data, tagged), *_paired(data, tagged)])
    sections.sort(key=lambda section: (section.span.start, -section.span.end))
    return Outline(len(data), body_start(data), tuple(_with_parents(sections)))


def _headed(data: bytes, tagged: Tagged) -> list[Section]:
    lines = tagged.markdown.lines
    wrapped = {section.heading.first: section for section in tagged.sections}
    headings = _true_headings(data, tagged)
    starts = []
    for heading in headings:
        own = wrapped.get(heading.first)
        opening = own.opening if own is not None and heading.level <= WRAPPED_LEVELS else None
        starts.append(heading.first if opening is None else opening)
    found: list[Section] = []
    around: list[tuple[int, int]] = []
    for index, heading in enumerate(headings):
        while around and around[-1][0] >= heading.level:
            around.pop()
        limit = around[-1][1] if around else len(lines)
        for later in range(index + 1, len(starts)):
            if headings[later].level <= heading.level:
                limit = min(limit, starts[later])
                break
        own = wrapped.get(heading.first)
        end = inner = limit
        if own is not None and own.closing is not None and own.closing < limit:
            inner, end = own.closing, _after_blanks(lines, own.closing + 1)
        around.append((heading.level, inner))
        name = own.name if own is not None and own.opening is not None else section_name(heading.text)
        found.append(
            Section(
                name=name,
                slug=section_name(heading.text),
                title=heading.text,
                level=heading.level,
                span=span(data, lines.start_of(starts[index]), lines.start_of(end)),
                parents=(),
            )
        )
    return found


def _true_headings(data: bytes, tagged: Tagged) -> list[Heading]:
    """The headings without the lines that only look like one: markers written as `# --- …`."""
    if b"---" not in data:
        return list(tagged.markdown.headings)
    markers = marker_lines(data)
    lines = tagged.markdown.lines
    return [h for h in tagged.markdown.headings if line_number(data, lines.start_of(h.first)) not in markers]


def _within_region(data: bytes, sections: list[Section]) -> list[Section]:
    region = read_region(data).region
    if region is None:
        return sections
    result = []
    for one in sections:
        start, end = one.span.start, one.span.end
        if start < region.start < end < region.end:
            end = region.start
        elif region.start < start < region.end:
            end = min(end, region.inner_end)
        result.append(replace(one, span=Span(start, end, one.span.line)))
    return [one for one in result if one.span.start < one.span.end]


def _paired(data: bytes, tagged: Tagged) -> list[Section]:
    lines = tagged.markdown.lines
    found = []
    for name, opening, closing in tagged.blocks:
        end = _after_blanks(lines, closing + 1)
        place = span(data, lines.start_of(opening), lines.start_of(end))
        found.append(Section(name, name, f"<{name}>", 0, place, ()))
    return found


def _after_blanks(lines: Lines, line: int) -> int:
    while line < len(lines) and lines.is_blank(line):
        line += 1
    return line


def _with_parents(sections: list[Section]) -> list[Section]:
    around: list[Section] = []
    result = []
    for one in sections:
        around = [outer for outer in around if one.span.end <= outer.span.end and one.span.start < outer.span.end]
        parents = tuple(outer.name for outer in around)
        result.append(Section(one.name, one.slug, one.title, one.level, one.span, parents))
        around.append(one)
    return result


def section_addresses(outline: Outline) -> tuple[str, ...]:
    """The shortest address of each section, without the file: its name, with parents where that is ambiguous.

    Sections alike in all names are told apart by their order: `a/b[2]`.
    """
    paths = [(*section.parents, section.name) for section in outline.sections]
    suffixes = Counter(path[-length:] for path in paths for length in range(1, len(path) + 1))
    wholes = Counter(paths)
    seen: Counter[tuple[str, ...]] = Counter()
    addresses = []
    for path in paths:
        seen[path] += 1
        unique = next((length for length in range(1, len(path) + 1) if suffixes[path[-length:]] == 1), None)
        if unique is not None:
            addresses.append("/".join(path[-unique:]))
        elif wholes[path] == 1:
            addresses.append("/" + "/".join(path))
        else:
            short = next(n for n in range(1, len(path) + 1) if suffixes[path[-n:]] == wholes[path] or n == len(path))
            lead = "" if suffixes[path[-short:]] == wholes[path] else "/"
            addresses.append(f"{lead}{'/'.join(path[-short:])}[{seen[path]}]")
    return tuple(addresses)


def find_sections(outline: Outline, address: str) -> tuple[Section, ...]:
    """The sections an address means: all that end in its names (a leading `/` means: all names from the outermost)."""
    whole = address.startswith("/")
    path, wanted = address.strip("/"), 0
    if path.endswith("]") and "[" in path and path[path.rindex("[") + 1 : -1].isdecimal():
        wanted = int(path[path.rindex("[") + 1 : -1])
        path = path[: path.rindex("[")]
    names = [unicodedata.normalize("NFC", name) for name in path.split("/")]
    found = tuple(section for section in outline.sections if _ends_in(section, names, whole=whole))
    if not found:
        # A heading as it reads stands for its slug.
        names = [slug(name) for name in names]
        found = tuple(section for section in outline.sections if _ends_in(section, names, whole=whole))
    return found[wanted - 1 : wanted] if wanted else found


def _ends_in(section: Section, names: list[str], *, whole: bool) -> bool:
    *parents, name = names
    if name not in (unicodedata.normalize("NFC", section.name), section.slug, tag_name(section.title)):
        return False
    if whole and len(parents) != len(section.parents):
        return False
    around = [unicodedata.normalize("NFC", parent) for parent in section.parents]
    return not parents or around[-len(parents) :] == parents
