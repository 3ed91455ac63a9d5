"""The probe: one question, on one axis, derived from one claim that was fixed beforehand.

Invariant: a `Probe` that exists is complete; every rule that makes a file unusable is checked while it is built.
Rules of good form, which make a probe weak but not unusable, live in `measure.probe.lint`.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

SCHEMA_VERSION = 1
"""1: first published form."""

Identifier = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]
NonEmpty = Annotated[str, StringConstraints(min_length=1)]


class Axis(StrEnum):
    """Which of the two questions is asked: what does the text say, or what does the agent do."""

    CONTENT = "content"
    BEHAVIOR = "behavior"


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Target(_Strict):
    """Where the one edit goes: a file of the workspace and one line in it.

    The line is named by its exact text (`line`, without its line end) or by its number (`line_number`, from 1).
    Without `replace_with` or `add` the line is dropped. `add` puts new text after the named line, or at the end of
    the file where none is named.
    """

    file: NonEmpty
    line: str | None = None
    line_number: Annotated[int, Field(ge=1)] | None = None
    replace_with: str | None = None
    add: str | None = None

    @model_validator(mode="after")
    def _one_edit(self) -> Self:
        if self.line is not None and self.line_number is not None:
            raise ValueError("give either 'line' or 'line_number', not both")
        if self.replace_with is not None and self.add is not None:
            raise ValueError("give either 'replace_with' or 'add', not both")
        if self.add is None and self.line is None and self.line_number is None:
            raise ValueError("name the line by 'line' (its exact text) or 'line_number'")
        return self


class Option(_Strict):
    """One action a behaviour probe offers. Exactly one option of a probe is `asked_for` by the line."""

    id: Identifier
    text: NonEmpty
    asked_for: bool = False


class Probe(_Strict):
    """One question put to both arms."""

    schema_: Annotated[Literal[1], Field(alias="schema")]
    id: Identifier
    axis: Annotated[Axis, Field(strict=False)]
    claim: NonEmpty
    prompt: NonEmpty
    target: Target | None = None
    options: tuple[Option, ...] = Field(default=(), strict=False)

    @model_validator(mode="after")
    def _options_fit_the_axis(self) -> Self:
        if self.axis is Axis.CONTENT:
            if self.options:
                raise ValueError("'options' belong to behavior probes; a content probe is answered in words")
            return self
        if len(self.options) < 2:
            raise ValueError("a behavior probe needs at least two 'options'")
        if len(self.options) > 26:
            raise ValueError("a behavior probe can have at most 26 'options'")
        if len({option.id for option in self.options}) != len(self.options):
            raise ValueError("every option needs an 'id' of its own")
        if sum(option.asked_for for option in self.options) != 1:
            raise ValueError("exactly one option carries 'asked_for = true'")
        return self

    @property
    def asked_for(self) -> str | None:
        """The id of the option the line asks for; None on the content axis."""
        return next((option.id for option in self.options if option.asked_for), None)
