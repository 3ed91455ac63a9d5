"""Which contrasts are measured together, and how many launches that saves.

Invariant: contrasts share a launch only where it would be the same one: the same workspace, byte for byte, the same
client, model and condition, the same question. What they share is the baseline, the workspace as it stands; the
comparison of each with it is as good as if it were measured alone (statistics of a shared control).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from pydantic import BaseModel, ConfigDict

from measure.errors import RequestError
from measure.plan.sharing import asked, launches_together
from measure.record.pairs import designs_of
from measure.run.prepare import Prepared
from measure.verdict.band import bars_zero, open_shift
from measure.verdict.parameters import Parameters
from measure.verdict.resolution import AxisResolution, Resolution, resolve


class Saving(BaseModel):
    """Launches of contrasts measured together, and of the same measured one by one."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    contrasts: int
    at_most: int
    at_most_alone: int
    if_steady: int
    """Where both arms always answer alike, whatever the line."""
    if_steady_alone: int


def families(prepared: Sequence[Prepared]) -> tuple[tuple[int, ...], ...]:
    """Indexes of the contrasts that are measured together, each family in the order given; most have one member."""
    found: list[list[int]] = []
    for index, one in enumerate(prepared):
        sharing = [family for family in found if any(_share(prepared[member], one) for member in family)]
        merged = sorted([member for family in sharing for member in family] + [index])
        found = [family for family in found if family not in sharing] + [merged]
    return tuple(tuple(family) for family in sorted(found))


def _share(one: Prepared, other: Prepared) -> bool:
    return _alike(one) == _alike(other) and bool(_questions(one) & _questions(other))


def _alike(one: Prepared) -> tuple[object, ...]:
    """What has to be equal for a launch in the baseline to be the same."""
    if one.stage == 1 or one.purpose == "band":
        return (id(one),)
    return (
        one.surface.digest,
        one.surface.workspace,
        one.includes,
        one.client,
        one.agent,
        one.model,
        one.design.parameters.repeats,
        one.design.seed,
    )


def _questions(one: Prepared) -> set[str]:
    return {asked(entry.probe) for entry in one.probes}


def saving_of(family: Sequence[Prepared]) -> Saving:
    """How many launches a family makes together, and how many its members would make one by one."""
    probes = [[entry.probe for entry in one.probes] for one in family]
    most = [one.design.parameters.rounds_at_most for one in family]
    steady = [-(-one.resolution.launches_if_steady // (2 * len(one.probes))) for one in family]
    return Saving(
        contrasts=len(family),
        at_most=launches_together(zip(probes, most, strict=True)),
        at_most_alone=sum(2 * len(own) * rounds for own, rounds in zip(probes, most, strict=True)),
        if_steady=launches_together(zip(probes, steady, strict=True)),
        if_steady_alone=sum(2 * len(own) * rounds for own, rounds in zip(probes, steady, strict=True)),
    )


def resolution_of(one: Prepared, family: Sequence[Prepared], launches: int | None = None) -> Resolution:
    """What one contrast of a family can resolve under its noise bands, and with so many `launches` for all of them.

    Where a contrast shares its launches or has two axes, a verdict is taken to need whole rounds of all, so that no
    more is promised than a limit allows. Of lines that are settled together, one that alone makes a difference has to
    show it beside all the others.
    """
    barred = {used.band.axis for used in one.bands if bars_zero(one.design.parameters, used.band)}
    one = _among(one, family)
    within = one.resolution.axes if launches is None else _axes_within(one, family, launches)
    return one.resolution.model_copy(
        update={
            "axes": tuple(
                axis.model_copy(update={"zero_after": None}) if axis.axis in barred else axis for axis in within
            )
        }
    )


def _among(one: Prepared, family: Sequence[Prepared]) -> Prepared:
    """The same with the launches after which a difference stands that no other line of the family shows."""
    lifted = _with_flips(one.resolution.axes, one, family, one.design.parameters)
    return replace(one, resolution=one.resolution.model_copy(update={"axes": lifted}))


def _with_flips(
    axes: tuple[AxisResolution, ...], one: Prepared, family: Sequence[Prepared], parameters: Parameters
) -> tuple[AxisResolution, ...]:
    if len(family) < 2 or one.design.settle == "alone" or parameters.repeats is not None:
        return axes
    beside = parameters.model_copy(update={"alpha": parameters.alpha / len(family)})
    flips = resolve(designs_of(one.probes), beside).axes
    return tuple(
        axis.model_copy(update={"full_flip_after": flip.full_flip_after, "single_flip_after": flip.single_flip_after})
        for axis, flip in zip(axes, flips, strict=True)
    )


def _axes_within(one: Prepared, family: Sequence[Prepared], launches: int) -> tuple[AxisResolution, ...]:
    parameters = one.design.parameters
    rounds = max(
        (number for number in range(1, parameters.rounds_at_most + 1) if _made(family, number) <= launches), default=0
    )
    if rounds == parameters.rounds_at_most:
        return one.resolution.axes
    name = "max_rounds" if parameters.repeats is None else "repeats"
    shorter = parameters.model_copy(update={name: max(1, rounds)})
    axes = _with_flips(resolve(designs_of(one.probes), shorter).axes, one, family, shorter) if rounds else ()
    by_itself = len(family) == 1 and len(one.resolution.axes) == 1

    def reached(axis: AxisResolution, after: int | None, in_fewer_rounds: int | None) -> int | None:
        if after is None or parameters.repeats is not None:
            return in_fewer_rounds
        needed = after if by_itself else _made(family, -(-after // (2 * axis.probes)))
        return after if needed <= launches else None

    return tuple(
        axis.model_copy(
            update={
                "launches_at_most": max(2, min(axis.launches_at_most, launches)),
                "excludes_at_best": open_shift(axis.probes * rounds, parameters) if rounds else 1.0,
                "excludes_per_probe_at_best": open_shift(rounds, parameters) if rounds else 1.0,
                "zero_after": axes[index].zero_after if rounds else None,
                # A difference may show inside a round, which a limit may still allow in part.
                "full_flip_after": reached(axis, axis.full_flip_after, axes[index].full_flip_after if rounds else None),
                "single_flip_after": reached(
                    axis, axis.single_flip_after, axes[index].single_flip_after if rounds else None
                ),
            }
        )
        for index, axis in enumerate(one.resolution.axes)
    )


def _made(family: Sequence[Prepared], rounds: int) -> int:
    """Launches of a family after so many rounds."""
    return launches_together(
        ([entry.probe for entry in one.probes], min(rounds, one.design.parameters.rounds_at_most)) for one in family
    )


def refuse_too_few_launches(family: Sequence[Prepared]) -> None:
    """Raise `RequestError` where a limit of launches does not even allow one probe to be put to every line."""
    limit = family[0].design.max_launches
    asking = Counter(question for one in family for question in _questions(one))
    least = 1 + max(asking.values())
    if limit is not None and limit < least:
        raise RequestError(
            f"--max-launches {limit}: putting one probe to {least - 1} lines together takes {least} launches, so "
            "nothing would be measured",
            hint="Allow more launches, or name fewer lines.",
        )
