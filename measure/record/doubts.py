"""What differs between the arms, or within a run, although nothing but the line should.

Invariant: a doubt is told in words and never changes a verdict.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from measure.client.base import Condition
from measure.client.trial import Reason
from measure.record.models import Arm, TrialRecord
from measure.record.pairs import final_trials

WORDS: Final = {
    "answer-from-assistant-text": "the answer had to be taken from the agent's messages",
    "api-retry": "the client repeated its request",
    "background-unfinished": "work in the background had not ended",
    "bytes-replaced": "the output held bytes that are no UTF-8",
    "killed-after-result": "the client did not end after its answer and was ended",
    "leftovers-ended": "processes were left running and were ended",
    "model-not-told": "the client did not say which model answered",
    "near-usage-limit": "the account was near its usage limit",
    "not-ended": "a process could not be ended",
    "plain-output": "the client printed lines that are no events",
    "settings-ignored": "the client did not apply settings of the project",
    "several-results": "the client told more than one result",
    "stop-reason-not-told": "the client did not say why the answer ended",
    "sub-agents": "the agent used agents of its own",
}
"""Flags of launches in words for people."""


def doubts_of(trials: Sequence[TrialRecord], condition: Condition) -> tuple[str, ...]:
    """What a reader should know before trusting the verdict, each in one sentence."""
    last = list(final_trials(trials).values())
    return (
        *_time_limit(last, condition),
        *_settings(last),
        *_unequal(last),
        *_several(last),
        *_unpriced(trials),
    )


def _time_limit(last: Sequence[TrialRecord], condition: Condition) -> Iterator[str]:
    timed_out = [trial for trial in last if trial.invalid is not None and trial.invalid.reason is Reason.TIMEOUT]
    baseline, variant = _by_arm(timed_out)
    if baseline != variant:
        yield (
            f"launches passed the time limit of {condition.time_limit_s:g} s {baseline} times in the baseline and "
            f"{variant} times in the variant: a longer answer can itself be an effect of the line (see --time-limit)"
        )


def _settings(last: Sequence[TrialRecord]) -> Iterator[str]:
    ignored = sum("settings-ignored" in trial.flags for trial in last)
    if ignored:
        yield (
            f"in {ignored} of {len(last)} launches the client did not apply settings of the project, such as its "
            "permissions; in a folder that you work in it may"
        )


def _unequal(last: Sequence[TrialRecord]) -> Iterator[str]:
    for flag in sorted({flag for trial in last for flag in trial.flags}):
        baseline, variant = _by_arm([trial for trial in last if flag in trial.flags])
        if baseline != variant:
            yield f"{_in_words(flag)}: {baseline} times in the baseline and {variant} times in the variant"


def _in_words(flag: str) -> str:
    kind, _, rest = flag.partition(":")
    match kind:
        case "permission-denied":
            return f"the agent was denied {rest}"
        case "server":
            name, _, status = rest.rpartition("=")
            return f"the server {name} was {status}"
        case _:
            return WORDS.get(flag, f"'{flag}' was seen")


def _several(last: Sequence[TrialRecord]) -> Iterator[str]:
    for what, values in (
        ("client versions", {trial.client_version for trial in last if trial.client_version}),
        ("models", {trial.model_answered for trial in last if trial.model_answered and trial.reading}),
    ):
        if len(values) > 1:
            yield f"several {what} answered: {', '.join(sorted(values))}"


def _unpriced(trials: Sequence[TrialRecord]) -> Iterator[str]:
    """Launches that were cut off cost something, and nobody is left to say what."""
    own = [trial.invalid for trial in trials if trial.counted_in is None and trial.usage.cost_usd is None]
    number = sum(invalid is not None and invalid.reason is Reason.CANCELLED for invalid in own)
    if number:
        was, it = ("launch was", "it") if number == 1 else ("launches were", "they")
        yield (
            f"{number} {was} cut off while under way: counted among the launches, but what {it} cost is in no total, "
            "since no client was left to tell"
        )


def _by_arm(trials: Sequence[TrialRecord]) -> tuple[int, int]:
    count = Counter(trial.arm for trial in trials)
    return count[Arm.BASELINE], count[Arm.VARIANT]
