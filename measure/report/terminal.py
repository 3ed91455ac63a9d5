"""One record on a terminal: first what it says inside its scope, then whether to trust it.

Invariant: the five statuses differ by word, by sign and by colour, so that none of the three is needed; nothing here
computes statistics; text that came from an agent is printed as text and can't steer the terminal.
"""

from __future__ import annotations

import io
from collections.abc import Iterable

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from measure.record.arms import cost_by_arm
from measure.record.models import ContrastRecord, RunRecord
from measure.report import facts, wording
from measure.report.costs import HEAD, CostRow, cost_rows, cost_sentences
from measure.report.facts import SIGNS
from measure.report.proof import proof_sentences
from measure.verdict.result import AxisResult, Decision, ProbeResult
from measure.verdict.vocabulary import Status

WIDTH = 80
SIDE_BY_SIDE = 132
"""Columns from which both axes stand beside each other."""

PLAIN_SIGNS = {"≠": "!=", "×": "x", "–": "--", "±": "+-"}
STYLES = {
    Status.DIFFERENCE: "bold #d55e00",
    Status.ZERO_DIFFERENCE: "bold #0072b2",
    Status.UNDECIDED: "bold #e69f00",
    Status.INVALID: "bold #cc79a7",
    Status.UNMEASURED: "bold #888888",
}
"""Colours that people with any common colour vision tell apart (Okabe and Ito's set)."""


def render(record: RunRecord, *, width: int = WIDTH, colour: bool = False, unicode: bool = True) -> str:
    """The record as text, at most `width` columns wide."""
    text = printed(_parts(record, width), width=width, colour=colour)
    return text if unicode else plain(text)


def printed(parts: Iterable[RenderableType], *, width: int, colour: bool) -> str:
    """The parts as text, at most `width` columns wide, without spaces at the ends of lines.

    `colour`: it goes to a terminal, whose abilities the environment tells (TERM, COLORTERM, NO_COLOR).
    """
    buffer = io.StringIO()
    console = Console(
        file=buffer,
        width=width,
        force_terminal=colour,
        # What the terminal says it can show: nothing on a dumb one, and no colour where NO_COLOR is set.
        color_system="auto" if colour else None,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )
    for part in parts:
        console.print(part)
    return "\n".join(line.rstrip() for line in buffer.getvalue().splitlines()) + "\n"


def plain(text: str) -> str:
    """The same in the signs of ASCII."""
    for sign, plain in {**PLAIN_SIGNS, "−": "-", "…": "...", "·": "-"}.items():
        text = text.replace(sign, plain)
    return text


def safe(text: str) -> str:
    """Text of others without control characters, which could move the cursor or colour what follows."""
    return "".join(char if char == "\n" or char.isprintable() else f"\\x{ord(char):02x}" for char in text)


def _parts(record: RunRecord, width: int) -> Iterable[RenderableType]:
    yield _headline(record)
    if record.result.status == "band":
        for band in reversed(record.result.bands):
            yield Text()
            yield _heading(band.axis.value.capitalize())
            yield _indented(wording.band_sentences(band))
    if record.result.status == "measured":
        decision = record.result.decision
        axes = [_axis(axis, decision, record) for axis in reversed(decision.axes)]
        if len(axes) > 1 and width >= SIDE_BY_SIDE:
            beside = Table.grid(padding=(0, 2), expand=True)
            for _ in axes:
                beside.add_column(ratio=1)
            beside.add_row(*axes)
            axes = [beside]
        for shown in axes:
            yield Text()
            yield shown
    if ends := facts.ended(record):
        yield Text()
        yield _heading("How the launches ended")
        yield _ended(ends)
    if record.plan is not None:
        if record.plan.purpose == "contrast":
            yield Text()
            yield _heading("Contrast")
            yield _contrast(record.plan.contrast)
            if record.plan.proof is not None:
                yield Text()
                yield _heading("In the request")
                yield _indented(proof_sentences(record.plan.proof))
        costs = cost_by_arm(record)
        if costs is not None and (rows := cost_rows(costs, brief=True)):
            yield Text()
            yield _heading("What it costs")
            yield _costs(rows)
            yield _indented(cost_sentences(costs))
        yield Text()
        yield _heading("Scope")
        yield _indented(facts.scope(record))
        yield Text()
        yield _heading("Condition")
        yield _condition(record)
    yield from _doubts(record)


def _headline(record: RunRecord) -> RenderableType:
    status = facts.status_of_record(record)
    word, sentences = facts.headline(record)
    head = (f"{SIGNS[status]} {word}", STYLES[status]) if status is not None else (f"± {word}", "bold")
    return Group(Text.assemble(head, f"   {_place(record)}"), *(Text(safe(sentence)) for sentence in sentences))


