"""The tables for notebooks say what the records say and follow them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import measure.record
from measure.record.frames import frames
from measure.record.index import place_of
from measure.record.models import RunRecord
from measure.record.pairs import category_of
from measure.record.store import RECORD, dump
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
            assert one["trial"] == trial.id
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
        pd.testing.assert_frame_equal(one, other, check_categorical=False)
    (root / records["band"].run_id / RECORD).unlink()
    keep(root, records["redundant"].model_copy(update={"run_id": "20270101-000000-aaaaaa"}))
    broken = root / "20270102-000000-bbbbbb"
    broken.mkdir()
    (broken / RECORD).write_text("{}")
    warm, cold = frames(root, cache=cache), frames(root, cache=tmp_path / "other")
    for one, other in zip(warm[:3], cold[:3], strict=True):
        pd.testing.assert_frame_equal(one, other, check_categorical=False)
    assert list(warm.unreadable) == list(cold.unreadable) == [broken.name]
    assert list(frames(root, cache=cache).unreadable) == [broken.name], "what can't be read is said every time"
    (place_of(root, cache) / "frames.npz").write_bytes(b"PK\x03\x04 no archive")
    for one, other in zip(frames(root, cache=cache)[:3], cold[:3], strict=True):
        pd.testing.assert_frame_equal(one, other, check_categorical=False)


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
