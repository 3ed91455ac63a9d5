"""Several lines measured together, each asked the same question: which of them differ when all are counted.

Invariants: every line that was launched counts, also one that stayed open, was damaged or gave nothing; each counts
with the value at which it stopped. Nothing here changes what a line's own record says.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from measure.probe.model import Axis
from measure.record.models import RunRecord, Stored
from measure.verdict.family import e_bh
from measure.verdict.parameters import Parameters
from measure.verdict.result import AxisResult
from measure.verdict.vocabulary import Status, status_of


class Family(Stored):
    """One axis over several lines. Runs are named by their ids."""

    axis: Axis
    alpha: float
    """False discovery rate that is kept over the whole family (e-BH)."""
    lines: tuple[str, ...]
    """Every run that launched anything on this axis."""
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
    return tuple(family for axis in Axis if (family := _family(axis, list(_members(axis, records)))) is not None)


def _members(axis: Axis, records: Sequence[RunRecord]) -> Iterator[RunRecord]:
    for record in records:
        if record.plan is None or record.plan.purpose != "contrast":
            continue
        asked = {entry.probe.id for entry in record.plan.probes if entry.probe.axis is axis}
        if any(trial.probe in asked for trial in record.trials):
            yield record


def _family(axis: Axis, members: Sequence[RunRecord]) -> Family | None:
    if len(members) < 2:
        return None
    alpha = min(_parameters(record).alpha for record in members)
    results = [_result(record, axis) for record in members]
    differences = [_log_e(result, Status.DIFFERENCE) for result in results]
    zeros = [_log_e(result, Status.ZERO_DIFFERENCE) for result in results]
    return Family(
        axis=axis,
        alpha=alpha,
        lines=tuple(record.run_id for record in members),
        differing_alone=_claimed(members, results, Status.DIFFERENCE),
        differing_together=_standing(members, results, Status.DIFFERENCE, e_bh(differences, alpha)),
        zero_alone=_claimed(members, results, Status.ZERO_DIFFERENCE),
        zero_together=_standing(members, results, Status.ZERO_DIFFERENCE, e_bh(zeros, alpha)),
    )


def _parameters(record: RunRecord) -> Parameters:
    assert record.plan is not None
    return record.plan.design.parameters


def _result(record: RunRecord, axis: Axis) -> AxisResult | None:
    return record.result.decision.axis(axis) if record.result.status == "measured" else None


def _log_e(result: AxisResult | None, status: Status) -> float:
    """The evidence with which a line counts; none where its launches do not count or no round was completed."""
    if result is None or status_of(result.verdict) is Status.INVALID:
        return 0.0
    value = result.evidence.deciding if status is Status.DIFFERENCE else result.evidence.zero
    return 0.0 if value is None else value


def _claimed(members: Sequence[RunRecord], results: Sequence[AxisResult | None], status: Status) -> tuple[str, ...]:
    return tuple(
        record.run_id
        for record, result in zip(members, results, strict=True)
        if result is not None and status_of(result.verdict) is status
    )


def _standing(
    members: Sequence[RunRecord], results: Sequence[AxisResult | None], status: Status, named: frozenset[int]
) -> tuple[str, ...]:
    claimed = set(_claimed(members, results, status))
    return tuple(record.run_id for index, record in enumerate(members) if index in named and record.run_id in claimed)
