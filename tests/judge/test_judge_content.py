"""Content answers: a table of answers, and properties that hold for every line and answer."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from measure.judge import judge
from measure.judge.reading import Kind
from measure.probe.model import Probe
from measure.probe.question import Question
from measure.transcript import Transcript

with (Path(__file__).parent / "data" / "content_answers.toml").open("rb") as file:
    CASES: list[dict[str, Any]] = tomllib.load(file)["case"]

PROBE = Probe.model_validate(
    {
        "schema": 1,
        "id": "p",
        "axis": "content",
        "claim": "It asks for a review.",
        "prompt": "What does the text say on pushing?",
    }
)


def question(line: str) -> Question:
    return Question(PROBE, (), line)


@pytest.mark.parametrize("case", CASES, ids=[case["why"] for case in CASES])
def test_reads_as(case: dict[str, Any]) -> None:
    reading = judge(question(case["line"]), Transcript(answer=case["answer"]))
    assert reading.kind == case["reads"], reading
    assert reading.option is None
    if "span" in case:
        assert case["span"] in [case["answer"][span.start : span.end] for span in reading.spans]


WORD = st.text("abcdefgh", min_size=2, max_size=8)
LINE = st.lists(WORD, min_size=4, max_size=9).map(" ".join)


@given(
    line=LINE,
    before=st.sampled_from(["", "It says: ", "> ", "- ", "**", "「", "`"]),
    after=st.sampled_from(["", "\n\nDone.", "`", "**", "」"]),
)
def test_a_line_that_stands_in_the_answer_is_quoted_and_its_span_is_the_line(
    line: str, before: str, after: str
) -> None:
    answer = before + line + after
    reading = judge(question(line), Transcript(answer=answer))
    assert reading.kind is Kind.QUOTED
    assert [answer[span.start : span.end] for span in reading.spans] == [line]


@given(line=LINE, wrap=st.sampled_from(["\n", "\n> ", "  ", "\u00a0", " **", "** "]))
def test_a_wrap_or_emphasis_inside_the_line_is_no_difference(line: str, wrap: str) -> None:
    words = line.split(" ")
    answer = "> " + " ".join(words[:2]) + wrap.ljust(2) + " ".join(words[2:])
    assert judge(question(line), Transcript(answer=answer)).kind is Kind.QUOTED


@given(line=LINE, at=st.integers(0, 8), word=st.sampled_from(["not", "…", "...", "[...]", "(…)", "\n\n", "\n- "]))
def test_a_line_with_anything_put_in_or_broken_is_not_quoted(line: str, at: int, word: str) -> None:
    words = line.split(" ")
    place = 1 + at % (len(words) - 1)
    answer = " ".join(words[:place]) + f" {word} " + " ".join(words[place:])
    assert judge(question(line), Transcript(answer=answer)).kind is Kind.NEITHER


@given(line=LINE)
def test_a_line_in_another_case_is_not_quoted(line: str) -> None:
    assert judge(question(line), Transcript(answer=line.title())).kind is Kind.NEITHER


def test_a_prompt_that_holds_the_line_is_noted() -> None:
    probe = PROBE.model_copy(update={"prompt": "Is there a line 'Never push to main at night'?"})
    reading = judge(
        Question(probe, (), "Never push to main at night"), Transcript(answer="Yes: 'Never push to main at night'.")
    )
    assert reading.kind is Kind.QUOTED
    assert reading.note is not None
