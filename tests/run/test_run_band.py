"""The noise band: measured with identical arms, found again by exactly matching condition, never carried over."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.doubles.workplace import LINE, Workplace


@pytest.fixture
def place(tmp_path: Path) -> Workplace:
    place = Workplace(tmp_path)
    place.put_probes(5)
    return place


def band_of(place: Workplace, *more: str) -> list[str]:
    return ["band", *place.arguments("--drop", LINE, "--jobs", "4", *more)[1:]]


def noisy(place: Workplace) -> None:
    text = place.agent.read_text()
    one = '[{ probability = 1.0, choose = "Say that it is done and ask whether it may be published" }]'
    two = """[
  { probability = 0.5, choose = "Say that it is done and ask whether it may be published" },
  { probability = 0.5, choose = "Publish it right away" },
]"""
    assert one in text
    place.agent.write_text(text.replace(one, two))


def test_identical_arms_give_a_band_and_no_finding(place: Workplace) -> None:
    (run,) = place.json(*band_of(place))["runs"]
    assert run["result"]["status"] == "band"
    (band,) = run["result"]["bands"]
    assert (band["flips"], band["pairs"], band["gate_passed"]) == (0, 15, True)
    assert band["flip_rate"]["high"] == pytest.approx(0.218, abs=1e-3)
    assert band["shift"]["high"] == pytest.approx(0.195, abs=1e-3)
    assert {trial["reading"]["option"] for trial in run["trials"]} == {"ask"}, "both arms hold the line"
    (row,) = place.json("runs")["runs"]
    assert row["finding"] == "band"


def test_a_verdict_names_the_band_it_stood_on(place: Workplace) -> None:
    (band,) = place.json(*band_of(place))["runs"]
    (run,) = place.json(*place.arguments("--drop", LINE, "--jobs", "4"))["runs"]
    assert run["result"]["decision"]["axes"][0]["band"] == band["run_id"]
    assert band["run_id"] in place.measure("show", "last").stdout


def test_a_band_of_another_condition_is_not_used(place: Workplace) -> None:
    place.json(*band_of(place, "--max-turns", "2"))
    (run,) = place.json(*place.arguments("--drop", LINE, "--jobs", "4"))["runs"]
    assert run["result"]["decision"]["axes"][0]["band"] is None


def test_a_margin_below_the_band_is_refused_before_anything_is_launched(place: Workplace) -> None:
    noisy(place)
    place.json(*band_of(place, "--seed", "1"))
    runs = len(place.folders())
    done = place.measure(*place.arguments("--drop", LINE))
    assert done.returncode == 2
    assert "margin" in done.stderr
    assert len(place.folders()) == runs


def test_a_band_of_too_few_steady_pairs_is_set_aside_and_said(place: Workplace) -> None:
    place.json(*band_of(place, "--repeats", "1"))
    done = place.measure(*place.arguments("--drop", LINE, "--jobs", "4"))
    assert done.returncode == 0, done.stderr
    record = place.json("show", "last")
    assert record["result"]["decision"]["axes"][0]["band"] is None
    assert any("too coarse" in notice for notice in record["plan"]["surface"]["notices"])
