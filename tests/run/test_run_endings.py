"""However a run ends: children gone, arena gone (or gone with the next run's first step), what was measured kept."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from measure.record.store import read_trials
from tests.doubles import stub_client
from tests.doubles.workplace import LINE, Workplace

SLOW: list[dict[str, Any]] = [{"read_stdin": True}, {"child": "sleep 300", "setsid": True}, {"sleep": 300}]
"""A launch that never ends of itself and has put a child into a session of its own."""


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Workplace]:
    place = Workplace(tmp_path)
    yield place
    for process in standing_in(place.temp):
        process.kill()


def standing_in(folder: Path) -> list[psutil.Process]:
    """Processes whose working directory lies in `folder`, which is where everything launched stands."""
    found = []
    for process in psutil.process_iter():
        try:
            if Path(process.cwd()).is_relative_to(folder) and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except (psutil.Error, OSError):
            continue
    return found


def wait_until_launched(place: Workplace, run: subprocess.Popen[str]) -> None:
    # Before the plan is on disk, a client stands there only to show its request.
    while not (place.folders() and standing_in(place.temp)):
        assert run.poll() is None, run.communicate()


def quick(place: Workplace) -> list[str]:
    place.put_probes(4)
    return place.arguments("--drop", LINE, "--repeats", "50", "--jobs", "3")


def slow(place: Workplace) -> list[str]:
    stub = stub_client.install(place.root / "bin", SLOW)
    return place.arguments("--client", str(stub), "--model", "model-1", "--drop", LINE, simulated=False)


@pytest.mark.parametrize("containment", ["pid-namespace", "descendants"])
@pytest.mark.parametrize(
    ("signals", "status"),
    [
        ([signal.SIGINT], 130),
        ([signal.SIGTERM], 143),
        ([signal.SIGHUP], 129),
        ([signal.SIGINT, signal.SIGINT], 130),
        ([signal.SIGTERM, signal.SIGINT], 143),
    ],
    ids=["int", "term", "hup", "int-int", "term-int"],
)
def test_a_signal_ends_every_child_and_leaves_nothing(
    place: Workplace, signals: list[signal.Signals], status: int, containment: str
) -> None:
    run = place.start(*slow(place), "--containment", containment)
    try:
        wait_until_launched(place, run)
    except AssertionError:
        if "namespaces" in (run.communicate()[1] or ""):
            pytest.skip("this machine allows no process namespaces")
        raise
    for number in signals:
        run.send_signal(number)
    _, err = run.communicate(timeout=30)
    assert run.returncode == status, err
    assert standing_in(place.temp) == []
    assert place.left_in_temp() == []
    (folder,) = place.folders()
    trials, torn = read_trials(folder)
    assert torn == 0
    assert {trial.invalid.reason.value for trial in trials if trial.invalid} == {"cancelled"}
    assert "Traceback" not in err


def test_what_was_measured_before_an_interrupt_is_kept_and_shown_as_interrupted(place: Workplace) -> None:
    run = place.start(*quick(place))
    while not (place.folders() and len(read_trials(place.folders()[0])[0]) >= 10):
        assert run.poll() is None
    run.send_signal(signal.SIGINT)
    run.communicate(timeout=30)
    assert run.returncode == 130
    shown = place.json("show", "last")
    assert shown["complete"] is False
    assert sum(trial["reading"] is not None for trial in shown["trials"]) >= 10
    assert shown["result"]["status"] == "measured"
    assert "Interrupted" in place.measure("show", "last").stdout


def test_kill_9_at_any_moment_loses_at_most_the_trials_in_flight(place: Workplace) -> None:
    """Many kills at random moments; each time the next run's first step removes what was left."""
    drawn = random.Random(11)
    arguments = quick(place)
    for _ in range(12):
        before = len(place.folders())
        run = place.start(*arguments)
        while len(place.folders()) == before and not place.left_in_temp():
            assert run.poll() is None, run.communicate()
        time.sleep(drawn.random() * 0.6)  # a random moment is what is tested
        run.kill()
        run.communicate()
    next_run = place.measure(*place.arguments("--drop", LINE))
    assert next_run.returncode == 0, next_run.stderr
    assert standing_in(place.temp) == []
    assert place.left_in_temp() == []
    for folder in place.folders():
        trials, torn = read_trials(folder)
        assert torn <= 1
        assert len({trial.id for trial in trials}) == len(trials)
        for trial in trials:
            if trial.reading is not None:
                assert trial.transcript is not None
                assert (folder / "transcripts" / trial.transcript).is_file()
    assert all(place.json("show", folder.name)["run_id"] == folder.name for folder in place.folders())


