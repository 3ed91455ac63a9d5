"""What a run leaves behind, as immutable values.

Invariant: a record is one of two kinds, `measured` or `unmeasured`, and neither can be read as the other. Everything
needed to judge again without launching again is in it or in the transcripts beside it, and nothing secret is.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from measure.client.base import Condition
from measure.client.trial import Reason, Usage
from measure.context.constraint import Constraint
from measure.context.proof import Proof
from measure.judge.reading import Reading
from measure.probe.model import Probe
from measure.verdict.band import Band
from measure.verdict.parameters import Parameters
from measure.verdict.result import Decision
from measure.verdict.vocabulary import Unmeasured

SCHEMA_VERSION = 1
"""1: first published form."""


class Arm(StrEnum):
    """The two clones of the surface."""

    BASELINE = "baseline"
    VARIANT = "variant"


class Stored(BaseModel):
    """Base of everything that is written to disk: frozen, closed, and readable by a newer program."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def place_of(file: str, line: int, before: str) -> str:
    """The name of a contrast: its file and the lines that are exchanged, `before` being their text."""
    last = line + before.removesuffix("\n").count("\n")
    return f"{file}:{line}" if last == line else f"{file}:{line}-{last}"


class ContrastRecord(Stored):
    """The one edit, byte for byte."""

    kind: Literal["drop", "replace", "add"]
    file: str
    line: int
    """Line number, from 1, in the arm that has the line."""
    start: int
    end: int
    """Half-open byte range of the workspace's file that was changed."""
    before: str
    after: str
    """The changed bytes, decoded as UTF-8 (a target file that is no valid UTF-8 is refused)."""
    text: str | None = None
    """What content answers are compared with: the line, or the whole unit where the contrast is larger."""
    with_arm: Arm
    """Which arm has the line."""
    context_before: tuple[str, ...] = ()
    context_after: tuple[str, ...] = ()
    """Neighbouring lines, for people."""
    file_digest_baseline: str
    file_digest_variant: str
    notices: tuple[str, ...] = ()

    @property
    def place(self) -> str:
        """`FILE:LINE`, or `FILE:FROM-TO` where several lines are dropped or replaced."""
        return place_of(self.file, self.line, self.before)


class SurfaceRecord(Stored):
    """What went into the arms and what did not."""

    workspace: str
    """The workspace's path with the home directory masked."""
    digest: str
    files: int
    bytes: int
    settings_removed: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    includes: tuple[str, ...] = ()


class ProbeRecord(Stored):
    """A probe as it was put, whole, so that a reworded claim shows."""

    probe: Probe
    source: str
    """The probe file's path, with the home directory masked."""
    digest: str
    """sha256 of the probe file's bytes."""


class Scope(Stored):
    """What the verdict can speak for."""

    probes_measured: int
    probes_given: int
    selection: str
    """How the measured probes were chosen from those given."""
    unmeasured: tuple[str, ...] = ()
    """What is left unmeasured, in words."""


class Design(Stored):
    """How many launches, in which order, and when to stop; fixed before the first launch."""

    parameters: Parameters
    seed: int
    jobs: int
    max_launches: int | None = None
    budget_usd: float | None = None
    retries: int = 2
    jobs_at_first: int | None = None
    """Launches at once when the run begins, growing to `jobs` while none is refused; None: `jobs` from the start."""
    settle: Literal["alone", "together"] = "alone"
    """When a line that is measured together with others is settled: once its verdict stands for itself, or once it
    also stands when all of them are counted."""
    patience_s: float = 0.0
    """Seconds that refusals for coming too fast are waited out, over the whole session; such a launch is made again
    without using up `retries`."""


class BandUsed(Stored):
    """A noise band and the run that measured it."""

    run_id: str
    band: Band


