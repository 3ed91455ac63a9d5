"""Recorded runs through the public command line: list, show, report, compare, judge."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from measure.record.rejudge import judge_again
from tests.doubles.example_records import refuse_if_telling
from tests.doubles.records import RUNS, examples
from tests.doubles.workplace import LINE, Workplace


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Workplace:
    """Two runs that are alike and one of another line."""
    place = Workplace(tmp_path_factory.mktemp("place") / "x")
    place.put_probes(3)
    for line in (LINE, LINE, "CLAUDE.md:3"):
        place.json(*place.arguments("--drop", line, "--max-rounds", "3", "--seed", "3"))
    return place


def test_runs_are_filtered_sorted_and_printed_in_four_forms(place: Workplace) -> None:
    ids = [folder.name for folder in place.folders()]
    listed = place.json("runs")
    assert [run["run_id"] for run in listed["runs"]] == ids[::-1]
    rows = list(csv.DictReader(io.StringIO(place.measure("runs", "--sort", "oldest", "--format", "csv").stdout)))
    assert [row["run_id"] for row in rows] == ids
    assert rows[0]["finding"] == "load-bearing"
    found = place.json("runs", "--finding", "load-bearing", "--file", LINE, "--since", "1h", "--model", "simulated-*")
    assert [run["run_id"] for run in found["runs"]] == ids[1::-1]
    assert place.measure("runs", "--format", "md").stdout.count("\n| `2") == 3
    nothing = place.measure("runs", "--finding", "restatement")
    assert (nothing.returncode, nothing.stdout) == (0, "")
    assert nothing.stderr
    for wrong in (("--finding", "zero"), ("--sort", "beauty"), ("--since", "soon")):
        place.json("runs", *wrong, status=2)
    assert place.measure("runs", "--format", "xml").returncode == 2


def test_a_run_is_shown_as_text_markdown_and_json(place: Workplace) -> None:
    text = place.measure("show", "last").stdout
    comment = place.measure("show", "last", "--format", "md").stdout
    assert text.split()[1] == comment.split()[2].rstrip(":")
    assert json.loads(place.measure("show", "last", "--format", "json").stdout) == place.json("show", "last")


def test_alike_runs_are_compared_and_pooled_and_others_refused(place: Workplace) -> None:
    first, second, other = (folder.name for folder in place.folders())
    alike = place.json("compare", first, second, "--pool")
    assert alike["alike"]
    assert alike["pooled"]["finding"]["kind"] == "load-bearing"
    apart = place.json("compare", first, other)
    assert not apart["alike"]
    assert apart["pooled"] is None
    assert [one["field"] for one in apart["differing"]] == ["contrast"]
    refused = place.json("compare", first, other, "--pool", status=2)
    assert "contrast" in refused["error"]["message"]
    shown = place.measure("compare", first, other).stdout
    assert "  contrast\n    A  drop CLAUDE.md:4" in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_a_page_is_written_whole_and_its_runs_are_named(place: Workplace, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    ids = [folder.name for folder in place.folders()]
    said = place.json("report", *ids, "last", "-o", str(page))
    assert sorted(said["runs"]) == ids
    text = page.read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>")
    assert all(run in text for run in ids)
    assert [entry.name for entry in tmp_path.iterdir()] == ["page.html"]
    place.json("report", "last", "-o", str(tmp_path / "nowhere" / "page.html"), status=2)
    piped = place.measure("report", *ids, "last", "-o", "-")
    assert piped.stdout == page.read_text(encoding="utf-8"), "a page can go into a pipe as it would go into a file"
    assert not Path("-").exists()
    place.json("report", "last", "-o", "-", status=2)
    again = tmp_path / "again.html"
    place.json("report", *ids, "-o", str(again))
    assert again.read_text(encoding="utf-8") == text, "the same records give the same page"


def test_the_examples_of_the_repository_can_be_read_judged_and_reported(tmp_path: Path) -> None:
    place = Workplace(tmp_path / "x")
    kinds = {record.result.decision.finding.kind for record in examples() if record.result.status == "measured"}
    assert {"load-bearing", "restatement"} <= kinds
    assert {record.plan.condition.client for record in examples() if record.plan} == {"simulated", "claude"}
    for record in examples():
        shown = place.measure("show", record.run_id, "--runs", str(RUNS))
        assert shown.returncode == 0, shown.stderr
    page = tmp_path / "page.html"
    ids = [record.run_id for record in examples()]
    assert place.measure("report", *ids, "-o", str(page), "--runs", str(RUNS)).returncode == 0


def test_the_examples_tell_nothing_of_the_machine_they_were_made_on() -> None:
    for record in examples():
        refuse_if_telling(RUNS / record.run_id)


def test_the_examples_read_today_as_they_did() -> None:
    for record in examples():
        _, judgement = judge_again(RUNS / record.run_id)
        assert judgement.changes == (), "make them anew: python -m tests.doubles.example_records"


def test_reading_writes_nothing_among_the_records(place: Workplace, tmp_path: Path) -> None:
    def state() -> dict[str, tuple[int, int]]:
        return {str(path): (path.stat().st_mtime_ns, path.stat().st_size) for path in place.runs.rglob("*")}

    before = state()
    for arguments in (["runs"], ["show", "last"], ["report", "last", "-o", str(tmp_path / "p.html")]):
        assert place.measure(*arguments).returncode == 0
    assert state() == before


@pytest.mark.parametrize("module", ["measure.cli.app", "measure.cli.show", "measure.record"])
def test_reading_a_list_imports_nothing_that_draws(module: str) -> None:
    heavy = ("matplotlib", "jinja2", "pandas", "numpy")
    said = subprocess.run(
        [sys.executable, "-c", f"import sys, {module}; print([name for name in {heavy} if name in sys.modules])"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout.strip() == "[]"
