"""From trials to the pairs that the statistics read.

Invariants: a trial that isn't a valid answer is a missing value, never a category; a pair counts only when both of its
launches have ended of themselves; the order of pairs is the number they were scheduled with.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from measure.client.trial import LIMITS, Reason
from measure.judge.reading import Kind, Reading
from measure.probe.model import Axis, Probe
from measure.record.models import Arm, ContrastRecord, ProbeRecord, TrialRecord
from measure.verdict.design import Pair, ProbeDesign

CONTENT_CATEGORIES = (Kind.QUOTED, Kind.NO_PROVISION, Kind.NEITHER, Kind.REFUSED)
"""Outcomes of a content answer; what the line asks for comes first."""
UNDECIDED_CATEGORIES = (Kind.SEVERAL, Kind.NONE, Kind.HEDGED, Kind.REFUSED)
"""Outcomes of a behaviour answer beside the options. An unreadable answer is missing, since nothing was read."""


def design_of(probe: Probe) -> ProbeDesign:
    """The probe as the statistics see it: its outcomes and which one the line asks for."""
    if probe.axis is Axis.CONTENT:
        return ProbeDesign(probe.id, probe.axis, tuple(CONTENT_CATEGORIES), 0)
    options = [f"option:{option.id}" for option in probe.options]
    asked_for = options.index(f"option:{probe.asked_for}")
    return ProbeDesign(probe.id, probe.axis, (*options, *UNDECIDED_CATEGORIES), asked_for)


def designs_of(probes: Sequence[ProbeRecord]) -> tuple[ProbeDesign, ...]:
    """All probes of a plan, in their order."""
    return tuple(design_of(entry.probe) for entry in probes)


def category_of(reading: Reading) -> str:
    """The outcome's name among the categories of its probe."""
    return f"option:{reading.option}" if reading.kind is Kind.OPTION else reading.kind.value


def final_trials(trials: Iterable[TrialRecord]) -> dict[tuple[int, Arm], TrialRecord]:
    """The last attempt of every slot. Earlier attempts stay in the record and count as launches only."""
    last: dict[tuple[int, Arm], TrialRecord] = {}
    for trial in trials:
        key = (trial.block, trial.arm)
        if key not in last or trial.attempt > last[key].attempt:
            last[key] = trial
    return last


def pairs_of(
    designs: Sequence[ProbeDesign], contrast: ContrastRecord, trials: Iterable[TrialRecord]
) -> tuple[Pair, ...]:
    """The pairs whose two launches have both ended of themselves, in canonical order.

    A pair with a launch that was cut off by the end of the run, or refused by a limit before the agent began, is left
    out: neither had anything to do with what the agent would have answered.
    """
    by_id = {design.id: design for design in designs}
    last = final_trials(trials)
    pairs = []
    for number in sorted({block for block, _ in last}):
        members = [last.get((number, arm)) for arm in Arm]
        ended = [trial for trial in members if trial is not None and took_place(trial)]
        if len(ended) < len(members):
            continue
        design = by_id[ended[0].probe]
        values = {trial.arm: _value(design, trial) for trial in ended}
        without_arm = Arm.VARIANT if contrast.with_arm is Arm.BASELINE else Arm.BASELINE
        void = design.axis is Axis.BEHAVIOR and any(
            trial.reading is not None and trial.reading.kind is Kind.VOID for trial in ended
        )
        pairs.append(
            Pair(
                number,
                design.id,
                values[contrast.with_arm],
                values[without_arm],
                topup=ended[0].topup,
                void=void,
            )
        )
    return tuple(pairs)


def took_place(trial: TrialRecord) -> bool:
    """Whether the agent could answer: the launch was neither called off nor refused by a limit before it began."""
    invalid = trial.invalid
    return invalid is None or not (
        invalid.reason is Reason.CANCELLED or (invalid.reason in LIMITS and not invalid.acted)
    )


def _value(design: ProbeDesign, trial: TrialRecord) -> int | None:
    if trial.reading is None or trial.reading.kind in {Kind.UNREADABLE, Kind.VOID}:
        return None
    return design.categories.index(category_of(trial.reading))
