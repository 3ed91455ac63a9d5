"""A stored verdict is held against its trials whenever it is read: what does not go together is said, and stays."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from measure.cli import invoke
from measure.record.library import glance, load, row_of
from measure.record.models import RunRecord
from measure.record.store import PLAN, RECORD, TRIALS, dump
from measure.report import facts
from tests.doubles.records import RUNS, kinds

RECORDS = kinds()
CHECKED = [name for name, record in RECORDS.items() if record.plan is not None]


def kept(root: Path, record: RunRecord) -> Path:
    folder = root / record.run_id
    folder.mkdir(parents=True)
    (folder / RECORD).write_bytes(dump(record))
    if record.plan is not None:
        (folder / PLAN).write_bytes(dump(record.plan))
    (folder / TRIALS).write_bytes(b"".join(dump(trial) + b"\n" for trial in reversed(record.trials)))
    return folder


def change(folder: Path, how: Callable[[Any], None]) -> RunRecord:
    data = json.loads((folder / RECORD).read_bytes())
    how(data)
    (folder / RECORD).write_text(json.dumps(data))
    return load(folder)


@pytest.mark.parametrize("name", RECORDS)
def test_a_record_as_it_was_written_goes_together(tmp_path: Path, name: str) -> None:
    assert load(kept(tmp_path, RECORDS[name])) == RECORDS[name]


def test_the_examples_go_together_and_a_record_without_its_journal_does(tmp_path: Path) -> None:
    folders = [folder for folder in RUNS.iterdir() if folder.is_dir()]
    assert folders
    for folder in folders:
        assert not load(folder).at_odds
        alone = tmp_path / folder.name
        alone.mkdir()
        (alone / RECORD).write_bytes((folder / RECORD).read_bytes())
        assert not load(alone).at_odds


def all_alike(data: Any) -> None:
    """Every answer becomes the one that the other arm gives as well."""
    first = {trial["probe"]: trial["reading"] for trial in data["trials"]}
    for trial in data["trials"]:
        trial["reading"] = first[trial["probe"]]


def test_a_verdict_that_its_trials_do_not_give_is_told_by_the_finding_and_stays(tmp_path: Path) -> None:
    folder = kept(tmp_path, RECORDS["load-bearing"])
    (folder / TRIALS).unlink()
    record = change(folder, all_alike)
    (said,) = record.at_odds
    assert "undecided" in said
    assert "load-bearing" in said
    word, sentences = facts.headline(record)
    assert word == "load-bearing"
    assert said in sentences[0]
    assert record.result == RECORDS["load-bearing"].result


def other_number(data: Any) -> None:
    data["result"]["decision"]["probes"][0]["log_e"] += 0.5


def other_count(data: Any) -> None:
    counts = data["result"]["decision"]["probes"][0]["counts"]["with_"]
    counts[next(iter(counts))] += 3


def other_sum(data: Any) -> None:
    data["spending"]["launches"] += 1


def other_plan(data: Any) -> None:
    data["plan"]["surface"]["files"] += 1


def less(data: Any) -> None:
    data["trials"].pop()


def unknown_option(data: Any) -> None:
    data["trials"][0]["reading"] |= {"kind": "option", "option": "never-put"}


@pytest.mark.parametrize("how", [other_number, other_count, other_sum, other_plan, less, unknown_option])
@pytest.mark.parametrize("name", ["load-bearing", "redundant", "undecided"])
def test_whatever_was_altered_is_told(tmp_path: Path, name: str, how: Callable[[Any], None]) -> None:
    assert change(kept(tmp_path, RECORDS[name]), how).at_odds


def test_other_trials_beside_the_record_are_told(tmp_path: Path) -> None:
    folder = kept(tmp_path, RECORDS["redundant"])
    lines = (folder / TRIALS).read_bytes().splitlines(keepends=True)
    (folder / TRIALS).write_bytes(b"".join(lines[1:]))
    (said,) = load(folder).at_odds
    assert TRIALS in said
    (folder / TRIALS).write_bytes(b"nonsense\n")
    (said,) = load(folder).at_odds
    assert TRIALS in said


def rounded(data: Any) -> None:
    for probe in data["result"]["decision"]["probes"]:
        probe["log_e"] *= 1 + 1e-9


def put_otherwise(data: Any) -> None:
    """What a program with other sentences and another outlook would have written."""
    if data["result"]["status"] == "unmeasured":
        data["result"]["detail"] = "said in other words"
        return
    for axis in data["result"]["decision"]["axes"]:
        axis["settling"] = []
        if axis["verdict"]["status"] in ("invalid", "unmeasured"):
            axis["verdict"]["detail"] = "said in other words"


@pytest.mark.parametrize("how", [rounded, put_otherwise])
@pytest.mark.parametrize("name", ["undecided", "load-bearing", "invalid"])
def test_other_rounding_and_other_sentences_are_no_disagreement(
    tmp_path: Path, name: str, how: Callable[[Any], None]
) -> None:
    assert not change(kept(tmp_path, RECORDS[name]), how).at_odds


def test_sentences_of_an_unmeasured_run_may_change(tmp_path: Path) -> None:
    assert not change(kept(tmp_path, RECORDS["unmeasured"]), put_otherwise).at_odds


def test_what_was_written_about_it_is_never_believed(tmp_path: Path) -> None:
    def claims_otherwise(data: Any) -> None:
        data["at_odds"] = ["all is well"]

    assert change(kept(tmp_path, RECORDS["redundant"]), claims_otherwise).at_odds == ()


def test_a_list_reads_no_trials(tmp_path: Path) -> None:
    folder = kept(tmp_path, RECORDS["load-bearing"])
    change(folder, unknown_option)
    assert not isinstance(glance(folder), RunRecord)
    assert row_of(glance(folder)).finding == "load-bearing"


@pytest.mark.parametrize(
    "command", [["show", "last"], ["show", "last", "--format", "md"], ["review", "last"], ["compare", "000000", "last"]]
)
def test_every_command_that_tells_a_verdict_warns(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    kept(tmp_path, RECORDS["load-bearing"])
    folder = kept(tmp_path, RECORDS["redundant"])
    assert invoke([*command, "--runs", str(tmp_path)]) == 0
    assert "Warning" not in capsys.readouterr().out
    change(folder, all_flipped)
    assert invoke([*command, "--runs", str(tmp_path)]) == 0
    assert "Warning" in capsys.readouterr().out


def all_flipped(data: Any) -> None:
    for trial in data["trials"]:
        if trial["arm"] == "variant" and trial["reading"]["kind"] == "option":
            probe = next(one["probe"] for one in data["plan"]["probes"] if one["probe"]["id"] == trial["probe"])
            trial["reading"]["option"] = next(one["id"] for one in probe["options"] if not one["asked_for"])
