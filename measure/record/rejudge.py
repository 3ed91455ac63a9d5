"""Reads a recorded run again with today's judge, without launching anything.

Invariants: what was recorded stays as it was; a judgement is kept beside it, with the judge's version; judging the same
record twice with the same judge gives the same judgement.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

from pydantic import Field

from measure.client.acceptance import transcript_of
from measure.client.events import parse
from measure.errors import RequestError
from measure.judge import VERSION, judge
from measure.judge.reading import Reading
from measure.probe.question import Question
from measure.record.build import parameters_now, rejudged, result_of
from measure.record.library import load
from measure.record.models import SCHEMA_VERSION, ContrastRecord, Plan, Result, RunRecord, Stored, TrialRecord
from measure.record.store import dump, read_stream, write_whole


class Change(Stored):
    """One trial that is read otherwise than it was."""

    trial: str
    probe: str
    before: Reading
    after: Reading


class Judgement(Stored):
    """A later reading of a whole run."""

    schema_: Annotated[int, Field(alias="schema")] = SCHEMA_VERSION
    run_id: str
    judged: datetime
    judge_before: str
    judge_version: str
    changes: tuple[Change, ...]
    result_before: Result
    result: Result


def line_of(contrast: ContrastRecord) -> str:
    """The text that content answers are compared with; without it, the first line of what only one arm has."""
    if contrast.text is not None:
        return contrast.text
    with_text = contrast.after if contrast.kind == "add" else contrast.before
    return (with_text.splitlines() or [""])[0]


def question_of(plan: Plan, trial: TrialRecord) -> Question:
    """The question as it was put in one trial."""
    probe = next(entry.probe for entry in plan.probes if entry.probe.id == trial.probe)
    return Question(probe, trial.order, line_of(plan.contrast))


def readings_of(folder: Path, plan: Plan, trials: Sequence[TrialRecord]) -> dict[str, Reading]:
    """Today's reading of every valid trial, from its transcript. Raises `RecordError` if one is missing."""
    return {
        trial.id: judge(question_of(plan, trial), transcript_of(parse(read_stream(folder, trial))))
        for trial in trials
        if trial.reading is not None
    }


def judge_again(folder: Path) -> tuple[RunRecord, Judgement]:
    """Judge a recorded run with today's judge. Raises `RequestError` where there is nothing to judge."""
    record = load(folder)
    if record.plan is None or not any(trial.reading for trial in record.trials):
        raise RequestError(f"run {record.run_id} has no answers to judge", hint="'measure show' says why.")
    readings = readings_of(folder, record.plan, record.trials)
    trials = rejudged(record.trials, readings)
    changes = tuple(
        Change(trial=trial.id, probe=trial.probe, before=trial.reading, after=readings[trial.id])
        for trial in record.trials
        if trial.reading is not None and readings[trial.id] != trial.reading
    )
    return record, Judgement(
        run_id=record.run_id,
        judged=datetime.now(UTC),
        judge_before=record.plan.judge_version,
        judge_version=VERSION,
        changes=changes,
        result_before=record.result,
        result=result_of(record.plan, trials, record.stop, parameters_now(record.plan, record.sessions)),
    )


def keep(folder: Path, judgement: Judgement) -> Path:
    """Keep a judgement beside the record, under its judge's version; an equal version is replaced."""
    path = folder / f"judgement-{judgement.judge_version}.json"
    write_whole(path, dump(judgement))
    return path
