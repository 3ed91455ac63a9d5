"""`measure doctor`: what would stop a run, each with what to do."""

from __future__ import annotations

import os
from pathlib import Path

import typer

from measure.cli.documents import DoctorDocument
from measure.cli.output import print_json, show
from measure.run.examine import State, examine

SIGNS = {State.OK: "ok", State.NOTE: "note", State.PROBLEM: "PROBLEM"}


def report(client: Path | None, runs: Path | None, *, as_json: bool) -> None:
    """Print every check; ends with the status that a run would end with now."""
    checks = examine(client=client, runs=runs, environ=os.environ)
    problems = [check for check in checks if check.state is State.PROBLEM]
    if as_json:
        print_json(DoctorDocument(ready=not problems, checks=checks))
    else:
        for check in checks:
            show(f"{SIGNS[check.state]:<8} {check.name:<12} {check.found}")
            if check.remedy:
                show(f"{'':<21} -> {check.remedy}")
        show("A run can start." if not problems else f"A run would stop: {', '.join(one.name for one in problems)}.")
    if problems:
        raise typer.Exit(problems[0].exit_status)
