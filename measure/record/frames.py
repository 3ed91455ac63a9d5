"""All records below a folder as tables for notebooks.

Invariant: the tables say what the records say. They are kept as columns in the user's cache folder, under the stamps of
the files they were made from, and made anew wherever these changed; what is kept holds no objects, so reading it can't
run anything.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from measure.errors import RecordError
from measure.probe.model import Axis
from measure.record.glance import Glance, LongGlance
from measure.record.index import only_one, place_of, stamps
from measure.record.library import load, row_of
from measure.record.models import RunRecord
from measure.record.store import RECORD, read_model

VERSION = 1
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
    "launches": "number", "cost_usd": "number", "input_tokens": "number", "output_tokens": "number",
    "cache_creation_input_tokens": "number", "cache_read_input_tokens": "number", "wall_s": "number",
}  # fmt: skip
PROBES = {
    FOLDER: "text", "run_id": "text", "probe": "text", "axis": "text", "verdict": "text", "pairs": "number",
    "complete": "number", "damaged": "number", "void": "number", "log_e": "number", "shift": "number", "low": "number",
    "high": "number", "excluded_low": "number", "excluded_high": "number",
}  # fmt: skip
TRIALS = {
    FOLDER: "text", "run_id": "text", "trial": "text", "pair": "number", "round": "number", "probe": "text",
    "axis": "text", "arm": "text", "with_line": "bool", "attempt": "number", "position": "number", "topup": "bool",
    "outcome": "text", "hole_report": "bool", "invalid": "text", "started_at": "time", "wall_s": "number",
    "input_tokens": "number", "output_tokens": "number", "cache_creation_input_tokens": "number",
    "cache_read_input_tokens": "number", "cost_usd": "number", "model_answered": "text", "turns": "number",
}  # fmt: skip
"""Columns and what each holds: text is a category, number a float (NaN: not known), time is UTC."""
SCHEMAS = {"runs": RUNS, "probes": PROBES, "trials": TRIALS}


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
    if kept != now or not tables:
        same = {name for name, stamp in now.items() if kept.get(name) == stamp}
        new = {name: _columns(root / name) for name in now if name not in same}
        tables = {kind: _joined(kind, tables, same, new, now) for kind in SCHEMAS}
        with only_one(path) as mine:
            if mine:
                _save(path, {name: stamp for name, stamp in now.items() if not isinstance(new.get(name), str)}, tables)
        unreadable = {name: found for name, found in new.items() if isinstance(found, str)}
    else:
        unreadable = {}
    return Frames(**tables, unreadable=unreadable)


def _joined(
    kind: str,
    tables: dict[str, pd.DataFrame],
    same: set[str],
    new: dict[str, dict[str, list[tuple[Any, ...]]] | str],
    now: dict[str, str],
) -> pd.DataFrame:
    rows = [row for found in new.values() if not isinstance(found, str) for row in found[kind]]
    fresh = _table(SCHEMAS[kind], rows)
    if not same:
        return fresh
    old = tables[kind]
    old = old[old[FOLDER].isin(same)]
    both = pd.concat([_plain(old), _plain(fresh)], ignore_index=True)
    places = {name: place for place, name in enumerate(now)}
    both = both.iloc[both[FOLDER].map(places).argsort(kind="stable")].reset_index(drop=True)
    return _typed(SCHEMAS[kind], both)


def _plain(table: pd.DataFrame) -> pd.DataFrame:
    return table.astype({name: object for name, dtype in table.dtypes.items() if dtype == "category"})


def _table(schema: dict[str, str], rows: Sequence[tuple[Any, ...]]) -> pd.DataFrame:
    columns = list(zip(*rows, strict=True)) or [()] * len(schema)
    return _typed(schema, dict(zip(schema, columns, strict=True)))


def _typed(schema: dict[str, str], columns: Any) -> pd.DataFrame:
    made: dict[str, Any] = {}
    for name, holds in schema.items():
        values = columns[name]
        if holds == "text":
            made[name] = _category(values)
        elif holds == "number":
            made[name] = np.array(values, dtype=np.float64)
        elif holds == "bool":
            made[name] = np.array(values, dtype=np.bool_)
        else:
            made[name] = pd.to_datetime(pd.Series(list(values), dtype=object), utc=True).astype("datetime64[us, UTC]")
    return pd.DataFrame(made)


def _category(values: Iterable[str | None]) -> pd.Categorical:
    numbers: dict[str, int] = {}
    codes = np.fromiter(
        (numbers.setdefault(value, len(numbers)) if isinstance(value, str) else -1 for value in values), dtype=np.int32
    )
    return pd.Categorical.from_codes(codes, categories=pd.Index(list(numbers), dtype="str"))


def _columns(folder: Path) -> dict[str, list[tuple[Any, ...]]] | str:
    """The rows of one run for each table, or why it can't be read."""
    try:
        record = read_model(folder / RECORD, LongGlance) if (folder / RECORD).is_file() else load(folder)
    except RecordError as error:
        return error.message
    return {
        "runs": [_run(folder.name, record)],
        "probes": _probes(folder.name, record),
        "trials": _trials(folder.name, record),
    }


