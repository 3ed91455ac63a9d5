"""What the model says. An answer is a value: the same answer to the same request is the same message, byte for byte.

Texts may point into the request they answer:

- `{letter of TEXT}` becomes the letter in front of the option `TEXT`, from a line such as `B) TEXT`;
- `{line with TEXT}` becomes the whole line that holds `TEXT`, wherever the client put it.

Everything else between braces is left alone. What is pointed at and not there is a mistake in the script, and loud.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from tests.doubles.messages_api.request import Json, Request

_POINTER = re.compile(r"\{(letter of|line with) ([^{}]+)\}")
_OPTION = re.compile(r"^\s*([A-Z])\)\s+(.*?)\s*$")


class ScriptError(AssertionError):
    """The script asks for something that the request does not hold: a mistake in the test, never a model's answer."""


@dataclass(frozen=True, slots=True)
class Text:
    """Visible text; pointers are resolved against the request."""

    text: str

    def block(self, request: Request, index: int) -> Json:
        return {"type": "text", "text": resolved(self.text, request)}


@dataclass(frozen=True, slots=True)
class Thinking:
    """A thinking block, as models send it before the visible answer."""

    text: str
    signature: str = "c2lnbmF0dXJl"

    def block(self, request: Request, index: int) -> Json:
        return {"type": "thinking", "thinking": resolved(self.text, request), "signature": self.signature}


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A call of one of the client's tools."""

    name: str
    input: Json

    def block(self, request: Request, index: int) -> Json:
        use_id = f"toolu_{request.number:04d}_{index:02d}"
        return {"type": "tool_use", "id": use_id, "name": self.name, "input": self.input}


Block: TypeAlias = Text | Thinking | ToolUse


@dataclass(frozen=True, slots=True)
class Answer:
    """Blocks in order, why the model stopped (None: worked out from the blocks), and the model it answers as."""

    blocks: tuple[Block, ...]
    stop_reason: str | None = None
    stop_sequence: str | None = None
    model: str | None = None
    """Answers as this model instead of the one that was asked for."""

    def stopped_because(self) -> str:
        if self.stop_reason is not None:
            return self.stop_reason
        return "tool_use" if any(isinstance(block, ToolUse) for block in self.blocks) else "end_turn"

    def but(self, **changes: object) -> Answer:
        """The same answer with other fields."""
        return replace(self, **changes)  # type: ignore[arg-type]


Says: TypeAlias = Answer | Block | Sequence[Block]


def answer(says: Says) -> Answer:
    """An answer from the short forms a script is written in: one block, or several."""
    if isinstance(says, Answer):
        return says
    if isinstance(says, Text | Thinking | ToolUse):
        return Answer((says,))
    return Answer(tuple(says))


@dataclass(frozen=True, slots=True)
class Turns:
    """One answer per turn of a conversation: the first before any tool was used, the last for all turns beyond."""

    answers: tuple[Says, ...]

    def __init__(self, *answers: Says) -> None:
        object.__setattr__(self, "answers", answers)

    def at(self, request: Request) -> Answer:
        return answer(self.answers[min(request.turn, len(self.answers) - 1)])


def resolved(text: str, request: Request) -> str:
    """`text` with its pointers replaced by what the request holds. Raises ScriptError where it does not hold it."""

    def found(pointer: re.Match[str]) -> str:
        wanted = pointer[2].strip()
        return letter_of(wanted, request) if pointer[1] == "letter of" else line_with(wanted, request)

    return _POINTER.sub(found, text)


def letter_of(option: str, request: Request) -> str:
    """The letter in front of an option's text; the last such line wins, since the question comes last."""
    lines = request.instructions.splitlines()
    options = [match for line in lines if (match := _OPTION.match(line))]
    for match in reversed(options):
        if match[2] == option:
            return match[1]
    raise ScriptError(f"no option {option!r} in the request; it lists {[match[0].strip() for match in options]}")


def line_with(needle: str, request: Request) -> str:
    """The first line that holds `needle`, without the blanks around it."""
    for line in request.text.splitlines():
        if needle in line:
            return line.strip()
    raise ScriptError(f"no line with {needle!r} in the request")
