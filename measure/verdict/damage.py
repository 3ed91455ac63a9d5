"""What damaged pairs can have hidden.

Invariant: an invalid launch is a missing value, never a negative. Evidence skips it; robustness asks every value it
could have had; and where the arms fail differently the run itself is the finding, not the line.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from measure.verdict.design import Pair, ProbeDesign
from measure.verdict.evidence import GAMMA, line_evidence, log_e_plug

MAX_MISSING = 10
"""More missing values than this are not filled in: such a difference does not count as robust."""
MAX_FILLINGS = 4096


def log_e_failing(ordered: Iterable[Pair], gamma: float = GAMMA) -> float:
    """log e that launches fail more often in one arm than in the other, over all pairs of a run."""
    return log_e_plug(
        ((int(pair.with_ is None), int(pair.without is None)) for pair in ordered if not pair.void), gamma
    )


def worst_line(
    designs: Sequence[ProbeDesign], ordered: Sequence[Pair], gamma: float = GAMMA, *, floor: float = -math.inf
) -> float | None:
    """The smallest log E_line over everything the missing values could have been; None if there are too many.

    The search ends at the first value below `floor`: enough to know that the worst case does not reach it.
    """
    ordered = [pair for pair in ordered if not pair.void]
    choices = _choices(designs, ordered)
    if choices is None:
        return None
    worst = math.inf
    for filled in _fillings(ordered, choices):
        worst = min(worst, line_evidence(designs, filled, gamma).line)
        if worst < floor:
            break
    return worst


def _choices(designs: Sequence[ProbeDesign], ordered: Sequence[Pair]) -> list[tuple[int, ...]] | None:
    """The options worth trying for each missing value, in order of pairs and sides, the likely worst ones first.

    Options nobody chose are alike, so as many of them as the probe misses values stand for all.
    """
    by_id = {design.id: design for design in designs}
    with_ = {design.id: Counter[int]() for design in designs}
    without = {design.id: Counter[int]() for design in designs}
    missing = Counter[str]()
    for pair in ordered:
        for side, counts in ((pair.with_, with_), (pair.without, without)):
            if side is None:
                missing[pair.probe] += 1
            else:
                counts[pair.probe][side] += 1
    if missing.total() > MAX_MISSING:
        return None

    def options(probe: str, other_arm: Counter[int]) -> tuple[int, ...]:
        design = by_id[probe]
        named = {*with_[probe], *without[probe], design.asked_for}
        others = [category for category in range(len(design.categories)) if category not in named]
        return (*sorted(named, key=lambda category: (-other_arm[category], category)), *others[: missing[probe]])

    choices = []
    for pair in ordered:
        if pair.with_ is None:
            choices.append(options(pair.probe, without[pair.probe]))
        if pair.without is None:
            choices.append(options(pair.probe, with_[pair.probe]))
    return choices if math.prod(len(choice) for choice in choices) <= MAX_FILLINGS else None


def _fillings(ordered: Sequence[Pair], choices: Sequence[tuple[int, ...]]) -> Iterator[list[Pair]]:
    for values in itertools.product(*choices):
        left = iter(values)
        yield [
            replace(
                pair,
                with_=next(left) if pair.with_ is None else pair.with_,
                without=next(left) if pair.without is None else pair.without,
            )
            if pair.damaged
            else pair
            for pair in ordered
        ]


def shift_limits(design: ProbeDesign, ordered: Iterable[Pair]) -> tuple[float, float] | None:
    """Smallest and largest observed shift of one probe if the missing values could be anything; None without pairs."""
    pairs = [pair for pair in ordered if pair.probe == design.id and not pair.void]
    if not pairs:
        return None
    hits_with = sum(pair.with_ == design.asked_for for pair in pairs)
    hits_without = sum(pair.without == design.asked_for for pair in pairs)
    missing_with = sum(pair.with_ is None for pair in pairs)
    missing_without = sum(pair.without is None for pair in pairs)
    n = len(pairs)
    return ((hits_with - hits_without - missing_without) / n, (hits_with + missing_with - hits_without) / n)
