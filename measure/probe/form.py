"""The project's own TOML files, read strictly: every error names file, key, what was expected and what was found.

Invariant: a file is either read whole and fits its model, or `UnusableFileError` lists everything that keeps it from
being used, in plain words; nothing is guessed, converted or passed over.
"""

from __future__ import annotations

import datetime as dt
import difflib
import hashlib
import re
import stat
import tomllib
import typing
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from measure.errors import ProbeError

FILE_LIMIT = 4_000_000
"""Largest file read, in bytes: a probe with the largest prompt fits several times."""

M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that keeps a file from being used. `key` is dotted (`options[1].text`), empty for the whole file."""

    file: str
    key: str
    message: str

    def __str__(self) -> str:
        return f"{self.file}: {self.key}: {self.message}" if self.key else f"{self.file}: {self.message}"


class UnusableFileError(ProbeError):
    """One or more files can't be used; `problems` holds each reason apart, in file order."""

    def __init__(self, problems: Sequence[Problem], *, hint: str | None = None) -> None:
        super().__init__("\n".join(map(str, problems)), hint=hint)
        self.problems = tuple(problems)


@dataclass(frozen=True, slots=True)
class Document:
    """One parsed file: where it is, its table, and the SHA-256 of its bytes in hexadecimal."""

    path: Path
    table: Mapping[str, Any]
    digest: str


def read_document(path: Path) -> Document:
    """Read one TOML file. Raises `UnusableFileError`; a byte order mark and CRLF line ends are accepted."""
    data = _read_bytes(path)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise refused(
            path, f"not valid UTF-8: byte 0x{data[error.start]:02X} in line {line}; save the file as UTF-8"
        ) from None
    try:
        table = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise refused(path, f"not valid TOML: {_toml_words(error, text)}") from None
    return Document(path, table, hashlib.sha256(data).hexdigest())


def fit(model: type[M], document: Document) -> M:
    """The document as an instance of `model`. Raises `UnusableFileError` with one problem per broken key."""
    try:
        return model.model_validate(document.table)
    except ValidationError as error:
        problems = [_problem(model, document, details) for details in error.errors(include_url=False)]
        raise UnusableFileError(problems) from None


def refused(path: Path, message: str, key: str = "") -> UnusableFileError:
    """The error for a file with a single problem."""
    return UnusableFileError([Problem(str(path), key, message)])


def _read_bytes(path: Path) -> bytes:
    try:
        found = path.stat()
        # Opening a pipe or a device could wait for ever.
        if not stat.S_ISREG(found.st_mode):
            raise refused(path, "not a regular file; give a TOML file or a folder of them")
        if found.st_size > FILE_LIMIT:
            raise refused(path, f"has {found.st_size:,} bytes; a file of this kind has at most {FILE_LIMIT:,}")
        return path.read_bytes()
    except FileNotFoundError:
        raise refused(path, "no such file or folder") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise refused(path, f"can't be read: {reason}") from None


def _toml_words(error: ValueError | RecursionError, text: str) -> str:
    if isinstance(error, RecursionError):
        return "nested too deeply"
    words = str(error)
    place = re.fullmatch(r"(.*) \(at line (\d+), column (\d+)\)", words, re.DOTALL)
    if place:
        return f"line {place[2]}, column {place[3]}: {place[1]}"
    end = re.fullmatch(r"(.*) \(at end of document\)", words, re.DOTALL)
    if end:
        return f"line {text.count(chr(10)) + 1}, at the end of the file: {end[1]}"
    return words


def _problem(model: type[BaseModel], document: Document, details: ErrorDetails) -> Problem:
    loc, value, context = details["loc"], details["input"], details.get("ctx", {})
    kind = details["type"]
    key = dotted(loc)
    if kind == "rule":
        inner = context["key"]
        key = f"{key}.{inner}" if key and inner else key or inner
        return Problem(str(document.path), key, context["words"])
    if kind == "extra_forbidden":
        return Problem(str(document.path), key, f"unknown key; {_advice(model, loc)}")
    expected = _expected(model, loc)
    if kind == "missing":
        return Problem(str(document.path), key, f"missing; expected {expected}")
    return Problem(str(document.path), key, f"expected {expected}, found {in_words(value)}")


def dotted(loc: Sequence[str | int]) -> str:
    """A place in a table as people write it: `options[1].asked_for`."""
    key = ""
    for part in loc:
        if isinstance(part, int):
            key += f"[{part}]"
        else:
            name = part if re.fullmatch(r"[A-Za-z0-9_-]+", part) else '"' + part.replace('"', '\\"') + '"'
            key += f".{name}" if key else name
    return key


def in_words(value: object) -> str:
    """A TOML value as a person would name it: its kind and, where short, itself."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            shown = value if len(value) <= 40 else value[:40] + "…"
            return f'the string "{shown}"'.replace("\n", "\\n").replace("\r", "\\r") if value else "an empty string"
        case int() | float():
            shown = str(value) if isinstance(value, float) or abs(value) < 10**40 else "too large to show"
            return f"the number {shown}"
        case list() | tuple():
            return f"an array of {len(value)}"
        case dict():
            return "a table"
        case dt.date() | dt.time():
            return "a date or time"
        case _:
            return type(value).__name__


def _keys(model: type[BaseModel]) -> Mapping[str, tuple[str, type[BaseModel] | None]]:
    """Key as written in the file → what is expected there, and the model of the table it holds, if it holds one."""
    return {
        field.alias or name: (field.description or "another value", _table_model(field.annotation))
        for name, field in model.model_fields.items()
    }


def _table_model(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next(filter(None, map(_table_model, typing.get_args(annotation))), None)


def _expected(model: type[BaseModel], loc: Sequence[str | int]) -> str:
    table: type[BaseModel] | None = model
    words = "another value"
    for part in loc:
        if isinstance(part, int):
            words = "a table" if table is not model else "a string"
        elif table is not None and part in (keys := _keys(table)):
            words, table = keys[part]
    return words


def _tables(model: type[BaseModel], name: str = "") -> Iterator[tuple[str, type[BaseModel]]]:
    yield name, model
    for key, (_, inner) in _keys(model).items():
        if inner is not None:
            yield from _tables(inner, key)


def _advice(model: type[BaseModel], loc: Sequence[str | int]) -> str:
    *parents, unknown = loc
    here = next((part for part in reversed(parents) if isinstance(part, str)), "")
    tables = dict(_tables(model))
    known = list(_keys(tables[here]))
    # A key below a [table] header belongs to that table: the commonest slip in TOML.
    for name, table in tables.items():
        if name != here and unknown in _keys(table):
            where = f"under '{name}'" if name else f"at the top of the file, above [{here}]"
            return f"'{unknown}' belongs {where}"
    near = difflib.get_close_matches(str(unknown).lower(), known, n=1, cutoff=0.6)
    if near:
        return f"did you mean '{near[0]}'?"
    return f"known here: {', '.join(known)}"
