"""Makes the launches of a plan and keeps each one before the next counts.

Invariants: launches start in the order of the schedule; a pair that was begun is completed, stop or no stop; every
launch that was started leaves exactly one line in the journal, also when it is cut off; a slot is tried again only
for a reason that precedes any action of the agent, never for what was answered.

A refusal for coming too fast is waited out and uses up none of the declared retries: it says something of the account
and the hour, and nothing of the agent. What bounds it is the declared time (`Pace.patience_s`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
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
from measure.plan.failing import FailureWatch
from measure.plan.pace import Pace
from measure.plan.schedule import Block, Slot
from measure.plan.warmth import Lease, Warmth
from measure.probe.question import Question
from measure.record.models import Arm, InvalidRecord, Stop, TrialRecord
from measure.record.store import RunWriter
from measure.transcript import Transcript

Judge = Callable[[Question, Transcript], Reading]
PromptOf = Callable[[Slot, Question], str]
"""The prompt of one launch, from its question."""
Sift = Callable[[Slot, Returned], Returned]
"""Takes an answer for invalid that was come by in a way that does not count; gives back everything else as it is."""
StallOf = Callable[[Arm], AbstractContextManager[Stall]]
"""Gives one trial a fresh copy of an arm to stand in, and takes it away afterwards."""

MAX_BACKOFF_S = 60.0
HOPELESS_STOPS = frozenset({"failing", "rate-limit"})
"""Where even the other launch of a pair that was begun would not be answered."""
STOP_FOR_GRANT = {Grant.LAUNCHES_SPENT: "launches", Grant.MONEY_SPENT: "budget"}


class Source(Protocol):
    """Says what is launched next."""

    def next(self, under_way: Collection[int]) -> Block | Stop | None:
        """The next block, why there is none, or None: ask again when a launch has ended."""
        ...


class Watcher(Protocol):
    """Is told what happens, for people; can't influence it."""

    def started(self, slot: Slot, position: int) -> None:
        """A launch starts."""

    def finished(self, trial: TrialRecord) -> None:
        """A launch has ended and is on disk."""


