"""A line is recognised however it is typed, and what shares only everyday words is not."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measure.probe.likeness import core, gives_away, quotes, words

LINE = "- **Always** write a failing test first – it's cheap."


@pytest.mark.parametrize(
    "text",
    [
        "Always write a failing test first - it's cheap",
        "please ALWAYS  write\n  a failing test\u00a0first, it’s cheap, thanks",
        "`always` write a fail\u200bing test first — its cheap!",
        "Ａlways write a failing test first, it's cheap",
    ],
)
def test_a_quotation_is_found_through_case_space_marks_width_and_typography(text: str) -> None:
    assert quotes(text, LINE)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("Always write a failing test", LINE),
        ("Commit the fix to git today", "## Git"),
        ("Anything", "---"),
        ("Anything", ""),
        ("The forest is first", "- rest is fir"),
    ],
)
def test_less_than_the_whole_line_or_a_line_of_one_word_is_no_quotation(text: str, line: str) -> None:
    assert not quotes(text, line)


def test_a_quotation_is_found_where_words_are_not_spaced() -> None:
    assert quotes("では、推送する前に必ず確認すること。お願い", "- 推送する前に、必ず確認すること")
    assert quotes("请在推送之前先询问用户好吗", "1. 推送之前先询问用户。")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("Fix the bug; write a failing test first.", "Always write a failing test first"),
        ("Tests, linters and types have to be green before anything goes in", "All of: tests, linters, types green"),
        ("それでは推送する前に必ず確認してから進めて", "- 推送する前に必ず確認すること"),
        ("麻烦在推送到远程之前先问一下我", "- 在推送到远程之前先征得用户同意"),
    ],
)
def test_a_prompt_that_says_most_of_the_line_gives_it_away(text: str, line: str) -> None:
    assert gives_away(text, line)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("The fix is committed and everything is green. Take it from here.", "Run `make check` before every commit."),
        ("It is before the first of the month and the user is in a hurry", "Ask the user before the first push."),
        ("At the end of the day we ship it", "Summarise what was done at the end of a task"),
        ("Please see to it that it is done", "See that all of it is documented in the change log"),
    ],
)
def test_a_prompt_about_the_same_subject_does_not_give_the_line_away(text: str, line: str) -> None:
    assert gives_away(text, line) is None


@settings(deadline=None)
@given(st.text(max_size=40), st.text(max_size=40), st.text(min_size=1, max_size=40))
def test_a_line_is_found_in_any_text_that_holds_it(before: str, after: str, line: str) -> None:
    if len(words(core(line))) >= 4:
        assert quotes(f"{before}\n{line}\n{after}", line)
