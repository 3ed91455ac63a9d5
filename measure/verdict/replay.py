"""Play the stopping rule forward against answers that are assumed rather than launched.

Invariant: the rule played is `next_step` itself, so a plan, a projection and a run can't disagree about what the same
outcomes lead to.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from measure.verdict.design import Pair, ProbeDesign, in_order
from measure.verdict.parameters import Parameters
from measure.verdict.stopping import Stop, StopReason, TopUp, next_step

Answer = Callable[[ProbeDesign, int], tuple[int | None, int | None]]
"""Outcomes (with, without) of a probe's nth pair, n from 0."""


@dataclass(frozen=True, slots=True)
class Replay:
    """Where the rule stopped and every pair up to there."""

    reason: StopReason
    pairs: tuple[Pair, ...]

    @property
    def launches(self) -> int:
        """Two for each pair."""
        return 2 * len(self.pairs)


def replay(
    designs: Sequence[ProbeDesign],
    parameters: Parameters,
    answer: Answer,
    *,
    start: Sequence[Pair] = (),
    each_pair: bool = False,
) -> Replay:
    """Go on from `start` until the rule stops. Looks after whole rounds and top-ups, or after each pair."""
    by_id = {design.id: design for design in designs}
    pairs = list(in_order(designs, start))
    taken = Counter(pair.probe for pair in pairs)
    seq = pairs[-1].seq + 1 if pairs else 0
    while not isinstance(step := next_step(designs, pairs, parameters), Stop):
        topup = isinstance(step, TopUp)
        probes = (step.probe,) if isinstance(step, TopUp) else step.probes
        for probe in probes[:1] if each_pair else probes:
            with_, without = answer(by_id[probe], taken[probe])
            pairs.append(Pair(seq, probe, with_, without, topup=topup))
            taken[probe] += 1
            seq += 1
    return Replay(step.reason, tuple(pairs))
