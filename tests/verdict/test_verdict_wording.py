"""What sentences to people may never say, over generated decisions; and what each must carry."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measure.probe.model import Axis
from measure.report import wording
from measure.verdict.band import measure_band
from measure.verdict.decide import decide
from measure.verdict.finding import Finding, FindingKind
from measure.verdict.parameters import CHEAP, STANDARD, Parameters
from measure.verdict.resolution import resolve
from measure.verdict.result import Decision
from measure.verdict.vocabulary import Invalid, Status, Unmeasured, WhyInvalid, WhyUnmeasured, ZeroDifference
from tests.verdict.planted import panel, rounds

FORBIDDEN = re.compile(
    r"\bno effect\b|\bdead\b|safe to (delete|remove|drop)|does nothing|\bno problem\b", re.IGNORECASE
)


def said(decision: Decision) -> str:
    return "\n".join([*wording.decision_sentences(decision), *map(wording.probe_sentence, decision.probes)])


letters = st.one_of(st.just("==="), st.text("=#+-wox.v", min_size=3, max_size=3))


@settings(deadline=None, max_examples=20)
@given(
    st.lists(letters, max_size=6),
    st.lists(st.text("=#+-wox", min_size=3, max_size=3), max_size=4),
    st.booleans(),
    st.sampled_from([STANDARD, CHEAP, Parameters(repeats=2)]),
)
def test_nothing_is_ever_called_dead_or_without_effect(
    behaving: list[str], quoting: list[str], screen: bool, parameters: Parameters
) -> None:
    first = rounds(*behaving)
    content = rounds(*quoting, axis=Axis.CONTENT, first=len(first))
    designs = [*panel(3), *panel(3, Axis.CONTENT)]
    decision = decide(designs, [*first, *content], parameters, stage=1 if screen else 2)
    text = said(decision)
    assert not FORBIDDEN.search(text)
    for axis in decision.axes:
        sentences = " ".join(wording.axis_sentences(axis, parameters))
        words = {status for status in Status if status in sentences.lower().replace("not measured", "unmeasured")}
        if isinstance(axis.verdict, Unmeasured):
            assert Status.ZERO_DIFFERENCE not in words
            assert "excluded" not in sentences.lower()
        if isinstance(axis.verdict, ZeroDifference):
            assert wording.points(axis.verdict.excludes) in sentences
            assert f"n = {axis.verdict.n} " in sentences
    if screen and decision.finding.kind is FindingKind.TO_STAGE_2:
        assert "settles nothing" in text


@pytest.mark.parametrize("probes", [1, 2, 5])
@pytest.mark.parametrize("parameters", [STANDARD, CHEAP, Parameters(repeats=1), Parameters(margin=0.05)])
def test_a_plan_is_told_without_promising(probes: int, parameters: Parameters) -> None:
    designs = [*panel(probes), *panel(probes, Axis.CONTENT)]
    text = "\n".join(wording.resolution_sentences(resolve(designs, parameters), parameters))
    assert not FORBIDDEN.search(text)
    assert str(4 * probes * parameters.rounds_at_most) in text


def test_an_undecided_for_its_noise_band_says_so_and_what_would_help() -> None:
    band = measure_band(panel(), rounds("+-===", "=====", "====="), STANDARD)
    assert band is not None
    for probes in (1, 5):
        pairs = rounds(*["=" * probes] * (15 // probes))
        decision = decide(panel(probes), pairs, STANDARD, bands={Axis.BEHAVIOR: ("r1", band)})
        text = " ".join(wording.decision_sentences(decision))
        assert "noise band" in wording.axis_sentences(decision.axes[0], STANDARD)[0]
        assert wording.points(band.floor) in text
        assert "measure band" in text
        assert not FORBIDDEN.search(text)
        told = wording.probe_sentence(decision.probes[0])
        assert ("noise" in told) is (probes == 1)


def test_every_reason_and_every_finding_has_its_words() -> None:
    texts = [wording.unmeasured_sentence(Unmeasured(reason=reason, detail="x")) for reason in WhyUnmeasured]
    texts += [wording.invalid_sentence(Invalid(reason=reason, detail="x")) for reason in WhyInvalid]
    for stage, never in ((1, Status.ZERO_DIFFERENCE), (2, Status.TO_STAGE_2)):
        states: list[Status | None] = [None, *(status for status in Status if status is not never)]
        for behavior, content in itertools.product(states, states):
            texts += wording.finding_sentences(Finding.of(1 if stage == 1 else 2, behavior, content))
    assert not FORBIDDEN.search("\n".join(texts))
    assert set(wording.FINDING_WORDS) == set(FindingKind)


def test_the_zero_of_three_rounds_says_what_it_excludes() -> None:
    decision = decide(panel(), rounds(*["=#=#="] * 3), STANDARD)
    text = " ".join(wording.axis_sentences(decision.axes[0], STANDARD))
    for part in ("15 of 15 pairs", "n = 15 pairs", "20 points", "70 points", "5 probes", "95 %"):
        assert part in text


def test_an_unresolved_result_ends_with_what_would_settle_it() -> None:
    decision = decide(panel(), rounds(*["====="] * 2), STANDARD)
    last = wording.axis_sentences(decision.axes[0], STANDARD)[-1]
    for part in ("5 more pairs", "10 launches", "--max-rounds 3"):
        assert part in last


def test_missing_answers_are_named_in_the_sentence() -> None:
    decision = decide(panel(), rounds("=====", "=====", "=====", "====w"), STANDARD)
    assert "1 of 20 pairs" in " ".join(wording.axis_sentences(decision.axes[0], STANDARD))


@pytest.mark.parametrize(("log_e", "shown"), [(0.0, "1.0"), (3.0, "20.1"), (1360.0, "10^590"), (-9.0, "below 0.1")])
def test_evidence_of_any_size_can_be_shown(log_e: float, shown: str) -> None:
    assert wording.evidence_size(log_e) == shown


def test_the_ends_of_the_grid_read_as_the_ends_of_the_scale() -> None:
    flipped = decide(panel(1), [replace(pair) for pair in rounds(*["+"] * 5)], STANDARD).axes[0]
    assert flipped.effect is not None
    assert wording.interval(flipped.effect.interval) == "+22 to +100 points"
