"""`measure gate`, `unmeasured`, `brief` and `review`: a measurement's place in a pipeline."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import typer

from measure.cli.documents import BriefDocument, GateDocument, ReviewDocument, RunsDocument
from measure.cli.output import print_json, say, show
from measure.gate import brief, review
from measure.gate.candidates import Candidate, find_candidates
from measure.gate.firing import Firing, evaluate
from measure.gate.unmeasured import reason_of, record_not_taken
from measure.record.library import find, load_with_family
from measure.record.store import default_root, open_root
from measure.report.terminal import safe

SHOWN = 40
"""Candidates listed for people; `--json` lists all."""


def tell_gate(
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
                workspace=firing.root,
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


def keep_unmeasured(
    reason: str,
    detail: str | None,
    subject: str | None,
    *,
    base: str | None,
    head: str,
    governed: Sequence[str],
    workspace: Path | None,
    parted: bool,
    runs: Path | None,
    as_json: bool,
) -> None:
    """Write the record of a measurement that was not taken, and print it."""
    from measure.cli.show import print_record

    told = reason_of(reason, detail)
    firing = None if base is None else evaluate(base, head, governed=governed, workspace=workspace, parted=parted)
    root = open_root(default_root(runs))
    record = record_not_taken(root, told, firing, subject)
    if as_json:
        print_json(RunsDocument(runs=(record,)))
    else:
        print_record(record)
    say(f"Record: {root / record.run_id}")


def tell_range(names: Sequence[str], runs: Path | None, *, as_json: bool) -> None:
    """Print what reviewers may be told."""
    root = default_root(runs)
    briefs = tuple(brief.read_brief(find(root, name)) for name in names)
    if as_json:
        print_json(BriefDocument(briefs=briefs))
    else:
        show(brief.as_markdown(briefs).rstrip("\n"))


def tell_outcome(names: Sequence[str], runs: Path | None, *, as_json: bool) -> None:
    """Print the block for the parent's own record."""
    root = default_root(runs)
    records, family = load_with_family([find(root, name) for name in names])
    markdown = review.as_markdown(records, family)
    if as_json:
        print_json(ReviewDocument(runs=tuple(review.entry_of(record) for record in records), markdown=markdown))
    else:
        show(markdown.rstrip("\n"))
