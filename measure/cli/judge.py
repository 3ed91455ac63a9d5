"""`measure judge`: read a recorded run again with today's judge."""

from __future__ import annotations

from pathlib import Path

from measure.cli.output import print_json, say, show
from measure.judge.reading import Reading
from measure.record.library import find
from measure.record.rejudge import judge_again, keep
from measure.record.store import default_root, refuse_running


def judge_run(name: str, root: Path | None, *, as_json: bool) -> None:
    """Judge, keep the judgement beside the record, and print what changed. Half of a run is not judged."""
    folder = find(default_root(root), name)
    refuse_running(folder)
    record, judgement = judge_again(folder)
    path = keep(folder, judgement)
    for text in record.at_odds:
        say(f"Warning: {text}.")
    if as_json:
        print_json(judgement)
        return
    show(f"run {judgement.run_id}: judged by {judgement.judge_before}, now by {judgement.judge_version}")
    for change in judgement.changes:
        show(f"  {change.trial}  {change.probe}: {_words(change.before)} -> {_words(change.after)}")
    if not judgement.changes:
        show("  every answer reads as before")
    before, after = _finding(judgement.result_before), _finding(judgement.result)
    show(f"  finding: {after}" + ("" if before == after else f" (was {before})"))
    say(f"Judgement: {path}")


def _words(reading: Reading) -> str:
    words = f"option {reading.option}" if reading.option else reading.kind.value
    return f"{words} ({reading.note})" if reading.note else words


def _finding(result: object) -> str:
    decision = getattr(result, "decision", None)
    return decision.finding.kind.value if decision is not None else "unmeasured"
