"""When launching on would only buy the same failure again.

Invariant: only launches that did not count can end a run here, never what an agent answered.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from measure.client.trial import Invalid, Reason
from measure.record.models import Arm, InvalidRecord

HOPELESS = frozenset({Reason.AUTH, Reason.BILLING, Reason.USAGE_LIMIT, Reason.MODEL_REJECTED, Reason.CLIENT_CHANGED})
"""Failures that the next launch would meet as well; the first one ends the run."""

IN_A_ROW = 5
"""So many equal failures in a row, over all launches or within one arm, end the run."""


@dataclass
class FailureWatch:
    """Looks at finished launches in the order in which they ended."""

    _runs: dict[str, tuple[Reason | None, int]] = field(default_factory=lambda: defaultdict(lambda: (None, 0)))

    def saw(self, arm: Arm, failure: Invalid | InvalidRecord | None) -> str | None:
        """Take note of one launch; returns why no more should be made, or None."""
        if failure is not None and failure.reason in HOPELESS:
            return f"{failure.reason.value}: {failure.detail}"
        reason = failure.reason if failure is not None else None
        for key in ("all", arm.value):
            before, count = self._runs[key]
            self._runs[key] = (reason, count + 1 if reason == before else 1)
        for key, where in (("all", "in a row"), (arm.value, f"in a row in the {arm.value} arm")):
            seen, count = self._runs[key]
            if failure is not None and seen is not None and count >= IN_A_ROW:
                return f"{count} launches {where} ended as {seen.value}: {failure.detail}"
        return None
