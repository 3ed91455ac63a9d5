"""Arms with unequal numbers of answers: evidence from counts alone.

Invariant: valid for any counts, any order and any stopping; it costs more launches than pairs do, so it is used only
where balance can't be had.
"""

from __future__ import annotations

import math
from collections.abc import Sequence


def log_e_counts(with_: Sequence[int], without: Sequence[int], gamma: float = 0.5) -> float:
    """log e of universal inference for two vectors of counts over the same options.

    Dirichlet-multinomial marginals of both arms over the largest likelihood of one common law (Wasserman, Ramdas and
    Balakrishnan 2020).
    """
    if len(with_) != len(without) or len(with_) < 2:
        raise ValueError("both arms need counts for the same two or more options")
    totals = [a + b for a, b in zip(with_, without, strict=True)]
    n = sum(totals)
    common = math.fsum(total * math.log(total / n) for total in totals if total)
    return _log_marginal(with_, gamma) + _log_marginal(without, gamma) - common


def _log_marginal(counts: Sequence[int], gamma: float) -> float:
    k, n = len(counts), sum(counts)
    single = math.fsum(math.lgamma(gamma + count) - math.lgamma(gamma) for count in counts)
    return math.lgamma(k * gamma) - math.lgamma(k * gamma + n) + single
