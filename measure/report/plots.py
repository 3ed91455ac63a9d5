"""The two plots of a record: effects with their intervals and margins, and the evidence as it grew.

Invariant: nothing is computed here but places on paper; every number is one of the record's. The SVG that comes out
holds no style sheet, no style attribute, no script and no address, and its colours are the page's variables, so that it
follows the page into the dark and onto paper.
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from measure.record.counted import counted_pairs
from measure.record.models import RunRecord
from measure.record.pairs import designs_of
from measure.report import facts, wording
from measure.report.svg import cleaned
from measure.report.visible import visible
from measure.verdict.growth import Grown, growth
from measure.verdict.parameters import Parameters
from measure.verdict.result import AxisResult, Decision, Effect, Interval
from measure.verdict.vocabulary import Verdict, ZeroDifference

WIDTH_IN = 5.2
TEXT, SOFT, RULE, SHADE = "#111111", "#666666", "#cccccc", "#eeeeee"
STATUS_COLOURS = {
    "difference": "#d55e00",
    "zero-difference": "#0072b2",
    "undecided": "#e69f00",
    "invalid": "#cc79a7",
    "unmeasured": "#888888",
}
VARIABLES = {TEXT: "text", SOFT: "soft", RULE: "rule", SHADE: "shade"} | {
    colour: status for status, colour in STATUS_COLOURS.items()
}
"""Colours as they are drawn, and the page's variable that each stands for."""
LOG_CEILING = 600.0
LABEL = 46


@contextmanager
def _figure(
    height_in: float, rows: int, edges_in: tuple[float, float, float, float]
) -> Iterator[tuple[Any, list[Any]]]:
    """A figure that belongs to nobody's global state; `edges_in` are left, right, bottom and top."""
    import logging

    # What it says of its font cache is of no use to who asked for a page.
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    import matplotlib as mpl
    from matplotlib.figure import Figure

    settings: Any = {
        "svg.fonttype": "none",
        "svg.hashsalt": "measure",
        "font.size": 10.5,
        "text.color": TEXT,
        "axes.edgecolor": RULE,
        "axes.labelcolor": SOFT,
        "xtick.color": SOFT,
        "ytick.color": SOFT,
        "axes.unicode_minus": True,
    }
    with mpl.rc_context(settings):
        figure = Figure(figsize=(WIDTH_IN, height_in))
        left, right, bottom, top = edges_in
        # Fixed edges: working a layout out takes longer than all the drawing.
        figure.subplots_adjust(
            left=left / WIDTH_IN,
            right=1 - right / WIDTH_IN,
            bottom=bottom / height_in,
            top=1 - top / height_in,
            hspace=0.42,
        )
        axes = figure.subplots(rows, 1, squeeze=False)
        yield figure, [row[0] for row in axes]


def _svg(figure: Any, key: str) -> str:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    return cleaned(buffer.getvalue(), key, VARIABLES)


def forest(decision: Decision, key: str) -> str:
    """Effects per axis and probe as SVG; empty where nothing has an effect. `key` makes its ids unique on a page."""
    rows = [row for result in reversed(decision.axes) for row in _rows(result, decision)]
    if not any(effect for _, _, effect, *_ in rows):
        return ""
    with _figure(0.6 + 0.46 * len(rows), 1, (0.05, 0.05, 0.55, 0.05)) as (figure, (axes,)):
        for place, row in enumerate(rows):
            _forest_row(axes, -place, *row)
        axes.axvline(0, color=SOFT, linewidth=1, zorder=1)
        axes.set_xlim(-1.06, 1.06)
        axes.set_ylim(-len(rows) + 0.45, 0.75)
        axes.set_yticks([])
        axes.set_xticks([-1, -0.5, 0, 0.5, 1], ["−100", "−50", "0", "+50", "+100"])
        axes.set_xlabel("asked-for answers, with the line minus without it, in points")
        for side in ("left", "right", "top"):
            axes.spines[side].set_visible(False)
        return _svg(figure, key)


Row = tuple[str, str, Effect | None, Interval | None, float, bool]


def bar_of(verdict: Verdict, effect: Effect | None, excluded: Interval | None) -> Interval | None:
    """The one pair of bounds that is shown of a shift: a second one, got by another test, would contradict it in part.

    Of a zero-difference what it does not exclude, since this is its claim; else the interval of the effect.
    """
    if isinstance(verdict, ZeroDifference) and excluded is not None:
        return excluded
    return effect.interval if effect is not None else None


def _ends(bar: Interval) -> tuple[float, float]:
    """Both ends; an interval's ±0.99 mean "up to 1"."""
    return (-1.0 if bar.low <= -0.99 else bar.low), (1.0 if bar.high >= 0.99 else bar.high)


def small(result: AxisResult, decision: Decision) -> str:
    """An axis's effect as SVG that fits into a line of text: what `forest` draws of it. Empty without an effect."""
    bar = bar_of(result.verdict, result.effect, result.excluded)
    if result.effect is None or bar is None:
        return ""
    low, high = (60 + 54 * end for end in _ends(bar))
    margin, point = 54 * decision.parameters.margin, 60 + 54 * result.effect.point
    colour = f"var(--{facts.axis_shown(result, decision)[0].value})"
    parts = (
        f'<rect x="{60 - margin:.1f}" y="2" width="{2 * margin:.1f}" height="12" fill="var(--shade)"/>'
        '<path d="M6 8H114" stroke="var(--rule)" stroke-width="1"/>'
        '<path d="M60 1V15" stroke="var(--soft)" stroke-width="1"/>'
        f'<path d="M{low:.1f} 8H{high:.1f}" stroke="{colour}" stroke-width="3"/>'
        f'<path d="M{point:.1f} 2.5L{point + 5.5:.1f} 8L{point:.1f} 13.5L{point - 5.5:.1f} 8Z" fill="{colour}"/>'
    )
    return f'<svg viewBox="0 0 120 16" aria-hidden="true" focusable="false">{parts}</svg>'


