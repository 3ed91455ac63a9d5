"""One record on a terminal: first what it says inside its scope, then whether to trust it.

Invariant: the five statuses differ by word, by sign and by colour, so that none of the three is needed; nothing here
computes statistics; text that came from an agent is printed as text and can't steer the terminal.
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterable

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from measure.probe.model import Axis
from measure.record.models import Arm, ContrastRecord, Plan, RunRecord, TrialRecord
from measure.report import wording
from measure.report.proof import beyond_sentence, proof_sentences
from measure.verdict.finding import FindingKind
from measure.verdict.result import AxisResult, Decision, ProbeResult
from measure.verdict.vocabulary import Status

WIDTH = 80

SIGNS = {
    Status.DIFFERENCE: "≠",
    Status.ZERO_DIFFERENCE: "=",
    Status.UNDECIDED: "?",
    Status.INVALID: "×",
    Status.UNMEASURED: "–",
}
PLAIN_SIGNS = {"≠": "!=", "×": "x", "–": "--", "±": "+-"}
STYLES = {
    Status.DIFFERENCE: "bold #d55e00",
    Status.ZERO_DIFFERENCE: "bold #0072b2",
    Status.UNDECIDED: "bold #e69f00",
    Status.INVALID: "bold #cc79a7",
    Status.UNMEASURED: "bold #888888",
}
"""Colours that people with any common colour vision tell apart (Okabe and Ito's set)."""
FINDING_STATUS = {
    FindingKind.LOAD_BEARING: Status.DIFFERENCE,
    FindingKind.RESTATEMENT: Status.ZERO_DIFFERENCE,
    FindingKind.REDUNDANT: Status.ZERO_DIFFERENCE,
    FindingKind.UNDECIDED: Status.UNDECIDED,
    FindingKind.TO_STAGE_2: Status.UNDECIDED,
    FindingKind.INVALID: Status.INVALID,
    FindingKind.UNMEASURED: Status.UNMEASURED,
}


SCREENED = "No difference was seen, which a screen can't settle: two cloned workspaces have to decide (--stage 2)."


def render(record: RunRecord, *, width: int = WIDTH, colour: bool = False, unicode: bool = True) -> str:
    """The record as text, at most `width` columns wide."""
    buffer = io.StringIO()
    console = Console(
        file=buffer,
        width=width,
        force_terminal=colour,
        color_system="truecolor" if colour else None,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )
    for part in _parts(record):
        console.print(part)
    text = "\n".join(line.rstrip() for line in buffer.getvalue().splitlines()) + "\n"
    return text if unicode else _plain(text)


def _plain(text: str) -> str:
    for sign, plain in {**PLAIN_SIGNS, "−": "-", "…": "...", "·": "-"}.items():
        text = text.replace(sign, plain)
    return text


def safe(text: str) -> str:
    """Text of others without control characters, which could move the cursor or colour what follows."""
    return "".join(char if char == "\n" or char.isprintable() else f"\\x{ord(char):02x}" for char in text)


def _parts(record: RunRecord) -> Iterable[RenderableType]:
    yield _headline(record)
    if record.result.status == "band":
        for band in record.result.bands:
            yield Text()
            yield _heading(band.axis.value.capitalize())
            yield _indented(wording.band_sentences(band))
    if record.result.status == "measured":
        decision = record.result.decision
        for axis in decision.axes:
            yield Text()
            yield from _axis(axis, decision, record)
    if record.plan is not None:
        if record.plan.purpose == "contrast":
            yield Text()
            yield _heading("Contrast")
            yield _contrast(record.plan.contrast)
            if record.plan.proof is not None:
                yield Text()
                yield _heading("In the request")
                yield _indented(proof_sentences(record.plan.proof))
        yield Text()
        yield _heading("Scope")
        yield _indented(_scope(record.plan))
        yield Text()
        yield _heading("Condition")
        yield _condition(record)
    yield from _doubts(record)


def _headline(record: RunRecord) -> RenderableType:
    if record.result.status == "measured":
        decision = record.result.decision
        kind = decision.finding.kind
        sentences = wording.finding_sentences(decision.finding)
        beyond = beyond_sentence(record.plan.proof if record.plan else None)
        if beyond is not None and kind in (FindingKind.REDUNDANT, FindingKind.RESTATEMENT):
            sentences = (*sentences, beyond)
        head, style = f"{SIGNS[FINDING_STATUS[kind]]} {kind.value}", STYLES[FINDING_STATUS[kind]]
    elif record.result.status == "band":
        head, style = "± noise band", "bold"
        sentences = ("Both arms were identical: this is how far an arm lies from itself, and says nothing of a line.",)
    else:
        head, style = f"{SIGNS[Status.UNMEASURED]} unmeasured", STYLES[Status.UNMEASURED]
        sentences = (wording.unmeasured_sentence(record.result),)
    lines = [
        Text.assemble((head, style), f"   {_place(record)}"),
        *(Text(safe(sentence)) for sentence in sentences),
    ]
    if not record.complete:
        lines.insert(1, Text(_interrupted(record), style="bold"))
    return Group(*lines)


def _place(record: RunRecord) -> str:
    if record.plan is None:
        return f"{safe(record.subject or '')}   run {record.run_id}"
    contrast = record.plan.contrast
    if record.plan.purpose == "band":
        return f"{record.plan.condition.model}   run {record.run_id}"
    return f"{contrast.kind} {safe(contrast.place)}   run {record.run_id}"


def _interrupted(record: RunRecord) -> str:
    made = len(record.trials)
    planned = 0
    if record.plan is not None:
        planned = 2 * len(record.plan.probes) * record.plan.design.parameters.rounds_at_most
    return f"Interrupted: {made} of at most {planned} launches were made; this is what they show."


def _heading(text: str) -> Text:
    return Text(text, style="bold underline")


def _indented(texts: Iterable[str]) -> RenderableType:
    return Group(*(Padding(Text(safe(text)), (0, 0, 0, 2)) for text in texts))


def _axis(result: AxisResult, decision: Decision, record: RunRecord) -> Iterable[RenderableType]:
    status = Status(result.verdict.status)
    word, sentences = status.value, wording.axis_sentences(result, decision.parameters)
    if decision.stage == 1 and status is Status.ZERO_DIFFERENCE:
        # A screen that shows nothing settles nothing, and has to look like it.
        status, word, sentences = Status.UNDECIDED, FindingKind.TO_STAGE_2.value, (SCREENED,)
    yield Text.assemble(
        (f"{result.axis.value.capitalize()}", "bold underline"),
        "  ",
        (f"{SIGNS[status]} {word}", STYLES[status]),
    )
    yield _indented(sentences)
    table = Table(box=None, pad_edge=False, padding=(0, 1), expand=False, header_style="italic")
    table.add_column("", width=1)
    table.add_column("probe", overflow="fold", max_width=24)
    table.add_column("with the line", overflow="fold", max_width=20)
    table.add_column("without it", overflow="fold", max_width=20)
    table.add_column("shift", justify="right")
    table.add_column("e", justify="right")
    for probe in decision.probes:
        if probe.axis is result.axis:
            _probe_row(table, probe, screen=decision.stage == 1)
    yield Padding(table, (0, 0, 0, 2))
    invalid = _invalid(record, result.axis)
    if invalid:
        yield _indented([f"Launches that do not count: {invalid}."])
    holes = _holes(record, result.axis)
    if holes is not None:
        yield _indented([holes])
    flips = result.steadiness
    if flips.of:
        yield _indented([f"An arm against itself in successive rounds: {flips.flips} of {flips.of} answers changed."])
    yield _indented(
        [f"Noise band: run {result.band}." if result.band else "Noise band: none was measured for this condition."]
    )


def _probe_row(table: Table, probe: ProbeResult, *, screen: bool) -> None:
    status = Status(probe.verdict.status)
    if screen and status is Status.ZERO_DIFFERENCE:
        status = Status.UNDECIDED
    shift = wording.signed_points(probe.effect.point) if probe.effect is not None else "n/a"
    table.add_row(
        Text(SIGNS[status], style=STYLES[status]),
        Text(safe(probe.id)),
        Text(_counts(probe.counts.with_, probe.counts.invalid_with)),
        Text(_counts(probe.counts.without, probe.counts.invalid_without)),
        Text(shift),
        Text(wording.evidence_size(probe.log_e)),
    )


def _counts(counts: dict[str, int], invalid: int) -> str:
    parts = [f"{name.removeprefix('option:')} {count}" for name, count in counts.items() if count]
    if invalid:
        parts.append(f"no answer {invalid}")
    return ", ".join(parts) or "n/a (0 valid)"


def _invalid(record: RunRecord, axis: Axis) -> str:
    assert record.plan is not None
    mine = {entry.probe.id for entry in record.plan.probes if entry.probe.axis is axis}
    counts = Counter(
        (trial.arm, trial.invalid.reason.value)
        for trial in record.trials
        if trial.invalid is not None and trial.probe in mine
    )
    with_arm = record.plan.contrast.with_arm
    return ", ".join(
        f"{count} x {reason} {'with' if arm is with_arm else 'without'} the line"
        for (arm, reason), count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    )


def _holes(record: RunRecord, axis: Axis) -> str | None:
    """Reports of a missing provision: a column of their own, never an effect. None where there is no report."""
    assert record.plan is not None
    mine = {entry.probe.id for entry in record.plan.probes if entry.probe.axis is axis}
    arms = [
        trial.arm
        for trial in record.trials
        if trial.probe in mine and trial.reading is not None and trial.reading.hole_report is not None
    ]
    if not arms:
        return None
    with_line = arms.count(record.plan.contrast.with_arm)
    return (
        f"Reports that a provision is missing, counted apart and no effect: {with_line} with the line, "
        f"{len(arms) - with_line} without it."
    )


def _contrast(contrast: ContrastRecord) -> RenderableType:
    lines = [Text(f"  {safe(contrast.place)}   the arm with the line: {contrast.with_arm.value}")]
    lines += [Text(f"    {safe(line)}", style="dim") for line in contrast.context_before]
    lines += [Text(f"  - {safe(line)}") for line in contrast.before.splitlines()]
    lines += [Text(f"  + {safe(line)}") for line in contrast.after.splitlines()]
    lines += [Text(f"    {safe(line)}", style="dim") for line in contrast.context_after]
    return Group(*lines, _indented(contrast.notices))


def _scope(plan: Plan) -> list[str]:
    scope = plan.scope
    lines = [f"{scope.probes_measured} of {scope.probes_given} probes measured; chosen: {scope.selection}."]
    lines += [f"Left unmeasured: {text}" for text in scope.unmeasured]
    claims = dict.fromkeys(entry.probe.claim.strip() for entry in plan.probes)
    return lines + [f"Claim: {claim}" for claim in claims]


def _condition(record: RunRecord) -> RenderableType:
    plan = record.plan
    assert plan is not None
    condition = plan.condition
    answered = sorted({trial.model_answered for trial in record.trials if trial.model_answered and trial.reading})
    spending = record.spending
    client = f"{condition.client} {condition.client_version}"
    if condition.client == "simulated":
        client += " (a stand-in: says nothing about any model)"
    rows = {
        "model": condition.model
        + (f", answered as {', '.join(answered)}" if answered != [condition.model] and answered else ""),
        "client": client,
        "condition": f"{condition.name}, stage {condition.stage}, {_plural(condition.max_turns, 'turn')}, "
        f"held by {condition.containment}",
        "workspace": plan.surface.workspace,
        "launches": _launches(record.trials, spending.launches),
        "stopped": _stopped(record),
        "cost": "not reported by the client"
        if spending.cost_usd is None
        else f"{spending.cost_usd:.4f} USD, as the client reports it",
        "tokens": f"{spending.input_tokens} in, {spending.cache_creation_input_tokens} cache written, "
        f"{spending.cache_read_input_tokens} cache read, {spending.output_tokens} out",
        "time": f"{spending.wall_s:.1f} s, from {record.created:%Y-%m-%d %H:%M} UTC",
        "order": f"seed {plan.design.seed}; {_balance(record)}",
        "judge": plan.judge_version,
    }
    table = Table.grid(padding=(0, 2))
    table.add_column()
    table.add_column(overflow="fold")
    for name, value in rows.items():
        table.add_row(Text(f"  {name}", style="italic"), Text(safe(value)))
    return table


def _plural(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _launches(trials: tuple[TrialRecord, ...], made: int) -> str:
    invalid = sum(trial.invalid is not None for trial in trials)
    return f"{made}, of which {invalid} do not count" if invalid else f"{made}, all valid"


def _stopped(record: RunRecord) -> str:
    if record.stop is None:
        return "cut off; nobody could say why"
    left = f"; {record.stop.not_launched} launches not made" if record.stop.not_launched else ""
    last = record.stop.last_block
    late = sum(trial.block > last for trial in record.trials) if last is not None else 0
    left += f"; {late} under way then and not counted" if late else ""
    detail = f" ({record.stop.detail})" if record.stop.detail else ""
    resets = f"; the limit ends {record.stop.resets_at:%Y-%m-%d %H:%M %Z}" if record.stop.resets_at else ""
    return f"{record.stop.reason}{detail}{left}{resets}"


def _balance(record: RunRecord) -> str:
    first = Counter(trial.arm for trial in record.trials if trial.member == 0 and trial.attempt == 1)
    return f"baseline went first in {first[Arm.BASELINE]} pairs, variant in {first[Arm.VARIANT]}"


def _doubts(record: RunRecord) -> Iterable[RenderableType]:
    notices = [*record.warnings]
    if record.set_aside:
        notices.append(f"{_plural(record.set_aside, 'torn line')} of the journal was set aside")
    if record.plan is not None:
        surface = record.plan.surface
        notices += list(surface.notices)
        notices += [f"taken out of both arms: {name}" for name in surface.settings_removed]
        notices += list(record.plan.condition.notes)
    if notices:
        yield Text()
        yield _heading("Before you trust it")
        yield _indented(f"- {notice}" for notice in dict.fromkeys(notices))
