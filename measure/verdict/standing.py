"""Which claims stand when several lines are counted together.

Invariant: a line that was started counts, whatever became of it, and with the evidence of its present look or of the
one at which it stopped, never with the largest it ever had. A claim that stands here stands for its line alone as well.

Differences and zero-differences are two families, each held to the same false discovery rate by e-BH. The e-values of
lines that share launches depend on each other, which e-BH allows (Wang and Ramdas, arXiv:2009.02824); each of them
stays valid when its line stops for what the others show, since given all that was launched before, the two members of
a pair are as exchangeable as they are in a run by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from measure.verdict.family import e_bh
from measure.verdict.look import Look
from measure.verdict.parameters import Parameters


@dataclass(frozen=True, slots=True)
class Claim:
    """What one axis of one line shows, and with how much evidence (natural logarithms of e-values)."""

    difference: float = 0.0
    zero: float = 0.0
    shows: Literal["difference", "zero-difference"] | None = None


def claim_of(look: Look, parameters: Parameters) -> Claim:
    """The claim of one look; one without evidence where its launches do not count."""
    if not look.sound or not look.healthy(parameters):
        return Claim()
    shows: Literal["difference", "zero-difference"] | None = None
    if look.robust(parameters):
        shows = "difference"
    elif look.shows_zero(parameters) and not look.shows_difference(parameters):
        shows = "zero-difference"
    return Claim(look.difference, look.zero.least if look.zero is not None else 0.0, shows)


def standing(claims: Sequence[Claim], alpha: float) -> frozenset[int]:
    """Indexes of the claims that stand at false discovery rate `alpha`, differences and zero-differences each."""
    differences = e_bh([claim.difference for claim in claims], alpha)
    zeros = e_bh([claim.zero for claim in claims], alpha)
    return frozenset(
        index
        for index, claim in enumerate(claims)
        if (claim.shows == "difference" and index in differences)
        or (claim.shows == "zero-difference" and index in zeros)
    )
