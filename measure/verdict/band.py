"""The noise band: how far an arm lies from itself.

Invariant: a band is measured with two identical arms and belongs to one axis under one condition; it is stored with
its n and never widened or carried over. It guards the test, it does not replace it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import count
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from measure.errors import RequestError
from measure.probe.model import Axis
from measure.verdict.binomial import clopper_pearson
from measure.verdict.design import Pair, ProbeDesign, in_order
from measure.verdict.equivalence import Shifts, log_e_ge, shifts_by_slot
from measure.verdict.interval import shift_bounds
from measure.verdict.look import look_at
from measure.verdict.parameters import CHEAP, Parameters
from measure.verdict.result import Interval, Steadiness, Whole


class Band(BaseModel):
    """Two identical arms on one axis, as measured."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)
    axis: Axis
    probes: tuple[str, ...]
    pairs: Annotated[int, Field(ge=1)]
    """Complete pairs."""
    damaged: Whole
    flips: Whole
    """Complete pairs whose outcomes differ."""
    flip_rate: Interval
    """Exact 95 % interval of the share of flips."""
    shift: Interval | None
    """Mean shifts outside are excluded (complete rounds, one-sided 95 % each side); None before the first round."""
    log_e_line: float
    """Evidence that the identical arms differ; natural logarithm."""
    gate_passed: bool
    """False: the identical arms differed. The instrument is broken, or this is the one in twenty."""

    @property
    def floor(self) -> float:
        """The smallest margin this band allows: the larger side of its shift bound, 1 where there is none."""
        return 1.0 if self.shift is None else max(-self.shift.low, self.shift.high)


def measure_band(designs: Sequence[ProbeDesign], pairs: Iterable[Pair], parameters: Parameters) -> Band | None:
    """The band of one axis from a run with identical arms; None without a complete pair.

    Raises ValueError for probes of several axes.
    """
    if len({design.axis for design in designs}) != 1:
        raise ValueError("a band belongs to exactly one axis")
    look = look_at(designs, in_order(designs, pairs), parameters)
    if not look.complete:
        return None
    flips = sum(not pair.damaged and pair.with_ != pair.without for pair in look.pairs)
    low, high = clopper_pearson(flips, look.complete)
    return Band(
        axis=designs[0].axis,
        probes=tuple(design.id for design in look.sound),
        pairs=look.complete,
        damaged=look.damaged,
        flips=flips,
        flip_rate=Interval(low=low, high=high),
        shift=excluded(look.sound, look.balanced, parameters) if look.rounds else None,
        log_e_line=look.line.line,
        gate_passed=not look.shows_difference(parameters),
    )


def excluded(designs: Sequence[ProbeDesign], rounds: Sequence[Pair], parameters: Parameters) -> Interval:
    """Bounds of the mean shift of the asked-for category from complete rounds."""
    low, high = shift_bounds(shifts_by_slot(designs, rounds)[0], parameters.alpha, parameters.bets)
    return Interval(low=low, high=high)


def bars_zero(parameters: Parameters, band: Band) -> bool:
    """Whether a margin is finer than the noise that was seen, which alone could fill it: no zero-difference then.

    A difference needs no margin; its error level holds without any band.
    """
    return band.flips > 0 and parameters.margin < band.floor


def says_nothing(parameters: Parameters, band: Band) -> bool:
    """Whether no noise was seen in too few pairs to tell that there is none as large as the margin.

    Such a band is worth what none is: a run is not held to it, and does not claim to stand on it.
    """
    return band.flips == 0 and parameters.margin < band.floor


def why_set_aside(parameters: Parameters, band: Band, run_id: str) -> str | None:
    """What a plan says of a band that says nothing; None where it says something."""
    if not says_nothing(parameters, band):
        return None
    return (
        f"The noise band of run {run_id} is not used for the {band.axis} axis: {band.pairs} identical pairs without a "
        f"flip leave shifts of up to {band.floor:g} open, and the margin is {parameters.margin:g}. "
        f"{_finer(parameters, band)}"
    )


