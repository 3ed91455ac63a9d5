"""Every way a launch can end leaves no process behind, keeps the answer it had, and is told apart from the others."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import anyio
import pytest

from measure.client import process
from measure.client.containment import Hold
from measure.client.process import run_child
from tests.client.launching import ENVIRONMENT, eventually, every_way, get, launch, run, standing_in
from tests.doubles import stub_client
from tests.doubles.stub_client import init, result, text

pytestmark = pytest.mark.anyio

STAYING = (
    {"child": "sleep 600"},
    {"child": "sleep 600 & sleep 600", "setsid": True},
    {"child": "trap '' TERM HUP; (setsid sleep 600 &) ; sleep 600", "setsid": True, "quiet": True},
)
"""Children in the agent's own group, in a session of their own, and as deaf orphans."""


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(autouse=True)
def _little_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """The stub does not listen where it is a namespace's first process, so waiting for it to is lost time."""
    monkeypatch.setattr(process, "_TERM_PATIENCE_S", 0.2)


def is_result(line: bytes) -> bool:
    return b'"type": "result"' in line


@every_way
async def test_a_client_that_does_not_exit_after_its_result_keeps_its_answer(way: str, tmp_path: Path) -> None:
    steps = (init(), text("B"), result("B"), *STAYING, {"sleep": 600})
    finished = await launch(way, tmp_path / "a", *steps, is_final=is_result, grace_s=0.5, time_limit_s=60)
    assert finished.killed_after_result
    assert not finished.timed_out
    assert is_result(finished.stdout.splitlines()[-1])
    assert finished.wall_s < 30
    assert standing_in(tmp_path / "a") == []


@every_way
async def test_a_child_that_leaves_its_output_open_does_not_hold_the_launch(way: str, tmp_path: Path) -> None:
    finished = await launch(
        way, tmp_path / "a", init(), result("B"), *STAYING, {"exit": 0}, is_final=is_result, grace_s=20
    )
    assert (finished.exit_code, finished.killed_after_result) == (0, False)
    assert is_result(finished.stdout.splitlines()[-1])
    assert finished.wall_s < 15
    assert standing_in(tmp_path / "a") == []
    assert finished.leftovers is None if way == "pid-namespace" else (finished.leftovers or 0) >= 4


@every_way
async def test_the_time_limit_ends_the_whole_tree(way: str, tmp_path: Path) -> None:
    finished = await launch(way, tmp_path / "a", init(), *STAYING, {"sleep": 600}, time_limit_s=1.0)
    assert finished.timed_out
    assert not finished.killed_after_result
    assert standing_in(tmp_path / "a") == []


@every_way
async def test_a_client_deaf_to_sigterm_is_killed(way: str, tmp_path: Path) -> None:
    steps = ({"ignore": "SIGTERM"}, *STAYING, {"stdout": "deaf\n"}, {"sleep": 600})
    finished = await launch(way, tmp_path / "a", *steps, time_limit_s=1.0)
    assert (finished.timed_out, finished.exit_code) == (True, -signal.SIGKILL)
    assert standing_in(tmp_path / "a") == []


@every_way
async def test_a_client_is_asked_to_end_before_it_is_killed(
    way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "_TERM_PATIENCE_S", 20.0)
    steps = ({"on_term": 143}, {"stdout": "listening\n"}, {"sleep": 600})
    finished = await launch(way, tmp_path / "a", *steps, is_final=lambda line: line == b"listening", grace_s=0.1)
    assert (finished.killed_after_result, finished.exit_code) == (True, 143)


@every_way
async def test_a_kill_from_outside_is_told_as_its_signal(way: str, tmp_path: Path) -> None:
    place = tmp_path / "a"
    place.mkdir()
    async with anyio.create_task_group() as tasks:

        async def strike() -> None:
            agents: list[int] = []
            while not agents:
                await anyio.sleep(0.01)
                agents = [pid for pid in standing_in(place) if _name_of(pid) == "sleep"]
            os.kill(agents[0], signal.SIGKILL)

        tasks.start_soon(strike)
        finished = await run(way, place, ["sleep", "600"])
    assert finished.exit_code == -signal.SIGKILL
    assert not finished.timed_out


@every_way
async def test_a_crash_is_told_as_its_signal(way: str, tmp_path: Path) -> None:
    finished = await run(way, tmp_path, [sys.executable, "-c", "import ctypes; ctypes.string_at(0)"])
    assert finished.exit_code == -signal.SIGSEGV


@every_way
async def test_output_after_the_result_renews_the_grace_but_not_the_limit(way: str, tmp_path: Path) -> None:
    late = [step for _ in range(4) for step in ({"sleep": 0.4}, {"stdout": "more\n"})]
    finished = await launch(
        way, tmp_path / "a", result("B"), *late, result("C"), {"exit": 0}, is_final=is_result, grace_s=1.2
    )
    assert finished.exit_code == 0
    assert finished.stdout.count(b"more") == 4
    endless = await run(
        way, tmp_path, ["sh", "-c", "while sleep 0.05; do echo final; done"],
        is_final=lambda line: line == b"final", grace_s=30, time_limit_s=1.0,
    )  # fmt: skip
    assert endless.timed_out
    assert endless.killed_after_result
    assert endless.wall_s < 20


