"""What a launch costs with the line and without it.

Invariant: both arms are described by the same pairs, each of two answered launches that could find the start of their
request in the model's cache, so that an arm is not made cheap by the questions it happened to answer, nor dear by
having gone first. It is a description: no verdict reads it, and nothing of it is stored.

Pairs, not arms: probes differ in length and in what they make an agent do, and a launch that failed leaves its
probe one launch short in its arm alone. Means over all launches of each arm would then differ by the mix of probes;
within a pair both launches were asked the same, in the same order of options.

A launch that went alone to warm the cache (`led`) wrote what all others read. Programs before that mark let nobody
wait: of their launches, one could find nothing where no answered launch had ended before it began that was begun within
the five minutes that a prefix is kept (Anthropic, "Prompt caching", API documentation).

The interval is Student's over the differences of pairs: plain, good for one look, and about these probes. Unlike the
intervals of a verdict it does not hold however often it is looked at.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from statistics import fmean, stdev

from measure.record.models import RunRecord, TrialRecord
from measure.record.pairs import final_trials

CONFIDENCE = 0.95
FEWEST = 4
"""Pairs from which an interval is given; with fewer, Student's factor says more about their number than about them."""
KEPT = timedelta(minutes=5)
"""How long a prefix stays in the cache after its last use."""
SAME = 1e-9
"""Differences that lie no further apart are equal but for the arithmetic of floats."""


class Quantity(StrEnum):
    """What a launch takes, in the words and the order in which it is shown."""

    INPUT = "input tokens"
    FRESH = "fresh"
    WRITTEN = "written to the cache"
    READ = "read from the cache"
    OUTPUT = "output tokens"
    TURNS = "turns"
    SECONDS = "seconds"
    DOLLARS = "US dollars"


INPUT_KINDS = (Quantity.FRESH, Quantity.WRITTEN, Quantity.READ)
"""What the input tokens are the sum of."""


@dataclass(frozen=True, slots=True)
class Cost:
    """One quantity per launch, over the pairs in which both launches reported it."""

    quantity: Quantity
    pairs: int
    with_line: float
    without: float
    """Means."""
    difference: float
    """Mean of with the line minus without it."""
    interval: tuple[float, float] | None
    """Of the mean difference; None with fewer than `FEWEST` pairs."""
    constant: bool
    """Every pair differed by the same amount."""
    nothing: bool
    """0 was reported by every launch."""


@dataclass(frozen=True, slots=True)
class CostByArm:
    """What launches cost, arm against arm."""

    pairs: int
    """Pairs that fit; as many launches in each arm."""
    left_out: int
    """Pairs with an answer in both arms of which a launch could find nothing in the cache."""
    costs: tuple[Cost, ...]
    """Quantities that were reported in both arms, in the order of `Quantity`; never the seconds alone, which are taken
    by the harness."""


def cost_by_arm(record: RunRecord) -> CostByArm | None:
    """The arms' costs over the pairs that the verdict may read; None where no pair fits or nothing was reported.

    Pairs after the look that settled the run are left out as they are there: of what was under way then, the quick
    launches came to an end and others may have been cut off. Identical arms (a noise band) have no cost of a line.
    """
    if record.plan is None or record.result.status != "measured":
        return None
    last = record.stop.last_block if record.stop is not None else None
    with_arm = record.plan.contrast.with_arm
    cold = _cold(record.trials)
    members: dict[int, list[TrialRecord]] = {}
    for (block, _), trial in sorted(final_trials(record.trials).items(), key=lambda item: item[0][1] is not with_arm):
        if trial.reading is not None and (last is None or block <= last):
            members.setdefault(block, []).append(trial)
    complete = [(pair[0], pair[1]) for pair in members.values() if len(pair) == 2]
    fitting = [pair for pair in complete if not any(trial.id in cold for trial in pair)]
    found = (_cost(quantity, [(read(one), read(other)) for one, other in fitting]) for quantity, read in _READ.items())
    costs = tuple(cost for cost in found if cost is not None)
    reported = any(cost.quantity is not Quantity.SECONDS for cost in costs)
    return CostByArm(len(fitting), len(complete) - len(fitting), costs) if reported else None