def _rows(result: AxisResult, decision: Decision) -> list[Row]:
    own = [probe for probe in decision.probes if probe.axis is result.axis]
    parameters = decision.parameters
    summary = (
        f"{result.axis.value.capitalize()}, {'average' if len(own) > 1 else 'its one probe'}",
        facts.axis_shown(result, decision)[0].value,
        result.effect,
        bar_of(result.verdict, result.effect, result.excluded),
        parameters.margin,
        True,
    )
    if len(own) == 1:
        return [summary]
    return [summary] + [
        (
            probe.id,
            facts.looks_like(probe.verdict).value,
            probe.effect,
            bar_of(probe.verdict, probe.effect, probe.excluded),
            parameters.probe_margin,
            False,
        )
        for probe in own
    ]


def _forest_row(
    axes: Any,
    y: float,
    label: str,
    status: str,
    effect: Effect | None,
    bar: Interval | None,
    margin: float,
    summary: bool,
) -> None:
    colour = STATUS_COLOURS[status]
    axes.fill_between([-margin, margin], y - 0.2, y + 0.2, color=SHADE, linewidth=0, zorder=0)
    for edge in (-margin, margin):
        axes.plot([edge, edge], [y - 0.2, y + 0.2], color=RULE, linewidth=1, zorder=0.5)
    label = visible(label)
    label = label if len(label) <= LABEL else label[: LABEL - 1] + "…"
    weight = "bold" if summary else "normal"
    axes.text(-1.06, y + 0.42, label, ha="left", va="center", fontweight=weight, parse_math=False)
    if effect is None or bar is None:
        axes.text(1.06, y + 0.42, f"{status}", ha="right", va="center", color=colour)
        return
    axes.text(1.06, y + 0.42, wording.signed_points(effect.point), ha="right", va="center", fontweight=weight)
    axes.plot(_ends(bar), [y, y], color=colour, linewidth=3.2 if summary else 1.8, solid_capstyle="butt", zorder=2)
    axes.plot([effect.point], [y], "D" if summary else "o", color=colour, markersize=7.5 if summary else 5.5, zorder=3)


def evidence(record: RunRecord, key: str) -> str:
    """The evidence of each axis over its pairs as SVG; empty without a pair."""
    if record.plan is None or record.result.status != "measured":
        return ""
    designs = designs_of(record.plan.probes)
    pairs = counted_pairs(record)
    parameters = record.result.decision.parameters
    curves = [
        (result.axis.value, growth([design for design in designs if design.axis is result.axis], pairs, parameters))
        for result in reversed(record.result.decision.axes)
    ]
    curves = [(name, points) for name, points in curves if points]
    if not curves:
        return ""
    with _figure(0.3 + 1.75 * len(curves), len(curves), (0.55, 0.95, 0.5, 0.3)) as (figure, panels):
        for axes, (name, points) in zip(panels, curves, strict=True):
            _curve(axes, name, points, parameters)
        panels[-1].set_xlabel("pairs of the axis, in the order they were scheduled")
        return _svg(figure, key)


def _e(log_e: float) -> float:
    return math.exp(max(-LOG_CEILING, min(LOG_CEILING, log_e)))


def _curve(axes: Any, name: str, points: Sequence[Grown], parameters: Parameters) -> None:
    needed = 1 / parameters.alpha
    most = points[-1].pairs
    difference = [(0, 1.0), *((point.pairs, _e(point.difference)) for point in points)]
    zero = [(0, 1.0), *((point.pairs, _e(point.zero)) for point in points if point.zero is not None)]
    axes.plot(*zip(*difference, strict=True), color=STATUS_COLOURS["difference"], linewidth=2.2, zorder=3)
    axes.plot(
        *zip(*zero, strict=True),
        color=STATUS_COLOURS["zero-difference"],
        linewidth=2.2,
        linestyle=(0, (3, 1.5)),
        # Above the other one, which shows through its gaps: both stay visible where they are the same.
        zorder=4,
    )
    axes.axhline(needed, color=SOFT, linewidth=1, linestyle=(0, (1, 1.5)))
    axes.set_yscale("log")
    values = [value for _, value in (*difference, *zero)]
    low, high = min(0.5, *values), max(needed * 2.5, *(value * 1.6 for value in values))
    axes.set_ylim(max(low * 0.7, 1e-4), high)
    axes.set_xlim(0, most * 1.02)
    axes.text(most * 1.02, needed, f" {needed:g} needed", ha="left", va="center", color=SOFT, fontsize=9.5)
    axes.set_title(name.capitalize(), loc="left", fontsize=10.5, fontweight="bold")
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.yaxis.set_major_formatter(lambda value, _: _tick(value))
    axes.minorticks_off()
    axes.grid(axis="y", color=RULE, linewidth=0.6)
    for side in ("right", "top"):
        axes.spines[side].set_visible(False)


def _tick(value: float) -> str:
    return f"{value:g}" if 0.001 <= value < 1e5 else f"10^{round(math.log10(value))}"
