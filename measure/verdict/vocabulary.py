"""The words a measurement can end with, as types.

Invariant: "was it measured" (`NotMeasured`) and "what did it show" (`Shown`) are two types with no value in common.
A zero-difference can't be held without the effect it excludes, its n and evidence that reaches its confidence; an
unmeasured can't be held without a reason of the closed list. Each has its own `status`, in memory and in JSON.
"""

from __future__ import annotations

import math
from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

Text = Annotated[str, Field(min_length=1)]
Count = Annotated[int, Field(ge=1)]
Share = Annotated[float, Field(gt=0, lt=1)]


class _Frozen(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Status(StrEnum):
    """The five verdicts of a probe or an axis, and the one that a cheap screen has instead of a zero-difference."""

    UNMEASURED = "unmeasured"
    INVALID = "invalid"
    UNDECIDED = "undecided"
    ZERO_DIFFERENCE = "zero-difference"
    DIFFERENCE = "difference"
    TO_STAGE_2 = "to-stage-2"
    """Only of a cheap screen, in place of a zero-difference, which a screen can't show."""


class WhyUnmeasured(StrEnum):
    """Why no measurement was taken. Closed list."""

    SPEND_LIMIT = "spend-limit"
    OUTSIDE_FIRING_CONDITION = "outside-firing-condition"
    NOTHING_TO_PROBE = "nothing-to-probe"
    TREE_BEING_EDITED = "tree-being-edited"
    NO_AGENT = "no-agent"
    CLIENT_FAILED = "client-failed"
    OTHER = "other"
    """Anything else, an interruption for one; `detail` says what."""


class WhyInvalid(StrEnum):
    """Why a measurement that was taken does not count. Closed list."""

    DAMAGED = "damaged"
    """Too large a share of pairs lacks an answer."""
    ARMS_FAIL_DIFFERENTLY = "arms-fail-differently"
    """Launches fail more often in one arm than in the other."""
    VOID = "void"
    """Answers only reported a missing provision: the probe leaked and has to be reworded."""
    ARMS_DIFFER = "arms-differ"
    """The workspaces differed in more than the one place."""
    BAND_GATE = "band-gate"
    """Two identical arms differed under this condition: the instrument is broken."""


class WhyUndecided(StrEnum):
    """What is in the way of a verdict."""

    EVIDENCE = "evidence"
    """Not enough evidence either way yet."""
    DAMAGED = "damaged"
    """The evidence reaches a difference, but the missing answers could take it away."""
    BAND = "band"
    """The evidence reaches a zero-difference, but identical arms may lie as far apart as its margin."""


class Unmeasured(_Frozen):
    """No measurement was taken."""

    status: Literal["unmeasured"] = "unmeasured"
    reason: WhyUnmeasured
    detail: Text | None = None

    @model_validator(mode="after")
    def _other_is_explained(self) -> Self:
        if self.reason is WhyUnmeasured.OTHER and (self.detail is None or not self.detail.strip()):
            raise ValueError("the reason 'other' needs a detail")
        return self


class Invalid(_Frozen):
    """A measurement was taken and does not count."""

    status: Literal["invalid"] = "invalid"
    reason: WhyInvalid
    detail: Text


class Undecided(_Frozen):
    """Measured; neither a difference nor a zero-difference has been shown."""

    status: Literal["undecided"] = "undecided"
    because: WhyUndecided
    n: Count
    """Complete pairs."""
    noise: Annotated[float, Field(gt=0, le=1)] | None = None
    """Where a noise band keeps from a zero-difference: shifts of up to this size between identical arms are not
    excluded, and it is more than the margin. None: no band does."""

    @model_validator(mode="after")
    def _band_has_a_size(self) -> Self:
        if self.because is WhyUndecided.BAND and self.noise is None:
            raise ValueError("the reason 'band' needs the size of the noise")
        return self


class ZeroDifference(_Frozen):
    """Measured; a shift of the stated size is excluded. Never says that there is none."""

    status: Literal["zero-difference"] = "zero-difference"
    excludes: Share
    """An average shift of this size or more is excluded (of one probe: its own shift)."""
    excludes_per_probe: Share
    """In any single probe a shift of this size or more is excluded."""
    confidence: Share
    n: Count
    """Pairs of complete rounds that the claim stands on."""
    log_e: float
    """Natural logarithm of the least e-value that had to be reached."""

    @model_validator(mode="after")
    def _evidence_reaches(self) -> Self:
        _require(self.log_e, self.confidence)
        if self.excludes_per_probe < self.excludes:
            raise ValueError("a single probe can't be bounded more tightly than the average")
        return self


class ToStage2(_Frozen):
    """Screened: the passage in the prompt made no difference of the margin. Settles nothing; stage 2 has to decide."""

    status: Literal["to-stage-2"] = "to-stage-2"
    n: Count
    """Pairs of complete rounds that were looked at."""


class Difference(_Frozen):
    """Measured; the arms differ in at least one probe."""

    status: Literal["difference"] = "difference"
    confidence: Share
    n: Count
    """Complete pairs."""
    log_e: float
    """Natural logarithm of the e-value against "the arms are equal in every probe"."""
    inside_margin: bool = False
    """The shift is sure but smaller than the margin of a zero-difference."""
    average_resolved: bool = True
    """False: at least one probe differs, while the interval of the average shift still holds 0."""

    @model_validator(mode="after")
    def _evidence_reaches(self) -> Self:
        _require(self.log_e, self.confidence)
        return self


def _require(log_e: float, confidence: float) -> None:
    if log_e < -math.log(1 - confidence) - 1e-9:
        raise ValueError(f"log e = {log_e:.4f} does not reach the confidence {confidence}")


NotMeasured = Annotated[Unmeasured | Invalid, Field(discriminator="status")]
"""Was it measured? No, and why."""
Shown = Annotated[Undecided | ZeroDifference | ToStage2 | Difference, Field(discriminator="status")]
"""What did it show?"""
Verdict = Annotated[
    Unmeasured | Invalid | Undecided | ZeroDifference | ToStage2 | Difference,
    Field(discriminator="status"),
]
"""Per probe and per axis."""


def status_of(verdict: Unmeasured | Invalid | Undecided | ZeroDifference | ToStage2 | Difference) -> Status:
    """The verdict's word."""
    return Status(verdict.status)
