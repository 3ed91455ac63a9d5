"""Two runs side by side on a terminal.

Invariant: what keeps them from being taken as like stands above everything else; a pooled verdict is shown only where
one was made.
"""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from measure.probe.model import Axis
from measure.record.compare import Comparison, Side
from measure.report import facts, wording
from measure.report.terminal import STYLES, WIDTH, printed, safe

SHOWN = 64
CAVEAT = "This holds if these two are all runs there were, not the two that were picked."


def render_comparison(comparison: Comparison, *, width: int = WIDTH, colour: bool = False) -> str:
    """The comparison as text, at most `width` columns wide."""
    return printed([_whole(comparison)], width=width, colour=colour)


def _whole(comparison: Comparison) -> RenderableType:
    parts: list[RenderableType] = [
        Text(f"Warning, {name}: {safe(text)}.", style="bold")
        for name, side in zip("AB", comparison.sides, strict=True)
        for text in side.at_odds
    ]
    parts += [_likeness(comparison), Text(), _table(comparison.sides)]
    pooled = comparison.pooled
    if pooled is not None:
        parts += [Text(), Text("Both runs read as one", style="bold underline")]
        parts += [Text(f"  {text}") for text in wording.decision_sentences(pooled)]
        parts.append(
            Text("  This holds if these two are all runs there were, not the two that were picked.", style="italic")
        )
    return Group(*parts)


def _likeness(comparison: Comparison) -> RenderableType:
    if comparison.alike:
        return Text("Alike: nothing that must match differs. --pool reads both as one.")
    lines = [Text("Not alike: can't be pooled, and a contrast between them says nothing about the line.", style="bold")]
    for one in comparison.differing:
        lines.append(Text(f"  {safe(one.field)}", style="italic"))
        lines += [Text(f"    {name}  {safe(_short(value))}") for name, value in (("A", one.first), ("B", one.second))]
    return Group(*lines)


def _short(value: str) -> str:
    return value if len(value) <= SHOWN else f"{value[: SHOWN - 1]}…"


def _table(sides: tuple[Side, Side]) -> RenderableType:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="italic")
    for name, share in (("", 3), ("A", 4), ("B", 4)):
        table.add_column(name, overflow="fold", ratio=share)
    runs = [side.run for side in sides]
    for label, values in (
        ("run", [run.run_id for run in runs]),
        ("finding", [run.finding + ("" if run.complete else " (not complete)") for run in runs]),
        ("contrast", [f"{run.kind or ''} {run.place or 'none'}".strip() for run in runs]),
        ("model", [run.model or "none" for run in runs]),
        ("client", [run.client or "none" for run in runs]),
        ("launches", [str(run.launches) for run in runs]),
    ):
        table.add_row(Text(label, style="italic"), *(Text(safe(value)) for value in values))
    for axis in reversed(Axis):
        if not any(_has(side, axis) for side in sides):
            continue
        table.add_row(Text(axis.value.capitalize(), style="bold"), *(_axis(side, axis) for side in sides))
        for probe in dict.fromkeys(probe.id for side in sides for probe in side.probes if probe.axis is axis):
            table.add_row(Text(f"  {safe(probe)}"), *(_probe(side, probe) for side in sides))
    return table


def _has(side: Side, axis: Axis) -> bool:
    return any(result.axis is axis for result in side.axes)


def _axis(side: Side, axis: Axis) -> Text:
    result = next((result for result in side.axes if result.axis is axis), None)
    if result is None:
        return Text("not measured", style="dim")
    status = facts.looks_like(result.verdict)
    return Text.assemble(
        (f"{facts.SIGNS[status]} {result.verdict.status}", STYLES[status]), f"\n{facts.shift(result.effect)}"
    )


def _probe(side: Side, probe: str) -> Text:
    result = next((result for result in side.probes if result.id == probe), None)
    if result is None:
        return Text("not put", style="dim")
    status = facts.looks_like(result.verdict)
    return Text.assemble((facts.SIGNS[status], STYLES[status]), f" {facts.shift(result.effect)}, n {result.complete}")
