"""All records below a folder as tables for notebooks.

Invariant: the tables say what the records say. They are kept as columns in the user's cache folder, under the stamps of
the files they were made from, and made anew wherever these changed; what is kept holds no objects, so reading it can't
run anything.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from pandas.api.types import union_categoricals

from measure.errors import RecordError
from measure.probe.model import Axis
from measure.record.glance import LongGlance, Reading
from measure.record.index import only_one, place_of, stamps
from measure.record.library import load, row_of
from measure.record.store import RECORD, dump, read_model

VERSION = 2
FOLDER = "folder"
"""Category of every table: the folder its row was read from."""

RUNS = {
    FOLDER: "text", "run_id": "text", "created": "time", "complete": "bool", "finding": "text", "reason": "text",
    "kind": "text", "file": "text", "line": "number", "model": "text", "client": "text", "client_version": "text",
    "condition": "text", "stage": "number", "judge": "text", "probes": "number",
    "behavior": "text", "behavior_shift": "number", "behavior_low": "number", "behavior_high": "number",
    "behavior_pairs": "number",
    "content": "text", "content_shift": "number", "content_low": "number", "content_high": "number",
    "content_pairs": "number",
    "launches": "number", "shared": "number", "cost_usd": "number", "input_tokens": "number",
    "output_tokens": "number", "cache_creation_input_tokens": "number", "cache_read_input_tokens": "number",
    "wall_s": "number",
}  # fmt: skip
PROBES = {
    FOLDER: "text", "run_id": "text", "probe": "text", "axis": "text", "verdict": "text", "pairs": "number",
    "complete": "number", "damaged": "number", "void": "number", "log_e": "number", "shift": "number", "low": "number",
    "high": "number", "excluded_low": "number", "excluded_high": "number",
}  # fmt: skip
TRIALS = {
    FOLDER: "text", "run_id": "text", "trial": "text", "pair": "number", "round": "number", "probe": "text",
    "axis": "text", "arm": "text", "with_line": "bool", "attempt": "number", "position": "number", "topup": "bool",
    "led": "bool", "counted_in": "text",
    "outcome": "text", "hole_report": "bool", "invalid": "text", "started_at": "time", "wall_s": "number",
    "input_tokens": "number", "output_tokens": "number", "cache_creation_input_tokens": "number",
    "cache_read_input_tokens": "number", "cost_usd": "number", "model_answered": "text", "turns": "number",
}  # fmt: skip
"""Columns and what each holds: text is a category, number a float (NaN: not known), time is UTC.

A launch that several lines read stands in the trials of each; where `counted_in` names a run, that run pays for it, so
sums of money and tokens over runs leave those rows out.
"""
SCHEMAS = {"runs": RUNS, "probes": PROBES, "trials": TRIALS}
DTYPES = {"text": np.int32, "number": np.float64, "bool": np.bool_, "time": np.int64}
"""How a column is kept: words by their numbers, times in microseconds since 1970."""
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)


class Frames(NamedTuple):
    """Three tables, joined by `run_id`. Shifts are shares (with the line minus without), log_e natural logarithms."""

    runs: pd.DataFrame
    probes: pd.DataFrame
    trials: pd.DataFrame
    unreadable: dict[str, str]
    """Folders that can't be read, and why."""


def frames(root: Path, *, cache: Path | None = None) -> Frames:
    """The records below `root`, the newest first. Raises `OSError` if `root` can't be listed."""
    now = stamps(root)
    path = place_of(root, cache) / "frames.npz"
    kept, tables = _load(path)
    if kept == now and tables:
        return Frames(**tables, unreadable={})
    same = {name for name, stamp in now.items() if kept.get(name) == stamp}
    fresh, unreadable = _read(root, [name for name in now if name not in same])
    if same:
        fresh = {kind: _joined(schema, tables[kind], same, fresh[kind], now) for kind, schema in SCHEMAS.items()}
    with only_one(path) as mine:
        if mine:
            _save(path, {name: stamp for name, stamp in now.items() if name not in unreadable}, fresh)
    return Frames(**fresh, unreadable=unreadable)


def _read(root: Path, names: Iterable[str]) -> tuple[dict[str, pd.DataFrame], dict[str, str]]:
    """The tables of these runs, and why others can't be read."""
    tables = {kind: _Filling(schema) for kind, schema in SCHEMAS.items()}
    unreadable = {}
    for name in names:
        folder = root / name
        try:
            record = _glance(folder)
        except RecordError as error:
            unreadable[name] = error.message
            continue
        tables["runs"].add(zip(_run(name, record), strict=True))
        tables["probes"].add(zip(*_probes(name, record), strict=True))
        tables["trials"].add(_trials(name, record))
    return {kind: filled.table() for kind, filled in tables.items()}, unreadable


