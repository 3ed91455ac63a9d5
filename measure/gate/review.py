"""What the parent's own record says after the review: measured, with scope and verdict, or unmeasured, with why.

Invariant: a verdict is written inside its scope, as the predicted change that did or did not occur on the probes put;
what was not measured is never written as something that did not occur.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict

from measure.gate.markdown import code, plain
from measure.record.ended import scope_reached
from measure.record.models import Change, Measured, NoiseBand, RunRecord, Scope
from measure.report import facts, wording
from measure.report.family import family_sentences
from measure.verdict.finding import FindingKind
from measure.verdict.vocabulary import Unmeasured, WhyUnmeasured

PREDICTED = {
    FindingKind.LOAD_BEARING: "The predicted change of conduct occurred on the probes put.",
    FindingKind.RESTATEMENT: "The predicted change of conduct did not occur on the probes put.",
    FindingKind.REDUNDANT: "The predicted change of conduct did not occur on the probes put.",
    FindingKind.UNDECIDED: "Whether the predicted change of conduct occurs was not settled.",
    FindingKind.INVALID: "Whether the predicted change of conduct occurs can't be told from this run.",
    FindingKind.UNMEASURED: "Whether the predicted change of conduct occurs was not measured.",
    FindingKind.TO_STAGE_2: "The predicted change of conduct did not show in the screen, which settles nothing.",
}


class AxisLine(BaseModel):
    """One axis of a measured run."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    axis: Literal["behavior", "content"]
    status: str
    """`difference`, `zero-difference`, `undecided`, `invalid` or `unmeasured`."""
    sentences: tuple[str, ...]


class ReviewEntry(BaseModel):
    """One run as it goes into the parent's record."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    run_id: str
    state: Literal["measured", "unmeasured", "band"]
    complete: bool
    """False: it was cut off; this is what it showed so far."""
    about: str
    """The contrast, or what was to be measured."""
    finding: str | None
    """One of the findings; None where nothing was measured."""
    reason: WhyUnmeasured | None
    """Why it is unmeasured; None where it was measured."""
    detail: str | None
    sentences: tuple[str, ...]
    axes: tuple[AxisLine, ...]
    model: str | None
    client: str | None
    scope: Scope | None
    change: Change | None
    warnings: tuple[str, ...]


def entry_of(record: RunRecord) -> ReviewEntry:
    """One recorded run for the parent's own record."""
    result, plan = record.result, record.plan
    sentences: tuple[str, ...]
    axes: tuple[AxisLine, ...] = ()
    if isinstance(result, Measured):
        decision = result.decision
        sentences = (PREDICTED[decision.finding.kind], *wording.finding_sentences(decision.finding))
        axes = tuple(
            AxisLine(
                axis=one.axis.value,
                status=one.verdict.status,
                sentences=wording.axis_sentences(one, decision.parameters),
            )
            for one in reversed(decision.axes)
        )
    elif isinstance(result, NoiseBand):
        sentences = ("Both arms were identical: this says nothing of a line.",)
        axes = tuple(
            AxisLine(axis=band.axis.value, status="band", sentences=wording.band_sentences(band))
            for band in reversed(result.bands)
        )
    else:
        sentences = facts.unmeasured_sentences(record, result)
    unmeasured = result if isinstance(result, Unmeasured) else None
    return ReviewEntry(
        run_id=record.run_id,
        state=result.status,
        complete=record.complete,
        about=_about(record),
        finding=result.decision.finding.kind.value if isinstance(result, Measured) else None,
        reason=unmeasured.reason if unmeasured else None,
        detail=unmeasured.detail if unmeasured else None,
        sentences=(*facts.caveats(record), *sentences),
        axes=axes,
        model=plan.condition.model if plan else None,
        client=f"{plan.condition.client} {plan.condition.client_version}" if plan else None,
        scope=scope_reached(record),
        change=record.change,
        warnings=record.warnings,
    )


def _about(record: RunRecord) -> str:
    plan = record.plan
    if plan is None:
        return record.subject or "the change"
    return "the noise of identical arms" if plan.purpose == "band" else f"{plan.contrast.kind} {plan.contrast.place}"


def as_markdown(records: Sequence[RunRecord], family: Sequence[RunRecord] = ()) -> str:
    """The block for the parent's own record. `family`: all that have to be counted together, where that is more."""
    lines = ["### Rule effect measurement", ""]
    for record in records:
        lines += [*_lines(entry_of(record), record), ""]
    if together := family_sentences(family or records):
        lines += [f"All lines together: {_joined(together)}", ""]
    if any(record.result.status == "measured" for record in records):
        lines += ["A verdict answers for the probes that were put, not for the change.", ""]
    return "\n".join(lines)


def _lines(entry: ReviewEntry, record: RunRecord) -> Iterator[str]:
    cut = " It was cut off; this is what it showed so far." if not entry.complete else ""
    if entry.state == "unmeasured":
        assert entry.reason is not None
        yield f"- **unmeasured: {entry.reason.value}** — {code(entry.about)}.{cut} {_joined(entry.sentences)}"
    elif entry.state == "band":
        yield f"- **noise band** — {entry.about}.{cut} {_joined(entry.sentences)}"
    else:
        yield f"- **measured: {entry.finding}** — {code(entry.about)}.{cut} {_joined(entry.sentences)}"
    for axis in entry.axes:
        yield f"  - {axis.axis}: **{axis.status}**. {_joined(axis.sentences)}"
    scope = facts.scope_sentences(record)
    yield from (f"  - {'' if number else 'Scope: '}{plain(text)}" for number, text in enumerate(scope))
    if record.plan is not None:
        condition = record.plan.condition
        yield (
            f"  - Condition: model {code(condition.model)}, {plain(entry.client or '')}, "
            f"{plain(condition.name)}, stage {condition.stage}."
        )
        if condition.client == "simulated":
            yield "  - Answered by a stand-in: this says nothing about any model."
    if entry.change is not None:
        yield f"  - {_change(entry.change)}"
    for warning in entry.warnings:
        yield f"  - Note: {plain(warning)}"
    yield f"  - Record: {code(entry.run_id)}"


def _change(change: Change) -> str:
    fired = f"fired by {' and '.join(change.by)}" if change.fired else "not fired"
    return (
        f"Firing condition for {code(f'{change.base[:12]}..{change.head[:12]}')}: {fired}; "
        f"lines +{change.lines.added} −{change.lines.deleted}, bytes +{change.bytes.added} −{change.bytes.deleted}."
    )


def _joined(sentences: Sequence[str]) -> str:
    return " ".join(plain(sentence) for sentence in sentences)
