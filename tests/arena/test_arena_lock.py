"""One holder at a time; a lock is broken on proof only, by exactly one; nothing else is touched."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import subprocess
import sys
import textwrap
import time
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from measure.arena import lock as lock_module
from measure.arena.lock import Lock, default_place, find_remains, inspect
from measure.arena.names import fresh_name
from measure.arena.owner import Owner
from measure.errors import LockHeldError, WorkspaceError


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "workspaces-7"


def plant(place: Path, owner: Owner | None = None, *, age_s: float = 0.0, **change: Any) -> Owner:
    """A lock as some other process left it."""
    made = owner or Owner.of_this_process("0" * 32, fresh_name())
    made = replace(made, **change)
    place.mkdir()
    (place / "owner").write_bytes(made.dump())
    then = time.time() - age_s
    os.utime(place / "owner", (then, then))
    return made


def owner_of(pid: int) -> Owner:
    """What the process with this PID would write, as far as this one can tell."""
    from measure.arena.owner import _start_of

    return replace(Owner.of_this_process("1" * 32, fresh_name()), pid=pid, started=_start_of(pid) or 0.0)


def taken_over(place: Path) -> bool:
    lock = Lock(place)
    try:
        lock.acquire()
    except LockHeldError:
        return False
    assert lock.still_held()
    lock.release()
    for aside in find_remains(place):
        lock_module.discard(aside)
    return True


def test_a_second_one_does_not_start_and_is_told_who_holds_it(place: Path) -> None:
    first = Lock(place)
    first.acquire()
    try:
        with pytest.raises(LockHeldError) as told:
            Lock(place).acquire()
        assert told.value.exit_status == 3
        for words in (str(os.getpid()), os.uname().nodename, str(place), "UTC", "last sign of life"):
            assert words in str(told.value)
        assert first.still_held()
    finally:
        assert first.release() == ()
    assert list(place.parent.iterdir()) == []
    assert first.release() == ()
    assert taken_over(place)


def test_the_default_place_is_neutral_one_for_each_user_and_real(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "link"))
    assert default_place() == tmp_path / "real" / f"workspaces-{os.getuid()}"


@pytest.mark.parametrize(
    ("change", "broken"),
    [
        ({"started": 1.0}, True),
        ({"pid": os.getpid()}, True),
        ({"pid": 2**22 + 5}, True),
        ({"boot": "another boot"}, True),
        ({"pid_space": "pid:[1]", "pid": 2**22 + 5}, False),
        ({"host": "elsewhere", "pid": 2**22 + 5}, False),
        ({"host": "elsewhere", "boot": "another boot"}, False),
        ({}, False),
    ],
)
def test_only_a_holder_that_is_provably_gone_is_taken_over(place: Path, change: dict[str, Any], broken: bool) -> None:
    with subprocess.Popen(["sleep", "60"]) as other:
        try:
            plant(place, owner_of(other.pid), **change)
            assert taken_over(place) is broken
        finally:
            other.kill()
    assert place.exists() is not broken


def test_a_zombie_holds_nothing(place: Path) -> None:
    other = subprocess.Popen(["sleep", "60"])
    owner = owner_of(other.pid)
    other.kill()
    while Path(f"/proc/{other.pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z":
        time.sleep(0.001)
    try:
        plant(place, owner)
        assert taken_over(place)
    finally:
        other.wait()


@pytest.mark.parametrize(
    ("change", "broken"), [({}, True), ({"pid_space": "pid:[1]"}, True), ({"host": "elsewhere"}, False)]
)
def test_a_silent_holder_is_taken_over_unless_it_is_on_another_host(
    place: Path, change: dict[str, Any], broken: bool
) -> None:
    with subprocess.Popen(["sleep", "60"]) as other:
        try:
            plant(place, owner_of(other.pid), age_s=1000.0, **change)
            assert taken_over(place) is broken
        finally:
            other.kill()


def test_another_host_s_lock_comes_with_a_clear_instruction(place: Path) -> None:
    plant(place, host="elsewhere", age_s=1e6)
    with pytest.raises(LockHeldError, match="rm -r"):
        Lock(place).acquire()


def test_a_beating_holder_is_not_silent_and_a_robbed_one_notices(place: Path) -> None:
    holder = Lock(place)
    holder.acquire()
    os.utime(place / "owner", (0, 0))
    holder.beat()
    with pytest.raises(LockHeldError):
        Lock(place).acquire()
    os.utime(place / "owner", (0, 0))
    robber = Lock(place)
    robber.acquire()
    assert not holder.still_held()
    assert robber.still_held()
    holder.beat()
    assert any("taken over" in warning for warning in holder.release())
    assert robber.still_held()
    assert robber.release() == ()
    (aside,) = find_remains(place)
    assert lock_module.discard(aside) == ()


def test_the_holder_beats_by_itself(place: Path) -> None:
    holder = Lock(place, silent_after_s=0.2)
    holder.acquire()
    try:
        os.utime(place / "owner", (0, 0))
        until = time.monotonic() + 20
        while (place / "owner").stat().st_mtime == 0:
            assert time.monotonic() < until
            time.sleep(0.001)
    finally:
        holder.release()


@pytest.mark.parametrize("content", [None, b"", b"abc\n", b"[]", b"{}", b"\xff" * 100, b"[" * 60_000])
def test_a_half_made_lock_is_waited_for_then_taken_over(
    place: Path, content: bytes | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lock_module, "HALF_MADE_S", 0.3)
    place.mkdir()
    if content is not None:
        (place / "owner").write_bytes(content)
    begun = time.monotonic()
    assert taken_over(place)
    assert time.monotonic() - begun > 0.2


def test_what_is_no_lock_is_an_error_and_stays(place: Path) -> None:
    def a_file() -> None:
        place.write_text("mine")

    def a_dangling_link() -> None:
        place.symlink_to("nowhere")

    def a_link_to_a_folder() -> None:
        (place.parent / "folder").mkdir()
        (place.parent / "folder/keep").write_text("mine")
        place.symlink_to("folder")

    def somebody_s_folder() -> None:
        place.mkdir()
        (place / "keep").write_text("mine")

    for make in (a_file, a_dangling_link, a_link_to_a_folder, somebody_s_folder):
        make()
        os.utime(place, (0, 0), follow_symlinks=False)
        before = sorted(str(path) for path in place.parent.rglob("*"))
        with pytest.raises(LockHeldError, match="no lock"):
            Lock(place).acquire()
        assert sorted(str(path) for path in place.parent.rglob("*")) == before
        if place.is_dir() and not place.is_symlink():
            (place / "keep").unlink()
            place.rmdir()
        else:
            place.unlink()


def test_another_user_s_lock_is_an_error(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(place, pid=2**22 + 5)
    monkeypatch.setattr(os, "getuid", lambda: 4_000_000)
    with pytest.raises(LockHeldError, match="another user"):
        Lock(place).acquire()


def test_unknown_files_are_kept_and_told_and_the_lock_is_given_back(place: Path) -> None:
    lock = Lock(place)
    lock.acquire()
    (place / "not ours").write_text("keep")
    (warning,) = lock.release()
    assert not place.exists()
    kept = Path(warning.rpartition(": ")[2])
    assert kept.read_text() == "keep"
    assert find_remains(place) == ()
    assert taken_over(place)
    assert kept.exists()


def test_a_place_that_changes_while_it_is_read_is_read_again(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(place, pid=2**22 + 5)
    real, failures = lock_module._read_owner, [errno.ESTALE, errno.ENOENT]

    def stale(path: Path) -> Owner | None:
        if failures:
            raise OSError(failures.pop(), "changed")
        return real(path)

    monkeypatch.setattr(lock_module, "_read_owner", stale)
    assert taken_over(place)


def test_without_flock_nothing_is_ever_broken(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", none)
    assert taken_over(place)
    plant(place, pid=2**22 + 5)
    with pytest.raises(LockHeldError, match="rm -r"):
        Lock(place).acquire()
    assert place.exists()


def test_a_temp_that_can_t_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceError, match="TMPDIR"):
        Lock(tmp_path / "none/lock").acquire()


def test_an_owner_survives_its_file_and_nothing_else_is_one() -> None:
    owner = Owner.of_this_process("a" * 32, fresh_name())
    assert Owner.parse(owner.dump()) == owner
    good = asdict(owner)
    for change in (
        {"pid": "1"},
        {"token": ""},
        {"place": "../x"},
        {"place": ""},
        {"place": "."},
        {"since": None},
        {"more": 1},
    ):
        assert Owner.parse(json.dumps(good | change).encode()) is None
    for name in good:
        assert Owner.parse(json.dumps({key: value for key, value in good.items() if key != name}).encode()) is None


FORKING = """
    import os, sys
    from pathlib import Path
    from measure.arena.lock import Lock

    lock = Lock(Path(sys.argv[1]))
    lock.acquire()
    child = os.fork()
    if child == 0:
        os._exit(0 if not lock.still_held() and lock.release() == () else 1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert lock.still_held()
    lock.release()
"""
"""In a process of its own: the one that runs the tests may have threads, and Python 3.12 warns of forks beside them."""


def test_a_forked_child_never_gives_back_its_parent_s_lock(place: Path) -> None:
    subprocess.run([sys.executable, "-c", textwrap.dedent(FORKING), str(place)], env=importing(), check=True)
    assert not place.exists()


def importing() -> dict[str, str]:
    """The environment of a process that imports what these tests do."""
    return os.environ | {"PYTHONPATH": str(Path(lock_module.__file__).parents[2])}


CONTENDER = """
    import os, sys, time
    from pathlib import Path
    from measure.arena import lock as module
    from measure.arena.lock import Lock
    from measure.errors import LockHeldError

    def slowly(path, real=module._aside):
        time.sleep(0.02)  # between having looked and acting: the moment in which others must not act
        return real(path)

    module._aside = slowly
    place, log = Path(sys.argv[1]), os.open(sys.argv[2], os.O_WRONLY | os.O_APPEND)
    sys.stdin.read()
    lock = Lock(place)
    while True:
        try:
            lock.acquire()
        except LockHeldError:
            time.sleep(0.002)
        else:
            break
    os.write(log, b"begin %d\\n" % os.getpid())
    time.sleep(0.01)
    os.write(log, b"end %d\\n" % os.getpid())
    lock.release()
"""


def contend(place: Path, log: Path, count: int) -> list[str]:
    log.write_bytes(b"")
    source = textwrap.dedent(CONTENDER)
    command = [sys.executable, "-c", source, str(place), str(log)]
    processes = [subprocess.Popen(command, stdin=subprocess.PIPE, env=importing()) for _ in range(count)]
    for process in processes:  # all wait for this: their stdin ends
        assert process.stdin is not None
        process.stdin.close()
    assert [process.wait(timeout=100) for process in processes] == [0] * count
    return log.read_text().splitlines()


@pytest.mark.parametrize("stale", [True, False])
def test_twenty_contenders_never_hold_it_at_once(tmp_path: Path, stale: bool) -> None:
    folder = tmp_path / "temp"
    folder.mkdir()
    if stale:
        plant(folder / "lock", pid=2**22 + 5)
    lines = contend(folder / "lock", tmp_path / "log", 20)
    assert len(lines) == 40
    for begin, end in zip(lines[::2], lines[1::2], strict=True):
        assert begin.startswith("begin ")
        assert end == begin.replace("begin", "end")
    assert len(find_remains(folder / "lock")) == stale
    assert not (folder / "lock").exists()


def test_looking_changes_nothing(place: Path) -> None:
    assert inspect(place) is None
    owner = plant(place, pid=2**22 + 5, age_s=50.0)
    taken = inspect(place)
    assert taken is not None
    assert (taken.owner, taken.wait) == (owner, False)
    assert 49 < taken.silent_s < 100
    assert place.exists()
