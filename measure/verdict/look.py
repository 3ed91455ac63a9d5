"""One look at one axis: everything the stopping rule and the verdict both need, computed once and the same way.

Invariant: evidence for a difference uses every complete pair in canonical order; evidence for a zero-difference uses
complete rounds only. Axes are never pooled with one another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from measure.verdict.damage import worst_line
from measure.verdict.design import Pair, ProbeDesign, balanced
from measure.verdict.equivalence import ZeroEvidence, zero_evidence
from measure.verdict.evidence import LineEvidence, line_evidence
from measure.verdict.parameters import Parameters


@dataclass(frozen=True, slots=True)
class Look:
    """The state of one axis after some pairs."""

    sound: tuple[ProbeDesign, ...]
    """Probes whose answers stayed on their axis; the others are void."""
    pairs: tuple[Pair, ...]
    """Pairs of the sound probes in canonical order."""
    rounds: int
    balanced: tuple[Pair, ...]
    """Pairs of the complete rounds."""
    complete: int
    damaged: int
    line: LineEvidence
    difference: float
    """log e that decides about a difference."""
    zero: ZeroEvidence | None
    """None before the first complete round."""
    designs: tuple[ProbeDesign, ...]
    """All probes of the axis, void ones included."""
    everything: tuple[Pair, ...]
    """All their pairs in canonical order."""

    @property
    def damaged_share(self) -> float:
        """Damaged pairs of all pairs, 0 without pairs."""
        return self.damaged / len(self.pairs) if self.pairs else 0.0

    def healthy(self, parameters: Parameters) -> bool:
        """Few enough damaged pairs for a verdict."""
        return self.damaged_share <= parameters.damaged_limit

    def shows_difference(self, parameters: Parameters) -> bool:
        """At any moment, also inside a round."""
        return self.difference >= parameters.log_threshold

    def robust(self, parameters: Parameters) -> bool:
        """No value that the missing answers could have had takes the difference away."""
        if not self.shows_difference(parameters):
            return False
        if not self.damaged:
            return True
        kept = [(self.sound, self.pairs)]
        if len(self.sound) < len(self.designs):
            kept.append((self.designs, self.everything))
        threshold = parameters.log_threshold
        for designs, pairs in kept:
            worst = worst_line(designs, pairs, parameters.gamma, floor=threshold)
            if worst is None or worst < threshold:
                return False
        return True

    def shows_zero(self, parameters: Parameters) -> bool:
        """From complete rounds, and not before the declared one."""
        return (
            self.zero is not None
            and self.rounds >= parameters.zero_from_round
            and self.zero.least >= parameters.log_threshold
        )


def look_at(designs: Sequence[ProbeDesign], ordered: Sequence[Pair], parameters: Parameters) -> Look:
    """Look at the probes of one axis; `ordered` may hold pairs of other axes, which are left out.

    A probe with a void pair is set aside as a whole. Because that choice is made after seeing answers, a difference
    must also hold with all probes in and only the void pairs out: setting aside can take a difference, not make one.
    """
    mine = {design.id for design in designs}
    of_axis = tuple(pair for pair in ordered if pair.probe in mine)
    leaked = {pair.probe for pair in of_axis if pair.void}
    sound = tuple(design for design in designs if design.id not in leaked)
    pairs = tuple(pair for pair in of_axis if pair.probe not in leaked)
    rounds, in_rounds = balanced(sound, pairs)
    line = line_evidence(sound, pairs, parameters.gamma)
    difference = line.line
    if leaked:
        difference = min(difference, line_evidence(designs, of_axis, parameters.gamma).line)
    damaged = sum(pair.damaged for pair in pairs)
    return Look(
        sound=sound,
        pairs=pairs,
        rounds=rounds,
        balanced=in_rounds,
        complete=len(pairs) - damaged,
        damaged=damaged,
        line=line,
        difference=difference,
        zero=zero_evidence(sound, in_rounds, parameters) if rounds else None,
        designs=tuple(designs),
        everything=of_axis,
    )
