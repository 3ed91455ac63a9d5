"""A Messages endpoint on loopback that keeps what it is asked and passes nothing on.

Invariant: it listens on 127.0.0.1 only, opens no connection of its own, answers every request with the same few words,
and is gone when the block is left. Headers, which carry credentials, are never kept.
"""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar, Final
from urllib.parse import urlsplit

MAX_BODY_BYTES: Final = 128 * 1024 * 1024
"""A larger body is refused; the client itself sends no more than some megabytes."""

_USAGE: Final = {"input_tokens": 1, "output_tokens": 1}


@dataclass
class Endpoint:
    """`url` is where it listens; `bodies` are the requests for an answer, in order of arrival, as sent."""

    url: str
    bodies: list[bytes] = field(default_factory=list)
    refused: int = 0
    """Requests whose body could not be read."""


@contextlib.contextmanager
def listening() -> Iterator[Endpoint]:
    """Listen until the block is left."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    endpoint = Endpoint(f"http://127.0.0.1:{server.server_port}")
    server.RequestHandlerClass = type("Handler", (_Handler,), {"endpoint": endpoint})
    server.daemon_threads = True
    server.block_on_close = False
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), name="context-endpoint", daemon=True)
    thread.start()
    try:
        yield endpoint
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    """One connection."""

    endpoint: ClassVar[Endpoint]
    protocol_version = "HTTP/1.1"
    timeout = 30

    def do_POST(self) -> None:
        body = self._body()
        if body is None:
            self.endpoint.refused += 1
            self._send(413, b"{}", "application/json")
            return
        path = urlsplit(self.path).path
        if path.endswith("/messages"):
            self.endpoint.bodies.append(body)
            self._answer(body)
        elif path.endswith("/count_tokens"):
            self._send(200, b'{"input_tokens":1}', "application/json")
        else:
            self._send(200, b"{}", "application/json")

    def do_HEAD(self) -> None:
        self._send(200, b"", "application/json")

    def do_GET(self) -> None:
        self._send(404, b"{}", "application/json")

    def log_message(self, *_: object) -> None:
        """Nothing: what is asked here is for the one who opened the endpoint."""

    def _body(self) -> bytes | None:
        if "chunked" in self.headers.get("transfer-encoding", "").lower():
            return self._chunks()
        length = self.headers.get("content-length", "0")
        if not length.isdigit() or int(length) > MAX_BODY_BYTES:
            self.close_connection = True
            return None
        return self.rfile.read(int(length))

    def _chunks(self) -> bytes | None:
        body = bytearray()
        while size := _size(self.rfile.readline(1024)):
            if size < 0 or len(body) + size > MAX_BODY_BYTES:
                self.close_connection = True
                return None
            body += self.rfile.read(size)
            self.rfile.readline(8)
        while self.rfile.readline(8192).strip():
            pass
        return bytes(body)

    def _answer(self, body: bytes) -> None:
        try:
            asked = json.loads(body)
        except ValueError:
            asked = {}
        wants_stream = isinstance(asked, dict) and asked.get("stream") is True
        model = asked.get("model") if isinstance(asked, dict) else None
        message: dict[str, Any] = {
            "id": "msg_0",
            "type": "message",
            "role": "assistant",
            "model": model if isinstance(model, str) else "none",
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": _USAGE,
        }
        if wants_stream:
            self._send(200, _stream(message), "text/event-stream")
            return
        whole = {**message, "content": [{"type": "text", "text": "ok"}], "stop_reason": "end_turn"}
        self._send(200, json.dumps(whole).encode(), "application/json")

    def _send(self, status: int, data: bytes, content_type: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)


def _size(line: bytes) -> int:
    """The size a chunk announces; -1 for what is none."""
    try:
        return int(line.split(b";")[0].strip(), 16)
    except ValueError:
        return -1


def _stream(message: dict[str, Any]) -> bytes:
    """The events of a whole answer of two letters."""
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "ok"}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None}, "usage": _USAGE},
        {"type": "message_stop"},
    ]
    return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events).encode()
