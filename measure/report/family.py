"""Sentences about several lines that were measured together.

Invariant: a claim that does not stand when all lines are counted is named; it never becomes the opposite claim.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from measure.probe.model import Axis
from measure.record.family import Family, families_of
from measure.record.models import Arm, RunRecord
from measure.report import facts, wording
from measure.report.facts import SIGNS
from measure.report.terminal import STYLES, plain, printed, safe
from measure.report.wording import AXIS_NAMES
from measure.verdict.finding import FindingKind
from measure.verdict.result import AxisResult
from measure.verdict.vocabulary import Status


def family_sentences(records: Sequence[RunRecord]) -> tuple[str, ...]:
    """What stands when all the lines are counted together; nothing where there is one line alone."""
    places = {record.run_id: record.plan.contrast.place for record in records if record.plan is not None}
    families = families_of(records)
    said = [sentence for family in reversed(families) for sentence in _sentences(family, places)]
    if said:
        said += [*_one_at_a_time(records), "Lines that were measured in other runs are not counted here."]
    return tuple(said)


def _one_at_a_time(records: Sequence[RunRecord]) -> list[str]:
    """What lines without a change of conduct take up, and that nothing was found out about leaving out several."""
    idle = [record for record in records if _is_idle(record)]
    if len(idle) < 2:
        return []
    tokens = [_tokens(record) for record in idle]
    known = [number for number in tokens if number is not None]
    room = f"; they take about {sum(known):,} tokens of each launch" if len(known) == len(tokens) else ""
    said = (
        f"{len(idle)} lines showed no change of conduct as large as the margin on these probes{room}. Each was left "
        "out by itself: what one does not add another may be holding, so after dropping one, measure the others again."
    )
    return [said]


def _is_idle(record: RunRecord) -> bool:
    if record.result.status != "measured" or record.plan is None or record.plan.contrast.kind != "drop":
        return False
    return record.result.decision.finding.kind in (FindingKind.REDUNDANT, FindingKind.RESTATEMENT)


def _tokens(record: RunRecord) -> int | None:
    """How many more tokens a request has with the line, by the estimate of the proof; None where there is none."""
    proof = record.plan.proof if record.plan is not None else None
    if proof is None or record.plan is None:
        return None
    more = proof.tokens_baseline - proof.tokens_variant
    return more if record.plan.contrast.with_arm is Arm.BASELINE else -more


def family_block(records: Sequence[RunRecord], width: int) -> str:
    """The sentences as a block below the records; empty where there is one line alone."""
    wrapped = [
        textwrap.fill(said, width, initial_indent="  ", subsequent_indent="  ") for said in family_sentences(records)
    ]
    return "\n".join(["", "All lines together", *wrapped]) if wrapped else ""


def render_family(records: Sequence[RunRecord], *, width: int, colour: bool = False, unicode: bool = True) -> str:
    """A row for each of the lines that were measured together, and what stands of them all."""
    axes = [axis for axis in reversed(Axis) if any(_result(record, axis) is not None for record in records)]
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="italic")
    # What is told apart by stays whole; the line's words give way.
    widest = max((len(facts.headline(record)[0]) for record in records), default=0) + 6
    table.add_column("", no_wrap=True, min_width=widest)
    table.add_column("contrast", no_wrap=True, overflow="ellipsis")
    for axis in axes:
        table.add_column(axis.value, no_wrap=True)
    short = _short(records)
    tokens = [_tokens(record) for record in records]
    if any(number is not None for number in tokens):
        table.add_column("tokens", no_wrap=True, justify="right")
    table.add_column("run", no_wrap=True, min_width=7)
    for record, number in zip(records, tokens, strict=True):
        status = facts.status_of_record(record)
        word, _ = facts.headline(record)
        sign = (f"{SIGNS[status]} {word}", STYLES[status]) if status is not None else (word, "")
        head = Text.assemble(sign, " †" if record.run_id in short else "", "" if record.complete else " *")
        name = Text("…" + record.run_id.rpartition("-")[2])
        cells = [_axis_cell(record, axis, brief=len(axes) > 1 and width < 100) for axis in axes]
        if any(known is not None for known in tokens):
            cells.append(Text("n/a" if number is None else f"~{number}"))
        table.add_row(head, Text(_place(record)), *cells, name)
        table.add_row("", Text(_line(record), style="dim"))
    parts: list[RenderableType] = [table]
    if short:
        parts.append(Text("† stands for itself, not with all lines counted"))
    if any(not record.complete for record in records):
        parts.append(Text("* ended early: 'measure resume RUN' goes on with all of them"))
    last = records[-1].run_id.rpartition("-")[2]
    parts += [
        Text(),
        Text(_made(records)),
        Text(f"'measure show {last}' shows the whole record of the last, and so on."),
    ]
    text = printed(parts, width=width, colour=colour).rstrip("\n") + "\n" + family_block(records, width)
    return text if unicode else plain(text)


def _short(records: Sequence[RunRecord]) -> frozenset[str]:
    """Runs with a verdict that stands for itself and not with all lines counted."""
    return frozenset(
        run
        for family in families_of(records)
        for run in (*family.differing_alone, *family.zero_alone)
        if run not in family.differing_together and run not in family.zero_together
    )


def _result(record: RunRecord, axis: Axis) -> AxisResult | None:
    return record.result.decision.axis(axis) if record.result.status == "measured" else None


def _place(record: RunRecord) -> str:
    contrast = record.plan.contrast if record.plan is not None else None
    return f"{contrast.kind} {safe(contrast.place)}" if contrast is not None else safe(record.subject or "")


def _line(record: RunRecord) -> str:
    """The first of the words that the arms differ in."""
    contrast = record.plan.contrast if record.plan is not None else None
    lines = (contrast.before or contrast.after).strip().splitlines() if contrast is not None else []
    return safe(lines[0]) if lines else ""


def _axis_cell(record: RunRecord, axis: Axis, *, brief: bool) -> Text:
    """The verdict's sign, the evidence behind it and, but for brief, from how many pairs."""
    result = _result(record, axis)
    if result is None:
        return Text("")
    status = facts.looks_like(result.verdict)
    shown = result.evidence.zero if status is Status.ZERO_DIFFERENCE else result.evidence.deciding
    size = wording.evidence_size(shown) if shown is not None else "n/a"
    pairs = "" if brief else f", {wording.count(result.complete, 'pair')}"
    return Text.assemble((SIGNS[status], STYLES[status]), f" e {size}{pairs}")


