"""What would settle an open axis: how many more pairs, and under which assumption.

Invariant: a projection plays the very rule that would decide, so what it says is what would happen if the assumption
held. It says nothing about whether the assumption holds.
"""

from __future__ import annotations

import math
from typing import Literal

from measure.verdict.design import ProbeDesign
from measure.verdict.look import Look, look_at
from measure.verdict.parameters import Parameters
from measure.verdict.replay import Answer, replay
from measure.verdict.result import Settling
from measure.verdict.stopping import StopReason

HORIZON = 40
"""Further rounds looked ahead; what takes longer is not offered."""


def settling_of(look: Look, parameters: Parameters) -> tuple[Settling, ...]:
    """Ways to settle the axis: by identical pairs, and by pairs like those so far where that is another way."""
    if not look.sound:
        return ()
    ways = [_project(look, parameters, "identical", _identical)]
    if any(pair.with_ != pair.without for pair in look.pairs if not pair.damaged):
        ways.append(_project(look, parameters, "as-so-far", _as_so_far(look)))
    return tuple(way for way in ways if way is not None)


def _identical(design: ProbeDesign, _: int) -> tuple[int, int]:
    return design.asked_for, design.asked_for


def _as_so_far(look: Look) -> Answer:
    """Each probe gives its own complete pairs again, in their order, over and over."""
    own = {
        design.id: [(pair.with_, pair.without) for pair in look.pairs if pair.probe == design.id and not pair.damaged]
        for design in look.sound
    }
    taken = {design.id: sum(pair.probe == design.id for pair in look.pairs) for design in look.sound}

    def answer(design: ProbeDesign, nth: int) -> tuple[int | None, int | None]:
        known = own[design.id]
        return known[(nth - taken[design.id]) % len(known)] if known else _identical(design, nth)

    return answer


def _project(
    look: Look, parameters: Parameters, assuming: Literal["identical", "as-so-far"], answer: Answer
) -> Settling | None:
    # A longer cap also takes in what a fixed design or the present cap would have left open.
    longer = parameters.model_copy(update={"max_rounds": look.rounds + 1 + HORIZON, "repeats": None})
    end = replay(look.sound, longer, answer, start=look.pairs)
    added = len(end.pairs) - len(look.pairs)
    if end.reason is not StopReason.SETTLED or added == 0:
        return None
    then = look_at(look.sound, end.pairs, longer)
    return Settling(
        verdict="difference" if then.robust(longer) else "zero-difference",
        assuming=assuming,
        pairs=added,
        launches=2 * added,
        rounds=math.ceil(len(end.pairs) / len(look.sound)),
    )
