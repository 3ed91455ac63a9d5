"""Ids of runs sort as the runs were begun, also within one second: `last` means the last."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from measure.record.store import new_run_id


def test_ids_sort_by_time_within_a_second_too() -> None:
    begun = datetime(2026, 3, 1, 9, 30, 4, tzinfo=UTC)
    ids = [new_run_id(begun + timedelta(milliseconds=step)) for step in range(0, 2000, 7)]
    assert ids == sorted(ids)
    assert {len(one) for one in ids} == {len("20260301-093004-abcdef")}
