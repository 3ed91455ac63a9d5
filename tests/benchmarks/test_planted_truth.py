"""A small planted-truth study through real processes; the full one is `study_planted_truth.py`."""

from __future__ import annotations

from pathlib import Path

from tests.benchmarks.study_planted_truth import OTHER_LINE, run_many
from tests.doubles.workplace import LINE


def test_a_planted_flip_is_always_found_in_one_round(tmp_path: Path) -> None:
    study = run_many(tmp_path, "flip", 8, place=LINE, steady=1.0)
    assert study.findings == {"load-bearing": 8}
    assert set(study.launches) == {10}


def test_identical_steady_arms_end_in_a_zero_after_the_launches_of_the_fixed_design(tmp_path: Path) -> None:
    study = run_many(tmp_path, "equal", 4, place=OTHER_LINE, steady=1.0)
    assert study.findings == {"redundant": 4}
    assert set(study.launches) == {30}


def test_identical_wavering_arms_hardly_ever_claim_a_difference(tmp_path: Path) -> None:
    study = run_many(tmp_path, "wavering", 6, place=OTHER_LINE, steady=0.6)
    # True share at most .017 (half-half rule, equal arms); two of six would be a fault with odds of a thousand to one.
    assert study.findings["load-bearing"] <= 1
    assert study.findings["redundant"] == 0
