"""What a client may print, from the command line to the record: nothing of it costs a trial that was paid for."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.doubles import stub_client
from tests.doubles.workplace import LINE, Workplace


@pytest.fixture
def place(tmp_path: Path) -> Workplace:
    return Workplace(tmp_path)


def run_once(place: Workplace, *launches: list[stub_client.Step], more: tuple[str, ...] = ("--repeats", "1")) -> int:
    """One run against a stub that plays these launches; returns the exit status."""
    stub = stub_client.install(place.root / "bin", *launches)
    arguments = ("--client", str(stub), "--model", "model-1", "--drop", LINE, *more)
    return place.measure(*place.arguments(*arguments, simulated=False)).returncode


def test_half_a_character_in_an_answer_loses_no_record(place: Workplace) -> None:
    """JSON carries a lone surrogate, UTF-8 does not; what was written must be readable again."""
    escaped = '"\\ud83d ACTION: A"'
    steps = [stub_client.init(), stub_client.text("ACTION: A"), stub_client.result("ACTION: A")]
    for step in steps:
        step["stdout"] = step["stdout"].replace('"ACTION: A"', escaped)
    assert run_once(place, [{"read_stdin": True}, *steps]) == 0
    record = place.json("show", "last")
    assert [trial["answer"] for trial in record["trials"]] == ["\N{REPLACEMENT CHARACTER} ACTION: A"] * 2
    assert {trial["reading"]["kind"] for trial in record["trials"]} == {"option"}
    assert place.json("judge", "last")["changes"] == []
