"""Measures what was prepared: lock, arms, launches, record, and nothing left behind.

Invariants: the plan is on disk before the first launch; arena and children are gone when this returns or raises,
whatever happened; what was measured is kept, also when the run is ended by a signal or a full disk.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from measure import __version__
from measure.arena.arena import Arena, Arms
from measure.client.base import Client
from measure.context.constraint import constraint_of
from measure.context.proof import Proof
from measure.errors import MeasureError
from measure.judge import VERSION as JUDGE_VERSION
from measure.judge import judge
from measure.judge.leaks import VERSION as LEAKS_VERSION
from measure.plan.budget import Budget
from measure.plan.execute import Executor, Watcher
from measure.plan.pace import Pace
from measure.plan.rounds import Rounds
from measure.plan.warmth import Warmth
from measure.probe.question import Question
from measure.record.bands import keep_band
from measure.record.build import build, spending_of
from measure.record.models import (
    FINAL_STOPS,
    Arm,
    Change,
    ContrastRecord,
    Plan,
    RunRecord,
    Session,
    Stop,
    SurfaceRecord,
)
from measure.record.store import RunWriter, new_run_id, read_sessions, read_trials
from measure.run.locked import in_arena
from measure.run.places import mask_home, without_home
from measure.run.prepare import Prepared
from measure.run.proving import prompt_of, proof_of, sift_of
from measure.surface import read_surface
from measure.verdict.parameters import Parameters
from measure.verdict.vocabulary import Unmeasured

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Job:
    """Where records go and who is told. `watcher` is given each plan before its first launch."""

    root: Path
    watcher: Callable[[Plan, Parameters], Watcher]
    price_usd: float | None
    stale_after_s: float


def measure_all(job: Job, contrasts: Sequence[tuple[Prepared, Client]]) -> tuple[RunRecord, ...]:
    """Measure one contrast after the other, each with a record of its own.

    Raises `LockHeldError` before anything was written, `InterruptedRunError` after a signal, and whatever kept a record
    from being written; records finished before stay.
    """

    async def work(arena: Arena) -> tuple[RunRecord, ...]:
        # Everything is proved before anything is spent.
        ready = [await _ready(arena, client, one) for one, client in contrasts]
        pairs = zip(contrasts, ready, strict=True)
        return tuple([await _measure_one(job, arena, client, one, *proved) for (one, client), proved in pairs])

    return _in_arena(job, work)


def go_on(job: Job, client: Client, one: Prepared, plan: Plan) -> RunRecord:
    """Complete or extend a recorded run, under the same identity. Raises as `measure_all` does."""

    async def work(arena: Arena) -> RunRecord:
        return await _go_on(job, arena, client, one, plan)

    return _in_arena(job, work)


def _in_arena(job: Job, work: Callable[[Arena], Awaitable[T]]) -> T:
    return in_arena(
        work,
        silent_after_s=job.stale_after_s,
        after_a_signal="'measure show last' shows what was measured; 'measure resume last' goes on. "
        f"Records: {job.root}",
    )


async def _ready(arena: Arena, client: Client, one: Prepared) -> tuple[Arms, Proof | None]:
    arms = arena.build(one.surface, one.contrast if one.purpose == "contrast" else None)
    return arms, await proof_of(client, arena, arms, one, constraint_of(one.stage))


async def _measure_one(
    job: Job, arena: Arena, client: Client, one: Prepared, arms: Arms, proof: Proof | None
) -> RunRecord:
    plan = plan_of(one, arms, client, proof)
    writer = RunWriter.create(job.root, plan)
    return await _launch(job, arena, client, one, arms, plan, writer)


async def _go_on(job: Job, arena: Arena, client: Client, one: Prepared, plan: Plan) -> RunRecord:
    arms, _ = await _ready(arena, client, one)
    writer = RunWriter.reopen(job.root / plan.run_id)
    return await _launch(job, arena, client, one, arms, plan, writer)


async def _launch(
    job: Job, arena: Arena, client: Client, one: Prepared, arms: Arms, plan: Plan, writer: RunWriter
) -> RunRecord:
    before, _ = read_trials(writer.folder)
    parameters = one.design.parameters
    writer.begin(
        Session(
            started=datetime.now(UTC),
            measure_version=__version__,
            max_rounds=parameters.max_rounds,
            max_launches=one.design.max_launches,
            budget_usd=one.design.budget_usd,
            trials_before=len(before),
        )
    )
    probes = {entry.probe.id: entry.probe for entry in plan.probes}
    executor = Executor(
        client=client,
        stall=lambda arm: arena.stall(
            arms.of(arm.value) if one.stage == 2 else None,
            at_desk=one.paths == "one-in-turn",
            seen_at_desk=one.paths == "one-by-view",
        ),
        judge=judge,
        questions=lambda slot: Question(probes[slot.probe], slot.order, client.masked(one.contrast.text)),
        writer=writer,
        watcher=job.watcher(plan, parameters),
        budget=Budget(one.design.max_launches, one.design.budget_usd, job.price_usd),
        pace=Pace(one.design.jobs, one.design.jobs_at_first or 0, one.design.patience_s),
        retries=plan.design.retries,
        still_held=arena.still_held,
        prompt=prompt_of(plan, one.contrast),
        sift=sift_of(plan, one, arms, client.masked),
        warmth=None if client.condition.client == "simulated" else Warmth(),
    )
    executor.take_over(before)
    try:
        await executor.run(Rounds(plan, parameters, executor.trials))
    finally:
        writer.close()
    stop = _with_rest(executor.stop, one, executor)
    changed = _changed_meanwhile(one)
    record = build(
        plan,
        executor.trials,
        stop,
        complete=stop.reason in FINAL_STOPS,
        sessions=read_sessions(writer.folder),
        set_aside=read_trials(writer.folder)[1],
        warnings=changed,
        workspace_changed=bool(changed),
    )
    writer.finish(record)
    keep_band(writer.folder, record)
    return record


def _with_rest(stop: Stop | None, one: Prepared, executor: Executor) -> Stop:
    assert stop is not None
    made = len({(trial.block, trial.arm) for trial in executor.trials})
    most = 2 * len(one.probes) * one.design.parameters.rounds_at_most
    return stop.model_copy(update={"not_launched": max(0, most - made)})


def _changed_meanwhile(one: Prepared) -> tuple[str, ...]:
    """The arms are copies, so a change can't reach them; but the verdict is about the workspace as it stood."""
    try:
        now = read_surface(one.surface.workspace, one.includes).digest
    except MeasureError as error:
        return (f"the workspace can't be read any more: {error.message}",)
    if now == one.surface.digest:
        return ()
    return ("the workspace was changed during the run; the verdict is about it as it stood before",)


