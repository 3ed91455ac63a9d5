"""Intervals of the shift (share with the line minus share without), valid at any stopping time.

Invariant: an interval is the set of shifts its e-value has not refuted, so it can't disagree with the verdict that
uses the same e-value.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from measure.verdict.equivalence import Shifts, log_e_ge
from measure.verdict.evidence import GAMMA
from measure.verdict.parameters import BETS, Bet


def _constrained(p_with: float, p_without: float, shift: float, start: float) -> float:
    """The t in which (t + shift, t) is closest to (p_with, p_without) in Kullback-Leibler divergence.

    Root of a decreasing function: Newton's step while it stays between the bounds, halving them otherwise.
    """
    low, high = max(0.0, -shift), min(1.0, 1.0 - shift)
    t = start if low < start < high else (low + high) / 2
    for _ in range(200):
        s = t + shift
        value = p_with / s - (1 - p_with) / (1 - s) + p_without / t - (1 - p_without) / (1 - t)
        if value > 0:
            low = t
        else:
            high = t
        slope = p_with / s**2 + (1 - p_with) / (1 - s) ** 2 + p_without / t**2 + (1 - p_without) / (1 - t) ** 2
        following = t + value / slope
        if not low < following < high:
            following = (low + high) / 2
        if abs(following - t) < 1e-13 or not low < following < high:
            return following
        t = following
    return t


def _log_e_shift(pairs: Sequence[tuple[int, int]], shift: float, gamma: float) -> float:
    """log e against "with - without = shift" for one stream of pairs of 0 and 1."""
    ones_with = ones_without = 0
    log_e, t = 0.0, 0.5
    for n, (with_, without) in enumerate(pairs):
        p_with = (ones_with + gamma) / (n + 2 * gamma)
        p_without = (ones_without + gamma) / (n + 2 * gamma)
        t = _constrained(p_with, p_without, shift, t)
        s = t + shift
        log_e += math.log(p_with / s if with_ else (1 - p_with) / (1 - s))
        log_e += math.log(p_without / t if without else (1 - p_without) / (1 - t))
        ones_with += with_
        ones_without += without
    return log_e


def cs_plug(pairs: Iterable[tuple[int, int]], alpha: float = 0.05, gamma: float = GAMMA) -> tuple[float, float]:
    """Ends of the shifts on a grid of 0.01 that the plug-in e-value does not refute; pairs are of 0 and 1.

    The inverted test of Turner and Grünwald (arXiv:2203.09785). Exact for one probe; over several probes it reads as
    a shift common to them. Ends at ±0.99 mean "up to 1".
    """
    listed = list(pairs)
    threshold = -math.log(alpha)
    kept = range(-99, 100)
    low = next((i for i in kept if _log_e_shift(listed, i / 100, gamma) < threshold), None)
    high = next((i for i in reversed(kept) if _log_e_shift(listed, i / 100, gamma) < threshold), None)
    if low is None or high is None:  # every common shift is refuted: the probes do not share one
        return (-0.99, 0.99)
    return (low / 100, high / 100)


def shift_bounds(shifts: Shifts, alpha: float = 0.05, bets: Sequence[Bet] = BETS) -> tuple[float, float]:
    """Bounds of the mean shift on a grid of 0.001, each one-sided at level `alpha`; complete rounds only.

    Handles probes of different baselines and different shifts. -1 and 1 mean that nothing is excluded on that side.
    """
    return (-_upper(shifts.mirrored, alpha, bets), _upper(shifts, alpha, bets))


def _upper(shifts: Shifts, alpha: float, bets: Sequence[Bet]) -> float:
    threshold = -math.log(alpha)
    low, high = -1000, 1000  # the e-value grows with the margin, so the smallest refuted one can be bisected
    while high - low > 1:
        middle = (low + high) // 2
        if log_e_ge(shifts, middle / 1000, bets) >= threshold:
            high = middle
        else:
            low = middle
    return high / 1000


def excluded_when_identical(pairs: int, confidence: float = 0.95) -> float:
    """The mean total-variation distance that `pairs` identical pairs exclude in a fixed design.

    All pairs agree with probability at most (1 - d)^n for a mean distance d, whatever the options and the baselines.
    """
    if pairs < 1:
        raise ValueError("at least one pair is needed")
    return float(1 - (1 - confidence) ** (1 / pairs))


def p_when_identical(pairs: int, margin: float) -> float:
    """The largest probability that `pairs` pairs are all identical when the mean distance is `margin` or more."""
    return float((1 - margin) ** pairs)
