"""What a launch costs, as shown: the same figures in every form, short on a terminal, and never like a verdict."""

from __future__ import annotations

import re

import pytest

from measure.client.trial import Usage
from measure.record.arms import FEWEST, cost_by_arm
from measure.record.models import RunRecord
from measure.report.costs import cost_rows
from measure.report.facts import SIGNS
from measure.report.markdown import record_markdown
from measure.report.page import render_page
from measure.report.terminal import render
from measure.verdict.vocabulary import Status
from tests.doubles.records import examples, kinds

RECORDS = [*kinds().values(), *examples()]
TOLD = [record for record in RECORDS if cost_by_arm(record) is not None]
HEADING = "What it costs"


def block(record: RunRecord) -> str:
    found = re.search(rf"^{HEADING}\n(.*?)\n\n", render(record), re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


def words(text: str) -> str:
    return " ".join(re.sub(r"<[^>]*>|[|\\]", " ", text).split())


@pytest.mark.parametrize("record", TOLD, ids=lambda record: record.run_id)
def test_every_form_shows_the_same_figures(record: RunRecord) -> None:
    costs = cost_by_arm(record)
    assert costs is not None
    forms = [words(record_markdown(record)), words(render_page([record]))]
    for row in cost_rows(costs):
        assert all(words(" ".join((row.name, *row[2:]))) in form for form in forms)
    for row in cost_rows(costs, brief=True):
        assert words(" ".join((row.name, *row[2:]))) in words(block(record))


@pytest.mark.parametrize("record", TOLD, ids=lambda record: record.run_id)
def test_it_is_short_and_looks_like_no_verdict(record: RunRecord) -> None:
    text = block(record)
    assert len(text.splitlines()) <= 1 + 4 + 5
    assert not set(SIGNS.values()) & set(text.replace("–", "").split())
    assert not [status for status in Status if status.value in text and status is not Status.DIFFERENCE]
    assert "no verdict" in " ".join(text.split())


@pytest.mark.parametrize("record", [one for one in RECORDS if one not in TOLD], ids=lambda record: record.run_id)
def test_where_there_is_nothing_to_tell_there_is_no_heading(record: RunRecord) -> None:
    assert all(HEADING.lower() not in form.lower() for form in (render(record), record_markdown(record)))
    assert HEADING not in render_page([record])


def test_small_amounts_of_money_keep_their_digits_and_zeros_take_no_line() -> None:
    record = kinds()["redundant"]
    assert record.plan is not None
    with_arm = record.plan.contrast.with_arm

    def paid(dollars: float) -> RunRecord:
        usages = [
            Usage(input_tokens=12_000, cost_usd=dollars * (1.002 if trial.arm is with_arm else 1))
            for trial in record.trials
        ]
        trials = [trial.model_copy(update={"usage": usage}) for trial, usage in zip(record.trials, usages, strict=True)]
        return record.model_copy(update={"trials": tuple(trials)})

    assert "+0.000006 (in every pair)" in block(paid(0.003))
    assert "12,000" in block(paid(0.003))
    assert "US dollars" not in block(paid(0.0))


def test_with_few_pairs_it_says_that_there_is_no_interval() -> None:
    record = kinds()["redundant"]
    few = tuple(trial for trial in record.trials if trial.block < FEWEST - 1)
    text = block(record.model_copy(update={"trials": few}))
    assert text.count("(no interval)") == len(text.splitlines()) - 4
    assert f"{FEWEST} pairs" in " ".join(text.split())
