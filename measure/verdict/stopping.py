"""What to launch next, or that it is settled: a pure function of the declared designs and the pairs so far.

Invariant: a difference may end an axis at any pair; a zero-difference only at the end of a round; the cap ends it as
undecided. Launches never exceed two per probe and round at most, top-ups included. The rule sees no clock, no price
and nothing of an arm but its outcomes, so the same pairs always give the same next step.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import log

from measure.probe.model import Axis
from measure.verdict.damage import log_e_failing
from measure.verdict.design import Pair, ProbeDesign, before_open, in_order
from measure.verdict.look import Look, look_at
from measure.verdict.parameters import Parameters


class StopReason(StrEnum):
    """Why nothing more is launched, the one that leaves most open first."""

    CAP = "cap"
    """The rounds are used up and at least one axis is open."""
    REPEATS_DONE = "repeats-done"
    """A fixed design is complete."""
    SETTLED = "settled"
    """Every axis that can be settled has its difference or zero-difference."""
    INVALID = "invalid"
    """No axis can still give a valid verdict."""


@dataclass(frozen=True, slots=True)
class Stop:
    """Launch nothing more."""

    reason: StopReason


@dataclass(frozen=True, slots=True)
class Round:
    """Launch one pair for each of `probes`, in any shuffled order: all that round `number` (from 1) still lacks."""

    number: int
    probes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TopUp:
    """Launch one more pair for the most suspicious probe, marked as `topup`."""

    probe: str


Step = Stop | Round | TopUp


def axes_of(designs: Iterable[ProbeDesign]) -> tuple[Axis, ...]:
    """The axes that have probes, in the order of `Axis`."""
    present = {design.axis for design in designs}
    return tuple(axis for axis in Axis if axis in present)


def next_step(
    designs: Sequence[ProbeDesign],
    pairs: Iterable[Pair],
    parameters: Parameters,
    under_way: Collection[int] = (),
    *,
    lines: int = 1,
    settled: Collection[Axis] = (),
) -> Step:
    """The next step after the pairs whose launches have ended, in any order of arrival.

    Where several `lines` are counted together, a claim settles its axis once it stands whatever the others show
    (`alpha / lines`), or where `settled` says that it stands with what they do show (`measure.verdict.standing`).

    `under_way` holds the numbers of pairs that are launched and have not ended; nothing at or beyond the first of
    them is looked at, so a `Round` still lists their probes. A probe that `Round` no longer lists belongs to a
    settled axis (or leaked) and needs no further launch. Raises ValueError where pairs do not fit the designs.
    """
    if not designs:
        raise ValueError("at least one probe is needed")
    ordered = before_open(in_order(designs, pairs), under_way)
    failing = log_e_failing(ordered, parameters.gamma) >= parameters.log_threshold
    steps: list[tuple[int, Step]] = []
    for axis in axes_of(designs):
        look = look_at([design for design in designs if design.axis is axis], ordered, parameters)
        step = Stop(StopReason.SETTLED) if axis in settled else _axis_step(look, parameters, failing, lines)
        steps.append((look.rounds, step))
    rounds = [step for _, step in steps if isinstance(step, Round)]
    number = min((step.number for step in rounds), default=None)
    for complete, step in steps:
        # A top-up waits until every axis has ended the round it follows.
        if isinstance(step, TopUp) and (number is None or number > complete):
            return step
    if number is not None:
        return Round(number, tuple(probe for step in rounds if step.number == number for probe in step.probes))
    return Stop(_reason({step.reason for _, step in steps if isinstance(step, Stop)}))


def _reason(reasons: Collection[StopReason]) -> StopReason:
    """The reason of a run whose axes ended for several: the one that leaves most open."""
    return next(reason for reason in StopReason if reason in reasons)


def _axis_step(look: Look, parameters: Parameters, failing: bool, lines: int) -> Step:
    allowed = len(look.sound) * parameters.rounds_at_most
    if not look.sound or failing:
        return Stop(StopReason.INVALID)
    if parameters.repeats is None:
        if look.damaged > parameters.damaged_limit * allowed:  # not even a full run could dilute them
            return Stop(StopReason.INVALID)
        claim = parameters.model_copy(update={"alpha": parameters.alpha / lines}) if lines > 1 else parameters
        if look.healthy(parameters) and (look.robust(claim) or look.shows_zero(claim)):
            return Stop(StopReason.SETTLED)
    lacking = _lacking(look)
    if len(lacking) < len(look.sound):
        return Round(look.rounds + 1, lacking)
    left = allowed - len(look.pairs)
    suspicious = _suspicious(look, parameters) if parameters.repeats is None and left > 0 else None
    if suspicious is not None:
        return TopUp(suspicious)
    if look.rounds < parameters.rounds_at_most and left >= len(look.sound):
        return Round(look.rounds + 1, lacking)
    return Stop(StopReason.CAP if parameters.repeats is None else StopReason.REPEATS_DONE)


def _lacking(look: Look) -> tuple[str, ...]:
    """Probes without a pair in the round after the last complete one; all of them between rounds."""
    taken = {design.id: 0 for design in look.sound}
    for pair in look.pairs:
        if not pair.topup:
            taken[pair.probe] += 1
    return tuple(probe for probe, count in taken.items() if count == look.rounds)


def _suspicious(look: Look, parameters: Parameters) -> str | None:
    """The probe to top up between rounds: the one with the most evidence of its own, if that is enough."""
    if len(look.sound) == 1 or look.rounds < parameters.top_up_from_round:
        return None
    last = look.balanced[-1].seq
    if sum(pair.topup and pair.seq > last for pair in look.pairs) >= parameters.top_up_pairs:
        return None
    probe = max(look.line.probes, key=lambda name: look.line.probes[name])
    return probe if look.line.probes[probe] >= log(parameters.top_up_evidence) else None
