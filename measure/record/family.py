"""Several lines measured together, each asked the same question: which of them differ when all are counted.

Invariants: every line that was launched counts, also one that stayed open, was damaged or gave nothing; each counts
with the value at which it stopped. Nothing here changes what a line's own record says.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Literal

from measure.probe.model import Axis
from measure.record.models import RunRecord, Stored
from measure.verdict.parameters import Parameters
from measure.verdict.standing import Claim, standing
from measure.verdict.vocabulary import Status, status_of


class Family(Stored):
    """One axis over several lines. Runs are named by their ids."""

    axis: Axis
    alpha: float
    """False discovery rate that is kept over the whole family (e-BH)."""
    lines: tuple[str, ...]
    """Every run that launched anything on this axis."""
    without_record: int = 0
    """Lines declared with these of which there is no record; they count as lines that showed nothing."""
    differing_alone: tuple[str, ...]
    """Runs whose own verdict is a difference."""
    differing_together: tuple[str, ...]
    """Those of them that stand when all lines are counted."""
    zero_alone: tuple[str, ...]
    """Runs whose own verdict is a zero-difference."""
    zero_together: tuple[str, ...]
    """Those of them that stand when all lines are counted."""


def families_of(records: Sequence[RunRecord]) -> tuple[Family, ...]:
    """The families that these records make, one an axis; none where fewer than two lines were launched on it."""
    known = {record.run_id for record in records}
    gone = {run for record in records if record.plan is not None for run in record.plan.together} - known
    found = (_family(axis, list(_members(axis, records)), len(gone)) for axis in Axis)
    return tuple(family for family in found if family is not None)


def _members(axis: Axis, records: Sequence[RunRecord]) -> Iterator[RunRecord]:
    for record in records:
        if record.plan is None or record.plan.purpose != "contrast":
            continue
        asked = {entry.probe.id for entry in record.plan.probes if entry.probe.axis is axis}
        if any(trial.probe in asked for trial in record.trials):
            yield record


def claims_of(record: RunRecord) -> dict[Axis, Claim]:
    """What a line showed at its last look, for each axis it was asked on."""
    if record.plan is None:
        return {}
    asked = {entry.probe.axis for entry in record.plan.probes}
    return {axis: _claim(record, axis) for axis in Axis if axis in asked}


def _family(axis: Axis, members: Sequence[RunRecord], gone: int) -> Family | None:
    if not members or len(members) + gone < 2:
        return None
    alpha = min(_parameters(record).alpha for record in members)
    claims = [_claim(record, axis) for record in members]
    stands = standing([*claims, *[Claim()] * gone], alpha)

    def runs(shows: str, among: Collection[int]) -> tuple[str, ...]:
        return tuple(
            record.run_id
            for index, (record, claim) in enumerate(zip(members, claims, strict=True))
            if claim.shows == shows and index in among
        )

    everyone = range(len(members))
    return Family(
        axis=axis,
        alpha=alpha,
        lines=tuple(record.run_id for record in members),
        without_record=gone,
        differing_alone=runs("difference", everyone),
        differing_together=runs("difference", stands),
        zero_alone=runs("zero-difference", everyone),
        zero_together=runs("zero-difference", stands),
    )


def _parameters(record: RunRecord) -> Parameters:
    assert record.plan is not None
    return record.plan.design.parameters


def _claim(record: RunRecord, axis: Axis) -> Claim:
    """One without evidence where its launches do not count or no round was completed."""
    result = record.result.decision.axis(axis) if record.result.status == "measured" else None
    if result is None or (status := status_of(result.verdict)) is Status.INVALID:
        return Claim()
    evidence, zero = result.evidence, result.evidence.zero
    shows: Literal["difference", "zero-difference"] | None = None
    if status is Status.DIFFERENCE:
        shows = "difference"
    elif status is Status.ZERO_DIFFERENCE:
        shows = "zero-difference"
    return Claim(evidence.deciding, 0.0 if zero is None else zero, shows)