@dataclass
class Executor:
    """Launches blocks, as many launches at a time as the pace allows."""

    client: Client
    stall: StallOf
    judge: Judge
    questions: Callable[[Slot], Question]
    writer: RunWriter
    watcher: Watcher
    budget: Budget
    pace: Pace
    retries: int = 2
    still_held: Callable[[], bool] = lambda: True
    prompt: PromptOf = lambda _, question: question.render()
    sift: Sift = lambda _, returned: returned
    warmth: Warmth | None = None
    """None for an agent whose requests no cache keeps."""
    trials: list[TrialRecord] = field(default_factory=list)
    stop: Stop | None = None
    _failures: FailureWatch = field(default_factory=FailureWatch)
    _position: int = 0
    _offered: Block | None = None
    _changed: anyio.Event = field(default_factory=anyio.Event)

    async def run(self, source: Source) -> None:
        """Launch what `source` hands out; returns when it stops, and when launches in flight have ended."""
        under_way: dict[int, int] = {}

        def ended(slot: Slot) -> None:
            under_way[slot.block] -= 1
            if not under_way[slot.block]:
                del under_way[slot.block]
            self.pace.leave()
            self._changed.set()

        async with anyio.create_task_group() as group:
            while True:
                await self.pace.enter()
                block = await self._next(source, under_way)
                if block is None:
                    self.pace.leave()
                    return
                under_way[block.number] = len(block.slots)
                for slot in block.slots:
                    if slot.member:
                        await self.pace.enter()
                        while self.budget.blind and under_way[block.number] == len(block.slots):
                            self._changed = anyio.Event()
                            await self._changed.wait()
                    group.start_soon(self._slot, slot, ended)

    async def _next(self, source: Source, under_way: Collection[int]) -> Block | None:
        """The next block with its launches reserved; None once the run has stopped."""
        while True:
            self._changed = anyio.Event()
            if self.stop is None:
                self._check_lock()
            if self.stop is not None:
                return None
            if self._offered is None:
                offer = source.next(under_way)
                if isinstance(offer, Stop):
                    self.stop = offer
                    continue
                self._offered = offer
            if self._offered is not None:
                grant = self.budget.ask(len(self._offered.slots))
                if grant is Grant.GO:
                    block, self._offered = self._offered, None
                    return block
                if grant is not Grant.WAIT:
                    self.stop = Stop(reason=STOP_FOR_GRANT[grant])
                    continue
            await self._changed.wait()

    def take_over(self, trials: Iterable[TrialRecord]) -> None:
        """Begin where an earlier session ended: its launches count, and so does what they cost."""
        for trial in trials:
            self.trials.append(trial)
            self._position = max(self._position, trial.position)
            self.budget.take_over(trial.usage.cost_usd)

    def _check_lock(self) -> None:
        if not self.still_held():
            self.stop = Stop(reason="lock-lost", detail="another run took over the arena while this one was silent")

    async def _slot(self, slot: Slot, ended: Callable[[Slot], None]) -> None:
        try:
            attempt = retried = 0
            while True:
                attempt += 1
                prompt = self.prompt(slot, self.questions(slot))
                lease = await self._lease(slot, prompt)
                begun = anyio.current_time()
                answered = False
                try:
                    if self.stop is None and self.budget.overrun:
                        self.stop = Stop(reason=STOP_FOR_GRANT[Grant.MONEY_SPENT])
                    if self.stop is not None and (self.stop.reason in HOPELESS_STOPS or self.budget.overrun):
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
                    if not self._may_retry(returned, retried):
                        return
                    await anyio.sleep(min(MAX_BACKOFF_S, 2.0**retried))
                    retried += 1
                if self.budget.ask() is not Grant.GO:
                    return
        finally:
            ended(slot)

    def _may_retry(self, returned: Returned, retried: int) -> bool:
        invalid = returned.invalid
        may = invalid is not None and invalid.reason in RETRYABLE and not invalid.acted
        return may and retried < self.retries and self.stop is None

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
        return await self.warmth.begin("all", f"{slot.arm.value} {prompt}")

    async def _attempt(self, slot: Slot, attempt: int, prompt: str, *, led: bool) -> Returned:
        self._position += 1
        position = self._position
        started_at = datetime.now(UTC)
        self.watcher.started(slot, position)
        cost: float | None = 0.0
        try:
            with self.stall(slot.arm) as stall:
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
            returned = self.sift(slot, returned)
        except BaseException:
            self._keep(self._cut_off(slot, attempt, position, started_at))
            raise
        finally:
            self.budget.settle(cost)
        trial = self._record(slot, attempt, position, returned).model_copy(update={"led": led})
        trial = self._keep(trial, returned.stream)
        # What is waited out is no failure of the client.
        if trial.invalid is not None and trial.invalid.reason is Reason.RATE_LIMIT:
            return returned
        if (why := self._failures.saw(trial)) and self.stop is None:
            invalid = returned.invalid
            self.stop = Stop(reason="failing", detail=why, resets_at=invalid.resets_at if invalid else None)
        return returned

    def _keep(self, trial: TrialRecord, stream: bytes | None = None) -> TrialRecord:
        if stream is not None:
            digest = self.writer.keep_stream(trial.id, stream)
            trial = trial.model_copy(update={"transcript": f"{trial.id}.jsonl.gz", "transcript_digest": digest})
        self.writer.append(trial)
        self.trials.append(trial)
        self.watcher.finished(trial)
        return trial

    def _record(self, slot: Slot, attempt: int, position: int, returned: Returned) -> TrialRecord:
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
            reading = self.judge(self.questions(slot), returned.transcript)
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
    def _cut_off(slot: Slot, attempt: int, position: int, started_at: datetime) -> TrialRecord:
        return _trial(
            slot,
            attempt,
            position,
            started_at=started_at,
            wall_s=round((datetime.now(UTC) - started_at).total_seconds(), 3),
            invalid=InvalidRecord(
                reason=Reason.CANCELLED, detail="the run was ended while this launch was under way", acted=True
            ),
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
