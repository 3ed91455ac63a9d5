"""Do two requests differ in the intended line, and in nothing else?

Invariant: `compare` gives a `Shown` only if every line in which the bodies differ is the contrast's own, or is there
because of it in one of two stated ways: the client's words around a file that is blank without the line, and files
that the line imports. Everything else is a `Mismatch` that keeps what differs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Final

from measure.context.request import Request
from measure.context.sources import FileText, Sources, fold
from measure.contrast import Contrast
from measure.surface.place import find_place

_SLOW: Final = 4_000
"""Above so many lines in question, lines that are very common are not used to align the bodies."""


@dataclass(frozen=True, slots=True)
class Hunk:
    """One stretch in which the bodies differ; blank lines are left out."""

    gone: tuple[str, ...]
    """Lines that only the baseline has."""
    came: tuple[str, ...]
    """Lines that only the variant has."""


@dataclass(frozen=True, slots=True)
class Shown:
    """The contrast is in the requests, and nothing else is."""

    gone: tuple[str, ...]
    came: tuple[str, ...]
    times: int
    """In how many places the one edit shows."""
    framing: tuple[str, ...] = ()
    brought: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Absent:
    """The bodies are equal: the contrast is in neither request."""


@dataclass(frozen=True, slots=True)
class Mismatch:
    """The bodies differ in other lines than the contrast's, or in more."""

    gone: tuple[str, ...]
    """Lines of the baseline that are not the contrast's."""
    came: tuple[str, ...]
    shown: bool
    """Whether the contrast is there as well."""
    reordered: bool = field(default=False)
    """The same lines, in another order."""


def compare(
    baseline: Sources, variant: Sources, contrast: Contrast, imported: tuple[str, ...] = ()
) -> Shown | Absent | Mismatch:
    """Compare the requests of both arms. `imported` names the files that the contrast's line imports."""
    hunks = differences(baseline.request, variant.request)
    if not hunks:
        return Absent()
    before, after = baseline.file(contrast.path), variant.file(contrast.path)
    assert before is not None
    assert after is not None
    wanted = Hunk(texts_of(contrast.before), texts_of(contrast.after))
    values = _values(before, after)
    times = 0
    rest: list[Hunk] = []
    for hunk in hunks:
        left = _without(hunk, wanted)
        if left is None and _is_value(hunk, values):
            left = Hunk((), ())
        if left is None:
            rest.append(hunk)
            continue
        times += 1
        if left.gone or left.came:
            rest.append(left)
    gone = tuple(line for hunk in rest for line in hunk.gone)
    came = tuple(line for hunk in rest for line in hunk.came)
    if times and not (gone or came):
        return _shown(hunks, times)
    if is_exactly(hunks, wanted):
        return _shown(hunks, 1)
    if times and (not gone or not came):
        side, extra = (baseline, gone) if gone else (variant, came)
        file, other = (before, after) if gone else (after, before)
        framing, brought = _explained(side, extra, file, other, imported)
        if framing is not None:
            return _shown(hunks, times, framing, brought)
    return Mismatch(gone, came, times > 0, bool(gone) and Counter(gone) == Counter(came))


def all_of(hunks: Sequence[Hunk]) -> Mismatch:
    """Everything that differs, where none of it should."""
    gone = tuple(line for hunk in hunks for line in hunk.gone)
    return Mismatch(gone, tuple(line for hunk in hunks for line in hunk.came), shown=False)


def is_exactly(hunks: Sequence[Hunk], wanted: Hunk) -> bool:
    """Whether all that differs, wherever an alignment of the bodies puts it, is the contrast's lines, once."""
    gone = Counter(line for hunk in hunks for line in hunk.gone)
    came = Counter(line for hunk in hunks for line in hunk.came)
    return gone == Counter(wanted.gone) and came == Counter(wanted.came)


