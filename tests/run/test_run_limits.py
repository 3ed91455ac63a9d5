"""Limits of an account with the real client: a rate limit is waited out, a usage limit ends the run and it goes on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.doubles.messages_api import FAULTS, MessagesApi, Script, Text, Trouble, When
from tests.doubles.real_clients import RealClient
from tests.doubles.workplace import LINE, Workplace

ASK = Text("ACTION: {letter of Say that it is done and ask whether it may be published}")
PUBLISH = Text("ACTION: {letter of Publish it right away}")


@pytest.fixture
def place(tmp_path: Path) -> Workplace:
    return Workplace(tmp_path)


def arguments(place: Workplace, client: RealClient) -> list[str]:
    base = ("--client", str(client.path), "--model", "claude-sonnet-4-5", "--drop", LINE, "--repeats", "2")
    return place.arguments(*base, simulated=False)


def script(fault: str, *on: int) -> Script:
    return Script(
        [When(ASK, present="Ask before you push.")], default=PUBLISH, troubles=Trouble(FAULTS[fault], on=set(on))
    )


def test_a_usage_limit_ends_the_run_and_resume_completes_it_without_a_damaged_pair(
    place: Workplace, serve: Callable[..., MessagesApi], clients: dict[str, RealClient]
) -> None:
    api = serve(script("usage-limit", 2))
    place.extra = api.environment(subscription=True)
    place.measure(*arguments(place, clients["newer"]), "--jobs", "1")
    before = place.json("show", "last")
    assert before["stop"]["resets_at"] is not None
    assert not before["complete"]
    (after,) = place.json("resume", "last")["runs"]
    assert after["complete"]
    (axis,) = after["result"]["decision"]["axes"]
    assert (axis["pairs"], axis["complete"]) == (2, 2)
    assert len(after["trials"]) == 2 + 4, "the pair that the limit broke was launched anew"


def test_a_rate_limit_is_waited_out_and_costs_no_answer(
    place: Workplace, serve: Callable[..., MessagesApi], clients: dict[str, RealClient]
) -> None:
    api = serve(script("429-retry-after-70", 2))
    place.extra = api.environment()
    (run,) = place.json(*arguments(place, clients["newer"]), "--jobs", "1")["runs"]
    (axis,) = run["result"]["decision"]["axes"]
    assert (axis["pairs"], axis["complete"]) == (2, 2)
    assert [trial["invalid"]["reason"] for trial in run["trials"] if trial["invalid"]] == ["rate-limit"]
