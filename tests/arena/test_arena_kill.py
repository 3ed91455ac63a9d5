"""After a kill at any moment, the next arena's first step leaves nothing of it and touches nothing else."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import anyio
import psutil
import pytest

from measure.arena import wipe as wipe_module
from measure.arena.arena import Arena
from measure.arena.lock import find_remains
from measure.arena.wipe import remove_tree
from measure.contrast import Edit, EditKind, find_contrast
from measure.errors import LockHeldError
from measure.surface import read_surface

ROOT = Path(wipe_module.__file__).parents[2]
DRIVER = Path(__file__).with_name("arena_driver.py")


@pytest.fixture
def ws(tmp_path: Path) -> Path:
    place = tmp_path / "project"
    (place / ".claude/rules").mkdir(parents=True)
    (place / "CLAUDE.md").write_text("one\ntwo\n")
    for number in range(30):
        (place / f".claude/rules/{number}.md").write_text("x\n" * 500)
    return place


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    place = tmp_path / "outside"
    (place / "in").mkdir(parents=True)
    (place / "keep.md").write_text("keep")
    (place / "in/keep.md").write_text("keep")
    return place


class Driver:
    """Starts runs in processes of their own, and ends them."""

    def __init__(self, *arguments: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, DRIVER, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
        )

    def run_and_send(self, number: signal.Signals, after_s: float = 0.0) -> None:
        """Start a run, let it loop for some time, send it a signal, and wait for its end."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(b"run\n")
        self.process.stdin.flush()
        pid = int(self.process.stdout.readline())
        time.sleep(after_s)
        os.kill(pid, number)
        assert self.process.stdout.readline() == b"ended\n"


@pytest.fixture
def driver(tmp_path: Path, ws: Path, outside: Path) -> Iterator[Driver]:
    (tmp_path / "temp").mkdir()
    made = Driver(ws, tmp_path / "temp/workspaces-7", outside)
    with made.process:
        yield made
        made.process.communicate()


def standing_in(folder: Path) -> list[int]:
    found = []
    for process in psutil.process_iter():
        try:
            cwd = process.cwd()
        except (psutil.Error, OSError):
            continue
        if cwd.startswith(str(folder)):
            found.append(process.pid)
    return found


def contents(top: Path) -> dict[str, tuple[int, str]]:
    return {
        str(path.relative_to(top)): (path.lstat().st_mode, path.read_text() if path.is_file() else "")
        for path in top.rglob("*")
    }


def test_a_kill_at_any_moment_leaves_nothing_after_the_next_run_s_first_step(
    tmp_path: Path, ws: Path, outside: Path, driver: Driver
) -> None:
    temp = tmp_path / "temp"
    (temp / "workspaces-7.neighbour").mkdir()
    (temp / "workspaces-7.neighbour/file").write_text("not ours")
    (temp / "workspaces-7.linked").symlink_to(outside)
    (temp / "workspaces-71").mkdir()
    others = {path.name for path in temp.iterdir()}
    before = contents(outside), contents(ws), contents(temp)
    seeded = random.Random(20261130)
    for _ in range(30):
        driver.run_and_send(signal.SIGKILL, seeded.uniform(0, 0.06))
        with Arena(temp / "workspaces-7") as arena:
            assert find_remains(arena.path) == ()
            assert {path.name for path in temp.iterdir()} == others | {"workspaces-7"}
            assert standing_in(temp) == []
        assert arena.warnings == []
        assert (contents(outside), contents(ws), contents(temp)) == before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_at_most_what_the_next_run_removes(
    tmp_path: Path, driver: Driver, number: signal.Signals
) -> None:
    temp = tmp_path / "temp"
    for _ in range(5):
        driver.run_and_send(number, 0.01)
        if number is signal.SIGINT:  # the only one of the three on which Python itself cleans up
            assert list(temp.iterdir()) == []
        with Arena(temp / "workspaces-7"):
            pass
        assert list(temp.iterdir()) == []


@pytest.mark.anyio
async def test_cancelling_a_run_leaves_nothing(tmp_path: Path, ws: Path) -> None:
    surface = read_surface(ws)
    with anyio.move_on_after(60) as scope:
        with Arena(tmp_path / "lock") as arena:
            arms = arena.build(surface, find_contrast(surface, Edit(EditKind.DROP, "CLAUDE.md", line=1)))
            with arena.stall(arms.variant):
                scope.cancel()
                await anyio.sleep_forever()
    assert scope.cancelled_caught
    assert [path.name for path in tmp_path.iterdir()] == ["project"]


def test_a_run_that_fails_in_its_first_step_gives_the_lock_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Arena, "_wipe_remains", lambda _: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        Arena(tmp_path / "lock").__enter__()
    assert list(tmp_path.iterdir()) == []


