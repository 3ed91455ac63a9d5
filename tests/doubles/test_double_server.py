"""The double on the wire: what it keeps, what it answers, how it breaks, and that nothing of it is left."""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.doubles.messages_api import (
    FAULTS,
    Answer,
    Fault,
    MessagesApi,
    Request,
    Script,
    ScriptError,
    Text,
    Thinking,
    ToolUse,
    Trouble,
    Usage,
    faults,
    refusing,
)
from tests.doubles.messages_api.wire import End, events_of, message_of

Serve = Callable[..., MessagesApi]
ASK: dict[str, Any] = {
    "model": "claude-sonnet-4-5",
    "max_tokens": 100,
    "system": [{"type": "text", "text": "s" * 8000, "cache_control": {"type": "ephemeral"}}],
    "messages": [{"role": "user", "content": "Which one?\nA) Push\nB) Stop"}],
}


def connected(api: MessagesApi) -> http.client.HTTPConnection:
    return http.client.HTTPConnection(urlsplit(api.url).netloc, timeout=20)


def ask(
    api: MessagesApi, body: dict[str, Any] = ASK, *, method: str = "POST", path: str = "/v1/messages?beta=true"
) -> tuple[int, dict[str, str], bytes]:
    connection = connected(api)
    try:
        connection.request(method, path, json.dumps(body) if method == "POST" else None, {"x-api-key": "k"})
        response = connection.getresponse()
        return response.status, {k.lower(): v for k, v in response.getheaders()}, response.read()
    finally:
        connection.close()


def streamed(raw: bytes) -> list[dict[str, Any]]:
    return [json.loads(line[6:]) for line in raw.decode().splitlines() if line.startswith("data: ")]


def put_together(events: list[dict[str, Any]]) -> dict[str, Any]:
    """A message from its events, by the rules of the API's streaming documentation."""
    message: dict[str, Any] = {}
    spelled = ""
    for event in events:
        match event["type"]:
            case "message_start":
                message = {**event["message"], "content": []}
            case "content_block_start":
                assert event["index"] == len(message["content"])
                message["content"].append(dict(event["content_block"]))
                spelled = ""
            case "content_block_delta":
                block, delta = message["content"][event["index"]], event["delta"]
                match delta["type"]:
                    case "text_delta":
                        block["text"] += delta["text"]
                    case "thinking_delta":
                        block["thinking"] += delta["thinking"]
                    case "signature_delta":
                        block["signature"] += delta["signature"]
                    case "input_json_delta":
                        spelled += delta["partial_json"]
            case "content_block_stop":
                if message["content"][event["index"]]["type"] == "tool_use":
                    message["content"][event["index"]]["input"] = json.loads(spelled)
            case "message_delta":
                message.update(event["delta"], usage=event["usage"])
    return message


said = st.one_of(
    st.builds(Text, st.text(max_size=80)),
    st.builds(Thinking, st.text(max_size=80)),
    st.builds(ToolUse, st.just("Read"), st.dictionaries(st.text(max_size=5), st.text(max_size=60), max_size=3)),
)


@given(st.lists(said, max_size=4).map(tuple))
def test_the_events_put_together_are_the_whole_message(blocks: tuple[Text | Thinking | ToolUse, ...]) -> None:
    request = Request(1, "POST", "/v1/messages", {}, json.dumps(ASK).encode(), 0.0)
    message = message_of(Answer(blocks), request, Usage(1, 2, 3, 4))
    assert put_together(list(events_of(message))) == message


def test_streamed_and_whole_answers_say_the_same(serve: Serve) -> None:
    api = serve(Script(default=(Thinking("hm"), Text("ACTION: {letter of Stop}"))))
    _, _, whole = ask(api)
    _, head, stream = ask(api, ASK | {"stream": True})
    assert head["content-type"].startswith("text/event-stream")
    assert streamed(stream)[-1] == {"type": "message_stop"}
    assert put_together(streamed(stream))["content"] == json.loads(whole)["content"]
    assert json.loads(whole)["content"][1] == {"type": "text", "text": "ACTION: B"}


def test_every_request_is_kept_as_it_was_sent_with_the_clock_at_its_arrival(serve: Serve) -> None:
    clock = iter(range(100))
    api = serve(clock=lambda: float(next(clock)))
    ask(api)
    ask(api, method="GET", path="/v1/models?limit=1")
    kept, beside = api.requests
    assert (kept.number, kept.method, kept.path, kept.body) == (1, "POST", "/v1/messages?beta=true", ASK)
    assert kept.content == json.dumps(ASK).encode()
    assert kept.headers["x-api-key"] == "k"
    assert (beside.number, beside.path) == (0, "/v1/models?limit=1")
    assert kept.at < beside.at
    assert api.asked == [kept]


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("HEAD", "/", 200),
        ("GET", "/v1/models", 200),
        ("POST", "/v1/messages/count_tokens?beta=true", 200),
        ("POST", "/api/event_logging/batch", 200),
        ("GET", "/api/whatever", 404),
        ("CONNECT", "elsewhere:443", 404),
    ],
)
def test_whatever_else_a_client_wants_is_answered_quietly(serve: Serve, method: str, path: str, status: int) -> None:
    api = serve(Script(troubles=faults.OVERLOADED))
    answered, _, content = ask(api, method=method, path=path)
    assert answered == status
    assert method == "HEAD" or isinstance(json.loads(content), dict)
    assert api.asked == []


