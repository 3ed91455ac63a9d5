"""What the run may still spend.

Invariant: money and launches are reserved before a launch starts, at the dearest price seen so far with headroom, so
that launches in flight can't carry the total past the limit; while no price is known, one launch goes alone, and the
others of its block only if it left money for them. A launch whose price nobody told counts as the dearest one that
is known, at any time, also where none was known yet when it ended.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum

from measure.record.models import TrialRecord

HEADROOM = 1.25
"""A launch is reserved at this multiple of the dearest one seen: replies differ in length, prefixes do not."""


class Grant(Enum):
    """Answer to a request for launches."""

    GO = "go"
    WAIT = "wait"
    """Not now: what is under way may turn out cheaper, or tells the price."""
    LAUNCHES_SPENT = "launches"
    MONEY_SPENT = "budget"


@dataclass
class Budget:
    """Counts launches and US dollars against their limits; None means no limit."""

    max_launches: int | None = None
    max_usd: float | None = None
    expected_usd: float | None = None
    """Price of a launch where it is known beforehand, in US dollars."""
    launched: int = 0
    told_usd: float = 0.0
    """What launches that have ended cost, as far as their client said so."""
    unpriced: int = 0
    """Launches that have ended, or were cut off, and of which nobody told the price."""
    in_flight: int = 0
    dearest_usd: float | None = field(default=None)

    @property
    def reserve_usd(self) -> float | None:
        """What is set aside for a launch that has not ended, in US dollars; None while unknown."""
        known = [price for price in (self.dearest_usd, self.expected_usd) if price is not None]
        return max(known) * HEADROOM if known else None

    @property
    def spent_usd(self) -> float:
        """What is spent, with what is set aside for launches whose price was never told, in US dollars."""
        return self.told_usd + self.unpriced * (self.reserve_usd or 0.0)

    @property
    def blind(self) -> bool:
        """There is a limit of money, and nobody knows yet what a launch costs."""
        return self.max_usd is not None and self.reserve_usd is None

    @property
    def overdrawn(self) -> bool:
        """What was granted can't all be paid any more: the price was not known then, or turned out higher."""
        if self.max_usd is None:
            return False
        reserve = self.reserve_usd
        if reserve is None:
            return self.spent_usd >= self.max_usd
        return self.spent_usd + reserve * self.in_flight > self.max_usd

    def ask(self, launches: int = 1) -> Grant:
        """Whether so many more launches may start now, together; on `GO` they are reserved."""
        if self.max_launches is not None and self.launched + launches > self.max_launches:
            return Grant.LAUNCHES_SPENT
        if self.max_usd is not None and not self._affordable(launches):
            return Grant.WAIT if self.in_flight else Grant.MONEY_SPENT
        self.launched += launches
        self.in_flight += launches
        return Grant.GO

    def _affordable(self, launches: int) -> bool:
        assert self.max_usd is not None
        reserve = self.reserve_usd
        if reserve is None:
            return not self.in_flight and self.spent_usd < self.max_usd
        return self.spent_usd + reserve * (self.in_flight + launches) <= self.max_usd

    def take_over(self, trials: Iterable[TrialRecord]) -> None:
        """Count launches that an earlier session made, each where its price stands."""
        for trial in trials:
            if trial.counted_in is None:
                self.launched += 1
                self.in_flight += 1
                self.settle(trial.usage.cost_usd)

    def release(self, launches: int) -> None:
        """Give back launches that were reserved and never started."""
        self.launched -= launches
        self.in_flight -= launches

    def settle(self, cost_usd: float | None) -> None:
        """A launch has ended and cost this much (None: the client did not say; then the reservation is spent)."""
        self.in_flight -= 1
        if cost_usd is None:
            self.unpriced += 1
            return
        self.told_usd += cost_usd
        self.dearest_usd = max(self.dearest_usd or 0.0, cost_usd)
