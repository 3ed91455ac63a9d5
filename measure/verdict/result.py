"""What `decide` returns: models that can be stored as they are and say for what they hold.

Invariant: verdicts are per probe and per axis and never mixed over axes; every number that a sentence to a person
needs stands here, so a report never computes statistics of its own.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from measure.probe.model import Axis
from measure.verdict.finding import Finding
from measure.verdict.parameters import Parameters
from measure.verdict.vocabulary import Verdict, status_of

SCHEMA_VERSION = 1
"""1: first published form."""

Signed = Annotated[float, Field(ge=-1, le=1)]
Whole = Annotated[int, Field(ge=0)]


class _Frozen(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Interval(_Frozen):
    """Two ends of a shift (with minus without)."""

    low: Signed
    high: Signed


class Effect(_Frozen):
    """The shift of the asked-for category, share with the line minus share without."""

    point: Signed
    """Mean over the probes of the observed shift."""
    interval: Interval
    """Anytime-valid; ends at ±0.99 mean "up to 1"."""
    common_shift: bool
    """True over several probes: the interval reads as a shift they share."""


class Counts(_Frozen):
    """Answers per category and arm; launches without a valid answer stand in `invalid_*` and nowhere else."""

    with_: dict[str, Whole]
    without: dict[str, Whole]
    invalid_with: Whole
    invalid_without: Whole


class ProbeResult(_Frozen):
    """One probe."""

    id: str
    axis: Axis
    verdict: Verdict
    counts: Counts
    pairs: Whole
    """All pairs whose launches have ended."""
    complete: Whole
    """Pairs with an answer in both arms (void pairs are not among them)."""
    damaged: Whole
    void: Whole
    log_e: float
    """Evidence of this probe alone that its arms differ; natural logarithm."""
    effect: Effect | None
    """None without a complete pair."""
    excluded: Interval | None
    """Shifts outside are excluded, each side at the level of the run, from complete rounds with the worst value for
    damaged pairs; None before the first complete round. -1 and 1: nothing is excluded on that side."""


class Evidence(_Frozen):
    """Natural logarithms of e-values of one axis."""

    pool: float
    product: float
    line: float
    """Average of both; against "equal in every probe"."""
    deciding: float
    """`line`, or less where a void probe was set aside."""
    intended: float
    """`line` with an invalid launch as an outcome of its own; needs no assumption about missing answers."""
    zero: float | None
    """Least e-value for a zero-difference; None before the first complete round."""


class Damage(_Frozen):
    """What is missing and what that could change."""

    pairs: Whole
    share: Annotated[float, Field(ge=0, le=1)]
    log_e_failing: float
    """Evidence over the whole run that launches fail more often in one arm."""
    robust: bool | None
    """Whether the difference holds whatever the missing answers were; None where no difference is in question."""
    shift: Interval | None
    """Mean observed shift if the missing answers could have been anything; None while a probe has no pair."""


class Steadiness(_Frozen):
    """How often an arm differed from itself in two successive rounds of this very run, both arms together."""

    flips: Whole
    of: Whole
    rate: Interval | None
    """Exact 95 % interval of the share; None without two rounds."""


class Settling(_Frozen):
    """One way in which an open question would be settled: so many more pairs, if they come out as assumed."""

    verdict: Literal["zero-difference", "difference", "to-stage-2"]
    assuming: Literal["identical", "as-so-far"]
    pairs: Annotated[int, Field(ge=1)]
    launches: Annotated[int, Field(ge=2)]
    rounds: Annotated[int, Field(ge=1)]
    """Rounds in all after which it would be settled: what to extend the cap to."""


class AxisResult(_Frozen):
    """One axis over its probes."""

    axis: Axis
    verdict: Verdict
    probes: tuple[str, ...]
    """Probes the verdict speaks for."""
    void: tuple[str, ...] = ()
    """Probes set aside because they leaked."""
    differing: tuple[str, ...] = ()
    """Probes that differ on their own, named by e-BH; can be empty while the axis differs."""
    pairs: Whole
    complete: Whole
    rounds: Whole
    """Complete rounds."""
    identical: Whole
    """Complete pairs with the same outcome in both arms."""
    evidence: Evidence
    effect: Effect | None
    excluded: Interval | None
    """Mean shifts outside are excluded; see `ProbeResult.excluded`."""
    damage: Damage
    steadiness: Steadiness
    band: str | None = None
    """The run whose noise band this verdict stood on; None: there was none."""
    settling: tuple[Settling, ...] = ()
    """Ways to settle it, where it is open."""


class Decision(_Frozen):
    """Everything the statistics say about one contrast."""

    schema_version: Literal[1] = 1
    stage: Literal[1, 2]
    parameters: Parameters
    finding: Finding
    axes: tuple[AxisResult, ...]
    probes: tuple[ProbeResult, ...]

    @model_validator(mode="after")
    def _finding_is_of_these_axes(self) -> Self:
        status = {result.axis: status_of(result.verdict) for result in self.axes}
        read = Finding.of(self.stage, status.get(Axis.BEHAVIOR), status.get(Axis.CONTENT))
        if read != self.finding:
            raise ValueError(f"the axes give the finding {read.kind}, not {self.finding.kind}")
        return self

    def axis(self, axis: Axis) -> AxisResult | None:
        """The result of one axis, None where no probe was put on it."""
        return next((result for result in self.axes if result.axis is axis), None)
