"""Hole reports are read in six languages, and other absences are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from measure.judge.fold import as_quotation
from measure.judge.holes import first_hole

DATA = Path(__file__).parent / "data"


def sentences(name: str) -> list[str]:
    return (DATA / name).read_text(encoding="utf-8").splitlines()[1:]


@pytest.mark.parametrize("sentence", sentences("holes_reported.txt"))
def test_a_report_of_a_missing_provision_is_read(sentence: str) -> None:
    assert first_hole(as_quotation(sentence).text) is not None


@pytest.mark.parametrize("sentence", sentences("holes_not_reported.txt"))
def test_other_absences_and_rules_for_missing_rules_are_no_report(sentence: str) -> None:
    assert first_hole(as_quotation(sentence).text) is None


def test_the_report_is_the_part_of_the_text_that_reports() -> None:
    text = as_quotation("The change is small. CLAUDE.md doesn't mention it. I choose B.").text
    found = first_hole(text)
    assert found is not None
    assert text[found[0] : found[1]] == "CLAUDE.md doesn't mention"


def test_a_report_inside_restated_text_is_not_the_answers_own() -> None:
    text = as_quotation("You ask: no rule covers this.").text
    assert first_hole(text) is not None
    assert first_hole(text, [(0, len(text))]) is None
