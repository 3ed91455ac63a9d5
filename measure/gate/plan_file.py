"""The plan-file entry: one prompt put to two arms that differ in one passage, and what both answered.

It is what skills call that bring their own judge. Invariants: the answers are kept and not read here, so no verdict
is told; nothing of the plan but the prompt and the passage reaches an arm; the file that is written says of every
launch whether it returned an answer, and is whole at any time.
"""

from __future__ import annotations

import os
import random
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from measure import __version__
from measure.arena.arena import Arena
from measure.arena.lock import default_place
from measure.client.base import Client, Condition, Order
from measure.client.claude import check_prompt, open_claude
from measure.client.containment import choose
from measure.client.trial import Returned, Usage
from measure.contrast import Contrast, find_passage
from measure.errors import ClientError, RequestError
from measure.plan.schedule import derived_seed
from measure.record.models import Arm, InvalidRecord, Stored
from measure.record.store import dump, write_whole
from measure.run.locked import in_arena
from measure.run.places import mask_home
from measure.surface import Entry, Kind, Origin, Surface, read_surface
from measure.verdict.vocabulary import Unmeasured, WhyUnmeasured

COPIED = (".claude", "CLAUDE.md", "Li+config.md")
"""What the arms get of the source, where it is there."""
MAX_TURNS = 50
"""A probe may have the agent invoke a skill before it answers."""

Written = Annotated[str, StringConstraints(min_length=1, pattern=r"\S")]


class Strict(BaseModel):
    """A part of a plan: unknown fields are errors, nothing is converted."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class PlanScope(Strict):
    """What the plan can speak for."""

    probes_measured: Annotated[int, Field(ge=1)]
    probes_total: Annotated[int, Field(ge=1)]
    selection: Written
    unmeasured: str | tuple[str, ...]
    """What is left unmeasured, in words."""

    @model_validator(mode="after")
    def _part_of_the_whole(self) -> Self:
        if self.probes_measured > self.probes_total:
            raise ValueError(
                f"probes_measured ({self.probes_measured}) is more than probes_total ({self.probes_total})"
            )
        return self


class PlanEdit(Strict):
    """One passage that is exchanged in one file."""

    path: Written
    drop: Annotated[str, StringConstraints(min_length=1)]
    """The passage, which stands exactly once in the file."""
    replace_with: str = ""


class PlanArm(Strict):
    """One arm by its label, which stays in the record."""

    name: Written
    edits: tuple[PlanEdit, ...] = ()


class PlanFile(Strict):
    """A plan as it is written."""

    probe: Written
    model: Written
    repetitions: Annotated[int, Field(ge=1)] = 1
    scope: PlanScope
    arms: Annotated[tuple[PlanArm, ...], Field(min_length=2, max_length=2)]

    @model_validator(mode="after")
    def _one_contrast(self) -> Self:
        if self.arms[0].name == self.arms[1].name:
            raise ValueError(f"both arms are named {self.arms[0].name!r}")
        edits = sum(len(arm.edits) for arm in self.arms)
        if edits != 1:
            raise ValueError(f"the arms hold {edits} edits; wanted exactly one over both")
        return self

    @property
    def edited(self) -> int:
        """Index of the arm with the edit, which is the variant; the other is the baseline."""
        return 0 if self.arms[0].edits else 1


class UsedTool(Stored):
    """One tool the agent used, with the input the model sent; places are masked."""

    name: str
    input: dict[str, Any]


class ArmResult(Stored):
    """One launch. Exactly one of `answer` and `invalid` is set."""

    arm: str
    role: Arm
    run: int
    """Repetition, from 1."""
    position: int
    """Running number in the order of launches, from 1."""
    returned: bool
    answer: str | None
    answer_source: str | None
    invalid: InvalidRecord | None
    started_at: datetime
    wall_s: float
    exit_code: int | None
    model_answered: str | None
    client_version: str | None
    turns: int | None
    usage: Usage
    flags: tuple[str, ...]
    tool_uses: tuple[UsedTool, ...]
    """In order: whether the agent got the passage back from elsewhere is read off them."""


class PlanRecord(Stored):
    """What is written to `--out`."""

    schema_: Annotated[int, Field(alias="schema")] = 1
    measure_version: str = __version__
    started_at: datetime
    complete: bool
    """False: cut off; the launches that had ended are there."""
    dry_run: bool
    """True: both arms were made and verified, and nothing was launched."""
    source_root: str
    model: str
    repetitions: int
    probe: str
    scope: PlanScope
    arms: tuple[PlanArm, ...]
    differing_paths: tuple[str, ...]
    file_digest_baseline: str
    file_digest_variant: str
    surface_digest: str
    surface_files: int
    settings_removed: tuple[str, ...]
    left_out: tuple[str, ...]
    notices: tuple[str, ...]
    condition: Condition | None
    """None where no client was found."""
    seed: int
    """Which arm goes first in each repetition is drawn from it."""
    returned: Mapping[str, int]
    """By arm: launches that returned an answer."""
    unmeasured: Unmeasured | None
    """Why nothing was measured; None where at least one launch returned an answer, or none was to be made."""
    results: tuple[ArmResult, ...]
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PlanJob:
    """A plan and how it is carried out. Times in seconds."""

    plan: PlanFile
    path: Path
    surface: Surface
    contrast: Contrast
    out: Path
    place: Path
    """Where the lock and the arms stand while it runs."""
    stale_after_s: float
    time_limit_s: float
    dry_run: bool
    seed: int


def read_plan_file(path: Path) -> PlanFile:
    """A plan. Raises `RequestError` that names each field at fault, what was wanted and what was found."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise RequestError(f"the plan {path} can't be read: {error.strerror or error}") from None
    try:
        return PlanFile.model_validate_json(data.removeprefix(b"\xef\xbb\xbf"))
    except ValidationError as error:
        faults = "\n".join(_fault(path, found["loc"], found["msg"], found["input"]) for found in error.errors())
        raise RequestError(faults, hint="Fields of a plan: probe, model, repetitions, scope, arms.") from None


