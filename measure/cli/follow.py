"""Who is told how a run goes on: a picture on a terminal, a line a launch everywhere else."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol

from measure.cli.output import say
from measure.plan.execute import Watcher
from measure.plan.schedule import Slot
from measure.record.models import Arm, Plan, TrialRecord
from measure.record.pairs import category_of
from measure.report.terminal import safe
from measure.verdict.parameters import Parameters


class Follow(Protocol):
    """Gives each run someone who watches it; `before` is what an earlier session launched."""

    def __call__(self, plan: Plan, parameters: Parameters, before: Iterable[TrialRecord] = ()) -> Watcher:
        """Called before the first launch."""
        ...


@dataclass
class Lines:
    """Follows one run on stderr, a line a launch. Failures show as they happen."""

    plan: Plan
    most: int
    ended: set[tuple[int, Arm]] = field(default_factory=set)
    """Launches of the plan that have ended, each once, however often it was tried."""

    def started(self, slot: Slot, position: int) -> None:
        """Nothing: a launch is told when it has ended."""

    def finished(self, trial: TrialRecord) -> None:
        """One line: what came back, or why it does not count."""
        self.ended.add((trial.block, trial.arm))
        most = max(self.most, len(self.ended))
        role = "with" if trial.arm is self.plan.contrast.with_arm else "without"
        if trial.reading is not None:
            came_back = category_of(trial.reading).removeprefix("option:")
            if trial.reading.hole_report is not None:
                came_back += " (reports a missing provision)"
        else:
            assert trial.invalid is not None
            came_back = f"INVALID {trial.invalid.reason.value}: {trial.invalid.detail}"
        cost = "" if trial.usage.cost_usd is None else f"  {trial.usage.cost_usd:.4f} USD"
        say(
            f"{len(self.ended):>4}/{most}  round {trial.round}  {trial.probe:<24} {role:<7}  "
            f"{safe(came_back)}  {trial.wall_s:.1f} s{cost}"
        )


def _lines(plan: Plan, parameters: Parameters, before: Iterable[TrialRecord] = ()) -> Watcher:
    made = {(trial.block, trial.arm) for trial in before}
    return Lines(plan, 2 * len(plan.probes) * parameters.rounds_at_most, made)


@contextmanager
def following(*, plainly: bool) -> Iterator[Follow]:
    """Whoever follows the runs of one command; the picture is taken down on every way out, with its last state kept."""
    if plainly or not sys.stderr.isatty():
        yield _lines
        return
    from rich.console import Console

    from measure.report.progress import Screen

    with Screen(Console(stderr=True, highlight=False, markup=False, emoji=False)) as screen:
        yield screen.watch
