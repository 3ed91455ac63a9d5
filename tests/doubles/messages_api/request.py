"""One request as the double received it. Never altered after arrival: what a test reads is what came over the wire."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

Json: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class Request:
    """Method, path (with query), headers (lower-case names), body bytes and the double's clock at its arrival.

    `number` counts requests for an answer (`POST /v1/messages`) from 1 in order of arrival; it is 0 for all others.
    """

    number: int
    method: str
    path: str
    headers: Mapping[str, str]
    content: bytes = field(repr=False)
    at: float

    @cached_property
    def body(self) -> Json:
        """The JSON body; `{}` where there is none or it is no JSON object."""
        try:
            parsed = json.loads(self.content)
        except ValueError:
            return {}
        return parsed if isinstance(parsed, dict) else {}

    @property
    def model(self) -> str:
        return str(self.body.get("model", ""))

    @property
    def streams(self) -> bool:
        return bool(self.body.get("stream"))

    @property
    def turn(self) -> int:
        """How many times the model has already spoken in this conversation."""
        return sum(message.get("role") == "assistant" for message in self.body.get("messages", ()))

    @cached_property
    def text(self) -> str:
        """Every string anywhere in the body (system, messages, tools, settings), one after another."""
        return "\n".join(_strings(self.body))

    @cached_property
    def instructions(self) -> str:
        """Every string of the messages alone: what the client put before and into the prompt, and tool results."""
        return "\n".join(_strings(self.body.get("messages", [])))

    @cached_property
    def prompt(self) -> str:
        """The last text block of the last user message: where clients of every version put what the user asked."""
        for message in reversed(self.body.get("messages", [])):
            if message.get("role") != "user":
                continue
            blocks = message.get("content", "")
            if isinstance(blocks, str):
                return blocks
            for block in reversed(blocks):
                if block.get("type") == "text":
                    return str(block["text"])
        return ""


def _strings(node: object) -> Iterator[str]:
    if isinstance(node, str):
        yield node
    elif isinstance(node, Mapping):
        for value in node.values():
            yield from _strings(value)
    elif isinstance(node, list):
        for value in node:
            yield from _strings(value)
