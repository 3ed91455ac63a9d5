"""A plan in words, shown before the first launch: what is put, what it costs at most, what it can resolve."""

from __future__ import annotations

from measure.client.base import Condition
from measure.report import wording
from measure.report.terminal import safe
from measure.run.estimate import Estimate
from measure.run.prepare import Prepared


def plan_lines(one: Prepared, price_usd: float | None, estimated: Estimate | None = None) -> list[str]:
    """The plan of one contrast. A price is stated only where one is known; nothing is guessed."""
    contrast = one.contrast
    parameters = one.design.parameters
    lines = [f"Contrast: {contrast.kind} {safe(contrast.path)}:{contrast.line}: {safe(contrast.text.strip())}"]
    lines.append(
        f"Probes: {len(one.probes)} of {one.scope.probes_given} ({', '.join(entry.probe.id for entry in one.probes)})"
    )
    lines.append(f"Model: {one.model}   client: {one.client}   seed: {one.design.seed}   jobs: {_jobs(one)}")
    if one.stage == 1:
        lines.append(
            "Stage 1: the passage goes into one arm's prompt, both arms are empty. No difference settles nothing."
        )
    lines += [f"Launches: {wording.resolution_sentences(one.resolution, parameters)[0]}"]
    if one.launches_at_most < one.resolution.launches_at_most:
        lines.append(f"  --max-launches ends it after {one.launches_at_most}.")
    lines.append(f"Price: {_price(one, price_usd, estimated)}")
    resolved = wording.resolution_sentences(one.resolution, parameters)[1:]
    lines += [f"Resolves: {sentence}" for sentence in resolved if one.stage == 2 or "zero" not in sentence]
    lines += [f"Note: {safe(notice)}" for notice in one.notices]
    return lines


def _jobs(one: Prepared) -> str:
    first, most = one.design.jobs_at_first, one.design.jobs
    return f"{most}" if first is None or first == most else f"{first} at first, up to {most}"


def _price(one: Prepared, price_usd: float | None, estimated: Estimate | None) -> str:
    if price_usd is None and estimated is not None and estimated.usd is not None:
        return f"{_sums(one, estimated.usd)}, about {estimated.usd:.4f} USD a launch: {estimated.why}"
    if price_usd is None:
        why = f": {estimated.why}" if estimated is not None else ""
        return f"not known before the first launch{why}; the client reports it with each (or name it with --price-usd)"
    return f"{_sums(one, price_usd)}, at {price_usd:g} USD a launch as you stated it"


def _sums(one: Prepared, usd: float) -> str:
    most, likely = one.launches_at_most, min(one.resolution.launches_if_steady, one.launches_at_most)
    return (
        f"{most * usd:.2f} USD at most, {likely * usd:.2f} USD if the arms are equal and steady (retries of failed "
        "launches come on top)"
    )


def client_line(condition: Condition) -> str:
    """Which client will be launched, and which account it will use, before anything is spent."""
    account = next((note for note in condition.notes if note.startswith("authentication: ")), None)
    shown = f"Client: {condition.client} {condition.client_version} at {condition.client_path}"
    return f"{shown}; account: {account.removeprefix('authentication: ')}" if account else shown
