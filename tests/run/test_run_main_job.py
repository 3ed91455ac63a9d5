"""The main job from outside: from probe files to a record, with the embedded agent."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.doubles.workplace import LINE, Workplace, snapshot

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture
def place(tmp_path: Path) -> Workplace:
    return Workplace(tmp_path)


def test_a_line_that_matters_is_found_and_nothing_is_left(place: Workplace) -> None:
    document = place.json(*place.arguments("--drop", LINE))
    (run,) = document["runs"]
    assert run["result"]["decision"]["finding"]["kind"] == "load-bearing"
    assert run["result"]["status"] == "measured"
    assert place.left_in_temp() == []
    assert [folder.name for folder in place.folders()] == [run["run_id"]]


def test_a_line_that_does_not_matter_is_a_zero_that_says_what_it_excludes(place: Workplace) -> None:
    place.put_probes(5)
    (run,) = place.json(*place.arguments("--drop", "CLAUDE.md:3", "--jobs", "4"))["runs"]
    assert run["result"]["decision"]["finding"]["kind"] == "redundant"
    (axis,) = run["result"]["decision"]["axes"]
    assert axis["verdict"]["status"] == "zero-difference"
    assert axis["verdict"]["excludes"] == 0.2
    assert axis["verdict"]["n"] == 15
    assert run["spending"]["launches"] == 30


def test_adding_a_line_puts_it_in_the_variant(place: Workplace) -> None:
    (place.workspace / "CLAUDE.md").write_text("# Rules\n\n- Keep functions short.\n")
    (run,) = place.json(*place.arguments("--add", "CLAUDE.md:3", "- Ask before you push."))["runs"]
    decision = run["result"]["decision"]
    assert decision["finding"]["kind"] == "load-bearing"
    assert run["plan"]["contrast"]["with_arm"] == "variant"
    assert decision["probes"][0]["effect"]["point"] == 1.0, "effects are always with minus without"


def test_the_order_that_is_recorded_is_the_order_that_was_used_and_comes_from_the_seed(place: Workplace) -> None:
    place.put_probes(3)
    arguments = place.arguments("--drop", LINE, "--repeats", "2", "--seed", "7", "--jobs", "1")
    first, second = (place.json(*arguments)["runs"][0] for _ in range(2))
    for run in (first, second):
        starts = [trial["started_at"] for trial in run["trials"]]
        assert starts == sorted(starts)
        assert [trial["position"] for trial in run["trials"]] == list(range(1, 13))
        blocks = [trial["block"] for trial in run["trials"]]
        assert blocks == sorted(blocks), "pairs are launched in their canonical order, both members back to back"
    keys = ("id", "probe", "arm", "order", "seed")
    assert [[trial[key] for key in keys] for trial in first["trials"]] == [
        [trial[key] for key in keys] for trial in second["trials"]
    ]
    assert {trial["reading"]["option"] for trial in first["trials"]} == {"ask", "publish"}


def test_option_orders_are_equal_within_a_pair_and_balanced_over_repeats(place: Workplace) -> None:
    (run,) = place.json(*place.arguments("--drop", LINE, "--repeats", "6", "--jobs", "4"))["runs"]
    by_block: dict[int, set[tuple[str, ...]]] = {}
    first_letter: dict[str, int] = {}
    for trial in run["trials"]:
        by_block.setdefault(trial["block"], set()).add(tuple(trial["order"]))
        first_letter[trial["order"][0]] = first_letter.get(trial["order"][0], 0) + 1
    assert all(len(orders) == 1 for orders in by_block.values())
    assert first_letter == {"ask": 4, "publish": 4, "wait": 4}


def test_the_workspace_is_the_same_afterwards(place: Workplace) -> None:
    workspace = place.workspace
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "x"]):
        subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@b.c", *command],
            cwd=workspace,
            check=True,
            capture_output=True,
        )
    (workspace / ".claude" / "rules").mkdir(parents=True)
    (workspace / ".claude" / "rules" / "style.md").write_bytes(b"\xef\xbb\xbfOne\r\nTwo")
    (workspace / "linked.md").symlink_to("CLAUDE.md")
    (workspace / "CLAUDE.md").chmod(0o640)
    before = snapshot(workspace)
    assert place.measure(*place.arguments("--drop", LINE)).returncode == 0
    assert snapshot(workspace) == before


def test_the_demo_runs_as_shipped(place: Workplace) -> None:
    runs = place.json("run", "--probe", str(ROOT / "probes" / "demo"))["runs"]
    assert [run["result"]["decision"]["finding"]["kind"] for run in runs] == ["load-bearing", "restatement"]
    for run in runs:
        assert run["plan"]["condition"]["client"] == "simulated"
    shown = place.measure("show", runs[0]["run_id"])
    assert "stand-in" in shown.stdout


def test_records_are_listed_shown_and_judged_again_without_launching(place: Workplace) -> None:
    (run,) = place.json(*place.arguments("--drop", LINE))["runs"]
    place.agent.unlink()
    place.put_probes(0)
    (row,) = place.json("runs")["runs"]
    assert (row["run_id"], row["finding"], row["place"]) == (run["run_id"], "load-bearing", LINE)
    assert place.json("show", "last") == run
    judgement = place.json("judge", run["run_id"][-6:])
    assert judgement["changes"] == []
    assert judgement["result"] == run["result"]


def test_a_repeated_run_of_a_dry_plan_launches_and_writes_nothing(place: Workplace) -> None:
    document = place.json(*place.arguments("--drop", LINE, "--dry-run"))
    assert document["plans"][0]["launches_at_most"] == 12
    assert place.folders() == []
    assert place.left_in_temp() == []


def test_max_launches_is_kept_and_what_was_not_launched_is_recorded(place: Workplace) -> None:
    place.put_probes(5)
    (run,) = place.json(*place.arguments("--drop", "CLAUDE.md:3", "--max-launches", "8", "--jobs", "4"))["runs"]
    assert run["spending"]["launches"] == 8
    assert run["stop"]["reason"] == "launches"
    assert run["stop"]["not_launched"] == 52
    assert run["result"]["decision"]["finding"]["kind"] == "undecided"


def test_a_budget_is_kept_from_the_first_launch_on(place: Workplace) -> None:
    priced = 'model = "simulated-1"\nprice = { input = 3.0, output = 15.0 }'
    place.agent.write_text(place.agent.read_text().replace('model = "simulated-1"', priced, 1))
    place.put_probes(5)
    (run,) = place.json(*place.arguments("--drop", "CLAUDE.md:3", "--repeats", "2"))["runs"]
    whole = run["spending"]["cost_usd"]
    (cut,) = place.json(*place.arguments("--drop", "CLAUDE.md:3", "--repeats", "2", "--budget-usd", str(whole / 2)))[
        "runs"
    ]
    assert cut["stop"]["reason"] == "budget"
    assert 0 < cut["spending"]["cost_usd"] <= whole / 2


def test_records_can_be_read_with_an_ascii_terminal(place: Workplace) -> None:
    place.measure(*place.arguments("--drop", LINE))
    place.extra = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "LC_ALL": "C"}
    shown = place.measure("show", "last")
    assert shown.returncode == 0
    assert shown.stdout.isascii()
    assert "\\u" not in shown.stdout


def test_what_a_journal_holds_is_what_the_record_holds(place: Workplace) -> None:
    (run,) = place.json(*place.arguments("--drop", LINE))["runs"]
    (folder,) = place.folders()
    journal = [json.loads(line) for line in (folder / "trials.jsonl").read_text().splitlines()]
    assert sorted(journal, key=lambda trial: trial["position"]) == run["trials"]
    (folder / "record.json").unlink()
    rebuilt = place.json("show", "last")
    assert rebuilt["complete"] is False
    assert rebuilt["result"] == run["result"], "the verdict is a pure function of plan and trials"
