"""The files of a run: one mode for all, damage told with the way out, and nothing claimed that is not so."""

from __future__ import annotations

import os
import resource
from pathlib import Path

import pytest

from measure.record.store import RECORD
from tests.doubles.workplace import LINE, Workplace


@pytest.fixture
def place(tmp_path: Path) -> Workplace:
    return Workplace(tmp_path)


@pytest.mark.parametrize(("umask", "file", "folder"), [(0o022, 0o644, 0o755), (0o077, 0o600, 0o700)])
def test_all_files_of_a_record_have_the_mode_that_the_user_gives_files(
    place: Workplace, umask: int, file: int, folder: int
) -> None:
    run = place.start(*place.arguments("--drop", LINE, "--max-rounds", "1"), umask=umask)
    assert run.wait() == 0, run.communicate()
    run.communicate()
    assert place.measure("judge", "last").returncode == 0
    assert {path.stat().st_mode & 0o777 for path in place.folders()[0].rglob("*") if path.is_dir()} == {folder}
    modes = {path.name: path.stat().st_mode & 0o777 for path in place.folders()[0].rglob("*") if path.is_file()}
    judged = {name: modes.pop(name) for name in list(modes) if name.startswith("judg")}
    assert len(modes) >= 5
    assert len(judged) == 1
    assert set(modes.values()) == {file}


def test_a_cut_record_says_where_all_launches_still_are(place: Workplace) -> None:
    assert place.measure(*place.arguments("--drop", LINE, "--max-rounds", "1")).returncode == 0
    (folder,) = place.folders()
    record = folder / RECORD
    record.write_bytes(record.read_bytes()[:1000])
    shown = place.measure("show", "last")
    assert shown.returncode != 0
    assert ": :" not in shown.stderr
    assert "trials.jsonl" in shown.stderr
    listed = place.measure("runs")
    assert listed.stderr.count(str(folder)) == 1
    record.rename(folder / "damaged.json")
    assert place.measure("show", "last").returncode == 0, "as the hint says"


def test_a_folder_of_records_that_is_named_and_not_there_is_no_empty_one(place: Workplace) -> None:
    for command in (["runs"], ["runs", "--json"], ["show", "last"]):
        done = place.measure(*command, "--runs", str(place.root / "nowhere"))
        assert done.returncode == 2
        assert "nowhere" in done.stderr
    assert place.measure("runs").returncode == 0, "before the first run there are none"


def test_a_file_that_may_not_grow_is_no_full_disk_and_leaves_no_empty_run(place: Workplace) -> None:
    place.put_probes(12)
    # Enough to find that files can be written there, and not for the plan.
    soft = 4096

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, soft))

    run = place.start(*place.arguments("--drop", LINE, "--max-rounds", "1"), preexec_fn=limit)
    _, err = run.communicate(timeout=60)
    assert run.returncode not in (0, None), err
    assert "no space" not in err
    assert "what was written" not in err
    assert place.folders() == []
    assert os.listdir(place.temp) == []  # noqa: PTH208