def test_counted_tokens_are_those_that_would_be_billed(serve: Serve) -> None:
    api = serve()
    _, _, counted = ask(api, path="/v1/messages/count_tokens")
    ask(api)
    assert json.loads(counted) == {"input_tokens": api.usage.prompt_tokens}


def test_what_is_billed_is_what_the_answers_say_and_adds_up(serve: Serve) -> None:
    now = [0.0]
    api = serve(clock=lambda: now[0])
    usages = []
    for at in (0.0, 299.0, 600.0):
        now[0] = at
        usages.append(json.loads(ask(api)[2])["usage"])
    written, read, again = usages
    assert written["cache_creation_input_tokens"] == read["cache_read_input_tokens"] > 1024
    assert again["cache_creation_input_tokens"] == written["cache_creation_input_tokens"]
    for kind in ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens"):
        assert getattr(api.usage, kind) == sum(usage[kind] for usage in usages)


def test_a_refused_request_is_neither_billed_nor_stored(serve: Serve) -> None:
    api = serve(Script(troubles=Trouble(faults.OVERLOADED, on={1})))
    ask(api)
    assert api.usage == Usage()
    ask(api)
    assert api.usage.cache_read_input_tokens == 0
    assert [exchange.fault for exchange in api.exchanges] == ["529", None]


def test_requests_at_once_are_each_kept_and_answered_once(serve: Serve) -> None:
    api = serve(Script(default=Text("{line with number}")))

    def one(number: int) -> str:
        body = ASK | {"messages": [{"role": "user", "content": f"number {number}"}]}
        return str(json.loads(ask(api, body)[2])["content"][0]["text"])

    with ThreadPoolExecutor(16) as pool:
        assert list(pool.map(one, range(64))) == [f"number {number}" for number in range(64)]
    assert [request.number for request in api.asked] == list(range(1, 65))


def test_a_connection_can_be_used_again(serve: Serve) -> None:
    connection = connected(serve())
    for _ in range(3):
        connection.request("POST", "/v1/messages", json.dumps(ASK | {"stream": True}))
        assert b"message_stop" in connection.getresponse().read()
    connection.close()


STATUSES = {
    "401": 401, "403": 403, "400": 400, "400-credit": 400, "400-prompt-too-long": 400, "413": 413, "404-model": 404,
    "429": 429, "429-retry-after-1": 429, "429-retry-after-30": 429, "429-retry-after-70": 429,
    "429-retry-after-3600": 429, "usage-limit": 429, "529": 529, "500": 500,
}  # fmt: skip


@pytest.mark.parametrize(("name", "status"), STATUSES.items())
@pytest.mark.parametrize("stream", [True, False])
def test_a_refusal_has_its_status_its_error_body_and_its_header(
    serve: Serve, name: str, status: int, stream: bool
) -> None:
    answered, head, content = ask(serve(Script(troubles=FAULTS[name])), ASK | {"stream": stream})
    assert answered == status
    assert json.loads(content)["type"] == "error"
    wanted = "7200" if name == "usage-limit" else name.partition("retry-after-")[2] or None
    assert head.get("retry-after") == wanted


@pytest.mark.parametrize("stream", [True, False])
def test_a_cut_leaves_the_body_without_its_end(serve: Serve, stream: bool) -> None:
    with pytest.raises(http.client.HTTPException):
        ask(serve(Script(troubles=faults.CUT_MID_TEXT)), ASK | {"stream": stream})


def test_a_reset_is_a_reset_and_no_goodbye(serve: Serve) -> None:
    api = serve(Script(troubles=faults.RESET))
    with socket.create_connection(("127.0.0.1", urlsplit(api.url).port or 0)) as raw:
        raw.sendall(b"POST /v1/messages HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}")
        with pytest.raises(ConnectionResetError):
            raw.recv(1)


def test_a_refused_connection_is_refused() -> None:
    with refusing() as url, pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", urlsplit(url).port or 0))


@pytest.mark.parametrize("fault", [faults.NO_REPLY, faults.HANG_AFTER_HEADERS], ids=repr)
def test_a_hang_says_nothing_until_the_double_stops(fault: Fault) -> None:
    api = MessagesApi(Script(troubles=fault))
    api.start()
    connection = connected(api)
    connection.request("POST", "/v1/messages", json.dumps(ASK | {"stream": True}))
    api.wait_for(1)
    assert connection.sock is not None
    connection.sock.settimeout(0.05)
    if fault is faults.HANG_AFTER_HEADERS:
        connection.sock.settimeout(20)
        assert connection.getresponse().status == 200
    else:
        with pytest.raises(TimeoutError):
            connection.getresponse()
    api.close()
    connection.close()


