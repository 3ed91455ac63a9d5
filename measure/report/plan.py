"""A plan in words, shown before the first launch: what is put, what it costs at most, what it can resolve."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from measure.client.base import Condition
from measure.report import wording
from measure.report.terminal import safe
from measure.run.estimate import Estimate
from measure.run.prepare import Prepared
from measure.run.together import resolution_of, saving_of
from measure.verdict.band import bars_zero, open_shift, repeats_for

LONGEST_TEXT = 160
"""Characters of a contrast's text that a plan shows."""


def plan_lines(
    group: Sequence[Prepared],
    price_usd: float | None,
    estimated: Estimate | None = None,
    *,
    bands_unknown: str | None = None,
) -> list[str]:
    """The plan of contrasts that are measured together, or of one by itself.

    A price is stated only where one is known; nothing is guessed. `bands_unknown`: why no noise bands were looked up.
    """
    first = group[0]
    usd = price_usd if price_usd is not None or estimated is None else estimated.usd
    limits = _limits(first, usd)
    lines = _band(first) if first.purpose == "band" else _one(first) if len(group) == 1 else _several(group)
    lines.append(f"Model: {first.model}   client: {first.client}   seed: {first.design.seed}   jobs: {_jobs(first)}")
    if first.stage == 1:
        lines.append(
            "Stage 1: the passage goes into one arm's prompt, both arms are empty. No difference settles nothing."
        )
    most, likely = _launches(group, limits)
    lines += [f"Launches: {_bounds(group)}"]
    if len(group) > 1 and first.design.settle == "together" and first.design.parameters.repeats is None:
        lines.append(
            f"  A line goes on until its verdict also stands with all {len(group)} lines counted (--settle alone: "
            "until it stands for itself)."
        )
    lines += [f"  {told}" for allowed, told in limits if allowed is None or allowed < saving_of(group).at_most]
    lines.append(f"Price: {_price(most, likely, price_usd, estimated)}")
    cut = most if most < saving_of(group).at_most else None
    within = "" if cut is None else f" within {wording.launches(cut)}"
    told = _band_resolves(first, cut) if first.purpose == "band" else _resolves(group, cut)
    lines += [f"Resolves{within}: {sentence}" for sentence in dict.fromkeys(told)]
    notices = [notice for one in group for notice in one.notices]
    if bands_unknown is not None and first.purpose == "contrast":
        notices.append(f"noise bands were not looked up, since that takes the client: {bands_unknown}")
    return lines + [f"Note: {safe(notice)}" for notice in dict.fromkeys(notices)]


def _limits(one: Prepared, usd: float | None) -> list[tuple[int | None, str]]:
    """Each limit that was set: how many launches it allows, if that is known, and how it is told."""
    limits: list[tuple[int | None, str]] = []
    if (launches := one.design.max_launches) is not None:
        limits.append((launches, f"--max-launches ends it after {launches}."))
    if (budget := one.design.budget_usd) is not None:
        if usd:
            allowed = int(budget / usd + 1e-9)
            limits.append((allowed, f"--budget-usd {budget:g} ends it after about {wording.launches(allowed)}."))
        else:
            told = f"--budget-usd {budget:g} may end it earlier; how many launches that buys is not known before them."
            limits.append((None, told))
    return limits


def _resolves(group: Sequence[Prepared], cut: int | None) -> Iterator[str]:
    remedy = "add rounds or probes" if cut is None else "allow more launches"
    for one in group:
        barred = {used.band.axis: used for used in one.bands if bars_zero(one.design.parameters, used.band)}
        for axis in reversed(resolution_of(one, group, cut).axes):
            best, zero, flip = wording.axis_resolution(axis, one.design.parameters, remedy)
            if axis.axis in barred:
                name = wording.AXIS_NAMES[axis.axis].capitalize()
                zero = f"{name}: no zero-difference, since the noise band of run {barred[axis.axis].run_id} is coarser."
            yield best
            if one.stage == 2:
                yield zero
            yield flip


def _band(one: Prepared) -> list[str]:
    return [f"Noise band: both arms as the workspace stands. Asked about: {_contrast(one)}", f"Probes: {_probes(one)}"]


def _band_resolves(one: Prepared, cut: int | None) -> Iterator[str]:
    """Which margin the band can carry at best, and how many pairs would do where it can't carry the usual one."""
    parameters = one.design.parameters
    rounds = parameters.rounds_at_most if cut is None else min(parameters.rounds_at_most, cut // (2 * len(one.probes)))
    for axis in reversed(one.resolution.axes):
        name, pairs = wording.AXIS_NAMES[axis.axis].capitalize(), axis.probes * rounds
        left = open_shift(pairs, parameters) if pairs else 1.0
        margin, fewest = wording.points(parameters.margin), repeats_for(axis.probes, parameters)
        told = f"{name}: {wording.count(pairs, 'pair')} without a flip exclude shifts above {wording.points(left)}"
        if left > parameters.margin:
            yield (
                f"{told}, coarser than the usual margin of {margin}: no zero-difference could be claimed. --repeats "
                f"{fewest} would do where nothing flips."
            )
        else:
            more = repeats_for(axis.probes, parameters, flips_each_way=1)
            yield f"{told}, finer than the usual margin of {margin}; --repeats {more} would also allow a flip each way."


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
    return f"{one.contrast.kind} {safe(one.contrast.place)}: {_shortened(one.contrast.text.strip())}"


def _shortened(text: str) -> str:
    """The first line of a passage, as far as it fits, and how much more there is."""
    first, *rest = text.splitlines() or [""]
    more = f" (and {wording.count(len(rest), 'more line')})" if rest else ""
    if len(first) <= LONGEST_TEXT:
        return safe(first) + more
    return f"{safe(first[:LONGEST_TEXT].rstrip())}… ({len(text):,} characters){more}"


def _probes(one: Prepared) -> str:
    return f"{len(one.probes)} of {one.scope.probes_given} ({', '.join(entry.probe.id for entry in one.probes)})"


def _bounds(group: Sequence[Prepared]) -> str:
    if group[0].purpose == "band":
        repeats = group[0].design.parameters.rounds_at_most
        return f"{saving_of(group).at_most} ({wording.count(repeats, 'pair')} for each probe)"
    if len(group) == 1:
        return wording.resolution_sentences(group[0].resolution, group[0].design.parameters)[0]
    saving = saving_of(group)
    return (
        f"{saving.at_most} at most, where one by one it would be {saving.at_most_alone}; {saving.if_steady} if the "
        f"arms are equal and steady, where it would be {saving.if_steady_alone} "
        f"({100 * (1 - saving.if_steady / saving.if_steady_alone):.0f} % fewer)."
    )


def _launches(group: Sequence[Prepared], limits: Sequence[tuple[int | None, str]]) -> tuple[int, int]:
    """At most, and if the arms are equal and steady."""
    saving = saving_of(group)
    most = min([saving.at_most, *(allowed for allowed, _ in limits if allowed is not None)])
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
