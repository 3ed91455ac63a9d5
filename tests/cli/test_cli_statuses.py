"""The table of exit statuses in the README is complete: every status an error or an ending can have stands there."""

from __future__ import annotations

import re
from pathlib import Path

from measure import cli
from measure.errors import InterruptedRunError, MeasureError

README = Path(__file__).resolve().parent.parent.parent / "README.md"
SIGNALS = {129, 130, 143}


def documented() -> set[int]:
    section = README.read_text(encoding="utf-8").partition("## Exit status")[2].partition("\n## ")[0]
    cells = re.findall(r"^\| ([\d, ]+) \|", section, re.MULTILINE)
    return {int(number) for cell in cells for number in cell.split(",")}


def statuses(of: type[MeasureError]) -> set[int]:
    found = set() if issubclass(of, InterruptedRunError) else {of.exit_status}
    return found.union(*(statuses(one) for one in of.__subclasses__()))


def test_every_status_stands_in_the_table_and_no_other() -> None:
    assert documented() == {0, *statuses(MeasureError), *SIGNALS, cli.INTERRUPTED, cli.READER_LEFT}
