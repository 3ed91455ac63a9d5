"""The contrast: the one edit that separates the two arms, as a range of bytes.

Invariant: an edit is made at exactly one place of one file of the surface, or refused. Every byte outside
`start:end` is the workspace's own; line ends, a byte order mark and a missing final line end stay as they are.
"""

from __future__ import annotations

import hashlib
import os
import posixpath
import re
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from enum import StrEnum
from pathlib import Path, PurePosixPath
from typing import Literal

from measure.disclosure import find_disclosure
from measure.errors import ContrastError
from measure.probe.model import Target
from measure.surface.elsewhere import also_holding, shown
from measure.surface.imports import find_imports
from measure.surface.lines import BOM, Line, split_lines
from measure.surface.model import Entry, Kind, Surface
from measure.surface.place import find_place, front_matter_end, is_block_scalar_text, why_front_matter_breaks


class EditKind(StrEnum):
    """What is done to the line."""

    DROP = "drop"
    REPLACE = "replace"
    ADD = "add"


@dataclass(frozen=True, slots=True)
class Edit:
    """One edit as it was asked for, before it is found in a file.

    The line is named by its number (from 1; 0 with `add` is the top) or by its exact text. `add` without either goes
    to the end of the file. `new` is the text to replace with or to add.
    """

    kind: EditKind
    file: str
    line: int | None = None
    text: str | None = None
    new: str | None = None
    unit: str | None = None
    """An address of a unit that is no line: `FILE#section`, `FILE@description`, … (see `measure.surface.address`)."""


@dataclass(frozen=True, slots=True)
class Contrast:
    """One edit found in its file. Two requests name the same contrast exactly when these values are equal."""

    kind: EditKind
    path: str
    """The file in the arm: relative, with `/`, links followed."""
    line: int
    """The line, from 1: dropped or replaced, or the first added one as it stands in the variant."""
    start: int
    end: int
    """The range of bytes in the workspace's file that is exchanged; empty for `add`."""
    before: bytes
    after: bytes
    digest_before: str
    """SHA-256 in hex of the file in the baseline."""
    digest_after: str
    """SHA-256 in hex of the file in the variant."""
    text: str
    """The line that only the arm *with* it has, without its line end."""
    heading: str | None = field(default=None, compare=False)
    """The section it stands in."""
    notices: tuple[str, ...] = field(default=(), compare=False)

    @property
    def with_arm(self) -> Literal["baseline", "variant"]:
        """The arm that has the line: the variant for `add`, the baseline otherwise."""
        return "variant" if self.kind is EditKind.ADD else "baseline"

    @property
    def place(self) -> str:
        """`FILE:LINE`, or `FILE:FROM-TO` where several lines are exchanged."""
        last = self.line + self.before.removesuffix(b"\n").count(b"\n")
        return f"{self.path}:{self.line}" if last == self.line else f"{self.path}:{self.line}-{last}"

    def apply(self, data: bytes) -> bytes:
        """The variant's bytes of the file, from the baseline's. Raises `ContrastError` for any other file's bytes."""
        if hashlib.sha256(data).hexdigest() != self.digest_before:
            raise ContrastError(f"{self.path} is not the file the edit was found in: its bytes have changed.")
        return data[: self.start] + self.after + data[self.end :]


def edit_from_target(target: Target) -> Edit:
    """The edit a probe file's `target` asks for."""
    if target.replace_with is not None:
        return Edit(EditKind.REPLACE, target.file, target.line_number, target.line, target.replace_with)
    if target.add is not None:
        return Edit(EditKind.ADD, target.file, target.line_number, target.line, target.add)
    return Edit(EditKind.DROP, target.file, target.line_number, target.line)


_LINES = re.compile(r"(?P<first>[0-9]{1,9})-(?P<last>[0-9]{1,9})")


def edit_from_place(kind: EditKind, place: str, new: str | None = None) -> Edit:
    """The edit that a command line names by `PATH:LINE` or, but for `add`, by the address of any other unit.

    A range of lines (`PATH:FROM-TO`) is such a unit.

    Raises `ContrastError` for any other form.
    """
    file, colon, number = place.rpartition(":")
    is_unit = "#" in place or "@" in place or (file and _LINES.fullmatch(number))
    if kind is not EditKind.ADD and not number.isdigit() and is_unit:
        from measure.surface.address import parse_address

        return Edit(kind, parse_address(place).file, new=new, unit=place)
    if not (colon and file and number.isascii() and number.isdigit() and len(number) <= 9):
        raise ContrastError(
            f"--{kind} {place!r}: wanted PATH:LINE, as in CLAUDE.md:12, PATH:FROM-TO, or the address of a unit."
        )
    if (new is None) != (kind is EditKind.DROP):
        raise ContrastError(f"--{kind} {place!r}: wanted {'no ' if kind is EditKind.DROP else ''}text beside it.")
    return Edit(kind, file, line=int(number), new=new)


