"""The tables for notebooks say what the records say and follow them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import measure.record
from measure.record.build import build
from measure.record.frames import FOLDER, frames
from measure.record.index import place_of
from measure.record.models import RunRecord
from measure.record.pairs import category_of
from measure.record.store import PLAN, RECORD, TRIALS, dump
from tests.doubles.records import RUNS, examples, kinds


@pytest.fixture(scope="module")
def records() -> dict[str, RunRecord]:
    return kinds()


def keep(root: Path, record: RunRecord) -> Path:
    folder = root / record.run_id
    folder.mkdir(parents=True)
    (folder / RECORD).write_bytes(dump(record))
    return folder


@pytest.fixture
def root(tmp_path: Path, records: dict[str, RunRecord]) -> Path:
    for record in records.values():
        keep(tmp_path / "runs", record)
    return tmp_path / "runs"


def test_the_tables_say_what_the_records_say(root: Path, tmp_path: Path, records: dict[str, RunRecord]) -> None:
    runs, probes, trials, unreadable = frames(root, cache=tmp_path / "cache")
    assert unreadable == {}
    assert list(runs["run_id"]) == sorted((record.run_id for record in records.values()), reverse=True)
    for record in records.values():
        row = runs[runs["run_id"] == record.run_id].iloc[0]
        assert row["created"] == record.created
        assert row["launches"] == record.spending.launches
        mine = trials[trials["run_id"] == record.run_id]
        assert len(mine) == len(record.trials)
        for (_, one), trial in zip(mine.iterrows(), record.trials, strict=True):
            assert record.plan is not None
            assert one["trial"] == trial.id
            assert (one["pair"], one["round"], one["position"]) == (trial.block, trial.round, trial.position)
            assert (one["attempt"], one["topup"], one["wall_s"]) == (trial.attempt, trial.topup, trial.wall_s)
            assert one["led"] == trial.led
            assert one["with_line"] == (trial.arm is record.plan.contrast.with_arm)
            assert (one["arm"], one["started_at"]) == (trial.arm.value, trial.started_at)
            assert (one["output_tokens"], one["cost_usd"]) == (trial.usage.output_tokens, trial.usage.cost_usd)
            if trial.reading is not None:
                assert one["outcome"] == category_of(trial.reading)
                assert one["hole_report"] == (trial.reading.hole_report is not None)
                assert pd.isna(one["invalid"])
            else:
                assert pd.isna(one["outcome"])
                assert one["invalid"] == trial.invalid.reason.value if trial.invalid else False
        if record.result.status == "measured":
            decision = record.result.decision
            shown = probes[probes["run_id"] == record.run_id].set_index("probe")
            for probe in decision.probes:
                assert shown.loc[probe.id, "verdict"] == probe.verdict.status
                shift = shown.loc[probe.id, "shift"]
                assert np.isnan(shift) if probe.effect is None else shift == probe.effect.point


def test_never_measured_is_no_number_anywhere(root: Path, tmp_path: Path) -> None:
    runs = frames(root, cache=tmp_path / "cache").runs
    unmeasured = runs[runs["finding"] == "unmeasured"]
    assert len(unmeasured) == 2
    assert unmeasured["behavior_shift"].isna().all()
    assert unmeasured["behavior"].isna().all()
    assert set(runs[runs["finding"] == "redundant"]["behavior"]) == {"zero-difference"}


def test_tables_from_the_cache_are_the_same_and_follow_the_records(
    root: Path, tmp_path: Path, records: dict[str, RunRecord]
) -> None:
    cache = tmp_path / "cache"
    first, again = frames(root, cache=cache), frames(root, cache=cache)
    for one, other in zip(first[:3], again[:3], strict=True):
        pd.testing.assert_frame_equal(one, other)
    (root / records["band"].run_id / RECORD).unlink()
    keep(root, records["redundant"].model_copy(update={"run_id": "20270101-000000-aaaaaa"}))
    broken = root / "20270102-000000-bbbbbb"
    broken.mkdir()
    (broken / RECORD).write_text("{}")
    warm, cold = frames(root, cache=cache), frames(root, cache=tmp_path / "other")
    for one, other in zip(warm[:3], cold[:3], strict=True):
        pd.testing.assert_frame_equal(one, other)
    assert list(warm.unreadable) == list(cold.unreadable) == [broken.name]
    assert list(frames(root, cache=cache).unreadable) == [broken.name], "what can't be read is said every time"
    (place_of(root, cache) / "frames.npz").write_bytes(b"PK\x03\x04 no archive")
    for one, other in zip(frames(root, cache=cache)[:3], cold[:3], strict=True):
        pd.testing.assert_frame_equal(one, other)


def test_a_time_is_the_same_moment_however_its_zone_is_written(tmp_path: Path, records: dict[str, RunRecord]) -> None:
    data = json.loads(dump(records["redundant"]))
    forms = ("2026-03-01T09:30:00.123457Z", "2026-03-01T11:30:00.123457+02:00", "2026-03-01T09:30:00.123457")
    for trial, began in zip(data["trials"], forms, strict=False):
        trial["started_at"] = began
    folder = tmp_path / "runs" / data["run_id"]
    folder.mkdir(parents=True)
    (folder / RECORD).write_text(json.dumps(data))
    began = frames(tmp_path / "runs", cache=tmp_path / "cache").trials["started_at"]
    assert set(began[:3]) == {pd.Timestamp(forms[0])}


def test_an_interrupted_run_has_the_rows_it_would_have_as_a_record(
    tmp_path: Path, records: dict[str, RunRecord]
) -> None:
    record = records["interrupted"]
    assert record.plan is not None
    folder = tmp_path / "runs" / record.run_id
    folder.mkdir(parents=True)
    (folder / PLAN).write_bytes(dump(record.plan))
    (folder / TRIALS).write_bytes(b"".join(dump(trial) + b"\n" for trial in record.trials))
    keep(tmp_path / "others", record)
    interrupted, whole = (frames(tmp_path / name, cache=tmp_path / "cache") for name in ("runs", "others"))
    pd.testing.assert_frame_equal(interrupted.trials, whole.trials)
    assert list(interrupted.runs["finding"]) == list(whole.runs["finding"])


@pytest.mark.parametrize(
    ("place", "found"),
    [
        (("plan",), 3),
        (("result", "status"), None),
        (("trials", 0, "started_at"), "soon"),
        (("trials", 1, "usage"), []),
        (("trials", 2, "reading", "kind"), None),
    ],
)
def test_a_damaged_record_is_unreadable_and_the_place_is_named(
    root: Path, tmp_path: Path, records: dict[str, RunRecord], place: tuple[str | int, ...], found: Any
) -> None:
    data = json.loads(dump(records["redundant"]))
    part: Any = data
    for step in place[:-1]:
        part = part[step]
    part[place[-1]] = found
    name = records["redundant"].run_id
    (root / name / RECORD).write_text(json.dumps(data))
    runs, _, trials, unreadable = frames(root, cache=tmp_path / "cache")
    assert list(unreadable) == [name]
    assert ".".join(map(str, place)) in unreadable[name]
    assert name not in set(runs[FOLDER])
    assert name not in set(trials[FOLDER])


def test_the_examples_of_the_repository_can_be_read_as_tables(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    found = measure.record.frame(RUNS)
    assert set(found.runs["run_id"]) == {record.run_id for record in examples()}
    share = found.trials.groupby(["run_id", "with_line"], observed=True)["outcome"].count()
    assert share.sum() == sum(trial.reading is not None for record in examples() for trial in record.trials)


def test_an_empty_folder_gives_empty_tables(tmp_path: Path) -> None:
    runs, probes, trials, _ = frames(tmp_path / "none", cache=tmp_path / "cache")
    assert len(runs) == len(probes) == len(trials) == 0
    assert "behavior_shift" in runs.columns


def test_a_launch_that_another_run_pays_for_says_so_and_sums_leave_it_out(tmp_path: Path) -> None:
    record = kinds()["redundant"]
    assert record.plan is not None
    shared = [
        trial.model_copy(
            update={"counted_in": "20260101-000000-aaaaaa" if trial.member else None, "led": trial.position == 1}
        )
        for trial in record.trials
    ]
    keep(tmp_path / "runs", build(record.plan, shared, record.stop, complete=True))
    runs, _, trials, _ = frames(tmp_path / "runs", cache=tmp_path / "cache")
    row, own = runs.iloc[0], trials[trials["counted_in"].isna()]
    assert 0 < row["shared"] == len(trials) - len(own) < len(trials)
    assert row["launches"] == len(own)
    assert own["cost_usd"].sum() == pytest.approx(row["cost_usd"])
    assert list(trials["led"]) == [trial.led for trial in shared]
    assert set(trials["counted_in"].dropna()) == {"20260101-000000-aaaaaa"}
