"""Sentences about a decision, for people.

Invariant: a sentence says what is excluded, for which probes and from how many pairs; it never turns silence into a
negative or a screen into grounds for dropping a line. No statistics here: every number was computed by the decision.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from measure.probe.model import Axis
from measure.verdict.band import Band
from measure.verdict.finding import Finding, FindingKind
from measure.verdict.parameters import Parameters
from measure.verdict.resolution import AxisResolution, Resolution
from measure.verdict.result import AxisResult, Decision, Interval, ProbeResult, Settling
from measure.verdict.vocabulary import (
    Difference,
    Invalid,
    Status,
    ToStage2,
    Undecided,
    Unmeasured,
    Verdict,
    WhyInvalid,
    WhyUndecided,
    WhyUnmeasured,
    ZeroDifference,
)

AXIS_NAMES = {Axis.CONTENT: "content", Axis.BEHAVIOR: "behavior"}

UNMEASURED_WORDS = {
    WhyUnmeasured.SPEND_LIMIT: "the spend limit was reached",
    WhyUnmeasured.OUTSIDE_FIRING_CONDITION: "the change does not meet the firing condition",
    WhyUnmeasured.NOTHING_TO_PROBE: "nothing in the change could be probed",
    WhyUnmeasured.TREE_BEING_EDITED: "the tree was being edited meanwhile",
    WhyUnmeasured.NO_AGENT: "no agent was available",
    WhyUnmeasured.CLIENT_FAILED: "launches failed",
    WhyUnmeasured.OTHER: "another reason",
}

INVALID_WORDS = {
    WhyInvalid.DAMAGED: "too many pairs lack an answer",
    WhyInvalid.ARMS_FAIL_DIFFERENTLY: "launches fail more often in one arm than in the other",
    WhyInvalid.VOID: "answers only reported a missing provision, so the probe leaked; reword it",
    WhyInvalid.ARMS_DIFFER: "the arms differ in more than the one place",
    WhyInvalid.BAND_GATE: "two identical arms differed under this condition",
}


NOTHING_SAID = "This says nothing about the line."
SCREENED = "No difference was seen, which a screen can't settle: two cloned workspaces have to decide (--stage 2)."


def count(number: int, noun: str) -> str:
    """`1 pair`, `2 pairs`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def points(share: float) -> str:
    """A share as percentage points, without a needless decimal."""
    return count_points(round(100 * share, 1))


def count_points(value: float) -> str:
    """Percentage points with a decimal only where it says something."""
    shown = f"{value:g}"
    return f"{shown} point" if shown == "1" else f"{shown} points"


def signed_points(share: float) -> str:
    """A shift with its sign; a minus as wide as the plus."""
    value = round(100 * share, 1)
    sign = "+" if value > 0 else "−" if value < 0 else ""
    return f"{sign}{abs(value):g}"


def evidence_size(log_e: float) -> str:
    """An e-value from its natural logarithm; powers of ten where a float would not hold it."""
    if log_e < math.log(100_000):
        value = math.exp(log_e)
        return f"{value:.1f}" if value >= 0.05 else "below 0.1"
    exponent = log_e / math.log(10)
    return f"10^{math.floor(exponent)}"


def interval(of: Interval) -> str:
    """The ends of a shift; the edge of the grid reads as the end of the scale."""
    low = -1.0 if of.low <= -0.99 else of.low
    high = 1.0 if of.high >= 0.99 else of.high
    return f"{signed_points(low)} to {signed_points(high)} points"


def confidence(value: float) -> str:
    """`95 %`."""
    return f"{100 * value:g} %"


def unmeasured_sentence(verdict: Unmeasured) -> str:
    """Why there is no measurement."""
    words = UNMEASURED_WORDS[verdict.reason]
    if verdict.reason is WhyUnmeasured.OTHER and verdict.detail is not None:
        return f"Not measured: {verdict.detail}."
    detail = f" ({verdict.detail})" if verdict.detail else ""
    return f"Not measured: {words}{detail}. {NOTHING_SAID}"


def invalid_sentence(verdict: Invalid) -> str:
    """Why a measurement does not count."""
    return f"Invalid: {INVALID_WORDS[verdict.reason]} ({verdict.detail}). It counts neither for nor against the line."


