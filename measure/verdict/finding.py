"""What the two axes say together about the contrast.

Invariant: behaviour decides. Content alone licenses nothing, and a zero of stage 1 only sends the line on to stage 2.
A `Finding` that contradicts its own statuses can't be held, so no code path can write one.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, model_validator

from measure.verdict.vocabulary import Status

MEASURED = frozenset({Status.UNDECIDED, Status.ZERO_DIFFERENCE, Status.TO_STAGE_2, Status.DIFFERENCE})


class FindingKind(StrEnum):
    """The seven findings of a contrast."""

    LOAD_BEARING = "load-bearing"
    """Behaviour differs: the arm without the line lost (or gained) conduct."""
    RESTATEMENT = "restatement"
    """The text is known only from this line, the conduct is held elsewhere as well."""
    REDUNDANT = "redundant"
    """Behaviour does not differ by the margin, and no difference of content is shown."""
    UNDECIDED = "undecided"
    INVALID = "invalid"
    UNMEASURED = "unmeasured"
    TO_STAGE_2 = "to-stage-2"
    """A zero of the cheap screen: settles nothing, two cloned workspaces have to decide."""


def kind_of(stage: Literal[1, 2], behavior: Status | None, content: Status | None) -> FindingKind:
    """The finding for the statuses of both axes; None where no probe was put on an axis."""
    if behavior is Status.DIFFERENCE:
        return FindingKind.LOAD_BEARING
    if Status.TO_STAGE_2 in (behavior, content) and stage != 1:
        raise ValueError("only a screen sends a line on to stage 2")
    if Status.ZERO_DIFFERENCE in (behavior, content) and stage == 1:
        raise ValueError("a screen can't show a zero-difference")
    if behavior is Status.TO_STAGE_2:
        return FindingKind.TO_STAGE_2
    if behavior is Status.ZERO_DIFFERENCE:
        return FindingKind.RESTATEMENT if content is Status.DIFFERENCE else FindingKind.REDUNDANT
    if behavior is Status.UNDECIDED:
        return FindingKind.UNDECIDED
    if behavior is Status.INVALID:
        return FindingKind.INVALID
    # Behaviour was not measured. Whatever content shows, it can't stand in for it.
    if content is Status.TO_STAGE_2:
        return FindingKind.TO_STAGE_2
    if content in MEASURED:
        return FindingKind.UNDECIDED
    return FindingKind.INVALID if content is Status.INVALID else FindingKind.UNMEASURED


class Finding(BaseModel):
    """The finding of one contrast with what it was read from."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    kind: FindingKind
    stage: Literal[1, 2]
    behavior: Status | None
    """None: no behaviour probe was put."""
    content: Status | None
    """None: no content probe was put."""

    @model_validator(mode="after")
    def _follows_from_the_axes(self) -> Self:
        expected = kind_of(self.stage, self.behavior, self.content)
        if self.kind is not expected:
            raise ValueError(f"the axes give the finding {expected}, not {self.kind}")
        return self

    @classmethod
    def of(cls, stage: Literal[1, 2], behavior: Status | None, content: Status | None) -> Finding:
        """Read both axes together."""
        return cls(kind=kind_of(stage, behavior, content), stage=stage, behavior=behavior, content=content)

    @property
    def licenses(self) -> Literal["keep", "drop"] | None:
        """What the finding gives grounds for, for the probes put; None for everything that settles nothing."""
        if self.kind is FindingKind.LOAD_BEARING:
            return "keep"
        if self.kind in (FindingKind.RESTATEMENT, FindingKind.REDUNDANT):
            return "drop"
        return None
