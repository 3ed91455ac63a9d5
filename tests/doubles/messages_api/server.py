"""The double itself: a server on a free loopback port that answers like the Messages API, from a script.

Invariants: nothing leaves loopback; every request is kept, in order of arrival, before it is answered; when `close`
returns, the port is free, no connection is open and no thread is left. It never looks at the wall clock: the cache's
clock is given, waiting is for events.

It speaks HTTP itself (h11 on asyncio), since a framework would not let a response break in the middle.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

import h11

from tests.doubles.messages_api.answers import ScriptError
from tests.doubles.messages_api.cache import MINIMUM_TOKENS, PromptCache, Usage
from tests.doubles.messages_api.faults import healthy
from tests.doubles.messages_api.request import Json, Request
from tests.doubles.messages_api.script import Script
from tests.doubles.messages_api.wire import End, Play, error_body, message_of, output_tokens

CUT_AFTER_S = 0.1
"""Seconds between the last bytes and the cut of a connection: part of the fault, so that it is one and not two."""

MODELS = ("claude-sonnet-4-5", "claude-haiku-4-5", "claude-opus-4-8", "claude-sonnet-5")


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request for an answer, what it was given, and what it was billed (None: refused before any answer began)."""

    request: Request
    message: Json
    fault: str | None
    usage: Usage | None