def _glance(folder: Path) -> LongGlance:
    path = folder / RECORD
    if path.is_file():
        return read_model(path, LongGlance)
    return LongGlance.model_validate_json(dump(load(folder)))


class _Numbers(dict[str | None, int]):
    """Words numbered in the order in which they come; None is -1."""

    def __init__(self) -> None:
        super().__init__({None: -1})

    def __missing__(self, word: str) -> int:
        self[word] = number = len(self) - 1
        return number


class _Filling:
    """A table that grows by columns: a row for each of half a million trials would take half of the time."""

    def __init__(self, schema: dict[str, str]) -> None:
        self._schema = schema
        self._columns: list[list[Any]] = [[] for _ in schema]
        self._numbers = {name: _Numbers() for name, holds in schema.items() if holds == "text"}

    def add(self, columns: Iterable[Iterable[Any]]) -> None:
        """Add values to every column, in the order of the schema."""
        for (name, holds), column, values in zip(self._schema.items(), self._columns, columns, strict=False):
            if holds == "text":
                column.extend(map(self._numbers[name].__getitem__, values))
            elif holds == "time":
                column.extend(map(_microseconds, values))
            else:
                column.extend(values)

    def table(self) -> pd.DataFrame:
        """All of it."""
        arrays: dict[str, np.ndarray[Any, Any]] = {
            name: np.array(column, dtype=DTYPES[holds])
            for (name, holds), column in zip(self._schema.items(), self._columns, strict=True)
        }
        return _table(self._schema, arrays, {name: list(numbers)[1:] for name, numbers in self._numbers.items()})


