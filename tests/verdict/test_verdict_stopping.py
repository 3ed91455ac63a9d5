"""What is launched next: the rule, its bounds, and what a plan can be told beforehand."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measure.errors import RequestError
from measure.probe.model import Axis
from measure.verdict.band import (
    bars_zero,
    measure_band,
    open_shift,
    pairs_for,
    refuse_broken,
    repeats_for,
    says_nothing,
    steadiness,
    why_no_zero,
    why_set_aside,
)
from measure.verdict.decide import decide
from measure.verdict.design import Pair, ProbeDesign
from measure.verdict.parameters import CHEAP, STANDARD, Parameters
from measure.verdict.replay import replay
from measure.verdict.resolution import likely_launches, resolve
from measure.verdict.stopping import Round, Step, Stop, StopReason, TopUp, next_step
from measure.verdict.vocabulary import Undecided
from tests.verdict.planted import SIDES, panel, rounds, topups

ALL = ("b0", "b1", "b2", "b3", "b4")


def step(rows: Sequence[str], parameters: Parameters = STANDARD, probes: int = 5) -> Step:
    return next_step(panel(probes), rounds(*rows), parameters)


def test_a_run_begins_with_a_round_over_all_probes() -> None:
    assert step([]) == Round(1, ALL)


def test_a_round_under_way_is_ended_first() -> None:
    assert step(["==+.="]) == Round(1, ("b3",))


def test_a_difference_stops_inside_a_round() -> None:
    assert step(["=====", "+++++", "++++."]) == Stop(StopReason.SETTLED)
    assert step(["+++", "+++", "+.."], probes=3) == Stop(StopReason.SETTLED)


def test_a_zero_never_stops_inside_a_round() -> None:
    assert step(["====", "====", "====", "===."], probes=4) == Round(4, ("b3",))
    assert step(["====", "====", "====", "===="], probes=4) == Stop(StopReason.SETTLED)


def test_identical_arms_stop_after_three_rounds_and_after_two_with_the_cheap_profile() -> None:
    assert step(["====="] * 2) == Round(3, ALL)
    assert step(["====="] * 3) == Stop(StopReason.SETTLED)
    assert step(["====="] * 2, CHEAP) == Stop(StopReason.SETTLED)


def test_the_cap_ends_an_open_question_and_a_higher_cap_goes_on() -> None:
    noisy = ["+=-==", "-=+=="] * 3
    assert step(noisy) == Stop(StopReason.CAP)
    assert step(noisy, STANDARD.model_copy(update={"max_rounds": 7})) == Round(7, ALL)


def test_a_fixed_design_neither_stops_early_nor_tops_up() -> None:
    fixed = Parameters(repeats=4)
    assert step(["+++++"], fixed) == Round(2, ALL)
    assert step(["+===="] * 3, fixed) == Round(4, ALL)
    assert step(["+===="] * 4, fixed) == Stop(StopReason.REPEATS_DONE)


def test_a_suspicious_probe_is_topped_up_from_round_three() -> None:
    assert step(["+===="] * 2) == Round(3, ALL)
    assert step(["+===="] * 3) == TopUp("b0")
    once = [*rounds(*["+===="] * 3), *topups("b0", "+", 15)]
    assert next_step(panel(), once, STANDARD) == TopUp("b0")
    twice = [*rounds(*["+===="] * 3), *topups("b0", "++", 15)]
    assert next_step(panel(), twice, STANDARD) == Stop(StopReason.SETTLED)
    assert step(["+===="] * 3, STANDARD.model_copy(update={"top_up_pairs": 0})) == Round(4, ALL)


def test_top_ups_end_when_the_suspicion_does_or_four_are_spent() -> None:
    calmed = [*rounds(*["+===="] * 3), *topups("b0", "--", 15)]
    assert next_step(panel(), calmed, STANDARD) == Round(4, ALL)
    # A strong but not settling suspicion in one of many probes: after four pairs a full round is due.
    wide = panel(30)
    start = rounds(*["+" + "=" * 29] * 3)
    patient = STANDARD.model_copy(update={"margin": 0.01, "alpha": 0.0001})
    spent = [*start, *topups("b0", "++++", 90)]
    assert next_step(wide, spent[:-1], patient) == TopUp("b0")
    assert isinstance(next_step(wide, spent, patient), Round)


def test_top_ups_are_paid_from_the_same_cap() -> None:
    assert step(["+===="] * 3, STANDARD.model_copy(update={"max_rounds": 3})) == Stop(StopReason.CAP)
    four = STANDARD.model_copy(update={"max_rounds": 4})
    spent = [*rounds(*["+===="] * 3), *topups("b0", "+", 15)]
    assert next_step(panel(), spent, four) == TopUp("b0")
    calmed = [*rounds(*["+===="] * 3), *topups("b0", "-", 15)]
    assert next_step(panel(), calmed, four) == Stop(StopReason.CAP)  # four pairs left are no round of five


def test_a_zero_waits_for_its_first_round_however_wide_the_panel() -> None:
    wide = STANDARD.model_copy(update={"probe_margin": 0.97})
    assert step(["=" * 20] * 2, wide, probes=20) == Round(3, tuple(f"b{i}" for i in range(20)))
    assert step(["=" * 20] * 3, wide, probes=20) == Stop(StopReason.SETTLED)


def test_a_top_up_waits_for_the_other_axis_to_end_its_round() -> None:
    both = [*panel(), *panel(2, Axis.CONTENT)]
    pairs = rounds(*["+===="] * 3) + rounds("+-", "+-", "+.", axis=Axis.CONTENT, first=15)
    assert next_step(both, pairs, STANDARD) == Round(3, ("c1",))
    ended = rounds(*["+===="] * 3) + rounds("+=", "-=", "+=", axis=Axis.CONTENT, first=15)
    assert next_step(both, ended, STANDARD) == TopUp("b0")


def test_a_settled_axis_is_not_launched_again() -> None:
    both = [*panel(), *panel(5, Axis.CONTENT)]
    pairs = rounds("=====") + rounds("+++++", axis=Axis.CONTENT, first=5)
    assert next_step(both, pairs, STANDARD) == Round(2, ALL)


def test_what_finished_early_is_not_looked_at() -> None:
    """Five flips settle it, but the first pair is still under way, and who is late can depend on what it did."""
    pairs = [pair for pair in rounds("=++++", "+....") if pair.seq != 0]
    assert next_step(panel(), [*pairs, Pair(6, "b1", 1, 0)], STANDARD, under_way={0}) == Round(1, ALL)
    assert next_step(panel(), rounds("+++++", "=...."), STANDARD, under_way={5}) == Stop(StopReason.SETTLED)


def test_a_leaked_probe_is_not_launched_again() -> None:
    assert step(["v===="]) == Round(2, ALL[1:])
    assert step(["vvvvv"]) == Stop(StopReason.INVALID)


def test_a_run_that_can_not_become_valid_stops() -> None:
    assert step(["wwwww"]) == Stop(StopReason.INVALID)  # fails in one arm only
    assert step(["xxxxx"]) == Round(2, ALL)
    assert step(["xxxxx", "xx==="]) == Stop(StopReason.INVALID)  # 7 of at most 30 pairs


def test_a_difference_that_missing_answers_could_take_away_goes_on() -> None:
    assert step(["+++++", "o...."]) == Round(2, ALL[1:])


@settings(deadline=None, max_examples=30)
@given(st.integers(1, 4), st.integers(1, 5), st.randoms(use_true_random=False), st.text("=+-#wox", min_size=1))
def test_launches_never_exceed_the_cap(probes: int, cap: int, drawn: random.Random, letters: str) -> None:
    parameters = STANDARD.model_copy(update={"max_rounds": cap, "top_up_from_round": 1})
    designs = [*panel(probes), *panel(probes, Axis.CONTENT)]

    def answer(_: ProbeDesign, __: int) -> tuple[int | None, int | None]:
        return SIDES[drawn.choice(letters)]

    end = replay(designs, parameters, answer, each_pair=drawn.random() < 0.5)
    assert end.launches <= resolve(designs, parameters).launches_at_most
    assert end.reason in StopReason
    # Whatever stopped as settled is decided on every axis, by the same pairs.
    decision = decide(designs, end.pairs, parameters)
    if end.reason is StopReason.SETTLED:
        assert not any(isinstance(axis.verdict, Undecided) for axis in decision.axes)


@settings(deadline=None, max_examples=30)
@given(st.lists(st.text("=+-#wo", min_size=3, max_size=3), max_size=6), st.randoms(use_true_random=False))
def test_the_next_step_does_not_depend_on_the_order_of_arrival(rows: list[str], drawn: random.Random) -> None:
    pairs = rounds(*rows)
    assert next_step(panel(3), drawn.sample(pairs, len(pairs)), STANDARD) == next_step(panel(3), pairs, STANDARD)


# Before the launch


def test_a_plan_of_five_probes_is_told_what_it_can_resolve() -> None:
    axis = resolve(panel(), STANDARD).axes[0]
    assert (axis.launches_at_most, axis.zero_after, axis.full_flip_after, axis.single_flip_after) == (60, 30, 10, 34)
    assert (axis.excludes_at_best, axis.excludes_per_probe_at_best) == (0.103, 0.417)
    assert resolve(panel(), CHEAP).axes[0].zero_after == 20
    assert resolve(panel(), Parameters(repeats=3)).axes[0].excludes_at_best == 0.195


def test_a_plan_that_can_not_reach_a_zero_says_so_beforehand() -> None:
    single = resolve(panel(1), STANDARD)
    assert single.axes[0].zero_after is None
    assert single.axes[0].full_flip_after == 8
    tiny = resolve(panel(1), Parameters(repeats=2)).axes[0]
    assert (tiny.zero_after, tiny.full_flip_after, tiny.launches_at_most) == (None, None, 4)
    assert tiny.excludes_at_best < 1


def test_axes_add_up_in_a_plan() -> None:
    both = resolve([*panel(), *panel(3, Axis.CONTENT)], STANDARD)
    assert both.launches_at_most == 96
    assert both.launches_if_flipped == 10 + 10
    assert [axis.probes for axis in both.axes] == [3, 5]


def test_noise_makes_equal_arms_dearer() -> None:
    plain = STANDARD.model_copy(update={"max_rounds": 12})
    steady, varying = (likely_launches(panel(), plain, rate, runs=30) for rate in (0.0, 0.1))
    assert steady == 30 < varying
    assert likely_launches(panel(), plain, 0.1, runs=30) == varying


# What would settle it


def test_an_open_question_ends_with_what_would_settle_it() -> None:
    """The projection is the rule itself: launch what it says and the verdict is there."""
    for rows in (["====="] * 2, ["====="] * 2 + ["====+"], ["+=+=="] * 2, ["=="]):
        result = decide(panel(), rounds(*rows), STANDARD).axes[0]
        assert isinstance(result.verdict, Undecided)
        way = next(way for way in result.settling if way.assuming == "identical")
        pairs = rounds(*rows)
        longer = STANDARD.model_copy(update={"max_rounds": way.rounds})
        end = replay(panel(), longer, lambda design, _: (design.asked_for, design.asked_for), start=pairs)
        assert len(end.pairs) - len(pairs) == way.pairs
        assert decide(panel(), end.pairs, longer).axes[0].verdict.status == way.verdict


def test_two_rounds_of_identical_pairs_lack_one_more() -> None:
    way = decide(panel(), rounds(*["====="] * 2), STANDARD).axes[0].settling[0]
    assert (way.verdict, way.pairs, way.launches, way.rounds) == ("zero-difference", 5, 10, 3)


def test_growing_evidence_says_how_much_more_of_the_same_settles_it() -> None:
    ways = decide(panel(), rounds(*["+===="] * 3), STANDARD).axes[0].settling
    same = next(way for way in ways if way.assuming == "as-so-far")
    assert (same.verdict, same.pairs) == ("difference", 2)


# The noise band


def test_a_band_is_reported_with_its_n() -> None:
    band = measure_band(panel(), rounds(*["====="] * 3), STANDARD)
    assert band is not None
    assert (band.pairs, band.flips, band.gate_passed) == (15, 0, True)
    assert (band.flip_rate.low, round(band.flip_rate.high, 3)) == (0.0, 0.218)
    assert band.shift is not None
    assert (band.shift.low, band.shift.high) == (-0.195, 0.195)
    flipped = measure_band(panel(), rounds("=====", "=====", "====+"), STANDARD)
    assert flipped is not None
    assert (round(flipped.flip_rate.low, 3), round(flipped.flip_rate.high, 3)) == (0.002, 0.319)
    assert measure_band(panel(), rounds("xxxxx"), STANDARD) is None


def test_a_margin_below_noise_that_was_seen_bars_a_zero_difference_and_a_broken_band_everything() -> None:
    band = measure_band(panel(), rounds(*["====="] * 3), STANDARD)
    assert band is not None
    assert not bars_zero(STANDARD, band)
    assert not says_nothing(STANDARD, band)
    noisy = measure_band(panel(), rounds("====+", "====-", "====="), STANDARD)
    assert noisy is not None
    assert bars_zero(STANDARD, noisy)
    assert why_no_zero(STANDARD, noisy, "r1") is not None
    assert not bars_zero(Parameters(margin=0.6), noisy)
    broken = measure_band(panel(), rounds("+++++"), STANDARD)
    assert broken is not None
    with pytest.raises(RequestError):
        refuse_broken(broken)


def test_a_band_too_short_for_any_noise_to_show_is_worth_what_none_is() -> None:
    short = measure_band(panel(), rounds("==..."), STANDARD)
    assert short is not None
    assert short.floor == 1.0
    assert says_nothing(STANDARD, short)
    assert why_set_aside(STANDARD, short, "r1") is not None
    assert not bars_zero(STANDARD, short)
    refuse_broken(short)


@pytest.mark.parametrize(("outcomes", "advice"), [("=====", "--repeats 3"), ("====+", "--repeats"), ("+-+-+", "vary")])
def test_a_band_that_is_too_coarse_says_what_would_do(outcomes: str, advice: str) -> None:
    band = measure_band(panel(), rounds(outcomes), STANDARD)
    assert band is not None
    why = why_no_zero(STANDARD, band, "r1") or why_set_aside(STANDARD, band, "r1")
    assert why is not None
    assert advice in why
    assert "r1" in why


@pytest.mark.parametrize(("probes", "repeats"), [(1, 15), (2, 8), (3, 5), (4, 4), (5, 3), (6, 3)])
def test_the_default_band_is_the_smallest_that_allows_the_usual_margin(probes: int, repeats: int) -> None:
    assert repeats_for(probes, STANDARD) == repeats
    for number, allowed in ((repeats, True), (repeats - 1, False)):
        band = measure_band(panel(probes), rounds(*["=" * probes] * number), STANDARD)
        assert band is not None
        assert (not says_nothing(STANDARD, band)) is allowed
        assert band.floor == open_shift(probes * number, STANDARD)


def test_a_band_that_allows_a_flip_each_way_takes_more_than_twice_as_many() -> None:
    repeats = repeats_for(5, STANDARD, flips_each_way=1)
    assert repeats == 7
    for number, barred in ((repeats, False), (repeats - 1, True)):
        band = measure_band(panel(), rounds("+-===", *["====="] * (number - 1)), STANDARD)
        assert band is not None
        assert (band.flips, bars_zero(STANDARD, band)) == (2, barred)


def test_a_band_of_the_advised_size_allows_the_margin() -> None:
    one = measure_band(panel(1), rounds("=", "=", "="), STANDARD)
    assert one is not None
    pairs = pairs_for(STANDARD, one)
    assert pairs == 15
    for number, allowed in ((pairs, True), (pairs - 1, False)):
        band = measure_band(panel(1), rounds(*["="] * number), STANDARD)
        assert band is not None
        assert (band.floor <= STANDARD.margin) is allowed


def test_a_band_belongs_to_one_axis() -> None:
    with pytest.raises(ValueError, match="one axis"):
        measure_band([*panel(1), *panel(1, Axis.CONTENT)], [], STANDARD)


def test_a_run_shows_how_steady_its_own_arms_were() -> None:
    own = steadiness(panel(2), rounds("=+", "==", "##", "=v"))
    assert (own.flips, own.of) == (3, 6)
    assert own.rate is not None
    assert steadiness(panel(2), rounds("==")).rate is None
