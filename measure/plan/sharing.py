"""Which launches contrasts can share, and how many that leaves.

Invariant: two contrasts share a launch in the baseline only where it is asked the very same: the same text in the same
order of the same options. What each makes of the answer (which option it asks for, what it claims) is its own.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable

from measure.probe.model import Probe


def asked(probe: Probe) -> str:
    """What a launch is asked by this probe."""
    options = sorted((option.id, option.text) for option in probe.options)
    return json.dumps([probe.id, probe.axis, probe.prompt, options])


def launches_together(contrasts: Iterable[tuple[Iterable[Probe], int]]) -> int:
    """Launches of contrasts that go from round to round together; each with its probes and its number of rounds.

    One in the variant for each round of each probe, and one in the baseline for all that ask it.
    """
    baseline: Counter[str] = Counter()
    variants = 0
    for probes, rounds in contrasts:
        for probe in probes:
            question = asked(probe)
            baseline[question] = max(baseline[question], rounds)
            variants += rounds
    return baseline.total() + variants