def why_no_zero(parameters: Parameters, band: Band, run_id: str) -> str | None:
    """What a plan says of a band that bars a zero-difference, and what would lift that; None where it bars nothing."""
    if not bars_zero(parameters, band):
        return None
    return (
        f"A zero-difference of the {band.axis} axis is out of reach, a difference is not: the noise band of run "
        f"{run_id} ({band.flips} of {band.pairs} identical pairs flipped) leaves shifts of up to {band.floor:g} "
        f"between identical arms open, and the margin is {parameters.margin:g}. {_finer(parameters, band)}"
    )


def refuse_broken(band: Band) -> None:
    """Raise RequestError where identical arms were found to differ: nothing can be measured on such an instrument."""
    if not band.gate_passed:
        raise RequestError(
            f"The noise band of the {band.axis} axis found a difference between two identical arms.",
            hint="Find out what differs between the launches, then measure the band again.",
        )


def _finer(parameters: Parameters, band: Band) -> str:
    """What would let a run go on: a band of so many pairs, or the coarser profile where this band allows that."""
    pairs = pairs_for(parameters, band)
    rounds = None if pairs is None else math.ceil(pairs / max(1, len(band.probes)))
    ways = [f"measure the band with more pairs: 'measure band … --repeats {rounds}'"] if rounds is not None else []
    if parameters.margin < CHEAP.margin and band.floor <= CHEAP.margin:
        ways.append("take coarser margins: --profile cheap")
    if not ways:
        ways.append("choose probes whose answers vary less: with these, noise alone fills the margin")
    words = ", or ".join(ways)
    return f"{words[0].upper()}{words[1:]}."


def repeats_for(probes: int, parameters: Parameters, *, flips_each_way: int = 0) -> int:
    """The fewest pairs for each of `probes` with which a band allows the margin, so many of all flipping up and down.

    At the usual margin of .2 that takes 15 identical pairs: 8 repeats of 2 probes, 5 of 3, 4 of 4, 3 of 5.
    """

    def allows(repeats: int) -> bool:
        return open_shift(probes * repeats, parameters, flips_each_way=flips_each_way) <= parameters.margin

    return next(repeats for repeats in count(1) if probes * repeats > 2 * flips_each_way and allows(repeats))


def open_shift(pairs: int, parameters: Parameters, *, flips_each_way: int = 0) -> float:
    """The shift that so many pairs of identical arms leave open, all alike but `flips_each_way` up and as many down."""
    shifts = Shifts(up=flips_each_way, same=pairs - 2 * flips_each_way, down=flips_each_way)
    return shift_bounds(shifts, parameters.alpha, parameters.bets)[1]


MOST_PAIRS = 2_000
"""A band of more pairs than that is not advised to anybody."""


def pairs_for(parameters: Parameters, band: Band) -> int | None:
    """How many pairs a band of such steadiness needs to allow the margin, flips going either way alike.

    None where that takes more than `MOST_PAIRS`.
    """
    rate = band.flips / band.pairs

    def allows(pairs: int) -> bool:
        each_way = math.ceil(rate * pairs / 2)
        shifts = Shifts(up=each_way, same=max(0, pairs - 2 * each_way), down=each_way)
        return log_e_ge(shifts, parameters.margin, parameters.bets) >= parameters.log_threshold

    return next((pairs for pairs in range(band.pairs, MOST_PAIRS + 1) if allows(pairs)), None)


def steadiness(designs: Sequence[ProbeDesign], ordered: Iterable[Pair]) -> Steadiness:
    """An arm against itself within a run: answers of rounds 1 and 2, 3 and 4 and so on, per probe and arm.

    Each answer is used once, so the comparisons do not depend on each other. Void pairs and missing answers are left
    out.
    """
    answers: dict[tuple[str, str], list[int | None]] = {}
    known = {design.id for design in designs}
    for pair in ordered:
        if pair.probe in known and not pair.void:
            answers.setdefault((pair.probe, "with"), []).append(pair.with_)
            answers.setdefault((pair.probe, "without"), []).append(pair.without)
    twos = [
        (first, second)
        for given in answers.values()
        for first, second in zip(given[::2], given[1::2], strict=False)
        if first is not None and second is not None
    ]
    flips = sum(first != second for first, second in twos)
    if not twos:
        return Steadiness(flips=0, of=0, rate=None)
    low, high = clopper_pearson(flips, len(twos))
    return Steadiness(flips=flips, of=len(twos), rate=Interval(low=low, high=high))