class Plan(Stored):
    """All that is known and fixed before the first launch; written first."""

    schema_: Annotated[int, Field(alias="schema")] = SCHEMA_VERSION
    run_id: str
    created: datetime
    measure_version: str
    condition: Condition
    contrast: ContrastRecord
    surface: SurfaceRecord
    probes: tuple[ProbeRecord, ...]
    scope: Scope
    design: Design
    judge_version: str
    constraint: Constraint | None = None
    """What stands at the head of every prompt; None in records of programs that put nothing there."""
    leaks_version: str | None = None
    """Version of the rules by which trials were searched for words that came back; None: they were not searched."""
    proof: Proof | None = None
    """What the two arms' requests were seen to differ in before anything was spent; None where the client sends none
    (the simulated agent), and in records of programs that did not look."""
    purpose: Literal["contrast", "band"] = "contrast"
    """`band`: both arms stood as the workspace stands, to measure the noise of this condition."""
    bands: tuple[BandUsed, ...] = ()
    """The noise bands that were known for exactly this condition when the run began."""
    client_asked: str = "claude"
    """The client as it was asked for: `claude`, `simulated`, or a path with the home directory masked."""
    agent: str | None = None
    """The file of the simulated agent's dispositions, with the home directory masked."""
    suite: str | None = None
    """The contrast's name in a suite, where the run came from one."""
    together: tuple[str, ...] = ()
    """Ids of all runs of the family that this one was declared in, itself among them: their contrasts are measured
    together and share launches in the baseline. Empty for a contrast that is measured by itself."""

    @property
    def probe_ids(self) -> tuple[str, ...]:
        """Ids in the order in which the probes were given."""
        return tuple(entry.probe.id for entry in self.probes)


class InvalidRecord(Stored):
    """Why a launch does not count, with what the client printed last."""

    reason: Reason
    detail: str
    acted: bool = False
    resets_at: datetime | None = None
    stdout_tail: str = ""
    stderr_tail: str = ""


class TrialRecord(Stored):
    """One launch: one line of `trials.jsonl`. Exactly one of `reading` and `invalid` is set."""

    id: str
    """Unique in the run: block, member and attempt."""
    block: int
    """Sequence number of the pair, fixed when it was scheduled: the canonical order of the statistics."""
    round: int
    probe: str
    arm: Arm
    member: int
    """Place among the launches of the block, from 0; of two, the first and the second of the pair."""
    attempt: int
    """From 1; a later attempt replaces an earlier one of the same block and arm."""
    position: int
    """Running number of this launch in the order in which launches were started, from 1; contrasts that were measured
    together are numbered together."""
    led: bool = False
    """It went alone, before others could find the start of its request in the model's cache: what it cost is no
    measure of what its arm costs."""
    serves: int = 1
    """So many contrasts read this one launch, each in a record of its own."""
    counted_in: str | None = None
    """The run whose record counts this launch and its price, where that is not this one."""
    topup: bool = False
    """The pair was bought for one suspicious probe, outside the balanced rounds."""
    order: tuple[str, ...]
    """Option ids in the order of their letters; equal within a pair."""
    seed: int
    started_at: datetime
    wall_s: float
    reading: Reading | None = None
    invalid: InvalidRecord | None = None
    answer: str | None = None
    answer_source: str | None = None
    usage: Usage
    model_answered: str | None = None
    client_version: str | None = None
    turns: int | None = None
    exit_code: int | None = None
    flags: tuple[str, ...] = ()
    transcript: str | None = None
    """File name below `transcripts/`."""
    transcript_digest: str | None = None


class Session(Stored):
    """One stretch of launching: the first, or a later one of `measure resume`."""

    started: datetime
    measure_version: str
    max_rounds: int
    """The most rounds as they stood in this session; more than in the one before: the run was extended after looking,
    which the evidence allows at any time."""
    max_launches: int | None = None
    """The limits of this session, where they were raised: launches of the whole run, and US dollars."""
    budget_usd: float | None = None
    trials_before: int
    """Launches recorded when it began."""
    launches_elsewhere: int = 0
    """Launches, and US dollars, that the same limits were used for by other contrasts of the command before."""
    usd_elsewhere: float = 0.0