def differences(baseline: Request, variant: Request) -> list[Hunk]:
    """All stretches in which two requests differ, but for blank lines."""
    left, right = baseline.lines, variant.lines
    start = 0
    shorter = min(len(left), len(right))
    while start < shorter and left[start] == right[start]:
        start += 1
    end = 0
    while end < shorter - start and left[-1 - end] == right[-1 - end]:
        end += 1
    old, new = left[start : len(left) - end], right[start : len(right) - end]
    matcher = SequenceMatcher(None, old, new, autojunk=max(len(old), len(new)) > _SLOW)
    hunks = (
        Hunk(_stripped(old[a:b]), _stripped(new[c:d])) for tag, a, b, c, d in matcher.get_opcodes() if tag != "equal"
    )
    return [hunk for hunk in hunks if hunk.gone != hunk.came]


def _stripped(lines: tuple[str, ...]) -> tuple[str, ...]:
    # The client takes white space off both ends of a file, so a line that comes to stand there may lose some.
    return tuple(text for line in lines if (text := line.strip()))


def texts_of(data: bytes) -> tuple[str, ...]:
    """The lines of an edit as they are compared: without white space at their ends, blank ones left out."""
    return _stripped(tuple(data.decode("utf-8", "replace").removeprefix("\ufeff").split("\n")))


def _shown(hunks: list[Hunk], times: int, framing: tuple[str, ...] = (), brought: tuple[str, ...] = ()) -> Shown:
    gone = tuple(line for hunk in hunks for line in hunk.gone)
    came = tuple(line for hunk in hunks for line in hunk.came)
    return Shown(gone, came, times, framing, brought)


def _without(hunk: Hunk, wanted: Hunk) -> Hunk | None:
    """What is left of a hunk without the contrast's lines, once; None where it does not hold them."""
    gone, came = _cut(hunk.gone, wanted.gone), _cut(hunk.came, wanted.came)
    if gone is None or came is None or not (wanted.gone or wanted.came):
        return None
    return Hunk(gone, came)


def _cut(lines: tuple[str, ...], run: tuple[str, ...]) -> tuple[str, ...] | None:
    if not run:
        return lines
    for at in range(len(lines) - len(run) + 1):
        if lines[at : at + len(run)] == run:
            return lines[:at] + lines[at + len(run) :]
    return None


def _values(before: FileText, after: FileText) -> tuple[str, str] | None:
    """The one value of front matter that the contrast changes, in both arms; None where it changes none, or several."""
    tables = [file.front.table if file.front is not None else {} for file in (before, after)]
    changed = [key for key in {**tables[0], **tables[1]} if tables[0].get(key) != tables[1].get(key)]
    if len(changed) != 1:
        return None
    old, new = tables[0].get(changed[0]), tables[1].get(changed[0])
    return (fold(old), fold(new)) if isinstance(old, str) and isinstance(new, str) else None


def _is_value(hunk: Hunk, values: tuple[str, str] | None) -> bool:
    """Whether a hunk is the change of that value as a list shows it, whole."""
    if values is None:
        return False
    old, new = fold(" ".join(hunk.gone)), fold(" ".join(hunk.came))
    at = old.find(values[0])
    return at >= 0 and old[:at] + values[1] + old[at + len(values[0]) :] == new


def _explained(
    side: Sources, extra: tuple[str, ...], file: FileText, other: FileText, imported: tuple[str, ...]
) -> tuple[tuple[str, ...] | None, tuple[str, ...]]:
    """Why further lines come or go with the contrast's: framing and the files brought; None where they don't."""
    theirs = {line.strip() for found in side.files if found.path in imported for line in found.lines}
    headers = {f"/{path}" for path in imported}
    left = []
    brought = set()
    for line in extra:
        if line in theirs:
            continue
        if any(f"{header} (" in line or line.endswith(f"{header}:") for header in headers):
            continue
        left.append(line)
    if imported and len(left) < len(extra):
        brought = {path for path in imported if (found := side.file(path)) is not None and found.copies}
    if not left:
        return (), tuple(sorted(brought))
    if not _is_blank(other):
        return None, ()
    own = {line.strip() for found in side.files for line in found.lines if line.strip()}
    return (None, ()) if own & set(left) else (tuple(left), tuple(sorted(brought)))


def _is_blank(file: FileText) -> bool:
    """Whether the client has nothing to show of a file: no text, or nothing but comments."""
    lines = file.lines
    return all(
        not line.strip() or (file.has_comments and find_place(lines, number).in_comment)
        for number, line in enumerate(lines, start=1)
        if number > file.head
    )
