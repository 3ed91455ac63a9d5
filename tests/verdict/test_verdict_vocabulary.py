"""The words as types: what can't be constructed, and what can't be confused."""

from __future__ import annotations

import itertools
import json
import math
from typing import Any, Literal

import pytest
from pydantic import BaseModel, TypeAdapter, ValidationError

from measure.verdict.finding import Finding, FindingKind, kind_of
from measure.verdict.vocabulary import (
    Difference,
    Invalid,
    NotMeasured,
    Shown,
    Status,
    ToStage2,
    Undecided,
    Unmeasured,
    Verdict,
    WhyInvalid,
    WhyUndecided,
    WhyUnmeasured,
    ZeroDifference,
)

ENOUGH = math.log(22)
ZERO: dict[str, Any] = {"excludes": 0.2, "excludes_per_probe": 0.7, "confidence": 0.95, "n": 15, "log_e": ENOUGH}
EXAMPLES: list[Unmeasured | Invalid | Undecided | ZeroDifference | Difference | ToStage2] = [
    Unmeasured(reason=WhyUnmeasured.SPEND_LIMIT),
    Invalid(reason=WhyInvalid.DAMAGED, detail="4 of 15 pairs"),
    Undecided(because=WhyUndecided.BAND, n=15, noise=0.4),
    ZeroDifference(**ZERO),
    Difference(confidence=0.95, n=5, log_e=ENOUGH),
    ToStage2(n=15),
]
STAGES: tuple[Literal[1, 2], ...] = (1, 2)
NEVER = {1: Status.ZERO_DIFFERENCE, 2: Status.TO_STAGE_2}
"""What an axis of each stage can't show."""


def states(stage: Literal[1, 2]) -> tuple[Status | None, ...]:
    return (None, *(status for status in Status if status is not NEVER[stage]))


@pytest.mark.parametrize("left_out", ["excludes", "excludes_per_probe", "confidence", "n", "log_e"])
def test_a_zero_difference_needs_everything_it_claims(left_out: str) -> None:
    with pytest.raises(ValidationError):
        ZeroDifference(**{key: value for key, value in ZERO.items() if key != left_out})


