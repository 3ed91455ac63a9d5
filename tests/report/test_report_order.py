"""The order of runs on a page: what matters first, then the newest, lines of one command as they were named."""

from __future__ import annotations

from measure.record.models import RunRecord
from measure.report.page import RunShown, in_order
from tests.doubles.records import kinds


def named(record: RunRecord, run_id: str, together: tuple[str, ...] = ()) -> RunRecord:
    assert record.plan is not None
    plan = record.plan.model_copy(update={"run_id": run_id, "together": together})
    return record.model_copy(update={"run_id": run_id, "plan": plan})


def test_equal_findings_stand_newest_first_and_lines_of_one_command_as_they_were_named() -> None:
    redundant, bearing = kinds()["redundant"], kinds()["load-bearing"]
    family = ("20260302-1", "20260302-2", "20260302-3")
    records = [
        named(redundant, "20260301-0"),
        *(named(redundant, name, family) for name in reversed(family)),
        named(redundant, "20260303-0"),
        named(bearing, "20260228-0"),
    ]
    shown = in_order([RunShown(record, str(number)) for number, record in enumerate(records)])
    assert [run.record.run_id for run in shown] == ["20260228-0", "20260303-0", *family, "20260301-0"]
