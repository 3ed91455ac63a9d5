"""What the tests of launching stand on: a launch through the product's own `run_child`, and who is still alive."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from measure.client.containment import Containment, Way, choose
from measure.client.descendants import Descendants
from measure.client.process import Finished, run_child
from measure.errors import ClientError
from tests.doubles import stub_client

ENVIRONMENT = {"PATH": os.environ["PATH"], "LC_ALL": "C"}


def get(way: Way | str) -> Containment:
    """The containment of this name; `tree` is the one of systems that adopt no orphans."""
    if way == "tree":
        return Descendants(adopt=False)
    try:
        return choose("pid-namespace" if way == "pid-namespace" else "descendants")
    except ClientError as error:
        pytest.skip(error.message)


every_way = pytest.mark.parametrize("way", ["pid-namespace", "descendants", "tree"])


async def launch(way: str | Containment, place: Path, *steps: stub_client.Step, **settings: Any) -> Finished:
    """Launch the stub client in `place` with these steps. Its script lies elsewhere."""
    place.mkdir(exist_ok=True)
    program = stub_client.install(place.with_name(place.name + "-stub"), list(steps))
    return await run(way, place, [str(program)], **settings)


async def run(
    way: str | Containment, place: Path, argv: list[str], env: Mapping[str, str] = ENVIRONMENT, **settings: Any
) -> Finished:
    settings = {"stdin": b"", "time_limit_s": 30.0, "grace_s": 5.0, **settings}
    containment = get(way) if isinstance(way, str) else way
    return await run_child(argv, cwd=place, env=env, containment=containment, **settings)


def standing_in(place: Path) -> list[int]:
    """Living processes whose working directory is `place`: every process of a launch, unless it went elsewhere."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            if process.cwd() == str(place) and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process.pid)
    return found


def eventually(holds: Callable[[], bool], within_s: float = 10.0) -> bool:
    """Whether it comes to hold; looks often and gives up late, so that a slow machine changes nothing."""
    deadline = time.monotonic() + within_s
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.005)
    return True
