"""The loopback endpoint: keeps bodies, answers, forgets credentials, and is gone afterwards."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Iterable
from urllib.parse import urlsplit

import pytest

from measure.context.endpoint import Endpoint, listening


def ask(
    endpoint: Endpoint, body: bytes | Iterable[bytes], *, path: str = "/v1/messages?beta=true", method: str = "POST"
) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(urlsplit(endpoint.url).netloc, timeout=10)
    headers = {"x-api-key": "sk-ant-secret", "authorization": "Bearer secret"}
    connection.request(method, path, body, headers, encode_chunked=not isinstance(body, bytes))
    response = connection.getresponse()
    try:
        return response.status, response.read()
    finally:
        connection.close()


def test_it_listens_on_loopback_only_and_is_gone_afterwards() -> None:
    with listening() as endpoint:
        place = urlsplit(endpoint.url)
        assert place.hostname == "127.0.0.1"
        assert place.port
        with socket.create_connection(("127.0.0.1", place.port), timeout=5):
            pass
        with pytest.raises(OSError):  # noqa: PT011 - refused, or no such address on this system
            socket.create_connection(("127.0.0.2", place.port), timeout=1)
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", place.port), timeout=5)


def test_a_streamed_question_gets_a_whole_stream_and_a_plain_one_a_whole_answer() -> None:
    with listening() as endpoint:
        status, streamed = ask(endpoint, json.dumps({"model": "m-1", "stream": True}).encode())
        assert status == 200
        kinds = [line.removeprefix("event: ") for line in streamed.decode().splitlines() if line.startswith("event")]
        assert kinds[0] == "message_start"
        assert kinds[-1] == "message_stop"
        status, plain = ask(endpoint, json.dumps({"model": "m-1"}).encode())
        assert json.loads(plain)["stop_reason"] == "end_turn"
        assert json.loads(plain)["model"] == "m-1"


def test_bodies_are_kept_as_sent_and_headers_are_not() -> None:
    body = b'{"model": "m", "odd":   "\\u00e9"}'
    with listening() as endpoint:
        ask(endpoint, body)
        ask(endpoint, iter([body[:7], body[7:]]))
        assert endpoint.bodies == [body, body]
        assert "secret" not in repr(vars(endpoint))


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("HEAD", "/", 200),
        ("POST", "/v1/messages/count_tokens", 200),
        ("POST", "/api/event", 200),
        ("GET", "/v1/models", 404),
    ],
)
def test_what_is_no_question_is_answered_and_not_kept(method: str, path: str, status: int) -> None:
    with listening() as endpoint:
        assert ask(endpoint, b"{}", path=path, method=method)[0] == status
        assert endpoint.bodies == []


@pytest.mark.parametrize("body", [b"", b"no json", b"[1]", b'"text"', b'{"model": 7, "stream": "yes"}'])
def test_nonsense_is_answered_all_the_same(body: bytes) -> None:
    with listening() as endpoint:
        assert ask(endpoint, body)[0] == 200
        assert endpoint.bodies == [body]