LAST_EVENTS = {
    "error-event-mid-text": ["content_block_delta", "error"],
    "error-event-first": ["error"],
    "eof-mid-text": ["content_block_start", "content_block_delta"],
    "eof-after-block": ["content_block_delta", "content_block_stop"],
    "max-tokens": ["message_delta", "message_stop"],
}


@pytest.mark.parametrize(("name", "ends_with"), LAST_EVENTS.items())
def test_a_broken_stream_ends_where_its_name_says(serve: Serve, name: str, ends_with: list[str]) -> None:
    _, _, content = ask(serve(Script(troubles=FAULTS[name])), ASK | {"stream": True})
    assert [event["type"] for event in streamed(content)][-len(ends_with) :] == ends_with


def test_a_malformed_event_is_no_json(serve: Serve) -> None:
    _, _, content = ask(serve(Script(troubles=faults.MALFORMED)), ASK | {"stream": True})
    with pytest.raises(json.JSONDecodeError):
        streamed(content)


@pytest.mark.parametrize(
    ("fault", "stop_reason", "model"),
    [
        (faults.REFUSAL, "refusal", ASK["model"]),
        (faults.MAX_TOKENS, "max_tokens", ASK["model"]),
        (faults.PAUSE_TURN, "pause_turn", ASK["model"]),
        (faults.STOP_SEQUENCE, "stop_sequence", ASK["model"]),
        (faults.CONTEXT_WINDOW, "model_context_window_exceeded", ASK["model"]),
        (faults.OTHER_MODEL, "end_turn", "claude-somebody-else-1"),
    ],
    ids=repr,
)
def test_an_odd_answer_is_odd_in_both_forms(serve: Serve, fault: Fault, stop_reason: str, model: str) -> None:
    api = serve(Script(troubles=fault))
    messages = [json.loads(ask(api)[2]), put_together(streamed(ask(api, ASK | {"stream": True})[2]))]
    for message in messages:
        assert (message["stop_reason"], message["model"]) == (stop_reason, model)


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_after_any_fault_the_double_answers_the_next_request(serve: Serve, fault: Fault) -> None:
    api = serve(Script(troubles=Trouble(fault, on={1})))
    waits = fault.spoil(api_request(), message_of(Answer((Text("x"),)), api_request(), Usage())).end is End.HANG
    connection = connected(api)
    connection.request("POST", "/v1/messages", json.dumps(ASK | {"stream": True}))
    api.wait_for(1)
    if not waits:
        try:
            connection.getresponse().read()
        except (OSError, http.client.HTTPException):
            pass
    connection.close()
    assert b"message_stop" in ask(api, ASK | {"stream": True})[2]
    assert api.exchanges[0].fault == fault.name


def api_request() -> Request:
    return Request(1, "POST", "/v1/messages", {}, json.dumps(ASK | {"stream": True}).encode(), 0.0)


def test_a_mistake_in_a_script_is_told_to_the_client_and_raised_at_the_end() -> None:
    with pytest.raises(ScriptError, match="Sing"), MessagesApi(Script(default=Text("{letter of Sing}"))) as api:
        assert ask(api)[0] == 400


def test_a_mistake_does_not_hide_the_error_of_the_test_itself() -> None:
    def failing() -> None:
        with MessagesApi(Script(default=Text("{letter of Sing}"))) as api:
            ask(api)
            raise KeyError

    with pytest.raises(KeyError):
        failing()


def test_nothing_is_left_after_it_closed_and_it_is_quick() -> None:
    threads = threading.active_count()
    began = time.monotonic()
    for _ in range(10):
        api = MessagesApi(Script(troubles=faults.NO_REPLY))
        api.start()
        hanging = connected(api)
        hanging.request("POST", "/v1/messages", json.dumps(ASK))
        api.wait_for(1)
        api.close()
        api.close()
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", urlsplit(api.url).port or 0))
        hanging.close()
    assert threading.active_count() == threads
    assert time.monotonic() - began < 10 * 0.1


def test_waiting_for_a_request_that_never_comes_ends_at_its_limit(serve: Serve) -> None:
    with pytest.raises(TimeoutError, match="waited for 1"):
        serve().wait_for(1, limit_s=0.01)


@pytest.mark.parametrize(
    "sent", [b"", b"\x00\xff", b"GET / HTTP/9.9\r\n\r\n", b"POST /v1/messages HTTP/1.1\r\n", b"\r\n" * 9]
)
def test_bytes_that_are_no_http_do_no_harm(caplog: pytest.LogCaptureFixture, sent: bytes) -> None:
    with MessagesApi() as api:
        with socket.create_connection(("127.0.0.1", urlsplit(api.url).port or 0)) as raw:
            raw.sendall(sent)
            raw.shutdown(socket.SHUT_WR)
            while raw.recv(4096):
                pass
        assert ask(api)[0] == 200
    assert caplog.records == []
