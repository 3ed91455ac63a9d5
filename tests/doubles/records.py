"""Records of every kind, built by the product's own pure functions from trials that are made up here.

Invariant: nothing is written into a record by hand that `build` would work out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from measure.client.trial import Reason, Usage
from measure.judge.reading import Kind, Reading, Span
from measure.probe.model import Axis
from measure.record.build import build
from measure.record.library import load
from measure.record.models import Arm, InvalidRecord, Plan, RunRecord, Session, Stop, TrialRecord
from measure.verdict.vocabulary import Unmeasured, WhyUnmeasured

RUNS = Path(__file__).resolve().parent.parent.parent / "runs"
BEGAN = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)

HOSTILE = (
    "</div></bdi></article></main><script>window.pwned = 1</script><img src=http://127.0.0.1:9/x onerror=pwned=2>"
    "<style>* { display: none !important }</style><svg onload=window.pwned=3></svg><base href=http://127.0.0.1:9/>"
    "<iframe srcdoc='<script>parent.pwned=4</script>'></iframe><a href='javascript:window.pwned=5'>x</a>"
    "<meta http-equiv=refresh content='0;url=http://127.0.0.1:9/'><link rel=stylesheet href=http://127.0.0.1:9/>"
    "<form action=http://127.0.0.1:9/><input autofocus onfocus=window.pwned=6></form>"
    "{{ 7 * 7 }} {% raw %} \u202e\u2066 reversed \x1b[31m \u2028 \U0001f469\u200d\U0001f4bb \" ' ` = @all #1"
)
"""Tries to run, load, restyle, break out of an attribute and turn the direction of what follows."""


def examples() -> list[RunRecord]:
    """The records of the repository's `runs/`, the oldest first."""
    return [load(folder) for folder in sorted(RUNS.iterdir()) if folder.is_dir()]


def example_plan() -> Plan:
    """A plan with one content probe and several of behaviour."""
    plans = [record.plan for record in examples()]
    return next(plan for plan in plans if plan is not None and len(plan.probes) == 4)


Outcome = str | Reason | None
"""An option's id or a kind; a reason: the launch does not count; None: it was not made."""
Say = Callable[[str, int], tuple[Outcome, Outcome]]
"""What comes back (with, without) for a probe in a round, from 1."""


def trials(plan: Plan, rounds: int, say: Say) -> list[TrialRecord]:
    """Launches of whole rounds, in canonical order, one after the other."""
    made: list[TrialRecord] = []
    block = 0
    for number in range(1, rounds + 1):
        for entry in plan.probes:
            outcomes = say(entry.probe.id, number)
            arms = (plan.contrast.with_arm, next(arm for arm in Arm if arm is not plan.contrast.with_arm))
            members = list(zip(arms, outcomes, strict=True))
            if block % 2:
                members.reverse()
            for member, (arm, outcome) in enumerate(members):
                if outcome is not None:
                    made.append(trial(plan, block, number, entry.probe.id, arm, member, outcome, len(made) + 1))
            block += 1
    return made


def trial(
    plan: Plan, block: int, number: int, probe: str, arm: Arm, member: int, outcome: str | Reason, position: int
) -> TrialRecord:
    """One launch."""
    options = tuple(option.id for entry in plan.probes if entry.probe.id == probe for option in entry.probe.options)
    common: dict[str, Any] = {
        "id": f"{block:05}.{member}.1",
        "block": block,
        "round": number,
        "probe": probe,
        "arm": arm,
        "member": member,
        "attempt": 1,
        "position": position,
        "order": options,
        "seed": block,
        "started_at": BEGAN + timedelta(seconds=2 * position),
        "wall_s": 1.5,
        "usage": Usage(input_tokens=400, output_tokens=20, cost_usd=0.002),
        "model_answered": plan.condition.model,
        "client_version": plan.condition.client_version,
    }
    if isinstance(outcome, Reason):
        detail = f"the launch ended with {outcome.value}"
        return TrialRecord(**common, invalid=InvalidRecord(reason=outcome, detail=detail, stderr_tail="last words"))
    start = "For a reason of its own, "
    answer = f"{start}{outcome}. The rules lack a provision."
    kinds = {kind.value for kind in Kind}
    reading = Reading(
        kind=Kind(outcome) if outcome in kinds else Kind.OPTION,
        option=None if outcome in kinds else outcome,
        spans=(Span(start=len(start), end=len(start) + len(outcome)),),
        hole_report=Span(start=answer.index("The rules"), end=len(answer)) if block % 5 == 0 else None,
    )
    return TrialRecord(**common, reading=reading, answer=answer, answer_source="result", turns=1, exit_code=0)


def asked_for(plan: Plan, probe: str) -> tuple[str, str]:
    """The outcome that the line asks for, and another one."""
    found = next(entry.probe for entry in plan.probes if entry.probe.id == probe)
    if found.axis is Axis.CONTENT:
        return "quoted", "no-provision"
    return str(found.asked_for), next(option.id for option in found.options if not option.asked_for)


