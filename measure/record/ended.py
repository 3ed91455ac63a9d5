"""How the launches of a run ended, arm against arm, also where no verdict could come of them.

Invariant: a launch is counted once, by its last attempt; one that was called off or refused before the agent began is
not counted, since neither says anything of its arm.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from measure.judge.reading import Kind
from measure.record.counted import counted_pairs
from measure.record.models import ContrastRecord, Plan, RunRecord, Scope, TrialRecord
from measure.record.pairs import category_of, final_trials, took_place

NOT_READ = frozenset({Kind.UNREADABLE, Kind.VOID})
"""Answers that came whole and say nothing about the line."""
FEW = 3
"""With fewer launches in an arm, that all of them failed is no pattern worth a sentence."""


@dataclass(frozen=True, slots=True)
class Ends:
    """The launches of one arm."""

    launches: int
    answers: Counter[str]
    """Outcomes that were read, by name."""
    missing: Counter[str]
    """Launches without an outcome, by reason or by kind of what could not be read."""


@dataclass(frozen=True, slots=True)
class ByArm:
    """Both arms."""

    with_: Ends
    without: Ends

    @property
    def one_sided(self) -> bool:
        """Every launch of one arm lacks an answer, none of the other's does, and there are a few of both."""
        first, second = sorted((self.with_, self.without), key=lambda ends: ends.missing.total())
        few = min(first.launches, second.launches) < FEW
        return not few and not first.missing and second.missing.total() == second.launches


def ends_of(contrast: ContrastRecord, trials: Iterable[TrialRecord]) -> ByArm:
    """How the launches ended in the arm with the line and in the one without it."""
    last = [trial for trial in final_trials(trials).values() if took_place(trial)]
    with_line = [trial for trial in last if trial.arm is contrast.with_arm]
    return ByArm(_ends(with_line), _ends([trial for trial in last if trial.arm is not contrast.with_arm]))


def ends_by_probe(plan: Plan, trials: Sequence[TrialRecord]) -> tuple[tuple[str, ByArm], ...]:
    """The same for each probe of a plan, in its order."""
    return tuple(
        (name, ends_of(plan.contrast, [trial for trial in trials if trial.probe == name])) for name in plan.probe_ids
    )


def _ends(trials: Sequence[TrialRecord]) -> Ends:
    read = [trial.reading for trial in trials if trial.reading is not None]
    missing = [trial.invalid.reason.value for trial in trials if trial.invalid is not None]
    missing += [reading.kind.value for reading in read if reading.kind in NOT_READ]
    return Ends(
        len(trials),
        Counter(category_of(reading) for reading in read if reading.kind not in NOT_READ),
        Counter(missing),
    )


def scope_reached(record: RunRecord) -> Scope | None:
    """The plan's scope as far as the run came: a probe is measured by a pair that was answered in both arms.

    A plan says what was to be put; None where there is none.
    """
    plan = record.plan
    if plan is None:
        return None
    answered = {pair.probe for pair in counted_pairs(record) if not pair.damaged and not pair.void}
    without = [name for name in plan.probe_ids if name not in answered]
    left = plan.scope.unmeasured
    if without and record.result.status != "unmeasured":
        left = (f"no pair was answered in both arms for {', '.join(without)}", *left)
    return plan.scope.model_copy(update={"probes_measured": len(answered), "unmeasured": left})
