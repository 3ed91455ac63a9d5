"""A launch that was under way when the program was killed is a launch: limits hold for it, and it is told."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from measure.record.store import BEGUN, TRIALS, read_trials
from tests.doubles import stub_client
from tests.doubles.workplace import LINE, Workplace

ANSWER: list[dict[str, Any]] = [
    {"read_stdin": True},
    {"sleep": 0.25},
    stub_client.init(),
    stub_client.text("ACTION: A"),
    stub_client.result("ACTION: A"),
]
"""It costs 0.001 USD."""


@pytest.fixture
def place(tmp_path: Path) -> Workplace:
    return Workplace(tmp_path)


def of_stub(place: Workplace, *more: str) -> list[str]:
    stub = stub_client.install(place.root / "bin", ANSWER)
    base = ("--client", str(stub), "--model", "model-1", "--jobs", "4", "--repeats", "15")
    return place.arguments(*base, *more, simulated=False)


def launched(place: Workplace) -> int:
    """How often the client was started: it leaves a file each time."""
    return len(list((place.root / "bin").glob("script.json.launch*")))


def journalled(place: Workplace) -> list[dict[str, Any]]:
    lines = [line for folder in place.folders() for line in (folder / TRIALS).read_bytes().split(b"\n")[:-1]]
    return [trial for trial in map(json.loads, lines) if trial["counted_in"] is None]


def kill_with_launches_under_way(place: Workplace, *arguments: str, after: int) -> int:
    """How many launches had been made when the program was killed."""
    run = place.start(*arguments)
    while launched(place) < after or launched(place) <= len(journalled(place)) + 1:
        assert run.poll() is None, run.communicate()
        time.sleep(0.005)
    run.kill()
    run.communicate()
    return launched(place)


def cut_off(trials: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [trial for trial in trials if trial["invalid"] and trial["invalid"]["reason"] == "cancelled"]


@pytest.mark.parametrize("lines", [(LINE,), (LINE, "CLAUDE.md:3", "CLAUDE.md:5")])
def test_a_limit_of_launches_holds_over_kills(place: Workplace, lines: tuple[str, ...]) -> None:
    contrasts = [argument for line in lines for argument in ("--drop", line)]
    made = kill_with_launches_under_way(place, *of_stub(place, *contrasts, "--max-launches", "22"), after=6)
    lost = made - len(journalled(place))
    shown = [place.json("show", folder.name) for folder in place.folders()]
    assert len(cut_off([trial for run in shown for trial in run["trials"]])) >= lost > 0
    assert sum(run["spending"]["launches"] for run in shown) >= made, "also where nobody goes on"
    assert [(folder / BEGUN).exists() for folder in place.folders()].count(True) >= 1, "showing writes nothing"
    made = kill_with_launches_under_way(place, "resume", "last", after=made + 2)
    done = place.measure("resume", "last", "--json")
    runs = json.loads(done.stdout)["runs"]
    trials = [trial for run in runs for trial in run["trials"] if trial["counted_in"] is None]
    assert made < launched(place) <= len(trials) <= 22
    assert 22 - len(trials) <= len(lines), "too few are left for one more block"
    assert sum(run["spending"]["launches"] for run in runs) == len(trials)
    assert sorted(trial["position"] for trial in trials) == list(range(1, len(trials) + 1))
    assert len({(trial["block"], trial["member"], trial["attempt"]) for trial in trials}) == len(trials)
    for trial in cut_off(trials):
        assert "killed" in trial["invalid"]["detail"]
        assert trial["usage"]["cost_usd"] is None
    assert all(run["stop"]["reason"] == "launches" for run in runs)
    warned = [warning for run in runs for warning in run["warnings"] if "cut off" in warning]
    assert len(warned) == sum(bool(cut_off(run["trials"])) for run in runs)
    assert not any((folder / BEGUN).exists() for folder in place.folders()), "each has its line in the journal"
    assert place.left_in_temp() == []


def test_money_counts_what_was_under_way_although_nobody_told_its_price(place: Workplace) -> None:
    arguments = of_stub(place, "--drop", LINE, "--budget-usd", "0.0101", "--jobs", "2")
    kill_with_launches_under_way(place, *arguments, after=4)
    (run,) = json.loads(place.measure("resume", "last", "--json").stdout)["runs"]
    lost = len(cut_off(run["trials"]))
    told = sum(trial["usage"]["cost_usd"] or 0 for trial in run["trials"])
    assert lost
    assert told + lost * 0.00125 <= 0.0101, "each at the price that is set aside for one"
    assert run["stop"]["reason"] == "budget"


def test_a_pair_that_was_cut_off_is_left_out_and_made_anew(place: Workplace) -> None:
    kill_with_launches_under_way(place, *of_stub(place, "--drop", LINE, "--repeats", "4"), after=5)
    (run,) = place.json("resume", "last")["runs"]
    assert run["complete"] is True
    assert run["result"]["decision"]["axes"][0]["pairs"] == 4
    assert cut_off(run["trials"])


def test_a_run_killed_before_its_first_price_counts_it_once_a_price_is_known(place: Workplace) -> None:
    arguments = of_stub(place, "--drop", LINE, "--budget-usd", "0.0051")
    kill_with_first_launch(place, *arguments)
    (run,) = json.loads(place.measure("resume", "last", "--json").stdout)["runs"]
    # Without the one of unknown price there would be room for two pairs.
    assert len(run["trials"]) - len(cut_off(run["trials"])) == 2
    assert run["spending"]["cost_usd"] == pytest.approx(0.002)


def kill_with_first_launch(place: Workplace, *arguments: str) -> None:
    run = place.start(*arguments)
    while not launched(place):
        assert run.poll() is None, run.communicate()
    run.kill()
    run.communicate()
    (folder,) = place.folders()
    assert len(read_trials(folder)[0]) == 1
    assert not (folder / TRIALS).read_bytes()
