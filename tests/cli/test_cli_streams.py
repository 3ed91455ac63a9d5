"""Whatever stdout is (a pipe that is closed early, a full disk, closed from the start), the end is told once.

Each test runs the program as a process of its own, since what Python does while it ends is part of the promise.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

MEASURE = (sys.executable, "-m", "measure")
COMMANDS = {"short": ("schema", "doctor"), "long": ("schema", "run")}
"""What fits into Python's buffer is written when the program ends, the rest while the command runs."""


@pytest.fixture(params=COMMANDS)
def command(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)
    return COMMANDS[str(request.param)]


def test_the_commands_print_as_much_as_these_tests_need() -> None:
    printed = {name: len(subprocess.check_output([*MEASURE, *command])) for name, command in COMMANDS.items()}
    assert 0 < printed["short"] < io.DEFAULT_BUFFER_SIZE < printed["long"]


def test_a_reader_that_has_left_ends_the_program_as_sigpipe_would_and_silently(command: tuple[str, ...]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run([*MEASURE, *command], stdout=writing, stderr=subprocess.PIPE, text=True)
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_result_that_can_not_be_written_is_a_failure_told_in_one_line(command: tuple[str, ...]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([*MEASURE, *command], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith("measure: the result can't be written: ")
    assert done.stderr.count("\n") == 1


def test_streams_that_were_closed_before_the_start_are_no_error(command: tuple[str, ...]) -> None:
    closed = f'exec {" ".join(MEASURE)} "$@" <&- >&- 2>&-'
    assert subprocess.run(["sh", "-c", closed, "sh", *command]).returncode == 0


def test_a_fault_of_the_program_is_status_1_with_its_trace_and_still_one_document() -> None:
    broken = (
        "import sys, measure.cli\n"
        "def fail(_): raise ZeroDivisionError('on purpose')\n"
        "sys.argv = ['measure', 'schema', '--json']; measure.cli.invoke = fail; measure.cli.main()\n"
    )
    done = subprocess.run([sys.executable, "-c", broken], capture_output=True, text=True)
    assert done.returncode == 1
    assert json.loads(done.stdout)["error"]["kind"] == "internal"
    assert "ZeroDivisionError: on purpose" in done.stderr
    assert "Traceback" in done.stderr