class MessagesApi:
    """`with MessagesApi(script) as api:` serves at `api.url` until the block is left.

    `clock` is the prompt cache's (seconds); `latency_s` passes between a request and the first byte of its answer.
    Leaving the block raises ScriptError where the script asked for what a request did not hold.
    """

    def __init__(
        self,
        script: Script | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        latency_s: float = 0.0,
        minimum_cached_tokens: int = MINIMUM_TOKENS,
    ) -> None:
        self.script = script or Script()
        self.cache = PromptCache(minimum_cached_tokens)
        self.requests: list[Request] = []
        self.exchanges: list[Exchange] = []
        self.mistakes: list[ScriptError] = []
        self.url = ""
        self._clock = clock
        self._latency_s = latency_s
        self._arrived = threading.Condition()
        self._started = threading.Event()
        self._thread: threading.Thread | None = None

    # --- what tests read ---------------------------------------------------------------------------------------------
    @property
    def asked(self) -> list[Request]:
        """Requests for an answer, in order of arrival."""
        return [request for request in self.requests if request.number]

    @property
    def usage(self) -> Usage:
        """All that was billed so far."""
        return sum((exchange.usage for exchange in self.exchanges if exchange.usage), Usage())

    def environment(self, *, subscription: bool = False) -> dict[str, str]:
        """The variables that lead a client here, by a key or as a subscriber; both are made up."""
        login = "CLAUDE_CODE_OAUTH_TOKEN" if subscription else "ANTHROPIC_API_KEY"
        return {"ANTHROPIC_BASE_URL": self.url, login: "sk-ant-test-made-up"}

    def wait_for(self, number: int, limit_s: float = 30.0) -> Request:
        """Block until the `number`-th request for an answer is here, and return it; TimeoutError at the limit."""
        with self._arrived:
            if not self._arrived.wait_for(lambda: len(self.asked) >= number, limit_s):
                raise TimeoutError(f"{len(self.asked)} requests within {limit_s} s; waited for {number}")
        return self.asked[number - 1]

    # --- start and stop ----------------------------------------------------------------------------------------------
    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()
        if error is None and self.mistakes:
            raise self.mistakes[0]

    def start(self) -> None:
        """Listen. Returns once connections are accepted."""
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._thread = threading.Thread(target=self._run, name="messages-api-double", daemon=True)
        self._thread.start()
        self._started.wait()

    def close(self) -> None:
        """Close every connection and the port, and end the thread. Doing it twice is harmless."""
        if self._thread is None:
            return
        self._loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join()
        self._thread = None

    # --- serving -----------------------------------------------------------------------------------------------------
    def _run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stopping = asyncio.Event()
        self._connections: set[asyncio.Task[None]] = set()
        server = await asyncio.start_server(self._connected, sock=self._listener, limit=2**20)
        self._started.set()
        await self._stopping.wait()
        server.close()
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        await server.wait_closed()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            await self._converse(reader, writer)
        except (ConnectionError, h11.ProtocolError, asyncio.CancelledError):
            pass  # clients may go away at any moment; a closed double ends all conversations
        finally:
            self._connections.discard(task)
            writer.transport.abort()

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        http = h11.Connection(h11.SERVER, max_incomplete_event_size=2**20)
        while True:
            request = await self._receive(http, reader)
            if request is None:
                return
            play = self._play(request)
            if self._latency_s and request.number:
                await asyncio.sleep(self._latency_s)
            await self._perform(play, request, http, reader, writer)
            if http.our_state is not h11.DONE or http.their_state is not h11.DONE:
                return
            http.start_next_cycle()

    async def _receive(self, http: h11.Connection, reader: asyncio.StreamReader) -> Request | None:
        head: h11.Request | None = None
        content = bytearray()
        while True:
            event = http.next_event()
            if event is h11.NEED_DATA:
                http.receive_data(await reader.read(2**16))
            elif isinstance(event, h11.Request):
                head = event
            elif isinstance(event, h11.Data):
                content += event.data
            elif isinstance(event, h11.EndOfMessage) and head is not None:
                return self._keep(head, bytes(content))
            else:
                return None

    def _keep(self, head: h11.Request, content: bytes) -> Request:
        method, path = head.method.decode(), head.target.decode()
        headers = {name.decode(): value.decode("latin-1") for name, value in head.headers}
        wants_answer = method == "POST" and urlsplit(path).path == "/v1/messages"
        with self._arrived:
            number = len(self.asked) + 1 if wants_answer else 0
            request = Request(number, method, path, headers, content, self._clock())
            self.requests.append(request)
            self._arrived.notify_all()
        return request

    # --- what is answered --------------------------------------------------------------------------------------------
    def _play(self, request: Request) -> Play:
        if request.number:
            return self._answered(request)
        route = (request.method, urlsplit(request.path).path)
        if route == ("POST", "/v1/messages/count_tokens"):
            usage = self.cache.usage(request.body, self._clock())
            return _json(200, {"input_tokens": usage.prompt_tokens})
        if route == ("GET", "/v1/models"):
            models = [{"type": "model", "id": name, "display_name": name} for name in MODELS]
            return _json(200, {"data": models, "has_more": False, "first_id": MODELS[0], "last_id": MODELS[-1]})
        # Telemetry, update checks, greetings: nothing a client does beside asking may disturb a test.
        if request.method in ("HEAD", "POST"):
            return _json(200, {})
        return _json(404, error_body("not_found_error", request.path))

    def _answered(self, request: Request) -> Play:
        try:
            answer, fault = self.script.reply(request)
            said = fault.says(answer) if fault and fault.says else answer
            message = message_of(said, request, Usage())
        except ScriptError as mistake:
            self.mistakes.append(mistake)
            return _json(400, error_body("invalid_request_error", f"the test's script: {mistake}"))
        usage = replace(self.cache.usage(request.body, self._clock()), output_tokens=output_tokens(message["content"]))
        message = {**message, "usage": usage.as_json()}
        play = fault.spoil(request, message) if fault else healthy(request, message)
        billed = play.begins_an_answer and play.content_type != "text/html"
        self.exchanges.append(Exchange(request, message, fault.name if fault else None, usage if billed else None))
        return play

    # --- bytes out ---------------------------------------------------------------------------------------------------
    async def _perform(
        self,
        play: Play,
        request: Request,
        http: h11.Connection,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        if play.status is not None:
            if request.number and play.begins_an_answer:
                self.cache.store(request.body, self._clock())
            head = [("content-type", play.content_type), ("request-id", f"req_{request.number:06d}"), *play.headers]
            if play.end is End.FINISH and not play.content_type.startswith("text/event-stream"):
                head.append(("content-length", str(len(play.body))))
            writer.write(http.send(h11.Response(status_code=play.status, headers=head)) or b"")
            if request.method != "HEAD":
                writer.write(http.send(h11.Data(play.body)) or b"")
            if play.end is End.FINISH:
                writer.write(http.send(h11.EndOfMessage()) or b"")
            await writer.drain()
        if play.end is End.HANG:
            await reader.read()
        elif play.end is End.RESET:
            # Closing with a linger time of zero sends a reset instead of a goodbye.
            writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        elif play.end is End.CUT:
            # A client that finds the end in the same breath as the bytes may drop the bytes; on a network it would not.
            await asyncio.sleep(CUT_AFTER_S)
            writer.close()
            await writer.wait_closed()


@contextlib.contextmanager
def refusing() -> Iterator[str]:
    """An address where every connection is refused, reserved until the block is left."""
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{reserved.getsockname()[1]}"


def _json(status: int, body: Json) -> Play:
    return Play(status, body=json.dumps(body).encode())
