"""What a run is likely to cost, before its first launch.

Invariant: tokens are those of an earlier run of exactly this text under the same condition; there is no other source.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from measure.errors import MeasureError
from measure.plan.prices import PriceTable, Tokens
from measure.record.library import run_folders
from measure.record.models import Plan
from measure.record.store import read_plan, read_trials
from measure.run.prepare import Prepared

LOOKED_AT = 20
"""So many of the newest runs are looked at."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """US dollars a launch, and where they come from; or None and why there is no estimate."""

    usd: float | None
    why: str


def estimate(one: Prepared, *, condition: str, max_turns: int, root: Path, table: PriceTable) -> Estimate:
    """What one launch of this run would cost at the table's prices."""
    if one.client == "simulated":
        return Estimate(None, "the simulated agent costs nothing")
    price = table.price_of(one.model)
    if price is None:
        return Estimate(
            None, f"{one.model} is not in the table of prices of {table.date} (--prices FILE names another)"
        )
    for folder in _newest(root):
        try:
            plan = read_plan(folder)
            if not _alike(plan, one, condition, max_turns):
                continue
            tokens = Tokens.mean([trial.usage for trial in read_trials(folder)[0] if trial.reading is not None])
        except MeasureError:
            continue
        if tokens is not None:
            return Estimate(
                price.of(tokens),
                f"as in run {plan.run_id} a launch takes {tokens.fresh:.0f} tokens, {tokens.written:.0f} written to "
                f"the cache, {tokens.read:.0f} read from it, and gives {tokens.output:.0f}; prices of {table.date}, "
                f"{table.source}",
            )
    return Estimate(None, "no earlier run of this workspace under this condition tells how many tokens a launch takes")


def _newest(root: Path) -> list[Path]:
    try:
        return run_folders(root)[:LOOKED_AT]
    except MeasureError:
        return []


def _alike(plan: Plan, one: Prepared, condition: str, max_turns: int) -> bool:
    fixed = plan.condition
    return (
        fixed.client != "simulated"
        and plan.surface.digest == one.surface.digest
        and (fixed.model, fixed.name, fixed.stage, fixed.max_turns) == (one.model, condition, one.stage, max_turns)
    )
