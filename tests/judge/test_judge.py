"""The judge as a whole: total, deterministic, blind, quick, and careful with fillers."""

from __future__ import annotations

import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from measure.judge import VERSION, judge
from measure.judge.reading import Kind
from measure.probe.model import Probe
from measure.probe.question import Question
from measure.transcript import ToolUse, Transcript

OPTIONS = [
    {"id": "merge", "text": "Merge now"},
    {"id": "ask", "text": "Ask a colleague first", "asked_for": True},
    {"id": "test", "text": "Run the tests first"},
]
BASE = {"schema": 1, "id": "p", "claim": "It asks for a review.", "prompt": "What now?"}
BEHAVIOR = Question(
    Probe.model_validate({**BASE, "axis": "behavior", "options": OPTIONS}),
    ("merge", "ask", "test"),
    "Ask before you merge it.",
)
CONTENT = Question(Probe.model_validate({**BASE, "axis": "content"}), (), "Ask before you merge it.")
BOTH = pytest.mark.parametrize("question", [BEHAVIOR, CONTENT], ids=["behavior", "content"])

PIECES = (
    "ACTION: ", "A", "B", "C", "D", "I choose ", "my answer is ", "\n", " ", ", ", " and ", " or ",
    "not ", "if ", "**", "`", "'", "(", ")", "Ask before you ", "merge it.",
    "Ask a colleague first", "no rule ", "on this", "the rules ", "don't mention ", "規定", "がありません", "没有",
    "相关规定", "我选择", "を選びます", "答案：", "\u202e", "\x00", "\ud800", "\u0301", "…", "[x] ", "- ", "> ",
    "{\"action\": \"", "\"}", "None", "?",
)  # fmt: skip
TEXT = st.lists(st.sampled_from(PIECES), max_size=30).map("".join) | st.text(
    st.characters(exclude_categories=()), max_size=80
)


@BOTH
@settings(max_examples=300)
@given(text=TEXT, earlier=st.lists(TEXT, max_size=2))
@example(text="\ud800", earlier=[])
def test_every_text_gets_one_reading_whose_spans_lie_in_the_answer(
    question: Question, text: str, earlier: list[str]
) -> None:
    transcript = Transcript(answer=text, texts=(*earlier, text))
    reading = judge(question, transcript)
    assert judge(question, transcript) == reading
    for span in (*reading.spans, *([reading.hole_report] if reading.hole_report else [])):
        assert 0 <= span.start < span.end <= len(text)
    assert (reading.option is not None) == (reading.kind is Kind.OPTION)
    if reading.option:
        assert reading.option in question.order
    allowed = {Kind.QUOTED, Kind.NO_PROVISION, Kind.NEITHER, Kind.REFUSED, Kind.UNREADABLE}
    content_only = {Kind.QUOTED, Kind.NO_PROVISION, Kind.NEITHER}
    assert reading.kind in allowed if question is CONTENT else reading.kind not in content_only


UNITS = (
    "a", "A ", "B) ", "ACTION: ", "ACTION:\n", "ACTION: A\n", "I choose A. ", "my answer is ",
    "A and ", "no ", "no rule ", "the rules ", "CLAUDE.md ", "not ", "没有任何", "规则中", "ルール", "規定が", "選択",
    "我选择", "'", "('", "if I ", "A/", "the final answer ", "_", "~~", "\ud800", "\x00", "答案：", "B を選",
    "Ask before you merge ", "Ask before you merge it. ", "- [x] A\n", "A) Merge now\n", "so, ", "a.",
    "<b ", "\n",
)  # fmt: skip


@BOTH
@pytest.mark.parametrize("unit", UNITS)
def test_time_grows_with_the_length_of_an_answer_only(question: Question, unit: str) -> None:
    def cost(length: int) -> float:
        transcript = Transcript(answer=unit * (length // len(unit)))
        before = time.process_time()
        judge(question, transcript)
        return time.process_time() - before

    cost(1000)
    short, long = cost(3_000), cost(24_000)
    assert long < max(1.0, 24 * short), "eight times the length may cost eight times as much, not sixty-four times"


@BOTH
def test_a_megabyte_is_read(question: Question) -> None:
    answer = "The change is small and touches one file only. " * 21_000 + "\n\nACTION: B\n> Ask before you merge it."
    before = time.process_time()
    reading = judge(question, Transcript(answer=answer))
    assert time.process_time() - before < 30
    assert reading.kind in (Kind.OPTION, Kind.QUOTED)


@BOTH
def test_only_question_and_transcript_matter(question: Question) -> None:
    bare = Transcript(answer="ACTION: B")
    told = Transcript(answer="ACTION: B", answer_source="assistant_text", permission_denials=("Bash",))
    assert judge(question, bare) == judge(question, told)


def test_a_filler_does_not_hide_the_decision_that_came_before() -> None:
    filler = "I will report when it is done."
    reading = judge(BEHAVIOR, Transcript(answer=filler, texts=("Decision: C because tests are cheap.", filler)))
    assert (reading.kind, reading.option) == (Kind.OPTION, "test")
    assert reading.spans == ()
    assert reading.note is not None


def test_the_latest_earlier_message_with_a_decision_is_read() -> None:
    reading = judge(BEHAVIOR, Transcript(answer="Done.", texts=("ACTION: A", "ACTION: B", "Running it.", "Done.")))
    assert reading.option == "ask"


def test_a_last_message_that_is_no_filler_is_never_replaced() -> None:
    last = "The tests showed something new: the owner has to see this before anything else happens."
    assert judge(BEHAVIOR, Transcript(answer=last, texts=("ACTION: A", last))).kind is Kind.UNREADABLE


def test_a_filler_alone_is_unreadable_and_never_an_option() -> None:
    assert judge(BEHAVIOR, Transcript(answer="Waiting for the background task.")).kind is Kind.UNREADABLE


def test_a_quotation_given_before_a_filler_is_read() -> None:
    reading = judge(CONTENT, Transcript(answer="Done.", texts=('"Ask before you merge it."', "Done.")))
    assert (reading.kind, reading.spans) == (Kind.QUOTED, ())


def test_tool_calls_are_noted_and_change_no_reading() -> None:
    use = ToolUse(id="1", name="Bash", input={"command": "echo ACTION: A"})
    reading = judge(BEHAVIOR, Transcript(answer="ACTION: B", tool_uses=(use,)))
    assert reading.option == "ask"
    assert reading.note is not None
    assert "Bash" in reading.note
    assert judge(BEHAVIOR, Transcript(answer="", tool_uses=(use,))).kind is Kind.UNREADABLE


def test_the_version_is_a_plain_word_for_the_record() -> None:
    assert VERSION
    assert VERSION.split() == [VERSION]
