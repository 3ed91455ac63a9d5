"""Launches short-lived agents without a pause until it is killed: `hard_killed_driver.py WAY PLACE PROGRAM`."""

from __future__ import annotations

import sys
from pathlib import Path

import anyio

from measure.client.containment import choose
from measure.client.process import run_child


async def main(way: str, place: str, program: str) -> None:
    containment = choose("pid-namespace" if way == "pid-namespace" else "descendants")
    sys.stdout.write("launching\n")
    sys.stdout.flush()

    async def launch_on_and_on(time_limit_s: float) -> None:
        while True:
            await run_child(
                [program],
                cwd=Path(place),
                env={"PATH": "/usr/bin:/bin"},
                stdin=b"",
                time_limit_s=time_limit_s,
                containment=containment,
            )

    async with anyio.create_task_group() as tasks:
        # The short ones are ended while they start, the long ones are there to be left behind.
        for time_limit_s in (0.001, 0.003, 0.01, 600.0):
            tasks.start_soon(launch_on_and_on, time_limit_s)


if __name__ == "__main__":
    anyio.run(main, sys.argv[1], sys.argv[2], sys.argv[3])
