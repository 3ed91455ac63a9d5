"""One contrast on its way through its launches: its plan, how its answers are read, where they are kept, why it ended.

Invariant: a course that has ended stays ended, for the reason it ended for. Courses that are measured together share
launches in the baseline and nothing else: each reads every answer for itself and keeps it in a record of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from measure.client.trial import Returned
from measure.plan.failing import FailureWatch
from measure.plan.schedule import Slot
from measure.plan.sharing import launches_together
from measure.probe.question import Question
from measure.record.models import Plan, Stop, TrialRecord
from measure.record.store import RunWriter
from measure.verdict.parameters import Parameters

PromptOf = Callable[[Slot, Question], str]
"""The prompt of one launch, from its question."""
Sift = Callable[[Slot, Returned], Returned]
"""Takes an answer for invalid that was come by in a way that does not count; gives back everything else as it is."""


@dataclass(frozen=True, slots=True)
class Watched:
    """What people are told of a course before its first launch; `before` was launched by earlier sessions."""

    plan: Plan
    parameters: Parameters
    before: tuple[TrialRecord, ...] = ()


def launches_at_most(watched: Sequence[Watched]) -> int:
    """Launches that the plans of a family allow together, retries left out."""
    return launches_together(
        ([entry.probe for entry in one.plan.probes], one.parameters.rounds_at_most) for one in watched
    )


@dataclass
class Course:
    """What happens to one contrast. `trials` grows; nothing else changes but `stop`, once."""

    plan: Plan
    parameters: Parameters
    """The declared procedure, with the most rounds as last allowed."""
    writer: RunWriter
    question: Callable[[Slot], Question]
    prompt: PromptOf = lambda _, question: question.render()
    sift: Sift = lambda _, returned: returned
    trials: list[TrialRecord] = field(default_factory=list)
    stop: Stop | None = None
    failures: FailureWatch = field(default_factory=FailureWatch)
