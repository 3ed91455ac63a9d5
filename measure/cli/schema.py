"""`measure schema`: the JSON schema of what each command prints with `--json`."""

from __future__ import annotations

from typing import Any, Union

from pydantic import TypeAdapter

from measure import __version__
from measure.cli.documents import DOCUMENTS
from measure.cli.output import print_json
from measure.errors import RequestError

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def print_schemas(command: list[str] | None) -> None:
    """Print one command's schema, or all of them by command."""
    if not command:
        print_json({"measure": __version__, "schemas": {name: schema_of(name) for name in sorted(DOCUMENTS)}})
        return
    name = " ".join(command)
    if name not in DOCUMENTS:
        raise RequestError(f"{name!r} prints no JSON document.", hint=f"Those that do: {', '.join(sorted(DOCUMENTS))}.")
    print_json(schema_of(name))


def schema_of(name: str) -> dict[str, Any]:
    """The schema of one command's document. Raises `KeyError` for a command that has none."""
    kinds = DOCUMENTS[name]
    wanted: Any = kinds[0] if len(kinds) == 1 else Union[kinds]  # noqa: UP007 - made of a tuple
    schema = TypeAdapter(wanted).json_schema(by_alias=True, mode="serialization")
    _open(schema)
    title = "what a command prints when it fails" if name == "error" else f"measure {name} --json"
    return {"$schema": DIALECT, **schema, "title": title}


def _open(schema: Any) -> None:
    """Let fields through that a later version adds."""
    if isinstance(schema, dict):
        if schema.get("additionalProperties") is False:
            del schema["additionalProperties"]
        for value in schema.values():
            _open(value)
    elif isinstance(schema, list):
        for value in schema:
            _open(value)
