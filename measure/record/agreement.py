"""Whether a stored record goes together: what it concludes with its own trials, and it with the files beside it.

Invariant: nothing is put right here and nothing is raised; what does not go together is named, and the record stays as
it was written. Words, counts and numbers are held against each other, sentences and outlooks on further launches not:
these may be put otherwise by another program without reading a trial otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from measure.errors import RecordError
from measure.record.build import parameters_now, result_of, spending_of
from measure.record.models import Result, RunRecord
from measure.record.store import PLAN, TRIALS, read_plan, read_trials

PASSED_OVER = frozenset({"detail", "settling"})
"""Fields of a result that hold sentences, or what would come of launches that were not made."""
TOLERANCE = 1e-6
"""Two machines may round otherwise; relative, and absolute near 0."""
SUMMED = ("launches", "shared", "cost_usd", "input_tokens", "output_tokens")


def at_odds(record: RunRecord, folder: Path) -> tuple[str, ...]:
    """What does not go together, each in words without a full stop; empty where everything does.

    A record without the journal or the plan beside it is held against itself alone.
    """
    return (*_with_itself(record), *_with_files(record, folder))


def _with_itself(record: RunRecord) -> Iterator[str]:
    if record.plan is None:
        return
    try:
        parameters = parameters_now(record.plan, record.sessions)
        read = result_of(record.plan, record.trials, record.stop, parameters, outlook=False)
        spent = spending_of(record.trials, record.sessions)
    except (ValueError, LookupError):
        yield "the trials of this record are none that its plan could have given, so its verdict can't be checked"
        return
    place = _differing(record.result.model_dump(mode="json"), read.model_dump(mode="json"))
    if place is not None:
        now, then = _word(read), _word(record.result)
        yield (
            f"this program reads these trials as {now}; the record says {then}"
            if now != then
            else f"this program reads these trials as {now} too, but with other numbers than the record holds ({place})"
        )
    told, summed = ([getattr(one, name) for name in SUMMED] for one in (record.spending, spent))
    if _differing(told, summed) is not None:
        yield "the launches, tokens or money that the record tells are not the sums of its trials"


def _with_files(record: RunRecord, folder: Path) -> Iterator[str]:
    try:
        if (folder / TRIALS).is_file():
            journal, _ = read_trials(folder)
            kept, told = ({trial.id: trial for trial in trials} for trials in (journal, record.trials))
            other = sum(kept.get(name) != told.get(name) for name in {*kept, *told})
            if other:
                yield f"the trials in the record are not those in {TRIALS} beside it ({other} of {len({*kept, *told})})"
        if record.plan is not None and (folder / PLAN).is_file() and read_plan(folder) != record.plan:
            yield f"the plan in the record is not the one in {PLAN} beside it"
    except RecordError as error:
        yield f"what lies beside the record can't be held against it: {error.message}"


def _word(result: Result) -> str:
    if result.status == "measured":
        return result.decision.finding.kind.value
    return "a noise band" if result.status == "band" else f"unmeasured ({result.reason.value})"


def _differing(first: Any, second: Any, place: str = "") -> str | None:
    """Where two JSON values differ first; None where they do not, but for rounding."""
    if isinstance(first, dict) and isinstance(second, dict):
        names = [name for name in {**first, **second} if name not in PASSED_OVER]
        return _first((first.get(name), second.get(name), f"{place} {name}".strip()) for name in names)
    if isinstance(first, list) and isinstance(second, list) and len(first) == len(second):
        return _first((one, other, place) for one, other in zip(first, second, strict=True))
    if isinstance(first, float) and isinstance(second, float):
        return None if math.isclose(first, second, rel_tol=TOLERANCE, abs_tol=TOLERANCE) else place
    return None if first == second else place


def _first(pairs: Iterator[tuple[Any, Any, str]]) -> str | None:
    return next((found for one, other, place in pairs if (found := _differing(one, other, place)) is not None), None)
