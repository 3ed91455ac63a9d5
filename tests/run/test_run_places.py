"""Nothing that is kept of a run tells whose home it was made in."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from measure.run.places import without_home
from tests.doubles import stub_client
from tests.doubles.workplace import LINE, RULES, Workplace


@pytest.fixture
def place(tmp_path: Path) -> Workplace:
    """Everything of this person lies below the home directory."""
    place = Workplace(tmp_path / "who")
    place.extra = {"HOME": str(place.root)}
    return place


def kept_files_that_hold(place: Workplace, text: str) -> list[Path]:
    files = [file for file in place.runs.rglob("*") if file.is_file()]
    assert files
    read = {file: gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes() for file in files}
    return [file for file, data in read.items() if text.encode() in data]


def test_a_run_that_names_places_keeps_none_of_them(place: Workplace) -> None:
    root = place.root
    (place.workspace / "CLAUDE.md").write_text(f"{RULES}@{root}/mine/other.md\n")
    said = f"ACTION: A, as {root}/project says"
    answer = [stub_client.init(), stub_client.text(said), stub_client.result(said)]
    stub = stub_client.install(root / "bin", [{"read_stdin": True}, {"stderr": f"at {root}/x.js\n"}, *answer])
    arguments = ("--client", str(stub), "--model", "model-1", "--drop", LINE, "--repeats", "1")
    done = place.measure(*place.arguments(*arguments, simulated=False))
    assert done.returncode == 0, done.stderr
    assert kept_files_that_hold(place, str(root)) == []


def test_a_client_that_cannot_be_used_is_recorded_without_its_home(place: Workplace) -> None:
    arguments = ("--client", str(place.root / "nowhere"), "--model", "m", "--drop", LINE)
    assert place.measure(*place.arguments(*arguments, simulated=False)).returncode == 5
    assert kept_files_that_hold(place, str(place.root)) == []


def test_a_home_is_taken_out_of_texts_where_a_path_begins_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/srv/me")
    text = "no such client: /srv/me/bin/claude; /srv/me-too stays, '/srv/me' goes, /backup/srv/me stays"
    assert without_home(text) == "no such client: ~/bin/claude; /srv/me-too stays, '~' goes, /backup/srv/me stays"
    monkeypatch.setenv("HOME", "/")
    assert without_home("/srv/me") == "/srv/me"
