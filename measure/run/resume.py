"""Going on with a recorded run: completing an interrupted one, or allowing it more rounds.

Invariant: a run goes on under its identity only if workspace, contrast, probes, client and condition
are what they were; whatever is not is named. What was recorded is never launched again nor counted twice.
"""

from __future__ import annotations

from pathlib import Path

from measure.client.base import Client
from measure.client.containment import Containment, choose
from measure.contrast import Contrast, EditKind, contrast_at
from measure.errors import RequestError
from measure.probe.load import load_probe
from measure.record.build import parameters_now
from measure.record.condition import differing
from measure.record.models import Plan
from measure.record.pairs import designs_of
from measure.record.rejudge import line_of
from measure.record.store import RECORD, read_plan, read_sessions
from measure.run.clients import client_of
from measure.run.paths import standing
from measure.run.prepare import Prepared
from measure.run.request import RunRequest
from measure.surface import Surface, read_surface
from measure.verdict.parameters import Parameters
from measure.verdict.resolution import resolve


def prepare_again(folder: Path, max_rounds: int | None, jobs: int | None) -> tuple[Plan, Prepared, Client]:
    """Everything needed to go on with the run in `folder`.

    Raises `RequestError` that names what changed, or says that there is nothing to go on with.
    """
    plan = read_plan(folder)
    parameters = _parameters(folder, plan, max_rounds)
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
        design=plan.design.model_copy(update={"parameters": parameters, "jobs": jobs or plan.design.jobs}),
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
    return plan, standing(prepared, containment, own_paths=plan.condition.paths == "own"), client


def _parameters(folder: Path, plan: Plan, max_rounds: int | None) -> Parameters:
    parameters = parameters_now(plan, read_sessions(folder))
    finished = (folder / RECORD).exists()
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
            f"was {getattr(condition, name)!r}, is {getattr(client.condition, name)!r}",
        )
    return client


def _changed(what: str, how: str) -> RequestError:
    return RequestError(
        f"the run can't go on: {what} changed; {how}", hint="Begin a new run: results of the two can't be put together."
    )
