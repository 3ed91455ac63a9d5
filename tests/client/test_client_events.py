"""Whatever a client writes is read: what is known into its place, what is not without harm."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from measure.client.events import Injection, Opened, is_result_line, parse
from measure.transcript import ToolResult
from tests.client import streams as s


def test_unknown_events_fields_and_plain_lines_change_nothing_that_is_known() -> None:
    events = [s.init(), s.text("A"), s.result("A")]
    plain = parse(s.out(*events))
    noisy = parse(
        s.out(
            "Warning: something is old",
            {"type": "system", "subtype": "ui_invalidate"},
            s.init(new_field={"a": [1]}),
            {"type": "brand_new", "x": 1},
            "[1, 2]",
            "{ no json",
            s.text("A", new_field=1),
            "",
            s.result("A", subagent_stats={"spawned": 0}),
        )
    )
    assert (noisy.inits, noisy.messages) == (plain.inits, plain.messages)
    assert noisy.plain == ("Warning: something is old", "[1, 2]", "{ no json")
    assert noisy.unknown_events == 1
    assert noisy.result is not None
    assert plain.result is not None
    assert noisy.result.text == plain.result.text == "A"


def test_blocks_of_one_message_are_one_message_even_with_tool_results_between() -> None:
    stream = parse(
        s.out(
            s.init(),
            s.text("let me look", "msg_1"),
            s.tool("Read", "t1", "msg_1", file_path="a"),
            s.tool_result("content a", "t1"),
            s.tool("Read", "t2", "msg_1", file_path="b"),
            s.tool_result([{"type": "text", "text": "content"}, {"type": "text", "text": "b"}], "t2"),
            s.text("done", "msg_2"),
            s.result("done", num_turns=3),
        )
    )
    assert [(m.opened, m.text, [u.id for u in m.tool_uses]) for m in stream.messages] == [
        (Opened.PROMPT, "let me look", ["t1", "t2"]),
        (Opened.TOOL_RESULTS, "done", []),
    ]
    assert [result.text for result in stream.tool_results] == ["content a", "content\nb"]
    assert stream.messages[0].tool_uses[1].input == {"file_path": "b"}


def test_sub_agents_are_kept_apart_from_the_main_loop() -> None:
    stream = parse(
        s.out(
            s.init(),
            s.tool("Agent", "t1", "msg_1", prompt="go"),
            {**s.injected("go"), "parent_tool_use_id": "t1"},
            s.text("sub answer", "msg_2", model="claude-haiku-4-5", parent_tool_use_id="t1"),
            s.tool_result("sub result", "t9", parent_tool_use_id="t1"),
            s.tool_result("report", "t1"),
            s.text("main answer", "msg_3"),
            s.result("main answer"),
        )
    )
    assert [message.text for message in stream.messages] == ["", "main answer"]
    assert [message.model for message in stream.sub_messages] == ["claude-haiku-4-5"]
    assert stream.tool_results == (ToolResult("t1", "report", is_error=False),)
    assert [result.text for result in stream.sub_tool_results] == ["sub result"]
    assert stream.injected == ()


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("[Your previous response had no visible output. Please continue …]", Injection.ASK_AGAIN),
        ("Output token limit hit. Resume directly — no apology", Injection.CONTINUE),
        ("Your response above was cut off mid-stream. Resume directly", Injection.CONTINUE),
        ("Your response above was stopped by a safety classifier", Injection.SAFEGUARD),
        ("Base directory for this skill: /x", Injection.OTHER),
    ],
)
def test_words_the_client_puts_into_the_users_mouth_are_known(said: str, kind: Injection) -> None:
    stream = parse(s.out(s.init(), s.text("A"), s.injected(said), s.text("B", "msg_2"), s.result("B")))
    assert [injection.kind for injection in stream.injected] == [kind]
    assert stream.messages[1].opened is Opened.INJECTED


def test_a_cut_answer_that_goes_on_without_a_word_is_told_from_a_second_block() -> None:
    blocks = parse(s.out(s.init(), s.text("A", "m1"), s.text("B", "m1"), s.result("B")))
    assert [message.texts for message in blocks.messages] == [("A", "B")]
    went_on = parse(s.out(s.init(), s.text("A", "m1"), s.text("B", "m2"), s.result("B")))
    assert [message.opened for message in went_on.messages] == [Opened.PROMPT, Opened.NOTHING]


def test_messages_the_client_made_up_are_no_messages_of_the_model() -> None:
    stream = parse(s.out(s.init(), s.notice("API Error: no", "server_error", 500), s.failed("API Error: no")))
    assert stream.messages == ()
    assert [(n.kind, n.text, n.status) for n in stream.notices] == [("server_error", "API Error: no", 500)]


def test_repeated_requests_are_counted_with_their_cause() -> None:
    retry = {
        "type": "system",
        "subtype": "api_retry",
        "retry_delay_ms": 588.5,
        "error_status": 429,
        "error": "rate_limit",
    }
    stream = parse(s.out(s.init(), retry, {**retry, "error_status": None, "retry_delay_ms": "soon"}, s.result()))
    assert [(r.error, r.status, r.delay_s) for r in stream.retries] == [
        ("rate_limit", 429, 0.5885),
        ("rate_limit", None, None),
    ]


def test_a_background_task_without_an_end_is_unfinished() -> None:
    started = {"type": "system", "subtype": "task_started", "task_id": "t"}
    ended = {"type": "system", "subtype": "task_notification", "task_id": "t"}
    assert parse(s.out(s.init(), started, s.result())).unfinished_tasks == 1
    assert parse(s.out(s.init(), started, s.result(), ended)).unfinished_tasks == 0


def test_bytes_that_are_no_text_are_replaced_and_told() -> None:
    line = json.dumps(s.tool_result("name: ?")).encode().replace(b"?", b"\xff")
    stream = parse(s.out(s.init(), line, s.text("A"), s.result("A")))
    assert stream.tool_results[0].text == "name: �"
    assert (stream.replaced_lines, stream.answer_replaced) == (1, False)
    broken = json.dumps(s.result("it is ?")).encode().replace(b"?", b"\xb2")
    assert parse(s.out(s.init(), broken)).answer_replaced


def test_half_characters_are_replaced_and_long_lines_survive() -> None:
    long = "鍵" * 1_000_000
    stream = parse(s.out(s.init(), s.tool_result(long), s.text("x\ud83dy"), s.result("x\ud83dy 😀 \\ud83d")))
    assert stream.tool_results[0].text == long
    assert stream.result is not None
    assert stream.result.text == "x\N{REPLACEMENT CHARACTER}y 😀 \\ud83d"
    assert stream.replaced_lines == 0


def test_a_result_line_is_known_by_what_it_is_not_by_its_words() -> None:
    assert is_result_line(json.dumps(s.result()).encode())
    assert is_result_line(json.dumps(s.result(), indent=None, separators=(",", ":")).encode() + b"\r")
    assert not is_result_line(json.dumps(s.text('{"type": "result"}')).encode())
    assert not is_result_line(b'{"type": "result"')
    assert not is_result_line(b"")


_anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=8,
)


@st.composite
def _events(draw: st.DrawFn) -> dict[str, Any]:
    """Real events with any of their fields replaced by anything."""
    event: dict[str, Any] = draw(
        st.sampled_from(
            [
                s.init(mcp_servers=[{"name": "db", "status": "failed"}]),
                s.text("A"),
                s.tool("Bash"),
                s.tool_result("x"),
                s.injected("x"),
                s.result(),
                s.notice("x"),
                {"type": "system", "subtype": "api_retry", "retry_delay_ms": 1},
                {"type": "system", "subtype": "task_updated", "task_id": "t", "patch": {"status": "completed"}},
            ]
        )
    )
    event = json.loads(json.dumps(event))
    for key in draw(st.lists(st.sampled_from(sorted(event)), max_size=3)):
        event[key] = draw(_anything)
    if isinstance(event.get("message"), dict) and event["message"]:
        for key in draw(st.lists(st.sampled_from(sorted(event["message"])), max_size=2)):
            event["message"][key] = draw(_anything)
    return event


@given(st.lists(_events(), max_size=8))
def test_no_event_however_deformed_makes_it_fail(events: list[dict[str, Any]]) -> None:
    parse("\n".join(map(json.dumps, events)).encode())


@given(
    st.binary(max_size=400)
    | st.lists(st.sampled_from([b"{", b"}", b'"', b"\\", b"\xff", b"\n", b'{"type":', b'"result"}']), max_size=30).map(
        b"".join
    )
)
def test_no_bytes_make_it_fail(data: bytes) -> None:
    parse(data)
    for line in data.split(b"\n"):
        is_result_line(line)


@pytest.mark.parametrize(
    "line",
    [
        b"{" * 100_000,
        b'{"a":' * 100_000,
        b'{"type": "result", "num_turns": ' + b"9" * 10_000 + b"}",
        b'{"type": "result", "total_cost_usd": ' + b"9" * 400 + b"}",
        b'{"type": "result", "total_cost_usd": 1e999, "num_turns": true}',
        b'{"type": "result", "type": "assistant", "message": null}',
    ],
)
def test_extreme_lines_are_survived(line: bytes) -> None:
    parse(line)
    is_result_line(line)
