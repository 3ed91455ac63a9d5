"""Several records as the head of one page: which of the lines matter, and what finding that out took.

Invariant: a launch that several of the lines read is counted and paid for once; nothing here computes statistics.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from measure.probe.model import Axis
from measure.record.models import RunRecord
from measure.record.select import FINDINGS
from measure.report import facts, wording
from measure.verdict.vocabulary import Status

LONGEST = 140
"""Characters of a line's text that are shown beside its place."""


@dataclass(frozen=True, slots=True)
class Overview:
    """What is told of several records at once."""

    title: str
    tally: tuple[tuple[Status | None, str], ...]
    """How many have each finding, what changes conduct first."""
    axes: tuple[Axis, ...]
    """Those that any of the records was asked on."""
    common: tuple[str, ...]
    """What is the same in all: the model, the date."""
    model: bool
    date: bool
    """Whether these differ, and so stand with each line."""
    launches: str
    cost: str
    saved: str | None
    """What sharing launches saved; None where none was shared."""


def overview_of(records: Sequence[RunRecord]) -> Overview:
    """All of it. `records` are shown in their order."""
    models = {record.plan.condition.model for record in records if record.plan is not None}
    dates = {f"{record.created:%Y-%m-%d}" for record in records}
    asked = [
        axis
        for axis in reversed(Axis)
        if any(record.result.status == "measured" and record.result.decision.axis(axis) for record in records)
    ]
    made = sum(record.spending.launches for record in records)
    shared = sum(record.spending.shared for record in records)
    costs = [record.spending.cost_usd for record in records if record.spending.cost_usd is not None]
    return Overview(
        title=_title(records),
        tally=_tally(records),
        axes=tuple(asked),
        common=(*(models if len(models) == 1 else ()), *(dates if len(dates) == 1 else ())),
        model=len(models) > 1,
        date=len(dates) > 1,
        launches=launches_told(made, 0),
        cost=cost_told(sum(costs) if costs else None),
        saved=_saved(made, shared) if shared and _whole_family(records) else None,
    )


def launches_told(made: int, shared: int) -> str:
    """`15 + 10 shared`: what was launched for this line, and what is counted with another one."""
    return f"{made} + {shared} shared" if shared else f"{made}"


def cost_told(usd: float | None) -> str:
    """US dollars as the client reports them."""
    return "n/a" if usd is None else f"{usd:.4f}"


def changed_text(record: RunRecord) -> tuple[tuple[str, str], ...]:
    """The words that the arms differ in; of a replacement what goes (`− `), then what comes (`+ `). Long ones are cut.

    Each with the sign of its side, which is empty where there is one side only.
    """
    if record.plan is None or record.plan.purpose != "contrast":
        return ()
    contrast = record.plan.contrast
    replaced = contrast.kind == "replace"
    sides = (("− " if replaced else "", contrast.before), ("+ " if replaced else "", contrast.after))
    return tuple((sign, _first_line(text)) for sign, text in sides if text.strip())


def _first_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    first, more = lines[0], len(lines) - 1
    if len(first) > LONGEST:
        first = f"{first[: LONGEST - 1].rstrip()}…"
    return f"{first} (and {wording.count(more, 'more line')})" if more else first


def _whole_family(records: Sequence[RunRecord]) -> bool:
    """Whether every record that was measured together with one of these is among them."""
    here = {record.run_id for record in records}
    return all(set(record.plan.together) <= here for record in records if record.plan is not None)


def _title(records: Sequence[RunRecord]) -> str:
    families = {record.plan.together if record.plan is not None else () for record in records}
    number = len(records)
    together = len(families) == 1 and families != {()} and _whole_family(records)
    return f"{number} lines measured together" if together else f"{number} recorded runs"


def _tally(records: Sequence[RunRecord]) -> tuple[tuple[Status | None, str], ...]:
    found = Counter(facts.headline(record)[0] for record in records)
    status = {facts.headline(record)[0]: facts.status_of_record(record) for record in records}
    order = {name: number for number, name in enumerate(FINDINGS)}
    words = sorted(found, key=lambda word: order.get(word, len(order)))
    return tuple((status[word], f"{found[word]} {word}") for word in words)


def _saved(made: int, shared: int) -> str:
    one_by_one = made + shared
    return (
        f"Launches in the baseline are shared: measured one by one, the same pairs would have taken {one_by_one} "
        f"launches ({100 * shared / one_by_one:.0f} % were saved)."
    )
