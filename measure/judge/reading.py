"""What the judge read from one trial: the outcome and, in its own column, a report of a missing provision.

Invariant: a reading holds no arm, no place and no chance letter; an answer that can't be read is its own kind.
"""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, ConfigDict


class Kind(StrEnum):
    """Outcomes of both axes. Never extended silently: a new member is a new judge version."""

    QUOTED = "quoted"
    """Content: the line stands verbatim in the answer."""
    NO_PROVISION = "no-provision"
    """Content: the answer says that nothing is provided."""
    NEITHER = "neither"
    """Content: an answer that neither quotes the line nor denies it."""
    OPTION = "option"
    """Behaviour: exactly one option was decided on."""
    SEVERAL = "several"
    """Behaviour: more than one option was decided on."""
    NONE = "none"
    """Behaviour: the agent decided on none of the options and said so."""
    HEDGED = "hedged"
    """Behaviour: an option under a condition, or a refusal to commit between some."""
    UNREADABLE = "unreadable"
    """Behaviour: no decision can be found. Content: the line holds no words that an answer could quote."""
    REFUSED = "refused"
    """Either axis: the model declined to answer, or said that it can't tell; the note tells the two apart."""
    VOID = "void"
    """Behaviour: only a report that nothing is provided; the probe leaked a body and has to be reworded."""


class Span(BaseModel):
    """A half-open range of characters in the answer that the judge relied on."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    start: int
    end: int


class Reading(BaseModel):
    """One outcome. `option` is set exactly when `kind` is `option`."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    kind: Kind
    option: str | None = None
    spans: tuple[Span, ...] = ()
    hole_report: Span | None = None
    """Where the answer says that the rules lack a provision, whatever else it says."""
    note: str | None = None
    """Why the reading is what it is, in a few words, where the kind alone does not say."""
