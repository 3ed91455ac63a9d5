"""A claim's sentences are counted as a reader would, in three languages."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measure.probe.sentence import sentences


@pytest.mark.parametrize(
    "text",
    [
        "The agent asks first",
        "The agent asks first.",
        "The agent asks, e.g. the user, i.e. a person, before it pushes, commits, etc.",
        "With v1.2 of CLAUDE.md loaded the agent runs 3.5 times as many checks.",
        "The agent says “Really?” before it pushes.",
        'The agent says "Done!" and stops.',
        "The agent waits ... then goes on.",
        "The agent hands it to Dr. Who and the U.S. team vs. the rest.",
        "The agent writes to .env and to config.d/x.toml.",
        "押す前に利用者に尋ねる。",
        "「押さない。」と答えるようになる。",
        "設定は CLAUDE.md に従い、v2.0 では確認する。",
        "推送之前先询问用户。",
        "它会说“好的！”并停下。",
        "The agent\nasks first,\nalways.",
    ],
)
def test_one_sentence_stays_one(text: str) -> None:
    assert sentences(text) == (text,)


@pytest.mark.parametrize(
    "text",
    [
        "The agent asks. It pushes.",
        "The agent asks first. then it pushes.",
        "The agent asks! Then it pushes",
        "Does it ask? It does.",
        'It says "done." Then it pushes.',
        "It reads CLAUDE.md. Then it pushes.",
        "It runs `make check`. Then it commits.",
        "押す前に尋ねる。その後押す。",
        "尋ねる！押す",
        "推送前先询问。然后推送。",
        "推送前先询问？会的",
        "First\n\nSecond",
    ],
)
def test_two_sentences_are_two(text: str) -> None:
    assert len(sentences(text)) == 2


@settings(deadline=None)
@given(st.text(max_size=60))
def test_no_word_is_lost_between_sentences(text: str) -> None:
    kept = "".join("".join(sentences(text)).split())
    assert [char for char in kept if char.isalnum()] == [char for char in text if char.isalnum()]


def test_a_very_long_claim_is_counted_in_no_time() -> None:
    assert len(sentences("Word. " * 50_000)) == 50_000
    assert len(sentences("." * 100_000 + "x")) == 1
