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
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from measure.plan.course import Course, Watched
from measure.plan.rounds import Rounds
from measure.plan.schedule import Slot
from measure.record.build import build
from measure.record.counted import counted_pairs
from measure.record.models import Arm, TrialRecord
from measure.record.pairs import designs_of, pairs_of
from measure.report.progress import Picture, Screen
from measure.report.wording import evidence_size
from measure.verdict.design import in_order
from measure.verdict.growth import growth
from measure.verdict.parameters import STANDARD
from tests.doubles.families import Played, counted, family
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


def measured_together(lines: int, *, jobs: int = 1, content: int = 0) -> list[Course]:
    """So many lines on five probes, the first of which the agent acts on; launches end in any order."""
    courses = family([("b0", "b1", "b2", "b3", "b4")] * lines, STANDARD, content=content)
    Played(courses, lambda missing, probe, block: missing != 0, jobs).play(Rounds(courses, 1))
    return courses


def followed(picture: Picture, courses: Sequence[Course], *, ended: bool = True) -> None:
    """Tell a picture everything, launch by launch."""
    reads: dict[int, list[tuple[int, TrialRecord]]] = defaultdict(list)
    for number, course in enumerate(courses):
        for made in course.trials:
            reads[made.position].append((number, made))
    for _, found in sorted(reads.items()):
        picture.started(replace(slot(found[0][1]), courses=tuple(number for number, _ in found)), found[0][1].position)
        for number, made in found:
            picture.finished(made, number)
    for number, course in enumerate(courses if ended else []):
        assert course.stop is not None
        picture.ended(number, course.stop)


def watched(courses: Sequence[Course]) -> list[Watched]:
    return [Watched(course.plan, course.parameters) for course in courses]


def rows(picture: Picture, out: Console) -> list[str]:
    """The rows of the lines, as they are drawn."""
    text = shown_on(picture, out).splitlines()
    first = next(number for number, line in enumerate(text) if line.startswith("line"))
    return [line for line in text[first + 1 :] if line.startswith(("drop", "…"))]


def shown_on(picture: Picture, out: Console) -> str:
    buffer = io.StringIO()
    Console(file=buffer, width=out.width, height=out.height, highlight=False).print(picture)
    return buffer.getvalue()


@pytest.mark.parametrize("jobs", [1, 4])
def test_of_several_lines_a_launch_counts_once_and_a_line_that_has_ended_shows_its_verdict(jobs: int) -> None:
    courses = measured_together(4, jobs=jobs)
    out, _ = console()
    picture = Picture(out, watched(courses))
    followed(picture, courses)
    made = counted(courses)
    assert len(made) < sum(len(course.trials) for course in courses)
    assert f"{len(made)} of at most" in drawn(picture)
    assert "4 lines together, 4 ended" in drawn(picture)
    assert f"{sum(one.usage.cost_usd or 0 for one in made):.4f} USD" in drawn(picture)
    first, *rest = rows(picture, out)
    assert "≠ difference" in first
    assert all("= zero-difference" in row for row in rest)
    for row, course in zip([first, *rest], courses, strict=True):
        decision = build(course.plan, course.trials, course.stop, complete=True).result
        assert decision.status == "measured"
        (axis,) = decision.decision.axes
        assert f" {axis.complete}  " in row, "pairs that were under way when it ended are not looked at"


def test_of_several_lines_the_evidence_is_what_the_stopping_rule_sees() -> None:
    courses = measured_together(3)
    out, _ = console()
    picture = Picture(out, watched(courses))
    fresh = rows(picture, out)
    block = next(made for made in courses[1].trials if made.arm is Arm.BASELINE and made.serves == 3)
    picture.started(replace(slot(block), courses=(0, 1, 2)), block.position)
    for number, course in enumerate(courses):
        for made in course.trials:
            if made.block > block.block:
                picture.started(replace(slot(made), courses=(number,)), made.position)
                picture.finished(made, number)
    assert rows(picture, out) == fresh, "a shared launch under way keeps all its lines from being looked at"
    picture = Picture(out, watched(courses))
    followed(picture, courses, ended=False)
    for row, course in zip(rows(picture, out), courses, strict=True):
        designs = designs_of(course.plan.probes)
        pairs = pairs_of(designs, course.plan.contrast, course.trials)
        last = growth(designs, in_order(designs, pairs), STANDARD)[-1]
        assert evidence_size(max(last.difference, last.zero or 0.0)) in row


@pytest.mark.parametrize(("width", "height"), [(80, 24), (80, 12), (120, 40)])
def test_lines_of_two_axes_fit_the_terminal_and_their_places_end_in_the_line(width: int, height: int) -> None:
    courses = measured_together(12, content=1)
    for number, course in enumerate(courses):
        contrast = course.plan.contrast.model_copy(
            update={"file": ".claude/rules/in/a/deep/folder/about/ships.md", "line": 100 + number}
        )
        course.plan = course.plan.model_copy(update={"contrast": contrast})
    out = Console(file=io.StringIO(), width=width, height=height, highlight=False)
    picture = Picture(out, watched(courses))
    followed(picture, courses, ended=False)
    assert courses[3].stop is not None
    picture.ended(3, courses[3].stop)
    lines = shown_on(picture, out).splitlines()
    assert len(lines) < height, "the picture is redrawn in its place, which needs a place"
    assert max(map(len, lines)) <= width
    found = [int(number) for row in rows(picture, out) for number in re.findall(r"md:(\d+)", row)]
    left = [int(number) for line in lines for number in re.findall(r"and (\d+) more line", line)]
    assert len(found) + sum(left) == 12
    assert height > 12 or 103 not in found, "one that has ended gives way"


@pytest.mark.parametrize("columns", ["80", "120"])
def test_on_a_terminal_several_lines_are_one_picture(tmp_path: Path, columns: str) -> None:
    place = Workplace(tmp_path, {"COLUMNS": columns})
    lines = ("--drop", "CLAUDE.md:3", "--drop", "CLAUDE.md:4")
    shown, said, status = on_a_terminal(place, *place.arguments(*lines, "--max-rounds", "2"))
    assert status == 0
    assert "2 lines together" in shown
    last = re.split(r"[\r\n]+", shown.rpartition("2 lines together")[2].partition("Record:")[0])
    assert any("CLAUDE.md:3" in line for line in last)
    assert max(map(len, last)) <= int(columns)
    assert b"lines together," not in said


def on_a_terminal(place: Workplace, *arguments: str, json_piped: bool = False) -> tuple[str, bytes, int]:
    """Run with a terminal as stderr; what it showed, what stood on stdout, and the status."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "measure", *arguments],
        env={"COLUMNS": "100", "LINES": "40", **place.environment, "TERM": "xterm-256color"},
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
