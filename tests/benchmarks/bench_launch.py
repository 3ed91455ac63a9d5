"""What a launch costs beside the client's own work, printed beside a bare `anyio.run_process` loop of the same run.

    python tests/benchmarks/bench_launch.py [TRIALS]

Per trial, in milliseconds of CPU: what the harness's own process spends, and what the parts it puts in front of the
client spend beyond the bare client. Limits: both together 5 ms; 60 MiB of memory, flat over 1,000 trials; 64 one-second
trials at 8 jobs within 8.5 s.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import anyio
import psutil

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))

from measure.client.containment import Containment, choose
from measure.client.process import run_child
from measure.errors import ClientError

NO_OP = ["/bin/cat"]
ONE_SECOND = ["/bin/sleep", "1"]
ENVIRONMENT = {"PATH": "/usr/bin:/bin"}
PLACE = Path("/")
PROMPT = b"Which one?"

CPU_LIMIT_MS = 5.0
MEMORY_LIMIT_MIB = 60.0
ROUND_LIMIT_S = 8.5


@dataclass(frozen=True)
class Cost:
    """Per trial in milliseconds of CPU; memory in MiB, resident, after a tenth of the trials and after all."""

    own_ms: float
    children_ms: float
    early_mib: float
    late_mib: float

    def overhead_ms(self, bare: Cost) -> float:
        return self.own_ms + max(0.0, self.children_ms - bare.children_ms)


async def bare(argv: list[str]) -> None:
    """One launch as plainly as anyio does it."""
    await anyio.run_process(argv, input=PROMPT, cwd=PLACE, env=ENVIRONMENT, start_new_session=True, check=False)


def contained(containment: Containment) -> Callable[[list[str]], Awaitable[None]]:
    """One launch as the product does it."""

    async def launch(argv: list[str]) -> None:
        finished = await run_child(
            argv, cwd=PLACE, env=ENVIRONMENT, stdin=PROMPT, time_limit_s=60, containment=containment, is_final=bool
        )
        assert finished.exit_code == 0, finished

    return launch


async def cost_of(launch: Callable[[list[str]], Awaitable[None]], trials: int) -> Cost:
    """Launch the no-op client so many times, one after the other."""
    await launch(NO_OP)
    process, early = psutil.Process(), 0
    before = _cpu_s()
    for number in range(trials):
        await launch(NO_OP)
        if number == trials // 10:
            early = process.memory_info().rss
    after = _cpu_s()
    own, children = ((later - sooner) / trials * 1e3 for later, sooner in zip(after, before, strict=True))
    return Cost(own, children, early / 2**20, process.memory_info().rss / 2**20)


async def round_of_one_second_trials(
    launch: Callable[[list[str]], Awaitable[None]], *, trials: int, jobs: int
) -> float:
    """Seconds of wall clock for so many one-second clients, so many at once."""
    limit = anyio.CapacityLimiter(jobs)
    began = time.monotonic()
    async with anyio.create_task_group() as tasks:

        async def one() -> None:
            async with limit:
                await launch(ONE_SECOND)

        for _ in range(trials):
            tasks.start_soon(one)
    return time.monotonic() - began


def _cpu_s() -> tuple[float, float]:
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    own, children = (one.ru_utime + one.ru_stime for one in used)
    return own, children


async def main(trials: int) -> int:
    ways: dict[str, Callable[[list[str]], Awaitable[None]]] = {"anyio.run_process": bare}
    for way in ("pid-namespace", "descendants"):
        try:
            ways[way] = contained(choose("pid-namespace" if way == "pid-namespace" else "descendants"))
        except ClientError as error:
            print(f"{way}: {error.message}")
    plain: Cost | None = None
    failed = 0
    print(f"{trials} trials of a no-op client, per trial          own   children   overhead      memory")
    for name, launch in ways.items():
        cost = await cost_of(launch, trials)
        plain = plain or cost
        overhead = cost.overhead_ms(plain)
        kept = name == "anyio.run_process" or (overhead <= CPU_LIMIT_MS and cost.late_mib <= MEMORY_LIMIT_MIB)
        failed += not kept
        print(
            f"  {name:38}{cost.own_ms:7.2f} ms {cost.children_ms:7.2f} ms {overhead:7.2f} ms  "
            f"{cost.early_mib:5.1f} → {cost.late_mib:5.1f} MiB  {'' if kept else 'ABOVE THE LIMIT'}"
        )
    print("64 one-second trials, 8 at once")
    for name, launch in ways.items():
        wall_s = await round_of_one_second_trials(launch, trials=64, jobs=8)
        kept = name == "anyio.run_process" or wall_s <= ROUND_LIMIT_S
        failed += not kept
        print(f"  {name:38}{wall_s:7.2f} s  {'' if kept else 'ABOVE THE LIMIT'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(anyio.run(main, int(sys.argv[1]) if len(sys.argv) > 1 else 1000))
