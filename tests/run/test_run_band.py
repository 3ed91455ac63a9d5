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


def test_under_a_coarse_band_a_run_goes_on_says_so_first_and_still_finds_a_difference(place: Workplace) -> None:
    noisy(place)
    (band,) = place.json(*band_of(place, "--seed", "1"))["runs"]
    assert band["result"]["bands"][0]["flips"] > 0
    dry = place.measure(*place.arguments("--drop", LINE, "--dry-run"))
    assert dry.returncode == 0, dry.stderr
    for told in (band["run_id"], "zero-difference", "--repeats"):
        assert told in dry.stderr
    (plan,) = place.json(*place.arguments("--drop", LINE, "--dry-run"))["plans"]
    assert [axis["zero_after"] for axis in plan["resolution"]["axes"]] == [None]

    idle, acted_on = place.json(
        *place.arguments("--drop", "CLAUDE.md:3", "--drop", LINE, "--jobs", "4", "--max-rounds", "12", "--seed", "2")
    )["runs"]
    assert acted_on["result"]["decision"]["finding"]["kind"] == "load-bearing"
    assert acted_on["result"]["decision"]["axes"][0]["band"] == band["run_id"]
    assert idle["result"]["decision"]["finding"]["kind"] == "undecided"
    assert any(band["run_id"] in notice for notice in idle["plan"]["surface"]["notices"])


def test_what_would_be_a_zero_difference_is_undecided_under_a_coarse_band_in_every_form(place: Workplace) -> None:
    (band,) = place.json(*band_of(place, "--repeats", "1"))["runs"]
    file = place.runs / band["run_id"] / "band.json"
    file.write_text(file.read_text().replace('"flips":0', '"flips":1'))
    noise = -band["result"]["bands"][0]["shift"]["low"]
    assert noise > 0.2
    (run,) = place.json(*place.arguments("--drop", "CLAUDE.md:3", "--jobs", "4"))["runs"]
    (axis,) = run["result"]["decision"]["axes"]
    assert (axis["verdict"]["because"], axis["verdict"]["noise"]) == ("band", noise)
    assert run["result"]["decision"]["finding"]["kind"] == "undecided"
    page = place.root / "page.html"
    assert place.measure("report", "last", "-o", str(page)).returncode == 0
    shown = f"{100 * noise:g} points"
    for text in (
        place.measure("show", "last").stdout,
        place.measure("show", "last", "--format", "md").stdout,
        page.read_text(),
    ):
        assert "noise band" in text
        assert shown in " ".join(text.split())
    assert "settled but" in place.measure("show", "last").stdout
    (row,) = [row for row in place.json("runs")["runs"] if row["run_id"] == run["run_id"]]
    assert (row["finding"], row["behavior"]) == ("undecided", "undecided")
    assert place.json("show", "last")["result"] == run["result"]


def test_a_band_too_short_to_show_noise_leaves_a_run_as_it_would_be_without_and_is_said(place: Workplace) -> None:
    (band,) = place.json(*band_of(place, "--repeats", "1"))["runs"]
    (run,) = place.json(*place.arguments("--drop", "CLAUDE.md:3", "--jobs", "4"))["runs"]
    (axis,) = run["result"]["decision"]["axes"]
    assert (axis["verdict"]["status"], axis["band"]) == ("zero-difference", None)
    assert any(band["run_id"] in notice for notice in run["plan"]["surface"]["notices"])


def test_a_band_whose_identical_arms_differed_is_refused_before_anything_is_launched(place: Workplace) -> None:
    (band,) = place.json(*band_of(place))["runs"]
    file = place.runs / band["run_id"] / "band.json"
    file.write_text(file.read_text().replace('"gate_passed":true', '"gate_passed":false'))
    assert '"gate_passed":false' in file.read_text()
    for more in ([], ["--dry-run"]):
        done = place.measure(*place.arguments("--drop", LINE, *more))
        assert done.returncode == 2
        assert "identical arms" in done.stderr
    assert len(place.folders()) == 1


@pytest.mark.parametrize(("probes", "repeats"), [(1, 15), (2, 8), (4, 4)])
def test_the_default_band_grows_where_there_are_fewer_probes(place: Workplace, probes: int, repeats: int) -> None:
    for file in sorted(place.probes.iterdir())[probes:]:
        file.unlink()
    (plan,) = place.json(*band_of(place, "--dry-run"))["plans"]
    assert plan["launches_at_most"] == 2 * probes * repeats


def test_the_plan_of_a_band_says_which_margin_it_can_carry_and_how_many_repeats_it_takes(place: Workplace) -> None:
    (place.probes / "p4.toml").unlink()
    short = place.measure(*band_of(place, "--repeats", "3", "--dry-run"))
    assert "--repeats 4 " in short.stderr
    cut = place.measure(*band_of(place, "--max-launches", "24", "--dry-run"))
    assert "--repeats 4 " in cut.stderr
    enough = place.measure(*band_of(place, "--dry-run"))
    assert "--repeats 9 " in enough.stderr, "so many would allow a flip each way"


def test_a_dry_run_without_a_client_says_that_no_bands_were_looked_up(place: Workplace) -> None:
    missing = ["--client", str(place.root / "nowhere"), "--model", "m", "--drop", LINE, "--dry-run"]
    done = place.measure(*place.arguments(*missing, simulated=False))
    assert done.returncode == 0, done.stderr
    assert "not looked up" in done.stderr
    assert place.folders() == []
    assert "not looked up" not in place.measure(*place.arguments("--drop", LINE, "--dry-run")).stderr


def test_a_band_takes_the_options_of_launching_and_of_money(place: Workplace) -> None:
    more = ["--own-paths", "--containment", "descendants", "--price-usd", "0.5", "--stale-after", "60"]
    assert "15.00 USD" in place.measure(*band_of(place, *more, "--dry-run")).stderr
    (run,) = place.json(*band_of(place, *more, "--repeats", "1"))["runs"]
    condition = run["plan"]["condition"]
    assert (condition["paths"], condition["containment"]) == ("own", "descendants")
    refused = place.measure(*band_of(place, "--prices", str(place.root / "none.toml"), "--dry-run"))
    assert refused.returncode == 2
