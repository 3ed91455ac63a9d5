"""Several lines in one command: they share the launches in the baseline and nothing else, and are counted together."""

from __future__ import annotations

import json
import shutil
import signal
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

from tests.doubles.workplace import LINE, Workplace

IDLE = [f"CLAUDE.md:{number}" for number in range(5, 12)]
"""Lines that the agent does not act on, beside `LINE`, which it acts on."""
EIGHT = [LINE, *IDLE]


@pytest.fixture
def place(tmp_path: Path) -> Workplace:
    place = Workplace(tmp_path)
    rules = "".join(f"- Rule {number} is about something else.\n" for number in range(8))
    (place.workspace / "CLAUDE.md").write_text((place.workspace / "CLAUDE.md").read_text() + rules)
    place.put_probes(5)
    return place


def dropping(*lines: str) -> list[str]:
    return [argument for line in lines for argument in ("--drop", line)]


def launches(runs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The launches that were made, each once."""
    return [trial for run in runs for trial in run["trials"] if trial["counted_in"] is None]


def kind(run: dict[str, Any]) -> str:
    return str(run["result"]["decision"]["finding"]["kind"])


def test_eight_lines_share_the_baseline_and_take_far_fewer_launches(place: Workplace) -> None:
    document = place.json(*place.arguments(*dropping(*EIGHT), "--jobs", "4", "--seed", "1"))
    runs = document["runs"]
    assert [kind(run) for run in runs] == ["load-bearing", *["redundant"] * 7]
    made = launches(runs)
    pairs_one_by_one = sum(len(run["trials"]) for run in runs)
    assert len(made) == sum(run["spending"]["launches"] for run in runs)
    assert len(made) <= 0.6 * pairs_one_by_one
    (family,) = document["families"]
    assert len(family["lines"]) == 8
    assert family["differing_together"] == family["differing_alone"] == [runs[0]["run_id"]]
    assert family["zero_together"] == family["zero_alone"] == [run["run_id"] for run in runs[1:]]


def test_each_record_holds_all_it_reads_and_a_launch_is_paid_for_once(place: Workplace) -> None:
    runs = place.json(*place.arguments(*dropping(LINE, *IDLE[:2]), "--seed", "3"))["runs"]
    ids = [run["run_id"] for run in runs]
    assert all(run["plan"]["together"] == ids for run in runs)
    seen: dict[tuple[int, int], list[tuple[str, dict[str, Any]]]] = defaultdict(list)
    for run in runs:
        for trial in run["trials"]:
            seen[trial["block"], trial["member"]].append((run["run_id"], trial))
            assert (place.runs / run["run_id"] / "transcripts" / trial["transcript"]).is_file()
    for reads in seen.values():
        payers = {run for run, trial in reads if trial["counted_in"] is None}
        (payer,) = payers
        assert all(trial["counted_in"] in (None, payer) for _, trial in reads)
        assert {trial["serves"] for _, trial in reads} == {len(reads)}
        assert len({trial["arm"] for _, trial in reads}) == 1
        assert len(reads) == 1 or reads[0][1]["arm"] == "baseline", "a variant is one line's alone"
        assert len({json.dumps([trial["answer"], trial["seed"], trial["order"]]) for _, trial in reads}) == 1
    positions = sorted(trial["position"] for trial in launches(runs))
    assert positions == list(range(1, len(positions) + 1))
    for run in runs:
        assert run["spending"]["launches"] + run["spending"]["shared"] == len(run["trials"])
        again = place.json("judge", run["run_id"])
        assert again["result"] == run["result"], "each can be judged again by itself"


def test_a_line_that_is_settled_is_launched_no_more_and_its_evidence_stays(place: Workplace) -> None:
    runs = place.json(*place.arguments(*dropping(*EIGHT), "--jobs", "1", "--seed", "5"))["runs"]
    first, rest = runs[0], runs[1:]
    assert first["stop"]["reason"] == "settled"
    last = max(trial["block"] for trial in first["trials"])
    assert last == first["stop"]["last_block"]
    assert all(max(trial["block"] for trial in run["trials"]) > last for run in rest)
    after = [trial for run in rest for trial in run["trials"] if trial["block"] > last and trial["arm"] == "baseline"]
    assert {trial["serves"] for trial in after} == {7}


def test_in_every_block_the_baseline_stands_once_beside_the_variants_in_random_place(place: Workplace) -> None:
    runs = place.json(*place.arguments(*dropping(*EIGHT), "--jobs", "1", "--seed", "7"))["runs"]
    blocks: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for trial in launches(runs):
        blocks[trial["block"]].append(trial)
    places = Counter()  # type: ignore[var-annotated]
    for number, trials in blocks.items():
        ordered = sorted(trials, key=lambda trial: trial["position"])
        assert [trial["member"] for trial in ordered] == list(range(len(trials))), "launched as they were drawn"
        assert sum(trial["arm"] == "baseline" for trial in trials) == 1
        assert ordered[-1]["position"] - ordered[0]["position"] == len(trials) - 1, f"block {number} is torn apart"
        places[next(trial["member"] for trial in trials if trial["arm"] == "baseline")] += 1
    assert len(places) > 3


def test_settling_alone_takes_fewer_launches_and_says_what_does_not_stand(place: Workplace) -> None:
    together = place.json(*place.arguments(*dropping(*EIGHT), "--seed", "9"))
    alone = place.json(*place.arguments(*dropping(*EIGHT), "--seed", "9", "--settle", "alone"))
    assert [kind(run) for run in alone["runs"]] == [kind(run) for run in together["runs"]]
    assert len(launches(alone["runs"])) < len(launches(together["runs"]))
    (family,) = alone["families"]
    assert family["differing_alone"]
    assert not family["differing_together"]
    shown = place.measure("show", alone["runs"][0]["run_id"])
    assert "short of it" in shown.stdout, "a line's own record also says what it is worth among the others"


def test_lines_with_some_probes_in_common_share_those(place: Workplace) -> None:
    for index, line in ((3, 4), (4, 5)):
        file = place.probes / f"p{index}.toml"
        file.write_text(f'{file.read_text()}\n[target]\nfile = "CLAUDE.md"\nline_number = {line}\n')
    runs = place.json(*place.arguments(*dropping("CLAUDE.md:4", "CLAUDE.md:5"), "--seed", "2", "--repeats", "2"))[
        "runs"
    ]
    asked = [{trial["probe"] for trial in run["trials"]} for run in runs]
    assert asked == [{"p0", "p1", "p2", "p3"}, {"p0", "p1", "p2", "p4"}]
    shared = {trial["probe"] for run in runs for trial in run["trials"] if trial["serves"] == 2}
    assert shared == {"p0", "p1", "p2"}
    assert len(launches(runs)) == 2 * (3 * 3 + 2 * 2)


def test_an_added_and_a_dropped_line_share_the_baseline_each_with_its_own_reading(place: Workplace) -> None:
    runs = place.json(*place.arguments("--drop", LINE, "--add", "CLAUDE.md:5", "- Ask twice.", "--seed", "4"))["runs"]
    dropped, added = runs
    assert dropped["plan"]["contrast"]["with_arm"] == "baseline"
    assert added["plan"]["contrast"]["with_arm"] == "variant"
    assert kind(dropped) == "load-bearing"
    assert kind(added) == "redundant"
    assert any(trial["serves"] == 2 for trial in dropped["trials"])


def test_lines_of_two_workspaces_or_other_questions_share_nothing(place: Workplace) -> None:
    demo = Path(__file__).resolve().parent.parent.parent / "probes" / "demo"
    runs = place.json("run", "--probe", str(demo), "--seed", "7")["runs"]
    assert len(runs) == 2
    assert all(run["plan"]["together"] == [] for run in runs)
    assert all(trial["serves"] == 1 for run in runs for trial in run["trials"])


@pytest.mark.parametrize("limit", ["20", "80"])
def test_a_limit_of_launches_holds_for_all_lines_together_and_resume_goes_on_with_all(
    place: Workplace, limit: str
) -> None:
    runs = place.json(*place.arguments(*dropping(*EIGHT), "--seed", "6", "--max-launches", limit))["runs"]
    assert len(launches(runs)) <= int(limit)
    assert all(run["stop"]["reason"] == "launches" for run in runs if not run["complete"])
    done = place.measure("resume", "last", "--max-launches", "400", "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    records = [json.loads((place.runs / run["run_id"] / "record.json").read_text()) for run in runs]
    assert [kind(record) for record in records] == ["load-bearing", *["redundant"] * 7]
    assert all(record["complete"] for record in records)
    (family,) = document["families"]
    assert sorted(family["lines"]) == sorted(run["run_id"] for run in runs), "also those that went on no more"
    made = launches(records)
    assert len(made) <= 0.6 * sum(len(record["trials"]) for record in records)


def test_a_raised_limit_counts_the_launches_of_lines_that_are_done_as_well(place: Workplace) -> None:
    runs = place.json(*place.arguments(*dropping(*EIGHT), "--seed", "6", "--max-launches", "80"))["runs"]
    assert [run["complete"] for run in runs] == [True, *[False] * 7]
    place.json("resume", runs[1]["run_id"], "--max-launches", "100")
    records = [json.loads((place.runs / run["run_id"] / "record.json").read_text()) for run in runs]
    assert 90 < len(launches(records)) <= 100


def test_a_line_without_a_record_counts_as_one_that_showed_nothing(place: Workplace) -> None:
    runs = place.json(*place.arguments(*dropping(*EIGHT), "--seed", "9", "--settle", "alone"))["runs"]
    for run in runs[2:]:
        shutil.rmtree(place.runs / run["run_id"])
    assert "0 of 1 differences" in " ".join(place.measure("show", runs[0]["run_id"]).stdout.split())
    (place.runs / runs[1]["run_id"] / "record.json").write_text("{")
    shown = place.measure("show", runs[0]["run_id"])
    assert "8 runs counted" in " ".join(shown.stdout.split())
    assert "0 of 1 differences" in " ".join(shown.stdout.split())


def test_a_line_that_falls_short_goes_on_when_it_is_named_and_the_run_says_how(place: Workplace) -> None:
    # Two rounds of one probe less than it takes: four flips are 36.8, and eight lines take 160.
    for file in sorted(place.probes.iterdir())[1:]:
        file.unlink()
    done = place.measure(*place.arguments(*dropping(*EIGHT), "--seed", "1", "--max-rounds", "5"))
    assert "--max-rounds" in done.stderr
    records = {folder.name: json.loads((folder / "record.json").read_text()) for folder in place.folders()}
    first = next(iter(records))
    assert records[first]["stop"]["reason"] == "short"
    assert kind(records[first]) == "load-bearing"
    after = place.json("resume", first, "--max-rounds", "7")
    named = next(run for run in after["runs"] if run["run_id"] == first)
    assert named["stop"]["reason"] == "settled"
    assert after["families"][0]["differing_together"] == [first]


def test_limits_of_a_command_hold_over_its_families_also_when_one_goes_on_later(place: Workplace) -> None:
    demo = Path(__file__).resolve().parent.parent.parent / "probes" / "demo"
    runs = place.json("run", "--probe", str(demo), "--seed", "7", "--max-launches", "26")["runs"]
    made = sum(run["spending"]["launches"] for run in runs)
    assert made == 26
    assert runs[1]["stop"]["reason"] == "launches"
    after = place.json("resume", runs[1]["run_id"], "--max-launches", "30")["runs"][0]
    assert after["spending"]["launches"] == 30 - runs[0]["spending"]["launches"]


@pytest.mark.parametrize("budget", [0.1, 0.6, 2.0])
def test_a_budget_holds_for_all_lines_together_also_while_no_price_is_known(place: Workplace, budget: float) -> None:
    # Some 100 tokens a launch: about 0.1 USD.
    text = place.agent.read_text().replace(
        '"simulated-1"', '"simulated-1"\nprice = { input = 1000.0, output = 1000.0 }', 1
    )
    place.agent.write_text(text)
    document = place.measure(*place.arguments(*dropping(*EIGHT), "--budget-usd", str(budget), "--json"))
    runs = json.loads(document.stdout)["runs"]
    made = launches(runs)
    spent = sum(trial["usage"]["cost_usd"] for trial in made)
    dearest = max(trial["usage"]["cost_usd"] for trial in made)
    assert len(made) >= 1
    assert spent <= budget or len(made) == 1, "only the first launch goes without a price"
    assert spent + 10 * 1.25 * dearest > budget, "and what there is is used"
    assert all(run["stop"]["reason"] == "budget" for run in runs)


def test_a_family_killed_hard_is_completed_and_nothing_is_counted_twice(place: Workplace) -> None:
    place.agent.write_text(
        place.agent.read_text().replace('model = "simulated-1"', 'model = "simulated-1"\nseconds = 0.05')
    )
    process = place.start(*place.arguments(*dropping(*EIGHT), "--seed", "8"))
    assert process.stderr is not None
    for count, _ in enumerate(iter(process.stderr.readline, "")):
        if count > 60:
            break
    process.send_signal(signal.SIGKILL)
    process.communicate()
    before = {folder.name: (folder / "trials.jsonl").read_text().splitlines() for folder in place.folders()}
    assert place.measure("resume", "last", limit_s=120).returncode == 0
    for folder in place.folders():
        record = json.loads((folder / "record.json").read_text())
        assert record["complete"]
        journal = (folder / "trials.jsonl").read_text().splitlines()
        assert journal[: len(before[folder.name])] == before[folder.name]
        ids = [trial["id"] for trial in record["trials"]]
        assert len(set(ids)) == len(ids)
    records = [json.loads((folder / "record.json").read_text()) for folder in place.folders()]
    assert [kind(record) for record in records] == ["load-bearing", *["redundant"] * 7]


def test_one_of_a_family_can_go_on_alone(place: Workplace) -> None:
    runs = place.json(*place.arguments(*dropping(*EIGHT[:3]), "--seed", "6", "--max-launches", "20"))["runs"]
    again = place.json("resume", runs[1]["run_id"], "--alone", "--max-launches", "100")["runs"]
    assert [run["run_id"] for run in again] == [runs[1]["run_id"]]
    assert again[0]["complete"]
    assert not (json.loads((place.runs / runs[2]["run_id"] / "record.json").read_text()))["complete"]


def test_the_plan_shows_the_saving(place: Workplace) -> None:
    document = place.json(*place.arguments(*dropping(*EIGHT), "--dry-run"))
    (together,) = document["together"]
    assert len(together["contrasts"]) == 8
    saving = together["saving"]
    assert (saving["if_steady"], saving["if_steady_alone"]) == (135, 240)
    assert (saving["at_most"], saving["at_most_alone"]) == (270, 480)
    done = place.measure(*place.arguments(*dropping(*EIGHT), "--dry-run"))
    assert "44 %" in done.stderr


def test_every_passage_of_a_file_is_measured_by_itself(place: Workplace) -> None:
    runs = place.json(*place.arguments("--each", "CLAUDE.md:3-5", "--seed", "1", "--settle", "alone"))["runs"]
    assert [run["plan"]["contrast"]["line"] for run in runs] == [3, 4, 5]
    assert [kind(run) for run in runs] == ["redundant", "load-bearing", "redundant"]
    assert {tuple(run["plan"]["together"]) for run in runs} == {tuple(run["run_id"] for run in runs)}


def test_a_range_of_lines_is_one_contrast(place: Workplace) -> None:
    (run,) = place.json(*place.arguments("--drop", "CLAUDE.md:3-4", "--jobs", "4"))["runs"]
    assert run["plan"]["contrast"]["before"] == "- Keep functions short.\n- Ask before you push.\n"
    assert kind(run) == "load-bearing"


def test_what_goes_into_the_parents_record_counts_all_lines_also_where_one_is_named(place: Workplace) -> None:
    runs = place.json(*place.arguments(*dropping(*EIGHT), "--seed", "9", "--settle", "alone"))["runs"]
    block = place.measure("review", runs[0]["run_id"]).stdout
    assert "short of it" in block
    assert "measured: load-bearing" in block
