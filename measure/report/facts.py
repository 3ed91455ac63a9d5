"""What is said of a record in every form, terminal, Markdown and page: signs, headline, asides, condition and doubts.

Invariant: each fact is put into words in one place; nothing here computes statistics.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from measure.probe.model import Axis
from measure.record.ended import NOT_READ, Ends, ends_by_probe, ends_of, scope_reached
from measure.record.models import SHORT, Arm, Plan, RunRecord, Stop, TrialRecord
from measure.record.store import RUNNING
from measure.report import wording
from measure.report.proof import beyond_sentence
from measure.verdict.finding import FindingKind
from measure.verdict.result import AxisResult, Decision, Effect, Interval
from measure.verdict.vocabulary import Status, ToStage2, Undecided, Unmeasured, Verdict, WhyUndecided


def looks_like(verdict: Verdict) -> Status:
    """The status whose sign and colour a verdict has: a screen that shows nothing has to look as open as it is."""
    return Status.UNDECIDED if isinstance(verdict, ToStage2) else Status(verdict.status)


SIGNS = {
    Status.DIFFERENCE: "≠",
    Status.ZERO_DIFFERENCE: "=",
    Status.UNDECIDED: "?",
    Status.INVALID: "×",
    Status.UNMEASURED: "–",
}
FINDING_STATUS = {
    FindingKind.LOAD_BEARING: Status.DIFFERENCE,
    FindingKind.RESTATEMENT: Status.ZERO_DIFFERENCE,
    FindingKind.REDUNDANT: Status.ZERO_DIFFERENCE,
    FindingKind.UNDECIDED: Status.UNDECIDED,
    FindingKind.TO_STAGE_2: Status.UNDECIDED,
    FindingKind.INVALID: Status.INVALID,
    FindingKind.UNMEASURED: Status.UNMEASURED,
}
PATHS: dict[str, str] = {
    "one-by-view": "all at one path, each in a view of its own",
    "one-in-turn": "all at one path, in turn",
    "own": "each at a path of its own",
}


def status_of_record(record: RunRecord) -> Status | None:
    """The status whose sign and colour the finding has; None for a noise band."""
    if record.result.status == "measured":
        return FINDING_STATUS[record.result.decision.finding.kind]
    return Status.UNMEASURED if record.result.status == "unmeasured" else None


def headline(record: RunRecord) -> tuple[str, tuple[str, ...]]:
    """The finding's word and its sentences, after what a reader has to know to take them for what they are."""
    result = record.result
    if result.status == "measured":
        word: str = result.decision.finding.kind.value
        sentences = wording.finding_sentences(result.decision.finding)
        beyond = beyond_sentence(record.plan.proof if record.plan else None)
        if beyond is not None and result.decision.finding.kind in (FindingKind.REDUNDANT, FindingKind.RESTATEMENT):
            sentences = (*sentences, beyond)
    elif result.status == "band":
        word = "noise band"
        sentences = ("Both arms were identical: this is how far an arm lies from itself, and says nothing of a line.",)
    else:
        word = "unmeasured"
        sentences = unmeasured_sentences(record, result)
    return word, (*caveats(record), *(() if record.complete else (interrupted(record),)), *sentences)


def caveats(record: RunRecord) -> tuple[str, ...]:
    """What would mislead if it stood anywhere but by the finding."""
    changed = "The workspace was not the same after the run; this is about it as it stood before."
    return (
        *(f"Warning: {text}." for text in record.at_odds),
        *((changed,) if record.workspace_changed else ()),
    )


def unmeasured_sentences(record: RunRecord, result: Unmeasured) -> tuple[str, ...]:
    """Why there is no measurement; that all failures lie in one arm is no small thing, and no verdict either."""
    said = wording.unmeasured_sentence(result)
    if record.plan is None or not ends_of(record.plan.contrast, record.trials).one_sided:
        return (said,)
    return (said.removesuffix(f" {wording.NOTHING_SAID}"), ONE_SIDED)


ONE_SIDED = "Only one arm failed, and always: that may itself hang on the line, but it is no verdict on it."


