"""What the whole pipeline costs per trial beside the client's own work: arms, launch, reading, judging, record.

    python tests/benchmarks/bench_pipeline.py [TRIALS]

The client answers with canned events and does nothing else. Printed beside a bare `anyio.run_process` loop that makes
the same launches in the same run. Limits of the harness's own process: 5 ms of CPU per trial and 60 MiB of memory over
1,000 trials (some 6 kB a trial are its record); and 64 one-second trials at 8 jobs within 8.5 s.
"""

from __future__ import annotations

import contextlib
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import anyio
import psutil

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))

from measure.arena.arena import Arena
from measure.client.acceptance import Expectation
from measure.client.base import Condition, Order
from measure.client.containment import choose
from measure.client.events import is_result_line
from measure.client.masking import Mask
from measure.client.process import run_child
from measure.client.trial import Returned
from measure.client.understanding import understand
from measure.judge import judge
from measure.plan.budget import Budget
from measure.plan.course import Course
from measure.plan.execute import Executor
from measure.plan.pace import Pace
from measure.plan.rounds import Rounds
from measure.plan.schedule import Slot
from measure.probe.question import Question
from measure.record.models import Plan, Stop, TrialRecord
from measure.record.store import RunWriter, new_run_id
from measure.run.planning import Ready, plan_of
from measure.run.prepare import prepare
from measure.run.request import RunRequest
from tests.doubles import stub_client
from tests.doubles.workplace import LINE, Workplace

CPU_LIMIT_MS = 5.0
MEMORY_LIMIT_MIB = 60.0
ROUND_LIMIT_S = 8.5


class Silent:
    """A watcher that looks away, but for the memory after a tenth of the trials."""

    def __init__(self, trials: int) -> None:
        self.tenth, self.seen, self.early_mib = trials // 10, 0, 0.0

    def started(self, slot: Slot, position: int) -> None: ...

    def ended(self, course: int, stop: Stop) -> None: ...

    def finished(self, trial: TrialRecord, course: int) -> None:
        assert trial.reading is not None, trial.invalid
        self.seen += 1
        if self.seen == self.tenth:
            self.early_mib = memory_mib()


class CannedClient:
    """Launches a program that prints events and ends; read, masked and accepted like any other client."""

    def __init__(self, program: list[str]) -> None:
        self.program = program
        self.containment = choose()
        self.mask = Mask.build({}, home="/nowhere")
        self.environment = {"PATH": "/usr/bin:/bin"}

    @property
    def condition(self) -> Condition:
        return Condition(
            client="simulated",
            client_version="2.1.197",
            client_path="canned",
            model="model-1",
            name="production",
            arguments=(),
            variables_set={},
            variables_passed=(),
            time_limit_s=60.0,
            containment=self.containment.way,
        )

    def masked(self, text: str) -> str:
        return self.mask.text(text)

    async def launch(self, order: Order) -> Returned:
        finished = await run_child(
            self.program,
            cwd=order.cwd,
            env=self.environment,
            stdin=order.prompt.encode(),
            time_limit_s=60,
            containment=self.containment,
            is_final=is_result_line,
        )
        return understand(
            finished, self.mask.with_places(workspace=order.cwd, temp=order.temp), Expectation("model-1", "2.1.197", 1)
        )


def memory_mib() -> float:
    return float(psutil.Process().memory_info().rss) / 2**20


@dataclass
class Bench:
    plan: Plan
    executor: Executor
    watcher: Silent

    async def run(self) -> None:
        await self.executor.run(Rounds(self.executor.courses, self.plan.design.seed))


