"""The launches of a run as pairs, both arms side by side, for people who read answers.

Invariant: every launch of the record is shown exactly once, earlier attempts and those that do not count included.
"""

from __future__ import annotations

import string
from collections import defaultdict
from dataclasses import dataclass
from typing import Literal

from measure.judge.reading import Kind
from measure.probe.model import Axis
from measure.record.models import Arm, Plan, TrialRecord
from measure.record.pairs import category_of
from measure.report.visible import Segment, segments

PairState = Literal["same", "differ", "incomplete"]


@dataclass(frozen=True, slots=True)
class Launch:
    """One launch: what came back, or why it does not count."""

    trial: TrialRecord
    outcome: str | None
    """The outcome's name (`option:…` or a kind); None where the launch does not count."""
    label: str
    """The outcome in words: the option's id, the kind, or the reason."""
    text: tuple[Segment, ...]


@dataclass(frozen=True, slots=True)
class PairShown:
    """A pair as it is shown; each side lists its attempts, the one that counts last."""

    number: int
    probe: str
    axis: Axis
    round: int
    topup: bool
    letters: tuple[tuple[str, str], ...]
    """Letter and option id, as they were put in this pair."""
    with_: tuple[Launch, ...]
    without: tuple[Launch, ...]
    state: PairState
    counted: bool
    """False: it was still under way when the question was settled, and the verdict does not read it."""

    @property
    def launches(self) -> tuple[Launch, ...]:
        """Both sides."""
        return (*self.with_, *self.without)

    @property
    def outcomes(self) -> tuple[str, ...]:
        """Outcomes in it, each once."""
        return tuple(dict.fromkeys(launch.outcome for launch in self.launches if launch.outcome))

    @property
    def reasons(self) -> tuple[str, ...]:
        """Reasons for which launches of it do not count, each once."""
        found = (launch.trial.invalid.reason.value for launch in self.launches if launch.trial.invalid is not None)
        return tuple(dict.fromkeys(found))


def pairs_shown(plan: Plan, trials: tuple[TrialRecord, ...], last_block: int | None = None) -> tuple[PairShown, ...]:
    """All pairs in the order in which they were scheduled; those after `last_block` are not counted."""
    axes = {entry.probe.id: entry.probe.axis for entry in plan.probes}
    blocks: defaultdict[int, list[TrialRecord]] = defaultdict(list)
    for trial in trials:
        blocks[trial.block].append(trial)
    shown = []
    for number, members in sorted(blocks.items()):
        first = members[0]
        with_ = _side(members, plan.contrast.with_arm)
        without = _side(members, Arm.VARIANT if plan.contrast.with_arm is Arm.BASELINE else Arm.BASELINE)
        shown.append(
            PairShown(
                number=number + 1,
                probe=first.probe,
                axis=axes[first.probe],
                round=first.round,
                topup=first.topup,
                letters=tuple(zip(string.ascii_uppercase, first.order, strict=False)),
                with_=with_,
                without=without,
                state=_state(with_, without),
                counted=last_block is None or number <= last_block,
            )
        )
    return tuple(shown)


def _side(members: list[TrialRecord], arm: Arm) -> tuple[Launch, ...]:
    own = sorted((trial for trial in members if trial.arm is arm), key=lambda trial: trial.attempt)
    return tuple(_launch(trial) for trial in own)


def _launch(trial: TrialRecord) -> Launch:
    outcome = category_of(trial.reading) if trial.reading is not None else None
    reason = trial.invalid.reason.value if trial.invalid is not None else "no answer"
    label = outcome.removeprefix("option:") if outcome is not None else reason
    return Launch(trial, outcome, label, segments(trial.answer or "", trial.reading))


def _state(with_: tuple[Launch, ...], without: tuple[Launch, ...]) -> PairState:
    outcomes = [side[-1].outcome if side else None for side in (with_, without)]
    if any(outcome in (None, Kind.UNREADABLE, Kind.VOID) for outcome in outcomes):
        return "incomplete"
    return "same" if outcomes[0] == outcomes[1] else "differ"
