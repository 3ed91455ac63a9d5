"""`measure gate`: does the firing condition hold for a change, and which lines could be measured."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import typer

from measure.cli.documents import GateDocument
from measure.cli.output import print_json, say, show
from measure.gate.candidates import Candidate, find_candidates
from measure.gate.firing import Firing, evaluate
from measure.report.terminal import safe

SHOWN = 40
"""Candidates listed for people; `--json` lists all."""


def tell(
    base: str,
    head: str,
    *,
    governed: Sequence[str],
    workspace: Path | None,
    parted: bool,
    exit_code: bool,
    as_json: bool,
) -> None:
    """Print the figures, the answer and the candidates."""
    firing = evaluate(base, head, governed=governed, workspace=workspace, parted=parted)
    candidates = find_candidates(firing)
    if as_json:
        print_json(
            GateDocument(
                **firing.change.model_dump(),
                candidates=tuple(one.drop for one in candidates),
                places=candidates,
                notes=firing.notes,
            )
        )
    else:
        _show(firing, candidates)
    for note in firing.notes:
        say(safe(note))
    if exit_code and not firing.change.fired:
        raise typer.Exit(1)


def _show(firing: Firing, candidates: Sequence[Candidate]) -> None:
    change = firing.change
    answer = f"fired by {' and '.join(change.by)}" if change.fired else "not fired"
    show(f"{answer}   {change.base[:12]}..{change.head[:12]}   {' '.join(change.governed)}")
    show(f"{'':7}{'added':>9}{'deleted':>9}")
    for name, amount in (("lines", change.lines), ("bytes", change.bytes)):
        show(f"{name:<7}{amount.added:>9,}{amount.deleted:>9,}")
    if not change.paths:
        show("No governed path differs.")
        return
    if not candidates:
        show("No line was deleted or changed, so there is none to measure.")
        return
    show(f"Candidates, by their place at {change.base[:12]}:")
    for one in candidates[:SHOWN]:
        show(f"  {safe(one.drop):<30} {one.kind.value:<8} {safe(one.text)[:80]}")
    if len(candidates) > SHOWN:
        show(f"  … and {len(candidates) - SHOWN} more; --json lists all.")
