"""Eight lines in one command take at least 40 % fewer launches than in eight commands."""

from __future__ import annotations

import pytest

from tests.benchmarks.bench_together import LINES, through_the_command

LEAST_SAVED = 0.40


@pytest.mark.parametrize("matters", [False, True])
def test_eight_lines_together_save_what_was_promised(matters: bool) -> None:
    row = through_the_command(matters, settle="alone")
    assert row.saving >= LEAST_SAVED, row
    assert row.same_pairs == row.apart, "the same pairs settle the same lines"


def test_that_every_verdict_stands_among_eight_costs_no_more_than_eight_commands() -> None:
    row = through_the_command(True, settle="together")
    assert row.together <= row.apart
    assert 1 - row.together / row.same_pairs >= LEAST_SAVED
    assert row.stands == 1.0
    assert row.lines == LINES