def ended(record: RunRecord) -> tuple[tuple[str, str, str], ...]:
    """For a run without a verdict: each probe's outcomes with the line and without it. Empty where it has one."""
    if record.plan is None or record.result.status != "unmeasured":
        return ()
    rows = ends_by_probe(record.plan, record.trials)
    return tuple(
        (probe, _ends(ends.with_), _ends(ends.without))
        for probe, ends in rows
        if ends.with_.launches or ends.without.launches
    )


def _ends(ends: Ends) -> str:
    parts = [f"{name.removeprefix('option:')} {number}" for name, number in ends.answers.most_common()]
    parts += [f"{name} {number}" for name, number in ends.missing.most_common()]
    return ", ".join(parts) or "no launch"


def usd_per_launch(record: RunRecord) -> float | None:
    """What a launch cost on average, in US dollars as the client reports it; None where it reports nothing."""
    spending = record.spending
    return spending.cost_usd / spending.launches if spending.cost_usd and spending.launches else None


def axis_shown(
    result: AxisResult, decision: Decision, usd_per_launch: float | None = None
) -> tuple[Status, str, tuple[str, ...]]:
    """Whose sign and colour an axis has, its word and its sentences."""
    if isinstance(result.verdict, ToStage2):
        return looks_like(result.verdict), result.verdict.status, (wording.SCREENED,)
    sentences = wording.axis_sentences(result, decision.parameters, usd_per_launch)
    if decision.stage == 1:
        # Nor is it worth more launches to have it show nothing for certain.
        sentences = tuple(text for text in sentences if Status.ZERO_DIFFERENCE not in text)
    return looks_like(result.verdict), result.verdict.status, sentences


def interrupted(record: RunRecord) -> str:
    """That the run did not do all it planned, and how far it got."""
    planned = 0
    if record.plan is not None:
        planned = 2 * len(record.plan.probes) * record.plan.design.parameters.rounds_at_most
    made = f"{len(record.trials)} of at most {planned} launches were made; this is what they show"
    if record.stop is not None and record.stop.reason == RUNNING:
        return f"Under way: {made} so far."
    return f"{'Interrupted' if record.stop is None else 'Ended early'}: {made}."


def counts(of: dict[str, int], invalid: int, set_aside: int = 0) -> str:
    """Answers of one arm, by outcome; `set_aside` are those of pairs that leaked."""
    parts = [f"{name.removeprefix('option:')} {number}" for name, number in of.items() if number]
    if invalid:
        parts.append(f"no answer {invalid}")
    if set_aside:
        parts.append(f"set aside {set_aside}")
    return ", ".join(parts) or "n/a (0 valid)"


def shift(effect: Effect | None) -> str:
    """The observed shift with its interval, in points."""
    if effect is None:
        return "n/a"
    low = -1.0 if effect.interval.low <= -0.99 else effect.interval.low
    high = 1.0 if effect.interval.high >= 0.99 else effect.interval.high
    ends = f"{wording.signed_points(low)}…{wording.signed_points(high)}"
    return f"{wording.signed_points(effect.point)} ({ends})"


def not_excluded(excluded: Interval | None) -> str:
    """The shifts that complete rounds leave open, in points."""
    if excluded is None or (excluded.low <= -1 and excluded.high >= 1):
        return "any"
    return f"{wording.signed_points(excluded.low)}…{wording.signed_points(excluded.high)}"


def asides(record: RunRecord, result: AxisResult) -> tuple[str, ...]:
    """Launches that do not count, reports of a missing provision, how steady the arms were, and the band."""
    found = []
    if invalid := _invalid(record, result.axis):
        found.append(f"Launches that do not count: {invalid}.")
    if holes := _holes(record, result.axis):
        found.append(holes)
    if result.steadiness.of:
        found.append(
            f"An arm against itself in successive rounds: {result.steadiness.flips} of {result.steadiness.of} answers "
            "changed."
        )
    found.append(
        f"Noise band: run {result.band}." if result.band else "Noise band: none was measured for this condition."
    )
    return tuple(found)


