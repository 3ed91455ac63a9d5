"""Two processes never write to one run: the arena's lock does not reach runs that stand under another temp folder."""

from __future__ import annotations

from pathlib import Path

from measure.record.store import RunWriter
from tests.doubles.workplace import LINE, Workplace


def test_a_run_that_is_being_written_is_not_gone_on_with(tmp_path: Path) -> None:
    place = Workplace(tmp_path)
    assert place.measure(*place.arguments("--drop", LINE, "--max-rounds", "1")).returncode == 0
    (folder,) = place.folders()
    before = {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}
    writer = RunWriter(folder)
    writer._open()
    refused = place.measure("resume", "last", "--max-rounds", "3")
    assert refused.returncode == 3, refused.stderr
    assert folder.name in refused.stderr
    assert {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()} == before
    assert place.left_in_temp() == []
    writer.close()
    assert place.measure("resume", "last", "--max-rounds", "3").returncode == 0
