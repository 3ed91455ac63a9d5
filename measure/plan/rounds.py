"""Which pair is launched next: the stopping rule of the verdict, turned into blocks.

Invariants: an adaptive run never launches a pair of a later round while one of the present round is under way, since
its outcome may settle the question; a fixed design launches every pair it declared, whatever comes out; in both the
blocks already scheduled depend on nothing that was scheduled after them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from measure.plan.schedule import Block, derived_seed, pair, shuffled
from measure.probe.order import orders
from measure.record.models import Plan, Stop, TrialRecord
from measure.record.pairs import designs_of, pairs_of
from measure.verdict.design import Pair, before_open
from measure.verdict.parameters import Parameters
from measure.verdict.stopping import Round, StopReason, TopUp, next_step
from measure.verdict.stopping import Stop as Settled


def _stop(step: Settled, looked_at: Sequence[Pair]) -> Stop:
    settled = step.reason is StopReason.SETTLED and looked_at
    return Stop(reason=step.reason.value, last_block=looked_at[-1].seq if settled else None)


@dataclass
class Rounds:
    """Hands out blocks one by one. `trials` is the growing list of what has ended, shared with the executor."""

    plan: Plan
    parameters: Parameters
    trials: Sequence[TrialRecord]
    _scheduled: dict[tuple[int, str], int] = field(default_factory=dict)
    _repeats: Counter[str] = field(default_factory=Counter)
    _number: int = 0

    def __post_init__(self) -> None:
        self._designs = designs_of(self.plan.probes)
        self._options = {entry.probe.id: [option.id for option in entry.probe.options] for entry in self.plan.probes}
        self._go_on()
        self._rest = self._all_rounds() if self.parameters.repeats is not None else None

    def _go_on(self) -> None:
        """Take over what an earlier session launched; a pair that it could not complete is launched anew."""
        counted = {pair.seq for pair in pairs_of(self._designs, self.plan.contrast, self.trials)}
        for trial in sorted(self.trials, key=lambda trial: trial.block):
            if trial.member == 0 and trial.attempt == 1:
                self._repeats[trial.probe] += 1
            if trial.block in counted and not trial.topup:
                self._scheduled[trial.round, trial.probe] = trial.block
            self._number = max(self._number, trial.block + 1)

    def next(self, under_way: Collection[int]) -> Block | Stop | None:
        """The next pair to launch, why there is none, or None: wait until one under way has ended."""
        if self._rest is not None:
            block = next(self._rest, None)
            if block is not None:
                return block
            return None if under_way else Stop(reason="repeats-done")
        pairs = pairs_of(self._designs, self.plan.contrast, self.trials)
        step = next_step(self._designs, pairs, self.parameters, under_way)
        if isinstance(step, Settled):
            return _stop(step, before_open(pairs, under_way))
        if isinstance(step, TopUp):
            return None if under_way else self._block(self._last_round(), step.probe, topup=True)
        return self._of_round(step)

    def _of_round(self, step: Round) -> Block | None:
        for probe in shuffled(self.plan.probe_ids, step.number, self.plan.design.seed):
            if probe in step.probes and (step.number, probe) not in self._scheduled:
                return self._block(step.number, probe)
        return None

    def _all_rounds(self) -> Iterator[Block]:
        for number in range(1, self.parameters.rounds_at_most + 1):
            for probe in shuffled(self.plan.probe_ids, number, self.plan.design.seed):
                if (number, probe) not in self._scheduled:
                    yield self._block(number, probe)

    def _last_round(self) -> int:
        return max((number for number, _ in self._scheduled), default=1)

    def _block(self, round_: int, probe: str, *, topup: bool = False) -> Block:
        if not topup:
            self._scheduled[round_, probe] = self._number
        repeat = self._repeats[probe]
        seed = derived_seed(self.plan.design.seed, "options", probe)
        order = orders(self._options[probe], repeat + 1, seed)[repeat]
        self._repeats[probe] += 1
        block = pair(self._number, round_, probe, order, self.plan.design.seed, topup=topup)
        self._number += 1
        return block
