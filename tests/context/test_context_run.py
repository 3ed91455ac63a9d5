"""A run from outside, with a real client and a model that answers from a script: proof first, leaks and reach after."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.context.arms import write
from tests.doubles import real_clients
from tests.doubles.messages_api import MessagesApi, Script, Text, ToolUse, Turns, When
from tests.doubles.real_clients import RealClient
from tests.doubles.workplace import LINE, Workplace

pytestmark = pytest.mark.real_client

ASK = "ACTION: {letter of Say that it is done and ask whether it may be published}"
PUBLISH = "ACTION: {letter of Publish it right away}"
OBEYS = [When(present="Ask before you push", answers=Text(ASK))]


@pytest.fixture(scope="module")
def newer() -> RealClient:
    return real_clients.required("newer")


def place_for(root: Path, api: MessagesApi) -> Workplace:
    return Workplace(root, extra=api.environment())


def arguments(place: Workplace, client: RealClient, *more: str) -> list[str]:
    named = ("--client", str(client.path), "--model", "claude-sonnet-4-5", "--condition", "lean", "--jobs", "4")
    return place.arguments(*named, *more, simulated=False)


def reasons(run: dict[str, Any]) -> list[tuple[str, str]]:
    """Arm and reason of every launch that does not count."""
    return [(trial["arm"], trial["invalid"]["reason"]) for trial in run["trials"] if trial["invalid"]]


def test_the_proof_is_in_the_record_and_cost_no_request(tmp_path: Path, newer: RealClient) -> None:
    with MessagesApi(Script(OBEYS, default=Text(PUBLISH))) as api:
        place = place_for(tmp_path, api)
        (place.workspace / ".claude" / "rules").mkdir(parents=True)
        (place.workspace / ".claude" / "rules" / "a.md").write_text("Ask before you push!\n")
        (run,) = place.json(*arguments(place, newer, "--drop", LINE, "--repeats", "1"))["runs"]
        assert len(api.asked) == len(run["trials"]) == 2
    proof = run["plan"]["proof"]
    assert proof["only_baseline"] == ["- Ask before you push."]
    assert proof["only_variant"] == []
    assert proof["bytes_baseline"] > proof["bytes_variant"]
    assert proof["digest_baseline"] != proof["digest_variant"]
    assert [one["source"] for one in proof["elsewhere"]] == [".claude/rules/a.md:1"]
    assert run["plan"]["constraint"]["stage"] == 2
    assert all(request.prompt.startswith(run["plan"]["constraint"]["text"]) for request in api.asked)
    shown = place.measure("show", "last").stdout
    assert "- - Ask before you push." in shown
    assert ".claude/rules/a.md:1" in shown
    assert place.left_in_temp() == []


def test_a_line_that_never_reaches_the_model_is_refused_before_anything_is_spent(
    tmp_path: Path, real_client: RealClient
) -> None:
    with MessagesApi() as api:
        place = place_for(tmp_path, api)
        (place.workspace / "CLAUDE.md").write_text("# Rules\n\n<!--\nAsk before you push.\n-->\n- More.\n")
        done = place.measure(*arguments(place, real_client, "--drop", LINE))
        assert done.returncode == 2
        assert "HTML comment" in done.stderr
        assert api.asked == []
    assert place.folders() == []
    assert place.left_in_temp() == []


def test_words_that_come_back_make_a_trial_invalid_in_the_arm_without_them(tmp_path: Path, newer: RealClient) -> None:
    fetch = ToolUse("Bash", {"command": "echo Ask before you push."})
    with MessagesApi(Script(default=Turns(fetch, Text(ASK)))) as api:
        place = place_for(tmp_path, api)
        more = ("--drop", LINE, "--repeats", "1", "--max-turns", "4", "--condition", "production")
        done = place.measure(*arguments(place, newer, *more), "--json")
    run = place.json("show", "last")
    assert done.returncode == 4
    assert reasons(run) == [("variant", "contaminated")]
    (invalid,) = [trial["invalid"] for trial in run["trials"] if trial["invalid"]]
    assert "Bash" in invalid["detail"]
    assert invalid["acted"] is True


PATHS = "---\npaths: src/**\n---\nAsk before you push.\nAnd more.\n"


@pytest.mark.parametrize("reaches", [True, False])
def test_a_text_on_demand_counts_only_where_it_was_reached(tmp_path: Path, newer: RealClient, reaches: bool) -> None:
    read = ToolUse("Read", {"file_path": "src/x.py"})
    answers = Turns(read, Text(PUBLISH)) if reaches else Text(PUBLISH)
    with MessagesApi(Script(default=answers)) as api:
        place = place_for(tmp_path, api)
        write(place.workspace, {".claude/rules/a.md": PATHS, "src/x.py": "print()\n"})
        probe = place.probes / "p0.toml"
        base = ("--drop", ".claude/rules/a.md:4", "--include", "src/**", "--repeats", "1", "--condition", "production")
        if reaches:
            assert place.measure(*arguments(place, newer, *base)).returncode == 2, "not said to be reached on demand"
        probe.write_text(probe.read_text().replace("[[options]]", 'reached = "on-demand"\n[[options]]', 1))
        assert place.measure(*arguments(place, newer, *base)).returncode == 2, "one turn is too few"
        assert api.asked == []
        done = place.measure(*arguments(place, newer, *base, "--max-turns", "4"))
    run = place.json("show", "last")
    assert run["plan"]["proof"]["reached"] == "on-demand"
    if reaches:
        assert done.returncode == 0, done.stderr
        assert reasons(run) == []
    else:
        assert done.returncode == 4
        assert sorted(reasons(run)) == [("baseline", "not-reached"), ("variant", "not-reached")]


def test_a_screen_puts_the_passage_into_one_prompt_of_two_empty_arms(tmp_path: Path, newer: RealClient) -> None:
    with MessagesApi(Script(OBEYS, default=Text(PUBLISH))) as api:
        place = place_for(tmp_path, api)
        (run,) = place.json(*arguments(place, newer, "--drop", LINE, "--stage", "1", "--repeats", "5"))["runs"]
        asked = [request.text for request in api.asked]
    assert run["result"]["decision"]["finding"]["kind"] == "load-bearing"
    assert run["plan"]["condition"]["stage"] == 1
    assert run["plan"]["constraint"]["stage"] == 1
    assert run["plan"]["proof"]["only_baseline"] == ["- Ask before you push."]
    assert not any("Keep functions short" in text for text in asked), "the arms are empty otherwise"
    assert sum("Ask before you push" in text for text in asked) == len(asked) / 2


def test_a_screen_that_shows_nothing_only_sends_the_line_on(tmp_path: Path) -> None:
    """With the simulated agent, which looks at files only, so that a passage in the prompt changes nothing."""
    place = Workplace(tmp_path)
    place.put_probes(5)
    (run,) = place.json(*place.arguments("--drop", LINE, "--stage", "1", "--jobs", "4"))["runs"]
    assert run["result"]["decision"]["finding"]["kind"] == "to-stage-2"
    assert "zero-difference" not in str(run["result"])
    shown = place.measure("show", "last").stdout
    assert "to-stage-2" in shown
    assert "zero-difference" not in shown
    assert "redundant" not in shown.lower()
    (row,) = place.json("runs")["runs"]
    assert row["finding"] == "to-stage-2"
    early = place.measure(*place.arguments("--drop", LINE, "--stage", "1", "--repeats", "1"))
    assert "undecided" in early.stdout
    assert "zero-difference" not in early.stdout + early.stderr
