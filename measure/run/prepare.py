"""Everything about a run that can be known, checked and refused before anything is locked, written or launched.

Invariant: preparing reads and never writes. What comes out is complete: a run that was prepared can fail only for what
the disk, the lock, the client or a signal does.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from measure.client.base import Paths
from measure.contrast import (
    Contrast,
    Edit,
    EditKind,
    each_passage,
    edit_from_place,
    edit_from_target,
    find_contrast,
)
from measure.errors import ContrastError, ProbeError, RequestError
from measure.probe.lint import Severity, check
from measure.probe.load import LoadedProbe
from measure.probe.model import Axis
from measure.probe.place import scene_at
from measure.probe.suite import ProbeGroup, SuiteSettings, load_groups
from measure.record.models import BandUsed, Design, ProbeRecord, Scope
from measure.record.pairs import designs_of
from measure.run.places import mask_home
from measure.run.request import RunRequest
from measure.surface import Surface, read_surface
from measure.verdict.band import refuse_broken, repeats_for, why_no_zero, why_set_aside
from measure.verdict.parameters import CHEAP, STANDARD, Parameters
from measure.verdict.resolution import Resolution, resolve

PROFILES = {"standard": STANDARD, "cheap": CHEAP}
FIRST_JOBS, MOST_JOBS = 2, 4
"""Launches at once where no number was asked for. More would seldom be faster: a round is soon over, and what is under
way when a question is settled was launched for nothing."""
CONDITIONS = ("production", "lean")
SETTLE = ("together", "alone")


@dataclass(frozen=True, slots=True)
class Prepared:
    """One contrast with its probes, ready to be measured."""

    name: str
    suite: str | None
    surface: Surface
    contrast: Contrast
    includes: tuple[str, ...]
    probes: tuple[ProbeRecord, ...]
    scope: Scope
    design: Design
    resolution: Resolution
    client: str
    """`claude`, `simulated`, or the path of an executable."""
    agent: Path | None
    model: str
    notices: tuple[str, ...]
    stage: Literal[1, 2] = 2
    """1: the screen, with the passage in the prompt of one of two empty arms."""
    purpose: Literal["contrast", "band"] = "contrast"
    bands: tuple[BandUsed, ...] = ()
    paths: Paths = "own"
    """Where its trials stand; decided with the containment (`measure.run.paths`)."""

    @property
    def launches_at_most(self) -> int:
        """Two per probe and round, at most; retries come on top and are bounded."""
        most = 2 * len(self.probes) * self.design.parameters.rounds_at_most
        return most if self.design.max_launches is None else min(most, self.design.max_launches)


def prepare(request: RunRequest) -> tuple[Prepared, ...]:
    """Read probes, workspace and contrasts; one `Prepared` per contrast, in the order given.

    Raises a `RequestError` of some kind for everything that can be wrong with them.
    """
    if request.condition not in CONDITIONS:
        raise RequestError(f"--condition {request.condition!r}: expected {' or '.join(CONDITIONS)}")
    if request.settle not in SETTLE:
        raise RequestError(f"--settle {request.settle!r}: expected {' or '.join(SETTLE)}")
    parameters = parameters_of(request)
    if request.seed is None:
        # One for all, since contrasts that share launches share their order.
        request = replace(request, seed=secrets.randbits(48))
    surfaces: dict[Path, Surface] = {}
    groups = load_groups(request.probes)
    return tuple(one for group in groups for one in _prepare_group(request, group, parameters, surfaces))


def with_bands(one: Prepared, bands: tuple[BandUsed, ...]) -> Prepared:
    """The same with the noise bands known for its condition; one that bars a zero-difference or is not used is said.

    Raises `RequestError` where identical arms were found to differ.
    """
    axes = {entry.probe.axis for entry in one.probes}
    parameters = one.design.parameters
    usable: list[BandUsed] = []
    notices = list(one.notices)
    for used in bands:
        if used.band.axis not in axes:
            continue
        refuse_broken(used.band)
        aside = why_set_aside(parameters, used.band, used.run_id)
        if aside is None:
            usable.append(used)
        why = aside or why_no_zero(parameters, used.band, used.run_id)
        if why is not None and one.stage == 2:
            notices.append(why)
    return replace(one, bands=tuple(usable), notices=tuple(notices))


def parameters_of(request: RunRequest) -> Parameters:
    """The declared procedure. Raises `RequestError` for an unknown profile or a number that means nothing."""
    if request.profile not in PROFILES:
        raise RequestError(f"--profile {request.profile!r}: expected {' or '.join(PROFILES)}")
    said = {
        "max_rounds": request.max_rounds,
        "alpha": request.alpha,
        "margin": request.margin,
        "probe_margin": request.probe_margin,
    }
    given = {name: value for name, value in said.items() if value is not None}
    if request.repeats is not None and request.max_rounds is not None:
        raise RequestError(
            f"--repeats {request.repeats} and --max-rounds {request.max_rounds} exclude each other: the one makes "
            "exactly so many pairs per probe, the other at most so many",
            hint="Name one of them.",
        )
    for name in ("alpha", "margin", "probe_margin"):
        if name in given and not 0 < given[name] < 1:  # not a number fails this too
            raise RequestError(
                f"--{name.replace('_', '-')} {given[name]:g}: wanted a share between 0 and 1, both left out",
                hint="0.05 is 5 %, for one.",
            )
    for name, rounds in (("repeats", request.repeats), ("max-rounds", request.max_rounds)):
        if rounds is not None and rounds < 1:
            raise RequestError(f"--{name} {rounds}: wanted 1 or more")
    profile = PROFILES[request.profile]
    margin, probe_margin = (given.get(name, getattr(profile, name)) for name in ("margin", "probe_margin"))
    if probe_margin < margin:
        raise RequestError(
            f"the margin of a single probe, {probe_margin:g}, is smaller than that of the average, {margin:g}: a mean "
            "is never larger than its largest part",
            hint=f"Name a --probe-margin of {margin:g} or more, or a smaller --margin.",
        )
    return Parameters.model_validate({**profile.model_dump(), **given, "repeats": request.repeats})


def _prepare_group(
    request: RunRequest, group: ProbeGroup, parameters: Parameters, surfaces: dict[Path, Surface]
) -> Iterator[Prepared]:
    workspace = _workspace(request, group.settings)
    if workspace not in surfaces:
        surfaces[workspace] = read_surface(workspace, request.include)
    surface = surfaces[workspace]
    named = [find_contrast(surface, edit) for edit in _edits_on_command_line(request)]
    named += [contrast for place in request.each for contrast in each_passage(surface, place)]
    if twice := [contrast for number, contrast in enumerate(named) if contrast in named[:number]]:
        raise ContrastError(f"{_place(twice[0])} is named twice", hint="Name each edit once.")
    if not named:
        yield _prepare_one(request, group, _contrast_of(group, surface), parameters, surface)
    for contrast in named:
        own = replace(
            group,
            name=f"{group.name} {_place(contrast)}" if len(named) > 1 else group.name,
            probes=_probes_for(contrast, named, group, surface),
        )
        yield _prepare_one(request, own, contrast, parameters, surface)


def _prepare_one(
    request: RunRequest, group: ProbeGroup, contrast: Contrast, parameters: Parameters, surface: Surface
) -> Prepared:
    settings = group.settings
    weak = _refuse_bad_form(group, contrast, surface)
    _check_reach(request, group)
    probes = tuple(
        ProbeRecord(probe=loaded.probe, source=mask_home(loaded.path.absolute()), digest=loaded.digest)
        for loaded in group.probes
    )
    if request.purpose == "band" and parameters.repeats is None:
        parameters = parameters.model_copy(update={"repeats": _repeats_of_band(probes, parameters)})
    client, agent = _client(request, settings)
    assert request.seed is not None
    return Prepared(
        name=group.name,
        suite=settings.path.parent.name if settings else None,
        surface=surface,
        contrast=contrast,
        includes=request.include,
        probes=probes,
        scope=_scope(request, len(probes)),
        design=Design(
            parameters=parameters,
            seed=request.seed,
            jobs=request.jobs or MOST_JOBS,
            jobs_at_first=None if request.jobs else FIRST_JOBS,
            settle="alone" if request.settle == "alone" else "together",
            patience_s=request.patience_s,
            max_launches=request.max_launches,
            budget_usd=request.budget_usd,
        ),
        resolution=resolve(designs_of(probes), parameters),
        client=client,
        agent=agent,
        model=_model(request, settings),
        notices=(*surface.notices, *contrast.notices, *weak),
        stage=request.stage,
        purpose=request.purpose,
    )


def _repeats_of_band(probes: Sequence[ProbeRecord], parameters: Parameters) -> int:
    """The fewest with which the deciding axis, behavior where it is asked, allows the margin if no pair flips.

    More would allow for a flip or for an axis of few probes as well, but every steady suite would pay twice or more
    for that; the plan says how many it would take.
    """
    axes = [entry.probe.axis for entry in probes]
    return repeats_for(axes.count(Axis.BEHAVIOR) or len(axes), parameters)


def _workspace(request: RunRequest, settings: SuiteSettings | None) -> Path:
    if request.workspace is not None:
        return request.workspace
    if settings is not None and settings.workspace is not None:
        return settings.workspace
    return Path()


def _client(request: RunRequest, settings: SuiteSettings | None) -> tuple[str, Path | None]:
    client = request.client or (settings.client if settings is not None else None) or "claude"
    agent = request.agent or (settings.agent if settings is not None else None)
    if client == "simulated" and agent is None:
        raise RequestError(
            "the simulated client needs the dispositions it answers by", hint="Name their file with --agent FILE."
        )
    if client != "simulated" and request.agent is not None:
        raise RequestError("--agent belongs to the simulated client", hint="Add --client simulated, or leave it out.")
    return client, agent if client == "simulated" else None


def _model(request: RunRequest, settings: SuiteSettings | None) -> str:
    model = request.model or (settings.model if settings is not None else None)
    if not model or not model.strip():
        raise RequestError(
            "no model was named", hint="The model is a condition of the measurement: name it with --model ID."
        )
    return model


def _contrast_of(group: ProbeGroup, surface: Surface) -> Contrast:
    """The one contrast that all probes of a group name."""
    found: Contrast | None = None
    first = ""
    for loaded in group.probes:
        target = loaded.probe.target
        if target is None:
            raise ProbeError(
                f"{loaded.path}: key target: missing, and no contrast was named on the command line",
                hint="Name the line with --drop PATH:LINE, --replace or --add, or give the probe a [target].",
            )
        contrast = find_contrast(surface, edit_from_target(target))
        if found is None:
            found, first = contrast, str(loaded.path)
        elif contrast != found:
            raise ProbeError(
                f"probes put together must name one contrast, or the contrasts must be named on the command line: "
                f"{first} names {_place(found)}, {loaded.path} names {_place(contrast)}",
                hint="Name both lines (--drop PATH:LINE --drop PATH:LINE), or measure them in two runs.",
            )
    assert found is not None
    return found


def _probes_for(
    contrast: Contrast, named: Sequence[Contrast], group: ProbeGroup, surface: Surface
) -> tuple[LoadedProbe, ...]:
    """The probes of a group that are put for one of the contrasts named: its own, and those without a target."""
    own = []
    for loaded in group.probes:
        target = loaded.probe.target
        meant = find_contrast(surface, edit_from_target(target)) if target is not None else None
        if meant is not None and meant not in named:
            raise ProbeError(
                f"probes put together in one run must be about the contrasts that are named: the command line names "
                f"{', '.join(map(_place, named))}, {loaded.path} names {_place(meant)}",
                hint="Name that line as well, or measure it in a run of its own.",
            )
        if meant is None or meant == contrast:
            own.append(loaded)
    if not own:
        raise ProbeError(
            f"no probe is about {_place(contrast)}: all of them name other targets",
            hint="Put a probe without a target, which asks about every line named, or one with this target.",
        )
    return tuple(own)


def _refuse_bad_form(group: ProbeGroup, contrast: Contrast, surface: Surface) -> tuple[str, ...]:
    """A probe that gives its line away can't measure it: refuse before anything is spent. Returns the warnings."""
    scene = scene_at(surface, contrast)
    findings = [finding for loaded in group.probes for finding in check(loaded, scene)]
    errors = [str(finding) for finding in findings if finding.severity is Severity.ERROR]
    if errors:
        raise ProbeError("\n".join(errors), hint="'measure probe check' explains each rule of form.")
    return tuple(f"{Path(one.file).name}: {one.message}; {one.remedy} [{one.id}]" for one in findings)


