"""Every number of the procedure that is chosen rather than computed, declared before the first launch.

Invariant: a value that would void the guarantees (weights that are no average, a margin outside 0..1) can't be held.
"""

from __future__ import annotations

import math
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

Share = Annotated[float, Field(gt=0, lt=1)]


class Bet(BaseModel):
    """One of the fixed bets that make up a betting e-value: the staked fraction and its weight in the average."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    fraction: Annotated[float, Field(gt=0, le=1)]
    weight: Annotated[float, Field(gt=0, le=1)]


BETS = (Bet(fraction=1.0, weight=0.70), Bet(fraction=0.7, weight=0.15), Bet(fraction=0.35, weight=0.15))
"""The all-in bet wins fastest where behaviour never varies; the two smaller ones survive noise."""


class Parameters(BaseModel):
    """The declared procedure. Margins are shifts of a probability, 0 to 1."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    alpha: Share = 0.05
    """Error level of each claim; a claim needs an e-value of 1/alpha."""
    gamma: Annotated[float, Field(gt=0, le=1)] = 0.18
    """Prior count per option and arm of the plug-in predictive (the default of safestats for 2x2 tables)."""
    margin: Share = 0.2
    """A zero-difference excludes an average shift of this size."""
    probe_margin: Share = 0.7
    """A zero-difference excludes a shift of this size in every single probe."""
    max_rounds: Annotated[int, Field(ge=1)] = 6
    """After this many rounds an open question is `undecided`; going on later is allowed and stays valid."""
    zero_from_round: Annotated[int, Field(ge=1)] = 3
    """A zero-difference is not claimed on fewer complete rounds."""
    repeats: Annotated[int, Field(ge=1)] | None = None
    """A fixed design: exactly this many rounds, no stop before, no top-up. None means stop when it is settled."""
    top_up_from_round: Annotated[int, Field(ge=1)] = 3
    top_up_evidence: Annotated[float, Field(gt=1)] = 5.0
    """A probe is suspicious when its own e-value reaches this while the axis is open."""
    top_up_pairs: Annotated[int, Field(ge=0)] = 4
    """At most so many pairs for suspicious probes before the next full round; 0 turns top-ups off."""
    damaged_limit: Share = 0.2
    """Above this share of damaged pairs a run is invalid."""
    bets: tuple[Bet, ...] = BETS

    @model_validator(mode="after")
    def _hold_together(self) -> Self:
        if not math.isclose(math.fsum(bet.weight for bet in self.bets), 1.0, abs_tol=1e-9):
            raise ValueError("the weights of the bets must add up to 1")
        if all(bet.fraction == 1 for bet in self.bets):
            raise ValueError("at least one bet must stake less than everything")
        if self.probe_margin < self.margin:
            raise ValueError(
                "'probe_margin' can't be smaller than 'margin': a mean is never larger than its largest part"
            )
        return self

    @property
    def log_threshold(self) -> float:
        """Natural logarithm of the e-value that a claim needs."""
        return -math.log(self.alpha)

    @property
    def rounds_at_most(self) -> int:
        """Rounds after which nothing more is launched."""
        return self.max_rounds if self.repeats is None else self.repeats


STANDARD = Parameters()
CHEAP = Parameters(margin=0.3, probe_margin=0.85, zero_from_round=2)
"""Coarser margins for two thirds of the price where behaviour is steady."""
