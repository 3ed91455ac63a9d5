"""The list of units as people read it.

Invariant: an address is never cut, so that it can be copied; only a line that is nothing but an address is wider than
the terminal. Every line of a file counts once in the sums, however many links lead to it.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from measure.surface.layout import SurfaceFile
from measure.surface.unit import Loading, Unit, UnitKind

_NUMBERS = 15
"""Columns of the two numbers at the end of a line."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What loads in one mode: lines, and estimated tokens."""

    loading: Loading
    lines: int
    tokens: int


def show_units(files: Sequence[SurfaceFile], console: Console, *, only_files: bool) -> None:
    """Print every file with how it loads, its units below it, and the sums by loading mode at the end."""
    width = max(60, min(console.width, 110)) if console.is_terminal else 80
    sums = {loading: Cost(loading, 0, 0) for loading in Loading}
    for file in files:
        units = file.units()
        whole, *parts = units
        _line(console, width, Text(file.path, style="bold"), whole.lines, whole.tokens)
        for line in textwrap.wrap(_words(file), width - 4):
            console.print(Text(f"    {line}", style="dim"))
        if file.same_as is not None:
            # Loaded once, and so counted and listed once.
            console.print(Text(f"    the same file as {file.same_as}, by a link; counted there", style="dim"))
            continue
        for unit in () if only_files else parts:
            _line(console, width, _label(file, unit), unit.lines, unit.tokens)
        for cost in costs_of(units):
            so_far = sums[cost.loading]
            sums[cost.loading] = Cost(cost.loading, so_far.lines + cost.lines, so_far.tokens + cost.tokens)
    console.print()
    for loading, cost in sums.items():
        _line(console, width, Text(loading.value), cost.lines, cost.tokens)
    console.print(Text(f"{'':{width - _NUMBERS}}{'lines':>7}{'tokens':>8}", style="dim"))


def _words(file: SurfaceFile) -> str:
    place = file.place
    parts = [f"{place.body.loading.value}: {place.body.why}", place.role, place.owner]
    if place.description is not None:
        parts.insert(1, f"description {place.description.loading.value}")
    return " · ".join(parts)


def _label(file: SurfaceFile, unit: Unit) -> Text:
    label = Text("  " * (unit.depth + 1) + unit.address.removeprefix(file.path))
    if unit.kind is UnitKind.FRONT_MATTER:
        label.append("  front matter", style="dim")
    elif unit.owner != file.place.owner:
        label.append(f"  {unit.owner}", style="dim")
    return label


def _line(console: Console, width: int, label: Text, lines: int, tokens: int) -> None:
    room = width - _NUMBERS - cell_len(label.plain)
    if room < 1:
        console.print(label)
        label, room = Text(), width - _NUMBERS
    label.append(f"{'':{room}}{lines:>7,}{tokens:>8,}")
    console.print(label)


def costs_of(units: Sequence[Unit]) -> Iterator[Cost]:
    """What one file adds to each loading mode: its description, the rest of its front matter, its body."""
    whole, *parts = units
    described = next((unit for unit in parts if unit.kind is UnitKind.DESCRIPTION), None)
    front = next((unit for unit in parts if unit.kind is UnitKind.FRONT_MATTER), None)
    inner = None
    for part in (described, front):
        if part is not None:
            yield Cost(
                part.when.loading,
                part.lines - (inner.lines if inner else 0),
                part.tokens - (inner.tokens if inner else 0),
            )
            inner = part
    yield Cost(
        whole.when.loading, whole.lines - (inner.lines if inner else 0), whole.tokens - (inner.tokens if inner else 0)
    )
