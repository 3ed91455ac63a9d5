"""What is seen while a run goes on: counts per arm, evidence as the stopping rule sees it, and failures that stay."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import select
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

from measure.plan.course import Watched
from measure.plan.schedule import Slot
from measure.record.counted import counted_pairs
from measure.record.models import Arm, TrialRecord
from measure.record.pairs import designs_of
from measure.report.progress import Picture, Screen
from measure.verdict.growth import growth
from tests.doubles.records import example_plan, hostile, kinds
from tests.doubles.workplace import Workplace

PLAN = example_plan()
PARAMETERS = PLAN.design.parameters


def slot(trial: TrialRecord) -> Slot:
    return Slot(
        block=trial.block,
        round=trial.round,
        probe=trial.probe,
        arm=trial.arm,
        member=trial.member,
        order=trial.order,
        seed=trial.seed,
        topup=trial.topup,
    )


def drawn(picture: Picture) -> str:
    buffer = io.StringIO()
    Console(file=buffer, width=100, highlight=False).print(picture)
    return buffer.getvalue()


def console() -> tuple[Console, io.StringIO]:
    buffer = io.StringIO()
    return Console(file=buffer, width=100, highlight=False, markup=False, emoji=False), buffer


@pytest.mark.parametrize("name", ["load-bearing", "redundant", "undecided", "invalid"])
def test_the_picture_ends_with_the_counts_and_evidence_of_the_record(name: str) -> None:
    record = kinds()[name]
    assert record.result.status == "measured"
    out, _ = console()
    picture = Picture(out, [Watched(PLAN, PARAMETERS)])
    for trial in record.trials:
        picture.started(slot(trial), trial.position)
        picture.finished(trial, 0)
        drawn(picture)
    for axis in record.result.decision.axes:
        designs = [design for design in designs_of(PLAN.probes) if design.axis is axis.axis]
        last = growth(designs, counted_pairs(record), PARAMETERS)[-1]
        assert last.difference == axis.evidence.deciding
        assert last.zero == axis.evidence.zero
        (line,) = [line for line in drawn(picture).splitlines() if line.startswith(axis.axis.value.capitalize())]
        assert "20 is needed" in line
    made = len(record.trials)
    assert f"{made} of at most 48 launches, 0 under way" in drawn(picture)
    assert f"{record.spending.cost_usd:.4f} USD spent" in drawn(picture)


def test_a_pair_under_way_keeps_later_ones_from_being_looked_at() -> None:
    record = kinds()["load-bearing"]
    out, _ = console()
    picture = Picture(out, [Watched(PLAN, PARAMETERS)])
    fresh = [line for line in drawn(picture).splitlines() if line.startswith(("Behavior", "Content"))]
    picture.started(slot(record.trials[0]), 1)
    for trial in record.trials[2:]:
        picture.started(slot(trial), trial.position)
        picture.finished(trial, 0)
    assert [line for line in drawn(picture).splitlines() if line.startswith(("Behavior", "Content"))] == fresh


def test_launches_that_do_not_count_are_said_for_good_and_steer_nothing() -> None:
    record = hostile(kinds()["invalid"])
    assert record.plan is not None
    out, buffer = console()
    with Screen(out) as screen:
        picture = screen.watch([Watched(record.plan, PARAMETERS)])
        for trial in record.trials:
            picture.started(slot(trial), trial.position)
            picture.finished(trial, 0)
    failed = [trial for trial in record.trials if trial.invalid is not None]
    text = buffer.getvalue()
    assert text.count("does not count") == len(failed)
    assert "timeout" in text
    assert "\u202e" not in text
    assert "\x1b[31m" not in text


def test_a_resumed_run_begins_with_what_there_is() -> None:
    record = kinds()["interrupted"]
    out, _ = console()
    picture = Picture(out, [Watched(PLAN, PARAMETERS, record.trials)])
    assert f"{len(record.trials)} of at most 48 launches" in drawn(picture)
    assert Arm(record.trials[0].arm)


def on_a_terminal(place: Workplace, *arguments: str, json_piped: bool = False) -> tuple[str, bytes, int]:
    """Run with a terminal as stderr; what it showed, what stood on stdout, and the status."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "measure", *arguments],
        env={**place.environment, "TERM": "xterm-256color", "COLUMNS": "100", "LINES": "40"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=theirs,
        cwd=Path(__file__).resolve().parent.parent.parent,
    )
    os.close(theirs)
    assert process.stdout is not None
    shown, said = b"", b""
    open_ends = {ours, process.stdout.fileno()}
    while open_ends:
        for end in select.select(list(open_ends), [], [], 60)[0]:
            try:
                data = os.read(end, 65536)
            except OSError:
                data = b""
            if not data:
                open_ends.discard(end)
            elif end == ours:
                shown += data
            else:
                said += data
    process.stdout.close()
    os.close(ours)
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.decode(errors="replace")), said, process.wait(60)


def test_on_a_terminal_the_picture_is_drawn_and_stdout_holds_the_result_alone(tmp_path: Path) -> None:
    place = Workplace(tmp_path)
    shown, said, status = on_a_terminal(place, *place.arguments("--drop", "CLAUDE.md:4"))
    assert status == 0
    assert "launches, 0 under way" in shown
    assert "with the line" in shown
    assert said.decode().startswith("≠ load-bearing")
    assert b"under way" not in said


def test_with_json_there_are_plain_lines_also_on_a_terminal(tmp_path: Path) -> None:
    place = Workplace(tmp_path)
    shown, said, status = on_a_terminal(place, *place.arguments("--drop", "CLAUDE.md:4", "--json"))
    assert status == 0
    assert "under way" not in shown
    assert "round 1" in shown
    assert json.loads(said)["runs"][0]["complete"]