def _fault(path: Path, place: tuple[int | str, ...], message: str, found: object) -> str:
    where = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place if part != "tuple[str, ...]")
    shown = repr(found)
    told = f", found {shown if len(shown) <= 60 else shown[:59] + '…'}" if place and message != "Field required" else ""
    return f"{path}: {where.removeprefix('.') or 'plan'}: {message.removeprefix('Value error, ')}{told}"


def find_source_root(start: Path) -> Path:
    """The nearest folder at or above `start` that holds `.claude/`. Raises `RequestError` where there is none."""
    here = Path(os.path.realpath(start))
    for folder in (here, *here.parents):
        if (folder / ".claude").is_dir():
            return folder
    raise RequestError(f"no folder at or above {start} holds .claude/", hint="Name it with --source-root DIR.")


def prepare_plan(
    path: Path,
    out: Path,
    *,
    source_root: Path | None,
    base_dir: Path | None,
    stale_after_s: float,
    time_limit_s: float,
    dry_run: bool,
) -> PlanJob:
    """Read and check everything; writes and launches nothing. Raises `RequestError` of some kind."""
    plan = read_plan_file(path)
    check_prompt(plan.probe)
    if out.is_dir() or not os.access(out.absolute().parent, os.W_OK | os.X_OK):
        raise RequestError(f"--out {out}: wanted a file in a folder that exists and can be written")
    if out.exists() and out.samefile(path):
        raise RequestError(f"--out {out} is the plan itself")
    root = source_root or find_source_root(Path())
    if not (root / ".claude").is_dir():
        raise RequestError(f"{root} holds no .claude/", hint="Name the workspace with --source-root DIR.")
    base = base_dir or default_place().parent
    if not base.is_dir():
        raise RequestError(f"--base-dir {base}: wanted a folder that exists")
    surface = _read(root, path, out)
    edit = plan.arms[plan.edited].edits[0]
    return PlanJob(
        plan=plan,
        path=path,
        surface=surface,
        contrast=find_passage(surface, edit.path, edit.drop, edit.replace_with),
        out=out,
        place=base / default_place().name,
        stale_after_s=stale_after_s,
        time_limit_s=time_limit_s,
        dry_run=dry_run,
        seed=secrets.randbits(48),
    )


def _read(root: Path, path: Path, out: Path) -> Surface:
    """The part of a surface that stands under the copied names, with what they import and link to."""
    included = tuple(name for name in COPIED[2:] if os.path.lexists(root / name))
    surface = read_surface(root, included, exclude=(path, out))
    named = {entry.path for entry in surface.entries if _is_copied(entry)}
    parents = {parent for path in named for parent in _parents(path)}
    return replace(surface, entries=tuple(entry for entry in surface.entries if entry.path in named | parents))


def _is_copied(entry: Entry) -> bool:
    own = entry.path.split("/")[0] in COPIED
    return own or (entry.origin is not Origin.ENTRY and entry.kind is not Kind.DIRECTORY)


def _parents(path: str) -> Iterator[str]:
    while path := path.rpartition("/")[0]:
        yield path


