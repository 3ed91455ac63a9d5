"""Printing that can't fail for what it prints."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic import BaseModel


def make_streams_safe() -> None:
    """Characters that the terminal's encoding lacks are replaced, never an error after the work is done."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


_documents = 0


def begin() -> None:
    """Nothing has been printed yet."""
    global _documents  # noqa: PLW0603 - stdout is one for the whole process, and so is what stands on it
    _documents = 0


def is_printed() -> bool:
    """Whether the one JSON document is on stdout already."""
    return _documents > 0


def print_json(value: BaseModel | dict[str, Any] | list[Any]) -> None:
    """One JSON document on stdout, ASCII only."""
    global _documents  # noqa: PLW0603
    _documents += 1
    data = value.model_dump(mode="json", by_alias=True) if not isinstance(value, dict | list) else value
    sys.stdout.write(json.dumps(data, indent=2) + "\n")


def say(text: str) -> None:
    """A line for people, on stderr."""
    sys.stderr.write(text + "\n")


def show(text: str) -> None:
    """A result for people, on stdout."""
    sys.stdout.write(text + "\n")
