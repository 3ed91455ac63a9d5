"""`measure run --quiet`: what is said can stand in a log that reviewers read before they have decided."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from measure.verdict.finding import FindingKind
from measure.verdict.vocabulary import Status
from tests.doubles.workplace import Workplace

TELLING = {kind.value for kind in FindingKind} | {status.value for status in Status} | {"round 1", "settled", "Next:"}


@pytest.mark.parametrize("limits", [("--max-rounds", "2"), ("--max-launches", "4")], ids=" ".join)
@pytest.mark.parametrize("line", ["CLAUDE.md:4", "CLAUDE.md:3"])
def test_a_quiet_run_says_the_plan_and_where_the_record_is_and_nothing_of_what_came_out(
    tmp_path: Path, line: str, limits: tuple[str, str]
) -> None:
    place = Workplace(tmp_path)
    place.put_probes(2)
    asked = place.arguments("--drop", line, "--seed", "1", *limits)
    done = place.measure(*asked, "--quiet")
    assert done.returncode == 0, done.stderr
    (folder,) = place.folders()
    record = json.loads((folder / "record.json").read_text())
    assert record["trials"]
    assert done.stdout == ""
    assert str(folder) in done.stderr
    planned = place.measure(*asked, "--dry-run").stderr.splitlines()
    said = done.stderr.splitlines()
    assert said[: len(planned)] == planned
    said = said[len(planned) :]
    assert not [text for text in said if any(word in text for word in TELLING)], said
    outcomes = {trial["reading"]["option"] for trial in record["trials"] if trial["reading"]}
    assert not [text for text in said if any(outcome in text for outcome in outcomes)], said


def test_a_quiet_run_still_says_why_nothing_was_measured(tmp_path: Path) -> None:
    place = Workplace(tmp_path)
    done = place.measure(*place.arguments("--drop", "CLAUDE.md:4", "--budget-usd", "0", "--quiet"))
    assert done.returncode == 4
    assert "nothing was measured" in done.stderr


def test_a_quiet_run_asked_for_json_prints_the_document(tmp_path: Path) -> None:
    place = Workplace(tmp_path)
    document = place.json(*place.arguments("--drop", "CLAUDE.md:4", "--repeats", "1", "--quiet"))
    assert document["runs"][0]["complete"]
