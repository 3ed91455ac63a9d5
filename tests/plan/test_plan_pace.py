"""Refusals slow a run down and are waited out; the first launch with a prefix goes alone; nothing waits for ever."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import anyio
import pytest

from measure.arena.arena import Stall
from measure.client.base import Condition, Order
from measure.client.trial import Invalid, Reason, Returned, Usage
from measure.judge import judge
from measure.plan.budget import Budget
from measure.plan.course import Course
from measure.plan.execute import Executor
from measure.plan.pace import Pace
from measure.plan.schedule import Block, Slot, block
from measure.plan.warmth import KEPT_S, Warmth
from measure.probe.load import load_probe
from measure.probe.question import Question
from measure.record.models import Stop, TrialRecord
from measure.record.store import RunWriter
from measure.transcript import Transcript
from tests.doubles.records import example_plan
from tests.doubles.workplace import Workplace

pytestmark = pytest.mark.anyio

REFUSED = Invalid(Reason.RATE_LIMIT, "too many requests", acted=False, retry_after_s=0.02)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Silent:
    def started(self, slot: Slot, position: int) -> None: ...

    def finished(self, trial: TrialRecord, course: int) -> None: ...

    def ended(self, course: int, stop: Stop) -> None: ...


@dataclass
class Fake:
    """Answers at once, but for what `invalid` says of the number of the launch (from 1)."""

    invalid: Callable[[int], Invalid | None] = lambda _: None
    begun: list[tuple[float, str]] = field(default_factory=list)
    inside: int = 0
    together: list[int] = field(default_factory=list)

    @property
    def condition(self) -> Condition:
        raise AssertionError

    def masked(self, text: str) -> str:
        return text

    async def launch(self, order: Order) -> Returned:
        self.begun.append((anyio.current_time(), order.prompt))
        number = len(self.begun)
        self.inside += 1
        self.together.append(self.inside)
        for _ in range(20):
            await anyio.lowlevel.checkpoint()
        self.inside -= 1
        invalid = self.invalid(number)
        return Returned(
            transcript=None if invalid else Transcript("ACTION: A", "result"),
            invalid=invalid,
            stream=b"",
            stdout_tail="",
            stderr_tail="",
            exit_code=0,
            started_at=datetime.now(UTC),
            wall_s=0.0,
            usage=Usage(),
            model_answered="m",
            client_version="1",
            turns=1,
        )


@dataclass
class Pairs:
    """Hands out so many pairs of one probe."""

    number: int
    given: int = 0

    def next(self, in_flight: Collection[Slot]) -> Block | Stop | None:
        if self.given == self.number:
            return None if in_flight else Stop(reason="repeats-done")
        self.given += 1
        return block(self.given - 1, self.given, "p0", ("ask", "publish", "wait"), 1)


@pytest.fixture
def executor(tmp_path: Path) -> Iterator[Callable[..., Executor]]:
    place = Workplace(tmp_path / "place")
    probe, plan = load_probe(place.probes / "p0.toml").probe, example_plan()
    (tmp_path / "run").mkdir()
    writer = RunWriter.reopen(tmp_path / "run")

    @contextlib.contextmanager
    def stall(_: object) -> Iterator[Stall]:
        yield Stall(tmp_path, tmp_path)

    def make(client: Fake, pace: Pace, **more: object) -> Executor:
        return Executor(
            client=client,
            stall=stall,
            judge=judge,
            courses=[Course(plan, plan.design.parameters, writer, lambda slot: Question(probe, slot.order, ""))],
            watcher=Silent(),
            budget=Budget(),
            pace=pace,
            **more,  # type: ignore[arg-type]
        )

    yield make
    writer.close()


async def test_a_refused_launch_waits_and_is_made_again_without_using_up_retries(
    executor: Callable[..., Executor],
) -> None:
    client = Fake(lambda number: REFUSED if 3 <= number <= 8 else None)
    made = executor(client, Pace(4, patience_s=10.0), retries=0)
    await made.run(Pairs(6))
    assert made.stop is not None
    assert made.stop.reason == "repeats-done", made.stop
    last = {(trial.block, trial.arm): trial for trial in made.courses[0].trials}
    assert len(last) == 12
    assert all(trial.reading for trial in last.values())
    refused = [trial for trial in made.courses[0].trials if trial.invalid]
    assert len(refused) == 6, "each refusal is kept as the launch it was"
    ends = [trial.attempt for trial in last.values()]
    assert max(ends) >= 2


async def test_nothing_starts_before_the_wait_that_was_asked_for_is_over(executor: Callable[..., Executor]) -> None:
    refusal = Invalid(Reason.RATE_LIMIT, "slow down", acted=False, retry_after_s=0.3)
    client = Fake(lambda number: refusal if number == 2 else None)
    made = executor(client, Pace(1, patience_s=10.0))
    await made.run(Pairs(2))
    starts = [begun for begun, _ in client.begun]
    assert starts[2] - starts[1] >= 0.3
    assert starts[-1] - starts[2] < 0.3
    assert made.pace.waited_s == pytest.approx(0.3, abs=0.05)


async def test_patience_is_bounded_and_then_the_run_stops_and_says_until_when(
    executor: Callable[..., Executor],
) -> None:
    client = Fake(lambda number: REFUSED if number > 2 else None)
    made = executor(client, Pace(4, patience_s=0.1))
    await made.run(Pairs(50))
    assert made.stop is not None
    assert made.stop.reason == "rate-limit"
    assert made.stop.resets_at is not None
    assert made.pace.waited_s <= 0.1
    assert len(client.begun) < 20


async def test_after_the_agent_acted_nothing_is_made_again(executor: Callable[..., Executor]) -> None:
    acted = Invalid(Reason.RATE_LIMIT, "too many requests", acted=True, retry_after_s=0.0)
    client = Fake(lambda number: acted if number == 2 else None)
    made = executor(client, Pace(1, patience_s=10.0))
    await made.run(Pairs(3))
    assert len(client.begun) == 6
    assert sum(trial.invalid is not None for trial in made.courses[0].trials) == 1


async def test_jobs_begin_low_grow_while_clean_and_shrink_when_refused(executor: Callable[..., Executor]) -> None:
    client = Fake()
    await executor(client, Pace(6, 2)).run(Pairs(20))
    assert client.together[0] == 1
    assert max(client.together[:2]) == 2
    assert max(client.together) == 6
    pace = Pace(8)
    pace.refused(1.0, 0.0)
    pace.refused(1.0, 0.0)
    assert pace.width == 4, "launches refused together slow the run down once"
    for _ in range(3):
        pace.clean()
    assert pace.width == 4
    pace.clean()
    assert pace.width == 5


async def test_the_first_launch_goes_alone_and_the_others_follow_together(executor: Callable[..., Executor]) -> None:
    client = Fake()
    made = executor(client, Pace(6), warmth=Warmth())
    await made.run(Pairs(8))
    assert client.together[:2] == [1, 1], "the second launch began when the first had ended"
    assert max(client.together) > 1
    assert [trial.position for trial in made.courses[0].trials if trial.led] == [1]
    order = sorted(made.courses[0].trials, key=lambda trial: trial.position)
    assert [(trial.block, trial.member) for trial in order] == [
        (block, member) for block in range(8) for member in (0, 1)
    ]


async def test_an_unanswered_first_launch_warms_nothing(executor: Callable[..., Executor]) -> None:
    crash = Invalid(Reason.CRASHED, "boom", acted=False)
    client = Fake(lambda number: crash if number <= 2 else None)
    made = executor(client, Pace(6), warmth=Warmth())
    await made.run(Pairs(5))
    assert client.together[:4] == [1, 1, 1, 1]
    assert [trial.position for trial in made.courses[0].trials if trial.led] == [1, 2, 3]


async def test_launches_with_one_whole_prefix_never_start_together_while_it_is_cold() -> None:
    warmth, order = Warmth(), []

    async def go(name: str, key: str) -> None:
        lease = await warmth.begin("all", key)
        order.append(name)
        for _ in range(5):
            await anyio.lowlevel.checkpoint()
        order.append(f"/{name}")
        warmth.end(lease, answered=True)

    async with anyio.create_task_group() as tasks:
        for name, key in (("a", "x"), ("b", "y"), ("c", "y"), ("d", "x")):
            tasks.start_soon(go, name, key)
    assert order[:2] == ["a", "/a"]
    assert order.index("/b") < order.index("c"), "the second of one prompt waits for the first"
    assert order.index("b") < order.index("c") < order.index("d"), "nobody overtakes"
    assert order.index("d") < order.index("/c"), "and c and d go together"


async def test_a_prefix_is_cold_again_when_nobody_used_it_for_as_long_as_a_cache_keeps_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 0.0
    monkeypatch.setattr(anyio, "current_time", lambda: now)
    warmth = Warmth()
    warmth.end(await warmth.begin("all"), answered=True)
    now = KEPT_S - 1
    lease = await warmth.begin("all")
    assert not lease.leads
    warmth.end(lease, answered=True)
    now = 2 * KEPT_S - 2
    assert not (await warmth.begin("all")).leads
    now = 2 * KEPT_S
    assert (await warmth.begin("all")).leads
