"""Printing that can't fail for what it prints."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic import BaseModel


def make_streams_safe() -> None:
    """A character that the terminal's encoding lacks, or a closed stream, is never an error after the work is done."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            # In this order each takes its own number, which else the next file that is opened would get.
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 - open to the end
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
    """One JSON document on stdout, ASCII only. Raises ValueError for a number that JSON has no word for."""
    data = value.model_dump(mode="json", by_alias=True) if not isinstance(value, dict | list) else value
    text = json.dumps(data, indent=2, allow_nan=False) + "\n"
    global _documents  # noqa: PLW0603
    _documents += 1
    _write(text)


def say(text: str) -> None:
    """A line for people, on stderr."""
    sys.stderr.write(text + "\n")


def show(text: str) -> None:
    """A result for people, on stdout."""
    _write(text + "\n")


def _write(text: str) -> None:
    """Text on stdout; `MeasureError` where it can't be written, except to a reader that has left."""
    try:
        sys.stdout.write(text)
    except BrokenPipeError:
        raise
    except OSError as error:
        from measure.errors import MeasureError

        raise MeasureError(f"the result can't be written: {error.strerror}") from error
