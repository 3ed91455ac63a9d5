"""Evidence that a shift is smaller than a margin: one-sided betting e-values on the signed shift of a pair.

Invariant: a zero-difference is a worst-case claim. It looks only at complete rounds, fills each damaged pair with
the value that speaks most against it, asks every option and every single probe, and any one of them can refuse it.

A pair's shift D is 1, 0 or -1: the indicator of an option with the line minus the one without. For fixed fractions f
the product of 1 + f (m - D)/(1 - m) has expectation at most 1 when the mean shift over the probes of a round is m or
more (Waudby-Smith and Ramdas, arXiv:2010.09686, and the inequality of arithmetic and geometric means for unequal
probes); so it depends on counts only. It holds for complete rounds only: inside a round single factors may exceed 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from measure.verdict.design import Pair, ProbeDesign
from measure.verdict.parameters import BETS, Bet, Parameters


@dataclass(frozen=True, slots=True)
class Shifts:
    """How many pairs shifted up (D = 1), down (D = -1) or not at all, and how many are damaged."""

    up: int = 0
    same: int = 0
    down: int = 0
    damaged: int = 0

    @classmethod
    def of(cls, values: Iterable[int]) -> Shifts:
        """Counts of a sequence of D."""
        listed = list(values)
        return cls(up=listed.count(1), same=listed.count(0), down=listed.count(-1))

    @property
    def mirrored(self) -> Shifts:
        """The counts of -D."""
        return Shifts(up=self.down, same=self.same, down=self.up, damaged=self.damaged)

    @property
    def pairs(self) -> int:
        """All pairs, damaged ones included."""
        return self.up + self.same + self.down + self.damaged


def log_e_ge(shifts: Shifts, margin: float, bets: Sequence[Bet] = BETS) -> float:
    """log e against "the mean shift is `margin` or more"; damaged pairs count as D = 1. `margin` is in (-1, 1)."""
    up = shifts.up + shifts.damaged
    terms: list[float] = []
    for bet in bets:
        log_e = math.log(bet.weight)
        for shift, count in ((1, up), (0, shifts.same), (-1, shifts.down)):
            if count:
                factor = 1 + bet.fraction * ((margin - shift) / (1 - margin))
                log_e = log_e + count * math.log(factor) if factor > 0 else -math.inf
        terms.append(log_e)
    high = max(terms)
    return high + math.log(math.fsum(math.exp(term - high) for term in terms))


def log_e_le(shifts: Shifts, margin: float, bets: Sequence[Bet] = BETS) -> float:
    """log e against "the mean shift is -`margin` or less"; damaged pairs count as D = -1."""
    return log_e_ge(shifts.mirrored, margin, bets)


def log_e_within(shifts: Shifts, margin: float, bets: Sequence[Bet] = BETS) -> float:
    """The weaker of both sides: log e for "the shift lies inside ±`margin`"."""
    return min(log_e_ge(shifts, margin, bets), log_e_le(shifts, margin, bets))


def shifts_by_slot(designs: Sequence[ProbeDesign], ordered: Iterable[Pair]) -> tuple[Shifts, ...]:
    """Shifts of each option over all pairs of the probes, the asked-for option first.

    Probes of unequal numbers of options are put side by side by rank; an option a probe lacks does not shift there.
    """
    by_id = {design.id: design for design in designs}
    slots = max((len(design.categories) for design in designs), default=0)
    up, down = [0] * slots, [0] * slots
    complete = damaged = 0
    for pair in ordered:
        design = by_id.get(pair.probe)
        if design is None or pair.void:
            continue
        if pair.with_ is None or pair.without is None:
            damaged += 1
            continue
        complete += 1
        if pair.with_ != pair.without:
            up[design.slot(pair.with_)] += 1
            down[design.slot(pair.without)] += 1
    return tuple(Shifts(up=u, same=complete - u - d, down=d, damaged=damaged) for u, d in zip(up, down, strict=True))


@dataclass(frozen=True, slots=True)
class ZeroEvidence:
    """Evidence for a zero-difference on complete rounds; natural logarithms of e-values.

    `mean` is against an average shift of `margin`, `probes` against a shift of `probe_margin` in each probe; `least`
    is the smallest of all, and it is an e-value too.
    """

    mean: float
    probes: Mapping[str, float]

    @property
    def least(self) -> float:
        """The value that decides: every part must reach the threshold."""
        return min(self.mean, *self.probes.values())


def zero_evidence(designs: Sequence[ProbeDesign], rounds: Sequence[Pair], parameters: Parameters) -> ZeroEvidence:
    """Evidence of one axis; `rounds` holds complete balanced rounds and nothing else."""

    def least(of: Sequence[ProbeDesign], margin: float) -> float:
        slots = shifts_by_slot(of, rounds)
        return min(log_e_within(shifts, margin, parameters.bets) for shifts in set(slots))

    return ZeroEvidence(
        mean=least(designs, parameters.margin),
        probes={design.id: least((design,), parameters.probe_margin) for design in designs},
    )
