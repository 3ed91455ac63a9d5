"""From ordered pairs to verdicts and the finding.

Invariant: a pure function. The same designs, pairs and parameters give the same decision, byte for byte, and nothing
that tells time, price or place can come in.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, TypeVar

from measure.probe.model import Axis
from measure.verdict.band import Band, bars_zero, excluded, steadiness
from measure.verdict.damage import log_e_failing, shift_limits, worst_line
from measure.verdict.design import Pair, ProbeDesign, in_order
from measure.verdict.evidence import intended_evidence, line_evidence
from measure.verdict.family import e_bh
from measure.verdict.finding import Finding
from measure.verdict.interval import cs_plug
from measure.verdict.look import Look, look_at
from measure.verdict.parameters import Parameters
from measure.verdict.result import (
    AxisResult,
    Counts,
    Damage,
    Decision,
    Effect,
    Evidence,
    Interval,
    ProbeResult,
    Settling,
)
from measure.verdict.settling import settling_of
from measure.verdict.stopping import axes_of
from measure.verdict.vocabulary import (
    Difference,
    Invalid,
    ToStage2,
    Undecided,
    Unmeasured,
    Verdict,
    WhyInvalid,
    WhyUndecided,
    WhyUnmeasured,
    ZeroDifference,
    status_of,
)


def decide(
    designs: Sequence[ProbeDesign],
    pairs: Iterable[Pair],
    parameters: Parameters,
    *,
    stage: Literal[1, 2] = 2,
    unmeasured: Unmeasured | None = None,
    bands: Mapping[Axis, tuple[str, Band]] | None = None,
    arms_differ: str | None = None,
    outlook: bool = True,
) -> Decision:
    """Decide over all pairs whose launches have ended, whatever made the run stop.

    `unmeasured` is the reason to give where an axis has no complete pair (without it: the client failed, or nothing
    was launched). `bands` gives per axis the run a noise band comes from and the band. `arms_differ` says in what
    else than the one place the workspaces differed, if they did. Without `outlook`, ways to settle what is open are
    left out, which take most of the time. Raises ValueError where pairs do not fit the designs.
    """
    ordered = in_order(designs, pairs)
    failing = log_e_failing(ordered, parameters.gamma)
    probes: list[ProbeResult] = []
    axes: list[AxisResult] = []
    for axis in axes_of(designs):
        of_axis = [design for design in designs if design.axis is axis]
        look = look_at(of_axis, ordered, parameters)
        source, band = (bands or {}).get(axis, (None, None))
        barred = _barred(look, parameters, failing, band, arms_differ, unmeasured)
        effect = _effect(look.sound, look.pairs, parameters)
        # A screen claims no zero-difference, so that no band can bar one.
        noise = band.floor if band is not None and stage == 2 and bars_zero(parameters, band) else None
        verdict = barred or _shown(look, effect, parameters, noise)
        differing = _differing(look, parameters) if barred is None else ()
        axes.append(_axis_result(axis, look, parameters, failing, verdict, effect, differing, source, outlook))
        probes += [_probe_result(design, look, parameters, axes[-1], barred, unmeasured, noise) for design in of_axis]
    if stage == 1:
        axes, probes = [_screened_axis(result) for result in axes], [_screened(result) for result in probes]
    status = {result.axis: status_of(result.verdict) for result in axes}
    return Decision(
        stage=stage,
        parameters=parameters,
        finding=Finding.of(stage, status.get(Axis.BEHAVIOR), status.get(Axis.CONTENT)),
        axes=tuple(axes),
        probes=tuple(probes),
    )


Of = TypeVar("Of", AxisResult, ProbeResult)


def _screened(result: Of) -> Of:
    """A result of the cheap screen: what would be a zero-difference sends the line on, and nothing is excluded."""
    update: dict[str, object] = {"excluded": None}
    if isinstance(result.verdict, ZeroDifference):
        update["verdict"] = ToStage2(n=result.verdict.n)
    return result.model_copy(update=update)


def _screened_axis(result: AxisResult) -> AxisResult:
    ways = [
        way.model_copy(update={"verdict": "to-stage-2"}) if way.verdict == "zero-difference" else way
        for way in result.settling
    ]
    evidence = result.evidence.model_copy(update={"zero": None})
    return _screened(result.model_copy(update={"settling": tuple(ways), "evidence": evidence}))


def _barred(
    look: Look,
    parameters: Parameters,
    failing: float,
    band: Band | None,
    arms_differ: str | None,
    unmeasured: Unmeasured | None,
) -> Unmeasured | Invalid | None:
    """What keeps the pairs of an axis from counting, None if nothing does."""
    if not look.sound:
        return Invalid(reason=WhyInvalid.VOID, detail="every probe of the axis leaked")
    if not look.complete:
        return unmeasured or _nothing_complete(look.pairs)
    if arms_differ is not None:
        return Invalid(reason=WhyInvalid.ARMS_DIFFER, detail=arms_differ or "the workspaces differ in a second place")
    if band is not None and not band.gate_passed:
        return Invalid(reason=WhyInvalid.BAND_GATE, detail="two identical arms differed under this condition")
    if failing >= parameters.log_threshold:
        return Invalid(reason=WhyInvalid.ARMS_FAIL_DIFFERENTLY, detail=_missing(look.pairs))
    if not look.healthy(parameters):
        return Invalid(reason=WhyInvalid.DAMAGED, detail=f"{look.damaged} of {len(look.pairs)} pairs lack an answer")
    return None


def _nothing_complete(pairs: Sequence[Pair]) -> Unmeasured:
    if not pairs:
        return Unmeasured(reason=WhyUnmeasured.OTHER, detail="no pair was launched")
    return Unmeasured(reason=WhyUnmeasured.CLIENT_FAILED, detail=f"no complete pair: {_missing(pairs)}")


def _missing(pairs: Sequence[Pair]) -> str:
    with_ = sum(pair.with_ is None for pair in pairs)
    without = sum(pair.without is None for pair in pairs)
    return f"{with_} of {len(pairs)} launches with the line and {without} of {len(pairs)} without it gave no answer"


def _shown(
    look: Look, effect: Effect | None, parameters: Parameters, noise: float | None
) -> Undecided | ZeroDifference | Difference:
    confidence = 1 - parameters.alpha
    if look.shows_difference(parameters):
        if not look.robust(parameters):
            return Undecided(because=WhyUndecided.DAMAGED, n=look.complete, noise=noise)
        return Difference(
            confidence=confidence,
            n=look.complete,
            log_e=look.difference,
            inside_margin=look.shows_zero(parameters),
            average_resolved=_resolved(effect),
        )
    if look.zero is not None and look.shows_zero(parameters):
        if noise is not None:
            return Undecided(because=WhyUndecided.BAND, n=look.complete, noise=noise)
        return ZeroDifference(
            excludes=parameters.margin,
            excludes_per_probe=parameters.probe_margin,
            confidence=confidence,
            n=len(look.balanced),
            log_e=look.zero.least,
        )
    return Undecided(because=WhyUndecided.EVIDENCE, n=look.complete, noise=noise)


def _differing(look: Look, parameters: Parameters) -> tuple[str, ...]:
    """Probes that differ on their own by e-BH; one with missing answers counts with its worst case."""
    log_es: list[float] = []
    for design in look.sound:
        log_e = look.line.probes[design.id]
        own = [pair for pair in look.pairs if pair.probe == design.id]
        if log_e > 0 and any(pair.damaged for pair in own):
            worst = worst_line((design,), own, parameters.gamma)
            log_e = min(log_e, 0.0 if worst is None else worst)
        log_es.append(log_e)
    named = e_bh(log_es, parameters.alpha)
    return tuple(design.id for index, design in enumerate(look.sound) if index in named)


def _axis_result(
    axis: Axis,
    look: Look,
    parameters: Parameters,
    failing: float,
    verdict: Verdict,
    effect: Effect | None,
    differing: tuple[str, ...],
    source: str | None,
    outlook: bool,
) -> AxisResult:
    sound = {design.id for design in look.sound}
    limits = [shift_limits(design, look.pairs) for design in look.sound]
    known = [limit for limit in limits if limit is not None]
    complete_limits = len(known) == len(limits) > 0
    may_settle = outlook and (
        isinstance(verdict, Undecided) or (isinstance(verdict, Invalid) and verdict.reason is WhyInvalid.DAMAGED)
    )
    return AxisResult(
        axis=axis,
        verdict=verdict,
        probes=tuple(sound_design.id for sound_design in look.sound),
        void=tuple(design.id for design in look.designs if design.id not in sound),
        differing=differing,
        pairs=len(look.pairs),
        complete=look.complete,
        rounds=look.rounds,
        identical=sum(not pair.damaged and pair.with_ == pair.without for pair in look.pairs),
        evidence=Evidence(
            pool=look.line.pool,
            product=look.line.product,
            line=look.line.line,
            deciding=look.difference,
            intended=intended_evidence(look.sound, look.pairs, parameters.gamma).line,
            zero=None if look.zero is None else look.zero.least,
        ),
        effect=effect,
        excluded=excluded(look.sound, look.balanced, parameters) if look.rounds else None,
        damage=Damage(
            pairs=look.damaged,
            share=look.damaged_share,
            log_e_failing=failing,
            robust=look.robust(parameters) if look.shows_difference(parameters) else None,
            shift=Interval(
                low=sum(limit[0] for limit in known) / len(known), high=sum(limit[1] for limit in known) / len(known)
            )
            if complete_limits
            else None,
        ),
        steadiness=steadiness(look.sound, look.pairs),
        band=source,
        settling=_settling(look, parameters, verdict) if may_settle else (),
    )


def _settling(look: Look, parameters: Parameters, verdict: Verdict) -> tuple[Settling, ...]:
    """Ways to settle the axis; no number of pairs shows a zero-difference that a noise band bars."""
    ways = settling_of(look, parameters)
    if isinstance(verdict, Undecided) and verdict.noise is not None:
        return tuple(way for way in ways if way.verdict != "zero-difference")
    return ways


def _probe_result(
    design: ProbeDesign,
    look: Look,
    parameters: Parameters,
    axis: AxisResult,
    barred: Unmeasured | Invalid | None,
    unmeasured: Unmeasured | None,
    noise: float | None,
) -> ProbeResult:
    everything = [pair for pair in look.everything if pair.probe == design.id]
    kept = [pair for pair in everything if not pair.void]
    complete = sum(not pair.damaged for pair in kept)
    own_rounds = [pair for pair in look.balanced if pair.probe == design.id]
    effect = _effect((design,), kept, parameters)
    return ProbeResult(
        id=design.id,
        axis=design.axis,
        verdict=_probe_verdict(design, look, parameters, axis, effect, barred, unmeasured, noise),
        counts=Counts(
            with_=_count(design, [pair.with_ for pair in kept]),
            without=_count(design, [pair.without for pair in kept]),
            invalid_with=sum(pair.with_ is None for pair in kept),
            invalid_without=sum(pair.without is None for pair in kept),
        ),
        pairs=len(everything),
        complete=complete,
        damaged=len(kept) - complete,
        void=len(everything) - len(kept),
        log_e=line_evidence((design,), kept, parameters.gamma).line,
        effect=effect,
        excluded=excluded((design,), own_rounds, parameters) if own_rounds else None,
    )


def _probe_verdict(
    design: ProbeDesign,
    look: Look,
    parameters: Parameters,
    axis: AxisResult,
    effect: Effect | None,
    barred: Unmeasured | Invalid | None,
    unmeasured: Unmeasured | None,
    noise: float | None,
) -> Verdict:
    if design.id in axis.void:
        leaked = [pair.void for pair in look.everything if pair.probe == design.id]
        return Invalid(reason=WhyInvalid.VOID, detail=f"{sum(leaked)} of {len(leaked)} pairs")
    if isinstance(barred, Invalid):
        return barred
    own = [pair for pair in look.pairs if pair.probe == design.id]
    complete = sum(not pair.damaged for pair in own)
    if not complete:
        return unmeasured or _nothing_complete(own)
    if len(look.sound) == 1 and isinstance(axis.verdict, Undecided | ZeroDifference | Difference):
        return axis.verdict  # the axis is this probe
    confidence = 1 - parameters.alpha
    log_e = look.line.probes[design.id]
    if design.id in axis.differing:
        return Difference(confidence=confidence, n=complete, log_e=log_e, average_resolved=_resolved(effect))
    noise = noise if noise is not None and noise > parameters.probe_margin else None
    if look.zero is not None and look.zero.probes[design.id] >= parameters.log_threshold:
        if noise is not None:
            return Undecided(because=WhyUndecided.BAND, n=complete, noise=noise)
        return ZeroDifference(
            excludes=parameters.probe_margin,
            excludes_per_probe=parameters.probe_margin,
            confidence=confidence,
            n=look.rounds,
            log_e=look.zero.probes[design.id],
        )
    return Undecided(because=WhyUndecided.EVIDENCE, n=complete, noise=noise)


def _count(design: ProbeDesign, answers: Sequence[int | None]) -> dict[str, int]:
    return {name: answers.count(index) for index, name in enumerate(design.categories)}


def _coded(designs: Sequence[ProbeDesign], pairs: Iterable[Pair]) -> list[tuple[int, int]]:
    """Complete pairs as asked-for (1) or not (0)."""
    asked = {design.id: design.asked_for for design in designs}
    return [
        (int(pair.with_ == asked[pair.probe]), int(pair.without == asked[pair.probe]))
        for pair in pairs
        if not pair.damaged and not pair.void
    ]


def _resolved(effect: Effect | None) -> bool:
    """The interval of the shift leaves 0 out."""
    return effect is not None and (effect.interval.low > 0 or effect.interval.high < 0)


def _effect(designs: Sequence[ProbeDesign], pairs: Sequence[Pair], parameters: Parameters) -> Effect | None:
    """Mean over the probes of the difference of shares among complete pairs; probes without one are left out."""
    shifts: list[float] = []
    for design in designs:
        coded = _coded((design,), [pair for pair in pairs if pair.probe == design.id])
        if coded:
            shifts.append(sum(with_ - without for with_, without in coded) / len(coded))
    if not shifts:
        return None
    low, high = cs_plug(_coded(designs, pairs), parameters.alpha, parameters.gamma)
    return Effect(point=sum(shifts) / len(shifts), interval=Interval(low=low, high=high), common_shift=len(designs) > 1)