def test_a_torn_last_line_is_set_aside_and_nothing_is_counted_twice(place: Workplace) -> None:
    place.measure(*place.arguments("--drop", LINE, "--repeats", "2"))
    (folder,) = place.folders()
    (folder / "record.json").unlink()
    journal = folder / "trials.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:3]) + lines[1] + lines[3][:-20])
    shown = place.json("show", "last")
    assert shown["set_aside"] == 1
    assert sorted(trial["id"] for trial in shown["trials"]) == sorted(json.loads(line)["id"] for line in lines[:3])


def test_a_damaged_line_in_the_middle_is_an_error_and_never_a_lost_trial(place: Workplace) -> None:
    place.measure(*place.arguments("--drop", LINE, "--repeats", "2"))
    (folder,) = place.folders()
    (folder / "record.json").unlink()
    journal = folder / "trials.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(lines[0] + lines[1][:-20] + b"\n" + lines[2])
    done = place.measure("show", "last")
    assert done.returncode == 1
    assert "line 2" in done.stderr


def test_a_full_disk_ends_the_run_with_what_it_had(place: Workplace, tmp_path: Path) -> None:
    """A limit on the size of files stands in for a full disk: the journal can't grow past it."""
    arguments = quick(place)
    command = " ".join(f"'{argument}'" for argument in arguments)
    script = tmp_path / "limited.sh"
    script.write_text(f"ulimit -f 16\nexec python -m measure {command}\n")
    import os
    import sys

    environment = {**place.environment, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", str(script)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        cwd=Path(__file__).resolve().parent.parent.parent,
    )
    assert done.returncode == 1, done.stderr
    assert "record" in done.stderr
    assert "Traceback" not in done.stderr
    assert place.left_in_temp() == []
    (folder,) = place.folders()
    trials, torn = read_trials(folder)
    assert len(trials) >= 5
    assert torn <= 1
    assert place.json("show", "last")["complete"] is False


def test_an_arm_that_always_fails_is_not_measurable(place: Workplace) -> None:
    """Every launch without the line crashes: no effect, no rate, and the status says that nothing was measured."""
    answer = [{"read_stdin": True}, stub_client.init(), stub_client.text("ACTION: A"), stub_client.result("ACTION: A")]
    crash = [{"stderr": "boom\n"}, {"exit": 1}]
    steps = [{"holding": ["CLAUDE.md", "Ask before you push."], "then": answer, "otherwise": crash}]
    stub = stub_client.install(place.root / "bin", steps)
    named = ("--client", str(stub), "--model", "model-1", "--drop", LINE, "--repeats", "10", "--jobs", "1")
    done = place.measure(*place.arguments(*named, simulated=False))
    assert done.returncode == 4, done.stderr
    record = place.json("show", "last")
    assert record["result"] == {**record["result"], "status": "unmeasured", "reason": "client-failed"}
    assert record["stop"]["reason"] == "failing"
    failed = [trial["invalid"] for trial in record["trials"] if trial["invalid"]]
    assert len(failed) == 5, "equal failures in a row in one arm end the run early"
    assert all(one["reason"] == "crashed" and "boom" in one["stderr_tail"] for one in failed)
    shown = place.measure("show", "last").stdout
    assert "unmeasured" in shown
    assert "zero-difference" not in shown


def test_a_failure_is_never_tried_again_for_what_was_answered(place: Workplace) -> None:
    hedge = [{"read_stdin": True}, stub_client.init(), stub_client.text("Hm."), stub_client.result("Hm.")]
    stub = stub_client.install(place.root / "bin", hedge)
    place.measure(
        *place.arguments("--client", str(stub), "--model", "model-1", "--drop", LINE, "--repeats", "3", simulated=False)
    )
    record = place.json("show", "last")
    assert [trial["attempt"] for trial in record["trials"]] == [1] * 6
    assert {trial["reading"]["kind"] for trial in record["trials"]} == {"unreadable"}


def test_secrets_of_the_environment_are_in_no_file_of_the_record(place: Workplace) -> None:
    said = "ACTION: A the key is sk-ant-api03-VerySecretValue123 and token tok-98765-hidden"
    stub = stub_client.install(
        place.root / "bin", [{"read_stdin": True}, stub_client.init(), stub_client.text(said), stub_client.result(said)]
    )
    place.extra = {"ANTHROPIC_API_KEY": "sk-ant-api03-VerySecretValue123", "OTHER_TOKEN": "tok-98765-hidden"}
    place.measure(
        *place.arguments("--client", str(stub), "--model", "model-1", "--drop", LINE, "--repeats", "1", simulated=False)
    )
    import gzip

    for file in place.runs.rglob("*"):
        if file.is_file():
            data = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
            assert b"VerySecretValue123" not in data, file
            assert b"98765-hidden" not in data, file
