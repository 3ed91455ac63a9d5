"""Bad input: one clear message, the right exit status, nothing launched, nothing lost, nothing left."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.doubles import stub_client
from tests.doubles.workplace import LINE, PROBE, Workplace, snapshot

Spoil = Callable[[Workplace], list[str]]


@pytest.fixture
def place(tmp_path: Path) -> Workplace:
    return Workplace(tmp_path)


def launches_of(stub: Path) -> int:
    return len(list(stub.parent.glob("script.json.launch*")))


def _rules(place: Workplace, data: bytes) -> None:
    (place.workspace / "CLAUDE.md").write_bytes(data)


def missing_file(place: Workplace) -> list[str]:
    return ["--drop", "nowhere.md:1"]


def a_directory(place: Workplace) -> list[str]:
    (place.workspace / ".claude").mkdir()
    return ["--drop", ".claude:1"]


def invalid_utf8(place: Workplace) -> list[str]:
    _rules(place, b"# Rules\n\n- Caf\xe9 first.\n- Ask before you push.\n")
    return ["--drop", LINE]


def line_out_of_range(place: Workplace) -> list[str]:
    return ["--drop", "CLAUDE.md:99"]


def line_zero(place: Workplace) -> list[str]:
    return ["--drop", "CLAUDE.md:0"]


def no_line(place: Workplace) -> list[str]:
    return ["--drop", "CLAUDE.md"]


def outside_the_workspace(place: Workplace) -> list[str]:
    (place.root / "CLAUDE.md").write_text("one\n")
    return ["--drop", "../CLAUDE.md:1"]


def an_absolute_path_elsewhere(place: Workplace) -> list[str]:
    (place.root / "CLAUDE.md").write_text("one\n")
    return ["--drop", f"{place.root}/CLAUDE.md:1"]


def through_a_link_to_outside(place: Workplace) -> list[str]:
    outside = place.root / "outside"
    outside.mkdir()
    (outside / "a.md").write_text("one\ntwo\n")
    (place.workspace / "docs").symlink_to(outside)
    return ["--drop", "docs/a.md:1"]


def not_in_any_arm(place: Workplace) -> list[str]:
    (place.workspace / "notes.md").write_text("one\ntwo\n")
    return ["--drop", "notes.md:1"]


def the_same_text(place: Workplace) -> list[str]:
    return ["--replace", LINE, "- Ask before you push."]


def one_edit_twice(place: Workplace) -> list[str]:
    return ["--drop", LINE, "--drop", LINE]


def a_named_line_that_no_probe_is_about(place: Workplace) -> list[str]:
    file = place.probes / "p0.toml"
    file.write_text(f'{file.read_text()}\n[target]\nfile = "CLAUDE.md"\nline_number = 4\n')
    return ["--drop", LINE, "--drop", "CLAUDE.md:3"]


def fewer_launches_than_one_probe_takes(place: Workplace) -> list[str]:
    return ["--drop", LINE, "--drop", "CLAUDE.md:3", "--drop", "CLAUDE.md:5", "--max-launches", "3"]


def an_unknown_way_to_settle(place: Workplace) -> list[str]:
    return ["--drop", LINE, "--settle", "soon"]


def two_numbers_of_rounds(place: Workplace) -> list[str]:
    return ["--drop", LINE, "--repeats", "2", "--max-rounds", "4"]


def a_probe_margin_below_the_margin(place: Workplace) -> list[str]:
    return ["--drop", LINE, "--margin", "0.3", "--probe-margin", "0.2"]


def no_contrast(place: Workplace) -> list[str]:
    return []


def text_that_tells(place: Workplace) -> list[str]:
    return ["--replace", LINE, "This workspace is a copy made for an experiment."]


def a_slash_prompt(place: Workplace) -> list[str]:
    (place.probes / "p0.toml").write_text(PROBE.format(id="p0", prompt="/etc/hosts is wrong."))
    return ["--drop", LINE]


def an_unknown_key(place: Workplace) -> list[str]:
    (place.probes / "p0.toml").write_text('colour = "red"\n' + PROBE.format(id="p0", prompt="Well?"))
    return ["--drop", LINE]


def probes_of_two_contrasts(place: Workplace) -> list[str]:
    place.put_probes(2)
    for index, line in ((0, 3), (1, 4)):
        file = place.probes / f"p{index}.toml"
        file.write_text(f'{file.read_text()}\n[target]\nfile = "CLAUDE.md"\nline_number = {line}\n')
    return []


def no_probes(place: Workplace) -> list[str]:
    (place.probes / "p0.toml").unlink()
    return ["--drop", LINE]


def a_probe_that_quotes_the_line(place: Workplace) -> list[str]:
    (place.probes / "p0.toml").write_text(
        PROBE.format(id="p0", prompt="Do you ask before you push? Ask before you push.")
    )
    return ["--drop", LINE]


def no_model(place: Workplace) -> list[str]:
    return ["--drop", LINE, "--model", " "]


def an_unknown_condition(place: Workplace) -> list[str]:
    return ["--drop", LINE, "--condition", "fast"]


def an_unwritable_records_folder(place: Workplace) -> list[str]:
    place.runs.write_text("a file stands here")
    return ["--drop", LINE]


def a_workspace_that_is_not_there(place: Workplace) -> list[str]:
    return ["--drop", LINE, "--workspace", str(place.root / "nowhere")]


def a_flag_of_the_wrong_type(place: Workplace) -> list[str]:
    return ["--drop", LINE, "--jobs", "many"]


def an_unknown_flag(place: Workplace) -> list[str]:
    return ["--drop", LINE, "--fast"]


def arms_below_an_instruction_file(place: Workplace) -> list[str]:
    (place.temp.parent / "CLAUDE.md").write_text("Above.\n")
    return ["--drop", LINE]


REFUSED = [
    missing_file,
    a_directory,
    invalid_utf8,
    line_out_of_range,
    line_zero,
    no_line,
    outside_the_workspace,
    an_absolute_path_elsewhere,
    through_a_link_to_outside,
    not_in_any_arm,
    the_same_text,
    one_edit_twice,
    a_named_line_that_no_probe_is_about,
    fewer_launches_than_one_probe_takes,
    an_unknown_way_to_settle,
    two_numbers_of_rounds,
    a_probe_margin_below_the_margin,
    no_contrast,
    text_that_tells,
    a_slash_prompt,
    an_unknown_key,
    probes_of_two_contrasts,
    no_probes,
    a_probe_that_quotes_the_line,
    no_model,
    an_unknown_condition,
    an_unwritable_records_folder,
    a_workspace_that_is_not_there,
    a_flag_of_the_wrong_type,
    an_unknown_flag,
    arms_below_an_instruction_file,
]


@pytest.mark.parametrize("spoil", REFUSED, ids=lambda spoil: spoil.__name__)
def test_it_is_refused_before_anything_happens(place: Workplace, spoil: Spoil) -> None:
    stub = stub_client.install(place.root / "bin", [stub_client.init(), stub_client.text("x"), stub_client.result("x")])
    more = spoil(place)
    before = snapshot(place.workspace)
    done = place.measure(*place.arguments("--client", str(stub), "--model", "model-1", *more, simulated=False))
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    message = [line for line in done.stderr.splitlines() if line.startswith("measure: ")]
    assert len(message) == 1, done.stderr
    assert "Traceback" not in done.stderr
    assert launches_of(stub) == 0
    assert place.folders() == []
    assert place.left_in_temp() == []
    assert snapshot(place.workspace) == before


def test_errors_are_json_too_when_json_was_asked_for(place: Workplace) -> None:
    error = place.json(*place.arguments("--drop", "CLAUDE.md:99"), status=2)["error"]
    assert error["kind"] == "contrast"
    assert "99" in error["message"]


@pytest.mark.parametrize("option", ["--alpha", "--margin", "--probe-margin"])
@pytest.mark.parametrize("value", ["0", "1", "-0.5", "2"])
def test_a_share_that_is_none_is_refused_by_its_option_s_name(place: Workplace, option: str, value: str) -> None:
    from measure.errors import RequestError
    from measure.run.prepare import parameters_of
    from measure.run.request import RunRequest

    given = {option.removeprefix("--").replace("-", "_"): float(value)}
    with pytest.raises(RequestError) as refused:
        parameters_of(RunRequest(probes=(), **given))  # type: ignore[arg-type]
    assert f"{option} {float(value):g}" in refused.value.message
    assert "nput" not in refused.value.message, "the words of a library"


def test_a_list_has_one_form(place: Workplace) -> None:
    place.json(*place.arguments("--drop", LINE, "--repeats", "1"))
    for command in (["runs", "--json", "--format", "csv"], ["show", "last", "--json", "--format", "md"]):
        done = place.measure(*command)
        assert (done.returncode, "--format" in done.stdout + done.stderr) == (2, True)
    assert place.json("runs", "--format", "json")["runs"]


def test_a_file_of_the_workspace_may_be_named_by_its_absolute_path(place: Workplace) -> None:
    link = place.root / "link"
    link.symlink_to(place.workspace)
    for folder in (place.workspace, link):
        document = place.json(*place.arguments("--drop", f"{folder}/{LINE}", "--dry-run"))
        assert document["plans"][0]["contrast"] == f"drop {LINE}"


def test_a_text_that_occurs_twice_is_refused_with_both_line_numbers(place: Workplace) -> None:
    _rules(place, b"# A\n- Run the tests.\n# B\n- Run the tests.\n")
    probe = place.probes / "p0.toml"
    probe.write_text(f'{probe.read_text()}\n[target]\nfile = "CLAUDE.md"\nline = "- Run the tests."\n')
    done = place.measure(*place.arguments())
    assert done.returncode == 2
    assert "2" in done.stderr
    assert "4" in done.stderr


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbf# Rules\r\n\r\n- Keep functions short.\r\n- Ask before you push.\r\n- Prefer small commits.\r\n",
        b"# Rules\n\n- Keep functions short.\n- Ask before you push.",
    ],
    ids=["crlf-and-bom", "no-final-newline"],
)
def test_unusual_line_ends_are_measured_as_they_are(place: Workplace, data: bytes) -> None:
    _rules(place, data)
    (run,) = place.json(*place.arguments("--drop", LINE))["runs"]
    assert run["result"]["decision"]["finding"]["kind"] == "load-bearing"


def test_a_file_that_is_blank_after_the_edit_is_measured_with_a_notice(place: Workplace) -> None:
    _rules(place, b"- Ask before you push.\n")
    (run,) = place.json(*place.arguments("--drop", "CLAUDE.md:1"))["runs"]
    assert run["plan"]["contrast"]["notices"]


def test_a_prompt_of_100_kb_and_one_that_begins_with_a_dash_pass(place: Workplace) -> None:
    (place.probes / "p0.toml").write_text(PROBE.format(id="p0", prompt="- The fix is done. " + "Yes. " * 20_000))
    (run,) = place.json(*place.arguments("--drop", LINE, "--repeats", "1"))["runs"]
    assert all(trial["reading"] for trial in run["trials"])


def test_a_missing_client_is_status_5_with_an_unmeasured_record(place: Workplace) -> None:
    done = place.measure(
        *place.arguments("--client", str(place.root / "nowhere"), "--model", "m", "--drop", LINE, simulated=False)
    )
    assert done.returncode == 5
    (row,) = place.json("runs")["runs"]
    assert (row["finding"], row["reason"]) == ("unmeasured", "no-agent")
    assert place.measure("show", "last").returncode == 0
    for command in (["resume", "last"], ["resume", "last", "--max-rounds", "9"], ["judge", "last"]):
        done = place.measure(*command)
        assert done.returncode == 2
        assert "measure: " in done.stderr
    assert "began" in place.measure("resume", "last").stderr


def test_without_a_client_each_line_has_its_record_and_is_found_by_what_was_asked_for(place: Workplace) -> None:
    place.extra = {"SOME_API_KEY": "k-8d1f00a2b7c94e55aa"}
    _rules(place, b"# Rules\n\n- Keep functions short.\n- Ask before you push, with k-8d1f00a2b7c94e55aa.\n")
    lines = ["--drop", "CLAUDE.md:3", "--drop", LINE]
    done = place.measure(
        *place.arguments("--client", str(place.home / "bin/nowhere"), "--model", "m-1", *lines, simulated=False)
    )
    assert done.returncode == 5
    found = place.json("runs", "-m", "m-1")["runs"]
    assert sorted(row["place"] for row in found) == ["CLAUDE.md:3", LINE]
    assert all((row["finding"], row["reason"]) == ("unmeasured", "no-agent") for row in found)
    (row,) = place.json("runs", "--file", LINE)["runs"]
    record = place.json("show", row["run_id"])
    assert [entry["probe"]["id"] for entry in record["plan"]["probes"]] == ["p0"]
    assert all(folder.name in done.stderr for folder in place.folders())
    kept = "".join(path.read_text() for folder in place.folders() for path in folder.glob("*.json"))
    assert "k-8d1f00a2b7c94e55aa" not in kept, "secrets are masked without a client as well"
    assert str(place.home) not in kept
    assert place.left_in_temp() == []


def test_a_client_that_is_too_old_is_status_5(place: Workplace) -> None:
    stub = stub_client.install(place.root / "bin", [stub_client.result("x")], version="1.0.3 (Claude Code)")
    done = place.measure(*place.arguments("--client", str(stub), "--model", "m", "--drop", LINE, simulated=False))
    assert done.returncode == 5
    assert "1.0.3" in done.stderr
    assert launches_of(stub) == 0


def test_a_held_lock_is_status_3_and_says_who(place: Workplace) -> None:
    place.agent.write_text(
        place.agent.read_text().replace('model = "simulated-1"', 'model = "simulated-1"\nseconds = 30', 1)
    )
    holder = place.start(*place.arguments("--drop", LINE))
    assert holder.stderr is not None
    while not place.folders():
        assert holder.poll() is None
    second = place.measure(*place.arguments("--drop", LINE))
    holder.terminate()
    holder.communicate()
    assert second.returncode == 3
    assert str(holder.pid) in second.stderr
    assert len(place.folders()) == 1
    assert place.left_in_temp() == []


def test_prompts_reach_the_client_byte_for_byte(place: Workplace) -> None:
    stub = stub_client.install(place.root / "bin", [{"copy_stdin": True}])
    place.measure(
        *place.arguments("--client", str(stub), "--model", "m", "--drop", LINE, "--repeats", "1", simulated=False)
    )
    (row,) = place.json("runs")["runs"]
    record = place.json("show", row["run_id"])
    tail = record["trials"][0]["invalid"]["stdout_tail"]
    assert "The fix is done, job 0. What do you do next?" in tail
    assert tail.rstrip().endswith("ACTION: <letter>")


def test_the_whole_environment_of_the_parent_is_not_handed_on(place: Workplace) -> None:
    stub = stub_client.install(place.root / "bin", [{"tell": "env"}])
    place.extra = {
        "CLAUDECODE": "1",
        "MY_OWN_THING": "1",
        "ANTHROPIC_BASE_URL": "http://127.0.0.1:1",
        "PATH": os.environ["PATH"],
    }
    place.measure(
        *place.arguments("--client", str(stub), "--model", "m", "--drop", LINE, "--repeats", "1", simulated=False)
    )
    record = place.json("show", "last")
    seen = record["trials"][0]["invalid"]["stdout_tail"]
    assert "CLAUDECODE" not in seen
    assert "MY_OWN_THING" not in seen
    assert "ANTHROPIC_BASE_URL" in seen
    condition = record["plan"]["condition"]
    assert "CLAUDECODE" in condition["variables_removed"]
    assert "ANTHROPIC_BASE_URL" in condition["variables_passed"]
    assert "127.0.0.1:1" not in str(condition)


def test_a_workspace_edited_after_it_was_read_leaves_a_record_that_says_so(place: Workplace) -> None:
    rules = place.workspace / "CLAUDE.md"
    stub = stub_client.install(place.root / "bin", [stub_client.init(), stub_client.text("x"), stub_client.result("x")])
    asked = stub.read_text().replace("exec ", f"echo '- One more.' >> '{rules}'; exec ", 1)
    stub.write_text(asked)
    lines = ("--drop", LINE, "--drop", "CLAUDE.md:3")
    done = place.measure(*place.arguments("--client", str(stub), "--model", "model-1", *lines, simulated=False))
    assert done.returncode == 4, done.stderr
    records = place.json("runs")["runs"]
    assert [(row["finding"], row["reason"]) for row in records] == [("unmeasured", "tree-being-edited")] * 2
    assert {row["model"] for row in records} == {"model-1"}
    assert place.measure("resume", records[0]["run_id"]).returncode == 2, "there is nothing to go on with"
    assert place.left_in_temp() == []
