"""Which launch is made when: written down as a pure function of the seed before anything is launched.

Invariant: the schedule of a round depends on the seed, the round and the probes alone, never on outcomes, so a longer
run begins with exactly the launches of a shorter one, and the same seed gives the same order again.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from dataclasses import dataclass

from measure.record.models import Arm


@dataclass(frozen=True, slots=True)
class Slot:
    """One launch to make: a member of a block."""

    block: int
    round: int
    probe: str
    arm: Arm
    member: int
    order: tuple[str, ...]
    seed: int
    topup: bool = False
    courses: tuple[int, ...] = (0,)
    """Which of the contrasts measured together it counts for, the first of which pays for it. A launch in a variant
    counts for one."""

    def trial_id(self, attempt: int) -> str:
        """Unique in a run; sorts in the order of scheduling."""
        return f"{self.block:05d}.{self.member}.{attempt}"


@dataclass(frozen=True, slots=True)
class Block:
    """One launch in the baseline and one in the variant of each contrast it is for, back to back, in random order.

    For one contrast it is a pair. For several, each variant's launch makes a pair with the one in the baseline.
    """

    number: int
    round: int
    probe: str
    slots: tuple[Slot, ...]


def derived_seed(*parts: object) -> int:
    """A 63-bit number that depends on all parts and on nothing of the machine."""
    digest = hashlib.sha256("\x1f".join(map(str, parts)).encode()).digest()
    return int.from_bytes(digest[:8]) >> 1


def block(
    number: int,
    round_: int,
    probe: str,
    order: tuple[str, ...],
    seed: int,
    *,
    topup: bool = False,
    courses: tuple[int, ...] = (0,),
) -> Block:
    """One block; which launch goes first is drawn from the seed and the block's number."""
    launches = [(Arm.BASELINE, courses), *((Arm.VARIANT, (course,)) for course in courses)]
    random.Random(derived_seed(seed, "arms", number)).shuffle(launches)
    return Block(
        number,
        round_,
        probe,
        tuple(
            Slot(number, round_, probe, arm, member, order, derived_seed(seed, "trial", number, member), topup, served)
            for member, (arm, served) in enumerate(launches)
        ),
    )


def shuffled(probes: Sequence[str], round_: int, seed: int) -> tuple[str, ...]:
    """The order in which a round goes through the probes, drawn anew for each round."""
    order = list(probes)
    random.Random(derived_seed(seed, "round", round_)).shuffle(order)
    return tuple(order)
