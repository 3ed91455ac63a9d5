"""One record as Markdown for a comment on a pull request: the finding open, what backs it folded.

Invariant: text of others becomes no markup, link, mention or reference; the five statuses differ by word and sign.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from measure.gate.markdown import block, code, plain
from measure.record.arms import cost_by_arm
from measure.record.library import Row
from measure.record.models import ContrastRecord, RunRecord
from measure.report import facts, wording
from measure.report.costs import HEAD, cost_rows, cost_sentences
from measure.report.proof import proof_sentences
from measure.report.visible import visible
from measure.verdict.result import Decision


def record_markdown(record: RunRecord, together: Sequence[str] = ()) -> str:
    """The whole comment, ending in a line feed. `together`: what stands of all lines measured with this one."""
    status = facts.status_of_record(record)
    word, sentences = facts.headline(record)
    sign = facts.SIGNS[status] if status is not None else "±"
    parts = [f"### {sign} {word}: {_about(record)}", *(plain(sentence) for sentence in sentences)]
    decision = record.result.decision if record.result.status == "measured" else None
    if decision is not None:
        parts.append(_axes(decision))
    if record.result.status == "band":
        parts += [
            f"**{band.axis.value}**: {' '.join(wording.band_sentences(band))}" for band in reversed(record.result.bands)
        ]
    if together:
        parts.append(f"**All lines together**: {plain(' '.join(together))}")
    parts.append(_folded("Details", list(_details(record, decision))))
    return "\n\n".join(part for part in parts if part) + "\n"


def runs_markdown(rows: Sequence[Row]) -> str:
    """A list of runs as a table."""
    lines = [
        [
            code(row.run_id),
            row.finding + ("" if row.complete else " (not complete)"),
            plain(f"{row.kind or ''} {row.place or ''}"),
            plain(row.model or ""),
            str(row.launches),
            "n/a" if row.cost_usd is None else f"{row.cost_usd:.4f}",
        ]
        for row in rows
    ]
    return _table(["run", "finding", "contrast", "model", "launches", "USD"], lines) + "\n"


def _about(record: RunRecord) -> str:
    if record.plan is None:
        return plain(record.subject or record.run_id)
    if record.plan.purpose == "band":
        return code(record.plan.condition.model)
    return f"{record.plan.contrast.kind} {code(record.plan.contrast.place)}"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _axes(decision: Decision) -> str:
    rows = []
    for axis in reversed(decision.axes):
        status, word, sentences = facts.axis_shown(axis, decision)
        rows.append([axis.axis.value, f"{facts.SIGNS[status]} **{word}**", " ".join(plain(text) for text in sentences)])
    return _table(["axis", "verdict", "what it says"], rows)


def _details(record: RunRecord, decision: Decision | None) -> Iterable[str]:
    plan = record.plan
    if plan is not None and plan.purpose == "contrast":
        yield _diff(plan.contrast)
    if ends := facts.ended(record):
        yield _table(
            ["how launches ended", "with the line", "without it"], [[plain(cell) for cell in row] for row in ends]
        )
    if decision is not None:
        yield _table(
            ["", "probe", "axis", "with the line", "without it", "shift", "e"],
            [
                [
                    f"{facts.SIGNS[facts.looks_like(probe.verdict)]} {facts.looks_like(probe.verdict).value}",
                    plain(probe.id),
                    probe.axis.value,
                    plain(facts.counts(probe.counts.with_, probe.counts.invalid_with, probe.void)),
                    plain(facts.counts(probe.counts.without, probe.counts.invalid_without, probe.void)),
                    facts.shift(probe.effect),
                    wording.evidence_size(probe.log_e),
                ]
                for axis in reversed(decision.axes)
                for probe in decision.probes
                if probe.axis is axis.axis
            ],
        )
        for axis in reversed(decision.axes):
            yield "\n".join(f"- {axis.axis.value}: {plain(text)}" for text in facts.asides(record, axis))
    if (costs := cost_by_arm(record)) is not None:
        yield _table(
            ["what it costs", *HEAD],
            [[f"{'of it ' if row.part else ''}{row.name}", *row[2:]] for row in cost_rows(costs)],
        )
        yield " ".join(cost_sentences(costs))
    yield "\n".join(f"- {plain(text)}" for text in facts.scope(record))
    if plan is not None and plan.proof is not None:
        yield "In the request:\n\n" + block("\n".join(proof_sentences(plan.proof)))
    yield _table(["condition", ""], [[name, plain(value)] for name, value in facts.condition(record)])
    if doubts := facts.doubts(record):
        yield "**Before you trust it**"
        yield "\n".join(f"- {plain(text)}" for text in doubts)
    yield f"Run {code(record.run_id)}"


def _diff(contrast: ContrastRecord) -> str:
    lines = [f"  {visible(line)}" for line in contrast.context_before]
    lines += [f"- {visible(line)}" for line in contrast.before.splitlines()]
    lines += [f"+ {visible(line)}" for line in contrast.after.splitlines()]
    lines += [f"  {visible(line)}" for line in contrast.context_after]
    text = "\n".join(lines)
    ticks = "`" * max(3, max((len(run) for run in re.findall(r"`+", text)), default=0) + 1)
    return f"{ticks}diff\n{text}\n{ticks}"


def _folded(title: str, parts: Sequence[str]) -> str:
    return "\n\n".join([f"<details>\n<summary>{title}</summary>", *(part for part in parts if part), "</details>"])
