"""Going on with a recorded run: completing an interrupted one, or allowing it more rounds.

Invariant: a run goes on under its identity only if workspace, contrast, probes, client and condition
are what they were; whatever is not is named. What was recorded is never launched again nor counted twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from measure.client.base import Client
from measure.client.containment import Containment, choose
from measure.contrast import Contrast, EditKind, contrast_at
from measure.errors import RequestError
from measure.probe.load import load_probe
from measure.record.build import NOT_BEGUN, parameters_now
from measure.record.condition import differing
from measure.record.models import SHORT, Plan, RunRecord
from measure.record.pairs import designs_of
from measure.record.rejudge import line_of
from measure.record.store import PLAN, RECORD, read_model, read_plan, read_sessions, refuse_running
from measure.run.clients import client_of
from measure.run.paths import standing
from measure.run.prepare import Prepared
from measure.run.request import RunRequest
from measure.surface import Surface, read_surface
from measure.verdict.parameters import Parameters
from measure.verdict.resolution import resolve
from measure.verdict.stopping import StopReason


@dataclass(frozen=True, slots=True)
class Allowance:
    """What a run is allowed when it goes on. None: as before."""

    max_rounds: int | None = None
    max_launches: int | None = None
    budget_usd: float | None = None
    jobs: int | None = None


OUT_OF_ROUNDS = frozenset({StopReason.CAP.value, SHORT})


@dataclass(frozen=True, slots=True)
class Again:
    """A recorded run that goes on."""

    plan: Plan
    prepared: Prepared
    client: Client


def prepare_family(folder: Path, allowance: Allowance, *, alone: bool = False) -> tuple[Again, ...]:
    """The run in `folder` with those that were declared to be measured together with it, as far as they are open.

    A run that is not complete goes on; with more rounds allowed, so does one that used up those it had. `alone`: only
    the run in `folder`, whatever it is. Raises `RequestError` that names what changed, or says that there is nothing
    to go on with, and `LockHeldError` while one of them is under way.
    """
    refuse_running(folder)
    together = () if alone else read_plan(folder).together if (folder / PLAN).exists() else ()
    members = [folder.parent / run_id for run_id in together]
    for one in members:
        refuse_running(one)
    named = folder.resolve()
    goes_on = [
        one
        for one in members
        if (one / PLAN).exists()
        and (_is_open(one, allowance) or (allowance.max_rounds is not None and one.resolve() == named))
    ]
    return tuple(prepare_again(one, allowance) for one in goes_on or [folder])


def _is_open(folder: Path, allowance: Allowance) -> bool:
    record = _record(folder)
    if record is None or not record.complete:
        return True
    return allowance.max_rounds is not None and record.stop is not None and record.stop.reason in OUT_OF_ROUNDS


def prepare_again(folder: Path, allowance: Allowance) -> Again:
    """Everything needed to go on with one run. Raises as `prepare_family` does."""
    record = _record(folder)
    if record is not None and record.result.status == "unmeasured" and not _was_begun(record):
        raise RequestError(
            f"run {record.run_id} only records that nothing was measured ({record.result.reason}); it never began",
            hint="Begin a new run with 'measure run'.",
        )
    plan = read_plan(folder)
    parameters = _parameters(folder, plan, allowance.max_rounds)
    limits = _limits(folder, plan, allowance)
    workspace = Path(plan.surface.workspace).expanduser()
    surface = read_surface(workspace, plan.surface.includes)
    if surface.digest != plan.surface.digest:
        raise _changed("the workspace", f"{workspace} is not as it was when the run began")
    contrast = _contrast(plan, surface)
    _check_probes(plan)
    prepared = Prepared(
        name=plan.run_id,
        suite=plan.suite,
        surface=surface,
        contrast=contrast,
        includes=plan.surface.includes,
        probes=plan.probes,
        scope=plan.scope,
        design=plan.design.model_copy(
            update={
                "parameters": parameters,
                "jobs": allowance.jobs or plan.design.jobs,
                "jobs_at_first": None if allowance.jobs else plan.design.jobs_at_first,
                **limits,
            }
        ),
        resolution=resolve(designs_of(plan.probes), parameters),
        client=_client_name(plan),
        agent=Path(plan.agent).expanduser() if plan.agent else None,
        model=plan.condition.model,
        stage=1 if plan.condition.stage == 1 else 2,
        notices=plan.surface.notices,
        purpose=plan.purpose,
        bands=plan.bands,
    )
    # Held as it was: what holds a launch may add to its environment, which has to be the same.
    containment = choose("descendants" if plan.condition.containment == "descendants" else None)
    client = _client(plan, prepared, containment)
    return Again(plan, standing(prepared, containment, own_paths=plan.condition.paths == "own"), client)


def _was_begun(record: RunRecord) -> bool:
    """Whether there was a plan and a client to carry it out."""
    return record.plan is not None and (record.stop is None or record.stop.reason not in NOT_BEGUN)


def _parameters(folder: Path, plan: Plan, max_rounds: int | None) -> Parameters:
    parameters = parameters_now(plan, read_sessions(folder))
    record = _record(folder)
    finished = record is not None and record.complete
    if max_rounds is None:
        if finished:
            raise RequestError(
                f"run {plan.run_id} is complete", hint="Allow it more rounds with --max-rounds N to go on."
            )
        return parameters
    if parameters.repeats is not None:
        raise RequestError(
            f"run {plan.run_id} has a fixed design of {parameters.repeats} rounds, which can't be extended",
            hint="Begin a new run without --repeats.",
        )
    if max_rounds < parameters.max_rounds or (finished and max_rounds == parameters.max_rounds):
        raise RequestError(f"--max-rounds {max_rounds}: the run was allowed {parameters.max_rounds} already")
    return parameters.model_copy(update={"max_rounds": max_rounds})


def _limits(folder: Path, plan: Plan, allowance: Allowance) -> dict[str, float | int | None]:
    """The limits of launches and money: as last allowed, or as raised. A limit that ended the run has to be raised."""
    sessions = read_sessions(folder)
    last = sessions[-1] if sessions else plan.design
    record = _record(folder)
    stop = record.stop.reason if record is not None and record.stop is not None else None
    limits: dict[str, float | int | None] = {}
    for name, given, before, reason in (
        ("max_launches", allowance.max_launches, last.max_launches, "launches"),
        ("budget_usd", allowance.budget_usd, last.budget_usd, "budget"),
    ):
        option = f"--{name.replace('_', '-')}"
        if given is not None and before is not None and given < before:
            raise RequestError(f"{option} {given:g} is less than the {before:g} that the run was allowed already")
        if stop == reason and (given is None or given == before):
            raise RequestError(
                f"run {plan.run_id} ended at its limit of {before:g} ({option})", hint=f"Allow it more with {option}."
            )
        limits[name] = before if given is None else given
    return limits


def _record(folder: Path) -> RunRecord | None:
    return read_model(folder / RECORD, RunRecord) if (folder / RECORD).exists() else None


def _contrast(plan: Plan, surface: Surface) -> Contrast:
    record = plan.contrast
    text = line_of(record)
    contrast = contrast_at(
        surface, record.file, EditKind(record.kind), record.start, record.end, record.after.encode(), text
    )
    if (contrast.start, contrast.end, contrast.digest_after) != (record.start, record.end, record.file_digest_variant):
        raise _changed("the contrast", f"the edit at {record.place} is no longer the one that was measured")
    return contrast


def _check_probes(plan: Plan) -> None:
    for entry in plan.probes:
        path = Path(entry.source).expanduser()
        if path.exists() and load_probe(path).digest != entry.digest:
            raise _changed("a probe", f"{path} was rewritten; a reworded probe is a new run")


def _client_name(plan: Plan) -> str:
    asked = plan.client_asked
    return asked if asked in {"claude", "simulated"} else str(Path(asked).expanduser())


def _client(plan: Plan, prepared: Prepared, containment: Containment) -> Client:
    condition = plan.condition
    request = RunRequest(
        probes=(),
        condition=condition.name,
        max_turns=condition.max_turns,
        time_limit_s=condition.time_limit_s,
    )
    client = client_of(request, prepared, containment)
    changed = differing(condition, client.condition)
    if changed:
        name = changed[0]
        raise _changed(
            f"the condition ({name})",
            _difference(getattr(condition, name), getattr(client.condition, name)),
        )
    return client


def _difference(before: object, now: object) -> str:
    """What was and is not, and the other way round; of values that hold several, only those that differ."""
    was, is_ = _parts(before), _parts(now)
    gone, come = [one for one in was if one not in is_], [one for one in is_ if one not in was]
    if not gone and not come:
        gone, come = was, is_
    return f"was: {', '.join(gone) or 'none'}; is: {', '.join(come) or 'none'}"


def _parts(value: object) -> list[str]:
    if isinstance(value, Mapping):
        return [f"{name}={one}" for name, one in value.items()]
    return [str(one) for one in value] if isinstance(value, tuple) else [str(value)]


def _changed(what: str, how: str) -> RequestError:
    return RequestError(
        f"the run can't go on: {what} changed; {how}", hint="Begin a new run: results of the two can't be put together."
    )
