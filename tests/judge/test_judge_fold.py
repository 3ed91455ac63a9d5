"""Folding keeps what was written reachable and treats one text in two typographies as one."""

from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from measure.judge.fold import Folded, as_prose, as_quotation

FOLDINGS = (as_quotation, as_prose)
ANY = st.text(st.characters(exclude_categories=())) | st.text(
    "ab_*`'\"“-—.…>#\n\r 1)（Ｂ日ｶﾞ\u0301\\~<b>\ud800\x00\u202e"
)


@pytest.mark.parametrize("fold", FOLDINGS)
@given(text=ANY)
@example(text="\ud800")
@example(text="_" * 9 + "a")
def test_ranges_lie_inside_the_original_and_never_run_backwards(fold: object, text: str) -> None:
    folded: Folded = fold(text)  # type: ignore[operator]
    assert len(folded.text) == len(folded.starts) == len(folded.ends)
    for start, end in zip(folded.starts, folded.ends, strict=True):
        assert 0 <= start < end <= len(text)
    assert list(folded.starts) == sorted(folded.starts)
    assert list(folded.ends) == sorted(folded.ends)


@pytest.mark.parametrize("fold", FOLDINGS)
@given(text=ANY)
def test_a_character_that_was_not_folded_maps_to_itself(fold: object, text: str) -> None:
    folded: Folded = fold(text)  # type: ignore[operator]
    for place, char in enumerate(folded.text):
        original = text[folded.starts[place] : folded.ends[place]]
        if len(original) == 1 and char == original:
            assert text[folded.starts[place]] == char
        else:
            assert original != char


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("don't", "don’t"),
        ('say "x"', "say “x”"),
        ('say "x"', "say 「x」"),
        ("a - b", "a — b"),
        ("a-b", "a\u2011b"),
        ("wait...", "wait…"),
        ("a b", "a\u00a0b"),
        ("a b", "a \n  b"),
        ("PR 12", "ＰＲ　１２"),
        ("ガギ", "ｶﾞｷﾞ"),
        ("é", "e\u0301"),
        ("use make now", "use `make` **now**"),
        ("__init__.py", "\\_\\_init\\_\\_.py"),
        ("snake_case", "snake\\_case"),
        ("日本語です", "日本語\nです"),
        ("Run it", "- [ ] Run it"),
        ("Run it", "### Run it"),
        ("a b", "> a\n> b"),
    ],
)
def test_typography_is_folded(one: str, other: str) -> None:
    assert as_quotation(one).text == as_quotation(other).text


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Push", "push"),
        ("a b", "a\n\nb"),
        ("a b", "- a\n- b"),
        ("e", "é"),
        ("①", "1"),
        ("ﬁ", "fi"),
        ("А", "A"),
        ("snake_case", "snakecase"),
        ("do not", "do"),
        ("x²", "x2"),
    ],
)
def test_nothing_but_typography_is_folded(one: str, other: str) -> None:
    assert as_quotation(one).text != as_quotation(other).text


def test_an_ellipsis_or_accented_letter_is_never_cut() -> None:
    folded = as_quotation("a…é")
    assert folded.text == "a...é"
    assert folded.whole(0, 4)
    assert not folded.whole(0, 2)
    assert folded.span(1, 4).model_dump() == {"start": 1, "end": 2}


@given(text=st.text("abc éＢ漢字", max_size=40))
def test_canonically_equal_texts_fold_to_the_same(text: str) -> None:
    assert as_quotation(unicodedata.normalize("NFD", text)).text == as_quotation(text).text


@pytest.mark.parametrize(
    "unit", ["_", "a_", " ", "\n", "> ", "\n>", "- ", "~~", "<b ", "…", "e\u0301", "*", "\\_", "\r\n ", "a"]
)
@pytest.mark.parametrize("fold", FOLDINGS)
def test_folding_takes_time_linear_in_the_text(fold: object, unit: str) -> None:
    text = unit * (200_000 // len(unit)) + "b"
    before = time.process_time()
    fold(text)  # type: ignore[operator]
    assert time.process_time() - before < 3
