"""The JSON document that each command prints with `--json`, as models; the published schemas are made from them.

Invariant: within a minor version a field is neither taken out nor given another meaning; new ones may come. Whatever
reads these documents has to pass over fields it does not know.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, RootModel

from measure.context.inventory import Inventory
from measure.gate.brief import Brief
from measure.gate.candidates import Candidate
from measure.gate.review import ReviewEntry
from measure.probe.lint import Severity as ProbeSeverity
from measure.probe.model import Axis
from measure.record.compare import Comparison
from measure.record.family import Family
from measure.record.library import Row
from measure.record.models import Change, RunRecord
from measure.record.rejudge import Judgement
from measure.run.examine import Check
from measure.run.together import Saving
from measure.surface.finding import Severity as SurfaceSeverity
from measure.surface.region_update import Branch
from measure.surface.unit import Loading, UnitKind
from measure.verdict.resolution import Resolution


class Part(BaseModel):
    """Base of what stands in a document."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Document(Part):
    """Base of what a command prints."""

    schema_: Annotated[int, Field(alias="schema")] = 1


class RunsDocument(Document):
    """`measure run`, `band`, `resume` and `unmeasured`: the records, whole."""

    runs: tuple[RunRecord, ...]
    families: tuple[Family, ...] = ()
    """What stands when several lines of one command are counted together, one for each axis."""


class PlannedRun(Part):
    """One contrast that would be measured."""

    name: str
    contrast: str
    probes: tuple[str, ...]
    launches_at_most: int
    resolution: Resolution


class PlannedTogether(Part):
    """Contrasts that would be measured together and share the launches in the baseline."""

    contrasts: tuple[str, ...]
    saving: Saving


class PlansDocument(Document):
    """`measure run --dry-run` and `band --dry-run`."""

    dry_run: Literal[True] = True
    plans: tuple[PlannedRun, ...]
    together: tuple[PlannedTogether, ...] = ()


class UnreadableFolder(Part):
    """A folder among the records that can't be read."""

    folder: str
    why: str


class ListDocument(Document):
    """`measure runs`."""

    root: str
    runs: tuple[Row, ...]
    running: tuple[str, ...] = ()
    """Ids of those that are under way."""
    unreadable: tuple[UnreadableFolder, ...]


class ReportDocument(Document):
    """`measure report`: the page that was written and the runs on it."""

    page: Path
    runs: tuple[str, ...]


class DoctorDocument(Document):
    """`measure doctor`."""

    ready: bool
    checks: tuple[Check, ...]


class FilesDocument(Document):
    """`measure probe new`: the files that were written."""

    files: tuple[str, ...]


class CheckedProbe(Part):
    """One probe file that was read."""

    file: str
    id: str
    axis: Axis
    sha256: str


class ProbeFinding(Part):
    """One rule of form that a probe breaks."""

    id: str
    severity: ProbeSeverity
    file: str
    key: str | None
    message: str
    remedy: str


class ProbeCheckDocument(Document):
    """`measure probe check`."""

    usable: bool
    probes: tuple[CheckedProbe, ...]
    findings: tuple[ProbeFinding, ...]
    errors: int
    warnings: int
    notes: tuple[str, ...]


class GateDocument(Change):
    """`measure gate`."""

    schema_: Annotated[int, Field(alias="schema")] = 1
    workspace: Path
    """The folder that paths are relative to."""
    candidates: tuple[str, ...]
    """PATH:LINE in the base of every deleted or changed line, as `measure run --drop` takes it."""
    places: tuple[Candidate, ...]
    """The same lines with what became of them, and how each is asked for in a workspace at the head."""
    notes: tuple[str, ...]


class BriefDocument(Document):
    """`measure brief`."""

    briefs: tuple[Brief, ...]


class ReviewDocument(Document):
    """`measure review`."""

    runs: tuple[ReviewEntry, ...]
    markdown: str


class SurfaceUnit(Part):
    """One addressable unit of a file."""

    address: str
    kind: UnitKind
    owner: str
    loading: Loading
    why: str
    line: int
    start: int
    end: int
    lines: int
    tokens: int


class SurfaceFileEntry(Part):
    """One file and its units; the whole file comes first."""

    path: str
    role: str
    units: tuple[SurfaceUnit, ...]
    same_as: str | None
    """The path of the file that this one is too, by a link; a client loads it once."""


class SurfaceDocument(Document):
    """`measure surface`."""

    tokens: str
    """How tokens are counted."""
    files: tuple[SurfaceFileEntry, ...]


class SurfaceFinding(Part):
    """One thing that is wrong with a format."""

    path: str
    line: int
    rule: str
    severity: SurfaceSeverity
    message: str
    fix: str


class SurfaceCheckDocument(Document):
    """`measure surface check`."""

    checked: int
    findings: tuple[SurfaceFinding, ...]


class Rewritten(Part):
    """One file that was, or would be, rewritten."""

    path: str
    changed: bool
    refused: tuple[str, ...]


class RewriteDocument(Document):
    """`measure surface wrap` and `unwrap`."""

    checked_only: bool
    files: tuple[Rewritten, ...]


class TriggerCount(Part):
    """How many trigger conditions a skill has; None with the reason where they can't be counted."""

    count: int | None
    reason: str | None


class TriggersDocument(RootModel[dict[str, TriggerCount]]):
    """`measure surface triggers`: by the skill's name."""


class SyncDocument(Document):
    """`measure surface sync`."""

    branch: Branch
    written: bool
    was: str | None
    now: str | None
    edited: bool


class ProfileDocument(Document):
    """`measure surface profile`."""

    path: str
    base: str | None
    fields: dict[str, Any]
    body: str


class MountEntry(Part):
    """What the boot profile says of a mount."""

    line: int
    owner: str
    carries: str
    read_when: str


class Mount(Part):
    """One mounted layer."""

    name: str
    owner: str
    entry: MountEntry | None


class MountProblem(Part):
    """Where manifest and boot profile disagree."""

    path: str
    line: int
    message: str
    fix: str


class MountsDocument(Document):
    """`measure surface mounts`."""

    boot_profile: str
    mounts: tuple[Mount, ...]
    problems: tuple[MountProblem, ...]


class ErrorText(Part):
    """What went wrong."""

    kind: str
    """A stable name; the exit status follows from it."""
    message: str
    hint: str | None


class ErrorDocument(Part):
    """Any command that failed before it had a result."""

    error: ErrorText


DOCUMENTS: dict[str, tuple[type[BaseModel], ...]] = {
    "band": (RunsDocument, PlansDocument),
    "brief": (BriefDocument,),
    "compare": (Comparison,),
    "context": (Inventory,),
    "doctor": (DoctorDocument,),
    "error": (ErrorDocument,),
    "gate": (GateDocument,),
    "judge": (Judgement,),
    "probe check": (ProbeCheckDocument,),
    "probe new": (FilesDocument,),
    "report": (ReportDocument,),
    "resume": (RunsDocument,),
    "review": (ReviewDocument,),
    "run": (RunsDocument, PlansDocument),
    "runs": (ListDocument,),
    "show": (RunRecord,),
    "surface": (SurfaceDocument,),
    "surface check": (SurfaceCheckDocument,),
    "surface mounts": (MountsDocument,),
    "surface profile": (ProfileDocument,),
    "surface sync": (SyncDocument,),
    "surface triggers": (TriggersDocument,),
    "surface unwrap": (RewriteDocument,),
    "surface wrap": (RewriteDocument,),
    "unmeasured": (RunsDocument,),
}
"""By command; `error` is what any of them prints instead when it fails."""
