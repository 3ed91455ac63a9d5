"""Where each line of each file stands in a request, or that it doesn't.

Invariant: a line of the request is claimed by one line of one file at most, and text is claimed only where it was
found; what no file claims is the client's own, or from outside the workspace.
"""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Final

from measure.client.masking import WORKSPACE
from measure.context.request import Piece, Place, Request
from measure.surface.frontmatter import FrontMatter, body_start, read_front_matter
from measure.surface.model import Entry, Kind, Surface

_HEADER: Final = re.compile(r"Contents of (?P<path>/.+?|<workspace>.*?|~.+?)(?: \((?P<what>.*)\))?:")
"""How the client heads each instruction file: its path, what kind it is, a colon."""

_LISTED: Final = ("description", "when_to_use")
"""Keys of front matter whose values are put into lists of skills and agents."""

LISTED_FILES: Final = re.compile(
    r"\.claude/(?:skills/(?:.+/)?(?P<name>[^/]+)/SKILL\.md|(?:agents|commands)/(?:.+/)?(?P<stem>[^/]+)\.md)"
)
"""Files that the client lists by a name and a description."""
FIRST_LINE: Final = "first line"
"""What takes the place of a description that is missing."""

MIN_PREFIX: Final = 16
"""Characters of a value that have to be found for it to count as cut rather than absent."""


@dataclass(frozen=True, slots=True)
class Spot:
    """One line of a request."""

    piece: int
    line: int


@dataclass(frozen=True, slots=True)
class Listed:
    """A value of front matter as it stands in a list of the request."""

    key: str
    value: str
    """The whole value, white space folded."""
    shown: int
    """So many of its characters are shown."""
    spot: Spot

    @property
    def is_cut(self) -> bool:
        """Whether the client left a part of it out."""
        return self.shown < len(self.value)


@dataclass(frozen=True)
class FileText:
    """A file of the surface and what of it stands in the request."""

    path: str
    data: bytes
    spots: dict[int, Spot] = field(default_factory=dict)
    """Line number in the file (from 1) → where it stands."""
    listed: tuple[Listed, ...] = ()
    copies: int = 0
    """How often the client loads the file as a whole."""

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """Lines without their ends."""
        return tuple(line.removesuffix("\r") for line in self.data.decode("utf-8", "replace").split("\n"))

    @cached_property
    def front(self) -> FrontMatter | None:
        """Its front matter."""
        return read_front_matter(self.data) if self.path.endswith(".md") else None

    @cached_property
    def head(self) -> int:
        """How many lines stand before its text: those of front matter with both borders."""
        return self.data[: body_start(self.data)].count(b"\n")

    @cached_property
    def has_comments(self) -> bool:
        """Whether anything in it opens an HTML comment."""
        return b"<!--" in self.data

    @property
    def is_loaded(self) -> bool:
        """Whether anything of it stands in the request."""
        return bool(self.spots or self.listed)


@dataclass(frozen=True)
class Sources:
    """A request with the files that its lines come from."""

    request: Request
    files: tuple[FileText, ...]
    headers: dict[Spot, str]
    """Lines by which the client heads a file → the path as shown."""
    outside: tuple[tuple[str, Spot], ...]
    """Files that the request heads and that are not the workspace's."""

    @cached_property
    def owners(self) -> dict[Spot, tuple[str, int]]:
        """Line of the request → file and line it comes from."""
        return {spot: (file.path, number) for file in self.files for number, spot in file.spots.items()}

    def file(self, path: str) -> FileText | None:
        """The file at `path`."""
        return next((file for file in self.files if file.path == path), None)

    def section_of(self, spot: Spot) -> str | None:
        """The path that the nearest header above heads, in the same piece."""
        above = [header for header in self.headers if header.piece == spot.piece and header.line <= spot.line]
        return self.headers[max(above, key=lambda header: header.line)] if above else None

    def whose(self, spot: Spot) -> str:
        """Whose text a line is, in words: `FILE:LINE`, a file outside, or the client."""
        if spot in self.owners:
            path, line = self.owners[spot]
            return f"{path}:{line}"
        section = self.section_of(spot)
        outside = {path for path, _ in self.outside}
        return section if section is not None and section in outside else "the client's own text"


def find_sources(request: Request, surface: Surface, arm: Path) -> Sources:
    """Attribute the lines of a request to the files of the arm that it came from, which was made from `surface`."""
    return _Finder(request, surface, arm).find()


def text_files(surface: Surface, arm: Path) -> Iterator[tuple[Entry, bytes]]:
    """Every file of an arm with its bytes. The workspace itself may have changed meanwhile."""
    for entry in surface.entries:
        if entry.kind is Kind.FILE:
            yield entry, (arm / entry.path).read_bytes()


