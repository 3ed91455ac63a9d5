"""`measure context`: captures one launch's request and prints what is in it."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from measure.cli.output import print_json, show
from measure.errors import RequestError
from measure.report.context import inventory_lines
from measure.run.look import look


def tell(
    workspace: Path | None,
    *,
    client: Path | None,
    model: str | None,
    condition: str,
    include: Sequence[str],
    every_line: bool,
    as_json: bool,
) -> None:
    """The whole command."""
    if os.name == "nt":
        raise RequestError("launching needs Linux or macOS", hint="Run it in WSL.")
    inventory = look(workspace or Path(), client=client, model=model, condition=condition, include=tuple(include))
    if as_json:
        print_json(inventory)
        return
    width = shutil.get_terminal_size((80, 24)).columns if sys.stdout.isatty() else 120
    for line in inventory_lines(inventory, every_line=every_line, width=width):
        show(line)
