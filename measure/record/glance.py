"""Stored records read for a few of their fields, fast.

Invariant: the fields have the names and meanings they have in `RunRecord`; whatever else a record holds is passed over,
so a list of ten thousand runs does not build a million trials.
"""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel, ConfigDict

from measure.probe.model import Axis
from measure.record.models import Arm
from measure.verdict.finding import FindingKind
from measure.verdict.result import Effect, Interval


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
    with_arm: Arm

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}"


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


class _Reading(_Glance):
    kind: str
    option: str | None = None
    hole_report: object = None


class _Invalid(_Glance):
    reason: str


class _Usage(_Glance):
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cost_usd: float | None = None


class _Trial(_Glance):
    id: str
    block: int
    round: int
    probe: str
    arm: str
    attempt: int
    position: int
    topup: bool = False
    started_at: datetime
    wall_s: float
    reading: _Reading | None = None
    invalid: _Invalid | None = None
    usage: _Usage
    model_answered: str | None = None
    turns: int | None = None


class LongGlance(Glance):
    """A record with what a table of trials needs."""

    trials: tuple[_Trial, ...]
