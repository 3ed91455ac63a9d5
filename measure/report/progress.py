"""A run as it goes on, on a terminal that can be drawn on.

Invariants: launches that do not count are printed above the picture as they happen and stay on the screen; evidence is
that of the pairs before the first one still under way, as the stopping rule sees it; the run is told nothing.
"""

from __future__ import annotations

import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterable
from types import TracebackType
from typing import Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from measure.plan.schedule import Slot
from measure.probe.model import Axis
from measure.record.models import Arm, Plan, TrialRecord
from measure.record.pairs import category_of, designs_of, final_trials, pairs_of
from measure.report import wording
from measure.report.terminal import STYLES, safe
from measure.verdict.design import before_open, in_order
from measure.verdict.look import look_at
from measure.verdict.parameters import Parameters
from measure.verdict.stopping import axes_of
from measure.verdict.vocabulary import Status


class Picture:
    """One run, drawn anew several times a second. Told by the executor, read by the drawing thread."""

    def __init__(
        self, console: Console, plan: Plan, parameters: Parameters, before: Iterable[TrialRecord] = ()
    ) -> None:
        self._console = console
        self._plan = plan
        self._parameters = parameters
        self._designs = designs_of(plan.probes)
        self._trials = list(before)
        self._open: Counter[int] = Counter()
        self._round = max((trial.round for trial in self._trials), default=0)
        self._began = time.monotonic()
        self._lock = threading.Lock()
        most = 2 * len(plan.probes) * parameters.rounds_at_most
        limit = plan.design.max_launches
        self._most = most if limit is None else min(most, limit)
        self._evidence = self._look()

    def started(self, slot: Slot, position: int) -> None:
        """A launch is under way."""
        with self._lock:
            self._open[slot.block] += 1
            self._round = max(self._round, slot.round)

    def finished(self, trial: TrialRecord) -> None:
        """A launch has ended; one that does not count is said for good."""
        with self._lock:
            self._trials.append(trial)
            self._open[trial.block] -= 1
            if self._open[trial.block] <= 0:
                del self._open[trial.block]
            self._evidence = self._look()
        if trial.invalid is not None:
            self._console.print(
                Text.assemble(
                    ("× does not count  ", STYLES[Status.INVALID]),
                    f"round {trial.round}  {trial.probe} {self._role(trial.arm)}  ",
                    f"{trial.invalid.reason.value}: {safe(' '.join(trial.invalid.detail.split()))}",
                )
            )

    def _role(self, arm: Arm) -> str:
        return "with the line" if arm is self._plan.contrast.with_arm else "without it"

    def _look(self) -> list[tuple[Axis, float, float | None]]:
        pairs = in_order(self._designs, pairs_of(self._designs, self._plan.contrast, self._trials))
        seen = before_open(pairs, self._open)
        found = []
        for axis in axes_of(self._designs):
            look = look_at([design for design in self._designs if design.axis is axis], seen, self._parameters)
            found.append((axis, look.difference, look.zero.least if look.zero is not None else None))
        return found

    def __rich__(self) -> RenderableType:
        with self._lock:
            return Group(self._head(), self._counts(), *self._evidence_lines())

    def _head(self) -> RenderableType:
        made, under_way = len(self._trials), sum(self._open.values())
        contrast = self._plan.contrast
        place = "noise band" if self._plan.purpose == "band" else f"{contrast.kind} {safe(contrast.place)}"
        seconds = int(time.monotonic() - self._began)
        first = Text.assemble(
            (place, "bold"),
            f"   round {self._round} of at most {self._parameters.rounds_at_most}   "
            f"{seconds // 60}:{seconds % 60:02d}   {self._money()}",
        )
        row = Table.grid(padding=(0, 1))
        row.add_row(
            ProgressBar(total=max(self._most, made), completed=made, width=30),
            Text(f"{made} of at most {self._most} launches, {under_way} under way"),
        )
        return Group(first, row)

    def _money(self) -> str:
        costs = [trial.usage.cost_usd for trial in self._trials if trial.usage.cost_usd is not None]
        spent = f"{sum(costs):.4f} USD spent" if costs else "cost not reported so far"
        limit = self._plan.design.budget_usd
        return spent if limit is None else f"{spent}, {max(0.0, limit - sum(costs)):.4f} left"

    def _counts(self) -> RenderableType:
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="italic")
        for name in ("probe", "with the line", "without it"):
            table.add_column(name, overflow="fold")
        counts: defaultdict[tuple[str, Arm], Counter[str]] = defaultdict(Counter)
        for trial in final_trials(self._trials).values():
            if trial.reading is not None:
                counts[trial.probe, trial.arm][category_of(trial.reading).removeprefix("option:")] += 1
            elif trial.invalid is not None:
                counts[trial.probe, trial.arm][f"× {trial.invalid.reason.value}"] += 1
        with_arm = self._plan.contrast.with_arm
        arms = (with_arm, Arm.VARIANT if with_arm is Arm.BASELINE else Arm.BASELINE)
        for entry in self._plan.probes:
            cells = (
                ", ".join(f"{name} {number}" for name, number in counts[entry.probe.id, arm].most_common()) or "…"
                for arm in arms
            )
            table.add_row(Text(safe(entry.probe.id)), *(Text(safe(cell)) for cell in cells))
        return table

    def _evidence_lines(self) -> list[Text]:
        needed = f"{1 / self._parameters.alpha:g}"
        return [
            Text.assemble(
                (f"{axis.value.capitalize()}: ", "bold"),
                "evidence of a difference ",
                (wording.evidence_size(difference), STYLES[Status.DIFFERENCE]),
                ", of none by the margin ",
                (wording.evidence_size(zero) if zero is not None else "n/a", STYLES[Status.ZERO_DIFFERENCE]),
                f"; {needed} is needed",
            )
            for axis, difference, zero in self._evidence
        ]


class Screen:
    """Shows one picture after the other; the last state of each stays."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live: Live | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._end()

    def watch(self, plan: Plan, parameters: Parameters, before: Iterable[TrialRecord] = ()) -> Picture:
        """Begin to show a run, after the one before."""
        self._end()
        picture = Picture(self._console, plan, parameters, before)
        self._live = Live(picture, console=self._console, refresh_per_second=4, redirect_stdout=False)
        self._live.start()
        return picture

    def _end(self) -> None:
        if self._live is not None:
            live, self._live = self._live, None
            live.stop()
            self._console.print()
