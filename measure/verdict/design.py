"""What was asked and what came back, as the statistics see it: designs, pairs and their one order.

Invariant: the order of pairs is the number given when they were scheduled. No function here or after it looks at
when a launch finished, and a missing answer stays missing: it is never turned into an option.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from measure.probe.model import Axis


@dataclass(frozen=True, slots=True)
class ProbeDesign:
    """One probe as declared before the first launch.

    `categories` are the outcomes an answer can have; `asked_for` is the index of the one the line asks for (on the
    content axis: the one in which the line is quoted).
    """

    id: str
    axis: Axis
    categories: tuple[str, ...]
    asked_for: int

    def __post_init__(self) -> None:
        if len(self.categories) < 2 or len(set(self.categories)) != len(self.categories):
            raise ValueError(f"probe {self.id!r}: at least two different categories are needed")
        if not 0 <= self.asked_for < len(self.categories):
            raise ValueError(f"probe {self.id!r}: asked_for {self.asked_for} is no index into its categories")

    def slot(self, category: int) -> int:
        """Rank of a category with the asked-for one first, so that slot 0 means the same thing in every probe."""
        if category == self.asked_for:
            return 0
        return category + 1 if category < self.asked_for else category


@dataclass(frozen=True, slots=True)
class Pair:
    """One launch in each arm for the same probe; both have ended.

    `seq` numbers the pairs of the whole run, all axes together, and is fixed at scheduling. `with_` and `without` are
    category indexes; None is an invalid or missing launch. `topup` marks a pair that was bought for one suspicious
    probe outside the balanced rounds. `void` marks a behaviour pair in which an answer only reported a missing
    provision: the probe leaked, so the pair says nothing about behaviour.
    """

    seq: int
    probe: str
    with_: int | None
    without: int | None
    topup: bool = False
    void: bool = False

    @property
    def damaged(self) -> bool:
        """At least one side is missing (a void pair is set aside for its own reason, not counted here)."""
        return not self.void and (self.with_ is None or self.without is None)


def in_order(designs: Sequence[ProbeDesign], pairs: Iterable[Pair]) -> tuple[Pair, ...]:
    """The pairs by `seq`. Raises ValueError for unknown probes, indexes out of range and numbers used twice."""
    by_id = {design.id: design for design in designs}
    if len(by_id) != len(designs):
        raise ValueError("every probe needs an id of its own")
    ordered = tuple(sorted(pairs, key=lambda pair: pair.seq))
    for before, pair in zip((None, *ordered), ordered, strict=False):
        if pair.seq < 0 or (before is not None and before.seq == pair.seq):
            raise ValueError(f"pair number {pair.seq} is negative or used twice")
        if pair.probe not in by_id:
            raise ValueError(f"pair {pair.seq} names the probe {pair.probe!r}, which was not declared")
        for category in (pair.with_, pair.without):
            if category is not None and not 0 <= category < len(by_id[pair.probe].categories):
                raise ValueError(f"pair {pair.seq}: {category} is no category of probe {pair.probe!r}")
    return ordered


def before_open(ordered: Sequence[Pair], under_way: Collection[int]) -> tuple[Pair, ...]:
    """The pairs scheduled before the first one still under way.

    A look may use nothing beyond it: which launches finish early can depend on what the agent did.
    """
    first = min(under_way, default=None)
    return tuple(pair for pair in ordered if first is None or pair.seq < first)


def balanced(sound: Sequence[ProbeDesign], ordered: Iterable[Pair]) -> tuple[int, tuple[Pair, ...]]:
    """Number of complete rounds over the probes and their pairs; top-ups and the round under way are left out."""
    taken: dict[str, list[Pair]] = {design.id: [] for design in sound}
    for pair in ordered:
        if pair.probe in taken and not pair.topup:
            taken[pair.probe].append(pair)
    rounds = min((len(of_probe) for of_probe in taken.values()), default=0)
    kept = [pair for of_probe in taken.values() for pair in of_probe[:rounds]]
    return rounds, tuple(sorted(kept, key=lambda pair: pair.seq))
