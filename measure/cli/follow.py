"""Who is told how a run goes on: a picture on a terminal, a line a launch everywhere else, nobody if so wished.

Invariant: where nobody is told, nothing is written from which an arm, an answer or a verdict could be known.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol

from measure.cli.output import say
from measure.plan.course import Watched, launches_at_most
from measure.plan.execute import Watcher
from measure.plan.schedule import Slot
from measure.record.models import Arm, Stop, TrialRecord
from measure.record.pairs import category_of
from measure.report.terminal import safe


class Follow(Protocol):
    """Gives the contrasts that are measured together someone who watches them."""

    def __call__(self, watched: Sequence[Watched]) -> Watcher:
        """Called before the first launch."""
        ...


@dataclass
class Lines:
    """Follows on stderr, a line a launch. Failures show as they happen."""

    watched: Sequence[Watched]
    made: set[tuple[int, int]] = field(init=False)
    """Launches of the plan that have ended, each once, however often it was tried."""
    stopped: int = 0

    def __post_init__(self) -> None:
        self.made = {(trial.block, trial.member) for one in self.watched for trial in one.before}
        self._most = launches_at_most(self.watched)

    def started(self, slot: Slot, position: int) -> None:
        """Nothing: a launch is told when it has ended."""

    def finished(self, trial: TrialRecord, course: int) -> None:
        """One line: what came back, or why it does not count. A launch for several contrasts is told once."""
        if trial.counted_in is not None:
            return
        self.made.add((trial.block, trial.member))
        if trial.reading is not None:
            came_back = category_of(trial.reading).removeprefix("option:")
            if trial.reading.hole_report is not None:
                came_back += " (reports a missing provision)"
        else:
            assert trial.invalid is not None
            came_back = f"INVALID {trial.invalid.reason.value}: {trial.invalid.detail}"
        cost = "" if trial.usage.cost_usd is None else f"  {trial.usage.cost_usd:.4f} USD"
        say(
            f"{len(self.made):>4}/{max(self._most, len(self.made))}  round {trial.round}  {trial.probe:<24} "
            f"{self._arm(trial, course):<7}  {safe(came_back)}  {trial.wall_s:.1f} s{cost}"
        )

    def ended(self, course: int, stop: Stop) -> None:
        """A line, where others may go on."""
        self.stopped += 1
        if len(self.watched) > 1:
            contrast, of = self.watched[course].plan.contrast, len(self.watched)
            say(f"           {stop.reason}: {contrast.kind} {safe(contrast.place)}; {self.stopped} of {of} lines")

    def _arm(self, trial: TrialRecord, course: int) -> str:
        contrast = self.watched[course].plan.contrast
        if len(self.watched) == 1:
            return "with" if trial.arm is contrast.with_arm else "without"
        return "baseline" if trial.arm is Arm.BASELINE else f"{contrast.kind} {safe(contrast.place)}"


class Nobody:
    """Is told everything and says nothing."""

    def __init__(self, watched: Sequence[Watched]) -> None:
        """Nothing of them is kept."""

    def started(self, slot: Slot, position: int) -> None:
        """Nothing."""

    def finished(self, trial: TrialRecord, course: int) -> None:
        """Nothing: the record has it."""

    def ended(self, course: int, stop: Stop) -> None:
        """Nothing: how a contrast ended tells of its verdict."""


@contextmanager
def following(*, plainly: bool, quietly: bool = False) -> Iterator[Follow]:
    """Whoever follows the runs of one command; the picture is taken down on every way out, with its last state kept."""
    if quietly:
        yield Nobody
        return
    if plainly or not sys.stderr.isatty():
        yield Lines
        return
    from rich.console import Console

    from measure.report.progress import Screen

    with Screen(Console(stderr=True, highlight=False, markup=False, emoji=False)) as screen:
        yield screen.watch
