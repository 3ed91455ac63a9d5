"""What every way a request can go wrong has to be called, for both real clients.

One table for captured streams and for live clients. `None` is a valid answer.
"""

from __future__ import annotations

from measure.client.trial import Reason

OLDER, NEWER = "older", "newer"
VERSIONS = {OLDER: "2.1.191", NEWER: "2.1.332"}

ROWS: dict[str, Reason | None] = {
    "answer": None,
    "answer-lean": None,
    "answer-thinking": None,
    "401": Reason.AUTH,
    "401-retried": Reason.AUTH,
    "403": Reason.AUTH,
    "400": Reason.API_ERROR,
    "400-credit": Reason.BILLING,
    "400-prompt-too-long": Reason.PROMPT_TOO_LONG,
    "413": Reason.PROMPT_TOO_LONG,
    "404-model": Reason.MODEL_REJECTED,
    "429": Reason.RATE_LIMIT,
    "429-retried": Reason.RATE_LIMIT,
    "429-retry-after-1": Reason.RATE_LIMIT,
    # The client waits as long as it was told to, beyond our limit. What it would have got then is not known.
    "429-retry-after-30": Reason.TIMEOUT,
    "429-retry-after-70": Reason.RATE_LIMIT,
    "429-retry-after-3600": Reason.RATE_LIMIT,
    "usage-limit": Reason.USAGE_LIMIT,
    "near-usage-limit": None,
    "500": Reason.API_ERROR,
    "529": Reason.API_ERROR,
    "529-exhausted": Reason.API_ERROR,
    "529-once": None,
    "200-html": Reason.API_ERROR,
    "refused": Reason.API_ERROR,
    "reset": Reason.API_ERROR,
    "no-reply": Reason.TIMEOUT,
    "hang-after-headers": Reason.TIMEOUT,
    "cut-mid-text": Reason.API_ERROR,
    "error-event-mid-text": Reason.API_ERROR,
    "error-event-first": Reason.API_ERROR,
    "malformed-sse": Reason.API_ERROR,
    "eof-mid-text": Reason.API_ERROR,
    "eof-mid-text-once": None,
    "cut-after-block": Reason.API_ERROR,
    "eof-after-block": Reason.TRUNCATED,
    "empty-content": Reason.EMPTY_ANSWER,
    "empty-text": Reason.EMPTY_ANSWER,
    "empty-content-once": Reason.EXTRA_TURNS,
    "max-tokens": Reason.TRUNCATED,
    "max-tokens-once": Reason.TRUNCATED,
    "context-window-exceeded": Reason.TRUNCATED,
    "refusal": Reason.BLOCKED,
    "pause-turn": Reason.INTERRUPTED,
    "stop-sequence": Reason.TRUNCATED,
    "other-model": Reason.MODEL_MISMATCH,
    "tool-use-max-turns": Reason.MAX_TURNS,
    "tool-use-two-turns": None,
    "tool-use-denied": None,
    "blank": Reason.NO_RESULT,
    "slash": Reason.EMPTY_ANSWER,
}

DIFFERENT: dict[tuple[str, str], Reason | None] = {
    # The newer client has the model go on after an answer without an end, and fails when that has none either.
    (NEWER, "eof-after-block"): Reason.API_ERROR,
    (NEWER, "blank"): Reason.CRASHED,
    # The newer client puts an unknown command to the model as text.
    (NEWER, "slash"): None,
}

TWO_TURNS = frozenset({"tool-use-two-turns", "tool-use-denied"})


def expected(client: str, row: str) -> Reason | None:
    """The reason for a row, None where the launch is valid. Raises KeyError for a row nobody thought about."""
    return DIFFERENT.get((client, row), ROWS[row])
