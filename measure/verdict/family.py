"""Many lines at once: which of them differ, with the share of false ones held down.

Invariant: no assumption about how the e-values depend on each other. Values are those at which each line stopped;
the largest value a line ever had must not be used (arXiv:2501.19360).
"""

from __future__ import annotations

import math
from collections.abc import Sequence


def e_bh(log_es: Sequence[float], alpha: float = 0.05) -> frozenset[int]:
    """Indexes rejected by e-BH (Wang and Ramdas, arXiv:2009.02824) at false discovery rate `alpha`.

    Takes natural logarithms of e-values, one for every member that was started: an undecided one with its own, an
    invalid one with 0.
    """
    ranked = sorted(range(len(log_es)), key=lambda index: -log_es[index])
    needed = math.log(len(log_es) / alpha) if log_es else 0.0
    # Rounding must not take away a value that stands exactly on the line.
    hits = [k for k, index in enumerate(ranked, 1) if log_es[index] + math.log(k) >= needed - 1e-12]
    return frozenset(ranked[: hits[-1]]) if hits else frozenset()
