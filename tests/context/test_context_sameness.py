"""One line's words are found however they are typed, and unrelated text is not taken for them."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from measure.context.sameness import Wanted

LINE = "- Never push to main without asking first."


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Rules:\n* **Never push** to `main` without asking first!", "same"),
        ("NEVER PUSH TO MAIN\nWITHOUT ASKING FIRST", "same"),
        ("Ask first: never push to main without doing so, asking the owner.", "near"),
        ("Push to main whenever you like.", None),
        ("never " + "x " * 30 + "push " + "x " * 30 + "to main " + "x " * 30 + "without asking first", None),
        ("", None),
    ],
)
def test_the_closest_likeness_is_told(text: str, kind: str | None) -> None:
    found = Wanted(LINE).find(text)
    assert (found.kind if found else None) == kind


@pytest.mark.parametrize(
    ("line", "text", "kind"),
    [
        ("- 本番へ出す前に必ず確認を取る。", "注意：本番へ出す前に必ず確認を取る", "same"),
        ("- 本番へ出す前に必ず確認を取る。", "本番へ出す前には必ず確認を取ること", "near"),
        ("- 本番へ出す前に必ず確認を取る。", "短い関数を書く", None),
    ],
)
def test_text_without_spaces_is_compared_sign_by_sign(line: str, text: str, kind: str | None) -> None:
    found = Wanted(line).find(text)
    assert (found.kind if found else None) == kind


@pytest.mark.parametrize("line", ["", "---", "# R", "x"])
def test_a_line_too_short_to_be_told_from_others_is_found_nowhere(line: str) -> None:
    assert Wanted(line).find(f"some text with {line} in it") is None


@given(before=st.text(max_size=200), after=st.text(max_size=200))
def test_the_line_itself_is_found_in_any_surroundings(before: str, after: str) -> None:
    found = Wanted(LINE).find(f"{before}\n{LINE}\n{after}")
    assert found is not None
    assert found.kind == "same"


@given(text=st.text(max_size=300), line=st.text(max_size=60))
def test_any_text_can_be_asked(text: str, line: str) -> None:
    Wanted(line).find(text)


def test_a_long_result_takes_no_longer_than_reading_it() -> None:
    text = "never push main first asking without other " * 40_000
    began = time.monotonic()
    Wanted(" ".join(f"never push w{number}" for number in range(200))).find(text)
    assert time.monotonic() - began < 5
