"""One request as the client sent it, in a form that can be compared, searched and counted.

Invariant: nothing is looked for by its position. Whatever text a body holds, in strings or blocks, in `system`,
`messages` of any role or `tools`, becomes a `Piece`; everything else is kept as plain values, so that two requests
with equal pieces and equal values are equal bodies but for what `MASKS` names.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from measure.client.masking import TEMP, WORKSPACE
from measure.errors import ClientError
from measure.surface.unit import estimate_tokens

MASKS_VERSION: Final = "masks-1"
MASKS: Final = (
    "metadata.user_id (device, account and session)",
    "the session id wherever else it stands",
    "the folder the agent stands in",
    "the launch's own folder for temporary files",
    "today's date",
)
"""All that may differ between two launches of the same arm, and is therefore taken out before bodies are compared.
A change here is a new version."""

_DATE: Final = re.compile(r"(?<=date is )\d{4}-\d{2}-\d{2}|(?<=date is now )\d{4}-\d{2}-\d{2}")
_SESSION: Final = re.compile(r'session_id"?\s*[:=_]\s*"?([0-9a-f-]{36})|_session_([0-9a-f-]{36})')


class Place(StrEnum):
    """Which part of a request a text stands in."""

    TOOLS = "tools"
    SYSTEM = "system"
    USER = "user message"
    ASSISTANT = "assistant message"


@dataclass(frozen=True, slots=True)
class Piece:
    """One text of a request. `where` names it, as in `messages[0].content[3].text`."""

    place: Place
    where: str
    text: str

    @property
    def tokens(self) -> int:
        """Estimated; see `measure.surface.unit.TOKENS_ARE`."""
        return estimate_tokens(self.text.encode("utf-8", "replace"))


@dataclass(frozen=True)
class Request:
    """A captured request with everything masked that `MASKS` names."""

    size: int
    """Bytes of the body as it was sent."""
    body: dict[str, Any]
    shows: tuple[Path, ...] = ()
    """Folders of the launch whose paths stand in the body."""

    @classmethod
    def read(cls, data: bytes, *, workspace: Path, temp: Path) -> Request:
        """Read a body. Raises `ClientError` for what is no JSON object."""
        try:
            body = json.loads(data)
        except (ValueError, RecursionError):
            body = None
        if not isinstance(body, dict):
            raise ClientError("the client sent a request that is no JSON object", hint="Is this client a new kind?")
        shows = tuple(path for path in (workspace, temp) if any(form.encode() in data for form in _forms(path)))
        return cls(len(data), _masked(body, workspace, temp), shows)

    @property
    def model(self) -> str:
        """The model the request asks for."""
        return str(self.body.get("model", ""))

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """Every text the model reads, in the order in which the model reads it: tools, system, messages."""
        return tuple(_pieces(self.body))

    @cached_property
    def digest(self) -> str:
        """SHA-256 in hex over the masked body."""
        return hashlib.sha256(json.dumps(self.body, ensure_ascii=True, sort_keys=True).encode()).hexdigest()

    @property
    def tokens(self) -> int:
        """Tokens of all pieces, estimated; see `measure.surface.unit.TOKENS_ARE`."""
        return sum(piece.tokens for piece in self.pieces)

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The whole body as lines: of texts each line without white space at its end, of other values `key=value`.

        Places are named without indices, so that a block that is gone does not make those after it differ.
        """
        return tuple(_lines(self.body, ""))


def _masked(body: dict[str, Any], workspace: Path, temp: Path) -> dict[str, Any]:
    metadata = body.get("metadata")
    user = metadata.get("user_id") if isinstance(metadata, dict) else None
    found = _SESSION.search(user) if isinstance(user, str) else None
    swaps = [(str(path), mark) for given, mark in ((workspace, WORKSPACE), (temp, TEMP)) for path in _forms(given)]
    swaps.sort(key=lambda swap: len(swap[0]), reverse=True)
    if found:
        swaps.append((found[1] or found[2], "<session>"))

    def mask(value: Any) -> Any:
        if isinstance(value, str):
            for literal, mark in swaps:
                value = value.replace(literal, mark)
            return _DATE.sub("<date>", value)
        if isinstance(value, dict):
            return {key: mask(inner) for key, inner in value.items()}
        return [mask(inner) for inner in value] if isinstance(value, list) else value

    masked: dict[str, Any] = mask(body)
    if isinstance(user, str):
        masked["metadata"] = {**masked["metadata"], "user_id": "<user>"}
    return masked


def _forms(path: Path) -> Iterator[str]:
    for form in dict.fromkeys((str(path), str(path.resolve()))):
        yield form
        # The client names folders of its own after the directory it was launched in.
        yield re.sub(r"[^A-Za-z0-9]", "-", form)


def _pieces(body: dict[str, Any]) -> Iterator[Piece]:
    for number, tool in enumerate(_list(body.get("tools"))):
        yield Piece(Place.TOOLS, f"tools[{number}]", json.dumps(_without_marks(tool), ensure_ascii=False))
    for where, text in _texts(body.get("system"), "system"):
        yield Piece(Place.SYSTEM, where, text)
    places = {"user": Place.USER, "assistant": Place.ASSISTANT}
    for number, message in enumerate(_list(body.get("messages"))):
        if isinstance(message, dict):
            place = places.get(str(message.get("role")), Place.SYSTEM)
            for where, text in _texts(message.get("content"), f"messages[{number}].content"):
                yield Piece(place, where, text)


def _texts(content: Any, where: str) -> Iterator[tuple[str, str]]:
    """Texts of a content: a string, or blocks, whose own content may again be either."""
    if isinstance(content, str):
        yield where, content
        return
    for number, block in enumerate(_list(content)):
        if isinstance(block, str):
            yield f"{where}[{number}]", block
        elif isinstance(block, dict):
            if isinstance(block.get("text"), str):
                yield f"{where}[{number}]", block["text"]
            yield from _texts(block.get("content"), f"{where}[{number}].content")


def _without_marks(tool: Any) -> Any:
    return {key: value for key, value in tool.items() if key != "cache_control"} if isinstance(tool, dict) else tool


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _lines(value: Any, where: str) -> Iterator[str]:
    if isinstance(value, str):
        yield from (line.rstrip() for line in value.split("\n"))
    elif isinstance(value, dict):
        for key, inner in value.items():
            if isinstance(inner, str) and key in {"type", "role", "name", "id", "model"}:
                yield f"{where}.{key}={inner}"
            else:
                yield from _lines(inner, f"{where}.{key}")
    elif isinstance(value, list):
        for inner in value:
            yield from _lines(inner, where)
    else:
        yield f"{where}={json.dumps(value)}"
