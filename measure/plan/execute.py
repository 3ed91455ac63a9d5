"""Makes the launches of a plan and keeps each one before the next counts.

Invariants: launches start in the order of the schedule; a pair that was begun is completed, unless its question has
been settled meanwhile and it could not count; every launch that was started leaves exactly one line in the journal of
each contrast it is for, also when it is cut off, and its price stands in one of them; that it begins is on disk before
it does, so that it counts there even if the program is killed meanwhile; a slot is tried again only for a
reason that precedes any action of the agent, never for what was answered.

A refusal for coming too fast is waited out and uses up none of the declared retries: it says something of the account
and the hour, and nothing of the agent. What bounds it is the declared time (`Pace.patience_s`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol

import anyio

from measure.arena.arena import Stall
from measure.client.base import Client, Order
from measure.client.trial import RETRYABLE, Invalid, Reason, Returned, Usage
from measure.judge.reading import Reading
from measure.plan.budget import Budget, Grant
from measure.plan.course import Course
from measure.plan.failing import FailureWatch
from measure.plan.pace import Pace
from measure.plan.schedule import Block, Slot
from measure.plan.warmth import Lease, Warmth
from measure.probe.question import Question
from measure.record.models import Arm, InvalidRecord, Stop, TrialRecord
from measure.record.store import Packed, pack
from measure.transcript import Transcript

Judge = Callable[[Question, Transcript], Reading]
StallOf = Callable[[Slot], AbstractContextManager[Stall]]
"""Gives one trial a fresh copy of its arm to stand in, and takes it away afterwards."""

MAX_BACKOFF_S = 60.0
KILLED = "the program was killed while this launch was under way"
ENDED = "the run was ended while this launch was under way"
HOPELESS_STOPS = frozenset({"failing", "rate-limit"})
"""Where even the other launch of a pair that was begun would not be answered."""
STOP_FOR_GRANT = {Grant.LAUNCHES_SPENT: "launches", Grant.MONEY_SPENT: "budget"}


class Source(Protocol):
    """Says what is launched next, and gives each course its stop where its question is settled."""

    def next(self, in_flight: Collection[Slot]) -> Block | Stop | None:
        """The next block, why there is none, or None: ask again when a launch has ended.

        `in_flight` holds every slot that was handed out and has not ended.
        """
        ...


class Watcher(Protocol):
    """Is told what happens, for people; can't influence it."""

    def started(self, slot: Slot, position: int) -> None:
        """A launch starts."""

    def finished(self, trial: TrialRecord, course: int) -> None:
        """A launch has ended and is on disk; told once for each contrast it is for."""

    def ended(self, course: int, stop: Stop) -> None:
        """Nothing more is launched for a contrast."""