@contextlib.contextmanager
def bench(folder: Path, *, trials: int, jobs: int, seconds: float) -> Iterator[Bench]:
    """Everything ready to launch `trials` times over four probes."""
    place = Workplace(folder)
    place.put_probes(4)
    events = folder / "events.jsonl"
    events.write_text(
        "".join(
            step["stdout"]
            for step in (stub_client.init(), stub_client.text("ACTION: A"), stub_client.result("ACTION: A"))
        )
    )
    program = ["/bin/cat", str(events)] if not seconds else ["/bin/sh", "-c", f"sleep {seconds}; exec cat {events}"]
    (one,) = prepare(
        RunRequest(
            probes=(place.probes,),
            workspace=place.workspace,
            model="model-1",
            drop=(LINE,),
            client="simulated",
            agent=place.agent,
            repeats=trials // 8,
            jobs=jobs,
        )
    )
    client = CannedClient(program)
    with Arena(folder / "arena") as arena:
        arms = arena.build(one.surface, one.contrast)
        plan = plan_of(Ready(one, client, arms), new_run_id())
        place.runs.mkdir()
        writer = RunWriter.create(place.runs, plan)
        probes = {entry.probe.id: entry.probe for entry in plan.probes}
        watcher = Silent(trials)

        def question(slot: Slot) -> Question:
            return Question(probes[slot.probe], slot.order, one.contrast.text)

        course = Course(plan, plan.design.parameters, writer, question)
        yield Bench(
            plan,
            Executor(
                client=client,
                stall=lambda slot: arena.stall(arms.of(slot.arm.value)),
                judge=judge,
                courses=[course],
                watcher=watcher,
                budget=Budget(),
                pace=Pace(jobs),
            ),
            watcher,
        )
        writer.close()


def cpu_s() -> tuple[float, float]:
    own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime, children.ru_utime + children.ru_stime


@dataclass(frozen=True)
class Figures:
    own_ms: float
    children_ms: float
    bare_own_ms: float
    bare_children_ms: float
    early_mib: float
    late_mib: float

    @property
    def overhead_ms(self) -> float:
        """The harness's own CPU and what its launcher adds to the children's."""
        return self.own_ms + max(0.0, self.children_ms - self.bare_children_ms)


def per_trial(trials: int) -> Figures:
    """CPU and memory of `trials` launches, one after the other."""
    with tempfile.TemporaryDirectory() as folder, bench(Path(folder), trials=trials, jobs=1, seconds=0) as made:
        before = cpu_s()
        anyio.run(made.run)
        after = cpu_s()
        late = memory_mib()
        program = ["/bin/cat", str(Path(folder) / "events.jsonl")]

        async def bare() -> None:
            for _ in range(trials):
                await anyio.run_process(program, stdin=subprocess.DEVNULL, check=True)

        bare_before = cpu_s()
        anyio.run(bare)
        bare_after = cpu_s()
    own, children = ((b - a) / trials * 1e3 for a, b in zip(before, after, strict=True))
    bare_own, bare_children = ((b - a) / trials * 1e3 for a, b in zip(bare_before, bare_after, strict=True))
    return Figures(own, children, bare_own, bare_children, made.watcher.early_mib, late)


def one_second_trials() -> float:
    """Seconds of wall clock for 64 one-second trials at 8 jobs."""
    with tempfile.TemporaryDirectory() as folder, bench(Path(folder), trials=64, jobs=8, seconds=1) as made:
        begin = time.perf_counter()
        anyio.run(made.run)
        return time.perf_counter() - begin


def main() -> None:
    trials = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    figures = per_trial(trials)
    print(f"{trials} trials of a no-op client, one after the other; CPU per trial in ms")
    print(f"  pipeline     own {figures.own_ms:6.2f}   children {figures.children_ms:6.2f}")
    print(f"  bare anyio   own {figures.bare_own_ms:6.2f}   children {figures.bare_children_ms:6.2f}")
    print(
        f"  the harness's own process {figures.own_ms:.2f} (limit {CPU_LIMIT_MS:g}); with what holds each launch ",
        end="",
    )
    print(f"{figures.overhead_ms:.2f}")
    print(
        f"  memory       {figures.early_mib:.1f} MiB after a tenth, {figures.late_mib:.1f} MiB at the end "
        f"(limit {MEMORY_LIMIT_MIB:g})"
    )
    print(f"64 one-second trials at 8 jobs: {one_second_trials():.2f} s (limit {ROUND_LIMIT_S:g})")


if __name__ == "__main__":
    main()
