"""A run as it goes on, on a terminal that can be drawn on.

Invariants: launches that do not count are printed above the picture as they happen and stay on the screen; evidence is
that of the pairs before the first one still under way, and none after a contrast has ended, as the stopping rule sees
it; a launch that several contrasts read is counted once; the run is told nothing.
"""

from __future__ import annotations

import math
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from measure.plan.course import Watched, launches_at_most
from measure.plan.schedule import Slot
from measure.probe.model import Axis
from measure.record.models import Arm, Stop, TrialRecord
from measure.record.pairs import category_of, designs_of, final_trials, pairs_of
from measure.report import wording
from measure.report.facts import SIGNS
from measure.report.terminal import STYLES, safe
from measure.verdict.design import before_open, in_order
from measure.verdict.look import look_at
from measure.verdict.stopping import axes_of
from measure.verdict.vocabulary import Status

BAR = 8
CELL = len("= zero-difference")
"""Columns of an axis: a bar and a number, later a status."""
STATE = len("repeats-done")
ROOMY = 100
"""Columns from which the words of a line stand beside its place."""


class _Course:
    """What is known of one contrast: its launches, which of them are under way, and the evidence so far."""

    def __init__(self, watched: Watched) -> None:
        self.plan = watched.plan
        self.parameters = watched.parameters
        self.trials = list(watched.before)
        self.open: Counter[int] = Counter()
        self.stop: Stop | None = None
        self._designs = designs_of(self.plan.probes)
        self.look()

    def end(self, stop: Stop) -> None:
        """Nothing more is launched; what was still under way then is not looked at."""
        self.stop = stop
        self.look()

    def look(self) -> None:
        last = self.stop.last_block if self.stop is not None else None
        counted = [trial for trial in self.trials if last is None or trial.block <= last]
        pairs = in_order(self._designs, pairs_of(self._designs, self.plan.contrast, counted))
        seen = before_open(pairs, self.open)
        self.pairs = len(seen)
        self.evidence: list[tuple[Axis, float, float | None]] = []
        self.shown: dict[Axis, Status] = {}
        for axis in axes_of(self._designs):
            look = look_at([design for design in self._designs if design.axis is axis], seen, self.parameters)
            self.evidence.append((axis, look.difference, look.zero.least if look.zero is not None else None))
            difference, zero = look.shows_difference(self.parameters), look.shows_zero(self.parameters)
            self.shown[axis] = Status.DIFFERENCE if difference else Status.ZERO_DIFFERENCE if zero else Status.UNDECIDED

    @property
    def place(self) -> str:
        if self.plan.purpose == "band":
            return "noise band"
        return f"{self.plan.contrast.kind} {safe(self.plan.contrast.place)}"

    @property
    def text(self) -> str:
        """The first of the words that the arms differ in."""
        contrast = self.plan.contrast
        return safe(next(iter((contrast.before or contrast.after).strip().splitlines()), ""))

    def arm(self, arm: Arm) -> str:
        return "with the line" if arm is self.plan.contrast.with_arm else "without it"