@every_way
async def test_only_the_end_decides_not_the_first_lines(way: str, tmp_path: Path) -> None:
    steps = (init(), stub_client.line({"type": "assistant", "note": "tool"}), {"sleep": 0.3}, result("done"))
    finished = await launch(way, tmp_path / "a", *steps, is_final=is_result)
    assert len(finished.stdout.splitlines()) == 3
    assert not finished.killed_after_result


@every_way
async def test_cancelling_three_launches_leaves_nothing(way: str, tmp_path: Path) -> None:
    containment = get(way)
    places = [tmp_path / f"a{number}" for number in range(3)]
    begun = 0
    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:

            def on_line(line: bytes) -> bool:
                nonlocal begun
                begun += line == b"begun"
                if begun == len(places):
                    tasks.cancel_scope.cancel()
                return False

            async def one(place: Path) -> None:
                await launch(containment, place, *STAYING, {"stdout": "begun\n"}, {"sleep": 600}, is_final=on_line)

            for place in places:
                tasks.start_soon(one, place)
    assert begun == 3
    assert [standing_in(place) for place in places] == [[], [], []]


@every_way
async def test_cancelling_before_the_agent_began_leaves_nothing(
    way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "_TERM_PATIENCE_S", 0.05)
    containment = get(way)
    program = stub_client.install(tmp_path / "stub", [*STAYING, {"sleep": 600}])
    place = tmp_path / "a"
    place.mkdir()
    for delay_s in (0.0, 0.0005, 0.001, 0.002, 0.004, 0.008, 0.02, 0.04):
        with anyio.move_on_after(delay_s) as scope:
            await run_child(
                [str(program)], cwd=place, env=ENVIRONMENT, stdin=b"", time_limit_s=60, containment=containment
            )
        assert scope.cancelled_caught
        assert standing_in(place) == []


@every_way
async def test_a_child_that_cannot_be_killed_is_given_up_and_named(
    way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    containment = get(way)

    class Undying(subprocess.Popen[bytes]):
        def poll(self) -> int | None:
            return None

    async def never(child: object) -> None:
        await anyio.sleep_forever()

    monkeypatch.setattr(subprocess, "Popen", Undying)
    monkeypatch.setattr(process, "_exited", never)
    monkeypatch.setattr(process, "_TERM_PATIENCE_S", 0.1)
    monkeypatch.setattr(process, "_KILL_PATIENCE_S", 0.1)
    finished = await launch(
        containment, tmp_path / "a", {"stdout": "here\n"}, {"sleep": 600}, time_limit_s=0.5, grace_s=0.1
    )
    assert finished.timed_out
    assert finished.exit_code is None
    [child] = process._NOT_ENDED
    assert finished.not_ended == (child.pid,)
    monkeypatch.undo()
    process._NOT_ENDED.clear()
    child.wait(timeout=10)


@every_way
async def test_a_hundred_launches_leave_no_zombie_no_thread_and_no_descriptor(way: str, tmp_path: Path) -> None:
    containment = get(way)
    await run(containment, tmp_path, ["cat"])
    before = _held()
    for _ in range(100):
        await run(containment, tmp_path, ["cat"], stdin=b"x")
    assert _held() == before


def _name_of(pid: int) -> str:
    with suppress(OSError):
        return Path(f"/proc/{pid}/comm").read_text().strip()
    return ""


def _held() -> tuple[int, int, int]:
    import psutil

    own = psutil.Process()
    return own.num_fds(), own.num_threads(), len(own.children())


async def test_one_launch_does_not_end_the_children_of_another(tmp_path: Path) -> None:
    containment = get("descendants")
    longer = stub_client.install(
        tmp_path / "stub", [{"child": "(setsid sleep 600 &)", "quiet": True}, {"read_stdin": True}, {"sleep": 600}]
    )
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    async with anyio.create_task_group() as tasks:

        async def stay() -> None:
            await run(containment, here, [str(longer)], time_limit_s=60)

        tasks.start_soon(stay)
        with anyio.fail_after(20):
            while "sleep" not in map(_name_of, standing_in(here)):  # noqa: ASYNC110 - other processes are looked at
                await anyio.sleep(0.01)
        before = set(standing_in(here))
        finished = await launch(containment, there, *STAYING, {"stdout": "done\n"})
        assert finished.stdout == b"done\n"
        assert standing_in(there) == []
        assert set(standing_in(here)) == before
        tasks.cancel_scope.cancel()
    assert standing_in(here) == []


async def test_a_leftover_without_its_environment_is_ended_when_no_launch_is_running(tmp_path: Path) -> None:
    step = {"child": "setsid sleep 600", "setsid": True, "quiet": True, "bare": True}
    finished = await launch("descendants", tmp_path / "a", step, {"stdout": "done\n"})
    assert (finished.leftovers or 0) >= 1
    assert standing_in(tmp_path / "a") == []


async def test_other_children_of_the_harness_are_left_alone(tmp_path: Path) -> None:
    containment = get("descendants")
    other = subprocess.Popen(["sleep", "600"])  # noqa: ASYNC220
    gone = subprocess.Popen(["sh", "-c", "exit 5"])  # noqa: ASYNC220
    assert eventually(lambda: Path(f"/proc/{gone.pid}/stat").read_text().split(") ")[1][0] == "Z")
    await launch(containment, tmp_path / "a", *STAYING)
    assert other.poll() is None
    assert gone.wait() == 5
    other.kill()
    other.wait()


def test_holds_are_what_the_interface_says() -> None:
    for way in ("pid-namespace", "descendants"):
        hold: Hold = get(way).hold(["cat"], {})
        assert hold.argv[-1] == "cat"
