"""The list as CSV is text and numbers to a spreadsheet, whatever a file of the workspace is called."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from measure.cli.show import list_runs
from measure.record.models import RunRecord
from measure.record.select import Wanted
from measure.record.store import RECORD, dump
from tests.doubles.records import kinds


@pytest.fixture(scope="module")
def record() -> RunRecord:
    return kinds()["redundant"]


def listed(root: Path, record: RunRecord, file: str, capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    assert record.plan is not None
    contrast = record.plan.contrast.model_copy(update={"file": file})
    folder = root / record.run_id
    folder.mkdir()
    plan = record.plan.model_copy(update={"contrast": contrast})
    (folder / RECORD).write_bytes(dump(record.model_copy(update={"plan": plan})))
    list_runs(root, Wanted(), order="newest", form="csv")
    (row,) = csv.DictReader(io.StringIO(capsys.readouterr().out, newline=""))
    return row


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n", "\N{FULLWIDTH EQUALS SIGN}"])
def test_no_file_name_starts_a_formula(
    start: str, tmp_path: Path, record: RunRecord, capsys: pytest.CaptureFixture[str]
) -> None:
    file = f'{start}cmd|"/c calc"!A1,{start}1.md'
    row = listed(tmp_path, record, file, capsys)
    assert row["file"] == f"'{file}"
    assert row["place"].startswith(f"'{file}:")


def test_what_is_no_formula_is_left_as_it_is(
    tmp_path: Path, record: RunRecord, capsys: pytest.CaptureFixture[str]
) -> None:
    row = listed(tmp_path, record, "docs/a=b,-c@d.md", capsys)
    assert row["file"] == "docs/a=b,-c@d.md"
    assert int(row["launches"]) == record.spending.launches
    assert float(row["cost_usd"]) == record.spending.cost_usd
    assert row["reason"] == ""


def test_numbers_below_zero_stay_numbers(tmp_path: Path, record: RunRecord, capsys: pytest.CaptureFixture[str]) -> None:
    spending = record.spending.model_copy(update={"cost_usd": -0.5})
    row = listed(tmp_path, record.model_copy(update={"spending": spending}), "CLAUDE.md", capsys)
    assert row["cost_usd"] == "-0.5"
