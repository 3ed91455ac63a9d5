"""How the evidence of one axis grew, pair by pair, for people who look at a run.

Invariant: every point is the look that the stopping rule itself would have taken after that pair, so a curve can't tell
another story than the run did.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from measure.verdict.design import Pair, ProbeDesign, in_order
from measure.verdict.look import look_at
from measure.verdict.parameters import Parameters


@dataclass(frozen=True, slots=True)
class Grown:
    """The axis after one more of its pairs; natural logarithms of e-values."""

    pairs: int
    """Pairs of the axis so far, damaged ones among them."""
    rounds: int
    """Complete rounds so far."""
    difference: float
    zero: float | None
    """Least e-value for a zero-difference; None before the first complete round."""


def growth(designs: Sequence[ProbeDesign], pairs: Iterable[Pair], parameters: Parameters) -> tuple[Grown, ...]:
    """The points of one axis in canonical order. `designs` are the axis's probes; pairs of others are passed over."""
    mine = {design.id for design in designs}
    own = in_order(designs, (pair for pair in pairs if pair.probe in mine))
    points = []
    for number in range(1, len(own) + 1):
        look = look_at(designs, own[:number], parameters)
        zero = look.zero.least if look.zero is not None else None
        points.append(Grown(number, look.rounds, look.difference, zero))
    return tuple(points)
