"""How an answer looks on the wire: one JSON message, or the server-sent events that spell it out piece by piece.

Invariant: both forms of one answer say the same; the events, put together, are the message.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum

from tests.doubles.messages_api.answers import Answer
from tests.doubles.messages_api.cache import Usage, tokens_in
from tests.doubles.messages_api.request import Json, Request

PIECE = 24
"""Characters of text per delta: enough that a short answer comes in several."""


class End(Enum):
    """What happens once all of a play's bytes are out."""

    FINISH = "the body ends as HTTP says it should; the connection can be used again"
    CUT = "the connection is closed although the body is not at its end"
    RESET = "the connection is reset"
    HANG = "nothing more is said until the client goes away or the double stops"


@dataclass(frozen=True, slots=True)
class Play:
    """One response as bytes and an end. `status` None: not even a status line comes before the end."""

    status: int | None
    content_type: str = "application/json"
    body: bytes = b""
    end: End = End.FINISH
    headers: tuple[tuple[str, str], ...] = ()

    @property
    def begins_an_answer(self) -> bool:
        return self.status == 200


def message_of(answer: Answer, request: Request, usage: Usage) -> Json:
    """The message as the API's JSON; `usage` as it is billed."""
    return {
        "id": f"msg_{request.number:06d}",
        "type": "message",
        "role": "assistant",
        "model": answer.model or request.model,
        "content": [block.block(request, index) for index, block in enumerate(answer.blocks)],
        "stop_reason": answer.stopped_because(),
        "stop_sequence": answer.stop_sequence,
        "usage": usage.as_json(),
    }


def output_tokens(blocks: Iterable[Json]) -> int:
    """Tokens of what was said, by the same count as prompts; an answer costs at least one."""
    said = "".join(json.dumps(block, ensure_ascii=False) for block in blocks)
    return max(1, tokens_in(said.encode()))


def whole(message: Json) -> Play:
    """The answer to a request that does not stream."""
    return Play(200, body=json.dumps(message, ensure_ascii=False).encode())


def streamed(message: Json) -> Play:
    """The answer to a request that streams."""
    return of_events(events_of(message))


def of_events(events: Iterable[Json], end: End = End.FINISH) -> Play:
    return Play(200, "text/event-stream; charset=utf-8", b"".join(map(event, events)), end)


def event(data: Json) -> bytes:
    return f"event: {data['type']}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


def error_body(kind: str, text: str) -> Json:
    return {"type": "error", "error": {"type": kind, "message": text}, "request_id": "req_double"}


def events_of(message: Json) -> Iterator[Json]:
    """message_start, each block's start, deltas and stop, message_delta, message_stop."""
    usage = message["usage"]
    start = {
        **message,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {**usage, "output_tokens": 1},
    }
    yield {"type": "message_start", "message": start}
    for index, block in enumerate(message["content"]):
        yield from _block_events(index, block)
    yield {
        "type": "message_delta",
        "delta": {"stop_reason": message["stop_reason"], "stop_sequence": message["stop_sequence"]},
        "usage": usage,
    }
    yield {"type": "message_stop"}


def _block_events(index: int, block: Json) -> Iterator[Json]:
    if block["type"] == "text":
        empty, deltas = (
            {**block, "text": ""},
            [{"type": "text_delta", "text": piece} for piece in _pieces(block["text"])],
        )
    elif block["type"] == "thinking":
        empty = {**block, "thinking": "", "signature": ""}
        deltas = [{"type": "thinking_delta", "thinking": piece} for piece in _pieces(block["thinking"])]
        deltas.append({"type": "signature_delta", "signature": block["signature"]})
    else:
        empty = {**block, "input": {}}
        spelled = json.dumps(block["input"], ensure_ascii=False)
        deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in _pieces(spelled)]
    yield {"type": "content_block_start", "index": index, "content_block": empty}
    for delta in deltas:
        yield {"type": "content_block_delta", "index": index, "delta": delta}
    yield {"type": "content_block_stop", "index": index}


def _pieces(text: str) -> Iterator[str]:
    for start in range(0, len(text), PIECE):
        yield text[start : start + PIECE]