def _place(record: RunRecord) -> str:
    if record.plan is None:
        return f"{safe(record.subject or '')}   run {record.run_id}"
    contrast = record.plan.contrast
    if record.plan.purpose == "band":
        return f"{safe(record.plan.condition.model)}   run {record.run_id}"
    return f"{contrast.kind} {safe(contrast.place)}   run {record.run_id}"


def _heading(text: str) -> Text:
    return Text(text, style="bold underline")


def _indented(texts: Iterable[str]) -> RenderableType:
    return Group(*(Padding(Text(safe(text)), (0, 0, 0, 2)) for text in texts))


def _axis(result: AxisResult, decision: Decision, record: RunRecord) -> RenderableType:
    status, word, sentences = facts.axis_shown(result, decision, facts.usd_per_launch(record))
    table = Table(box=None, pad_edge=False, padding=(0, 1), expand=False, header_style="italic")
    table.add_column("", width=1)
    table.add_column("probe", overflow="fold", max_width=24)
    table.add_column("with the line", overflow="fold", max_width=20)
    table.add_column("without it", overflow="fold", max_width=20)
    table.add_column(f"shift ({wording.confidence(1 - decision.parameters.alpha)})", justify="right", no_wrap=True)
    table.add_column("e", justify="right", no_wrap=True)
    for probe in decision.probes:
        if probe.axis is result.axis:
            _probe_row(table, probe, facts.looks_like(probe.verdict))
    return Group(
        Text.assemble(
            (result.axis.value.capitalize(), "bold underline"), "  ", (f"{SIGNS[status]} {word}", STYLES[status])
        ),
        _indented(sentences),
        Padding(table, (0, 0, 0, 2)),
        _indented(facts.asides(record, result)),
    )


def _ended(rows: Iterable[tuple[str, str, str]]) -> RenderableType:
    table = Table(box=None, pad_edge=False, padding=(0, 1), expand=False, header_style="italic")
    for name, most in (("probe", 24), ("with the line", 24), ("without it", 24)):
        table.add_column(name, overflow="fold", max_width=most)
    for row in rows:
        table.add_row(*(Text(safe(cell)) for cell in row))
    return Padding(table, (0, 0, 0, 2))


def _probe_row(table: Table, probe: ProbeResult, status: Status) -> None:
    table.add_row(
        Text(SIGNS[status], style=STYLES[status]),
        Text(safe(probe.id)),
        Text(safe(facts.counts(probe.counts.with_, probe.counts.invalid_with, probe.void))),
        Text(safe(facts.counts(probe.counts.without, probe.counts.invalid_without, probe.void))),
        Text(facts.shift(probe.effect)),
        Text(wording.evidence_size(probe.log_e)),
    )


def _contrast(contrast: ContrastRecord) -> RenderableType:
    lines: list[RenderableType] = [Text(f"  {safe(contrast.place)}   the arm with the line: {contrast.with_arm.value}")]
    parts = (
        (" ", "dim", contrast.context_before),
        ("-", "", contrast.before.splitlines()),
        ("+", "", contrast.after.splitlines()),
        (" ", "dim", contrast.context_after),
    )
    for sign, style, texts in parts:
        lines += [_hanging(f"  {sign} ", safe(text), style) for text in texts]
    return Group(*lines, _indented(contrast.notices))


def _hanging(head: str, text: str, style: str) -> RenderableType:
    """A line whose wrapped rest stays right of its sign."""
    row = Table.grid()
    row.add_column(no_wrap=True)
    row.add_column(overflow="fold")
    row.add_row(Text(head), Text(text, style=style))
    return row


def _costs(rows: Iterable[CostRow]) -> RenderableType:
    table = Table(box=None, pad_edge=False, padding=(0, 1), expand=False, header_style="italic")
    table.add_column("")
    for name in HEAD[:2]:
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column(HEAD[2], no_wrap=True)
    for row in rows:
        table.add_row(row.name, row.with_line, row.without, row.difference)
    return Padding(table, (0, 0, 0, 2))


def _condition(record: RunRecord) -> RenderableType:
    table = Table.grid(padding=(0, 2))
    table.add_column()
    table.add_column(overflow="fold")
    for name, value in facts.condition(record):
        table.add_row(Text(f"  {name}", style="italic"), Text(safe(value)))
    return table


def _doubts(record: RunRecord) -> Iterable[RenderableType]:
    notices = facts.doubts(record)
    if notices:
        yield Text()
        yield _heading("Before you trust it")
        yield _indented(f"- {notice}" for notice in notices)