def student(confidence: float, freedom: int) -> float:
    """The t that Student's distribution keeps between -t and t with this probability, for whole degrees of freedom.

    Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.3 and 26.7.4, with theta = atan(t / sqrt(freedom)),
    solved by halving.
    """
    low, high = 0.0, math.pi / 2
    for _ in range(60):
        theta = (low + high) / 2
        low, high = (theta, high) if _between(theta, freedom) < confidence else (low, theta)
    return math.sqrt(freedom) * math.tan((low + high) / 2)


def _between(theta: float, freedom: int) -> float:
    sine, cosine = math.sin(theta), math.cos(theta)
    odd = freedom % 2
    total, term = 0.0, cosine if odd else 1.0
    for step in range(odd, freedom - 1, 2):
        total += term
        term *= cosine**2 * (step + 1) / (step + 2)
    return (theta + sine * total) * 2 / math.pi if odd else sine * total


def _cost(quantity: Quantity, values: Sequence[tuple[float | None, float | None]]) -> Cost | None:
    both = [(one, other) for one, other in values if one is not None and other is not None]
    if not both:
        return None
    differences = [one - other for one, other in both]
    mean = fmean(differences)
    interval = None
    if len(both) >= FEWEST:
        reach = student(CONFIDENCE, len(both) - 1) * stdev(differences) / math.sqrt(len(both))
        interval = (mean - reach, mean + reach)
    return Cost(
        quantity,
        len(both),
        fmean(one for one, _ in both),
        fmean(other for _, other in both),
        mean,
        interval,
        constant=max(differences) - min(differences) <= SAME,
        nothing=all(one == other == 0 for one, other in both),
    )


def _input(trial: TrialRecord) -> float | None:
    """All input tokens; None unless fresh ones were reported. A client that tells of no cache has none."""
    usage = trial.usage
    cached = (usage.cache_creation_input_tokens, usage.cache_read_input_tokens)
    if usage.input_tokens is None or (None in cached and cached != (None, None)):
        return None
    return usage.input_tokens + sum(tokens or 0 for tokens in cached)


_READ: dict[Quantity, Callable[[TrialRecord], float | None]] = {
    Quantity.INPUT: _input,
    Quantity.FRESH: lambda trial: trial.usage.input_tokens,
    Quantity.WRITTEN: lambda trial: trial.usage.cache_creation_input_tokens,
    Quantity.READ: lambda trial: trial.usage.cache_read_input_tokens,
    Quantity.OUTPUT: lambda trial: trial.usage.output_tokens,
    Quantity.TURNS: lambda trial: trial.turns,
    Quantity.SECONDS: lambda trial: trial.wall_s,
    Quantity.DOLLARS: lambda trial: trial.usage.cost_usd,
}


def _cold(trials: Sequence[TrialRecord]) -> frozenset[str]:
    """Ids of the launches that could find nothing of their request in the cache."""
    cold = {trial.id for trial in trials if trial.led}
    # A program that marks them marks its first launch. Where that one is here without a mark, it and all up to the
    # first mark were launched by a program that does not; where it is not here, another record holds it.
    first_mark = min((trial.position for trial in trials if trial.led), default=math.inf)
    begins = any(trial.position == 1 for trial in trials)
    unmarked = [trial for trial in trials if begins and trial.position < first_mark]
    if any(trial.usage.cache_creation_input_tokens or trial.usage.cache_read_input_tokens for trial in unmarked):
        answered = [trial for trial in unmarked if trial.reading is not None]
        cold |= {trial.id for trial in unmarked if not any(_warms(other, trial) for other in answered)}
    return frozenset(cold)


def _warms(earlier: TrialRecord, trial: TrialRecord) -> bool:
    ended = earlier.started_at + timedelta(seconds=earlier.wall_s)
    return ended <= trial.started_at < earlier.started_at + KEPT
