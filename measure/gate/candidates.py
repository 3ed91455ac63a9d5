"""The lines of a change that a measurement could be about, in the words `measure run` takes.

Invariant: a candidate's place is a place in the base, where the line stands; `on_head` says how the same contrast is
asked for where the line is gone already, and is None where it can't be.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from enum import StrEnum
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from measure.gate.firing import Changed, Firing, Replacement


class CandidateKind(StrEnum):
    """What became of the line."""

    DELETED = "deleted"
    """It went and nothing came in its place."""
    CHANGED = "changed"
    """Other text came in its place."""
    MOVED = "moved"
    """The same text was added elsewhere in the governed paths by this change."""


class OnHead(BaseModel):
    """The contrast as it is asked for in a workspace at the head: option, place, text."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    option: Literal["--add", "--replace"]
    """`--add`: the variant has the line back. `--replace`: the variant has the old line in the new one's place."""
    place: str
    text: str


class Candidate(BaseModel):
    """One line that this change takes away."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    drop: str
    """PATH:LINE in the base: what `measure run --drop` takes in a workspace that stands at the base."""
    kind: CandidateKind
    text: str
    """The line without its line end."""
    on_head: OnHead | None = Field(None)
    """None where the file is gone, or the line is no valid UTF-8."""


def find_candidates(firing: Firing) -> tuple[Candidate, ...]:
    """All lines that went, in the order of files and lines. Blank lines are left out: there is nothing to ask."""
    added = Counter(_body(line) for one in firing.files if one.text for part in one.replacements for line in part.new)
    return tuple(
        candidate
        for one in firing.files
        if one.text
        for part in one.replacements
        for candidate in _of(one, part, added)
    )


def _of(one: Changed, part: Replacement, added: Counter[bytes]) -> Iterator[Candidate]:
    paired = len(part.old) == len(part.new)
    for offset, line in enumerate(part.old):
        body = _body(line)
        if not body.strip():
            continue
        kind = CandidateKind.CHANGED if part.new else CandidateKind.DELETED
        if added[body] > 0:
            added[body] -= 1
            kind = CandidateKind.MOVED
        yield Candidate(
            drop=f"{one.path}:{part.old_first + offset}",
            kind=kind,
            text=body.decode("utf-8", "replace"),
            on_head=_on_head(one, part, body, offset, paired=paired),
        )


def _on_head(one: Changed, part: Replacement, body: bytes, offset: int, *, paired: bool) -> OnHead | None:
    if one.gone:
        return None
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        return None
    if paired:
        return OnHead(option="--replace", place=f"{one.path}:{part.new_first + offset}", text=text)
    # With nothing in their place, the lines stood after `new_first`; else after the last of those that came.
    after = part.new_first + max(0, len(part.new) - 1)
    return OnHead(option="--add", place=f"{one.path}:{after}", text=text)


def _body(line: bytes) -> bytes:
    return line.removesuffix(b"\n").removesuffix(b"\r")