class Picture:
    """What is measured together, drawn several times a second. Told by the executor, read by the drawing thread."""

    def __init__(self, console: Console, watched: Sequence[Watched]) -> None:
        self._console = console
        self._courses = [_Course(one) for one in watched]
        self._began = time.monotonic()
        self._lock = threading.Lock()
        self._round = max((trial.round for one in self._courses for trial in one.trials), default=0)
        limit = self._courses[0].plan.design.max_launches
        most = launches_at_most(watched)
        self._most = most if limit is None else min(most, limit)
        self._under_way: set[tuple[int, int]] = set()
        self._rounds = max(one.parameters.rounds_at_most for one in self._courses)

    def started(self, slot: Slot, position: int) -> None:
        """A launch is under way."""
        with self._lock:
            self._under_way.add((slot.block, slot.member))
            for course in slot.courses:
                self._courses[course].open[slot.block] += 1
            self._round = max(self._round, slot.round)

    def finished(self, trial: TrialRecord, course: int) -> None:
        """A launch has ended; one that does not count is said for good."""
        mine = self._courses[course]
        with self._lock:
            self._under_way.discard((trial.block, trial.member))
            mine.trials.append(trial)
            mine.open[trial.block] -= 1
            if mine.open[trial.block] <= 0:
                del mine.open[trial.block]
            mine.look()
        if trial.invalid is not None and trial.counted_in is None:
            self._console.print(
                Text.assemble(
                    ("× does not count  ", STYLES[Status.INVALID]),
                    f"round {trial.round}  {trial.probe} {self._role(mine, trial)}  ",
                    f"{trial.invalid.reason.value}: {safe(' '.join(trial.invalid.detail.split()))}",
                )
            )

    def ended(self, course: int, stop: Stop) -> None:
        """Nothing more is launched for one of the contrasts."""
        with self._lock:
            self._courses[course].end(stop)

    def _role(self, course: _Course, trial: TrialRecord) -> str:
        if len(self._courses) == 1:
            return course.arm(trial.arm)
        return "in the baseline" if trial.arm is Arm.BASELINE else course.place

    def __rich__(self) -> RenderableType:
        with self._lock:
            if len(self._courses) > 1:
                return Group(self._head(), self._lines())
            return Group(self._head(), self._counts(self._courses[0]), *self._evidence_lines(self._courses[0]))

    def _own(self) -> list[TrialRecord]:
        return [trial for one in self._courses for trial in one.trials if trial.counted_in is None]

    def _head(self) -> RenderableType:
        own = self._own()
        seconds = int(time.monotonic() - self._began)
        place = self._courses[0].place
        if len(self._courses) > 1:
            ended = sum(one.stop is not None for one in self._courses)
            place = (
                f"{len(self._courses)} lines together, {ended} ended"
                if ended
                else f"{len(self._courses)} lines together"
            )
        first = Text.assemble(
            (place, "bold"),
            f"   round {self._round} of at most {self._rounds}   "
            f"{seconds // 60}:{seconds % 60:02d}   {self._money(own)}",
        )
        row = Table.grid(padding=(0, 1))
        row.add_row(
            ProgressBar(total=max(self._most, len(own)), completed=len(own), width=30),
            Text(f"{len(own)} of at most {self._most} launches, {len(self._under_way)} under way"),
        )
        return Group(first, row)

    def _money(self, own: Sequence[TrialRecord]) -> str:
        costs = [trial.usage.cost_usd for trial in own if trial.usage.cost_usd is not None]
        spent = f"{sum(costs):.4f} USD spent" if costs else "cost not reported so far"
        limit = self._courses[0].plan.design.budget_usd
        return spent if limit is None else f"{spent}, {max(0.0, limit - sum(costs)):.4f} left"

    def _lines(self) -> RenderableType:
        """One row a contrast: how far it is, and of each axis the claim that its evidence is nearer to."""
        axes = list(dict.fromkeys(axis for one in self._courses for axis, _, _ in one.evidence))
        roomy = self._console.width >= ROOMY
        room = self._console.width - len("pairs") - len(axes) * (CELL + 2) - STATE - 6
        place = min(max(map(len, (one.place for one in self._courses))), max(14, room // 2 if roomy else room))
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="italic")
        table.add_column("line", no_wrap=True, width=place)
        table.add_column("pairs", justify="right", no_wrap=True)
        for axis in reversed(axes):
            table.add_column(axis.value, no_wrap=True, width=CELL)
        table.add_column("", no_wrap=True, max_width=STATE)
        if roomy:
            table.add_column("", no_wrap=True, overflow="ellipsis", max_width=max(10, room - place))
        shown, left = self._fitting()
        for one in shown:
            cells = {axis: self._claim(one, axis, difference, zero) for axis, difference, zero in one.evidence}
            state = one.stop.reason if one.stop is not None else ""
            text = [Text(one.text, style="dim")] if roomy else []
            table.add_row(
                Text(_tail(one.place, place)),
                str(one.pairs),
                *(cells.get(axis, Text("")) for axis in reversed(axes)),
                Text(state, style="dim"),
                *text,
            )
        more = [Text(f"and {wording.count(len(left), 'more line')}, {self._tally(left)}", style="dim")] if left else []
        return Group(table, *more, Text(self._needed(), style="dim"))

    def _fitting(self) -> tuple[list[_Course], list[_Course]]:
        """The contrasts that the terminal has room for, and the others: those that have ended give way first."""
        room = max(3, self._console.height - len(("head", "bar", "names", "more", "needed", "its end", "cursor")))
        if len(self._courses) <= room:
            return self._courses, []
        going = [one for one in self._courses if one.stop is None]
        kept = {id(one) for one in [*going, *(one for one in self._courses if one.stop is not None)][:room]}
        return (
            [one for one in self._courses if id(one) in kept],
            [one for one in self._courses if id(one) not in kept],
        )

    @staticmethod
    def _tally(courses: Sequence[_Course]) -> str:
        states = Counter("under way" if one.stop is None else one.stop.reason for one in courses)
        return ", ".join(f"{number} {state}" for state, number in states.most_common())

    def _needed(self) -> str:
        alpha = self._courses[0].parameters.alpha
        said = f"≠: the arms differ; =: they do not by the margin. Evidence of {1 / alpha:g} shows either for one line"
        if self._courses[0].plan.design.settle == "together":
            # The greatest threshold of e-BH: for a claim that stands alone.
            return f"{said}, of up to {len(self._courses) / alpha:g} among all."
        return f"{said}."

    @staticmethod
    def _claim(course: _Course, axis: Axis, difference: float, zero: float | None) -> RenderableType:
        """The status once it has ended; until then how far the nearer claim is, on a scale of logarithms."""
        status = course.shown[axis]
        if course.stop is not None:
            return Text(f"{SIGNS[status]} {status.value}", style=STYLES[status])
        nearer, log_e = Status.DIFFERENCE, difference
        if zero is not None and zero > difference:
            nearer, log_e = Status.ZERO_DIFFERENCE, zero
        cell = Table.grid(padding=(0, 1, 0, 0))
        cell.add_column(width=1)
        cell.add_column(width=BAR)
        cell.add_column(justify="right", width=CELL - BAR - 3, no_wrap=True)
        needed = -math.log(course.parameters.alpha)
        colour = STYLES[nearer].removeprefix("bold ")
        reached = min(max(log_e, 0.0), needed)
        cell.add_row(
            Text(SIGNS[nearer] if log_e > 0 else " ", style=STYLES[nearer]),
            ProgressBar(total=needed, completed=reached, width=BAR, complete_style=colour, finished_style=colour),
            Text(wording.evidence_size(log_e), style=STYLES[nearer] if log_e >= needed else ""),
        )
        return cell

    def _counts(self, course: _Course) -> RenderableType:
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="italic")
        for name in ("probe", "with the line", "without it"):
            table.add_column(name, overflow="fold")
        counts: defaultdict[tuple[str, Arm], Counter[str]] = defaultdict(Counter)
        for trial in final_trials(course.trials).values():
            if trial.reading is not None:
                counts[trial.probe, trial.arm][category_of(trial.reading).removeprefix("option:")] += 1
            elif trial.invalid is not None:
                counts[trial.probe, trial.arm][f"× {trial.invalid.reason.value}"] += 1
        with_arm = course.plan.contrast.with_arm
        arms = (with_arm, Arm.VARIANT if with_arm is Arm.BASELINE else Arm.BASELINE)
        for entry in course.plan.probes:
            cells = (
                ", ".join(f"{name} {number}" for name, number in counts[entry.probe.id, arm].most_common()) or "…"
                for arm in arms
            )
            table.add_row(Text(safe(entry.probe.id)), *(Text(safe(cell)) for cell in cells))
        return table

    def _evidence_lines(self, course: _Course) -> list[Text]:
        needed = f"{1 / course.parameters.alpha:g}"
        return [
            Text.assemble(
                (f"{axis.value.capitalize()}: ", "bold"),
                "evidence of a difference ",
                (wording.evidence_size(difference), STYLES[Status.DIFFERENCE]),
                ", of none by the margin ",
                (wording.evidence_size(zero) if zero is not None else "n/a", STYLES[Status.ZERO_DIFFERENCE]),
                f"; {needed} is needed",
            )
            for axis, difference, zero in course.evidence
        ]


def _tail(text: str, width: int) -> str:
    """Cut from the left: the end of a place names its line."""
    return text if len(text) <= width else f"…{text[len(text) - width + 1 :]}"


class Screen:
    """Shows one picture after the other; the last state of each stays."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live: Live | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._end()

    def watch(self, watched: Sequence[Watched]) -> Picture:
        """Begin to show what is measured together, after what was before."""
        self._end()
        picture = Picture(self._console, watched)
        self._live = Live(picture, console=self._console, refresh_per_second=4, redirect_stdout=False)
        self._live.start()
        return picture

    def _end(self) -> None:
        if self._live is not None:
            live, self._live = self._live, None
            live.stop()
            self._console.print()
