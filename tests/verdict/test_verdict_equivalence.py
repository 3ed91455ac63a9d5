"""Reference values of zero-difference evidence, intervals, damage and exact binomial statements."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from measure.probe.model import Axis
from measure.verdict.binomial import clopper_pearson
from measure.verdict.damage import log_e_failing, shift_limits, worst_line
from measure.verdict.design import Pair, ProbeDesign
from measure.verdict.equivalence import Shifts, log_e_ge, log_e_le, log_e_within, shifts_by_slot, zero_evidence
from measure.verdict.evidence import line_evidence, log_e_plug
from measure.verdict.interval import cs_plug, excluded_when_identical, p_when_identical, shift_bounds
from measure.verdict.parameters import STANDARD

ONE = ProbeDesign("p", Axis.BEHAVIOR, ("other", "asked"), 1)
THREE = ProbeDesign("p", Axis.BEHAVIOR, ("a", "b", "c"), 0)


def exact_ge(shifts: list[int], margin: Fraction) -> Fraction:
    bets = (
        (Fraction(1), Fraction(70, 100)),
        (Fraction(7, 10), Fraction(15, 100)),
        (Fraction(35, 100), Fraction(15, 100)),
    )
    total = Fraction(0)
    for fraction, weight in bets:
        product = Fraction(1)
        for shift in shifts:
            product *= 1 + fraction * (margin - shift) / (1 - margin)
        total += weight * product
    return total


@pytest.mark.parametrize(
    ("shifts", "margin", "expected"),
    [
        ([0] * 15, "0.2", "22.108301"),
        ([0] * 14, "0.2", "17.835797"),
        ([0] * 10, "0.3", "27.455643"),
        ([0] * 9, "0.3", "19.465009"),
        ([0] * 5, "0.5", "25.202391"),
        ([0] * 4, "0.5", "12.951041"),
        ([0] * 3, "0.7", "29.564357"),
        ([0] * 14 + [1], "0.2", "0.745782"),
        ([0] * 14 + [-1], "0.2", "43.470819"),
        ([0] * 28 + [1, -1], "0.2", "9.990884"),
        ([0] * 10, "0.2", "7.619"),
        ([0] * 2, "0.85", "36.146"),
    ],
)
def test_one_sided_betting_values(shifts: list[int], margin: str, expected: str) -> None:
    places = len(expected.split(".")[1])
    assert f"{math.exp(log_e_ge(Shifts.of(shifts), float(margin))):.{places}f}" == expected
    assert f"{math.exp(log_e_le(Shifts.of([-d for d in shifts]), float(margin))):.{places}f}" == expected
    assert f"{float(exact_ge(shifts, Fraction(margin))):.{places}f}" == expected


@settings(deadline=None)
@given(st.lists(st.sampled_from([-1, 0, 1]), max_size=40), st.integers(-95, 95))
def test_betting_values_are_the_exact_ones_and_never_negative(shifts: list[int], percent: int) -> None:
    exact = exact_ge(shifts, Fraction(percent, 100))
    assert exact >= 0
    assert log_e_ge(Shifts.of(shifts), percent / 100) == pytest.approx(math.log(exact), abs=1e-9)


def test_a_thousand_pairs_do_not_overflow() -> None:
    assert 700 < log_e_ge(Shifts(same=5000), 0.2) < math.inf
    assert math.isfinite(log_e_ge(Shifts(up=5000), 0.2))


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=3),
    st.floats(0.05, 0.9),
    st.integers(1, 2),
)
def test_expectation_at_most_one_where_the_mean_shift_reaches_the_margin(
    laws: list[tuple[float, float]], margin: float, rounds: int
) -> None:
    """Complete rounds over probes of unequal shifts whose mean is at the margin or above it."""
    if sum(a - b for a, b in laws) < 0:
        laws = [(b, a) for a, b in laws]
    pulled = [(a + (1 - a) * margin, b * (1 - margin)) for a, b in laws]
    assert sum(a - b for a, b in pulled) / len(pulled) >= margin - 1e-12
    steps = [{1: a * (1 - b), 0: a * b + (1 - a) * (1 - b), -1: (1 - a) * b} for a, b in pulled] * rounds
    total = math.fsum(
        math.prod(step[d] for step, d in zip(steps, shifts, strict=True))
        * math.exp(log_e_ge(Shifts.of(shifts), margin))
        for shifts in itertools.product((-1, 0, 1), repeat=len(steps))
    )
    assert total <= 1 + 1e-9  # inside a round, with the probes of smaller shift first, it can be more


def test_a_damaged_pair_counts_against_both_sides() -> None:
    assert f"{math.exp(log_e_ge(Shifts(same=15, damaged=1), 0.2)):.6f}" == "0.848687"
    assert log_e_le(Shifts(same=15, damaged=1), 0.2) == log_e_ge(Shifts(same=15, damaged=1), 0.2)


def test_every_option_is_asked_not_only_the_one_asked_for() -> None:
    """Both arms never take the asked-for option, but they part between the other two."""
    pairs = [Pair(i, "p", 1, 2) for i in range(15)]
    slots = shifts_by_slot([THREE], pairs)
    assert log_e_within(slots[0], 0.2) > math.log(20)
    assert zero_evidence([THREE], pairs, STANDARD).least < 0


def test_one_flipped_probe_of_five_is_refused_by_the_single_probe_clause() -> None:
    """Four probes outweigh the fifth in the mean; the clause for each probe is what refuses."""
    designs = [ProbeDesign(f"p{i}", Axis.BEHAVIOR, ("other", "asked"), 1) for i in range(5)]
    parameters = STANDARD.model_copy(update={"margin": 0.5})
    pairs = [Pair(5 * r + i, f"p{i}", 1, 0 if i == 0 else 1) for r in range(10) for i in range(5)]
    zero = zero_evidence(designs, pairs, parameters)
    assert zero.mean >= math.log(20)
    assert zero.probes["p0"] < 0
    assert zero.least < math.log(20)


@pytest.mark.parametrize(("n", "bound"), [(3, 0.658), (5, 0.476), (10, 0.277), (15, 0.195), (20, 0.150), (30, 0.103)])
def test_mean_shift_bounds_of_identical_pairs(n: int, bound: float) -> None:
    assert shift_bounds(Shifts(same=n)) == (-bound, bound)


def test_mean_shift_bounds_of_a_full_flip_leave_zero_out() -> None:
    low, high = shift_bounds(Shifts(up=15))
    assert low > 0.4
    assert high == 1.0


@settings(deadline=None)
@given(st.integers(0, 12), st.integers(0, 12), st.integers(0, 12))
def test_bounds_and_values_agree(up: int, same: int, down: int) -> None:
    shifts = Shifts(up=up, same=same, down=down)
    low, high = shift_bounds(shifts)
    assert -1 <= low <= high <= 1
    if 0 < high < 1:
        assert log_e_ge(shifts, high) >= math.log(20) > log_e_ge(shifts, round(high - 0.001, 3))


@pytest.mark.parametrize(
    ("pairs", "interval"),
    [
        ([(1, 0)] * 4, (0.08, 0.99)),
        ([(1, 0)] * 5, (0.22, 0.99)),
        (list(zip(map(int, "1111011111"), map(int, "0010000100"), strict=True)), (-0.04, 0.97)),
        ([(1, 1)] * 15, (-0.21, 0.21)),
        ([], (-0.99, 0.99)),
    ],
)
def test_plug_in_interval(pairs: list[tuple[int, int]], interval: tuple[float, float]) -> None:
    assert cs_plug(pairs) == interval
    mirrored = cs_plug([(b, a) for a, b in pairs])
    assert mirrored == (-interval[1], -interval[0])


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), max_size=25))
def test_interval_holds_zero_exactly_when_the_evidence_has_not_refuted_it(pairs: list[tuple[int, int]]) -> None:
    low, high = cs_plug(pairs)
    if log_e_plug(pairs) < math.log(20):
        assert low <= 0 <= high


def test_interval_of_a_thousand_pairs() -> None:
    low, high = cs_plug([(1, 1)] * 1000)
    assert low <= 0 <= high
    assert high - low <= 0.02


@pytest.mark.parametrize(
    ("n", "confidence", "expected"),
    [(15, 0.95, ".181036"), (15, 0.975, ".218019"), (15, 0.9, ".142304"), (10, 0.95, ".258866"), (3, 0.95, ".631597")],
)
def test_excluded_by_identical_pairs(n: int, confidence: float, expected: str) -> None:
    got = excluded_when_identical(n, confidence)
    assert f"{got:.6f}".lstrip("0") == expected
    assert p_when_identical(n, got) == pytest.approx(1 - confidence)


@pytest.mark.parametrize(
    ("n", "margin", "expected"),
    [(14, 0.2, ".043980"), (13, 0.2, ".054976"), (9, 0.3, ".040354"), (8, 0.3, ".057648"), (5, 0.5, ".031250")],
)
def test_exact_equivalence_of_identical_pairs(n: int, margin: float, expected: str) -> None:
    assert f"{p_when_identical(n, margin):.6f}".lstrip("0") == expected


@pytest.mark.parametrize(
    ("hits", "trials", "expected"),
    [
        (0, 15, ("0.000000", "0.218019")),
        (1, 15, ("0.001686", "0.319485")),
        (3, 30, ("0.021117", "0.265288")),
        (15, 15, ("0.781981", "1.000000")),
    ],
)
def test_exact_interval_of_a_share(hits: int, trials: int, expected: tuple[str, str]) -> None:
    low, high = clopper_pearson(hits, trials)
    assert (f"{low:.6f}", f"{high:.6f}") == expected


@settings(deadline=None)
@given(st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_exact_interval_agrees_with_statsmodels(counts: tuple[int, int]) -> None:
    assert clopper_pearson(*counts) == pytest.approx(proportion_confint(*counts, method="beta"), abs=1e-9)


def four_flips_and_two_gaps(flips: int) -> list[Pair]:
    pairs = [Pair(i, "p", 1, 0) for i in range(flips)]
    return [*pairs, Pair(flips, "p", None, 0), Pair(flips + 1, "p", 1, None)]


@pytest.mark.parametrize(("flips", "expected"), [(4, "0.923002"), (6, "6.120316")])
def test_worst_case_of_missing_answers(flips: int, expected: str) -> None:
    worst = worst_line([ONE], four_flips_and_two_gaps(flips))
    assert worst is not None
    assert f"{math.exp(worst):.6f}" == expected


def test_worst_case_tries_every_option() -> None:
    """A shortcut over options nobody chose finds the same minimum as trying all of them."""
    many = ProbeDesign("p", Axis.BEHAVIOR, ("a", "b", "c", "d", "e"), 0)
    pairs = [Pair(0, "p", 0, 1), Pair(1, "p", None, 1), Pair(2, "p", 0, None), Pair(3, "p", None, 0)]
    brute = min(
        line_evidence(
            [many],
            [pairs[0], replace(pairs[1], with_=x), replace(pairs[2], without=y), replace(pairs[3], with_=z)],
        ).line
        for x, y, z in itertools.product(range(5), repeat=3)
    )
    assert worst_line([many], pairs) == pytest.approx(brute)


def test_too_many_gaps_are_not_filled() -> None:
    assert worst_line([ONE], [Pair(i, "p", 1, None) for i in range(11)]) is None


def test_observed_shift_with_anything_missing() -> None:
    pairs = [Pair(0, "p", 1, 0), Pair(1, "p", 1, None), Pair(2, "p", None, 0), Pair(3, "p", 1, 0)]
    assert shift_limits(ONE, pairs) == (0.5, 1.0)
    assert shift_limits(ONE, []) is None


def test_arms_that_fail_differently_show() -> None:
    assert log_e_failing([Pair(i, "p", 1, None) for i in range(4)]) >= math.log(20)
    assert log_e_failing([Pair(i, "p", None, None) for i in range(40)]) == 0.0
