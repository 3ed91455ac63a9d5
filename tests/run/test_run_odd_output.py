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


def test_answers_that_cannot_be_read_are_named_as_what_stood_in_the_way(place: Workplace) -> None:
    said = "Hm."
    steps = [{"read_stdin": True}, stub_client.init(), stub_client.text(said), stub_client.result(said)]
    assert run_once(place, steps) == 4
    result = place.json("show", "last")["result"]
    assert (result["status"], result["reason"]) == ("unmeasured", "other")
    assert result["detail"].count("unreadable") == 2, "in each arm"


def test_settings_that_the_client_did_not_apply_are_told_even_where_both_arms_lack_them(place: Workplace) -> None:
    warning = "Ignoring 2 permissions.allow entries from .claude/settings.json: this workspace has not been trusted.\n"
    answer = [stub_client.init(), stub_client.text("ACTION: A"), stub_client.result("ACTION: A")]
    assert run_once(place, [{"read_stdin": True}, {"stderr": warning}, *answer]) == 0
    (told,) = place.json("show", "last")["warnings"]
    assert "2 of 2 launches" in told


def test_an_updated_client_ends_the_run_at_once(place: Workplace) -> None:
    """No launch of another version can count in this run, so none is paid for."""
    answer = [stub_client.text("ACTION: A"), stub_client.result("ACTION: A")]
    before = [{"read_stdin": True}, stub_client.init(), *answer]
    after = [{"read_stdin": True}, stub_client.init(claude_code_version="2.1.198"), *answer]
    assert run_once(place, before, before, *[after] * 20, more=("--repeats", "8", "--jobs", "1")) == 0
    record = place.json("show", "last")
    assert record["stop"]["reason"] == "failing"
    reasons = [trial["invalid"] and trial["invalid"]["reason"] for trial in record["trials"]]
    assert reasons == [None, None, "client-changed"]


def test_a_look_into_the_workspace_itself_does_not_count_in_the_arm_without_the_line(place: Workplace) -> None:
    """Even where none of the line's words came back: a count, or a yes, tells as much."""
    named = {"command": f"grep -c push {place.workspace}/CLAUDE.md"}
    call = {"type": "tool_use", "id": "t1", "name": "Bash", "input": named}
    given = {"type": "tool_result", "tool_use_id": "t1", "content": "1"}
    steps = [
        stub_client.line(
            {"type": role, "message": {"id": identity, "role": role, "model": "model-1", "content": [block]}}
        )
        for role, identity, block in (
            ("assistant", "m1", call),
            ("user", "u1", given),
            ("assistant", "m2", {"type": "text", "text": "ACTION: A"}),
        )
    ]
    launch = [{"read_stdin": True}, stub_client.init(), *steps, stub_client.result("ACTION: A", num_turns=2)]
    run_once(place, launch, more=("--repeats", "1", "--max-turns", "3"))
    counted = {trial["arm"]: trial["invalid"] for trial in place.json("show", "last")["trials"]}
    assert counted["baseline"] is None
    assert counted["variant"]["reason"] == "contaminated"