@pytest.mark.parametrize(
    "changed",
    [{"n": 0}, {"excludes": 0}, {"excludes": 1}, {"log_e": math.log(19)}, {"excludes_per_probe": 0.1}],
)
def test_a_zero_difference_can_not_claim_more_than_its_evidence(changed: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        ZeroDifference(**{**ZERO, **changed})


def test_a_difference_can_not_be_held_below_its_threshold() -> None:
    with pytest.raises(ValidationError):
        Difference(confidence=0.95, n=5, log_e=math.log(19))


def test_an_undecided_for_its_band_says_how_large_the_noise_is() -> None:
    with pytest.raises(ValidationError):
        Undecided(because=WhyUndecided.BAND, n=15)
    before = Undecided.model_validate_json('{"status": "undecided", "because": "evidence", "n": 10}')
    assert before.noise is None, "records of programs that knew no such field are read"


def test_an_unmeasured_needs_a_reason_of_the_list_and_other_a_detail() -> None:
    for wrong in ({}, {"reason": "tired"}, {"reason": "other"}, {"reason": "other", "detail": "  "}):
        with pytest.raises(ValidationError):
            Unmeasured.model_validate(wrong)
    assert Unmeasured.model_validate({"reason": "other", "detail": "interrupted"}).detail == "interrupted"


@pytest.mark.parametrize("verdict", EXAMPLES, ids=lambda verdict: str(verdict.status))
def test_json_keeps_the_kind(verdict: BaseModel) -> None:
    any_verdict: TypeAdapter[Any] = TypeAdapter(Verdict)
    assert any_verdict.validate_json(verdict.model_dump_json()) == verdict


@pytest.mark.parametrize("verdict", EXAMPLES, ids=lambda verdict: str(verdict.status))
def test_was_it_measured_and_what_did_it_show_are_two_types(verdict: BaseModel) -> None:
    halves: list[TypeAdapter[Any]] = [TypeAdapter(NotMeasured), TypeAdapter(Shown)]
    fits = 0
    for half in halves:
        try:
            half.validate_json(verdict.model_dump_json())
        except ValidationError:
            continue
        fits += 1
    assert fits == 1


def test_no_json_of_one_kind_reads_as_another() -> None:
    for verdict, other in itertools.permutations(EXAMPLES, 2):
        with pytest.raises(ValidationError):
            type(other).model_validate_json(verdict.model_dump_json())
        with pytest.raises(ValidationError):  # nor with only the word changed
            type(other).model_validate({**json.loads(verdict.model_dump_json()), "status": other.status})


def test_unmeasured_shares_no_value_with_what_a_measurement_shows() -> None:
    unmeasured, zero = json.loads(EXAMPLES[0].model_dump_json()), json.loads(EXAMPLES[3].model_dump_json())
    assert not {str(value) for value in unmeasured.values()} & {str(value) for value in zero.values()}


@pytest.mark.parametrize(
    ("stage", "behavior", "content", "kind"),
    [
        (2, "difference", "zero-difference", "load-bearing"),
        (2, "difference", None, "load-bearing"),
        (2, "zero-difference", "difference", "restatement"),
        (2, "zero-difference", "zero-difference", "redundant"),
        (2, "zero-difference", "unmeasured", "redundant"),
        (2, "undecided", "difference", "undecided"),
        (2, "invalid", "zero-difference", "invalid"),
        (2, None, "difference", "undecided"),
        (2, "unmeasured", "zero-difference", "undecided"),
        (2, "unmeasured", None, "unmeasured"),
        (1, "difference", None, "load-bearing"),
        (1, "to-stage-2", "difference", "to-stage-2"),
        (1, "to-stage-2", "to-stage-2", "to-stage-2"),
        (1, None, "to-stage-2", "to-stage-2"),
        (1, "undecided", "to-stage-2", "undecided"),
    ],
)
def test_both_axes_together(stage: Literal[1, 2], behavior: str | None, content: str | None, kind: str) -> None:
    states = [None if state is None else Status(state) for state in (behavior, content)]
    assert Finding.of(stage, *states).kind == kind


@pytest.mark.parametrize(("behavior", "content"), list(itertools.product(states(1), states(1))))
def test_a_zero_of_stage_1_never_gives_grounds_for_dropping(behavior: Status | None, content: Status | None) -> None:
    finding = Finding.of(1, behavior, content)
    assert finding.licenses in (None, "keep")
    if behavior is Status.TO_STAGE_2:
        assert finding.kind is FindingKind.TO_STAGE_2
    for wrong in (FindingKind.REDUNDANT, FindingKind.RESTATEMENT):
        with pytest.raises(ValidationError):
            Finding(kind=wrong, stage=1, behavior=behavior, content=content)


@pytest.mark.parametrize("stage", STAGES)
def test_a_screen_shows_no_zero_and_two_workspaces_send_nothing_on(stage: Literal[1, 2]) -> None:
    for behavior, content in ((NEVER[stage], None), (None, NEVER[stage]), (NEVER[stage], Status.UNDECIDED)):
        with pytest.raises(ValueError, match="screen"):
            Finding.of(stage, behavior, content)


@pytest.mark.parametrize(
    ("stage", "behavior", "content"),
    [
        (stage, behavior, content)
        for stage in STAGES
        for behavior in (None, Status.UNMEASURED, Status.INVALID, Status.UNDECIDED)
        for content in states(stage)
    ],
)
def test_content_alone_licenses_nothing(stage: Literal[1, 2], behavior: Status | None, content: Status | None) -> None:
    assert Finding.of(stage, behavior, content).licenses is None


@pytest.mark.parametrize(
    ("stage", "behavior", "content"),
    [
        (stage, behavior, content)
        for stage in STAGES
        for behavior, content in itertools.product(states(stage), states(stage))
    ],
)
def test_only_the_finding_that_follows_can_be_held(
    stage: Literal[1, 2], behavior: Status | None, content: Status | None
) -> None:
    right = kind_of(stage, behavior, content)
    for kind in FindingKind:
        if kind is right:
            assert Finding(kind=kind, stage=stage, behavior=behavior, content=content).kind is kind
        else:
            with pytest.raises(ValidationError):
                Finding(kind=kind, stage=stage, behavior=behavior, content=content)
