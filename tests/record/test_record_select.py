"""Runs are chosen by finding, model, file and date; what was not understood is refused."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from measure.errors import RequestError
from measure.record.library import row_of
from measure.record.select import FINDINGS, ORDERS, ordered, wanted
from measure.verdict.finding import FindingKind
from tests.doubles.records import kinds

ROWS = [row_of(record) for record in kinds().values()]


def test_every_finding_can_be_asked_for_and_has_its_place() -> None:
    assert set(FINDINGS) == {*FindingKind, "band"}
    for finding in FINDINGS:
        found = [row for row in ROWS if wanted([finding]).fits(row)]
        assert found == [row for row in ROWS if row.finding == finding]


def test_filters_add_up() -> None:
    place = next(row.place for row in ROWS if row.finding == "redundant")
    assert {row.finding for row in ROWS if wanted(["redundant", "restatement"], file=place).fits(row)} == {
        "redundant",
        "restatement",
    }
    assert not [row for row in ROWS if wanted(model="other-*").fits(row)]
    assert [row for row in ROWS if wanted(model="simul*").fits(row)] == [row for row in ROWS if row.model]
    assert [row for row in ROWS if wanted(file="*.md").fits(row)] == [row for row in ROWS if row.file]


def test_since_is_a_date_or_how_long_ago() -> None:
    middle = sorted(row.created for row in ROWS)[3]
    late = [row for row in ROWS if wanted(since=middle.isoformat()).fits(row)]
    assert late == [row for row in ROWS if row.created >= middle]
    new = ROWS[0].model_copy(update={"created": datetime.now(UTC) - timedelta(hours=5)})
    assert wanted(since="6h").fits(new)
    assert not wanted(since="4h").fits(new)
    assert wanted(since="1d").fits(new)
    assert wanted(since="2026-03-01").since == datetime(2026, 3, 1, tzinfo=UTC)


@pytest.mark.parametrize("asked", [{"findings": ["zero"]}, {"since": "yesterday"}, {"since": "7"}, {"since": "-1d"}])
def test_what_is_not_understood_is_refused(asked: dict[str, str]) -> None:
    with pytest.raises(RequestError):
        wanted(**asked)


@pytest.mark.parametrize("order", ORDERS)
def test_every_order_keeps_every_run(order: str) -> None:
    assert sorted(row.run_id for row in ordered(ROWS, order)) == sorted(row.run_id for row in ROWS)


def test_what_matters_comes_first() -> None:
    assert [row.finding for row in ordered(ROWS, "finding")][:3] == ["load-bearing", "restatement", "redundant"]
    assert ordered(ROWS, "newest") == ordered(ROWS, "oldest")[::-1]
    with pytest.raises(RequestError):
        ordered(ROWS, "beauty")
