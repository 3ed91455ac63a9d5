"""Finding and reading recorded runs.

Invariants: reading never writes, and what a record concludes is not believed without its trials. A folder without
`record.json` is shown as the unfinished run it is, rebuilt from its plan and journal.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from measure.errors import RecordError, RequestError
from measure.probe.model import Axis
from measure.record.agreement import at_odds
from measure.record.build import build
from measure.record.glance import Glance
from measure.record.models import RunRecord
from measure.record.store import PLAN, RECORD, read_model, read_plan, read_sessions, read_trials, stop_of_unfinished


class Row(BaseModel):
    """One run in a list."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    run_id: str
    created: datetime
    complete: bool
    finding: str
    """One of the findings; `unmeasured` where nothing was measured, `band` where it was the noise of a condition."""
    reason: str | None
    """Why it is unmeasured; None for a measured run."""
    place: str | None
    file: str | None = None
    """The file of the contrast."""
    kind: str | None
    model: str | None
    client: str | None
    behavior: str | None = None
    content: str | None = None
    """The verdict of each axis; None where it was not asked or nothing was measured."""
    launches: int
    cost_usd: float | None


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A folder among the records that can't be read, and why."""

    folder: Path
    why: str


def load(folder: Path) -> RunRecord:
    """The record of a run, or what can be said of an interrupted one. Raises `RecordError`.

    What was written is never put right; what of it does not go together stands in `at_odds`.
    """
    if (folder / RECORD).is_file():
        record = read_model(folder / RECORD, RunRecord)
        return record.model_copy(update={"at_odds": at_odds(record, folder)})
    plan = read_plan(folder)
    trials, set_aside = read_trials(folder)
    sessions = read_sessions(folder)
    return build(plan, trials, stop_of_unfinished(folder), complete=False, sessions=sessions, set_aside=set_aside)


def run_folders(root: Path) -> list[Path]:
    """Folders of runs below `root`, the newest first. Raises `RequestError` if `root` can't be listed."""
    try:
        entries = [entry for entry in root.iterdir() if entry.is_dir() and not entry.name.startswith(".")]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise RequestError(f"can't list the records in {root}: {error.strerror or error}") from error
    return sorted(
        (entry for entry in entries if (entry / PLAN).exists() or (entry / RECORD).exists()),
        key=lambda entry: entry.name,
        reverse=True,
    )


def find(root: Path, name: str) -> Path:
    """The folder of the run that `name` means: a path, an id, a unique part of an id, or `last`.

    Raises `RequestError` when none or several fit.
    """
    given = Path(name)
    if (given / PLAN).exists() or (given / RECORD).exists():
        return given
    folders = run_folders(root)
    if name == "last" and folders:
        return folders[0]
    fitting = [folder for folder in folders if folder.name == name] or [
        folder for folder in folders if name and name in folder.name
    ]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        names = ", ".join(folder.name for folder in fitting[:5])
        raise RequestError(f"{name!r} fits {len(fitting)} runs: {names}", hint="Give more of the id.")
    raise RequestError(f"no run {name!r} in {root}", hint="'measure runs' lists them; --runs DIR looks elsewhere.")


def with_family(records: Sequence[RunRecord], root: Path) -> tuple[RunRecord, ...]:
    """The records and after them all below `root` that were measured together with one of them, each once.

    One that is gone or can't be read is left out. Raises nothing.
    """
    found = {record.run_id: record for record in records}
    for record in records:
        for run_id in record.plan.together if record.plan is not None else ():
            if run_id not in found and ((root / run_id / PLAN).exists() or (root / run_id / RECORD).exists()):
                with suppress(RecordError):
                    found[run_id] = load(root / run_id)
    return tuple(found.values())


def load_with_family(folders: Sequence[Path]) -> tuple[tuple[RunRecord, ...], tuple[RunRecord, ...]]:
    """The records of these folders, and the same with all that were measured together with one of them.

    Raises `RecordError` where one of the folders can't be read.
    """
    records = tuple(load(folder) for folder in folders)
    family = records
    for folder in folders:
        family = with_family(family, folder.parent)
    return records, family


def glance(folder: Path) -> Glance | RunRecord:
    """A run for a list: a finished one without its trials, an interrupted one whole. Raises `RecordError`."""
    if (folder / RECORD).is_file():
        return read_model(folder / RECORD, Glance)
    return load(folder)


def rows(root: Path) -> Iterator[Row | Unreadable]:
    """All runs below `root`, the newest first, each read from its own files."""
    for folder in run_folders(root):
        try:
            yield row_of(glance(folder))
        except RecordError as error:
            yield Unreadable(folder, error.message)


def row_of(record: RunRecord | Glance) -> Row:
    """A record as one row of a list."""
    result, plan = record.result, record.plan
    decision = getattr(result, "decision", None)
    axes = {axis.axis: axis.verdict.status for axis in decision.axes} if decision is not None else {}
    reason = getattr(result, "reason", None)
    contrast = plan.contrast if plan is not None and plan.purpose == "contrast" else None
    return Row(
        run_id=record.run_id,
        created=record.created,
        complete=record.complete,
        finding=decision.finding.kind.value if decision is not None else result.status,
        reason=str(reason) if reason is not None else None,
        place=contrast.place if contrast is not None else record.subject,
        file=contrast.file if contrast is not None else None,
        kind=contrast.kind if contrast is not None else None,
        model=plan.condition.model if plan else None,
        client=f"{plan.condition.client} {plan.condition.client_version}" if plan else None,
        behavior=axes.get(Axis.BEHAVIOR),
        content=axes.get(Axis.CONTENT),
        launches=record.spending.launches,
        cost_usd=record.spending.cost_usd,
    )