def find_contrast(surface: Surface, edit: Edit) -> Contrast:
    """Find the one place `edit` means. Raises `ContrastError` when there is none, more than one, or no difference."""
    entry = _find_file(surface, edit.file)
    data = _read(entry)
    if edit.unit is not None:
        return _find_unit(surface, edit, edit.unit, entry, data)
    lines = split_lines(data)
    texts = [data[line.start : line.text_end].decode() for line in lines]
    anchor = _find_line(edit, entry.path, lines, texts)
    start, end, after = _range(edit, entry.path, data, lines, anchor)
    variant = data[:start] + after + data[end:]
    if variant == data:
        raise ContrastError(f"{entry.path}:{anchor}: the new text is the line itself; there would be no contrast.")
    if edit.kind is EditKind.DROP and anchor <= front_matter_end(texts):
        why = why_front_matter_breaks(texts, anchor)
        if why is not None:
            raise ContrastError(
                f"{entry.path}:{anchor} can't be dropped: {why}.",
                hint="Measure it with a replacement that keeps the front matter valid.",
            )
    place = find_place(texts, max(anchor, 1)) if texts else None
    return Contrast(
        kind=edit.kind,
        path=entry.path,
        line=anchor + 1 if edit.kind is EditKind.ADD else anchor,
        start=start,
        end=end,
        before=data[start:end],
        after=after,
        digest_before=entry.digest,
        digest_after=hashlib.sha256(variant).hexdigest(),
        text=_without_line_end(edit.new or "") if edit.kind is EditKind.ADD else texts[anchor - 1],
        heading=place.heading if place else None,
        notices=tuple(_notices(surface, edit, entry, data, variant, texts, anchor)),
    )


