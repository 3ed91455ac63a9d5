"""The exact interval of a share, from binomial tails alone.

Invariant: each end is where the observed count would sit exactly on the edge of the tail; no approximation.
"""

from __future__ import annotations

import math
from collections.abc import Callable


def clopper_pearson(hits: int, trials: int, confidence: float = 0.95) -> tuple[float, float]:
    """Two-sided exact interval of a share (Clopper and Pearson 1934)."""
    if not 0 <= hits <= trials or trials < 1:
        raise ValueError(f"{hits} of {trials} is no share")
    tail = (1 - confidence) / 2
    low = 0.0 if hits == 0 else _solve(lambda share: _at_most(trials - hits, trials, 1 - share) - tail)
    high = 1.0 if hits == trials else _solve(lambda share: tail - _at_most(hits, trials, share))
    return (low, high)


def _at_most(hits: int, trials: int, share: float) -> float:
    if share <= 0:
        return 1.0
    if share >= 1:
        return 1.0 if hits >= trials else 0.0
    whole = math.lgamma(trials + 1)
    return math.fsum(
        math.exp(
            whole
            - math.lgamma(x + 1)
            - math.lgamma(trials - x + 1)
            + x * math.log(share)
            + (trials - x) * math.log1p(-share)
        )
        for x in range(hits + 1)
    )


def _solve(increasing: Callable[[float], float]) -> float:
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if increasing(middle) < 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2
