"""Going on with a run: nothing launched twice, nothing counted twice, and never with something else than before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from measure.record.store import read_trials
from tests.doubles.workplace import LINE, Workplace


@pytest.fixture
def place(tmp_path: Path) -> Workplace:
    return Workplace(tmp_path)


def killed(place: Workplace, *arguments: str, after: int) -> None:
    """Start and kill -9 once at least `after` trials are on disk."""
    run = place.start(*arguments)
    while not (place.folders() and len(read_trials(place.folders()[-1])[0]) >= after):
        assert run.poll() is None, run.communicate()
    run.kill()
    run.communicate()


def test_a_run_killed_twice_is_completed_with_every_pair_once(place: Workplace) -> None:
    place.put_probes(3)
    killed(place, *place.arguments("--drop", LINE, "--repeats", "8", "--seed", "5"), after=10)
    (folder,) = place.folders()
    at_first = read_trials(folder)[0]
    killed(place, "resume", folder.name, after=len(at_first) + 4)
    (run,) = place.json("resume", folder.name)["runs"]
    assert run["complete"] is True
    counted = Counter((trial["round"], trial["probe"], trial["arm"]) for trial in run["trials"] if trial["reading"])
    whole = {key for key, count in counted.items() if count}
    assert len(whole) == 8 * 3 * 2
    pairs = Counter((trial["round"], trial["probe"], trial["block"]) for trial in run["trials"] if trial["reading"])
    assert sum(count == 2 for count in pairs.values()) == 8 * 3, "each pair of the design is complete exactly once"
    assert run["result"]["decision"]["axes"][0]["pairs"] == 24
    ids = [trial["id"] for trial in run["trials"]]
    assert len(set(ids)) == len(ids)
    recorded = {trial["id"]: trial for trial in run["trials"]}
    for trial in at_first:
        assert recorded[trial.id]["started_at"] == trial.model_dump(mode="json")["started_at"]
    assert run["spending"]["launches"] == len(ids)
    assert len(run["sessions"]) == 3
    assert place.left_in_temp() == []


def test_an_undecided_run_can_be_extended_and_says_so(place: Workplace) -> None:
    place.put_probes(1)
    (first,) = place.json(*place.arguments("--drop", "CLAUDE.md:3", "--max-rounds", "4"))["runs"]
    assert first["result"]["decision"]["finding"]["kind"] == "undecided"
    (more,) = place.json("resume", "last", "--max-rounds", "15", "--jobs", "4")["runs"]
    assert more["run_id"] == first["run_id"]
    assert more["result"]["decision"]["finding"]["kind"] == "redundant"
    assert more["trials"][: len(first["trials"])] == first["trials"], "a recorded pair never changes"
    assert [session["max_rounds"] for session in more["sessions"]] == [4, 15]
    assert any("extended" in warning for warning in more["warnings"])
    (folder,) = place.folders()
    assert (folder / "record-1.json").is_file(), "the record as it stood before is kept"


def test_a_complete_run_does_not_go_on_by_itself(place: Workplace) -> None:
    place.json(*place.arguments("--drop", LINE))
    assert place.measure("resume", "last").returncode == 2
    assert place.measure("resume", "last", "--max-rounds", "3").returncode == 2


def edit_workspace(place: Workplace) -> None:
    with (place.workspace / "CLAUDE.md").open("a") as file:
        file.write("- One more.\n")


def edit_probe(place: Workplace) -> None:
    probe = place.probes / "p0.toml"
    probe.write_text(probe.read_text().replace("The fix is done", "The fix is done now"))


def rename_the_model(place: Workplace) -> None:
    place.agent.write_text(place.agent.read_text().replace("simulated-1", "simulated-2"))


def edit_dispositions(place: Workplace) -> None:
    place.agent.write_text(place.agent.read_text().replace("Publish it right away", "Leave it and begin the next task"))


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (edit_workspace, "workspace"),
        (edit_probe, "probe"),
        (rename_the_model, "simulated-2"),
        (edit_dispositions, "condition"),
    ],
)
def test_something_else_than_before_is_refused_and_named(
    place: Workplace, change: Callable[[Workplace], None], named: str
) -> None:
    killed(place, *place.arguments("--drop", LINE, "--repeats", "30"), after=6)
    (folder,) = place.folders()
    before = (folder / "trials.jsonl").read_bytes()
    change(place)
    done = place.measure("resume", folder.name)
    assert done.returncode == 2, done.stderr
    assert named in done.stderr
    assert "stand-in" not in done.stderr, "what did not change is not told"
    assert "('" not in done.stderr
    assert (folder / "trials.jsonl").read_bytes() == before