def find_passage(surface: Surface, file: str, old: str, new: str = "") -> Contrast:
    """The contrast that exchanges one passage, a part of a line or several lines, which stands once in the file.

    Where the file's lines end in CR LF, line feeds in `old` and `new` stand for them. Raises `ContrastError` where the
    passage does not stand there, stands there more than once, or is exchanged for itself.
    """
    entry = _find_file(surface, file)
    data = _read(entry)
    before, after = old.encode("utf-8", "surrogatepass"), new.encode("utf-8", "surrogatepass")
    if b"\r\n" in data and before not in data:
        before, after = (one.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n") for one in (before, after))
    if not before:
        raise ContrastError(f"{entry.path}: which passage to exchange is not said.")
    places = [found.start() for found in re.finditer(b"(?=" + re.escape(before) + b")", data)]
    if len(places) != 1:
        shown = old if len(old) <= 60 else f"{old[:59]}…"
        raise ContrastError(
            f"{entry.path}: {shown!r} stands {len(places)} times in the file; wanted exactly once.",
            hint="Without a place there would be no contrast, and with several more than one. Give more of the text.",
        )
    if before == after:
        raise ContrastError(f"{entry.path}: the new text is the old one; there would be no contrast.")
    if new:
        _refuse_disclosure(entry.path, new)
    kind = EditKind.REPLACE if after else EditKind.DROP
    return _exchanged(entry, data, kind, places[0], places[0] + len(before), after, (old.splitlines() or [old])[0])


def contrast_at(surface: Surface, file: str, kind: EditKind, start: int, end: int, new: bytes, text: str) -> Contrast:
    """The contrast of a recorded range of bytes. Raises `ContrastError` where the file has no such range."""
    entry = _find_file(surface, file)
    data = _read(entry)
    if not 0 <= start <= end <= len(data):
        raise ContrastError(f"{entry.path} has no bytes {start} to {end}.")
    return _exchanged(entry, data, kind, start, end, new, text)


def each_passage(surface: Surface, place: str) -> tuple[Contrast, ...]:
    """One contrast for each passage of a Markdown file that is dropped by itself, in order.

    `place` is `FILE`, or `FILE:FROM-TO` for those that begin in these lines. Raises `ContrastError` where there is
    none.
    """
    from measure.surface.passages import passages

    name, _, lines = place.rpartition(":")
    asked = _LINES.fullmatch(lines) if name else None
    name = name if asked is not None else place
    first, last = (int(asked["first"]), int(asked["last"])) if asked is not None else (1, sys.maxsize)
    entry = _find_file(surface, name)
    data = _read(entry)
    spans = [span for span in passages(data) if first <= span.line <= last]
    if not spans:
        raise ContrastError(
            f"{place} holds no paragraph, list item or quote that could be dropped.",
            hint="Name a Markdown file that the agent loads, and lines that hold text: CLAUDE.md or CLAUDE.md:10-40.",
        )
    single = {(line.start, line.end): number for number, line in enumerate(split_lines(data), start=1)}
    contrasts = []
    for span in spans:
        if (span.start, span.end) in single:
            number = single[span.start, span.end]
            contrasts.append(find_contrast(surface, Edit(EditKind.DROP, name, line=number)))
        else:
            text = span.of(data).decode().strip()
            contrasts.append(_exchanged(entry, data, EditKind.DROP, span.start, span.end, b"", text))
    return tuple(contrasts)


def _find_unit(surface: Surface, edit: Edit, unit: str, entry: Entry, data: bytes) -> Contrast:
    from measure.surface.address import resolve

    new = edit.new
    span = resolve(unit, data, entry.path, purpose="drop" if new is None else "text")
    if new is not None:
        _refuse_disclosure(entry.path, new)
    old = data[span.start : span.end]
    if new is not None and new.encode() == old:
        raise ContrastError(f"{unit}: the new text is the unit itself; there would be no contrast.")
    after = b"" if new is None else new.encode("utf-8")
    return _exchanged(entry, data, edit.kind, span.start, span.end, after, old.decode().strip())


def _exchanged(entry: Entry, data: bytes, kind: EditKind, start: int, end: int, after: bytes, text: str) -> Contrast:
    """One range of bytes in exchange for others."""
    variant = data[:start] + after + data[end:]
    return Contrast(
        kind=kind,
        path=entry.path,
        line=data.count(b"\n", 0, start) + 1,
        start=start,
        end=end,
        before=data[start:end],
        after=after,
        digest_before=entry.digest,
        digest_after=hashlib.sha256(variant).hexdigest(),
        text=text,
        notices=(f"{entry.path} is blank in the variant; the client takes it for absent.",)
        if _is_blank(variant) and not _is_blank(data)
        else (),
    )


def _find_file(surface: Surface, name: str) -> Entry:
    path = PurePosixPath(name)
    if path.is_absolute() and "\0" not in name:
        # Whatever links lead there: one that ends outside the workspace stays absolute, and is refused.
        given = PurePosixPath(os.path.realpath(name))
        path = given.relative_to(surface.workspace) if given.is_relative_to(surface.workspace) else given
    if path.is_absolute() or ".." in path.parts or "\0" in name or not path.parts:
        raise ContrastError(
            f"{name!r} is not a path inside the workspace.", hint="Name the file relative to the workspace: CLAUDE.md."
        )
    live = surface.workspace / path
    real = Path(os.path.realpath(live))
    if not real.is_relative_to(surface.workspace):
        raise ContrastError(f"{name} leads out of the workspace; only its own files can be edited in an arm.")
    if not real.exists():
        raise ContrastError(f"{name} does not exist in the workspace.", hint=_same_but_for_form(live))
    if real.is_dir():
        raise ContrastError(f"{name} is a folder; wanted a file.")
    if not real.is_file():
        raise ContrastError(f"{name} is neither a file nor a folder; wanted a file.")
    inside = real.relative_to(surface.workspace).as_posix()
    entry = surface.by_path.get(inside)
    if entry is None or entry.kind is not Kind.FILE:
        raise _not_in_an_arm(surface, inside)
    if entry.content is not None:
        raise ContrastError(
            f"{inside} is rewritten for both arms because some of its settings are taken out; it can't be measured.",
            hint="Measure a text file, or a copy of the workspace whose settings hold nothing that reaches outside.",
        )
    return entry


def _not_in_an_arm(surface: Surface, path: str) -> ContrastError:
    for left_out in surface.left_out:
        if path == left_out.path or path.startswith(f"{left_out.path}/"):
            return ContrastError(f"{path} is in neither arm: {left_out.why}.")
    return ContrastError(
        f"{path} is not part of what the agent loads, so no arm has it.",
        hint=f"If the agent reads it, add it to the arms: --include {path!r}.",
    )


def _same_but_for_form(live: Path) -> str | None:
    """A hint where a name in the same folder differs in nothing but its Unicode form or invisible characters."""
    try:
        names = sorted(child.name for child in live.parent.iterdir())
    except OSError:
        return None
    same = [name for name in names if name != live.name and _plain(name) == _plain(live.name)]
    return f"The folder holds a name that differs only in {_difference(live.name, same[0])}." if same else None


def _read(entry: Entry) -> bytes:
    if entry.source is None:
        raise ContrastError(f"{entry.path} has no bytes to edit.")
    try:
        data = entry.source.read_bytes()
    except OSError as error:
        raise ContrastError(f"{entry.path} can't be read: {error.strerror or error}.") from None
    if hashlib.sha256(data).hexdigest() != entry.digest:
        raise ContrastError(
            f"{entry.path} was changed while it was being read.", hint="Try again when edits have ended."
        )
    if b"\0" in data:
        raise ContrastError(f"{entry.path} is a binary file (byte {data.index(0)} is zero); wanted UTF-8 text.")
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ContrastError(
            f"{entry.path}, line {line}, byte {error.start}: wanted UTF-8, found the byte 0x{data[error.start]:02X}.",
            hint="The model would see a replacement character; save the file as UTF-8.",
        ) from None
    return data


def _find_line(edit: Edit, path: str, lines: Sequence[Line], texts: Sequence[str]) -> int:
    """The number of the line that is meant; for `add` the line to add after, 0 for the top."""
    if edit.text is not None:
        return _find_text(edit.text, path, texts)
    if edit.line is None:
        if edit.kind is not EditKind.ADD:
            raise ContrastError(f"{path}: which line to {edit.kind} is not said.")
        return len(lines)
    lowest = 0 if edit.kind is EditKind.ADD else 1
    if not lowest <= edit.line <= len(lines):
        has = "is empty" if not lines else f"has {len(lines)} line{'s' if len(lines) > 1 else ''}"
        raise ContrastError(f"{path}:{edit.line} does not exist: the file {has}.")
    return edit.line


def _find_text(text: str, path: str, texts: Sequence[str]) -> int:
    if "\n" in text:
        raise ContrastError(f"{path}: wanted the text of one line, found several lines.")
    exact = [number for number, line in enumerate(texts, start=1) if line == text]
    if len(exact) == 1:
        return exact[0]
    if exact:
        numbers = ", ".join(map(str, exact))
        raise ContrastError(
            f"{path}: {text!r} stands {len(exact)} times, on lines {numbers}; an edit has to have one place.",
            hint=f"Name one by its number: {path}:{exact[0]}.",
        )
    alike = [number for number, line in enumerate(texts, start=1) if _plain(line) == _plain(text)]
    if not alike:
        raise ContrastError(f"{path}: no line is exactly {text!r}.", hint="Name it by its number: PATH:LINE.")
    told = "; ".join(f"line {number} differs in {_difference(text, texts[number - 1])}" for number in alike[:3])
    raise ContrastError(
        f"{path}: no line is exactly {text!r}, but {len(alike)} differ{'s' if len(alike) == 1 else ''} only in "
        f"characters that can't be seen: {told}.",
        hint=f"Name it by its number: {path}:{alike[0]}.",
    )


def _plain(text: str) -> str:
    """The text as the eye takes it: composed, without format characters, every space alike, none at the end."""
    shown = "".join(
        " " if unicodedata.category(char) == "Zs" or char == "\t" else char
        for char in unicodedata.normalize("NFC", text)
        if unicodedata.category(char) != "Cf" and not "\ufe00" <= char <= "\ufe0f"
    )
    return shown.rstrip()


def _difference(given: str, found: str) -> str:
    steps = SequenceMatcher(a=given[:2000], b=found[:2000], autojunk=False).get_opcodes()
    changes = [(given[a:b], found[c:d]) for tag, a, b, c, d in steps if tag != "equal"]
    return ", ".join(f"{_code_points(new)} where {_code_points(old)} was given" for old, new in changes[:3])


def _code_points(text: str) -> str:
    if not text:
        return "nothing"
    return " ".join(f"U+{ord(char):04X} {unicodedata.name(char, 'unnamed')}" for char in text[:4])


def _range(edit: Edit, path: str, data: bytes, lines: Sequence[Line], anchor: int) -> tuple[int, int, bytes]:
    """The range of bytes that goes and the bytes that come in its place."""
    if edit.kind is EditKind.DROP:
        line = lines[anchor - 1]
        return line.start, line.end, b""
    new = edit.new
    if new is None or (edit.kind is EditKind.ADD and not new):
        raise ContrastError(f"{path}: which text to {edit.kind} is not said.")
    _refuse_disclosure(path, new)
    ending = _line_ending(data, lines, anchor)
    body = _without_line_end(new).replace("\r\n", "\n").encode("utf-8").replace(b"\n", ending)
    if edit.kind is EditKind.REPLACE:
        line = lines[anchor - 1]
        return line.start, line.text_end, body
    if anchor == 0:
        top = len(BOM) if data.startswith(BOM) else 0
        return top, top, body + ending
    line = lines[anchor - 1]
    return line.end, line.end, body + ending if line.text_end < line.end else ending + body


def _refuse_disclosure(path: str, new: str) -> None:
    if words := find_disclosure(new):
        raise ContrastError(
            f"{path}: the new text tells the agent that it stands in a copy, a test or a trial: {words!r}.",
            hint="An agent that reads this answers another question. Keep such labels in the record.",
        )


def _without_line_end(text: str) -> str:
    return text.removesuffix("\n").removesuffix("\r")


def _line_ending(data: bytes, lines: Sequence[Line], anchor: int) -> bytes:
    """The line end used at the place of the edit, or by the file, or `\\n` where it has none."""
    nearest = (*lines[max(anchor - 1, 0) :: -1], *lines[anchor:])
    return next((data[line.text_end : line.end] for line in nearest if line.text_end < line.end), b"\n")


def _notices(
    surface: Surface, edit: Edit, entry: Entry, data: bytes, variant: bytes, texts: Sequence[str], anchor: int
) -> Iterator[str]:
    path = entry.path
    where = f"{path}:{anchor}"
    own = edit.new if edit.kind is EditKind.ADD else texts[anchor - 1]
    if not (own or "").strip():
        yield f"{where} is blank; the client drops blank lines at both ends of a file."
    if data.replace(b"\r\n", b"").count(b"\r"):
        yield f"{path} holds carriage returns without a line feed; they do not end lines."
    if texts:
        place = find_place(texts, max(anchor, 1))
        if place.in_comment:
            yield f"{where} stands in an HTML comment; the client strips it before the model sees the file."
        if place.setext_half and edit.kind is not EditKind.ADD:
            yield f"{where} is one half of an underlined heading; the other half becomes plain text or a rule."
        if place.in_front_matter and not path.startswith((".claude/skills/", ".claude/agents/", ".claude/commands/")):
            yield f"{where} stands in front matter, which the client takes off before the model sees the file."
        if place.in_front_matter and is_block_scalar_text(texts, max(anchor, 1)):
            yield f"{where} is part of a value of several lines, which older clients read only in part."
    for file in also_holding(own or "", surface.elsewhere):
        yield f"{shown(file)} says the same as the line and loads in real use: there it would still be said without it."
    if edit.kind is not EditKind.ADD:
        yield from _import_notices(surface, where, path, texts, anchor)
    yield from _loading_notices(path, texts, anchor)
    if _is_blank(variant) and not _is_blank(data):
        yield f"{path} is blank after the edit; the client treats a blank file as if it were absent."
        if posixpath.basename(path) == "CLAUDE.md" and "AGENTS.md" in surface.by_path:
            yield "Some clients read AGENTS.md only where CLAUDE.md is absent; more than the line may differ."


def _import_notices(surface: Surface, where: str, path: str, texts: Sequence[str], anchor: int) -> Iterator[str]:
    for found in find_imports("\n".join(texts)):
        if found.line != anchor:
            continue
        imported = surface.by_path.get(posixpath.normpath(posixpath.join(posixpath.dirname(path), found.path)))
        if imported is not None and imported.source is not None:
            count = len(split_lines(imported.source.read_bytes()))
            yield f"{where} imports {imported.path}: the one line brings {count} lines with it."


def _loading_notices(path: str, texts: Sequence[str], anchor: int) -> Iterator[str]:
    front = front_matter_end(texts)
    if path.startswith(".claude/rules/") and any(text.startswith("paths:") for text in texts[:front]):
        yield f"{path} loads only after a file that its 'paths' match is read; a probe that reads none never meets it."
    if path.startswith(".claude/skills/") and anchor > front:
        yield f"{path}:{anchor} stands in a skill's text, which loads only when the skill is used."


def _is_blank(data: bytes) -> bool:
    texts = data.removeprefix(BOM).decode("utf-8").split("\n")
    return not any(text.strip() for text in texts[front_matter_end([text.rstrip("\r") for text in texts]) :])