def _microseconds(moment: datetime) -> int:
    return ((moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - EPOCH) // MICROSECOND


def _table(schema: dict[str, str], arrays: Mapping[str, Any], words: Mapping[str, Any]) -> pd.DataFrame:
    """A table from columns as they are kept: numbers of words, microseconds since 1970."""
    made: dict[str, Any] = {}
    for name, holds in schema.items():
        if holds == "text":
            made[name] = pd.Categorical.from_codes(arrays[name], categories=pd.Index(words[name], dtype="str"))
        elif holds == "time":
            made[name] = pd.Series(arrays[name].view("datetime64[us]")).dt.tz_localize("UTC")
        else:
            made[name] = arrays[name]
    return pd.DataFrame(made)


def _joined(
    schema: dict[str, str], old: pd.DataFrame, same: set[str], fresh: pd.DataFrame, now: Iterable[str]
) -> pd.DataFrame:
    """The rows of `old` that are the `same` still and the `fresh` ones, as if they had all been read `now`."""
    old = old[old[FOLDER].isin(same)]
    both = pd.DataFrame(
        {
            name: union_categoricals([old[name], fresh[name]])
            if holds == "text"
            else pd.concat([old[name], fresh[name]], ignore_index=True)
            for name, holds in schema.items()
        }
    )
    places = {name: place for place, name in enumerate(now)}
    both = both.iloc[both[FOLDER].map(places).astype("int64").argsort(kind="stable")].reset_index(drop=True)
    for name, holds in schema.items():
        if holds == "text":
            words = both[name].dropna().unique()
            both[name] = both[name].cat.set_categories(pd.Index(list(words), dtype="str"))
    return both


def _run(folder: str, record: LongGlance) -> tuple[Any, ...]:
    row, plan, spent = row_of(record), record.plan, record.spending
    decision = record.result.decision
    axes: list[Any] = []
    for axis in (Axis.BEHAVIOR, Axis.CONTENT):
        found = next((one for one in decision.axes if one.axis is axis), None) if decision is not None else None
        axes += [found.verdict.status, *_effect(found.effect), found.complete] if found is not None else [None] * 5
    return (
        folder, row.run_id, row.created, row.complete, row.finding, row.reason, row.kind, row.file,
        plan.contrast.line if plan else None,
        row.model,
        *((plan.condition.client, plan.condition.client_version) if plan else (None, None)),
        *((plan.condition.name, plan.condition.stage) if plan else (None, None)),
        *((plan.judge_version, len(plan.probes)) if plan else (None, None)),
        *axes,
        spent.launches, spent.shared, spent.cost_usd, spent.input_tokens, spent.output_tokens,
        spent.cache_creation_input_tokens, spent.cache_read_input_tokens, spent.wall_s,
    )  # fmt: skip


def _effect(effect: Any) -> tuple[float | None, float | None, float | None]:
    return (effect.point, effect.interval.low, effect.interval.high) if effect is not None else (None, None, None)


def _probes(folder: str, record: LongGlance) -> list[tuple[Any, ...]]:
    decision = record.result.decision
    return [
        (
            folder, record.run_id, probe.id, probe.axis.value, probe.verdict.status, probe.pairs, probe.complete,
            probe.damaged, probe.void, probe.log_e, *_effect(probe.effect),
            *((probe.excluded.low, probe.excluded.high) if probe.excluded is not None else (None, None)),
        )
        for probe in (decision.probes if decision is not None else ())
    ]  # fmt: skip


_TRIAL = itemgetter(
    "id", "block", "round", "probe", "arm", "attempt", "position", "topup", "led", "counted_in",
    "reading", "invalid", "started_at", "wall_s", "usage", "model_answered", "turns",
)  # fmt: skip
_USAGE = itemgetter(
    "input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "cost_usd"
)


def _trials(folder: str, record: LongGlance) -> Iterable[Iterable[Any]]:
    """The columns of one run's trials."""
    if record.plan is None or not record.trials:
        return ()
    axes = {entry.probe.id: entry.probe.axis.value for entry in record.plan.probes}
    with_arm = str(record.plan.contrast.with_arm)
    (
        ids, blocks, rounds, probes, arms, attempts, positions, topups, led, counted,
        readings, invalids, began, wall, usages, models, turns,
    ) = zip(*map(_TRIAL, record.trials), strict=True)  # fmt: skip
    return (
        [folder] * len(ids), [record.run_id] * len(ids), ids, blocks, rounds, probes, map(axes.get, probes),
        arms, [arm == with_arm for arm in arms], attempts, positions, topups, led, counted,
        map(_outcome, readings), [reading is not None and reading["hole_report"] is not None for reading in readings],
        [invalid and invalid["reason"] for invalid in invalids],
        began, wall, *zip(*map(_USAGE, usages), strict=True), models, turns,
    )  # fmt: skip


def _outcome(reading: Reading | None) -> str | None:
    if reading is None:
        return None
    return f"option:{reading['option']}" if reading["option"] else reading["kind"]


def _save(path: Path, kept: dict[str, str], tables: dict[str, pd.DataFrame]) -> None:
    arrays = {"meta": _bytes({"version": VERSION, "stamps": kept})}
    for kind, schema in SCHEMAS.items():
        for name, holds in schema.items():
            column = tables[kind][name]
            if holds == "text":
                arrays[f"{kind}.{name}"] = column.cat.codes.to_numpy(np.int32)
                arrays[f"{kind}.{name}.words"] = _bytes(list(column.cat.categories))
            elif holds == "time":
                arrays[f"{kind}.{name}"] = column.to_numpy("datetime64[us]").view(np.int64)
            else:
                arrays[f"{kind}.{name}"] = column.to_numpy()
    temporary = path.with_name("frames.new.npz")
    try:
        np.savez(temporary, **arrays)  # type: ignore[arg-type]
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)


def _bytes(value: Any) -> np.ndarray[Any, Any]:
    return np.frombuffer(json.dumps(value).encode(), dtype=np.uint8)


def _load(path: Path) -> tuple[dict[str, str], dict[str, pd.DataFrame]]:
    nothing: tuple[dict[str, str], dict[str, pd.DataFrame]] = ({}, {})
    try:
        # The handle is ours: what turns out to be no archive is closed as well.
        with path.open("rb") as handle, np.load(handle, allow_pickle=False) as arrays:
            meta = json.loads(arrays["meta"].tobytes())
            if meta["version"] != VERSION:
                return nothing
            stamps_kept: dict[str, str] = meta["stamps"]
            tables = {
                kind: _table(
                    schema,
                    {name: arrays[f"{kind}.{name}"] for name in schema},
                    {
                        name: json.loads(arrays[f"{kind}.{name}.words"].tobytes())
                        for name, holds in schema.items()
                        if holds == "text"
                    },
                )
                for kind, schema in SCHEMAS.items()
            }
    except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile):
        return nothing
    return stamps_kept, tables
