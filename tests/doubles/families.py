"""Lines measured together without any process: the schedule asks, answers are made up, and what it made is counted.

Invariant: the schedule is the product's own; only the launches are played.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from measure.plan.course import Course
from measure.plan.rounds import Rounds
from measure.plan.schedule import Block, Slot
from measure.probe.model import Axis
from measure.probe.question import Question
from measure.record.models import Arm, Plan, Stop, TrialRecord
from measure.record.store import RunWriter
from measure.verdict.parameters import Parameters
from tests.doubles.records import Outcome, asked_for, example_plan, trial

Answer = Callable[[int | None, str, int], bool]
"""Whether a launch gives the asked-for answer: the line that is missing (None: the baseline), probe, block."""


@cache
def _example() -> Plan:
    return example_plan()


def plan_of(probes: Sequence[str], run_id: str, *, settle: str = "together", content: int = 0) -> Plan:
    """A plan for a dropped line with behaviour probes of these ids, and so many of content."""
    plan = _example()
    by_axis = {axis: next(entry for entry in plan.probes if entry.probe.axis is axis) for axis in Axis}
    entries = [(by_axis[Axis.BEHAVIOR], name) for name in probes]
    entries += [(by_axis[Axis.CONTENT], f"content-{number}") for number in range(content)]
    put = tuple(
        entry.model_copy(update={"probe": entry.probe.model_copy(update={"id": name})}) for entry, name in entries
    )
    contrast = plan.contrast.model_copy(update={"kind": "drop", "with_arm": Arm.BASELINE})
    design = plan.design.model_copy(update={"settle": settle, "seed": 1})
    return plan.model_copy(update={"run_id": run_id, "probes": put, "contrast": contrast, "design": design})


@dataclass
class Played:
    """A family whose launches end in any order."""

    courses: list[Course]
    answer: Answer
    jobs: int = 1
    chance: random.Random = field(default_factory=lambda: random.Random(0))
    fails: Callable[[Slot], Outcome] = lambda _: None
    blocks: list[Block] = field(default_factory=list)
    launched: int = 0
    stop: Stop | None = None

    def play(self, rounds: Rounds, at_most: int = 100_000) -> None:
        """Until everything has stopped, or so many launches were made."""
        waiting: list[Slot] = []
        flying: list[Slot] = []
        while self.launched < at_most:
            while len(flying) < self.jobs:
                if not waiting:
                    offer = rounds.next([*waiting, *flying])
                    if isinstance(offer, Stop):
                        self.stop = offer
                        break
                    if offer is None:
                        break
                    self.blocks.append(offer)
                    waiting.extend(offer.slots)
                flying.append(waiting.pop(0))
            if not flying:
                assert self.stop is not None, "nothing to launch and nothing to wait for"
                return
            self._end(flying.pop(self.chance.randrange(len(flying))))

    def _end(self, slot: Slot) -> None:
        self.launched += 1
        failed = self.fails(slot)
        for number in slot.courses:
            plan = self.courses[number].plan
            outcome = failed
            if outcome is None:
                missing = None if slot.arm is Arm.BASELINE else slot.courses[0]
                good, bad = asked_for(plan, slot.probe)
                outcome = good if self.answer(missing, slot.probe, slot.block) else bad
            made = trial(plan, slot.block, slot.round, slot.probe, slot.arm, slot.member, outcome, self.launched)
            paid = None if number == slot.courses[0] else self.courses[slot.courses[0]].plan.run_id
            told = {"topup": slot.topup, "order": slot.order, "serves": len(slot.courses), "counted_in": paid}
            self.courses[number].trials.append(made.model_copy(update=told))


def family(
    probes: Sequence[Sequence[str]], parameters: Parameters, *, settle: str = "together", content: int = 0
) -> list[Course]:
    """One course for each set of probes."""
    courses = []
    for number, own in enumerate(probes):
        plan = plan_of(own, f"run-{number}", settle=settle, content=content)
        courses.append(Course(plan, parameters, RunWriter(Path("nowhere")), _not_asked))
    return courses


def _not_asked(_: Slot) -> Question:
    raise AssertionError("nothing is launched")


def counted(courses: Sequence[Course]) -> list[TrialRecord]:
    """Launches that were made, each once."""
    return [made for course in courses for made in course.trials if made.counted_in is None]
