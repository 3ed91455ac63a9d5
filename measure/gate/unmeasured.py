"""A measurement that was not taken, as a record of its own.

Invariant: why it was not taken is of the closed list, and a reason that git contradicts is refused. The record holds
no outcome, so nothing can read one out of it.
"""

from __future__ import annotations

from pathlib import Path

from measure.errors import RequestError
from measure.gate.firing import Firing
from measure.record.models import RunRecord
from measure.run.job import record_unmeasured
from measure.verdict.vocabulary import Unmeasured, WhyUnmeasured


def reason_of(reason: str, detail: str | None) -> Unmeasured:
    """A reason as given. Raises `RequestError` for one that is not of the list, or `other` without a detail."""
    known = [why.value for why in WhyUnmeasured]
    if reason not in known:
        raise RequestError(f"--reason {reason!r}: expected one of {', '.join(known)}")
    told = detail.strip() if detail is not None else None
    why = WhyUnmeasured(reason)
    if why is WhyUnmeasured.OTHER and not told:
        raise RequestError("--reason other: expected a --detail that says why", hint="A blank reads as 'no problem'.")
    return Unmeasured(reason=why, detail=told or None)


def record_not_taken(root: Path, reason: Unmeasured, firing: Firing | None, subject: str | None) -> RunRecord:
    """Write the record. Raises `RequestError` where the firing condition says otherwise than the reason."""
    if firing is not None and reason.reason is WhyUnmeasured.OUTSIDE_FIRING_CONDITION and firing.change.fired:
        lines, size = firing.change.lines, firing.change.bytes
        raise RequestError(
            f"--reason {reason.reason}: the change fires by {' and '.join(firing.change.by)} "
            f"(lines +{lines.added} -{lines.deleted}, bytes +{size.added} -{size.deleted})",
            hint="Measure it, or give the reason why not.",
        )
    if subject is None:
        subject = "a change" if firing is None else f"{firing.change.base[:12]}..{firing.change.head[:12]}"
    return record_unmeasured(root, reason, subject, firing.change if firing is not None else None)
