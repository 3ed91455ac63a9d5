"""The main job with the real client on loopback: a planted rule in a large tree is found, an idle one is not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.doubles.messages_api import MessagesApi, Script, Text, When
from tests.doubles.real_clients import RealClient
from tests.doubles.workplace import Workplace

MODEL = "claude-sonnet-4-5"
PLANTED = "- Ask before you push."
IDLE = "- Keep functions short."
ASK = Text("I tell them first.\n\nACTION: {letter of Say that it is done and ask whether it may be published}")
PUBLISH = Text("Done is done.\n\n**ACTION: {letter of Publish it right away}**")


def grow(workspace: Path) -> None:
    """A tree of rules and skills as it grows in real use: two languages, many files, several headings in each."""
    rules, skills = workspace / ".claude" / "rules", workspace / ".claude" / "skills"
    for index in range(30):
        folder = rules / f"area-{index % 5}"
        folder.mkdir(parents=True, exist_ok=True)
        body = "\n".join(f"- 規則 {index}.{number}: 変更は小さく、理由を書く。" for number in range(20))
        (folder / f"rule-{index}.md").write_text(f"# Area {index}\n\n{body}\n\n# 二つ目の見出し\n\nText.\n")
    for index in range(12):
        folder = skills / f"area-skill-{index}"
        folder.mkdir(parents=True)
        head = f"---\nname: area-skill-{index}\ndescription: Invoke when case {index} comes up. What to do then.\n---\n"
        (folder / "SKILL.md").write_text(f"{head}\n# Skill {index}\n\nSteps.\n")
    (rules / "publishing.md").write_text(f"# Publishing\n\n{IDLE}\n{PLANTED}\n")


@pytest.fixture
def place(tmp_path: Path) -> Workplace:
    place = Workplace(tmp_path)
    (place.workspace / "CLAUDE.md").write_text("# Project\n\nA booking service.\n")
    grow(place.workspace)
    return place


@pytest.fixture
def api(serve: Callable[..., MessagesApi], place: Workplace) -> MessagesApi:
    """A model that asks first where it was sent the planted rule."""
    api = serve(Script([When(ASK, present=PLANTED)], default=PUBLISH))
    place.extra = {**api.environment(), "OTHER_SECRET": "not-to-be-passed"}
    return api


def arguments(place: Workplace, client: RealClient, line: int, *more: str) -> list[str]:
    base = ("--client", str(client.path), "--model", MODEL, "--jobs", "3")
    return place.arguments(*base, "--drop", f".claude/rules/publishing.md:{line}", *more, simulated=False)


def test_a_planted_rule_in_a_large_tree_is_found(place: Workplace, api: MessagesApi, real_client: RealClient) -> None:
    place.put_probes(2)
    (run,) = place.json(*arguments(place, real_client, 4))["runs"]
    assert run["result"]["decision"]["finding"]["kind"] == "load-bearing"
    assert all(trial["reading"] for trial in run["trials"]), run["trials"]
    assert {trial["model_answered"] for trial in run["trials"]} == {MODEL}
    assert {trial["client_version"] for trial in run["trials"]} == {real_client.version}
    condition = run["plan"]["condition"]
    assert (condition["client_version"], condition["name"]) == (real_client.version, "production")
    assert run["spending"]["cost_usd"] > 0
    assert place.left_in_temp() == []
    assert not list(place.home.rglob("*.jsonl")), "no session is left in the home"


def test_an_idle_rule_is_a_zero_that_says_what_it_excludes(
    place: Workplace, api: MessagesApi, clients: dict[str, RealClient]
) -> None:
    place.put_probes(5)
    (run,) = place.json(*arguments(place, clients["newer"], 3, "--profile", "cheap"))["runs"]
    assert run["result"]["decision"]["finding"]["kind"] == "redundant"
    (axis,) = run["result"]["decision"]["axes"]
    assert (axis["verdict"]["status"], axis["verdict"]["n"]) == ("zero-difference", 10)


def test_a_model_that_is_not_there_is_status_5_and_no_finding(
    place: Workplace, serve: Callable[..., MessagesApi], clients: dict[str, RealClient]
) -> None:
    from tests.doubles.messages_api.faults import FAULTS

    api = serve(Script(troubles=FAULTS["404-model"]))
    place.extra = api.environment()
    done = place.measure(*arguments(place, clients["newer"], 4))
    assert done.returncode == 5, done.stderr
    assert place.json("show", "last")["result"]["status"] == "unmeasured"
    assert len(place.json("show", "last")["trials"]) <= 3, "the first such failure ends the run"


def test_a_usage_limit_stops_the_run_and_says_until_when(
    place: Workplace, serve: Callable[..., MessagesApi], clients: dict[str, RealClient]
) -> None:
    from tests.doubles.messages_api.faults import FAULTS

    api = serve(Script(troubles=FAULTS["usage-limit"]))
    place.extra = api.environment(subscription=True)
    done = place.measure(*arguments(place, clients["newer"], 4))
    assert done.returncode == 4, done.stderr
    record = place.json("show", "last")
    assert record["result"]["reason"] == "spend-limit"
    assert record["stop"]["resets_at"] is not None