@dataclass
class Executor:
    """Launches blocks, as many launches at a time as the pace allows."""

    client: Client
    stall: StallOf
    judge: Judge
    courses: Sequence[Course]
    watcher: Watcher
    budget: Budget
    pace: Pace
    retries: int = 2
    still_held: Callable[[], bool] = lambda: True
    warmth: Warmth | None = None
    """None for an agent whose requests no cache keeps."""
    close: Callable[[int], None] = lambda _: None
    """Called once for each course when nothing more is launched for it and nothing is in flight."""
    stop: Stop | None = None
    """Why the run as a whole ended; a course may have ended before, for a reason of its own."""
    _failures: FailureWatch = field(default_factory=FailureWatch)
    _position: int = 0
    _offered: Block | None = None
    _in_flight: dict[tuple[int, int], Slot] = field(default_factory=dict)
    _closed: set[int] = field(default_factory=set)
    _changed: anyio.Event = field(default_factory=anyio.Event)

    async def run(self, source: Source) -> None:
        """Launch what `source` hands out; returns when it stops, and when launches in flight have ended."""
        async with anyio.create_task_group() as group:
            while True:
                await self.pace.enter()
                block = await self._next(source)
                if block is None:
                    self.pace.leave()
                    break
                self._in_flight |= {(slot.block, slot.member): slot for slot in block.slots}
                for slot in block.slots:
                    if slot.member:
                        await self.pace.enter()
                        while self.budget.blind and all(
                            (block.number, each.member) in self._in_flight for each in block.slots
                        ):
                            self._changed = anyio.Event()
                            await self._changed.wait()
                    group.start_soon(self._slot, slot)
        self._close_what_ended()

    def _ended(self, slot: Slot) -> None:
        del self._in_flight[slot.block, slot.member]
        self.pace.leave()
        self._changed.set()

    def _close_what_ended(self) -> None:
        """Close the courses that have ended; all of them, once the run has."""
        busy = {course for slot in self._in_flight.values() for course in slot.courses}
        for number, course in enumerate(self.courses):
            if course.stop is None and self.stop is not None and not self._in_flight:
                course.stop = self.stop
            if course.stop is not None and number not in busy and number not in self._closed:
                self._closed.add(number)
                self.watcher.ended(number, course.stop)
                self.close(number)

    async def _next(self, source: Source) -> Block | None:
        """The next block with its launches reserved; None once the run has stopped."""
        while True:
            self._changed = anyio.Event()
            if self.stop is None:
                self._check_lock()
            if self.stop is not None:
                return None
            if self._offered is None:
                offer = source.next(self._in_flight.values())
                if isinstance(offer, Stop):
                    self.stop = offer
                    continue
                self._offered = offer
                self._close_what_ended()
                if offer is None and not self._in_flight:
                    raise RuntimeError("there is nothing to launch and nothing to wait for")
            if self._offered is not None:
                grant = self.budget.ask(len(self._offered.slots))
                if grant is Grant.GO:
                    block, self._offered = self._offered, None
                    return block
                if grant is not Grant.WAIT:
                    self.stop = Stop(reason=STOP_FOR_GRANT[grant])
                    continue
            await self._changed.wait()

    def take_over(self) -> None:
        """Begin where an earlier session ended: launches that the courses hold count, and so does what they cost."""
        for course in self.courses:
            self.budget.take_over(course.trials)
            self._position = max([self._position, *(trial.position for trial in course.trials)])

    def _check_lock(self) -> None:
        if not self.still_held():
            self.stop = Stop(reason="lock-lost", detail="another run took over the arena while this one was silent")

    async def _slot(self, slot: Slot) -> None:
        course = self.courses[slot.courses[0]]
        try:
            attempt = retried = 0
            while True:
                attempt += 1
                prompt = course.prompt(slot, course.question(slot))
                lease = await self._lease(slot, prompt)
                begun = anyio.current_time()
                answered = False
                try:
                    if not self._worth_launching(slot):
                        self.budget.release(1)
                        return
                    returned = await self._attempt(slot, attempt, prompt, led=lease is not None and lease.leads)
                    answered = returned.transcript is not None
                finally:
                    if self.warmth is not None and lease is not None:
                        self.warmth.end(lease, answered=answered)
                if returned.invalid is not None and returned.invalid.reason is Reason.RATE_LIMIT:
                    if not await self._waited_out(returned.invalid, begun):
                        return
                else:
                    self.pace.clean()
                    if not self._may_retry(slot, returned, retried):
                        return
                    await anyio.sleep(min(MAX_BACKOFF_S, 2.0**retried))
                    retried += 1
                if self.budget.ask() is not Grant.GO:
                    return
        finally:
            self._ended(slot)

    def _worth_launching(self, slot: Slot) -> bool:
        """Whether a launch that was granted should still be made; sets the stop where there is no money for it."""
        overdrawn = self.budget.overdrawn
        if self.stop is None and overdrawn:
            self.stop = Stop(reason=STOP_FOR_GRANT[Grant.MONEY_SPENT])
        return not overdrawn and any(self._could_count(self.courses[course]) for course in slot.courses)

    def _could_count(self, course: Course) -> bool:
        stop = course.stop or self.stop
        return stop is None or not (stop.reason in HOPELESS_STOPS or stop.last_block is not None)

    def _may_retry(self, slot: Slot, returned: Returned, retried: int) -> bool:
        invalid = returned.invalid
        may = invalid is not None and invalid.reason in RETRYABLE and not invalid.acted
        awaited = self.stop is None and any(self.courses[course].stop is None for course in slot.courses)
        return may and retried < self.retries and awaited

    async def _waited_out(self, refusal: Invalid, begun: float) -> bool:
        """Give the seat up until the wait is over; False where the launch is not to be made again."""
        wait_s = self.pace.refused(begun, refusal.retry_after_s)
        if refusal.acted or self.stop is not None:
            return False
        if wait_s is None:
            self.stop = Stop(
                reason="rate-limit",
                detail=f"launches were refused as too many, also after {self.pace.waited_s:.0f} s of waiting",
                resets_at=_in(refusal.retry_after_s),
            )
            return False
        self.pace.leave()
        await self.pace.enter(again=True)
        return True

    async def _lease(self, slot: Slot, prompt: str) -> Lease | None:
        """Tools and system prompt are the same for all; instructions differ by arm, and after them comes the prompt."""
        if self.warmth is None:
            return None
        arm = slot.arm.value if slot.arm is Arm.BASELINE else f"{slot.arm.value} {slot.courses[0]}"
        return await self.warmth.begin("all", f"{arm} {prompt}")

    async def _attempt(self, slot: Slot, attempt: int, prompt: str, *, led: bool) -> Returned:
        self._position += 1
        position = self._position
        started_at = datetime.now(UTC)
        payer = slot.courses[0]
        last_will = self._cut_off(slot, attempt, position, started_at, started_at, KILLED)
        self.courses[payer].writer.begun(self._told(slot, payer, last_will))
        self.watcher.started(slot, position)
        cost: float | None = 0.0
        try:
            with self.stall(slot) as stall:
                returned = await self.client.launch(
                    Order(
                        cwd=stall.path,
                        temp=stall.temp,
                        prompt=prompt,
                        seed=slot.seed,
                        view=stall.view,
                    )
                )
            cost = returned.usage.cost_usd
            sifted = {course: self.courses[course].sift(slot, returned) for course in slot.courses}
        except BaseException:
            cut_off = self._cut_off(slot, attempt, position, started_at, datetime.now(UTC), ENDED)
            for course in slot.courses:
                self._keep(course, self._told(slot, course, cut_off))
            raise
        finally:
            self.budget.settle(cost)
        packed = pack(returned.stream)
        for course, own in sifted.items():
            trial = self._record(slot, course, attempt, position, own).model_copy(update={"led": led})
            trial = self._keep(course, self._told(slot, course, trial), packed)
            self._watch(course, trial)
        self._watch_all(slot, returned.invalid)
        return returned

    def _keep(self, course: int, trial: TrialRecord, packed: Packed | None = None) -> TrialRecord:
        kept = self.courses[course]
        if packed is not None:
            name = kept.writer.keep_stream(trial.id, packed)
            trial = trial.model_copy(update={"transcript": name, "transcript_digest": packed.digest})
        kept.writer.append(trial)
        kept.trials.append(trial)
        self.watcher.finished(trial, course)
        return trial

    def _watch_all(self, slot: Slot, invalid: Invalid | None) -> None:
        # What is waited out is no failure of the client.
        if invalid is not None and invalid.reason is Reason.RATE_LIMIT:
            return
        if (why := self._failures.saw(slot.arm, invalid)) and self.stop is None:
            self.stop = Stop(reason="failing", detail=why, resets_at=invalid.resets_at if invalid else None)

    def _watch(self, course: int, trial: TrialRecord) -> None:
        """A contrast's own answers may all be ones that do not count, while the client works well for others."""
        own = self.courses[course]
        if trial.invalid is not None and trial.invalid.reason is Reason.RATE_LIMIT:
            return
        if (why := own.failures.saw(trial.arm, trial.invalid)) and own.stop is None:
            own.stop = Stop(reason="failing", detail=why, resets_at=trial.invalid.resets_at if trial.invalid else None)

    def _told(self, slot: Slot, course: int, trial: TrialRecord) -> TrialRecord:
        """Says how many contrasts the launch is for, and in whose record its price stands."""
        payer = slot.courses[0]
        paid = None if course == payer else self.courses[payer].plan.run_id
        return trial.model_copy(update={"serves": len(slot.courses), "counted_in": paid})

    def _record(self, slot: Slot, course: int, attempt: int, position: int, returned: Returned) -> TrialRecord:
        reading = invalid = None
        if returned.invalid is not None:
            invalid = InvalidRecord(
                reason=returned.invalid.reason,
                detail=returned.invalid.detail,
                acted=returned.invalid.acted,
                resets_at=returned.invalid.resets_at,
                stdout_tail=returned.stdout_tail,
                stderr_tail=returned.stderr_tail,
            )
        else:
            assert returned.transcript is not None
            reading = self.judge(self.courses[course].question(slot), returned.transcript)
        transcript = returned.transcript
        return _trial(
            slot,
            attempt,
            position,
            started_at=returned.started_at,
            wall_s=round(returned.wall_s, 3),
            reading=reading,
            invalid=invalid,
            answer=transcript.answer if transcript else None,
            answer_source=transcript.answer_source if transcript else None,
            usage=returned.usage,
            model_answered=returned.model_answered,
            client_version=returned.client_version,
            turns=returned.turns,
            exit_code=returned.exit_code,
            flags=returned.flags,
        )

    @staticmethod
    def _cut_off(
        slot: Slot, attempt: int, position: int, started_at: datetime, ended_at: datetime, why: str
    ) -> TrialRecord:
        return _trial(
            slot,
            attempt,
            position,
            started_at=started_at,
            wall_s=round((ended_at - started_at).total_seconds(), 3),
            invalid=InvalidRecord(reason=Reason.CANCELLED, detail=why, acted=True),
            usage=Usage(),
        )


def _trial(slot: Slot, attempt: int, position: int, **came_back: Any) -> TrialRecord:
    """One line of the journal: the slot as it was scheduled, and what came back."""
    return TrialRecord(
        id=slot.trial_id(attempt),
        block=slot.block,
        round=slot.round,
        probe=slot.probe,
        arm=slot.arm,
        member=slot.member,
        topup=slot.topup,
        attempt=attempt,
        position=position,
        order=slot.order,
        seed=slot.seed,
        **came_back,
    )


def _in(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime.now(UTC) + timedelta(seconds=seconds)
