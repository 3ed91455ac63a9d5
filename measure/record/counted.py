"""The pairs that a record's verdict stands on.

Invariant: the same pairs that `build` reads, so what is shown of them and what was concluded from them can't differ.
"""

from __future__ import annotations

from measure.record.models import RunRecord
from measure.record.pairs import designs_of, pairs_of
from measure.verdict.design import Pair


def counted_pairs(record: RunRecord) -> tuple[Pair, ...]:
    """Pairs up to the look that settled the run, in canonical order; none without a plan."""
    if record.plan is None:
        return ()
    last = record.stop.last_block if record.stop is not None else None
    pairs = pairs_of(designs_of(record.plan.probes), record.plan.contrast, record.trials)
    return tuple(pair for pair in pairs if last is None or pair.seq <= last)