def _made(records: Sequence[RunRecord]) -> str:
    made = sum(record.spending.launches for record in records)
    read = made + sum(record.spending.shared for record in records)
    costs = [record.spending.cost_usd for record in records if record.spending.cost_usd is not None]
    money = f", {sum(costs):.4f} USD as the client reports it" if costs else ""
    if read == made or all(record.result.status != "measured" for record in records):
        return f"{wording.launches(made)}{money}."
    return (
        f"{wording.launches(made)}{money}. Measured one by one, the same pairs would have taken {read} "
        f"({100 * (1 - made / read):.0f} % fewer)."
    )


def _sentences(family: Family, places: dict[str, str]) -> list[str]:
    claims = [
        _claim(word, places, alone, together)
        for word, alone, together in (
            ("differences", family.differing_alone, family.differing_together),
            ("zero-differences", family.zero_alone, family.zero_together),
        )
        if alone
    ]
    if not claims:
        return []
    axis, rate = AXIS_NAMES[family.axis].capitalize(), f"{100 * family.alpha:g} %"
    alone = f"{axis}: each run's verdict is held to {rate} errors for itself."
    gone = (
        f" ({family.without_record} of them without a record, which count as lines that showed nothing)"
        if family.without_record
        else ""
    )
    number = len(family.lines) + family.without_record
    together = (
        f"With all {number} runs counted{gone}, at most {rate} of the claims that stand are expected to be false "
        f"(false discovery rate, for differences and zero-differences each): {', '.join(claims)}."
    )
    return [f"{alone} {together}"]


def _claim(word: str, places: dict[str, str], alone: Sequence[str], together: Sequence[str]) -> str:
    short = [places[run] for run in alone if run not in together]
    said = f"{len(together)} of {len(alone)} {word}"
    return f"{said} (short of it: {', '.join(short)})" if short else said