def _mine(record: RunRecord, axis: Axis) -> Iterable[TrialRecord]:
    assert record.plan is not None
    mine = {entry.probe.id for entry in record.plan.probes if entry.probe.axis is axis}
    return (trial for trial in record.trials if trial.probe in mine)


def _invalid(record: RunRecord, axis: Axis) -> str:
    assert record.plan is not None
    found = Counter(
        (trial.arm, trial.invalid.reason.value) for trial in _mine(record, axis) if trial.invalid is not None
    )
    with_arm = record.plan.contrast.with_arm
    return ", ".join(
        f"{number} x {reason} {'with' if arm is with_arm else 'without'} the line"
        for (arm, reason), number in sorted(found.items(), key=lambda item: (-item[1], item[0]))
    )


def _holes(record: RunRecord, axis: Axis) -> str | None:
    """Reports of a missing provision: a column of their own, never an effect. None where there is no report."""
    assert record.plan is not None
    arms = [
        trial.arm
        for trial in _mine(record, axis)
        if trial.reading is not None and trial.reading.hole_report is not None
    ]
    if not arms:
        return None
    with_line = arms.count(record.plan.contrast.with_arm)
    return (
        f"Reports that a provision is missing, counted apart, they decide nothing: {with_line} with the line, "
        f"{len(arms) - with_line} without it."
    )


def condition(record: RunRecord) -> tuple[tuple[str, str], ...]:
    """What was held fixed and what it cost, as names and values."""
    plan = record.plan
    if plan is None:
        return ()
    fixed = plan.condition
    answered = sorted({trial.model_answered for trial in record.trials if trial.model_answered and trial.reading})
    client = f"{fixed.client} {fixed.client_version}"
    if fixed.client == "simulated":
        client += " (a stand-in: says nothing about any model)"
    spending = record.spending
    return (
        (
            "model",
            fixed.model + (f", answered as {', '.join(answered)}" if answered not in ([fixed.model], []) else ""),
        ),
        ("client", client),
        (
            "condition",
            (
                f"{fixed.name}, stage {fixed.stage}, {wording.count(fixed.max_turns, 'turn')}, "
                f"held by {fixed.containment}, {PATHS[fixed.paths]}"
            ),
        ),
        ("workspace", plan.surface.workspace),
        *((("together", _together(plan)),) if plan.together else ()),
        ("launches", _launches(record)),
        ("stopped", _stopped(record)),
        (
            "cost",
            "not reported by the client"
            if spending.cost_usd is None
            else f"{spending.cost_usd:.4f} USD, as the client reports it",
        ),
        (
            "tokens",
            (
                f"{spending.input_tokens} in, {spending.cache_creation_input_tokens} cache written, "
                f"{spending.cache_read_input_tokens} cache read, {spending.output_tokens} out"
            ),
        ),
        ("time", f"{spending.wall_s:.1f} s, from {record.created:%Y-%m-%d %H:%M} UTC"),
        ("order", f"seed {plan.design.seed}; {_balance(record)}"),
        ("judge", plan.judge_version),
    )


def _together(plan: Plan) -> str:
    others = [run_id for run_id in plan.together if run_id != plan.run_id]
    until = {
        "together": "; a line goes on until its verdict stands with all of them counted, or its rounds are used up",
        "alone": "; a line goes on until its verdict stands for itself, or its rounds are used up",
    }
    rule = until[plan.design.settle] if plan.design.parameters.repeats is None else ""
    return (
        f"with {wording.count(len(others), 'other line')}, sharing the launches in the baseline{rule}: "
        f"{', '.join(others)}"
    )


def _launches(record: RunRecord) -> str:
    made, shared = record.spending.launches, record.spending.shared
    invalid = sum(trial.invalid is not None for trial in record.trials)
    words = "does" if invalid == 1 else "do"
    told = f"{made}, of which {invalid} {words} not count" if invalid and not shared else f"{made}"
    if shared:
        told += f" and {shared} that are counted with another of the lines measured together"
        told += f"; {invalid} {words} not count" if invalid else ""
    unread = Counter(
        trial.reading.kind.value for trial in record.trials if trial.reading and trial.reading.kind in NOT_READ
    )
    if unread:
        kinds = ", ".join(f"{kind} {number}" for kind, number in unread.most_common())
        told += f"; {wording.count(unread.total(), 'answer')} could not be read as one ({kinds})"
    return told if invalid or unread or not record.trials else f"{told}, all valid"