def _check_reach(request: RunRequest, group: ProbeGroup) -> None:
    """A text on demand is one for all probes put together, and takes a turn to reach and one to answer."""
    on_demand = [loaded for loaded in group.probes if loaded.probe.reached == "on-demand"]
    if not on_demand or request.stage == 1:
        return
    if len(on_demand) < len(group.probes):
        other = next(loaded for loaded in group.probes if loaded.probe.reached != "on-demand")
        raise ProbeError(
            f"{on_demand[0].path} says that the text is reached on demand, {other.path} that it is loaded at launch",
            hint="One line is one or the other: give all probes of a run the same 'reached', or measure in two runs.",
        )
    if request.max_turns < 2:
        raise ProbeError(
            f"{on_demand[0].path}: reached on demand, but the agent is allowed one turn only",
            hint="Reaching a text takes a turn and answering another: --max-turns 4, for one.",
        )


def _edits_on_command_line(request: RunRequest) -> Iterator[Edit]:
    yield from (edit_from_place(EditKind.DROP, place) for place in request.drop)
    yield from (edit_from_place(EditKind.REPLACE, *edit) for edit in request.replace)
    yield from (edit_from_place(EditKind.ADD, *edit) for edit in request.add)


def _place(contrast: Contrast) -> str:
    return f"{contrast.kind} {contrast.place}"


def _scope(request: RunRequest, measured: int) -> Scope:
    total = request.probes_total if request.probes_total is not None else measured
    if total < measured:
        raise RequestError(f"--probes-total {total} is less than the {measured} probes put here")
    return Scope(
        probes_measured=measured,
        probes_given=total,
        selection=request.selection or ("all that were given" if total == measured else "not stated"),
        unmeasured=request.unmeasured,
    )
