"""From pairs to verdicts: the worked examples, damaged and void pairs, and what may never be said."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measure.probe.model import Axis
from measure.verdict.band import Band, measure_band
from measure.verdict.decide import decide
from measure.verdict.design import Pair, ProbeDesign
from measure.verdict.parameters import CHEAP, STANDARD, Parameters
from measure.verdict.result import AxisResult, Decision
from measure.verdict.vocabulary import (
    Difference,
    Invalid,
    ToStage2,
    Undecided,
    Unmeasured,
    WhyInvalid,
    WhyUndecided,
    WhyUnmeasured,
    ZeroDifference,
)
from tests.verdict.planted import panel, rounds, topups


def behavior(pairs: list[Pair], parameters: Parameters = STANDARD, probes: int = 5) -> AxisResult:
    result = decide(panel(probes), pairs, parameters).axis(Axis.BEHAVIOR)
    assert result is not None
    return result


@pytest.mark.parametrize(
    ("rows", "parameters", "status"),
    [
        (["=#=#="] * 3, STANDARD, "zero-difference"),
        (["====="] * 2, STANDARD, "undecided"),
        (["====="] * 2, CHEAP, "zero-difference"),
        (["+++++"], STANDARD, "difference"),
        (["-----"], STANDARD, "difference"),
        (["++++="], STANDARD, "undecided"),
        (["=++++"], STANDARD, "undecided"),
        (["=====", "=====", "====+"], STANDARD, "undecided"),
        (["+===="] * 5, STANDARD, "difference"),
        (["+===="] * 4, STANDARD, "undecided"),
        (["++--="] * 3, STANDARD, "difference"),
    ],
)
def test_worked_verdicts(rows: list[str], parameters: Parameters, status: str) -> None:
    assert behavior(rounds(*rows), parameters).verdict.status == status


def test_the_order_is_the_scheduled_number_however_the_pairs_arrive() -> None:
    pairs = rounds("+++=+", "=+++=", "+==++")
    expected = decide(panel(), pairs, STANDARD)
    for seed in range(5):
        assert decide(panel(), random.Random(seed).sample(pairs, len(pairs)), STANDARD) == expected
    # Other numbers are another order, and another order is other evidence.
    turned = [replace(pair, seq=14 - pair.seq) for pair in pairs]
    assert decide(panel(), turned, STANDARD).axes[0].evidence != expected.axes[0].evidence


def test_a_zero_is_claimed_at_the_end_of_a_round_only() -> None:
    """Fifteen identical pairs would do, but with four probes they end inside the fourth round."""
    inside = behavior(rounds("====", "====", "====", "===."), probes=4)
    assert isinstance(inside.verdict, Undecided)
    assert inside.complete == 15
    ended = behavior(rounds("====", "====", "====", "===="), probes=4)
    assert isinstance(ended.verdict, ZeroDifference)
    assert ended.verdict.n == 16


def test_top_ups_count_for_a_difference_and_never_for_a_zero() -> None:
    suspicious = rounds(*["+===="] * 3)
    assert isinstance(behavior(suspicious).verdict, Undecided)
    assert isinstance(behavior([*suspicious, *topups("b0", "++", 15)]).verdict, Difference)
    steady = rounds("=====", "=====")
    one_each = [pair for i in range(5) for pair in topups(f"b{i}", "=", 10 + i)]
    assert isinstance(behavior([*steady, *one_each]).verdict, Undecided)
    assert isinstance(behavior(rounds(*["====="] * 3)).verdict, ZeroDifference)


def test_one_flipped_probe_never_hides_in_a_wide_margin() -> None:
    wide = STANDARD.model_copy(update={"margin": 0.65})
    result = behavior(rounds(*["+===="] * 4), wide)
    assert isinstance(result.verdict, Undecided)


def test_a_zero_carries_what_it_excludes_and_its_n() -> None:
    verdict = behavior(rounds(*["====="] * 3)).verdict
    assert isinstance(verdict, ZeroDifference)
    assert (verdict.excludes, verdict.excludes_per_probe, verdict.n) == (0.2, 0.7, 15)


def test_a_difference_names_probes_by_e_bh_and_says_when_the_average_is_open() -> None:
    opposite = behavior(rounds(*["++--="] * 3))
    assert isinstance(opposite.verdict, Difference)
    assert not opposite.verdict.average_resolved
    alone = behavior(rounds(*["+===="] * 5))
    assert alone.differing == ("b0",)
    together = behavior(rounds("+++++"))
    assert together.differing == ()


def test_a_sure_difference_inside_the_margin_is_flagged() -> None:
    """Every probe flips once in six rounds and always the same way: sure, and not large anywhere."""
    rows = ["".join("+" if (i + r) % 6 == 0 else "=" for i in range(18)) for r in range(6)]
    loose = Parameters(margin=0.6, probe_margin=0.9)
    inside = behavior(rounds(*rows), loose, probes=18).verdict
    assert isinstance(inside, Difference)
    assert inside.inside_margin
    outside = behavior(rounds(*rows), loose.model_copy(update={"margin": 0.05}), probes=18).verdict
    assert isinstance(outside, Difference)
    assert not outside.inside_margin


@pytest.mark.parametrize("categories", [3, 6])
def test_unused_categories_change_nothing(categories: int) -> None:
    few = decide(panel(), rounds(*["+==#="] * 3), STANDARD).axes[0]
    many = decide(panel(categories=categories), rounds(*["+==#="] * 3), STANDARD).axes[0]
    assert few.evidence == many.evidence


def test_three_options_part_behind_the_asked_for_one() -> None:
    pairs = [replace(pair, with_=0, without=2) for pair in rounds(*["====="] * 3)]
    result = decide(panel(categories=3), pairs, STANDARD).axes[0]
    assert not isinstance(result.verdict, ZeroDifference)


# Damaged pairs


def test_a_missing_answer_is_not_a_negative() -> None:
    """Ten answers with the line, none without: nothing was measured, and it is not 100 against 0 percent."""
    result = behavior(rounds("wwwww", "wwwww"))
    assert isinstance(result.verdict, Unmeasured)
    assert result.verdict.reason is WhyUnmeasured.CLIENT_FAILED
    assert result.effect is None
    assert result.evidence.line == 0.0


def test_a_few_missing_answers_leave_the_evidence_of_the_others() -> None:
    whole, gaps = behavior(rounds("+++++", "+++++")), behavior(rounds("+++++", "+++++", "w...."))
    assert gaps.damage.pairs == 1
    assert isinstance(gaps.verdict, Difference)
    assert gaps.evidence.line == whole.evidence.line
    assert gaps.effect == whole.effect


def test_a_difference_that_missing_answers_could_take_away_is_undecided() -> None:
    thin = behavior(rounds("+++++", "o...."))
    assert thin.evidence.line >= STANDARD.log_threshold
    assert thin.damage.robust is False
    assert isinstance(thin.verdict, Undecided)
    assert thin.verdict.because is WhyUndecided.DAMAGED
    sure = behavior(rounds("+++++", "+++++", "o...."))
    assert sure.damage.robust is True
    assert isinstance(sure.verdict, Difference)


def test_a_zero_with_a_missing_answer_needs_spare_rounds() -> None:
    """Nineteen identical pairs of twenty: the missing one could have been anything."""
    assert isinstance(behavior(rounds(*["====="] * 3, "====w")).verdict, Undecided)
    assert isinstance(behavior(rounds(*["====="] * 9, "====w")).verdict, ZeroDifference)


def test_too_many_damaged_pairs_are_invalid() -> None:
    over = behavior(rounds("+++++", "+++++", "wwoo+"))
    assert isinstance(over.verdict, Invalid)
    assert over.verdict.reason is WhyInvalid.DAMAGED
    exactly = behavior(rounds("+++++", "+++++", "woo++"))
    assert not isinstance(exactly.verdict, Invalid)


def test_arms_that_fail_differently_are_invalid_at_any_share() -> None:
    at_once = behavior(rounds(*["====="] * 4, "wwwww", "w===="))
    assert at_once.damage.share <= 0.2
    assert isinstance(at_once.verdict, Invalid)
    assert at_once.verdict.reason is WhyInvalid.ARMS_FAIL_DIFFERENTLY


def test_bounds_of_the_shift_hold_whatever_was_missing() -> None:
    shift = behavior(rounds("++++w", "+++++")).damage.shift
    assert shift is not None
    assert shift.low == pytest.approx(0.9)
    assert shift.high == pytest.approx(1.0)


# Void probes


def test_a_probe_that_leaked_is_set_aside_and_never_a_difference() -> None:
    result = decide(panel(), rounds("v====", *["+===="] * 6), STANDARD)
    axis = result.axis(Axis.BEHAVIOR)
    assert axis is not None
    assert axis.void == ("b0",)
    assert "b0" not in axis.probes
    assert isinstance(axis.verdict, ZeroDifference)
    verdict = next(probe for probe in result.probes if probe.id == "b0").verdict
    assert isinstance(verdict, Invalid)
    assert verdict.reason is WhyInvalid.VOID


def test_setting_a_leaked_probe_aside_can_take_a_difference_but_not_make_one() -> None:
    """Without the leaked probe the rest reach the threshold; but that choice came after its answers."""
    leaked = behavior(rounds("=++", "=++", "v.."), probes=3)
    assert leaked.evidence.line >= STANDARD.log_threshold > leaked.evidence.deciding
    assert isinstance(leaked.verdict, Undecided)
    assert isinstance(behavior(rounds("=++", "=++", "v++"), probes=3).verdict, Difference)


def test_an_axis_of_leaked_probes_only_is_invalid() -> None:
    result = behavior(rounds("vvvvv"))
    assert isinstance(result.verdict, Invalid)
    assert result.verdict.reason is WhyInvalid.VOID


# Axes, reasons, bands


def test_axes_are_never_pooled() -> None:
    both = [*panel(), *panel(axis=Axis.CONTENT)]
    pairs = rounds(*["====="] * 3) + rounds(*["+++++"] * 3, axis=Axis.CONTENT, first=15)
    result = decide(both, pairs, STANDARD)
    alone = decide(panel(), pairs[:15], STANDARD)
    assert result.axis(Axis.BEHAVIOR) == alone.axis(Axis.BEHAVIOR)
    assert result.finding.kind == "restatement"


def test_an_axis_without_a_pair_gives_the_reason_it_was_told() -> None:
    reason = Unmeasured(reason=WhyUnmeasured.SPEND_LIMIT)
    result = decide([*panel(), *panel(axis=Axis.CONTENT)], rounds("+++++"), STANDARD, unmeasured=reason)
    content = result.axis(Axis.CONTENT)
    assert content is not None
    assert content.verdict == reason
    nothing = decide(panel(), [], STANDARD)
    assert isinstance(nothing.axes[0].verdict, Unmeasured)
    assert nothing.finding.kind == "unmeasured"


def test_workspaces_that_differ_twice_or_a_failed_gate_make_the_run_invalid() -> None:
    pairs = rounds("+++++")
    differ = decide(panel(), pairs, STANDARD, arms_differ="b.md")
    assert differ.finding.kind == "invalid"
    band = measure_band(panel(), rounds("+++++", "+++++"), STANDARD)
    assert band is not None
    assert not band.gate_passed
    gated = decide(panel(), pairs, STANDARD, bands={Axis.BEHAVIOR: ("r1", band)})
    assert gated.finding.kind == "invalid"
    assert gated.axes[0].band == "r1"
    assert decide(panel(), pairs, STANDARD).axes[0].band is None


def coarse(axis: Axis = Axis.BEHAVIOR) -> dict[Axis, tuple[str, Band]]:
    """A sound band that is coarser than the usual margin."""
    band = measure_band(panel(axis=axis), rounds("+-===", "=====", "=====", axis=axis), STANDARD)
    assert band is not None
    assert band.gate_passed
    assert band.floor > STANDARD.margin
    return {axis: ("r1", band)}


def test_under_a_coarse_band_no_zero_difference_is_claimed_and_the_reason_is_told() -> None:
    pairs = rounds(*["====="] * 3)
    assert decide(panel(), pairs, STANDARD).finding.kind == "redundant"
    decision = decide(panel(), pairs, STANDARD, bands=coarse())
    (axis,) = decision.axes
    assert isinstance(axis.verdict, Undecided)
    assert axis.verdict.because is WhyUndecided.BAND
    assert axis.verdict.noise == coarse()[Axis.BEHAVIOR][1].floor
    assert (decision.finding.kind, decision.finding.licenses, axis.band) == ("undecided", None, "r1")
    assert not axis.settling
    fine = STANDARD.model_copy(update={"margin": 0.5})
    assert decide(panel(), pairs, fine, bands=coarse()).finding.kind == "redundant"
    other = decide(panel(), pairs, STANDARD, bands=coarse(Axis.CONTENT))
    assert other.finding.kind == "redundant", "a band belongs to one axis"


def test_under_a_coarse_band_a_difference_is_found_as_without_one() -> None:
    for rows in (["+++++"], ["+===="] * 5, ["++--="] * 3):
        alone, under = (decide(panel(), rounds(*rows), STANDARD, bands=bands).axes[0] for bands in (None, coarse()))
        assert under.verdict == alone.verdict
        assert under.verdict.status == "difference"


def test_under_a_coarse_band_an_open_question_is_not_promised_a_zero_difference() -> None:
    for rows in (["====="], ["====="] * 2 + ["====+"], ["+===="] * 4):
        alone, under = (decide(panel(), rounds(*rows), STANDARD, bands=bands).axes[0] for bands in (None, coarse()))
        assert isinstance(under.verdict, Undecided)
        assert under.verdict.noise is not None
        assert any(way.verdict == "zero-difference" for way in alone.settling)
        assert under.settling == tuple(way for way in alone.settling if way.verdict == "difference")


def test_a_single_probe_claims_no_zero_under_a_band_coarser_than_its_margin() -> None:
    wide = measure_band(panel(), rounds("===+."), STANDARD)
    assert wide is not None
    assert wide.floor > STANDARD.probe_margin
    for bands, statuses in ((None, {"zero-difference"}), ({Axis.BEHAVIOR: ("r1", wide)}, {"undecided"})):
        decision = decide(panel(), rounds(*["====="] * 4), STANDARD, bands=bands)
        assert {probe.verdict.status for probe in decision.probes} == statuses


def test_a_screen_claims_no_zero_and_no_band_can_bar_it() -> None:
    decision = decide(panel(), rounds(*["====="] * 3), STANDARD, stage=1, bands=coarse())
    assert decision.finding.kind == "to-stage-2"


@pytest.mark.parametrize(
    "pairs",
    [
        [Pair(0, "b0", 1, 1), Pair(0, "b1", 1, 1)],
        [Pair(0, "nobody", 1, 1)],
        [Pair(0, "b0", 2, 1)],
        [Pair(-1, "b0", 1, 1)],
    ],
)
def test_pairs_that_do_not_fit_the_designs_are_refused(pairs: list[Pair]) -> None:
    with pytest.raises(ValueError, match="pair"):
        decide(panel(), pairs, STANDARD)


def test_designs_that_can_not_be_are_refused() -> None:
    with pytest.raises(ValueError, match="asked_for"):
        ProbeDesign("p", Axis.CONTENT, ("a", "b"), 2)
    with pytest.raises(ValueError, match="categories"):
        ProbeDesign("p", Axis.CONTENT, ("a", "a"), 0)
    with pytest.raises(ValueError, match="id of its own"):
        decide([*panel(1), *panel(1)], [], STANDARD)


letters = st.one_of(st.just("==="), st.text("=#+-wox.v", min_size=3, max_size=3))


@settings(deadline=None, max_examples=25)
@given(st.lists(letters, max_size=8), st.lists(letters, max_size=4), st.booleans())
def test_every_decision_survives_json_and_keeps_the_invariants(
    behaving: list[str], quoting: list[str], screen: bool
) -> None:
    designs = [*panel(3), *panel(3, axis=Axis.CONTENT)]
    first = rounds(*behaving)
    content = [replace(pair, void=False) for pair in rounds(*quoting, axis=Axis.CONTENT, first=len(first))]
    result = decide(designs, [*first, *content], STANDARD, stage=1 if screen else 2)
    assert Decision.model_validate_json(result.model_dump_json()) == result
    for axis in result.axes:
        if isinstance(axis.verdict, ZeroDifference):
            assert axis.verdict.n == len(axis.probes) * axis.rounds > 0
        if axis.axis is Axis.BEHAVIOR and isinstance(axis.verdict, ToStage2):
            assert result.finding.kind == "to-stage-2"
    assert not (screen and "zero-difference" in result.model_dump_json())
    assert screen or "to-stage-2" not in result.model_dump_json()
    for probe in result.probes:
        answers = sum(probe.counts.with_.values()) + probe.counts.invalid_with
        assert answers == probe.pairs - probe.void
        assert (probe.effect is None) == (probe.complete == 0)


@settings(deadline=None, max_examples=25)
@given(st.lists(st.text("=#+-wo", min_size=3, max_size=3), min_size=1, max_size=6), st.integers(0, 18))
def test_a_longer_run_changes_nothing_that_was_decided_before(rows: list[str], cut: int) -> None:
    pairs = rounds(*rows)
    before = pairs[:cut]
    earlier = decide(panel(3), before, STANDARD)
    decide(panel(3), pairs, STANDARD)
    assert before == pairs[:cut]
    assert decide(panel(3), [pair for pair in pairs if pair.seq < cut], STANDARD) == earlier
