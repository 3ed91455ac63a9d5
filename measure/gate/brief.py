"""What a reviewer may be told before the review has ended: the range of a measurement, never what it showed.

Invariant: a brief is made from what was fixed before the first launch and from nothing else. It can't tell an outcome
because it never sees one: not a count, a cost, a stop or a round; nor the run's name, which would lead to its record.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from measure.errors import RequestError
from measure.gate.markdown import block, code, plain
from measure.record.library import load
from measure.record.models import Plan, ProbeRecord
from measure.record.store import PLAN, read_plan


class PutProbe(BaseModel):
    """A probe as the agent got it, less the order of its options."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    id: str
    axis: Literal["behavior", "content"]
    claim: str
    prompt: str
    options: tuple[str, ...]


class Brief(BaseModel):
    """The range of one measurement."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    kind: Literal["drop", "replace", "add"] | None
    place: str | None
    """FILE:LINE of the touched line; None where no probe was put."""
    about: str | None
    """What it is about, in words, where no probe was put."""
    model: str | None
    pairs_per_probe: int | None
    """The most that was planned."""
    probes: tuple[PutProbe, ...]
    probes_given: int
    """How many exist."""
    selection: str | None
    """How the probes put were chosen from them."""
    unmeasured: tuple[str, ...]
    """What was left out from the start."""


def brief_of(plan: Plan) -> Brief:
    """The range of a planned measurement. Raises `RequestError` for one of identical arms: it touches no line."""
    if plan.purpose == "band":
        raise RequestError(
            f"run {plan.run_id} measured the noise of identical arms; it touches no line a reviewer could look at.",
            hint="Name a run of 'measure run'.",
        )
    return Brief(
        kind=plan.contrast.kind,
        place=plan.contrast.place,
        about=None,
        model=plan.condition.model,
        pairs_per_probe=plan.design.parameters.rounds_at_most,
        probes=tuple(_put(entry) for entry in plan.probes),
        probes_given=plan.scope.probes_given,
        selection=plan.scope.selection,
        unmeasured=plan.scope.unmeasured,
    )


def read_brief(folder: Path) -> Brief:
    """The range of a recorded run; only its plan is read. Raises `RequestError` and `RecordError`."""
    if (folder / PLAN).exists():
        return brief_of(read_plan(folder))
    return Brief(
        kind=None,
        place=None,
        about=load(folder).subject,
        model=None,
        pairs_per_probe=None,
        probes=(),
        probes_given=0,
        selection=None,
        unmeasured=(),
    )


def _put(entry: ProbeRecord) -> PutProbe:
    probe = entry.probe
    return PutProbe(
        id=probe.id,
        axis=probe.axis.value,
        claim=probe.claim.strip(),
        prompt=probe.prompt.strip("\n"),
        options=tuple(option.text for option in probe.options),
    )


def as_markdown(briefs: Sequence[Brief]) -> str:
    """The block that goes into a reviewer's prompt."""
    return "\n".join(
        [
            "### Range of the rule effect measurement",
            "",
            "Which questions are put to the agent, and about which lines. What came of it is told after the review.",
            *(line for one in briefs for line in ("", *_lines(one))),
            "",
        ]
    )


def _lines(one: Brief) -> list[str]:
    if one.place is None:
        return [f"- No question was put{f' about {plain(one.about)}' if one.about else ''}."]
    assert one.model is not None
    lines = [
        f"- Touched line: {code(one.place)} ({one.kind})",
        f"  - Model {code(one.model)}, at most {one.pairs_per_probe} pairs of launches for each question",
        f"  - Questions put: {len(one.probes)} of {one.probes_given}; chosen: {plain(one.selection or '')}",
        *(f"  - Not asked: {plain(text)}" for text in one.unmeasured),
    ]
    for probe in one.probes:
        lines += [f"  - {code(probe.id)} ({probe.axis}), from the claim: {plain(probe.claim)}", ""]
        lines += [block(probe.prompt, "    ")]
        lines += ["", *(f"    - {plain(option)}" for option in probe.options)] if probe.options else []
        lines += [""]
    return lines[:-1]
