"""Everything that can go wrong between a client and the model, each under one name.

A fault is told the message it spoils, so that what comes before the break is the answer the script would have given.
Where a request does not stream, a fault of the stream has its counterpart: half a body for a cut, an overload for an
error event, so that a client that falls back to whole answers meets the same trouble there.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace

from tests.doubles.messages_api.answers import Answer, Text
from tests.doubles.messages_api.request import Json, Request
from tests.doubles.messages_api.wire import End, Play, error_body, event, events_of, of_events, streamed, whole


@dataclass(frozen=True, slots=True)
class Fault:
    """`spoil(request, message)` gives the bytes; `says` replaces the script's answer where the fault lies in it."""

    name: str
    spoil: Callable[[Request, Json], Play]
    says: Callable[[Answer], Answer] | None = None

    def __repr__(self) -> str:
        return f"<fault {self.name}>"


def healthy(request: Request, message: Json) -> Play:
    """No trouble on the way: the message as it was asked for, in events or whole."""
    return streamed(message) if request.streams else whole(message)


def _status(name: str, status: int, kind: str, text: str, retry_after: int | None = None) -> Fault:
    headers = () if retry_after is None else (("retry-after", str(retry_after)),)
    body = json.dumps(error_body(kind, text)).encode()
    return Fault(name, lambda request, message: Play(status, body=body, headers=headers))


def _instead(name: str, says: Callable[[Answer], Answer]) -> Fault:
    return Fault(name, healthy, says)


def _in_stream(name: str, streaming: Callable[[Json], Play], otherwise: Callable[[Json], Play]) -> Fault:
    return Fault(name, lambda request, message: streaming(message) if request.streams else otherwise(message))


def _mid_text(message: Json) -> list[Json]:
    """The events up to and with the first delta: the first block has begun and is not at its end."""
    events = list(events_of(message))
    first = next((i for i, e in enumerate(events) if e["type"] == "content_block_delta"), 0)
    return events[: first + 1]


def _after_first_block(message: Json) -> list[Json]:
    events = list(events_of(message))
    stop = next((i for i, e in enumerate(events) if e["type"] == "content_block_stop"), 0)
    return events[: stop + 1]


