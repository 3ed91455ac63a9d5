"""`measure runs`, `measure show` and `measure judge`."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from measure.cli.documents import ListDocument, UnreadableFolder
from measure.cli.output import print_json, say, show
from measure.record.library import Row, Unreadable, find, load, rows
from measure.record.models import RunRecord
from measure.record.store import default_root
from measure.report.terminal import WIDTH, render


def print_record(record: RunRecord) -> None:
    """A record for people, on stdout: coloured on a terminal, in what signs the terminal has."""
    terminal = sys.stdout.isatty()
    width = min(shutil.get_terminal_size((WIDTH, 24)).columns, 100) if terminal else WIDTH
    encoding = (getattr(sys.stdout, "encoding", None) or "ascii").lower().replace("-", "")
    show(render(record, width=width, colour=terminal, unicode=encoding.startswith("utf")).rstrip("\n"))


def show_run(name: str, root: Path | None, *, as_json: bool) -> None:
    """Print one record."""
    record = load(find(default_root(root), name))
    if as_json:
        print_json(record)
    else:
        print_record(record)


def list_runs(root: Path | None, *, as_json: bool) -> None:
    """Print all runs, the newest first."""
    where = default_root(root)
    listed = list(rows(where))
    unreadable = [one for one in listed if isinstance(one, Unreadable)]
    good = [one for one in listed if isinstance(one, Row)]
    if as_json:
        print_json(
            ListDocument(
                root=str(where),
                runs=tuple(good),
                unreadable=tuple(UnreadableFolder(folder=str(one.folder), why=one.why) for one in unreadable),
            )
        )
    elif good:
        show(_table(good))
    else:
        say(f"No runs in {where}.")
    for one in unreadable:
        say(f"measure: {one.folder} can't be read: {one.why}")


def _table(listed: list[Row]) -> str:
    lines = [f"{'run':<22} {'finding':<13} {'launches':>8} {'USD':>8}  {'contrast'}"]
    for row in listed:
        finding = row.finding if row.complete else f"{row.finding} *"
        cost = "n/a" if row.cost_usd is None else f"{row.cost_usd:.4f}"
        place = " ".join(part for part in (row.kind, row.place, f"({row.reason})" if row.reason else None) if part)
        lines.append(f"{row.run_id:<22} {finding:<13} {row.launches:>8} {cost:>8}  {place}")
    if any(not row.complete for row in listed):
        lines.append("* interrupted")
    return "\n".join(lines)
