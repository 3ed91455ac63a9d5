"""Lines measured together with the real client on loopback: what each is sent, what is shared, and limits between."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.doubles.messages_api import FAULTS, MessagesApi, Script, Text, Trouble, When
from tests.doubles.real_clients import RealClient
from tests.doubles.workplace import LINE, Workplace

ASK = Text("ACTION: {letter of Say that it is done and ask whether it may be published}")
PUBLISH = Text("ACTION: {letter of Publish it right away}")
PLANTED = "Ask before you push."


@pytest.fixture
def place(tmp_path: Path) -> Workplace:
    place = Workplace(tmp_path)
    place.put_probes(2)
    return place


def arguments(place: Workplace, client: RealClient) -> list[str]:
    base = ("--client", str(client.path), "--model", "claude-sonnet-4-5", "--seed", "1")
    lines = ("--drop", LINE, "--drop", "CLAUDE.md:3", "--drop", "CLAUDE.md:5")
    return place.arguments(*base, *lines, simulated=False)


def test_each_line_is_dropped_by_itself_and_the_baseline_is_sent_once_for_all(
    place: Workplace, serve: Callable[..., MessagesApi], real_client: RealClient
) -> None:
    api = serve(Script([When(ASK, present=PLANTED)], default=PUBLISH))
    place.extra = api.environment()
    runs = place.json(*arguments(place, real_client), "--jobs", "2", "--max-rounds", "3")["runs"]
    kinds = [run["result"]["decision"]["finding"]["kind"] for run in runs]
    assert kinds[0] == "load-bearing"
    assert "load-bearing" not in kinds[1:]
    made = [trial for run in runs for trial in run["trials"] if trial["counted_in"] is None]
    assert all(trial["reading"] for trial in made), [trial["invalid"] for trial in made]
    asked = [request for request in api.requests if "ACTION:" in json.dumps(request.body)]
    assert len(asked) == len(made), "every launch is one request, and nothing else asked the model"
    sent = [json.dumps(request.body) for request in asked]
    rules = ("Keep functions short", "Ask before you push", "Prefer small commits")
    held = [tuple(rule in text for rule in rules) for text in sent]
    assert set(held) == {(True, True, True), (False, True, True), (True, False, True), (True, True, False)}
    baseline = [trial for trial in made if trial["arm"] == "baseline"]
    assert held.count((True, True, True)) == len(baseline) < len(made) / 2


def test_a_usage_limit_ends_all_lines_and_one_resume_completes_them_without_a_damaged_pair(
    place: Workplace, serve: Callable[..., MessagesApi], clients: dict[str, RealClient]
) -> None:
    api = serve(Script([When(ASK, present=PLANTED)], default=PUBLISH, troubles=Trouble(FAULTS["usage-limit"], on={6})))
    place.extra = api.environment(subscription=True)
    place.measure(*arguments(place, clients["newer"]), "--jobs", "1", "--repeats", "2")
    records = [json.loads((folder / "record.json").read_text()) for folder in place.folders()]
    assert len(records) == 3
    assert not any(record["complete"] for record in records)
    assert all(record["stop"]["resets_at"] for record in records)
    after = place.json("resume", "last")["runs"]
    assert len(after) == 3
    for run in after:
        assert run["complete"]
        (axis,) = run["result"]["decision"]["axes"]
        assert (axis["pairs"], axis["complete"]) == (4, 4)
