"""A run that is under way is told apart from one that was interrupted, and nobody judges or continues half of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from measure.record.store import RunWriter, is_running, read_trials
from tests.doubles.workplace import LINE, Workplace


@pytest.fixture
def place(tmp_path: Path) -> Workplace:
    place = Workplace(tmp_path)
    place.agent.write_text(place.agent.read_text().replace('"simulated-1"', '"simulated-1"\nseconds = 0.2', 1))
    return place


def test_under_way_and_interrupted_are_not_the_same(place: Workplace) -> None:
    run = place.start(*place.arguments("--drop", LINE, "--repeats", "400", "--jobs", "1"))
    try:
        while not (place.folders() and len(read_trials(place.folders()[0])[0]) >= 3):
            assert run.poll() is None, run.communicate()
        (folder,) = place.folders()
        assert is_running(folder)
        shown = place.json("show", "last")
        assert shown["complete"] is False
        assert shown["stop"]["reason"] == "running"
        assert not any(trial["invalid"] for trial in shown["trials"]), "what is under way was not cut off"
        assert "Interrupted" not in place.measure("show", "last").stdout
        assert place.json("runs")["running"] == [folder.name]
        listed = place.measure("runs").stdout
        assert "resume" not in listed
        assert "under way" in listed
        files = {file.name for file in folder.iterdir()}
        for command in (["judge", "last"], ["resume", "last"]):
            refused = place.measure(*command)
            assert refused.returncode == 3, refused.stderr
            assert folder.name in refused.stderr
            assert refused.stdout == ""
        assert {file.name for file in folder.iterdir()} == files
        assert run.poll() is None, "the run itself goes on"
    finally:
        run.kill()
        run.communicate()
    assert not is_running(folder)
    assert "Interrupted" in place.measure("show", "last").stdout
    assert place.json("runs")["running"] == []
    assert "measure resume" in place.measure("runs").stdout
    assert place.measure("judge", "last").returncode == 0


def test_asking_whether_a_run_is_under_way_keeps_nobody_from_going_on_with_it(place: Workplace) -> None:
    place.agent.write_text(place.agent.read_text().replace("seconds = 0.2", "seconds = 0.0"))
    assert place.measure(*place.arguments("--drop", LINE, "--max-rounds", "1")).returncode == 0
    (folder,) = place.folders()
    fcntl = pytest.importorskip("fcntl")
    with (folder / "trials.jsonl").open("rb") as asking:
        fcntl.flock(asking, fcntl.LOCK_SH)
        writer = RunWriter(folder)
        assert not is_running(folder), "two may ask at once"
        fcntl.flock(asking, fcntl.LOCK_UN)
        writer._open()
        assert is_running(folder)
        writer.close()
    assert not is_running(folder)
