"""`measure skill` and `measure workflow`: files that come with the package."""

from __future__ import annotations

from importlib.resources import files

from measure.cli.output import show


def print_file(name: str) -> None:
    """Print one of them as it is."""
    show((files("measure") / name).read_text(encoding="utf-8").removesuffix("\n"))
