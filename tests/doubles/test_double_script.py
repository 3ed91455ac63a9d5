"""Scripts answer by what they were sent, and the same seed draws the same answers."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.doubles.messages_api import (
    Answer,
    Reply,
    Request,
    Script,
    ScriptError,
    Text,
    ToolUse,
    Trouble,
    Turns,
    When,
    faults,
)

PROMPT = "May I push?\n\nA) Push\nB) Stop and ask\n\nACTION: <letter>"


def request(
    prompt: str = PROMPT, *, system: str = "Never push to main.", number: int = 1, turns: int = 0, model: str = "m"
) -> Request:
    messages: list[dict[str, object]] = [{"role": "user", "content": [{"type": "text", "text": prompt}]}]
    for _ in range(turns):
        messages.append({"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "x", "input": {}}]})
        messages.append({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "done"}]})
    sent = {"model": model, "system": [{"type": "text", "text": system}], "messages": messages}
    return Request(number, "POST", "/v1/messages", {}, json.dumps(sent).encode(), 0.0)


def said(script: Script, to: Request) -> str:
    answer, _ = script.reply(to)
    return "".join(str(block.block(to, 0).get("text", "")) for block in answer.blocks)


@given(st.permutations(["Push", "Stop and ask", "Wait"]))
def test_an_option_is_named_by_the_letter_it_has_in_this_request(order: list[str]) -> None:
    listed = "\n".join(f"{letter}) {text}" for letter, text in zip("ABC", order, strict=True))
    script = Script(default=Text("ACTION: {letter of Stop and ask}"))
    assert said(script, request(f"Q\n\n{listed}\n")) == f"ACTION: {'ABC'[order.index('Stop and ask')]}"


def test_a_line_is_quoted_from_wherever_it_stands() -> None:
    script = Script(default=Text("It says: {line with Never push}"))
    assert (
        said(script, request(system="# Rules\n\n  Never push to main.  \nBe kind.")) == "It says: Never push to main."
    )


def test_braces_of_other_kinds_are_text() -> None:
    assert said(Script(default=Text('{"a": {letter}}')), request()) == '{"a": {letter}}'


@pytest.mark.parametrize("text", ["{letter of Sing}", "{line with Sing}"])
def test_pointing_at_what_is_not_there_is_a_mistake_in_the_script(text: str) -> None:
    with pytest.raises(ScriptError, match="Sing"):
        said(Script(default=Text(text)), request())


def test_the_first_rule_that_fits_answers() -> None:
    script = Script(
        [
            When(Text("model"), model="other"),
            When(Text("absent"), absent="Never push"),
            When(Text("both"), present=("Never push", "May I push"), ask="Sing"),
            When(Text("rule"), present="Never push", ask="May I push"),
        ],
        default=Text("default"),
    )
    assert said(script, request()) == "rule"
    assert said(script, request(system="Be kind.")) == "absent"
    assert said(script, request(model="other")) == "model"
    assert said(script, request("Never push?")) == "default"


def test_ask_is_looked_for_in_the_messages_alone() -> None:
    script = Script([When(Text("asked"), ask="Never push")], default=Text("default"))
    assert said(script, request()) == "default"


def test_weights_are_honoured_and_a_seed_draws_the_same_whatever_lies_between() -> None:
    def draws(seed: int, *, disturbed: bool) -> list[str]:
        often = When([(0.9, Text("yes")), (0.1, Text("no"))], ask="May I push")
        script = Script([often, When([(1, Text("x")), (1, Text("y"))], ask="else")], seed=seed)
        found = []
        for _ in range(400):
            if disturbed:
                said(script, request("else"))
            found.append(said(script, request()))
        return found

    plain = draws(1, disturbed=False)
    assert plain == draws(1, disturbed=True)
    assert plain != draws(2, disturbed=False)
    assert 330 <= Counter(plain)["yes"] <= 385


def test_rules_draw_apart_from_one_another() -> None:
    coin: list[tuple[float, Reply]] = [(1, Text("heads")), (1, Text("tails"))]
    script = Script([When(coin, ask="one"), When(coin, ask="two")])
    draws = [(said(script, request("one")), said(script, request("two"))) for _ in range(40)]
    assert len(set(draws)) == 4


def test_turns_follow_the_conversation_and_the_last_one_stays() -> None:
    script = Script(default=Turns(ToolUse("Read", {"file_path": "x"}), Text("second")))
    first, _ = script.reply(request())
    assert first.stopped_because() == "tool_use"
    assert [said(script, request(turns=n)) for n in (1, 2, 7)] == ["second"] * 3


def test_troubles_strike_the_numbered_requests_or_by_chance() -> None:
    numbered = Script(troubles=Trouble(faults.OVERLOADED, on={2}))
    assert [numbered.reply(request(number=n))[1] for n in (1, 2, 3)] == [None, faults.OVERLOADED, None]
    chance = Script(troubles=[Trouble(faults.RESET, probability=0.25), Trouble(faults.OVERLOADED, on={1})], seed=3)
    struck = Counter(chance.reply(request(number=n))[1] for n in range(2, 402))
    assert 60 <= struck[faults.RESET] <= 140
    assert struck[faults.OVERLOADED] == 0


def test_a_fault_can_be_one_of_the_answers_of_a_rule() -> None:
    either: list[tuple[float, Reply]] = [(1, faults.REFUSAL), (1, Text("fine"))]
    script = Script([When(either, ask="May")], seed=5)
    drawn = Counter(script.reply(request())[1] for _ in range(100))
    assert set(drawn) == {faults.REFUSAL, None}


def test_an_answer_can_be_given_whole() -> None:
    whole = Answer((Text("a"), Text("b")), stop_reason="pause_turn", model="someone")
    assert Script(default=whole).reply(request())[0] == whole
    assert Script(default=[Text("a"), Text("b")]).reply(request())[0].blocks == whole.blocks