SHORT = "short"
"""The stop of a line whose verdict stands for itself, and with its rounds used up not with all lines counted."""
FINAL_STOPS = frozenset({"settled", "cap", SHORT, "repeats-done", "invalid"})
"""Stops after which nothing of the plan is left to do."""


class Stop(Stored):
    """Why no further pair was launched."""

    reason: str
    """`settled`, `cap`, `short`, `repeats-done`, `invalid` (the stopping rule's words), or `budget`, `launches`,
    `failing`, `rate-limit`, `lock-lost`, `interrupted`; of a run that was not begun, why (`no-agent`,
    `tree-being-edited`)."""
    detail: str = ""
    last_block: int | None = None
    """Where the question was settled: the verdict reads the pairs up to this number. Those that were still under way
    then are recorded and not counted, since no look may depend on which launches finish late."""
    not_launched: int = 0
    """Launches that the plan allowed at most and that were not made."""
    resets_at: datetime | None = None


class Measured(Stored):
    """The run gave at least one valid pair."""

    status: Literal["measured"] = "measured"
    decision: Decision


class NoiseBand(Stored):
    """Two identical arms were measured: the spread of an arm against itself, per axis. Says nothing about a line."""

    status: Literal["band"] = "band"
    bands: Annotated[tuple[Band, ...], Field(min_length=1)]


Result = Annotated[Measured | NoiseBand | Unmeasured, Field(discriminator="status")]
"""Was anything measured? `measured` carries what it showed, `band` the noise, `unmeasured` why nothing was."""


class Spending(Stored):
    """What the run used, summed over every launch that was made and is counted here."""

    launches: int
    shared: int = 0
    """Launches that this run reads as well, and that are counted in another run's record."""
    cost_usd: float | None
    """As the client reported it; None where it reported nothing."""
    input_tokens: int
    output_tokens: int
    cache_creation_input_tokens: int
    cache_read_input_tokens: int
    wall_s: float
    """Seconds of wall clock from the first start to the last end, summed over sessions."""


class Amount(Stored):
    """How much a change adds and takes away."""

    added: int
    deleted: int


class Change(Stored):
    """The change that a measurement is about, and whether it meets the firing condition."""

    base: str
    head: str
    """Object ids of the commits."""
    governed: tuple[str, ...]
    """Patterns of the paths that were counted."""
    fired: bool
    by: tuple[Literal["lines", "bytes"], ...]
    """In which of the two more was deleted than added; either one fires."""
    lines: Amount
    bytes: Amount
    """Bytes of the counted lines, with their line ends."""
    paths: tuple[str, ...]
    """Governed files that differ."""


class RunRecord(Stored):
    """`record.json`: the whole run. A pure function of the plan and the trials."""

    schema_: Annotated[int, Field(alias="schema")] = SCHEMA_VERSION
    run_id: str
    created: datetime
    complete: bool
    """False: the run ended before its plan did (a signal, a limit, failures) and `measure resume` can complete it."""
    plan: Plan | None
    """None only where nothing could be planned (no usable client, say)."""
    subject: str | None = None
    """What was to be measured, in words, where there is no plan."""
    change: Change | None = None
    """The change that was not measured, where one was named."""
    result: Result
    stop: Stop | None
    sessions: tuple[Session, ...] = ()
    spending: Spending
    trials: tuple[TrialRecord, ...]
    set_aside: int = 0
    """Torn lines of the journal that were not read."""
    warnings: tuple[str, ...] = ()
    """What a reader should know before trusting the verdict."""
    workspace_changed: bool = False
    """The workspace was not the same afterwards; the arms are copies, and the verdict is about it as it was before."""
    at_odds: tuple[str, ...] = ()
    """What in the record does not go together: its verdict with its trials, or either with the files beside it. Found
    anew each time the record is read; empty on disk."""