class _Finder:
    """Holds what is claimed while files are looked for."""

    def __init__(self, request: Request, surface: Surface, arm: Path) -> None:
        self._request = request
        self._surface = surface
        self._arm = arm
        self._lines = [_lines_of(piece) for piece in request.pieces]
        self._headers: dict[Spot, str] = {}
        self._sections: dict[str, list[tuple[Spot, int]]] = defaultdict(list)
        self._claimed: set[Spot] = set()

    def find(self) -> Sources:
        self._read_headers()
        files = [self._file(entry.path, data) for entry, data in text_files(self._surface, self._arm)]
        known = {path for path in self._sections if self._inside(path) is not None}
        outside = tuple(
            (path, start) for path, sections in self._sections.items() if path not in known for start, _ in sections
        )
        return Sources(self._request, tuple(files), self._headers, outside)

    def _read_headers(self) -> None:
        """Sections run from one header to the next, or to the end of their piece."""
        for number, lines in enumerate(self._lines):
            found = [(at, match["path"]) for at, line in enumerate(lines) if (match := _HEADER.fullmatch(line))]
            for (at, path), following in zip(found, [*(at for at, _ in found[1:]), len(lines)], strict=False):
                self._headers[Spot(number, at)] = path
                self._sections[path].append((Spot(number, at), following))

    def _inside(self, shown: str) -> str | None:
        """The path in the arm that a header shows, links followed; None for what is outside."""
        path = shown.removeprefix(f"{WORKSPACE}/")
        if path == shown:
            return None
        return path

    def _file(self, path: str, data: bytes) -> FileText:
        file = FileText(path, data)
        sections = [section for name in self._names(path) for section in self._sections.get(f"{WORKSPACE}/{name}", [])]
        for start, end in sections:
            self._claim_run(file, start.piece, start.line + 1, end)
        listed: tuple[Listed, ...] = ()
        if not sections and path.endswith(".md"):
            listed = tuple(self._listed(file))
            if _is_style(path):
                self._claim_body(file)
        return FileText(path, data, file.spots, listed, copies=len(sections))

    def _names(self, path: str) -> Iterable[str]:
        """The path itself and those by which links of the arm lead to it."""
        yield path
        yield from names_by_link(path, self._links)

    @cached_property
    def _links(self) -> tuple[Entry, ...]:
        return tuple(entry for entry in self._surface.entries if entry.kind is Kind.LINK)

    def _claim_run(self, file: FileText, piece: int, start: int, end: int, after: int = 0) -> None:
        """Claim lines between `start` and `end` in the file's own order; blank ones are not worth claiming."""
        number = after
        lines = file.lines
        places: dict[str, list[int]] = defaultdict(list)
        for at, line in enumerate(lines, start=1):
            places[line.strip()].append(at)
        for at in range(start, end):
            text = self._lines[piece][at].strip()
            later = next((found for found in places.get(text, ()) if found > number), None) if text else None
            if later is None:
                continue
            number = later
            spot = Spot(piece, at)
            self._claimed.add(spot)
            file.spots.setdefault(number, spot)

    def _claim_body(self, file: FileText) -> None:
        """Claim a text that stands without a header of its own, in the piece that holds most of it."""
        first = file.head
        wanted = {line.strip() for line in file.lines[first:] if line.strip()}
        held = [len(wanted & {line.strip() for line in lines}) for lines in self._lines]
        if held and max(held) * 2 > len(wanted) > 0:
            piece = held.index(max(held))
            self._claim_run(file, piece, 0, len(self._lines[piece]), after=first)

    def _listed(self, file: FileText) -> Iterator[Listed]:
        """Values of front matter in lists such as `- name: description`."""
        if (kind := LISTED_FILES.match(file.path)) is None:
            return
        front = file.front
        table = front.table if front is not None else {}
        values = [(key, value) for key in _LISTED if isinstance(value := table.get(key), str) and value.strip()]
        if not values or values[0][0] != _LISTED[0]:
            first = file.data[body_start(file.data) :].decode("utf-8", "replace").strip().split("\n")[0]
            values.insert(0, (FIRST_LINE, first))
        name = table.get("name")
        own = kind["name"] or kind["stem"]
        names = (str(name), own) if name else (own,)
        heads = [f"{name}: " for name in names]
        for key, value in values:
            folded = fold(value.lstrip("# ") if key == FIRST_LINE else value)
            found = next((found for head in heads if folded and (found := self._value(head, folded))), None)
            if found is None and len(folded) >= MIN_PREFIX:
                found = self._value("", folded)
            if found is not None:
                yield Listed(key, folded, *found)
            # The second value follows the first one behind a dash.
            heads = [f"{folded} - "]

    def _value(self, before: str, value: str) -> tuple[int, Spot] | None:
        """How many characters of a value a line shows after `before`, and where; the longest showing wins."""
        best: tuple[int, Spot] | None = None
        head = before + value[:MIN_PREFIX]
        for piece, text in enumerate(self._folded):
            at = text.find(head)
            while at >= 0:
                shown = _common(value, text[at + len(before) :])
                if best is None or shown > best[0]:
                    best = shown, Spot(piece, self._line_at(piece, at))
                at = text.find(head, at + 1)
        return best

    @cached_property
    def _folded(self) -> list[str]:
        return [
            fold(piece.text) if piece.place is not Place.TOOLS or "skill" in piece.text.lower() else ""
            for piece in self._request.pieces
        ]

    def _line_at(self, piece: int, at: int) -> int:
        """The line of a piece in which a character of its folded text stands."""
        for number, line in enumerate(self._lines[piece]):
            size = len(fold(line))
            if size and at <= size:
                return number
            at -= size + bool(size)
        return 0


def _lines_of(piece: Piece) -> list[str]:
    return [line.rstrip() for line in piece.text.split("\n")]


def names_by_link(path: str, links: Iterable[Entry]) -> Iterator[str]:
    """The other paths of an arm at which a file stands, since a link leads to it or to a folder above it."""
    for link in links:
        if link.target is None:
            continue
        aimed = posixpath.normpath(posixpath.join(posixpath.dirname(link.path), link.target))
        if path == aimed:
            yield link.path
        elif path.startswith(f"{aimed}/"):
            yield f"{link.path}/{path.removeprefix(f'{aimed}/')}"


def fold(text: str) -> str:
    """White space as single spaces."""
    return " ".join(text.split())


def _common(value: str, text: str) -> int:
    """How many characters both begin with."""
    end = min(len(value), len(text))
    return next((at for at in range(end) if value[at] != text[at]), end)


def _is_style(path: str) -> bool:
    return path.startswith(".claude/output-styles/")
