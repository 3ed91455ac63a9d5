"""A SIGKILL of the harness at any moment: nothing of its launches survives it, or the next run's first step ends it."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from measure.client.descendants import VARIABLE, Descendants
from measure.client.leftovers import end_processes_marked, end_processes_standing_in
from tests.client.launching import eventually, get, standing_in

DRIVER = Path(__file__).with_name("hard_killed_driver.py")
AGENT = "#!/bin/sh\ntrap '' TERM HUP\nsetsid sleep 600 >/dev/null 2>&1 </dev/null &\n(sleep 600 &)\nsleep 600\n"
ROOT = Path(__file__).parents[2]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    place = tmp_path / "arm"
    place.mkdir()
    program = tmp_path / "agent"
    program.write_text(AGENT)
    program.chmod(0o755)
    return place


def kill_a_harness(way: str, place: Path, after_s: float) -> None:
    """Start one, let it launch for so long, SIGKILL it, and see that it is gone."""
    with subprocess.Popen(
        [sys.executable, str(DRIVER), way, str(place), str(place.with_name("agent"))],
        stdout=subprocess.PIPE,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)},
    ) as harness:
        assert harness.stdout is not None
        assert harness.stdout.readline() == b"launching\n"
        time.sleep(after_s)
        assert harness.poll() is None
        harness.kill()
    assert harness.returncode == -signal.SIGKILL


def kill_many_times(place: Path, times: int) -> None:
    random_ = random.Random(times)
    left_alive = 0
    for _ in range(times):
        kill_a_harness("pid-namespace", place, random_.uniform(0.0, 0.05))
        left_alive += not eventually(lambda: standing_in(place) == [])
        end_processes_standing_in(place)
    assert left_alive == 0


def test_no_launch_survives_a_harness_killed_at_a_random_moment(place: Path) -> None:
    get("pid-namespace")
    kill_many_times(place, 15)


@pytest.mark.full
@pytest.mark.timeout(1800)
def test_no_launch_survives_a_harness_killed_at_many_random_moments(place: Path) -> None:
    get("pid-namespace")
    kill_many_times(place, 500)


def test_without_namespaces_the_next_run_ends_what_stands_in_its_directory(place: Path, tmp_path: Path) -> None:
    random_ = random.Random(1)
    found = 0
    linked = tmp_path / "linked"
    linked.symlink_to(tmp_path)
    bystander = subprocess.Popen(["sleep", "600"], cwd=tmp_path.parent)
    for turn in range(5):
        kill_a_harness("descendants", place, random_.uniform(0.1, 0.3))
        found += len(standing_in(place))
        ended = end_processes_standing_in((linked if turn % 2 else tmp_path) / "arm")
        assert ended.remaining == ()
        assert standing_in(place) == []
    assert found > 0, "the harness left nothing behind, so this test showed nothing"
    assert bystander.poll() is None
    bystander.kill()
    bystander.wait()


def test_processes_in_a_removed_directory_are_found_and_neighbours_with_a_like_name_are_spared(tmp_path: Path) -> None:
    arm, neighbour = tmp_path / "arm", tmp_path / "arm2"
    (arm / "deep").mkdir(parents=True)
    neighbour.mkdir()
    inside, beside = (subprocess.Popen(["sleep", "600"], cwd=where) for where in (arm / "deep", neighbour))
    (arm / "deep").rmdir()
    arm.rmdir()
    assert end_processes_standing_in(arm).ended == (inside.pid,)
    assert inside.wait() == -signal.SIGKILL
    assert beside.poll() is None
    beside.kill()
    beside.wait()


def test_neither_the_caller_nor_its_parents_are_ended(tmp_path: Path) -> None:
    script = (
        "import pathlib; from measure.client.leftovers import end_processes_standing_in as end;"
        "print(len(end(pathlib.Path.cwd()).ended))"
    )
    shell = 'sleep 600 & "$1" -c "$2"; echo parent lives'
    said = subprocess.run(
        ["sh", "-c", shell, "sh", sys.executable, script],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        timeout=60,
    )
    assert said.stdout == b"1\nparent lives\n"


def test_what_carries_a_runs_mark_is_ended_wherever_it_stands(tmp_path: Path) -> None:
    run = Descendants()
    hold = run.hold(["sleep", "600"], {"PATH": os.environ["PATH"]})
    theirs = subprocess.Popen(list(hold.argv), env=dict(hold.env), cwd="/")
    other = subprocess.Popen(["sleep", "600"], env={"PATH": os.environ["PATH"], VARIABLE: "another"})
    assert eventually(lambda: psutil.Process(theirs.pid).name() == "sleep")
    assert end_processes_marked(run.tag).ended == (theirs.pid,)
    assert theirs.wait() == -signal.SIGKILL
    assert other.poll() is None
    other.kill()
    other.wait()