def excluded_phrase(excluded: Interval | None) -> str | None:
    """What the complete rounds rule out so far; None where they rule out nothing."""
    if excluded is None or (excluded.low <= -1 and excluded.high >= 1):
        return None
    sides = []
    if excluded.low > -1:
        sides.append(f"below {signed_points(excluded.low)} points")
    if excluded.high < 1:
        sides.append(f"above {signed_points(excluded.high)} points")
    return " and ".join(sides)


def axis_sentences(result: AxisResult, parameters: Parameters, usd_per_launch: float | None = None) -> tuple[str, ...]:
    """The verdict of one axis, what it excludes, where it stands and what would settle it.

    With `usd_per_launch`, what a launch cost so far on average, the last says what that would cost.
    """
    sentences = [*_axis_verdict(result, parameters)]
    if result.void and result.probes:
        sentences.append(f"Set aside because they leaked and need new wording: {', '.join(result.void)}.")
    if result.damage.pairs:
        sentences.append(f"{_of(result.damage.pairs, result.pairs, 'pair')} {_lack(result.damage.pairs)} an answer.")
    sentences += settling_sentences(
        result.settling, result.verdict, usd_per_launch, fixed=parameters.repeats is not None
    )
    return tuple(sentences)


def _lack(number: int) -> str:
    return "lacks" if number == 1 else "lack"


def _of(part: int, whole: int, noun: str) -> str:
    return f"{part} of {count(whole, noun)}"


def _axis_verdict(result: AxisResult, parameters: Parameters) -> list[str]:
    verdict = result.verdict
    if isinstance(verdict, Unmeasured):
        return [unmeasured_sentence(verdict)]
    if isinstance(verdict, Invalid):
        return [invalid_sentence(verdict)]
    over = count(len(result.probes), "probe")
    if isinstance(verdict, ZeroDifference):
        return [
            f"{_of(result.identical, result.complete, 'pair')} identical in both arms.",
            (
                f"Excluded at {confidence(verdict.confidence)} from n = {count(verdict.n, 'pair')}: an average shift "
                f"of {points(verdict.excludes)} or more over {'this' if over == '1 probe' else 'these'} {over}; "
                f"in any single probe a shift of {points(verdict.excludes_per_probe)} or more."
            ),
            "Not excluded: smaller shifts; shifts on other probes, models or workspaces.",
        ]
    if isinstance(verdict, ToStage2):
        return [SCREENED]
    if isinstance(verdict, Difference):
        return _difference_sentences(verdict, result, over)
    return _undecided_sentences(verdict, result, parameters, over)


def _difference_sentences(verdict: Difference, result: AxisResult, over: str) -> list[str]:
    sentences = [
        (
            f"The arms differ: evidence {evidence_size(verdict.log_e)} where "
            f"{1 / (1 - verdict.confidence):.0f} is needed, from {count(verdict.n, 'pair')} over {over}."
        )
    ]
    if result.effect is not None:
        kind = "shift in common" if result.effect.common_shift else "shift"
        if verdict.average_resolved:
            sentences.append(
                f"Asked-for answers with the line minus without: {signed_points(result.effect.point)} points observed; "
                f"{confidence(verdict.confidence)} interval of the {kind}: {interval(result.effect.interval)}."
            )
        else:
            sentences.append("At least one probe differs; the average shift is not resolved.")
    if result.differing:
        sentences.append(f"Differing on their own: {', '.join(result.differing)}.")
    elif len(result.probes) > 1:
        sentences.append("No single probe can be named yet; the evidence is that of all probes together.")
    if verdict.inside_margin:
        sentences.append("The shift is sure but lies inside the margin.")
    if result.damage.pairs:
        sentences.append("It holds whatever the missing answers were.")
    return sentences


