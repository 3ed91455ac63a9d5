"""What damaged pairs can have hidden.

Invariant: an invalid launch is a missing value, never a negative. Evidence skips it; robustness asks every value it
could have had; and where the arms fail differently the run itself is the finding, not the line.
"""

from __future__ import annotations

import itertools
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


def worst_line(designs: Sequence[ProbeDesign], ordered: Sequence[Pair], gamma: float = GAMMA) -> float | None:
    """The smallest log E_line over everything the missing values could have been; None if there are too many."""
    ordered = [pair for pair in ordered if not pair.void]
    choices = _choices(designs, ordered)
    if choices is None:
        return None
    return min(line_evidence(designs, filled, gamma).line for filled in _fillings(ordered, choices))


def _choices(designs: Sequence[ProbeDesign], ordered: Sequence[Pair]) -> list[tuple[int, ...]] | None:
    """The options worth trying for each missing value, in order of pairs and sides.

    Options nobody chose are alike, so as many of them as the probe misses values stand for all.
    """
    by_id = {design.id: design for design in designs}
    missing = Counter(pair.probe for pair in ordered for side in (pair.with_, pair.without) if side is None)
    if sum(missing.values()) > MAX_MISSING:
        return None
    options: dict[str, tuple[int, ...]] = {}
    for probe, count in missing.items():
        design = by_id[probe]
        seen = {side for pair in ordered if pair.probe == probe for side in (pair.with_, pair.without)}
        named = [c for c in range(len(design.categories)) if c in seen or c == design.asked_for]
        others = [c for c in range(len(design.categories)) if c not in named]
        options[probe] = tuple(named + others[:count])
    choices = [options[pair.probe] for pair in ordered for side in (pair.with_, pair.without) if side is None]
    fillings = 1
    for choice in choices:
        fillings *= len(choice)
    return choices if fillings <= MAX_FILLINGS else None


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
