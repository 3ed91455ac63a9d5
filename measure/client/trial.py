"""What came back from one launch, before any judging.

Invariant: a launch either gave a valid answer (a `Transcript`) or is invalid for one reason of a closed list; there
is no third state and no default.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from measure.transcript import Transcript


class Reason(StrEnum):
    """Why a launch is no valid answer. Closed list; the record and every output use these words."""

    USAGE_LIMIT = "usage-limit"
    RATE_LIMIT = "rate-limit"
    AUTH = "auth"
    BILLING = "billing"
    MODEL_REJECTED = "model-rejected"
    MODEL_MISMATCH = "model-mismatch"
    PROMPT_TOO_LONG = "prompt-too-long"
    API_ERROR = "api-error"
    TIMEOUT = "timeout"
    NO_RESULT = "no-result"
    EMPTY_ANSWER = "empty-answer"
    TRUNCATED = "truncated"
    INTERRUPTED = "interrupted"
    EXTRA_TURNS = "extra-turns"
    MAX_TURNS = "max-turns"
    BUDGET = "budget"
    MIXED_RESULT = "mixed-result"
    BLOCKED = "blocked"
    CONTAMINATED = "contaminated"
    NOT_REACHED = "not-reached"
    OVERSIZE = "oversize"
    SCHEMA = "schema"
    ENCODING = "encoding"
    NOT_STARTED = "not-started"
    CRASHED = "crashed"
    KILLED = "killed"
    CLIENT_CHANGED = "client-changed"
    CANCELLED = "cancelled"


RETRYABLE: frozenset[Reason] = frozenset({Reason.RATE_LIMIT, Reason.API_ERROR, Reason.NOT_STARTED})
"""Reasons that may be retried, and only while `Invalid.acted` is false: nothing the agent did may cause a retry."""

LIMITS: frozenset[Reason] = frozenset({Reason.RATE_LIMIT, Reason.USAGE_LIMIT})
"""Reasons that lie with the account and the hour. While `Invalid.acted` is false the launch never took place."""


class Usage(BaseModel):
    """Tokens of one launch as the client reported them, kept apart by kind; None where nothing was reported."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cost_usd: float | None = None
    """What the client says the launch cost, in US dollars; never computed here."""


@dataclass(frozen=True, slots=True)
class Invalid:
    """Why a launch does not count. `acted`: the agent had already said or done something."""

    reason: Reason
    detail: str
    acted: bool
    resets_at: datetime | None = None
    """When a usage limit ends (zone-aware), where the client said so."""
    retry_after_s: float | None = None


@dataclass(frozen=True, slots=True)
class Returned:
    """One finished launch as the client module understood it.

    Exactly one of `transcript` and `invalid` is set. `stream` is the masked event stream (JSON lines) that is kept
    for judging again. Times are seconds of wall clock; `started_at` is UTC.
    """

    transcript: Transcript | None
    invalid: Invalid | None
    stream: bytes
    stdout_tail: str
    stderr_tail: str
    exit_code: int | None
    """The child's exit code; negative for a signal; None where it never started."""
    started_at: datetime
    wall_s: float
    usage: Usage
    model_answered: str | None
    client_version: str | None
    turns: int | None
    flags: tuple[str, ...] = ()
    """Things worth showing that do not make the launch invalid (killed-after-result, api-retry, …)."""

    def __post_init__(self) -> None:
        if (self.transcript is None) == (self.invalid is None):
            raise ValueError("a launch is either valid or invalid")
