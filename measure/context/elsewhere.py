"""Where else the words of the contrast's line stand in what the arm without it is given.

Invariant: only the request of the arm without the line is looked at, so the line's own place never counts; nor does a
header by which the client names a file, which says what is loaded and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from measure.context.proof import Elsewhere
from measure.context.sameness import Likeness, Wanted
from measure.context.sources import Sources, Spot

MOST: Final = 5
"""So many places are told."""
_SPREAD: Final = 3
"""Lines over which a restatement may be wrapped."""
_SHOWN: Final = 200


def find_elsewhere(line: str, without: Sources, prompts: tuple[str, ...] = ()) -> tuple[Elsewhere, ...]:
    """Places that hold `line`, the same ones first. `prompts` are what probes say, which is not what is loaded."""
    found: list[Elsewhere] = []
    for text in line.split("\n"):
        wanted = Wanted(text)
        if wanted.tellable:
            found += _places(wanted, without, {prompt.strip() for prompt in prompts})
    found.sort(key=lambda one: one.likeness == "near")
    return tuple(dict.fromkeys(found))[:MOST]


def _places(wanted: Wanted, without: Sources, prompts: set[str]) -> Iterator[Elsewhere]:
    for number, piece in enumerate(without.request.pieces):
        if piece.text.strip() in prompts:
            continue
        lines = ["" if Spot(number, at) in without.headers else line for at, line in enumerate(piece.text.split("\n"))]
        whole = "\n".join(lines)
        if wanted.find(whole) is None:
            continue
        told = False
        for at, likeness in _lines(wanted, lines):
            told = True
            text = " ".join(lines[at].split())[:_SHOWN]
            yield Elsewhere(
                source=without.whose(Spot(number, at)), place=piece.place.value, likeness=likeness.kind, text=text
            )
        if not told:
            spread = wanted.find(whole)
            assert spread is not None
            yield Elsewhere(
                source="several lines together",
                place=piece.place.value,
                likeness=spread.kind,
                text=spread.words[:_SHOWN],
            )


def _lines(wanted: Wanted, lines: list[str]) -> Iterator[tuple[int, Likeness]]:
    """Single lines that hold it; where none does, the first line of a few that do together."""
    single = [(at, likeness) for at, line in enumerate(lines) if (likeness := wanted.find(line)) is not None]
    if single:
        yield from single
        return
    for at in range(len(lines)):
        if (likeness := wanted.find("\n".join(lines[at : at + _SPREAD]))) is not None:
            yield at, likeness
            return