STOPS = {
    "settled": "settled",
    SHORT: "all rounds made; its verdict stands for itself, not with all lines counted",
    "cap": "still open when no whole round was left",
    "repeats-done": "all rounds of the fixed design made",
    "invalid": "no valid verdict could come of it any more",
    "failing": "ended early, since launches failed",
    "budget": "ended early, at the limit of money",
    "launches": "ended early, at the limit of launches",
    "rate-limit": "ended early, since the account is still refused",
    RUNNING: "not yet",
    "lock-lost": "ended early, since another run took over",
    "no-agent": "not begun",
    "tree-being-edited": "not begun",
}


def _stopped(record: RunRecord) -> str:
    stop = record.stop
    if stop is None:
        return "cut off; nobody could say why"
    late = sum(trial.block > stop.last_block for trial in record.trials) if stop.last_block is not None else 0
    parts = [
        f"{_reason(record, stop)}{f' ({stop.detail})' if stop.detail else ''}",
        f"{wording.launches(stop.not_launched)} not made" if stop.not_launched else "",
        f"{late} under way then and not counted" if late else "",
        f"the limit ends {stop.resets_at:%Y-%m-%d %H:%M %Z}" if stop.resets_at else "",
    ]
    return "; ".join(part for part in parts if part)


def _reason(record: RunRecord, stop: Stop) -> str:
    result = record.result
    axes = result.decision.axes if result.status == "measured" else ()
    if stop.reason == "settled" and any(
        isinstance(axis.verdict, Undecided) and axis.verdict.because is WhyUndecided.BAND for axis in axes
    ):
        return "settled but for the noise band, which no further launch changes"
    return STOPS.get(stop.reason, stop.reason)


def _balance(record: RunRecord) -> str:
    # Of a block that several lines share, only two launches are this line's pair.
    tried = sorted((trial for trial in record.trials if trial.attempt == 1), key=lambda trial: -trial.member)
    first = Counter({trial.block: trial.arm for trial in tried}.values())
    return f"baseline went first in {wording.count(first[Arm.BASELINE], 'pair')}, variant in {first[Arm.VARIANT]}"


def scope_sentences(record: RunRecord) -> tuple[str, ...]:
    """How many probes of those that exist were measured, and what is left out; of an unmeasured run, what was to be."""
    of = scope_reached(record)
    if record.plan is None or of is None:
        return ()
    number, verb = of.probes_measured, "measured"
    if record.result.status == "unmeasured":
        number, verb = record.plan.scope.probes_measured, "were to be put"
    return (
        f"{number} of {wording.count(of.probes_given, 'probe')} {verb}; chosen: {of.selection}.",
        *(f"Left unmeasured: {text}" for text in of.unmeasured),
    )


def scope(record: RunRecord) -> tuple[str, ...]:
    """What the verdict can speak for, with the claims that the probes were derived from."""
    if record.plan is None:
        return ()
    claims = dict.fromkeys(entry.probe.claim.strip() for entry in record.plan.probes)
    return (*scope_sentences(record), *(f"Claim: {claim}" for claim in claims))


def doubts(record: RunRecord) -> tuple[str, ...]:
    """What a reader should know before trusting it, each once."""
    notices = [*record.warnings]
    if record.set_aside:
        lines = wording.count(record.set_aside, "torn line")
        notices.append(f"{lines} of the journal {'was' if record.set_aside == 1 else 'were'} set aside")
    if record.plan is not None:
        surface = record.plan.surface
        notices += list(surface.notices)
        notices += [f"taken out of both arms: {name}" for name in surface.settings_removed]
        notices += list(record.plan.condition.notes)
        if record.plan.proof is not None:
            notices += list(record.plan.proof.notices)
    return tuple(dict.fromkeys(notices))
