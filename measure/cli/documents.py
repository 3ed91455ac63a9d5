"""The JSON document that each command prints with `--json`, as models; the published schemas are made from them.

Invariant: within a minor version a field is neither taken out nor given another meaning; new ones may come. Whatever
reads these documents has to pass over fields it does not know.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from measure.gate.candidates import Candidate
from measure.record.models import Change


class Document(BaseModel):
    """Base of what a command prints."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    schema_: Annotated[int, Field(alias="schema")] = 1


class GateDocument(Change):
    """`measure gate`."""

    schema_: Annotated[int, Field(alias="schema")] = 1
    candidates: tuple[str, ...]
    """PATH:LINE in the base of every deleted or changed line, as `measure run --drop` takes it."""
    places: tuple[Candidate, ...]
    """The same lines with what became of them, and how each is asked for in a workspace at the head."""
    notes: tuple[str, ...]
