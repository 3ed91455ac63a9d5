"""Measures what was prepared: lock, arms, launches, record, and nothing left behind.

Invariants: the plan is on disk before the first launch; arena and children are gone when this returns or raises,
whatever happened; what was measured is kept, also when the run is ended by a signal or a full disk.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from measure import __version__
from measure.arena.arena import Arena, Stall
from measure.client.base import Client
from measure.context.prove import Captured
from measure.errors import RecordError
from measure.judge import judge
from measure.plan.budget import Budget
from measure.plan.course import Course, Watched
from measure.plan.execute import Executor, Watcher
from measure.plan.pace import Pace
from measure.plan.rounds import Rounds
from measure.plan.schedule import Slot
from measure.plan.warmth import Warmth
from measure.probe.model import Axis
from measure.probe.question import Question
from measure.record.bands import keep_band
from measure.record.build import build, spending_of
from measure.record.family import claims_of
from measure.record.library import load
from measure.record.models import FINAL_STOPS, Change, Plan, RunRecord, Session, Stop, TrialRecord
from measure.record.store import RunWriter, command_for, new_run_id, new_run_ids, read_sessions, read_trials
from measure.run.at_rest import changed_meanwhile
from measure.run.locked import in_arena
from measure.run.places import without_home
from measure.run.planning import Ready, plan_of
from measure.run.prepare import Prepared
from measure.run.proving import prompt_of, proof_of, sift_of
from measure.run.resume import Again
from measure.run.together import families
from measure.verdict.standing import Claim
from measure.verdict.vocabulary import Unmeasured

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Job:
    """Where records go and who is told. `watcher` is given what is measured together, before its first launch."""

    root: Path
    watcher: Callable[[Sequence[Watched]], Watcher]
    price_usd: float | None
    stale_after_s: float


def measure_all(job: Job, contrasts: Sequence[tuple[Prepared, Client]]) -> tuple[RunRecord, ...]:
    """Measure all contrasts, each with a record of its own: those that share launches together, one family after
    the other. Limits of launches and money hold for all of them.

    Raises `LockHeldError` before anything was written, `InterruptedRunError` after a signal, and whatever kept a record
    from being written; records finished before stay.
    """

    begun: list[str] = []
    ahead = [f"{one.contrast.kind} {one.contrast.place}" for one, _ in contrasts]

    async def work(arena: Arena) -> tuple[RunRecord, ...]:
        # Everything is proved before anything is spent.
        seen: defaultdict[str, Captured] = defaultdict(dict)
        ready = [await _ready(arena, client, one, seen) for one, client in contrasts]
        records: dict[int, RunRecord] = {}
        budget = _budget(job, ready[0].one)
        for family in families([one for one, _ in contrasts]):
            ids = new_run_ids(len(family))
            together = ids if len(ids) > 1 else ()
            plans = [plan_of(ready[index], run_id, together) for index, run_id in zip(family, ids, strict=True)]
            members = [
                (ready[index], plan, RunWriter.create(job.root, plan))
                for index, plan in zip(family, plans, strict=True)
            ]
            begun[:] = ids
            for index in family:
                ahead.remove(f"{contrasts[index][0].contrast.kind} {contrasts[index][0].contrast.place}")
            used = (budget.launched, budget.spent_usd)
            records |= dict(zip(family, await _launch(job, arena, budget, members, used), strict=True))
        return tuple(records[index] for index in sorted(records))

    return _in_arena(job, work, begun, ahead)


def go_on(job: Job, again: Sequence[Again]) -> tuple[RunRecord, ...]:
    """Complete or extend recorded runs of one family, under the same identities. Raises as `measure_all` does."""

    async def work(arena: Arena) -> tuple[RunRecord, ...]:
        seen: defaultdict[str, Captured] = defaultdict(dict)
        ready = [await _ready(arena, one.client, one.prepared, seen) for one in again]
        budget = _budget(job, ready[0].one)
        before = read_sessions(job.root / again[0].plan.run_id)
        used = (before[0].launches_elsewhere, before[0].usd_elsewhere) if before else (0, 0.0)
        budget.launched, budget.told_usd = used
        others = []
        for run_id in again[0].plan.together:
            if run_id not in {one.plan.run_id for one in again}:
                record = _record_of(job.root / run_id)
                budget.take_over(record.trials if record is not None else ())
                # A line of which there is no record counts as one that showed nothing.
                others.append(claims_of(record) if record is not None else dict.fromkeys(Axis, Claim()))
        for one in again:
            # What can't be read is found out before anything is changed.
            read_trials(job.root / one.plan.run_id)
        with ExitStack() as opened:
            members = []
            for one, member in zip(again, ready, strict=True):
                writer = RunWriter.reopen(job.root / one.plan.run_id)
                opened.callback(writer.close)
                members.append((member, one.plan, writer))
            return await _launch(job, arena, budget, members, used, others)

    return _in_arena(job, work, [one.plan.run_id for one in again])


def _record_of(folder: Path) -> RunRecord | None:
    try:
        return load(folder)
    except RecordError:
        return None


def _in_arena(job: Job, work: Callable[[Arena], Awaitable[T]], begun: Sequence[str], ahead: Sequence[str] = ()) -> T:
    """`begun` holds the ids of the family that is measured, as soon as there are some; `ahead` names the others."""
    return in_arena(
        work, silent_after_s=job.stale_after_s, after_a_signal=lambda: after_a_signal(job.root, begun, ahead)
    )


def after_a_signal(root: Path, begun: Sequence[str], ahead: Sequence[str] = ()) -> str:
    """How to go on with the runs that a signal ended, one family or none, and which contrasts were not begun."""
    if not begun:
        return "Nothing was launched, and no record was written."
    show, resume = (command_for(verb, begun[0], root) for verb in ("show", "resume"))
    whom = "" if len(begun) == 1 else " with all lines measured together"
    rest = f" Not begun: {', '.join(ahead)}." if ahead else ""
    return f"'{show}' shows what was measured; '{resume}' goes on{whom}. Records: {root}{rest}"


async def _ready(arena: Arena, client: Client, one: Prepared, seen: Mapping[str, Captured]) -> Ready:
    """Make and prove the arms; `seen` keeps what was captured under each condition."""
    arms = arena.build(one.surface, one.contrast if one.purpose == "contrast" else None)
    return Ready(one, client, arms, await proof_of(client, arena, arms, one, seen[client.condition.model_dump_json()]))


def _budget(job: Job, one: Prepared) -> Budget:
    return Budget(one.design.max_launches, one.design.budget_usd, job.price_usd)


async def _launch(
    job: Job,
    arena: Arena,
    budget: Budget,
    family: Sequence[tuple[Ready, Plan, RunWriter]],
    used_elsewhere: tuple[int, float],
    others: Sequence[Mapping[Axis, Claim]] = (),
) -> tuple[RunRecord, ...]:
    """Launch a family until each of its contrasts is settled, and write their records.

    `used_elsewhere`: launches and US dollars that other families took of the same limits before. `others` are what
    lines of the family that stay as they are showed.
    """
    ready = [member for member, _, _ in family]
    first, client = ready[0].one, ready[0].client
    courses = [_course(member, plan, writer, used_elsewhere) for member, plan, writer in family]
    records: dict[int, RunRecord] = {}

    def stall(slot: Slot) -> AbstractContextManager[Stall]:
        return arena.stall(
            ready[slot.courses[0]].arms.of(slot.arm.value) if first.stage == 2 else None,
            at_desk=first.paths == "one-in-turn",
            seen_at_desk=first.paths == "one-by-view",
        )

    def close(number: int) -> None:
        records[number] = _finish(ready[number].one, courses[number])

    executor = Executor(
        client=client,
        stall=stall,
        judge=judge,
        courses=courses,
        watcher=job.watcher([Watched(course.plan, course.parameters, tuple(course.trials)) for course in courses]),
        budget=budget,
        pace=Pace(first.design.jobs, first.design.jobs_at_first or 0, first.design.patience_s),
        retries=first.design.retries,
        still_held=arena.still_held,
        warmth=None if client.condition.client == "simulated" else Warmth(),
        close=close,
    )
    executor.take_over()
    try:
        await executor.run(Rounds(courses, first.design.seed, others))
    finally:
        for course in courses:
            course.writer.close()
    return tuple(records[number] for number in range(len(courses)))


def _course(member: Ready, plan: Plan, writer: RunWriter, elsewhere: tuple[int, float]) -> Course:
    one, client = member.one, member.client
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
            launches_elsewhere=elsewhere[0],
            usd_elsewhere=round(elsewhere[1], 6),
        )
    )
    probes = {entry.probe.id: entry.probe for entry in plan.probes}
    line = client.masked(one.contrast.text)
    return Course(
        plan=plan,
        parameters=parameters,
        writer=writer,
        question=lambda slot: Question(probes[slot.probe], slot.order, line),
        prompt=prompt_of(plan, one.contrast),
        sift=sift_of(plan, one, member.arms, client.masked),
        trials=list(before),
    )


def _finish(one: Prepared, course: Course) -> RunRecord:
    """Write the record of a contrast for which nothing more is launched."""
    assert course.stop is not None
    stop = _with_rest(course.stop, one, course.trials)
    changed = changed_meanwhile(one)
    folder = course.writer.folder
    record = build(
        course.plan,
        course.trials,
        stop,
        complete=stop.reason in FINAL_STOPS,
        sessions=read_sessions(folder),
        set_aside=read_trials(folder)[1],
        warnings=changed,
        workspace_changed=bool(changed),
    )
    course.writer.finish(record)
    keep_band(folder, record)
    return record


def _with_rest(stop: Stop, one: Prepared, trials: Sequence[TrialRecord]) -> Stop:
    made = len({(trial.block, trial.arm) for trial in trials})
    most = 2 * len(one.probes) * one.design.parameters.rounds_at_most
    return stop.model_copy(update={"not_launched": max(0, most - made)})


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
