"""Two texts, one for each stage: they share no wording, have versions, and tell the agent nothing about itself."""

from __future__ import annotations

import pytest

from measure.context.constraint import ADJUDICATION, SCREEN, Constraint, constraint_of
from measure.disclosure import find_disclosure
from measure.probe.likeness import words

BOTH = [SCREEN, ADJUDICATION]


def test_the_two_texts_share_no_wording() -> None:
    first, second = words(SCREEN.text), words(ADJUDICATION.text)
    runs = [{tuple(text[at : at + 2]) for at in range(len(text) - 1)} for text in (first, second)]
    assert not runs[0] & runs[1]
    assert SCREEN.version != ADJUDICATION.version


@pytest.mark.parametrize("constraint", BOTH)
def test_neither_tells_the_agent_what_it_stands_in_nor_names_text_that_governs_it(constraint: Constraint) -> None:
    assert find_disclosure(constraint.text) is None
    assert not {"rule", "rules", "file", "skill", "instruction", "test", "copy"} & set(words(constraint.text))


def test_the_screen_names_its_source_and_lists_no_route() -> None:
    assert not {"web", "memory", "repository", "files", "tools", "history"} & set(words(SCREEN.text))


@pytest.mark.parametrize("constraint", BOTH)
def test_a_prompt_holds_the_question_whole_at_its_end(constraint: Constraint) -> None:
    question = "What do you do?\n\nA) x\n\nACTION: <letter>\n"
    assert constraint.put(question).endswith(question)
    assert constraint.put(question, "- The line.\n") == constraint.put(question).replace(
        question, f"- The line.\n\n{question}"
    )
    assert not constraint.put(question).startswith("/")


def test_each_stage_has_its_own() -> None:
    assert (constraint_of(1), constraint_of(2)) == (SCREEN, ADJUDICATION)
