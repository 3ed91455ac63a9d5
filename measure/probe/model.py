"""The probe: one question, on one axis, derived from one claim that was fixed beforehand.

Invariant: a `Probe` that exists is complete and can be put as it stands; every rule that makes a file unusable is
checked while it is built. Rules of good form, which make a probe weak but not unusable, live in `measure.probe.lint`.
"""

from __future__ import annotations

import unicodedata
from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

SCHEMA_VERSION = 1
"""1: first published form."""

PROMPT_LIMIT = 1_000_000
"""Largest prompt in bytes of UTF-8. The client takes some megabytes on stdin; this stays well inside."""


ID_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"


def broken_rule(key: str, words: str) -> PydanticCustomError:
    """A rule that a file breaks at `key` (relative to the table being checked), in words for the person."""
    return PydanticCustomError("rule", "{words}", {"words": words, "key": key})


def visible(text: str) -> bool:
    """Whether at least one character of `text` leaves ink: neither white space nor control nor format character."""
    return any(not char.isspace() and unicodedata.category(char) not in {"Cc", "Cf"} for char in text)


def _written(text: str) -> str:
    if "\0" in text:
        raise broken_rule("", "holds a NUL character; take it out")
    if not visible(text):
        raise broken_rule("", "holds nothing but white space; write the text")
    return text


def _can_be_put(prompt: str) -> str:
    if prompt.startswith("/"):
        raise broken_rule(
            "", "starts with '/', which the client takes for a slash command and never sends; begin with a word"
        )
    size = len(prompt.encode())
    if size > PROMPT_LIMIT:
        raise broken_rule("", f"has {size:,} bytes; at most {PROMPT_LIMIT:,} can be put")
    return prompt


def _one_line(text: str) -> str:
    if "\n" in text or "\r" in text:
        raise broken_rule("", "holds a line break; name exactly one line, without its line end")
    return text


def _no_look_alike(value: object) -> object:
    # Python holds True and 1.0 for equal to 1; the file format does not.
    if type(value) is not int:
        raise PydanticCustomError("int_type", "not a whole number")
    return value


Identifier = Annotated[str, StringConstraints(pattern=ID_PATTERN)]
NonEmpty = Annotated[str, StringConstraints(min_length=1)]
Written = Annotated[NonEmpty, AfterValidator(_written)]
Prompt = Annotated[Written, AfterValidator(_can_be_put)]
Line = Annotated[str, AfterValidator(_one_line)]
SchemaVersion = Annotated[Literal[1], BeforeValidator(_no_look_alike)]


class Axis(StrEnum):
    """Which of the two questions is asked: what does the text say, or what does the agent do."""

    CONTENT = "content"
    BEHAVIOR = "behavior"


class Strict(BaseModel):
    """A table of one of the project's own TOML files: unknown keys are errors, nothing is converted.

    A field's description completes the sentence "expected …" in error messages.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Target(Strict):
    """Where the one edit goes: a file of the workspace and one line in it.

    The line is named by its exact text (`line`, without its line end) or by its number (`line_number`, from 1).
    Without `replace_with` or `add` the line is dropped. `add` puts new text after the named line, or at the end of
    the file where none is named.
    """

    file: Written = Field(description="the path of a file, relative to the workspace")
    line: Line | None = Field(None, description="the line's exact text, without its line end")
    line_number: Annotated[int, Field(ge=1)] | None = Field(None, description="the line's number, counted from 1")
    replace_with: str | None = Field(None, description="the text that takes the line's place")
    add: str | None = Field(None, description="the text to add after the line")

    @model_validator(mode="after")
    def _one_edit(self) -> Self:
        if self.line is not None and self.line_number is not None:
            raise broken_rule("line_number", "give either 'line' or 'line_number', not both")
        if self.replace_with is not None and self.add is not None:
            raise broken_rule("add", "give either 'replace_with' or 'add', not both")
        if self.add is None and self.line is None and self.line_number is None:
            raise broken_rule("line", "missing; name the line by 'line' (its exact text) or by 'line_number'")
        return self


class Option(Strict):
    """One action a behaviour probe offers. Exactly one option of a probe is `asked_for` by the line."""

    id: Identifier = Field(description="a short name of letters, digits, '.', '_' and '-', at most 64")
    text: Written = Field(description="the action as the agent is to read it, as a string")
    asked_for: bool = Field(False, description="true or false: whether this is what the line asks for")


class Probe(Strict):
    """One question put to both arms."""

    schema_: SchemaVersion = Field(alias="schema", description="the number 1")
    id: Identifier = Field(description="a short name of letters, digits, '.', '_' and '-', at most 64")
    axis: Annotated[Axis, Field(strict=False)] = Field(description='"content" or "behavior"')
    claim: Written = Field(description="one sentence: what the line changes at the moment it applies")
    prompt: Prompt = Field(description="the text that is put to the agent, as a string")
    reached: Literal["launch", "on-demand"] = Field(
        "launch",
        description='"launch", or "on-demand" for a text that comes in only when the agent reaches for it',
    )
    target: Target | None = Field(None, description="a table [target] that names the file and the line")
    options: tuple[Option, ...] = Field(
        default=(), strict=False, description="tables [[options]], each with id and text, one with asked_for = true"
    )

    @model_validator(mode="after")
    def _options_fit_the_axis(self) -> Self:
        if self.axis is Axis.CONTENT:
            if self.options:
                raise broken_rule("options", "belong to behavior probes; a content probe is answered in words")
            return self
        if len(self.options) < 2:
            raise broken_rule(
                "options", f"a behavior probe needs at least two [[options]] to choose from, found {len(self.options)}"
            )
        if len(self.options) > 26:
            raise broken_rule("options", f"at most 26 options have a letter, found {len(self.options)}")
        seen: dict[str, int] = {}
        for index, option in enumerate(self.options):
            if option.id in seen:
                raise broken_rule(f"options[{index}].id", f'"{option.id}" is also the id of options[{seen[option.id]}]')
            seen[option.id] = index
        asked_for = sum(option.asked_for for option in self.options)
        if asked_for != 1:
            raise broken_rule(
                "options", f"exactly one option is what the line asks for (asked_for = true), found {asked_for}"
            )
        return self

    @property
    def asked_for(self) -> str | None:
        """The id of the option the line asks for; None on the content axis."""
        return next((option.id for option in self.options if option.asked_for), None)
