"""Two recorded runs held against each other.

Invariant: two runs that differ in what must match are never pooled and never said to be like; what differs is named.
Pooling is of evidence that may be multiplied: the pairs of the later run go on where those of the earlier one ended.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from measure.errors import RequestError
from measure.record.condition import Mismatch, mismatches
from measure.record.counted import counted_pairs
from measure.record.library import Row, row_of
from measure.record.models import RunRecord
from measure.record.pairs import designs_of
from measure.verdict.decide import decide
from measure.verdict.design import Pair
from measure.verdict.result import AxisResult, Decision, ProbeResult


class Side(BaseModel):
    """One of the two runs."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    run: Row
    axes: tuple[AxisResult, ...]
    probes: tuple[ProbeResult, ...]
    at_odds: tuple[str, ...] = ()
    """What in its record does not go together."""


class Comparison(BaseModel):
    """Two runs side by side, in the order in which they were named."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    schema_: Annotated[int, Field(alias="schema")] = 1
    sides: tuple[Side, Side]
    alike: bool
    """Nothing that must match differs: results are of one kind and can be pooled."""
    differing: tuple[Mismatch, ...]
    pooled: Decision | None = None
    """Both runs read as one; only where that was asked for."""


def compare(first: RunRecord, second: RunRecord, *, pool: bool = False) -> Comparison:
    """Hold two runs against each other. Raises `RequestError`, naming the fields, where they can't be pooled."""
    if first.run_id == second.run_id:
        raise RequestError(f"{first.run_id} is named twice", hint="Name two runs; 'measure runs' lists them.")
    found = _mismatches(first, second)
    if pool and found:
        lines = "\n".join(f"  {one.field}: {one.first} / {one.second}" for one in found)
        raise RequestError(
            f"the runs can't be pooled; what must match differs:\n{lines}",
            hint="Without --pool they are shown side by side, each inside its own scope.",
        )
    return Comparison(
        sides=(_side(first), _side(second)),
        alike=not found,
        differing=found,
        pooled=_pooled(first, second) if pool else None,
    )


def _mismatches(first: RunRecord, second: RunRecord) -> tuple[Mismatch, ...]:
    if first.plan is None or second.plan is None:
        said = ["planned" if record.plan is not None else "never planned" for record in (first, second)]
        return (Mismatch(field="plan", first=said[0], second=said[1]),)
    return mismatches(first.plan, second.plan)


def _side(record: RunRecord) -> Side:
    decision = record.result.decision if record.result.status == "measured" else None
    return Side(
        run=row_of(record),
        axes=decision.axes if decision is not None else (),
        probes=decision.probes if decision is not None else (),
        at_odds=record.at_odds,
    )


def _pooled(*records: RunRecord) -> Decision:
    ordered: Sequence[RunRecord] = sorted(records, key=lambda record: record.created)
    pairs: list[Pair] = []
    for record in ordered:
        begin = pairs[-1].seq + 1 if pairs else 0
        pairs += [replace(pair, seq=begin + pair.seq) for pair in counted_pairs(record)]
    plan = ordered[-1].plan
    assert plan is not None
    if plan.purpose != "contrast" or all(pair.damaged for pair in pairs):
        raise RequestError("there is no measured contrast to pool", hint="Name two runs that measured a line.")
    bands = {
        used.band.axis: (used.run_id, used.band) for record in ordered if record.plan for used in record.plan.bands
    }
    return decide(
        designs_of(plan.probes),
        pairs,
        plan.design.parameters,
        stage=1 if plan.condition.stage == 1 else 2,
        bands=bands,
    )
