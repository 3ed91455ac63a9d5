"""A run that ended before its plan did says so, says what to do, and can go on: nothing paid for is paid for twice."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from tests.doubles import stub_client
from tests.doubles.workplace import LINE, Workplace

ANSWER: list[dict[str, Any]] = [
    {"read_stdin": True},
    stub_client.init(),
    stub_client.text("ACTION: A"),
    stub_client.result("ACTION: A"),
]


@pytest.fixture
def place(tmp_path: Path) -> Workplace:
    return Workplace(tmp_path)


def of_stub(place: Workplace, stub: Path, *more: str) -> list[str]:
    return place.arguments(
        *("--client", str(stub), "--model", "model-1", "--drop", LINE, "--jobs", "1"), *more, simulated=False
    )


def test_a_usage_limit_ends_the_run_and_it_goes_on_afterwards(place: Workplace) -> None:
    limit: list[dict[str, Any]] = [
        {"stdout": f"Claude AI usage limit reached|{int(time.time()) + 3600}\n"},
        {"exit": 1},
    ]
    stub = stub_client.install(place.root / "bin", *[ANSWER] * 4, limit, *[ANSWER] * 40)
    done = place.measure(*of_stub(place, stub, "--repeats", "5"))
    assert done.returncode == 0, done.stderr
    (row,) = place.json("runs")["runs"]
    assert row["complete"] is False
    assert f"measure resume {row['run_id']}" in done.stderr
    record = place.json("show", "last")
    assert record["stop"]["reason"] == "failing"
    assert record["stop"]["resets_at"] is not None
    (more,) = place.json("resume", "last")["runs"]
    assert more["complete"] is True
    assert more["stop"]["reason"] == "repeats-done"
    assert more["result"]["decision"]["axes"][0]["complete"] == 5
    assert sum(trial["reading"] is not None for trial in more["trials"]) in {10, 11}


@pytest.mark.parametrize("option", ["--max-launches", "--budget-usd"])
def test_a_limit_that_ended_a_run_has_to_be_raised(place: Workplace, option: str) -> None:
    stub = stub_client.install(place.root / "bin", ANSWER)
    low, high = {"--max-launches": ("4", "40"), "--budget-usd": ("0.0055", "1")}[option]
    done = place.measure(*of_stub(place, stub, "--repeats", "5", option, low))
    assert done.returncode == 0, done.stderr
    assert option in done.stderr
    refused = place.measure("resume", "last")
    assert refused.returncode == 2
    assert option in refused.stderr
    (run,) = place.json("resume", "last", option, high)["runs"]
    assert run["complete"] is True
    assert run["result"]["decision"]["axes"][0]["complete"] == 5
    assert len(run["trials"]) == 10


def test_what_a_probe_gives_away_is_told_before_the_start_and_in_the_record(place: Workplace) -> None:
    (place.workspace / "CLAUDE.md").write_text("# Rules\n\n- Always write a failing test first.\n")
    probe = place.probes / "p0.toml"
    probe.write_text(probe.read_text().replace("The fix is done", "Fix the bug; write a failing test first. The fix"))
    stub = stub_client.install(place.root / "bin", ANSWER)
    arguments = of_stub(place, stub, "--repeats", "1")
    arguments[arguments.index(LINE)] = "CLAUDE.md:3"
    done = place.measure(*arguments)
    assert done.returncode == 0, done.stderr
    assert "Note: p0.toml" in done.stderr
    assert any("p0.toml" in notice for notice in place.json("show", "last")["plan"]["surface"]["notices"])


@pytest.mark.parametrize("jobs", ["1", "4"])
def test_while_no_price_is_known_one_launch_goes_alone(place: Workplace, jobs: str) -> None:
    stub = stub_client.install(place.root / "bin", ANSWER)
    arguments = of_stub(place, stub, "--repeats", "5", "--budget-usd", "0.0005")
    arguments[arguments.index("--jobs") + 1] = jobs
    place.measure(*arguments)
    record = place.json("show", "last")
    assert record["spending"]["launches"] == 1, "a launch costs 0.001; nobody could know before the first"
    assert record["stop"]["reason"] == "budget"


def test_a_stated_price_holds_the_first_launch_back_too(place: Workplace) -> None:
    stub = stub_client.install(place.root / "bin", ANSWER)
    done = place.measure(*of_stub(place, stub, "--repeats", "5", "--budget-usd", "0.0005", "--price-usd", "0.001"))
    assert done.returncode == 4
    assert place.json("show", "last")["spending"]["launches"] == 0
