"""Text of others, made so that all of it can be seen and none of it steers what shows it.

Invariant: what comes out holds no control character but the line feed and the tab, and nothing that turns the direction
of what follows; each one that was there stands as a visible escape.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from measure.judge.reading import Reading, Span

JOINERS = "\u200c\u200d"
"""Needed to write Persian, Indic scripts and composed emoji; they move nothing."""
HIDING = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def visible(text: str) -> str:
    """`text` with every character that can't be seen, or that reorders others, as `\\u{…}`."""
    return "".join(char if _harmless(char) else f"\\u{{{ord(char):x}}}" for char in text.replace("\r\n", "\n"))


def _harmless(char: str) -> bool:
    return char in "\n\t" or char in JOINERS or unicodedata.category(char) not in HIDING


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of an answer and what the judge used it for."""

    text: str
    read: bool = False
    """The judge relied on it for the outcome."""
    hole: bool = False
    """It reports that a provision is missing."""


def segments(answer: str, reading: Reading | None) -> tuple[Segment, ...]:
    """The whole answer in stretches that are marked alike; overlapping marks are kept apart."""
    spans: tuple[Span, ...] = reading.spans if reading is not None else ()
    hole = reading.hole_report if reading is not None else None
    cuts = {0, len(answer)}
    for span in (*spans, *([hole] if hole is not None else [])):
        cuts |= {min(max(0, span.start), len(answer)), min(max(0, span.end), len(answer))}
    ordered = sorted(cuts)
    return tuple(
        Segment(visible(answer[start:end]), read=_in(start, spans), hole=hole is not None and _in(start, [hole]))
        for start, end in pairwise(ordered)
    )


def _in(position: int, spans: Iterable[Span]) -> bool:
    return any(span.start <= position < span.end for span in spans)
