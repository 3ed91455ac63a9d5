"""Stored records read for a few of their fields, fast.

Invariant: the fields have the names and meanings they have in `RunRecord`; whatever else a record holds is passed over,
so a list of ten thousand runs does not build a million trials.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

from measure.probe.model import Axis
from measure.record.models import Arm, place_of
from measure.verdict.finding import FindingKind
from measure.verdict.result import Effect, Interval

_T = TypeVar("_T")
_Or = Annotated[_T | None, Field(default=None)]
"""None where a record does not say."""


class _Glance(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class _Condition(_Glance):
    client: str
    client_version: str
    model: str
    name: str
    stage: int = 2


class _Contrast(_Glance):
    kind: str
    file: str
    line: int
    before: str = ""
    with_arm: Arm

    @property
    def place(self) -> str:
        return place_of(self.file, self.line, self.before)


class _Probe(_Glance):
    id: str
    axis: Axis


class _ProbeEntry(_Glance):
    probe: _Probe


class _Plan(_Glance):
    condition: _Condition
    contrast: _Contrast
    probes: tuple[_ProbeEntry, ...]
    judge_version: str
    purpose: str = "contrast"


class _Verdict(_Glance):
    status: str


class _Axis(_Glance):
    axis: Axis
    verdict: _Verdict
    effect: Effect | None
    complete: int


class _ProbeResult(_Glance):
    id: str
    axis: Axis
    verdict: _Verdict
    pairs: int
    complete: int
    damaged: int
    void: int
    log_e: float
    effect: Effect | None
    excluded: Interval | None


class _Finding(_Glance):
    kind: FindingKind


class _Decision(_Glance):
    finding: _Finding
    axes: tuple[_Axis, ...]
    probes: tuple[_ProbeResult, ...]


class _Result(_Glance):
    status: str
    reason: str | None = None
    decision: _Decision | None = None


class _Spending(_Glance):
    launches: int
    shared: int = 0
    cost_usd: float | None
    input_tokens: int
    output_tokens: int
    cache_creation_input_tokens: int
    cache_read_input_tokens: int
    wall_s: float


class Glance(_Glance):
    """A record without its trials."""

    run_id: str
    created: datetime
    complete: bool
    plan: _Plan | None
    subject: str | None = None
    result: _Result
    spending: _Spending


class Reading(TypedDict):
    """What a table needs of a reading."""

    kind: str
    option: _Or[str]
    hole_report: _Or[object]


class _Invalid(TypedDict):
    reason: str


class Usage(TypedDict):
    """Tokens, and US dollars."""

    input_tokens: _Or[int]
    output_tokens: _Or[int]
    cache_creation_input_tokens: _Or[int]
    cache_read_input_tokens: _Or[int]
    cost_usd: _Or[float]


class Trial(TypedDict):
    """One launch. A dictionary, since half a million of them are made as fast again as objects."""

    id: str
    block: int
    round: int
    probe: str
    arm: str
    attempt: int
    position: int
    topup: Annotated[bool, Field(default=False)]
    led: Annotated[bool, Field(default=False)]
    counted_in: _Or[str]
    started_at: datetime
    wall_s: float
    reading: _Or[Reading]
    invalid: _Or[_Invalid]
    usage: Usage
    model_answered: _Or[str]
    turns: _Or[int]


class LongGlance(Glance):
    """A record with what a table of trials needs."""

    trials: tuple[Trial, ...]
