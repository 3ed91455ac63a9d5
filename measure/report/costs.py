"""What a launch costs with the line and without it, in words and figures.

Invariant: it reads as a description. No status, sign or colour of a verdict is used, and a difference never stands
without how well it is known.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from measure.record.arms import CONFIDENCE, FEWEST, INPUT_KINDS, Cost, CostByArm, Quantity
from measure.report import wording

HEAD = ("with the line", "without it", f"difference ({wording.confidence(CONFIDENCE)})")
BRIEF = (Quantity.INPUT, Quantity.OUTPUT, Quantity.TURNS, Quantity.DOLLARS)
"""What answers whether a line earns its tokens, where there is little room."""
DECIMALS = {Quantity.TURNS: 2, Quantity.SECONDS: 2, Quantity.DOLLARS: 6}


class CostRow(NamedTuple):
    """One quantity as it is shown."""

    name: str
    part: bool
    """It is a part of the row of all input tokens."""
    with_line: str
    without: str
    difference: str


def cost_rows(costs: CostByArm, *, brief: bool = False) -> tuple[CostRow, ...]:
    """The quantities as they are shown; `brief`: the few that matter most, without those that were 0 throughout."""
    return tuple(
        CostRow(
            cost.quantity.value,
            cost.quantity in INPUT_KINDS,
            _figure(cost.quantity, cost.with_line),
            _figure(cost.quantity, cost.without),
            _difference(cost, costs.pairs),
        )
        for cost in costs.costs
        if not brief or (cost.quantity in BRIEF and not cost.nothing)
    )


def cost_sentences(costs: CostByArm) -> tuple[str, ...]:
    """Which launches the figures are of, and what they do not say."""
    left = (
        f" Left out: {wording.count(costs.left_out, 'pair')} with a launch that could find nothing cached, which says "
        "nothing of its arm."
        if costs.left_out
        else ""
    )
    few = f" An interval takes {FEWEST} pairs." if any(cost.interval is None for cost in costs.costs) else ""
    return (
        f"Per launch, means of {wording.count(costs.pairs, 'pair')} answered in both arms.{left}{few}",
        "A description, no verdict: input differs by the text itself, in each turn, and money by what was cached.",
    )


def _difference(cost: Cost, pairs: int) -> str:
    signed = _signed(cost.quantity)
    fewer = f", {wording.count(cost.pairs, 'pair')}" if cost.pairs < pairs else ""
    if cost.interval is None:
        return f"{signed(cost.difference)} (no interval{fewer})"
    if cost.constant:
        return f"{signed(cost.difference)} (in every pair{fewer})"
    low, high = cost.interval
    return f"{signed(cost.difference)} ({signed(low)}…{signed(high)}{fewer})"


def _figure(quantity: Quantity, value: float) -> str:
    text = f"{value:,.{DECIMALS.get(quantity, 1)}f}"
    return text.rstrip("0").rstrip(".") if quantity is not Quantity.DOLLARS else text


def _signed(quantity: Quantity) -> Callable[[float], str]:
    def signed(value: float) -> str:
        shown = _figure(quantity, abs(value))
        if not shown.strip("0."):
            return "0"
        return f"{'+' if value > 0 else '−'}{shown}"

    return signed
