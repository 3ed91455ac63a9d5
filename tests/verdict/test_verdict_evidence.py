"""Reference values of the block e-value, each to its printed digits and against exact rationals."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import false_discovery_control

from measure.probe.model import Axis
from measure.verdict.design import Pair, ProbeDesign
from measure.verdict.evidence import intended_evidence, line_evidence, log_e_plug, plug_path
from measure.verdict.family import e_bh
from measure.verdict.unequal import log_e_counts

GAMMA = Fraction(18, 100)
UP, SAME, DOWN = (1, 0), (1, 1), (0, 1)


def exact_plug(pairs: Iterable[tuple[int, int]], options: int = 2) -> Fraction:
    """The definition, in rationals, with the number of options written out."""
    value = Fraction(1)
    with_, without = Counter[int](), Counter[int]()
    for n, (a, b) in enumerate(pairs):
        total = n + options * GAMMA

        def p(counts: Counter[int], category: int, total: Fraction = total) -> Fraction:
            return (counts[category] + GAMMA) / total

        value *= p(with_, a) * p(without, b)
        value /= (p(with_, a) + p(without, a)) / 2 * ((p(with_, b) + p(without, b)) / 2)
        with_[a] += 1
        without[b] += 1
    return value


def panel(rounds: Sequence[Sequence[tuple[int, int]]]) -> tuple[list[ProbeDesign], list[Pair]]:
    """Designs and pairs for `rounds[r][i]`, coded 1 for the asked-for option."""
    designs = [ProbeDesign(f"p{i}", Axis.BEHAVIOR, ("other", "asked"), 1) for i in range(len(rounds[0]))]
    flat = [(f"p{i}", pair) for row in rounds for i, pair in enumerate(row)]
    return designs, [Pair(seq, probe, *pair) for seq, (probe, pair) in enumerate(flat)]


def values(rounds: Sequence[Sequence[tuple[int, int]]]) -> tuple[float, float, float]:
    line = line_evidence(*panel(rounds))
    return math.exp(line.line), math.exp(line.pool), math.exp(line.product)


@pytest.mark.parametrize(
    ("flips", "expected"),
    [(1, "1.000000"), (2, "3.011246"), (3, "10.277682"), (4, "36.823990"), (5, "135.384958"), (6, "505.778479")],
)
def test_straight_flips(flips: int, expected: str) -> None:
    assert f"{math.exp(log_e_plug([UP] * flips)):.6f}" == expected
    assert math.exp(log_e_plug([UP] * flips)) == pytest.approx(float(exact_plug([UP] * flips)), rel=1e-12)


@pytest.mark.parametrize("n", [1, 15, 1000])
def test_identical_pairs_are_no_evidence_at_all(n: int) -> None:
    assert log_e_plug([SAME] * n) == 0.0


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([SAME] + [UP] * 4, "17.915327"),
        ([UP] * 4 + [SAME], "5.829974"),
        (list(zip(map(int, "1111011111"), map(int, "0010000100"), strict=True)), "11.266562"),
        ([(0, 1)] * 4, "36.823990"),
        ([(0, 1), (0, 2), (0, 1), (0, 2), (0, 0)], "2.892993"),
    ],
)
def test_streams_in_their_order(pairs: list[tuple[int, int]], expected: str) -> None:
    assert f"{math.exp(log_e_plug(pairs)):.6f}" == expected
    assert f"{float(exact_plug(pairs, options=3)):.6f}" == expected


@pytest.mark.parametrize(("theta", "n", "expected"), [(0.5, 3, ".982528"), (0.3, 4, ".886724"), (0.9, 4, ".889618")])
def test_null_expectation_by_enumeration(theta: float, n: int, expected: str) -> None:
    total = 0.0
    for pairs in itertools.product([(a, b) for a in (0, 1) for b in (0, 1)], repeat=n):
        ones = sum(a + b for a, b in pairs)
        total += theta**ones * (1 - theta) ** (2 * n - ones) * math.exp(log_e_plug(pairs))
    assert f"{total:.6f}".lstrip("0") == expected


@settings(deadline=None)
@given(st.lists(st.floats(0.01, 1), min_size=2, max_size=4), st.integers(1, 2), st.floats(0.05, 1))
def test_null_expectation_never_exceeds_one(weights: list[float], n: int, gamma: float) -> None:
    law = [weight / sum(weights) for weight in weights]
    options = range(len(law))
    total: float = math.fsum(
        math.prod(law[a] * law[b] for a, b in pairs) * math.exp(log_e_plug(pairs, gamma))
        for pairs in itertools.product([(a, b) for a in options for b in options], repeat=n)
    )
    assert total <= 1 + 1e-9


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), max_size=40))
def test_float_values_are_the_exact_ones(pairs: list[tuple[int, int]]) -> None:
    assert log_e_plug(pairs) == pytest.approx(math.log(exact_plug(pairs, options=3)), abs=1e-9)


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=40), st.integers(0, 40))
def test_a_longer_run_never_changes_what_was_there(pairs: list[tuple[int, int]], cut: int) -> None:
    assert list(plug_path(pairs))[:cut] == list(plug_path(pairs[:cut]))


def test_a_thousand_flips_do_not_overflow() -> None:
    log_e = log_e_plug([UP] * 1000)
    assert 1300 < log_e < 1400  # near 1000 log 4, far beyond what a float holds


@pytest.mark.parametrize(
    ("rounds", "line", "pool", "product"),
    [
        ([[UP] * 5], "68.192479", "135.3850", "1.0000"),
        ([[UP] * 5] * 2, "53590.218591", None, None),
        ([[UP] + [SAME] * 4] * 3, "3.475067", "1.3113", "5.6388"),
        ([[UP] + [SAME] * 4] * 5, "36.672286", "5.1521", "68.1925"),
        ([[UP, UP, DOWN, DOWN, SAME]] * 3, "505.516136", "0.0132", "1011.0191"),
        ([[UP] * 4 + [SAME]], "3.415", None, None),
        ([[SAME] + [UP] * 4], "9.458", None, None),
    ],
)
def test_line_of_five_probes(
    rounds: list[list[tuple[int, int]]], line: str, pool: str | None, product: str | None
) -> None:
    got = values(rounds)
    assert f"{got[0]:.{len(line.split('.')[1])}f}" == line
    for value, expected in zip(got[1:], (pool, product), strict=True):
        assert expected is None or f"{value:.4f}" == expected


@pytest.mark.parametrize(
    ("extra", "line", "pool", "product"),
    [(1, "10.833122", "2.754250", "18.911995"), (2, "37.109213", "6.025948", "68.192479")],
)
def test_line_with_top_up_pairs_last(extra: int, line: str, pool: str, product: str) -> None:
    designs, pairs = panel([[UP] + [SAME] * 4] * 3)
    pairs += [Pair(15 + i, "p0", *UP, topup=True) for i in range(extra)]
    got = line_evidence(designs, pairs)
    assert [f"{math.exp(x):.6f}" for x in (got.line, got.pool, got.product)] == [line, pool, product]


def test_one_probe_needs_no_average() -> None:
    designs, pairs = panel([[UP]] * 4)
    assert f"{math.exp(line_evidence(designs, pairs).line):.6f}" == "36.823990"


def test_a_missing_answer_is_skipped_and_not_read_as_the_other_option() -> None:
    designs, pairs = panel([[UP]] * 4)
    gap = [*pairs, Pair(4, "p0", 1, None), Pair(5, "p0", None, None), Pair(6, "p0", None, 1)]
    assert line_evidence(designs, gap) == line_evidence(designs, pairs)


def test_invalid_as_an_outcome_of_its_own() -> None:
    designs, pairs = panel([[SAME]] * 4)
    lost = [Pair(pair.seq, "p0", 1, None) for pair in pairs]
    assert line_evidence(designs, lost).line == 0.0
    assert f"{math.exp(intended_evidence(designs, lost).line):.6f}" == "36.823990"


pair_lists = st.lists(
    st.builds(
        Pair,
        seq=st.just(0),
        probe=st.sampled_from(["a", "b"]),
        with_=st.sampled_from([None, 0, 1, 2]),
        without=st.sampled_from([None, 0, 1, 2]),
        void=st.booleans(),
    ),
    max_size=30,
)


@settings(deadline=None)
@given(pair_lists)
def test_values_are_finite_whatever_comes(pairs: list[Pair]) -> None:
    designs = [ProbeDesign(name, Axis.BEHAVIOR, ("x", "y", "z"), 2) for name in ("a", "b")]
    for got in (line_evidence(designs, pairs), intended_evidence(designs, pairs)):
        assert all(math.isfinite(x) for x in (got.line, got.pool, got.product, *got.probes.values()))


@pytest.mark.parametrize(
    ("with_", "without", "expected"),
    [((5, 0), (0, 5), "62.01562"), ((9, 1), (3, 7), "3.54606"), ((12, 3), (5, 9), "0.87861")],
)
def test_unequal_counts(with_: tuple[int, int], without: tuple[int, int], expected: str) -> None:
    assert f"{math.exp(log_e_counts(with_, without)):.5f}" == expected


def test_unequal_counts_null_expectation() -> None:
    for theta in (0.05, 0.3, 0.5):
        total = 0.0
        for a, b in itertools.product(range(5), range(8)):
            law = math.comb(4, a) * math.comb(7, b) * theta ** (a + b) * (1 - theta) ** (11 - a - b)
            total += law * math.exp(log_e_counts((a, 4 - a), (b, 7 - b)))
        assert total <= 1


@pytest.mark.parametrize(
    ("values", "alpha", "expected"),
    [
        ([640, 160, 106, 18, 30, 2, 1, 0.5] + [1] * 8, 0.05, {0, 1}),
        ([640, 160, 106, 18, 30, 2, 1, 0.5] + [1] * 8, 0.1, {0, 1, 2}),
        ([36.8] * 4 + [1] * 4, 0.05, set()),
        ([135.4] + [1] * 7, 0.05, set()),
        ([170] + [1] * 7, 0.05, {0}),
        ([160] + [1] * 7, 0.05, {0}),
        ([], 0.05, set()),
    ],
)
def test_family_of_lines(values: list[float], alpha: float, expected: set[int]) -> None:
    assert e_bh([math.log(value) for value in values], alpha) == expected


@settings(deadline=None)
@given(st.lists(st.floats(0.5, 5000), min_size=1, max_size=20))
def test_family_agrees_with_benjamini_hochberg_on_inverse_values(values: list[float]) -> None:
    adjusted = false_discovery_control([min(1.0, 1 / value) for value in values])
    clear = [abs(p - 0.05) > 1e-9 for p in adjusted]
    named = e_bh([math.log(value) for value in values])
    assert all((i in named) == (p <= 0.05) for i, (p, ok) in enumerate(zip(adjusted, clear, strict=True)) if ok)


def test_order_is_what_was_scheduled() -> None:
    """The same table in other orders is worth other amounts, so the order may not be chosen afterwards."""
    table = [UP] * 7 + [SAME] * 2 + [(0, 0)]
    drawn = random.Random(1)
    seen = [math.exp(log_e_plug(drawn.sample(table, len(table)))) for _ in range(300)]
    assert max(seen) > 8 * min(seen)
