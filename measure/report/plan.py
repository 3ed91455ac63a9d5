"""A plan in words, shown before the first launch: what is put, what it costs at most, what it can resolve."""

from __future__ import annotations

from collections.abc import Sequence

from measure.client.base import Condition
from measure.report import wording
from measure.report.terminal import safe
from measure.run.estimate import Estimate
from measure.run.prepare import Prepared
from measure.run.together import saving_of


def plan_lines(group: Sequence[Prepared], price_usd: float | None, estimated: Estimate | None = None) -> list[str]:
    """The plan of contrasts that are measured together, or of one by itself.

    A price is stated only where one is known; nothing is guessed.
    """
    first = group[0]
    parameters = first.design.parameters
    lines = _one(first) if len(group) == 1 else _several(group)
    lines.append(f"Model: {first.model}   client: {first.client}   seed: {first.design.seed}   jobs: {_jobs(first)}")
    if first.stage == 1:
        lines.append(
            "Stage 1: the passage goes into one arm's prompt, both arms are empty. No difference settles nothing."
        )
    most, likely = _launches(group)
    lines += [f"Launches: {_bounds(group)}"]
    if len(group) > 1 and first.design.settle == "together":
        lines.append(
            f"  A line goes on until its verdict also stands with all {len(group)} lines counted (--settle alone: "
            "until it stands for itself)."
        )
    if most < saving_of(group).at_most:
        lines.append(f"  --max-launches ends it after {most}.")
    lines.append(f"Price: {_price(most, likely, price_usd, estimated)}")
    resolved = dict.fromkeys(
        sentence for one in group for sentence in wording.resolution_sentences(one.resolution, parameters)[1:]
    )
    lines += [f"Resolves: {sentence}" for sentence in resolved if first.stage == 2 or "zero" not in sentence]
    lines += [f"Note: {safe(notice)}" for notice in dict.fromkeys(notice for one in group for notice in one.notices)]
    return lines


def _one(one: Prepared) -> list[str]:
    return [f"Contrast: {_contrast(one)}", f"Probes: {_probes(one)}"]


def _several(group: Sequence[Prepared]) -> list[str]:
    same = len({tuple(entry.probe.id for entry in one.probes) for one in group}) == 1
    lines = [f"Contrasts: {len(group)}, measured together: the workspace as it stands is launched once for all of them"]
    for one in group:
        lines.append(f"  {_contrast(one)}")
        if not same:
            lines.append(f"    Probes: {_probes(one)}")
    return [*lines, f"Probes: {_probes(group[0])}"] if same else lines


def _contrast(one: Prepared) -> str:
    return f"{one.contrast.kind} {safe(one.contrast.path)}:{one.contrast.line}: {safe(one.contrast.text.strip())}"


def _probes(one: Prepared) -> str:
    return f"{len(one.probes)} of {one.scope.probes_given} ({', '.join(entry.probe.id for entry in one.probes)})"


def _bounds(group: Sequence[Prepared]) -> str:
    if len(group) == 1:
        return wording.resolution_sentences(group[0].resolution, group[0].design.parameters)[0]
    saving = saving_of(group)
    return (
        f"{saving.at_most} at most, where one by one it would be {saving.at_most_alone}; {saving.if_steady} if the "
        f"arms are equal and steady, where it would be {saving.if_steady_alone} "
        f"({100 * (1 - saving.if_steady / saving.if_steady_alone):.0f} % fewer)."
    )


def _launches(group: Sequence[Prepared]) -> tuple[int, int]:
    """At most, and if the arms are equal and steady."""
    saving, limit = saving_of(group), group[0].design.max_launches
    most = saving.at_most if limit is None else min(saving.at_most, limit)
    return most, min(saving.if_steady, most)


def _jobs(one: Prepared) -> str:
    first, most = one.design.jobs_at_first, one.design.jobs
    return f"{most}" if first is None or first == most else f"{first} at first, up to {most}"


def _price(most: int, likely: int, price_usd: float | None, estimated: Estimate | None) -> str:
    if price_usd is None and estimated is not None and estimated.usd is not None:
        return f"{_sums(most, likely, estimated.usd)}, about {estimated.usd:.4f} USD a launch: {estimated.why}"
    if price_usd is None:
        why = f": {estimated.why}" if estimated is not None else ""
        return f"not known before the first launch{why}; the client reports it with each (or name it with --price-usd)"
    return f"{_sums(most, likely, price_usd)}, at {price_usd:g} USD a launch as you stated it"


def _sums(most: int, likely: int, usd: float) -> str:
    return (
        f"{most * usd:.2f} USD at most, {likely * usd:.2f} USD if the arms are equal and steady (retries of failed "
        "launches come on top)"
    )


def client_line(condition: Condition) -> str:
    """Which client will be launched, and which account it will use, before anything is spent."""
    account = next((note for note in condition.notes if note.startswith("authentication: ")), None)
    shown = f"Client: {condition.client} {condition.client_version} at {condition.client_path}"
    return f"{shown}; account: {account.removeprefix('authentication: ')}" if account else shown