def test_two_arenas_at_once_are_one_too_many(tmp_path: Path) -> None:
    with Arena(tmp_path / "lock"), pytest.raises(LockHeldError):
        Arena(tmp_path / "lock").__enter__()
    assert list(tmp_path.iterdir()) == []


def test_a_robbed_run_removes_nothing_of_the_robber(tmp_path: Path, ws: Path) -> None:
    first = Arena(tmp_path / "lock")
    first.__enter__()
    os.utime(tmp_path / "lock/owner", (0, 0))
    with Arena(tmp_path / "lock") as second:
        assert not first.still_held()
        arms = second.build(read_surface(ws), None)
        first.close()
        assert any("taken over" in warning for warning in first.warnings)
        second.recheck(arms)
        assert second.still_held()
    assert [path.name for path in tmp_path.iterdir()] == ["project"]


def test_a_tree_of_any_shape_is_removed_and_no_link_followed(tmp_path: Path, outside: Path) -> None:
    top = tmp_path / "top"
    top.mkdir()
    here = os.open(top, os.O_RDONLY)
    for _ in range(1100):  # deeper than a path may be long, than Python recurses, and than files may be open
        os.mkdir("deep-deep-deep", dir_fd=here)
        inner = os.open("deep-deep-deep", os.O_RDONLY, dir_fd=here)
        os.symlink(outside, "way-out", dir_fd=inner)
        os.close(here)
        here = inner
    os.close(here)
    objects = top / "locked/objects/xx"
    objects.mkdir(parents=True)
    (objects / "yy").write_text("x")
    (objects / "yy").chmod(0o444)
    objects.chmod(0o555)
    (top / "file").write_text("x")
    (top / os.fsdecode(b"not-\xff-utf8")).mkdir()
    (top / "way-out").symlink_to(outside)
    os.mkfifo(top / "pipe")
    (outside / "in").chmod(0o555)
    (top / "locked/way-in").symlink_to(outside / "in")
    objects.parent.chmod(0o000)
    top.chmod(0o500)
    before = contents(outside)
    assert remove_tree(top) == ()
    assert not top.exists()
    assert contents(outside) == before
    assert remove_tree(top) == ()
    (tmp_path / "link").symlink_to(outside)
    assert remove_tree(tmp_path / "link") == ()
    assert contents(outside) == before


@pytest.mark.parametrize("where", ["top/a", "top/a/b", "top/a/b/c"])
def test_what_is_mounted_in_a_tree_is_never_entered(tmp_path: Path, outside: Path, where: str) -> None:
    inner = tmp_path / where
    inner.mkdir(parents=True)
    (tmp_path / "top/other").write_text("x")
    if subprocess.run(["mount", "--bind", outside, inner], capture_output=True).returncode != 0:
        pytest.skip("nothing can be mounted here")
    before = contents(outside)
    try:
        warnings = remove_tree(tmp_path / "top")
        assert len(warnings) == 1
        assert contents(outside) == before
        assert not (tmp_path / "top/other").exists()
    finally:
        lines = Path("/proc/self/mounts").read_text().splitlines()
        for line in lines:
            if line.split()[1].startswith(str(tmp_path)):
                subprocess.run(["umount", line.split()[1]], check=True)
    assert remove_tree(tmp_path / "top") == ()


def test_what_can_t_be_removed_is_a_warning_and_the_lock_is_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.unlink

    def refusing(name: str, **more: int) -> None:
        if str(name).startswith("stuck"):
            raise PermissionError(1, "Operation not permitted")
        real(name, **more)

    with monkeypatch.context() as patch:
        patch.setattr(os, "unlink", refusing)
        with Arena(tmp_path / "lock") as arena:
            (arena.config / "stuck").write_text("x")
            (arena.config / "loose").write_text("x")
        assert len(arena.warnings) == 1
        assert "stuck" in arena.warnings[0]
        assert not (tmp_path / "lock").exists()
    with Arena(tmp_path / "lock") as arena:
        assert find_remains(arena.path) == ()
    assert list(tmp_path.iterdir()) == []


def test_removal_ends_even_while_somebody_keeps_writing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    top = tmp_path / "top"
    top.mkdir()
    (top / "seed").mkdir()
    real = os.rmdir

    def growing(name: str, **more: int) -> None:
        real(name, **more)
        (top / f"{name}x"[:100]).mkdir(exist_ok=True)
        (top / "again").mkdir(exist_ok=True)

    monkeypatch.setattr(os, "rmdir", growing)
    assert len(remove_tree(top, limit_s=0.05)) == 1