def carry_out(job: PlanJob) -> PlanRecord:
    """Make both arms, launch, and write what came back to `job.out` after every launch.

    Raises `LockHeldError`, `InterruptedRunError`, `WorkspaceError` and `RecordError`. That no client can be used is
    no error but a record that says so.
    """
    client: Client | None = None
    unmeasured: Unmeasured | None = None
    if not job.dry_run:
        try:
            client = open_claude(
                model=job.plan.model,
                environ=os.environ,
                max_turns=MAX_TURNS,
                time_limit_s=job.time_limit_s,
                containment=choose(),
            )
        except ClientError as error:
            unmeasured = Unmeasured(reason=WhyUnmeasured.NO_AGENT, detail=error.message)
    record = _first_record(job, client, unmeasured)

    async def work(arena: Arena) -> PlanRecord:
        nonlocal record
        arms = arena.build(job.surface, job.contrast)
        record = record.model_copy(update={"notices": (*record.notices, *arms.notices)})
        write_whole(job.out, dump(record))
        for run in range(1, (job.plan.repetitions if client is not None else 0) + 1):
            order = [Arm.BASELINE, Arm.VARIANT]
            random.Random(derived_seed(job.seed, "arms", run)).shuffle(order)
            for role in order:
                position = len(record.results) + 1
                assert client is not None
                with arena.stall(arms.of(role.value), at_desk=True) as stall:
                    seed = derived_seed(job.seed, "trial", position)
                    returned = await client.launch(Order(stall.path, stall.temp, job.plan.probe, seed))
                record = _with(record, _result(job.plan, role, run, position, returned))
                write_whole(job.out, dump(record))
        return record

    in_arena(
        work,
        silent_after_s=job.stale_after_s,
        after_a_signal=f"What had come back is in {job.out}.",
        place=job.place,
    )
    record = record.model_copy(
        update={"complete": True, "unmeasured": record.unmeasured or _why_unmeasured(record), "warnings": _changed(job)}
    )
    write_whole(job.out, dump(record))
    return record


def _first_record(job: PlanJob, client: Client | None, unmeasured: Unmeasured | None) -> PlanRecord:
    plan, surface, contrast = job.plan, job.surface, job.contrast
    return PlanRecord(
        started_at=datetime.now(UTC),
        complete=False,
        dry_run=job.dry_run,
        source_root=mask_home(surface.workspace),
        model=plan.model,
        repetitions=plan.repetitions,
        probe=plan.probe,
        scope=plan.scope,
        arms=plan.arms,
        differing_paths=(contrast.path,),
        file_digest_baseline=contrast.digest_before,
        file_digest_variant=contrast.digest_after,
        surface_digest=surface.digest,
        surface_files=len(surface.entries),
        settings_removed=surface.settings_removed,
        left_out=tuple(f"{left.path}: {left.why}" for left in surface.left_out),
        notices=surface.notices,
        condition=client.condition.model_copy(update={"paths": "one-in-turn"}) if client is not None else None,
        seed=job.seed,
        returned={arm.name: 0 for arm in plan.arms},
        unmeasured=unmeasured,
        results=(),
    )


def _with(record: PlanRecord, result: ArmResult) -> PlanRecord:
    returned = dict(record.returned)
    returned[result.arm] += result.returned
    return record.model_copy(update={"results": (*record.results, result), "returned": returned})


def _result(plan: PlanFile, role: Arm, run: int, position: int, returned: Returned) -> ArmResult:
    transcript, invalid = returned.transcript, returned.invalid
    index = plan.edited if role is Arm.VARIANT else 1 - plan.edited
    return ArmResult(
        arm=plan.arms[index].name,
        role=role,
        run=run,
        position=position,
        returned=transcript is not None,
        answer=transcript.answer if transcript else None,
        answer_source=transcript.answer_source if transcript else None,
        invalid=InvalidRecord(
            reason=invalid.reason,
            detail=invalid.detail,
            acted=invalid.acted,
            resets_at=invalid.resets_at,
            stdout_tail=returned.stdout_tail,
            stderr_tail=returned.stderr_tail,
        )
        if invalid is not None
        else None,
        started_at=returned.started_at,
        wall_s=round(returned.wall_s, 3),
        exit_code=returned.exit_code,
        model_answered=returned.model_answered,
        client_version=returned.client_version,
        turns=returned.turns,
        usage=returned.usage,
        flags=returned.flags,
        tool_uses=tuple(UsedTool(name=use.name, input=dict(use.input)) for use in transcript.tool_uses)
        if transcript
        else (),
    )


def _why_unmeasured(record: PlanRecord) -> Unmeasured | None:
    if record.dry_run or any(record.returned.values()):
        return None
    reasons = sorted({one.invalid.reason.value for one in record.results if one.invalid is not None})
    return Unmeasured(reason=WhyUnmeasured.CLIENT_FAILED, detail=f"no arm returned an answer: {', '.join(reasons)}")


def _changed(job: PlanJob) -> tuple[str, ...]:
    try:
        if _read(job.surface.workspace, job.path, job.out).digest == job.surface.digest:
            return ()
    except RequestError as error:
        return (f"the source can't be read any more: {error.message}",)
    return ("the source was changed during the run; the answers are about it as it stood before",)


Outcome = Literal["returned", "none-returned", "dry-run"]


def outcome_of(record: PlanRecord) -> Outcome:
    """What the exit status is about."""
    if record.dry_run:
        return "dry-run"
    return "returned" if any(record.returned.values()) else "none-returned"