def _undecided_sentences(verdict: Undecided, result: AxisResult, parameters: Parameters, over: str) -> list[str]:
    if verdict.because is WhyUndecided.DAMAGED:
        first = "Undecided: the answers seen differ, but the missing ones could take that away."
    elif verdict.because is WhyUndecided.BAND:
        first = (
            f"Undecided after {count(verdict.n, 'complete pair')} over {over} ({result.identical} identical): no "
            f"difference is shown, and no zero-difference of {points(parameters.margin)} can be claimed where the "
            f"noise band leaves shifts of up to {points(verdict.noise or 1)} between identical arms open."
        )
    else:
        first = (
            f"Undecided after {count(verdict.n, 'complete pair')} over {over} "
            f"({result.identical} identical): neither a difference nor a zero-difference of "
            f"{points(parameters.margin)} is shown."
        )
    ruled_out = excluded_phrase(result.excluded)
    if ruled_out is None:
        return [first, "Nothing is excluded so far."]
    return [first, f"Excluded so far at {confidence(1 - parameters.alpha)} each: average shifts {ruled_out}."]


def probe_sentence(result: ProbeResult) -> str:
    """One probe in one sentence."""
    verdict: Verdict = result.verdict
    if isinstance(verdict, Unmeasured):
        return unmeasured_sentence(verdict)
    if isinstance(verdict, Invalid):
        return invalid_sentence(verdict)
    pairs = count(result.complete, "pair")
    if isinstance(verdict, ToStage2):
        return SCREENED
    if isinstance(verdict, ZeroDifference):
        return (
            f"n = {count(verdict.n, 'pair')}: a shift of {points(verdict.excludes)} or more is excluded at "
            f"{confidence(verdict.confidence)} for this probe."
        )
    shift = "" if result.effect is None else f", observed shift {signed_points(result.effect.point)} points"
    if isinstance(verdict, Difference):
        return f"Differs: evidence {evidence_size(verdict.log_e)} from {pairs}{shift}."
    if verdict.because is WhyUndecided.BAND:
        return f"Undecided for this probe alone after {pairs}{shift}: noise could fill the margin."
    return f"Undecided for this probe alone after {pairs}{shift}."


def settling_sentences(
    ways: Sequence[Settling], verdict: Verdict, usd_per_launch: float | None = None, *, fixed: bool = False
) -> list[str]:
    """What would settle an open axis; an open one without a way within sight says so.

    A `fixed` design can't be extended, so a new run is named.
    """
    if not isinstance(verdict, Undecided):
        return []
    barred = [] if verdict.noise is None else [_barred(verdict.noise)]
    if not ways:
        return barred or ["No realistic number of further pairs would settle it; sharper probes would."]
    return barred + [
        f"If further pairs are {'all identical' if way.assuming == 'identical' else 'like those so far'}, "
        f"{_way(way, usd_per_launch, fixed)} would {_outcome(way)}."
        for way in ways
    ]


def _barred(noise: float) -> str:
    or_margin = "" if noise >= 1 else f", or with a margin of {points(noise)} or more"
    return (
        "No further pairs of this run show a zero-difference; a new run could, under a noise band of more pairs, which "
        f"leaves less open ('measure band … --repeats N'){or_margin}."
    )


FINDING_WORDS = {
    FindingKind.LOAD_BEARING: "Load-bearing on these probes: what the agent does changes with the line.",
    FindingKind.RESTATEMENT: (
        "Restatement on these probes: the text is known from this line only, while a change of conduct as large as the "
        "margin is excluded; something else holds the conduct."
    ),
    FindingKind.REDUNDANT: (
        "Redundant on these probes: a change of conduct as large as the margin is excluded with the rest of the tree "
        "in place."
    ),
    FindingKind.UNDECIDED: "Undecided: the line can be neither kept nor dropped on these grounds.",
    FindingKind.INVALID: "Invalid: the measurement does not count, neither for nor against the line.",
    FindingKind.UNMEASURED: "Unmeasured: nothing was found out about the line.",
    FindingKind.TO_STAGE_2: (
        "To stage 2: the screen showed no difference of its margin, which settles nothing. Two cloned workspaces have "
        "to decide; this is no ground for dropping the line."
    ),
}


def finding_sentences(finding: Finding) -> tuple[str, ...]:
    """The finding and, where the content axis leaves something open, what."""
    sentences = [FINDING_WORDS[finding.kind]]
    decided = finding.kind in (FindingKind.LOAD_BEARING, FindingKind.REDUNDANT, FindingKind.RESTATEMENT)
    if finding.kind is FindingKind.UNDECIDED and finding.behavior in (None, Status.UNMEASURED):
        sentences.append("Content alone decides nothing; put a behavior probe.")
    if decided and finding.content in (None, Status.UNMEASURED, Status.INVALID, Status.UNDECIDED):
        state = "was not measured" if finding.content in (None, Status.UNMEASURED) else f"is {finding.content}"
        sentences.append(f"Whether the text itself can be had from elsewhere {state}.")
    return tuple(sentences)