def made(
    say: Say,
    *,
    plan: Plan | None = None,
    rounds: int = 6,
    stop: Stop | None = Stop(reason="settled"),  # noqa: B008 - frozen
    complete: bool = True,
    **more: Any,
) -> RunRecord:
    """A record of whole rounds."""
    plan = plan or example_plan()
    session = Session(started=BEGAN, measure_version="0", max_rounds=6, trials_before=0)
    return build(plan, trials(plan, rounds, say), stop, complete=complete, sessions=(session,), **more)


def kinds(plan: Plan | None = None) -> dict[str, RunRecord]:
    """One record of every kind that a reader can meet, by a name for the kind; each with an id of its own."""
    plan = plan or example_plan()

    def flip(probe: str, _: int) -> tuple[Outcome, Outcome]:
        return asked_for(plan, probe)

    def same(probe: str, _: int) -> tuple[Outcome, Outcome]:
        return (asked_for(plan, probe)[0],) * 2

    def text_only(probe: str, _: int) -> tuple[Outcome, Outcome]:
        first, second = asked_for(plan, probe)
        return (first, second) if first == "quoted" else (first, first)

    def failing(probe: str, number: int) -> tuple[Outcome, Outcome]:
        first = asked_for(plan, probe)[0]
        return (first, Reason.TIMEOUT if number % 2 else first)

    def refused(probe: str, _: int) -> tuple[Outcome, Outcome]:
        return (Reason.AUTH, None)

    def leaking(probe: str, _: int) -> tuple[Outcome, Outcome]:
        first, second = asked_for(plan, probe)
        return ("void", "void") if probe != "says-what-runs-first" else (first, second)

    def mixed(probe: str, number: int) -> tuple[Outcome, Outcome]:
        first, second = asked_for(plan, probe)
        if first == "quoted":
            return (first, "neither") if number % 2 else (Reason.RATE_LIMIT, first)
        return (first, "hedged") if number % 3 == 0 else (second, "several") if number % 3 == 1 else ("refused", first)

    screen = plan.model_copy(update={"condition": plan.condition.model_copy(update={"stage": 1})})
    band = plan.model_copy(update={"purpose": "band"})
    alone = RunRecord(
        run_id=plan.run_id,
        created=BEGAN,
        complete=True,
        plan=None,
        subject="drop CLAUDE.md:4",
        result=Unmeasured(reason=WhyUnmeasured.NO_AGENT, detail="claude was not found"),
        stop=None,
        spending=made(same, rounds=0).spending,
        trials=(),
    )
    found = {
        "load-bearing": made(flip, rounds=3),
        "restatement": made(text_only),
        "redundant": made(same),
        "undecided": made(mixed, rounds=3, stop=Stop(reason="cap")),
        "to-stage-2": made(same, plan=screen),
        "invalid": made(failing, rounds=4, stop=Stop(reason="invalid")),
        "invalid-void": made(leaking, rounds=2, stop=Stop(reason="invalid")),
        "unmeasured": made(refused, rounds=1, stop=Stop(reason="failing", detail="auth: not logged in")),
        "unmeasured-alone": alone,
        "band": made(same, plan=band, rounds=3, stop=Stop(reason="repeats-done")),
        "interrupted": made(flip, rounds=1, stop=None, complete=False, set_aside=1),
    }
    return {name: _named(record, index) for index, (name, record) in enumerate(found.items())}


def _named(record: RunRecord, index: int) -> RunRecord:
    run_id = f"20260301-0930{index:02}-{index:06x}"
    plan = record.plan.model_copy(update={"run_id": run_id}) if record.plan is not None else None
    return record.model_copy(update={"run_id": run_id, "plan": plan, "created": BEGAN + timedelta(minutes=index)})


FREE_TEXT = {
    "answer", "detail", "stdout_tail", "stderr_tail", "note", "claim", "prompt", "before", "after", "context_before",
    "context_after", "notices", "notes", "workspace", "source", "selection", "unmeasured", "model", "client",
    "client_version", "client_path", "arguments", "variables_set", "variables_passed", "warnings", "settings_removed",
    "left_out", "subject", "model_answered", "flags", "file", "place", "only_baseline", "places", "judge_version",
}  # fmt: skip
"""Fields of a record that text of others can come into."""


def hostile(record: RunRecord, text: str = HOSTILE) -> RunRecord:
    """The same record with hostile text at the end of everything that others can write."""
    data = json.loads(record.model_dump_json(by_alias=True))
    return RunRecord.model_validate_json(json.dumps(_worse(data, text)))


def _worse(value: Any, text: str) -> Any:
    if isinstance(value, list):
        return [_worse(one, text) for one in value]
    if not isinstance(value, dict):
        return value
    return {name: _spoilt(one, text) if name in FREE_TEXT else _worse(one, text) for name, one in value.items()}


def _spoilt(value: Any, text: str) -> Any:
    if isinstance(value, str):
        return value + text
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return [*(one + text for one in value), text]
    if isinstance(value, dict) and all(isinstance(one, str) for one in value.values()):
        return {**{name: one + text for name, one in value.items()}, text: text}
    return _worse(value, text)


def texts(value: Any) -> Iterable[str]:
    """Every string in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Sequence):
        for one in value:
            yield from texts(one)
    elif isinstance(value, dict):
        for one in value.values():
            yield from texts(one)
