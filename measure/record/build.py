"""From the plan and the trials to the record.

Invariant: a pure function. Building the record again from what is on disk gives the same record, so an interrupted run
can be shown, and a finished one checked, without trusting what an earlier program concluded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from itertools import pairwise

from measure.client.trial import Reason
from measure.judge.reading import Reading
from measure.record.doubts import doubts_of
from measure.record.ended import Ends, ends_of
from measure.record.models import (
    ContrastRecord,
    Measured,
    NoiseBand,
    Plan,
    Result,
    RunRecord,
    Session,
    Spending,
    Stop,
    TrialRecord,
)
from measure.record.pairs import designs_of, pairs_of
from measure.verdict.band import measure_band
from measure.verdict.decide import decide
from measure.verdict.parameters import Parameters
from measure.verdict.stopping import axes_of
from measure.verdict.vocabulary import Unmeasured, WhyUnmeasured

NOT_BEGUN = frozenset({WhyUnmeasured.NO_AGENT.value, WhyUnmeasured.TREE_BEING_EDITED.value})
"""Stops of runs that were planned and not begun."""
SPENT = frozenset({Reason.USAGE_LIMIT, Reason.BILLING})
"""Reasons that say the money or the allowance is gone, rather than that the client failed."""


def build(
    plan: Plan,
    trials: Sequence[TrialRecord],
    stop: Stop | None,
    *,
    complete: bool,
    sessions: Sequence[Session] = (),
    set_aside: int = 0,
    warnings: Sequence[str] = (),
    workspace_changed: bool = False,
) -> RunRecord:
    """The whole record. `stop` is None where nobody could say why the run ended (the program was killed)."""
    return RunRecord(
        run_id=plan.run_id,
        created=plan.created,
        complete=complete,
        plan=plan,
        result=result_of(plan, trials, stop, parameters_now(plan, sessions)),
        stop=stop,
        sessions=tuple(sessions),
        spending=spending_of(trials, sessions),
        trials=tuple(sorted(trials, key=lambda trial: trial.position)),
        set_aside=set_aside,
        warnings=(*warnings, *doubts_of(trials, plan.condition), *_extended(sessions)),
        workspace_changed=workspace_changed,
    )


def result_of(
    plan: Plan,
    trials: Sequence[TrialRecord],
    stop: Stop | None,
    parameters: Parameters | None = None,
    *,
    outlook: bool = True,
) -> Result:
    """What was shown, or why nothing was measured. `parameters` defaults to the plan's.

    Without `outlook` nothing is said of what further launches would settle, which takes most of the time.
    """
    designs = designs_of(plan.probes)
    last = stop.last_block if stop is not None else None
    pairs = [pair for pair in pairs_of(designs, plan.contrast, trials) if last is None or pair.seq <= last]
    answered = [pair for pair in pairs if not pair.damaged]
    if not answered:
        return why_unmeasured(plan.contrast, trials, stop)
    parameters = parameters or plan.design.parameters
    if plan.purpose == "band":
        by_axis = [[design for design in designs if design.axis is axis] for axis in axes_of(designs)]
        ids = [{design.id for design in own} for own in by_axis]
        bands = [
            measure_band(own, [pair for pair in pairs if pair.probe in mine], parameters)
            for own, mine in zip(by_axis, ids, strict=True)
        ]
        return NoiseBand(bands=tuple(band for band in bands if band is not None))
    return Measured(
        decision=decide(
            designs,
            pairs,
            parameters,
            stage=1 if plan.condition.stage == 1 else 2,
            unmeasured=why_unmeasured(plan.contrast, [], stop),
            bands={used.band.axis: (used.run_id, used.band) for used in plan.bands},
            outlook=outlook,
        )
    )


def why_unmeasured(contrast: ContrastRecord, trials: Sequence[TrialRecord], stop: Stop | None) -> Unmeasured:
    """The reason of the closed list for a run without a valid pair, with what stood in its way."""
    reasons = Counter(trial.invalid.reason for trial in trials if trial.invalid is not None)
    said = stop.detail if stop is not None else ""
    if stop is not None and stop.reason in NOT_BEGUN:
        return Unmeasured(reason=WhyUnmeasured(stop.reason), detail=said)
    if stop is not None and stop.reason in {"budget", "launches"}:
        return Unmeasured(reason=WhyUnmeasured.SPEND_LIMIT, detail=f"the limit of the run ({stop.reason}) was reached")
    if any(reason in SPENT for reason in reasons):
        return Unmeasured(reason=WhyUnmeasured.SPEND_LIMIT, detail=said or _counted(reasons))
    if stop is not None and stop.reason == "interrupted":
        return Unmeasured(reason=WhyUnmeasured.OTHER, detail="interrupted before the first valid pair")
    reasons.pop(Reason.CANCELLED, None)
    by_arm = _missing_by_arm(contrast, trials)
    if reasons:
        detail = "; ".join(part for part in (by_arm, said) if part) or _counted(reasons)
        return Unmeasured(reason=WhyUnmeasured.CLIENT_FAILED, detail=detail)
    if by_arm:
        return Unmeasured(reason=WhyUnmeasured.OTHER, detail=f"no pair was answered in both arms: {by_arm}")
    return Unmeasured(reason=WhyUnmeasured.OTHER, detail=said or "ended before the first valid pair")


def _missing_by_arm(contrast: ContrastRecord, trials: Sequence[TrialRecord]) -> str:
    """What each arm lacks, the worse one first; empty where nothing is known of both arms, or nothing is missing."""
    ends = ends_of(contrast, trials)
    worse, better = (ends.without, "without"), (ends.with_, "with")
    if better[0].missing.total() > worse[0].missing.total():
        worse, better = better, worse
    if not worse[0].missing or not better[0].launches:
        return ""
    return (
        f"{_share(worse[0], f' launches {worse[1]} the line gave no answer')}, {_share(better[0], f' {better[1]} it')}"
    )


def _share(ends: Ends, where: str) -> str:
    listed = f" ({_listed(ends.missing)})" if ends.missing else ""
    return f"{ends.missing.total()} of {ends.launches}{where}{listed}"


def _counted(kinds: Counter[Reason]) -> str:
    return _listed(Counter({kind.value: number for kind, number in kinds.items()}))


def _listed(kinds: Counter[str]) -> str:
    return ", ".join(f"{number} x {kind}" for kind, number in kinds.most_common())


def spending_of(trials: Sequence[TrialRecord], sessions: Sequence[Session] = ()) -> Spending:
    """Sums over every launch, counted or not: an invalid launch costs as well. `trials` as they were recorded.

    A launch that several contrasts read is summed in one of their records, so that sums over records are true.
    """
    own = [trial for trial in trials if trial.counted_in is None]
    costs = [trial.usage.cost_usd for trial in own if trial.usage.cost_usd is not None]
    starts = sorted({0, *(min(session.trials_before, len(trials)) for session in sessions)})
    wall = sum(_wall_s(trials[begin:end]) for begin, end in pairwise([*starts, len(trials)]))
    return Spending(
        launches=len(own),
        shared=len(trials) - len(own),
        cost_usd=round(sum(costs), 6) if costs else None,
        input_tokens=sum(trial.usage.input_tokens or 0 for trial in own),
        output_tokens=sum(trial.usage.output_tokens or 0 for trial in own),
        cache_creation_input_tokens=sum(trial.usage.cache_creation_input_tokens or 0 for trial in own),
        cache_read_input_tokens=sum(trial.usage.cache_read_input_tokens or 0 for trial in own),
        wall_s=round(wall, 3),
    )


def _wall_s(trials: Sequence[TrialRecord]) -> float:
    """From the first start to the last end; the time between two sessions is nobody's."""
    if not trials:
        return 0.0
    begun = min(trial.started_at for trial in trials)
    ended = max(trial.started_at + timedelta(seconds=trial.wall_s) for trial in trials)
    return (ended - begun).total_seconds()


def _extended(sessions: Sequence[Session]) -> tuple[str, ...]:
    return tuple(
        f"extended after looking, from {before.max_rounds} to {after.max_rounds} rounds at launch "
        f"{after.trials_before + 1}; the evidence stays valid"
        for before, after in pairwise(sessions)
        if after.max_rounds > before.max_rounds
    )


def parameters_now(plan: Plan, sessions: Sequence[Session]) -> Parameters:
    """The declared procedure with the most rounds as last extended."""
    parameters = plan.design.parameters
    if not sessions or parameters.repeats is not None:
        return parameters
    return parameters.model_copy(update={"max_rounds": sessions[-1].max_rounds})


def rejudged(trials: Sequence[TrialRecord], readings: dict[str, Reading]) -> tuple[TrialRecord, ...]:
    """The same trials with other readings; a trial without one stays as it is."""
    return tuple(
        trial.model_copy(update={"reading": readings[trial.id]}) if trial.id in readings else trial for trial in trials
    )
