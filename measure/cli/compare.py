"""`measure compare`: two recorded runs side by side."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from measure.cli.output import print_json, show
from measure.record.compare import compare
from measure.record.library import find, load
from measure.record.store import default_root
from measure.report.comparison import render_comparison
from measure.report.terminal import WIDTH


def compare_runs(first: str, second: str, root: Path | None, *, pool: bool, as_json: bool) -> None:
    """Print the comparison. Raises `RequestError` where pooling was asked for and can't be."""
    where = default_root(root)
    comparison = compare(load(find(where, first)), load(find(where, second)), pool=pool)
    if as_json:
        print_json(comparison)
        return
    terminal = sys.stdout.isatty()
    width = min(shutil.get_terminal_size((WIDTH, 24)).columns, 120) if terminal else WIDTH
    show(render_comparison(comparison, width=width, colour=terminal).rstrip("\n"))
