"""The command line of the plan-file entry, `scripts/measure_rule_effect.py`.

Invariant: nothing of the record is on stdout, whatever happens; statuses are 0, 2 (plan or edit), 3 (lock), 4 (no arm
returned an answer), and those of a signal.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from measure.cli.output import make_streams_safe, say
from measure.errors import InterruptedRunError, MeasureError, NothingMeasuredError


def main(arguments: Sequence[str] | None = None) -> int:
    """Carry out one plan; returns the exit status."""
    make_streams_safe()
    options = _parser().parse_args(arguments)
    try:
        _carry_out(options)
    except MeasureError as error:
        say(f"measure_rule_effect: {error}")
        return 128 + error.signal_number if isinstance(error, InterruptedRunError) else error.exit_status
    return 0


def _carry_out(options: argparse.Namespace) -> None:
    from measure.gate.plan_file import carry_out, outcome_of, prepare_plan

    job = prepare_plan(
        options.plan,
        options.out,
        source_root=options.source_root,
        base_dir=options.base_dir,
        stale_after_s=options.stale_after,
        time_limit_s=options.timeout,
        dry_run=options.dry_run,
    )
    record = carry_out(job)
    outcome = outcome_of(record)
    if outcome == "dry-run":
        say(f"Both arms can be made and differ in {job.contrast.path}:{job.contrast.line} alone; nothing was launched.")
        return
    for name, returned in record.returned.items():
        say(f"{name}: {returned} of {record.repetitions} returned an answer")
    for result in record.results:
        if result.invalid is not None:
            say(f"  {result.arm}, run {result.run}: {result.invalid.reason}: {result.invalid.detail}")
    say(f"Record: {options.out}")
    if outcome == "none-returned":
        assert record.unmeasured is not None
        raise NothingMeasuredError(
            f"nothing was measured: {record.unmeasured.detail}", hint="The record says the same."
        )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="measure_rule_effect.py",
        description="Put one prompt to two copies of a workspace that differ in one passage, and keep both answers.",
        epilog="Exit status: 0 an arm returned an answer; 2 the plan or its edit can't be used; 3 another run holds "
        "the lock; 4 no arm returned. Judging the answers is left to whoever reads the record; 'measure run' judges.",
    )
    parser.add_argument("plan", type=Path, metavar="PLAN.json", help="probe, model, repetitions, scope, arms")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="where the record goes (JSON)")
    parser.add_argument(
        "--source-root",
        type=Path,
        metavar="DIR",
        help="the workspace; default: the nearest folder from here upwards that holds .claude/",
    )
    parser.add_argument(
        "--base-dir", type=Path, metavar="DIR", help="where the arms stand while it runs; default: temp"
    )
    parser.add_argument(
        "--stale-after",
        type=_seconds,
        default=900.0,
        metavar="SECONDS",
        help="take over a lock whose holder was silent for so long (default 900)",
    )
    parser.add_argument(
        "--timeout", type=_seconds, default=600.0, metavar="SECONDS", help="limit of one launch (default 600)"
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="make and verify both arms, launch nothing; the record says so"
    )
    return parser


def _seconds(text: str) -> float:
    value = float(text)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text}: wanted seconds above 0")
    return value
