"""The YAML block at the top of a Markdown file, with the bytes of every entry.

Invariant: a block is front matter only where a line `---` is the file's first (after a byte order mark) and a later
line is `---` too; a block that YAML refuses is still found, its entries read line by line as the client's own
fallback does, and `error` says what YAML refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from measure.surface.bytelines import BOM, line_number

_BLOCK = re.compile(rb"---[ \t]*(?:\r\n|\n|\r)((?:.*?(?:\r\n|\n|\r))??)---[ \t]*(?:\r\n|\n|\r|\Z)", re.DOTALL)
_LOOSE = re.compile(r"^([A-Za-z_][\w-]*):(?:[ \t]+([^\r\n]*?))?[ \t]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Entry:
    """One `key: value`.

    `start` and `end` are the bytes of its whole lines; `value_start` and `value_end` those of the value as written.
    `style` is YAML's: None or "" for plain, else one of `'`, `"`, `|`, `>`; `text` is the value where it is a scalar.
    """

    key: str
    start: int
    end: int
    value_start: int
    value_end: int
    style: str
    text: str | None
    line: int


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The block: bytes `start` to `end` with both delimiters, `inner_start` to `inner_end` without.

    `table` is what YAML makes of it (dates stay text, only `true` and `false` are booleans, as in YAML 1.2), empty
    where it is no mapping.
    """

    start: int
    end: int
    inner_start: int
    inner_end: int
    entries: tuple[Entry, ...]
    table: Mapping[str, Any]
    error: str | None
    error_line: int

    def entry(self, key: str) -> Entry | None:
        """The entry that counts: the last one of that name, as in YAML."""
        return next((entry for entry in reversed(self.entries) if entry.key == key), None)


def body_start(data: bytes) -> int:
    """Where the text after byte order mark and front matter begins."""
    found = _find(data)
    if found is not None:
        return found.end()
    return len(BOM) if data.startswith(BOM) else 0


def read_front_matter(data: bytes) -> FrontMatter | None:
    """The front matter of a file, or None where it has none."""
    found = _find(data)
    if found is None:
        return None
    inner_start, inner_end = found.span(1)
    entries: tuple[Entry, ...] = ()
    table: Mapping[str, Any] = {}
    error: str | None = None
    error_line = line_number(data, inner_start)
    try:
        text = data[inner_start:inner_end].decode("utf-8")
    except UnicodeDecodeError as reason:
        at = inner_start + reason.start
        error, error_line = f"byte 0x{data[at]:02X} is not UTF-8", line_number(data, at)
        text = data[inner_start:inner_end].decode("latin-1")
        return FrontMatter(
            found.start(),
            found.end(),
            inner_start,
            inner_end,
            _loose(data, inner_start, text, 1),
            table,
            error,
            error_line,
        )
    try:
        entries, table = _strict(data, inner_start, text)
    except _NotYamlError as reason:
        error, error_line = reason.words, line_number(data, inner_start) + reason.line
        entries = _loose(data, inner_start, text, None)
        table = {entry.key: entry.text for entry in entries}
    return FrontMatter(found.start(), found.end(), inner_start, inner_end, entries, table, error, error_line)


def _find(data: bytes) -> re.Match[bytes] | None:
    start = len(BOM) if data.startswith(BOM) else 0
    if not data.startswith(b"---", start):
        return None
    return _BLOCK.match(data, start)


class _NotYamlError(Exception):
    def __init__(self, words: str, line: int) -> None:
        super().__init__(words)
        self.words = words
        self.line = line


@cache
def _loader() -> Any:
    import yaml

    base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    loader: Any = type("CoreLoader", (base,), {})
    loader.yaml_implicit_resolvers = {
        first: kept
        for first, resolvers in base.yaml_implicit_resolvers.items()
        if (kept := [(tag, rule) for tag, rule in resolvers if not tag.endswith((":timestamp", ":bool"))])
    }
    loader.add_implicit_resolver(
        "tag:yaml.org,2002:bool", re.compile(r"^(?:true|True|TRUE|false|False|FALSE)$"), "tTfF"
    )
    return loader


def load_yaml(text: str) -> Any:
    """One YAML document, safely. Raises `ValueError` in words."""
    try:
        return _compose(text)[1]
    except _NotYamlError as reason:
        raise ValueError(reason.words) from None


def _compose(text: str) -> tuple[Any, Any]:
    import yaml

    try:
        if "*" in text and any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, Loader=_loader())):
            # Values that hold themselves, or grow without bound, are made of aliases.
            raise _NotYamlError("an alias (*name) is not read here", 0)
        loader = _loader()(text)
        try:
            node = loader.get_single_node()
            return node, None if node is None else loader.construct_document(node)
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as reason:
        mark = reason.problem_mark
        where = f", column {mark.column + 1}" if mark is not None else ""
        raise _NotYamlError(f"{reason.problem or reason}{where}", mark.line if mark is not None else 0) from None
    except (yaml.YAMLError, ValueError, RecursionError) as reason:
        raise _NotYamlError(str(reason).splitlines()[0] if str(reason) else "nested too deeply", 0) from None


def _strict(data: bytes, base: int, text: str) -> tuple[tuple[Entry, ...], Mapping[str, Any]]:
    import yaml

    node, table = _compose(text)
    if node is None:
        return (), {}
    if not isinstance(node, yaml.MappingNode) or not isinstance(table, dict):
        raise _NotYamlError("expected keys and values", 0)
    at = _byte_offsets(base, text)
    entries = []
    for key, value in node.value:
        start, end = key.start_mark.index, value.end_mark.index
        # A block value's own end lies at the next key; its lines are what it holds up to there.
        stop = value.end_mark.index if value.end_mark.column == 0 and end > start else _line_end(text, end)
        entries.append(
            Entry(
                key=str(key.value),
                start=at(start),
                end=at(stop),
                value_start=at(value.start_mark.index),
                value_end=at(end),
                style=(value.style or "") if isinstance(value, yaml.ScalarNode) else "flow",
                text=value.value if isinstance(value, yaml.ScalarNode) else None,
                line=line_number(data, at(start)),
            )
        )
    return tuple(entries), {str(key): value for key, value in table.items()}


def _loose(data: bytes, base: int, text: str, width: int | None) -> tuple[Entry, ...]:
    at = _byte_offsets(base, text) if width is None else (lambda index: base + index)
    entries = []
    for found in _LOOSE.finditer(text):
        start, end = found.span()
        value_start, value_end = found.span(2) if found.group(2) is not None else (end, end)
        entries.append(
            Entry(
                key=found.group(1),
                start=at(start),
                end=at(_line_end(text, end)),
                value_start=at(value_start),
                value_end=at(value_end),
                style="",
                text=_unquoted(found.group(2) or ""),
                line=line_number(data, at(start)),
            )
        )
    return tuple(entries)


def _unquoted(value: str) -> str:
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "'\"":
        return value[1:-1]
    return value


def _byte_offsets(base: int, text: str) -> Any:
    if text.isascii():
        return lambda index: base + index
    return lambda index: base + len(text[:index].encode("utf-8"))


def _line_end(text: str, index: int) -> int:
    found = re.compile(r"\r\n|\n|\r").search(text, index)
    return found.end() if found else len(text)
