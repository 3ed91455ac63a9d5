"""Error rates and launches of the procedure, by simulation at a size for every run of the tests.

The full tables: `python -m tests.benchmarks.verdict_studies`.
"""

from __future__ import annotations

import math

import pytest

from measure.verdict.parameters import STANDARD
from tests.benchmarks import verdict_studies as studies


def at_most(level: float, runs: int) -> float:
    """The level and three Monte-Carlo errors."""
    return level + 3 * math.sqrt(level * (1 - level) / runs)


@pytest.mark.parametrize("p", [0, 0.05, 0.2, 0.5, 0.8, 0.95, 1])
def test_looking_after_every_pair_does_not_inflate_false_differences(p: float) -> None:
    assert studies.false_differences(p, runs=400, pairs=200) <= at_most(0.05, 400)


@pytest.mark.parametrize("law", [(1, 0.8), (0.2, 0), (0.6, 0.4)])
def test_looking_after_every_pair_does_not_inflate_false_zeros(law: studies.Law) -> None:
    assert studies.false_zeros(law, 0.2, runs=150, pairs=150) <= at_most(0.05, 150)


@pytest.mark.parametrize("ps", [(1, 1, 0.95, 0.8, 0.5), (0.5,) * 5])
def test_five_probes_read_together_do_not_inflate_false_differences(ps: tuple[float, ...]) -> None:
    assert studies.false_line(ps, runs=300) <= at_most(0.05, 300)


@pytest.mark.parametrize("law", [(1, 0), (1, 0.2), (0.9, 0.1), (0.9, 0.5), (0.8, 0.5)])
def test_launches_to_a_difference(law: studies.Law) -> None:
    got = studies.launches_to_difference(law, runs=800)
    assert got == pytest.approx(studies.TO_DIFFERENCE[law], rel=0.10)


@pytest.mark.parametrize(
    ("margin", "p"), [(0.2, 1), (0.2, 0.95), (0.3, 1), (0.3, 0.8), (0.5, 1), (0.5, 0.95), (0.5, 0.5)]
)
def test_launches_to_a_zero_difference(margin: float, p: float) -> None:
    published = studies.TO_ZERO[margin, 0.05][studies.BASELINES.index(p)]
    assert studies.launches_to_zero(p, margin, runs=300) == pytest.approx(published, rel=0.10)


@pytest.mark.parametrize("name", sorted(studies.PANELS))
def test_launches_of_the_whole_procedure(name: str) -> None:
    got = studies.procedure(studies.PANELS[name], studies.BY_ROUND, runs=120, each_pair=False)
    published = studies.WHOLE[name][0]
    assert got.launches == pytest.approx(published.launches, rel=0.10)
    error = 4 * math.sqrt(0.25 / 120)
    assert got.difference == pytest.approx(published.difference, abs=error)
    assert got.zero == pytest.approx(published.zero, abs=error)


@pytest.mark.parametrize(
    ("name", "launches"), [("equal, 1", 30), ("all 1 to 0", 10), ("one of five flips", 34), ("two up, two down", 22)]
)
def test_sure_cases_as_shipped_take_these_launches(name: str, launches: int) -> None:
    got = studies.procedure(studies.PANELS[name], STANDARD, runs=1, each_pair=True)
    assert got.launches == launches


def test_equal_arms_as_shipped_are_rarely_called_different() -> None:
    """Looks at every pair, top-ups, several baselines."""
    false = [
        studies.procedure(studies.PANELS[name], STANDARD, runs=40, each_pair=True, seed=seed).difference
        for seed, name in enumerate(("equal, .95", "equal, mixed", "equal, .5"))
    ]
    assert sum(false) / len(false) <= at_most(0.05, 120)


@pytest.mark.full
@pytest.mark.timeout(7200)
def test_full_tables() -> None:
    assert studies.main([]) == 0