def plan_of(one: Prepared, arms: Arms, client: Client, proof: Proof | None = None) -> Plan:
    """The plan as it is written before the first launch."""
    surface = one.surface
    return Plan(
        run_id=new_run_id(),
        created=datetime.now(UTC),
        measure_version=__version__,
        condition=client.condition.model_copy(update={"paths": one.paths}),
        contrast=_contrast_record(one, client.masked),
        surface=SurfaceRecord(
            workspace=mask_home(surface.workspace),
            digest=surface.digest,
            files=len(surface.entries),
            bytes=sum(entry.size for entry in surface.entries),
            settings_removed=surface.settings_removed,
            left_out=tuple(f"{left.path}: {left.why}" for left in surface.left_out),
            notices=tuple(map(client.masked, (*one.notices, *arms.notices))),
            includes=one.includes,
        ),
        probes=one.probes,
        scope=one.scope,
        design=one.design,
        judge_version=JUDGE_VERSION,
        constraint=constraint_of(one.stage),
        leaks_version=LEAKS_VERSION,
        proof=proof,
        purpose=one.purpose,
        bands=one.bands,
        client_asked=one.client if one.client in {"claude", "simulated"} else mask_home(Path(one.client).absolute()),
        agent=mask_home(one.agent.absolute()) if one.agent is not None else None,
        suite=one.suite,
    )


CONTEXT_LINES = 3
"""Neighbouring lines kept on each side of the contrast."""


def _contrast_record(one: Prepared, masked: Callable[[str], str]) -> ContrastRecord:
    contrast = one.contrast
    entry = one.surface.by_path[contrast.path]
    assert entry.source is not None
    data = entry.source.read_bytes()
    before = masked(data[: contrast.start].decode("utf-8", "replace")).splitlines()
    after = masked(data[contrast.end :].decode("utf-8", "replace")).splitlines()
    return ContrastRecord(
        kind=contrast.kind.value,
        file=contrast.path,
        line=contrast.line,
        start=contrast.start,
        end=contrast.end,
        before=masked(contrast.before.decode()),
        after=masked(contrast.after.decode()),
        text=masked(contrast.text),
        with_arm=Arm(contrast.with_arm),
        context_before=tuple(before[-CONTEXT_LINES:]),
        context_after=tuple(after[:CONTEXT_LINES]),
        file_digest_baseline=contrast.digest_before,
        file_digest_variant=contrast.digest_after,
        notices=contrast.notices,
    )


def record_unmeasured(root: Path, unmeasured: Unmeasured, subject: str, change: Change | None = None) -> RunRecord:
    """Write a record that says that nothing was measured, why, and what it would have been about."""
    if unmeasured.detail is not None:
        unmeasured = unmeasured.model_copy(update={"detail": without_home(unmeasured.detail)})
    record = RunRecord(
        run_id=new_run_id(),
        created=datetime.now(UTC),
        complete=True,
        plan=None,
        subject=without_home(subject),
        change=change,
        result=unmeasured,
        stop=None,
        spending=spending_of(()),
        trials=(),
    )
    folder = root / record.run_id
    folder.mkdir()
    RunWriter(folder).finish(record)
    return record
