"""What a run used is the sum over its sessions; the time between two of them is not counted."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest

from measure.record.build import spending_of
from measure.record.models import RunRecord
from tests.doubles.workplace import LINE, Workplace


def test_a_night_between_two_sessions_is_no_time_of_the_run(tmp_path: Path) -> None:
    place = Workplace(tmp_path)
    assert place.measure(*place.arguments("--drop", LINE, "--max-rounds", "2", "--jobs", "1")).returncode == 0
    assert place.measure("resume", "last", "--max-rounds", "3").returncode == 0
    record = RunRecord.model_validate_json(json.dumps(place.json("show", "last")))
    assert [session.trials_before for session in record.sessions] == [0, 4]
    together = spending_of(record.trials, record.sessions)
    assert together == record.spending
    parts = [spending_of(record.trials[:4]), spending_of(record.trials[4:])]
    # Each of the two was rounded to a millisecond.
    assert together.wall_s == pytest.approx(sum(part.wall_s for part in parts), abs=0.002)
    day = timedelta(days=1)
    later = [trial.model_copy(update={"started_at": trial.started_at + day}) for trial in record.trials[4:]]
    assert spending_of([*record.trials[:4], *later], record.sessions) == together
