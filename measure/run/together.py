"""Which contrasts are measured together, and how many launches that saves.

Invariant: contrasts share a launch only where it would be the same one: the same workspace, byte for byte, the same
client, model and condition, the same question. What they share is the baseline, the workspace as it stands; the
comparison of each with it is as good as if it were measured alone (statistics of a shared control).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict

from measure.errors import RequestError
from measure.plan.sharing import asked, launches_together
from measure.run.prepare import Prepared


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
