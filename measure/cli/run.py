"""`measure run`: shows the plan, follows the launches, prints the record."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NoReturn

from measure.cli.documents import PlannedRun, PlannedTogether, PlansDocument, RunsDocument
from measure.cli.follow import following
from measure.cli.output import print_json, say, show
from measure.client.base import Client
from measure.errors import ClientError, NothingMeasuredError, RequestError, WorkspaceError
from measure.plan.prices import load_prices
from measure.record.family import families_of
from measure.record.models import RunRecord
from measure.record.store import default_root, open_root
from measure.report.advice import advice_of
from measure.report.family import family_block
from measure.report.plan import client_line, plan_lines
from measure.report.terminal import WIDTH
from measure.run.at_rest import changed_meanwhile, prepare_at_rest, subjects_of
from measure.run.estimate import estimate
from measure.run.places import mask_home
from measure.run.prepare import Prepared
from measure.run.request import RunRequest
from measure.run.resume import Allowance
from measure.run.together import families, refuse_too_few_launches, resolution_of, saving_of
from measure.verdict.vocabulary import Unmeasured, WhyUnmeasured


def measure_probes(
    request: RunRequest, *, runs: Path | None, dry_run: bool, as_json: bool, quiet: bool = False
) -> None:
    """The whole command. `quiet`: of the launches and what they showed nothing is said, unless as JSON.

    Raises the error whose class names the exit status.
    """
    if os.name == "nt":
        raise RequestError(
            "measuring needs Linux or macOS: Windows has no way to end a whole process tree and no file locks as used "
            "here",
            hint="Run it in WSL. Reading records works on Windows.",
        )
    prepared = prepare_at_rest(request, say)
    if prepared is None:
        _record_edited(request, runs, as_json=as_json)
    from measure.run.clients import equipped

    table, root = load_prices(request.prices), default_root(runs)
    clients: tuple[Client, ...] = ()
    missing: ClientError | None = None
    try:
        prepared, clients = equipped(request, prepared, root)
    except ClientError as error:
        missing = error
    groups = [[prepared[index] for index in family] for family in families(prepared)]
    for group in groups:
        refuse_too_few_launches(group)
        estimated = estimate(group[0], condition=request.condition, max_turns=request.max_turns, root=root, table=table)
        unknown = missing.message if missing is not None and dry_run else None
        for line in plan_lines(group, request.price_usd, estimated, bands_unknown=unknown):
            say(line)
        say("")
    if dry_run:
        if as_json:
            plans = tuple(_planned(one, next(group for group in groups if _holds(group, one))) for one in prepared)
            print_json(PlansDocument(plans=plans, together=tuple(_shared(group) for group in groups if len(group) > 1)))
        return
    from measure.run.job import Job, measure_all
    from measure.run.not_begun import record_not_begun

    root = open_root(root)
    if missing is not None:
        without = record_not_begun(root, request, prepared, WhyUnmeasured.NO_AGENT, missing.message)
        where = "".join(f"\n  Record (unmeasured: no-agent): {root / record.run_id}" for record in without)
        raise ClientError(missing.message, hint=f"{missing.hint or ''}{where}".strip()) from missing
    for line in dict.fromkeys(client_line(client.condition) for client in clients):
        say(line)
    contrasts = list(zip(prepared, clients, strict=True))
    with following(plainly=as_json, quietly=quiet) as follow:
        job = Job(root=root, watcher=follow, price_usd=request.price_usd, stale_after_s=request.stale_after_s)
        edited: WorkspaceError | None = None
        try:
            records = measure_all(job, contrasts)
        except WorkspaceError as error:
            if not any(map(changed_meanwhile, prepared)):
                raise
            why = WhyUnmeasured.TREE_BEING_EDITED
            records = record_not_begun(root, request, prepared, why, "the workspace was edited after it was read")
            edited = error
    if as_json or not quiet:
        _show_records(records, root, as_json=as_json)
    _tell_records(root, records, advised=not quiet)
    if edited is not None:
        raise NothingMeasuredError(
            f"nothing was measured: the workspace was edited after it was read ({edited.message})",
            hint="Run it again when the edits have ended; --busy-marker PATH waits for them.",
        ) from edited
    _fail_if_nothing_measured(root, records)


def _show_records(records: tuple[RunRecord, ...], root: Path, *, as_json: bool) -> None:
    """Each record whole, and what stands of them together; of lines measured together a table alone."""
    from measure.cli.show import print_family, print_record
    from measure.record.library import with_family

    family = with_family(records, root)
    if as_json:
        print_json(RunsDocument(runs=records, families=families_of(family)))
        return
    if len(records) > 1 and all(record.plan is not None and record.plan.together for record in records):
        print_family(family)
        return
    for number, record in enumerate(records):
        if number:
            show("")
        print_record(record)
    if together := family_block(family, WIDTH):
        show(together)


def _tell_records(root: Path, records: tuple[RunRecord, ...], *, advised: bool = True) -> None:
    """Where the records are, and, as advice, what to do next where a run ended early."""
    for record in records:
        say(f"Record: {root / record.run_id}")
    if not advised:
        return
    told: set[str] = set()
    for record in records:
        advice = advice_of(record, root)
        family = str(record.plan.together) if record.plan is not None and record.plan.together else record.run_id
        if advice is not None and family not in told:
            told.add(family)
            say(f"Next: {advice}")


def _holds(group: list[Prepared], one: Prepared) -> bool:
    return any(member is one for member in group)


def _planned(one: Prepared, group: list[Prepared]) -> PlannedRun:
    return PlannedRun(
        name=one.name,
        contrast=f"{one.contrast.kind} {one.contrast.place}",
        probes=tuple(entry.probe.id for entry in one.probes),
        launches_at_most=one.launches_at_most,
        resolution=resolution_of(one, group, one.design.max_launches),
    )


def _shared(group: list[Prepared]) -> PlannedTogether:
    return PlannedTogether(
        contrasts=tuple(f"{one.contrast.kind} {one.contrast.place}" for one in group),
        saving=saving_of(group),
    )


def _record_edited(request: RunRequest, runs: Path | None, *, as_json: bool) -> NoReturn:
    """Leave records that say that the workspace was being edited; status 4."""
    from measure.cli.show import print_record
    from measure.run.job import record_unmeasured

    root = open_root(default_root(runs))
    assert request.busy_marker is not None
    detail = f"{mask_home(request.busy_marker.absolute())} stood for {request.busy_wait_s:g} s"
    reason = Unmeasured(reason=WhyUnmeasured.TREE_BEING_EDITED, detail=detail)
    records = tuple(record_unmeasured(root, reason, subject) for subject in subjects_of(request))
    if as_json:
        print_json(RunsDocument(runs=records))
    for record in records:
        if not as_json:
            print_record(record)
        say(f"Record: {root / record.run_id}")
    raise NothingMeasuredError(
        f"nothing was measured: the workspace is being edited ({detail})",
        hint="Run it again when the edits have ended, or wait longer with --busy-wait SECONDS.",
    )


HOPELESS_CLIENT = ("auth:", "model-rejected:")


def _fail_if_nothing_measured(root: Path, records: tuple[RunRecord, ...]) -> None:
    """Status 4, or 5 where the client can't be used, if any of the contrasts was not measured."""
    without = [record for record in records if record.result.status == "unmeasured"]
    for record in without:
        assert record.result.status == "unmeasured"
        detail = record.result.detail or record.result.reason.value
        place = record.plan.contrast.place if record.plan is not None else record.subject
        told = "nothing was measured"
        if len(without) < len(records):
            told = f"{len(without)} of {len(records)} lines were not measured, {place} among them"
        if record.result.reason is WhyUnmeasured.CLIENT_FAILED and detail.startswith(HOPELESS_CLIENT):
            raise ClientError(f"{told}: {detail}", hint=advice_of(record, root))
        raise NothingMeasuredError(f"{told}: {detail}", hint=advice_of(record, root))


def resume_run(
    name: str, allowance: Allowance, *, alone: bool, stale_after_s: float, runs: Path | None, as_json: bool
) -> None:
    """Complete interrupted runs, or extend complete ones: the run named and those measured together with it."""
    from measure.record.library import find
    from measure.run.job import Job, go_on
    from measure.run.resume import prepare_family

    folder = find(default_root(runs), name)
    again = prepare_family(folder, allowance, alone=alone)
    if len(again) > 1:
        say(f"Going on with {len(again)} lines that are measured together:")
        for one in again:
            say(f"  {one.plan.contrast.kind} {one.plan.contrast.place}   run {one.plan.run_id}")
    with following(plainly=as_json) as follow:
        job = Job(root=folder.parent, watcher=follow, price_usd=None, stale_after_s=stale_after_s)
        records = go_on(job, again)
    _show_records(records, folder.parent, as_json=as_json)
    _tell_records(folder.parent, records)
    _fail_if_nothing_measured(folder.parent, records)
