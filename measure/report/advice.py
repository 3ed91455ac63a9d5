"""What to do next, where a run ended before its plan did or measured nothing.

Invariant: every way in which a run can end early has a sentence that says what would let it go on.
"""

from __future__ import annotations

from pathlib import Path

from measure.client.trial import Reason
from measure.record.models import SHORT, InvalidRecord, RunRecord
from measure.record.store import RUNNING, command_for

BY_REASON: dict[Reason, str] = {
    Reason.AUTH: "Log in again with the client (start it, then /login) or renew the key.",
    Reason.BILLING: "Top up the account, or use another one.",
    Reason.MODEL_REJECTED: "Begin a new run with another --model; this account may not use this one.",
    Reason.RATE_LIMIT: "Wait a while, and go on with fewer --jobs.",
    Reason.TIMEOUT: "Begin a new run with a longer --time-limit.",
    Reason.MAX_TURNS: "The agent works before it decides: allow more --max-turns in a new run, or sharpen the prompt.",
    Reason.PROMPT_TOO_LONG: "The text loaded at launch and the prompt are too long for this model.",
}
FRESH = frozenset({Reason.MODEL_REJECTED, Reason.TIMEOUT, Reason.MAX_TURNS, Reason.PROMPT_TOO_LONG})
"""Reasons that going on would meet again."""


def advice_of(record: RunRecord, root: Path) -> str | None:
    """What lets a run that ended early go on; None for one that did all it planned, or is under way.

    `root` is where its record is.
    """
    if record.stop is not None and record.stop.reason == SHORT:
        more = f"{command_for('resume', record.run_id, root)} --max-rounds N"
        return f"A verdict does not stand with all lines counted; more rounds may do: {more}"
    if record.complete or (record.stop is not None and record.stop.reason == RUNNING):
        return None
    resume = command_for("resume", record.run_id, root)
    stop = record.stop
    if stop is None:
        return f"Go on with: {resume}"
    if stop.reason == "launches":
        return f"Go on with: {resume} --max-launches N"
    if stop.reason == "budget":
        return f"Go on with: {resume} --budget-usd USD"
    invalid = _last_invalid(record)
    if stop.resets_at is not None:
        local = stop.resets_at.astimezone()
        return f"The limit ends on {local:%Y-%m-%d at %H:%M %Z}; then go on with: {resume}"
    if invalid is None or stop.reason != "failing":
        return f"Go on with: {resume}"
    if invalid.reason in FRESH:
        return BY_REASON[invalid.reason]
    first = BY_REASON.get(invalid.reason, "Find out what fails: 'measure doctor' looks, 'measure show' tells more.")
    return f"{first} Then go on with: {resume}"


def _last_invalid(record: RunRecord) -> InvalidRecord | None:
    failed = [
        trial.invalid for trial in record.trials if trial.invalid and trial.invalid.reason is not Reason.CANCELLED
    ]
    return failed[-1] if failed else None
