"""Evidence that the arms differ: block e-values with one launch per arm in each block.

Invariant: whatever the common law of both arms is, and whenever one stops, the expectation of each value here is at
most 1, so 1/alpha is reached with probability at most alpha. Values are kept as natural logarithms; a thousand flips
do not overflow, and identical outcomes give exactly 0.

The block e-variable is that of Turner, Ly and Grünwald (arXiv:2106.02693) with a plug-in Dirichlet predictive. For
predictives p of the arms and their mean m, the factor p_with(a) p_without(b) / (m(a) m(b)) has expectation at most 1
when both answers come from one law, by the inequality of arithmetic and geometric means. Pooled and per-probe terms
are averaged in the manner of their strata paper (arXiv:2302.11401).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from measure.verdict.design import Pair, ProbeDesign

LOG_2 = math.log(2)
GAMMA = 0.18


def log_mean(first: float, second: float) -> float:
    """log((e^first + e^second) / 2) without leaving the logarithm."""
    high, low = (first, second) if first >= second else (second, first)
    return high + math.log1p(math.exp(low - high)) - LOG_2


class Stream:
    """One running block e-value. The only mutable thing here; it lives inside one function call."""

    __slots__ = ("_counts", "_gamma", "log_e")

    def __init__(self, gamma: float = GAMMA) -> None:
        self._gamma = gamma
        self._counts: defaultdict[int, list[int]] = defaultdict(lambda: [0, 0])
        self.log_e = 0.0

    def add(self, with_: int, without: int) -> float:
        """Take one complete pair and return the logarithm of the e-value after it.

        The number of options does not matter: the totals of both predictives are equal and cancel.
        """
        gamma = self._gamma
        a, b = self._counts[with_], self._counts[without]
        a_with, a_without = a[0] + gamma, a[1] + gamma
        b_with, b_without = b[0] + gamma, b[1] + gamma
        # Twice a number over its exact double is exactly 1, so identical arms leave the value untouched.
        self.log_e += math.log(2 * a_with / (a_with + a_without)) + math.log(2 * b_without / (b_with + b_without))
        a[0] += 1
        b[1] += 1
        return self.log_e


def plug_path(pairs: Iterable[tuple[int, int]], gamma: float = GAMMA) -> Iterator[float]:
    """log e after each pair (with, without), in the order given; a longer stream never changes what came before."""
    stream = Stream(gamma)
    for with_, without in pairs:
        yield stream.add(with_, without)


def log_e_plug(pairs: Iterable[tuple[int, int]], gamma: float = GAMMA) -> float:
    """log e of one stream of complete pairs (with, without), any number of options."""
    log_e = 0.0
    for log_e in plug_path(pairs, gamma):  # noqa: B007 - the last value is the answer
        pass
    return log_e


@dataclass(frozen=True, slots=True)
class LineEvidence:
    """Evidence that the arms differ in at least one probe of an axis; natural logarithms of e-values.

    `pool` reads all probes as one stream (strong when they react alike), `product` multiplies (1 + E)/2 over probes
    (strong when few react or in opposite ways), `line` is the average of both and the one that decides.
    """

    pool: float
    product: float
    line: float
    probes: Mapping[str, float]


class LineStream:
    """The evidence of one axis, pair by pair. P = 1 has one stream and needs no average."""

    __slots__ = ("_by_id", "_pool", "_probes")

    def __init__(self, designs: Sequence[ProbeDesign], gamma: float = GAMMA) -> None:
        self._by_id = {design.id: design for design in designs}
        self._pool = Stream(gamma)
        self._probes = {design.id: Stream(gamma) for design in designs}

    def add(self, pair: Pair) -> None:
        """A damaged or void pair, or one of a foreign probe, contributes the factor 1."""
        design = self._by_id.get(pair.probe)
        if design is None or pair.void or pair.with_ is None or pair.without is None:
            return
        self._probes[pair.probe].add(pair.with_, pair.without)
        self._pool.add(int(pair.with_ == design.asked_for), int(pair.without == design.asked_for))

    def add_intended(self, pair: Pair) -> None:
        """Intention to treat: an invalid launch is an outcome of its own (index -1) that needs no assumption."""
        design = self._by_id.get(pair.probe)
        if design is None or pair.void:
            return
        sides = (pair.with_, pair.without)
        self._probes[pair.probe].add(*(-1 if side is None else side for side in sides))
        self._pool.add(*(-1 if side is None else int(side == design.asked_for) for side in sides))

    def evidence(self) -> LineEvidence:
        """The values so far."""
        probes = {probe: stream.log_e for probe, stream in self._probes.items()}
        product = math.fsum(log_mean(0.0, log_e) for log_e in probes.values())
        pool = self._pool.log_e
        line = next(iter(probes.values())) if len(probes) == 1 else log_mean(pool, product)
        return LineEvidence(pool=pool, product=product, line=line, probes=probes)


def line_evidence(designs: Sequence[ProbeDesign], ordered: Iterable[Pair], gamma: float = GAMMA) -> LineEvidence:
    """E_line over the probes of one axis; `ordered` is in canonical order."""
    stream = LineStream(designs, gamma)
    for pair in ordered:
        stream.add(pair)
    return stream.evidence()


def intended_evidence(designs: Sequence[ProbeDesign], ordered: Iterable[Pair], gamma: float = GAMMA) -> LineEvidence:
    """E_line with `invalid` as one more option of each probe."""
    stream = LineStream(designs, gamma)
    for pair in ordered:
        stream.add_intended(pair)
    return stream.evidence()