def decision_sentences(decision: Decision) -> tuple[str, ...]:
    """A whole decision, the finding first."""
    sentences = [*finding_sentences(decision.finding)]
    for result in reversed(decision.axes):
        name = AXIS_NAMES[result.axis].capitalize()
        sentences += [f"{name}: {sentence}" for sentence in axis_sentences(result, decision.parameters)]
    return tuple(sentences)


def _way(way: Settling, usd_per_launch: float | None, fixed: bool) -> str:
    if fixed:
        return f"a new run with --repeats {way.rounds}"
    price = _price(way.launches, usd_per_launch)
    return f"{count(way.pairs, 'more pair')} ({launches(way.launches)}{price}, --max-rounds {way.rounds})"


def _outcome(way: Settling) -> str:
    return "send it on to stage 2" if way.verdict == "to-stage-2" else f"show a {way.verdict}"


def _price(launches: int, usd_per_launch: float | None) -> str:
    return "" if usd_per_launch is None else f", about {launches * usd_per_launch:.2f} USD at what a launch cost so far"


def launches(number: int) -> str:
    """`1 launch`, `2 launches`."""
    return f"{number} launch" if number == 1 else f"{number} launches"


def resolution_sentences(resolution: Resolution, parameters: Parameters) -> tuple[str, ...]:
    """What a plan costs in launches and what it can tell, before it is paid for."""
    sentences = [
        (
            f"{launches(resolution.launches_at_most)} at most; {resolution.launches_if_flipped} if every probe flips, "
            f"{resolution.launches_if_steady} if the arms are equal and steady."
        )
    ]
    for axis in reversed(resolution.axes):
        sentences += axis_resolution(axis, parameters)
    return tuple(sentences)


def axis_resolution(axis: AxisResolution, parameters: Parameters, remedy: str = "add rounds or probes") -> list[str]:
    """What one axis of a plan can exclude at best, when it shows a zero-difference, and when a difference."""
    name = AXIS_NAMES[axis.axis].capitalize()
    if axis.excludes_at_best >= 1:
        best = f"{name}: identical outcomes up to the last round would exclude no shift at all."
    else:
        best = (
            f"{name}: at best it excludes an average shift of {points(axis.excludes_at_best)} and in any single probe "
            f"one of {points(axis.excludes_per_probe_at_best)}."
        )
    if axis.zero_after is None:
        zero = (
            f"{name}: a zero-difference at the margins of {points(parameters.margin)} and, per probe, "
            f"{points(parameters.probe_margin)} is out of reach even with identical outcomes; {remedy}."
        )
    else:
        zero = f"{name}: a zero-difference takes {launches(axis.zero_after)} or more."
    if axis.full_flip_after is None:
        flip = f"{name}: even a flip of every probe would stay undecided; {remedy}."
    else:
        flip = f"{name}: a flip of every probe shows after {launches(axis.full_flip_after)}"
        if axis.probes > 1:
            single = axis.single_flip_after
            flip += "; of one probe only, " + ("not within this plan" if single is None else f"after {single}")
        flip += "."
    return [best, zero, flip]


def band_sentences(band: Band) -> tuple[str, ...]:
    """One axis of a run with identical arms."""
    flips = (
        f"{_of(band.flips, band.pairs, 'pair')} of identical arms came out differently; the share of such flips lies "
        f"between {points(band.flip_rate.low)} and {points(band.flip_rate.high)} at 95 %."
    )
    if band.shift is None:
        shift = "No round is complete, so no shift between identical arms is excluded."
    else:
        shift = (
            f"Between identical arms a mean shift of {points(band.floor)} or more is excluded; margins can't be finer."
        )
    gate = (
        f"Gate passed: evidence {evidence_size(band.log_e_line)} that identical arms differ."
        if band.gate_passed
        else "Gate NOT passed: identical arms differ. The instrument is broken, or this is the one run in twenty."
    )
    return (flips, shift, gate)
