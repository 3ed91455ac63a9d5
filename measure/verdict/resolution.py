"""What a plan can tell before anything is launched: its cost at most and likely, and the effects it can resolve.

Invariant: every figure comes from playing the declared rule against assumed answers, so a plan that can't reach a
verdict says so beforehand.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from measure.probe.model import Axis
from measure.verdict.design import ProbeDesign
from measure.verdict.equivalence import Shifts
from measure.verdict.interval import shift_bounds
from measure.verdict.parameters import Parameters
from measure.verdict.replay import Answer, replay
from measure.verdict.stopping import StopReason, axes_of

Launches = Annotated[int, Field(ge=2)]


class _Frozen(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class AxisResolution(_Frozen):
    """What one axis of a plan can resolve. Launch counts are of this axis alone; None: not within the plan."""

    axis: Axis
    probes: Annotated[int, Field(ge=1)]
    launches_at_most: Launches
    excludes_at_best: float
    """Smallest average shift that could be excluded: all pairs identical up to the last round. 1: none."""
    excludes_per_probe_at_best: float
    """The same for any single probe."""
    zero_after: Launches | None
    """Launches to a zero-difference if every pair is identical."""
    full_flip_after: Launches | None
    """Launches to a difference if every probe always flips."""
    single_flip_after: Launches | None
    """Launches to a difference if one probe always flips and the others are identical."""


class Resolution(_Frozen):
    """What a plan costs in launches and can resolve."""

    axes: tuple[AxisResolution, ...]
    launches_at_most: Launches
    launches_if_steady: Launches
    """Likely where behaviour does not vary and the arms are equal."""
    launches_if_flipped: Launches
    """Likely where every probe flips on both axes."""


def resolve(designs: Sequence[ProbeDesign], parameters: Parameters) -> Resolution:
    """Work out a plan. Raises ValueError without probes."""
    if not designs:
        raise ValueError("at least one probe is needed")
    return Resolution(
        axes=tuple(_axis([d for d in designs if d.axis is axis], parameters) for axis in axes_of(designs)),
        launches_at_most=2 * len(designs) * parameters.rounds_at_most,
        launches_if_steady=replay(designs, parameters, _identical).launches,
        launches_if_flipped=replay(designs, parameters, _flipped, each_pair=True).launches,
    )


def _axis(designs: Sequence[ProbeDesign], parameters: Parameters) -> AxisResolution:
    rounds = parameters.rounds_at_most
    first = designs[0].id

    def one_flips(design: ProbeDesign, nth: int) -> tuple[int, int]:
        return _flipped(design, nth) if design.id == first else _identical(design, nth)

    return AxisResolution(
        axis=designs[0].axis,
        probes=len(designs),
        launches_at_most=2 * len(designs) * rounds,
        excludes_at_best=shift_bounds(Shifts(same=len(designs) * rounds), parameters.alpha, parameters.bets)[1],
        excludes_per_probe_at_best=shift_bounds(Shifts(same=rounds), parameters.alpha, parameters.bets)[1],
        zero_after=_settled_after(designs, parameters, _identical),
        full_flip_after=_settled_after(designs, parameters, _flipped),
        single_flip_after=_settled_after(designs, parameters, one_flips),
    )


def _settled_after(designs: Sequence[ProbeDesign], parameters: Parameters, answer: Answer) -> int | None:
    # A fixed design stops for its count, not for its verdict: ask the same rounds as a cap instead.
    asked = parameters.model_copy(update={"repeats": None, "max_rounds": parameters.rounds_at_most})
    if parameters.repeats is not None:
        asked = asked.model_copy(update={"top_up_pairs": 0})
    end = replay(designs, asked, answer, each_pair=True)
    if end.reason is not StopReason.SETTLED:
        return None
    return end.launches if parameters.repeats is None else 2 * len(designs) * parameters.repeats


def _identical(design: ProbeDesign, _: int) -> tuple[int, int]:
    return design.asked_for, design.asked_for


def _flipped(design: ProbeDesign, _: int) -> tuple[int, int]:
    return design.asked_for, 1 if design.asked_for == 0 else 0


def likely_launches(
    designs: Sequence[ProbeDesign], parameters: Parameters, flip_rate: float, *, runs: int = 100, seed: int = 0
) -> int:
    """Launches on average for equal arms that vary as a noise band says, rounded to whole pairs.

    `flip_rate` is the share of pairs of one arm with itself that differ, 0 to 0.5; an answer is then the asked-for
    one with a probability p of 2 p (1 - p) = flip_rate. A simulation of the declared rule, the same for the same seed.
    """
    rate = min(max(flip_rate, 0.0), 0.5)
    steady = (1 + (1 - 2 * rate) ** 0.5) / 2
    drawn = random.Random(seed)

    def noisy(design: ProbeDesign, _: int) -> tuple[int, int]:
        usual, other = _flipped(design, 0)
        return (usual if drawn.random() < steady else other, usual if drawn.random() < steady else other)

    pairs = sum(len(replay(designs, parameters, noisy).pairs) for _ in range(runs))
    return 2 * max(1, round(pairs / runs))
