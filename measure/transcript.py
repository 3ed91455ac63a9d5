"""What one trial said and did, in the form the judge reads.

Invariant: nothing here tells which arm was launched. Paths of the arm are masked before a `Transcript` is made, and
no field carries a place, a time or an identity.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class ToolUse:
    """One tool call of the main agent: its name and its input as sent by the model."""

    id: str
    name: str
    input: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What came back to the agent for one tool call, as text."""

    tool_use_id: str
    text: str
    is_error: bool


@dataclass(frozen=True, slots=True)
class Transcript:
    """One trial, arm-blind.

    `texts` holds the text of each assistant message of the main loop, in order; `answer` is what counts as the final
    answer and `answer_source` says whether it came from the result event or had to be taken from the last
    assistant message with text.
    """

    answer: str
    answer_source: Literal["result", "assistant_text"] = "result"
    texts: tuple[str, ...] = ()
    tool_uses: tuple[ToolUse, ...] = ()
    tool_results: tuple[ToolResult, ...] = ()
    permission_denials: tuple[str, ...] = field(default=())
    """Names of tools whose use was denied."""