def _run(folder: str, record: Glance | RunRecord) -> tuple[Any, ...]:
    row, plan, spent = row_of(record), record.plan, record.spending
    decision = getattr(record.result, "decision", None)
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
        spent.launches, spent.cost_usd, spent.input_tokens, spent.output_tokens,
        spent.cache_creation_input_tokens, spent.cache_read_input_tokens, spent.wall_s,
    )  # fmt: skip


def _effect(effect: Any) -> tuple[float | None, float | None, float | None]:
    return (effect.point, effect.interval.low, effect.interval.high) if effect is not None else (None, None, None)


def _probes(folder: str, record: Any) -> list[tuple[Any, ...]]:
    decision = getattr(record.result, "decision", None)
    return [
        (
            folder, record.run_id, probe.id, probe.axis.value, probe.verdict.status, probe.pairs, probe.complete,
            probe.damaged, probe.void, probe.log_e, *_effect(probe.effect),
            *((probe.excluded.low, probe.excluded.high) if probe.excluded is not None else (None, None)),
        )
        for probe in (decision.probes if decision is not None else ())
    ]  # fmt: skip


def _trials(folder: str, record: Any) -> list[tuple[Any, ...]]:
    if record.plan is None:
        return []
    axes = {entry.probe.id: entry.probe.axis.value for entry in record.plan.probes}
    with_arm = str(record.plan.contrast.with_arm)
    return [
        (
            folder, record.run_id, trial.id, trial.block, trial.round, trial.probe, axes.get(trial.probe),
            str(trial.arm), str(trial.arm) == with_arm, trial.attempt, trial.position, trial.topup,
            *_read(trial.reading), str(trial.invalid.reason) if trial.invalid is not None else None,
            trial.started_at, trial.wall_s,
            trial.usage.input_tokens, trial.usage.output_tokens, trial.usage.cache_creation_input_tokens,
            trial.usage.cache_read_input_tokens, trial.usage.cost_usd, trial.model_answered, trial.turns,
        )
        for trial in record.trials
    ]  # fmt: skip


def _read(reading: Any) -> tuple[str | None, bool]:
    if reading is None:
        return None, False
    return f"option:{reading.option}" if reading.option else str(reading.kind), reading.hole_report is not None


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
            tables = {kind: _table_from(arrays, kind, schema) for kind, schema in SCHEMAS.items()}
    except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile):
        return nothing
    return stamps_kept, tables


def _table_from(arrays: Any, kind: str, schema: dict[str, str]) -> pd.DataFrame:
    made: dict[str, Any] = {}
    for name, holds in schema.items():
        column = arrays[f"{kind}.{name}"]
        if holds == "text":
            words = json.loads(arrays[f"{kind}.{name}.words"].tobytes())
            made[name] = pd.Categorical.from_codes(column, categories=pd.Index(words, dtype="str"))
        elif holds == "time":
            made[name] = pd.Series(column.view("datetime64[us]")).dt.tz_localize("UTC")
        else:
            made[name] = column
    return pd.DataFrame(made)