def _half(message: Json, end: End) -> Play:
    play = whole(message)
    return replace(play, body=play.body[: len(play.body) // 2], end=end)


def _overloaded(message: Json) -> Play:
    return Play(529, body=json.dumps(error_body("overloaded_error", "Overloaded")).encode())


_OVERLOADED_EVENT = error_body("overloaded_error", "Overloaded")

# --- answered with a status -------------------------------------------------------------------------------------------
UNAUTHORIZED = _status("401", 401, "authentication_error", "invalid x-api-key")
FORBIDDEN = _status("403", 403, "permission_error", "Your API key does not have permission to use the resource")
BAD_REQUEST = _status("400", 400, "invalid_request_error", "messages: at least one message is required")
CREDIT = _status(
    "400-credit",
    400,
    "invalid_request_error",
    "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase"
    " credits.",
)
PROMPT_TOO_LONG = _status(
    "400-prompt-too-long", 400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"
)
TOO_LARGE = _status("413", 413, "request_too_large", "Request exceeds the maximum size")
NO_SUCH_MODEL = _status("404-model", 404, "not_found_error", "model: no-such-model")
_LIMIT = "This request would exceed your organization's rate limit"
RATE_LIMIT = _status("429", 429, "rate_limit_error", _LIMIT)
RATE_LIMIT_1 = _status("429-retry-after-1", 429, "rate_limit_error", _LIMIT, 1)
RATE_LIMIT_30 = _status("429-retry-after-30", 429, "rate_limit_error", _LIMIT, 30)
RATE_LIMIT_70 = _status("429-retry-after-70", 429, "rate_limit_error", _LIMIT, 70)
RATE_LIMIT_3600 = _status("429-retry-after-3600", 429, "rate_limit_error", _LIMIT, 3600)
OVERLOADED = _status("529", 529, "overloaded_error", "Overloaded")
SERVER_ERROR = _status("500", 500, "api_error", "Internal server error")
USAGE_RESETS_AT = 1893456000
"""When the usage limit of a subscription ends: the first second of 2030, UTC, in seconds since the epoch."""


def _plan(status: str) -> tuple[tuple[str, str], ...]:
    """What the API says in headers about a subscription's five-hour window. Clients heed it only when logged in so."""
    said = {
        "status": status,
        "reset": str(USAGE_RESETS_AT),
        "representative-claim": "five_hour",
        "5h-status": status,
        "5h-reset": str(USAGE_RESETS_AT),
        "5h-utilization": "1.0",
    }
    return tuple((f"anthropic-ratelimit-unified-{name}", value) for name, value in said.items())


USAGE_LIMIT = Fault(
    "usage-limit",
    lambda request, message: Play(
        429,
        body=json.dumps(
            error_body("rate_limit_error", "This request would exceed your account's rate limit.")
        ).encode(),
        headers=(*_plan("rejected"), ("retry-after", "7200"), ("x-should-retry", "true")),
    ),
)
NEAR_USAGE_LIMIT = Fault(
    "near-usage-limit",
    lambda request, message: replace(healthy(request, message), headers=_plan("allowed_warning")),
)
HTML = Fault("200-html", lambda request, message: Play(200, "text/html", b"<html><body>Sign in first</body></html>"))

# --- the connection ---------------------------------------------------------------------------------------------------
RESET = Fault("reset", lambda request, message: Play(None, end=End.RESET))
NO_REPLY = Fault("no-reply", lambda request, message: Play(None, end=End.HANG))
HANG_AFTER_HEADERS = _in_stream(
    "hang-after-headers",
    lambda message: of_events((), End.HANG),
    lambda message: Play(200, end=End.HANG),
)

# --- the stream -------------------------------------------------------------------------------------------------------
CUT_MID_TEXT = _in_stream(
    "cut-mid-text", lambda message: of_events(_mid_text(message), End.CUT), lambda message: _half(message, End.CUT)
)
ERROR_EVENT_MID_TEXT = _in_stream(
    "error-event-mid-text", lambda message: of_events([*_mid_text(message), _OVERLOADED_EVENT]), _overloaded
)
ERROR_EVENT_FIRST = _in_stream("error-event-first", lambda message: of_events([_OVERLOADED_EVENT]), _overloaded)
MALFORMED = _in_stream(
    "malformed-sse",
    lambda message: Play(
        200,
        "text/event-stream; charset=utf-8",
        b"".join(map(event, _mid_text(message))) + b'event: content_block_delta\ndata: {"type": "content_bl\n\n',
    ),
    lambda message: _half(message, End.FINISH),
)
EOF_MID_TEXT = _in_stream(
    "eof-mid-text", lambda message: of_events(_mid_text(message)), lambda message: _half(message, End.FINISH)
)
CUT_AFTER_BLOCK = _in_stream(
    "cut-after-block",
    lambda message: of_events(_after_first_block(message), End.CUT),
    lambda message: _half(message, End.CUT),
)
EOF_AFTER_BLOCK = _in_stream(
    "eof-after-block",
    lambda message: of_events(_after_first_block(message)),
    lambda message: _half(message, End.FINISH),
)

# --- the answer itself ------------------------------------------------------------------------------------------------
EMPTY_CONTENT = _instead("empty-content", lambda answer: answer.but(blocks=()))
EMPTY_TEXT = _instead("empty-text", lambda answer: answer.but(blocks=(Text(""),)))
MAX_TOKENS = _instead("max-tokens", lambda answer: answer.but(stop_reason="max_tokens"))
REFUSAL = _instead("refusal", lambda answer: answer.but(stop_reason="refusal"))
PAUSE_TURN = _instead("pause-turn", lambda answer: answer.but(stop_reason="pause_turn"))
STOP_SEQUENCE = _instead("stop-sequence", lambda answer: answer.but(stop_reason="stop_sequence", stop_sequence="END"))
CONTEXT_WINDOW = _instead(
    "context-window-exceeded", lambda answer: answer.but(stop_reason="model_context_window_exceeded")
)
OTHER_MODEL = _instead("other-model", lambda answer: answer.but(model="claude-somebody-else-1"))

FAULTS: dict[str, Fault] = {fault.name: fault for fault in list(globals().values()) if isinstance(fault, Fault)}
"""Every fault by its name."""
