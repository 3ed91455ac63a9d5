"""The list of recorded runs, fast on ten thousand of them.

Invariant: the index is a cache and nothing else. It lies in the user's cache folder, never among the records; an entry
counts only while the files it was made from have the same size, time of change and inode; without it, or with a damaged
one, the list is the same and only slower.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from measure.errors import RecordError
from measure.record.library import Row, Unreadable, glance, row_of
from measure.record.store import BEGUN, PLAN, RECORD, SESSIONS, TORN, TRIALS, is_running, write_whole

VERSION = 1
"""Goes up when a row is made otherwise; an index of another version is made anew."""
WORTH_IT = 50
"""Fewer runs are read faster than an index is kept."""
LOCK_S = 5.0


class _Entry(BaseModel):
    """One folder as it was when it was read."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    stamp: str
    row: Row | None
    why: str | None = None
    """Why it can't be read, where `row` is None."""


class _Index(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)
    version: int
    entries: dict[str, _Entry]


def stamps(root: Path) -> dict[str, str]:
    """Every run's folder name with what tells whether its files changed, the newest run first.

    Raises `OSError` if `root` can't be listed; a missing one has no runs.
    """
    found = {}
    try:
        with os.scandir(root) as entries:
            names = [entry.name for entry in entries if not entry.name.startswith(".") and entry.is_dir()]
    except FileNotFoundError:
        return {}
    for name in sorted(names, reverse=True):
        place = os.path.join(root, name)  # noqa: PTH118 - ten thousand paths would take half of the time
        stamp = _stamp(place, RECORD) or _stamp_of_unfinished(place)
        if stamp:
            found[name] = stamp
    return found


def _stamp(place: str, name: str) -> str:
    try:
        status = os.stat(f"{place}/{name}")  # noqa: PTH116 - see above
    except OSError:
        return ""
    return f"{name}:{status.st_mtime_ns}:{status.st_size}:{status.st_ino};"


def _stamp_of_unfinished(place: str) -> str:
    """What a run without a record shows also depends on whether it is still under way."""
    stamp = "".join(_stamp(place, part) for part in (PLAN, TRIALS, SESSIONS, TORN, BEGUN))
    return f"{stamp}running" if stamp and is_running(Path(place)) else stamp


def listed(root: Path, *, cache: Path | None = None, worth_it: int = WORTH_IT) -> list[Row | Unreadable]:
    """All runs below `root`, the newest first, through the index where there are many.

    `cache` is the folder for indexes; by default the user's. Raises `OSError` if `root` can't be listed.
    """
    now = stamps(root)
    if len(now) < worth_it:
        return [_shown(root, name, _read(root, name, stamp)) for name, stamp in now.items()]
    path = place_of(root, cache) / "runs.json"
    kept = _load(path)
    if any(name not in kept or kept[name].stamp != stamp for name, stamp in now.items()) or len(kept) > len(now):
        with only_one(path) as mine:
            kept = _load(path)
            kept = {
                name: kept[name] if name in kept and kept[name].stamp == stamp else _read(root, name, stamp)
                for name, stamp in now.items()
            }
            if mine:
                _save(path, kept)
    return [_shown(root, name, kept[name]) for name in now]


def _read(root: Path, name: str, stamp: str) -> _Entry:
    try:
        return _Entry(stamp=stamp, row=row_of(glance(root / name)))
    except RecordError as error:
        return _Entry(stamp=stamp, row=None, why=error.message)


def _shown(root: Path, name: str, entry: _Entry) -> Row | Unreadable:
    return entry.row if entry.row is not None else Unreadable(root / name, entry.why or "")


def _load(path: Path) -> dict[str, _Entry]:
    try:
        index = _Index.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return {}
    return index.entries if index.version == VERSION else {}


def _save(path: Path, entries: dict[str, _Entry]) -> None:
    try:
        write_whole(path, _Index(version=VERSION, entries=entries).model_dump_json().encode())
    except (RecordError, ValueError):
        return


def place_of(root: Path, cache: Path | None = None) -> Path:
    """The folder of the caches for the records in `root`."""
    if cache is None:
        import platformdirs

        cache = Path(platformdirs.user_cache_dir("measure", appauthor=False))
    return cache / "records" / hashlib.sha256(os.fsencode(root.resolve())).hexdigest()[:16]


@contextmanager
def only_one(path: Path) -> Iterator[bool]:
    """Hold the lock beside `path`; False where it can't be had, and then nothing may be written there."""
    from filelock import FileLock, Timeout

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(path.parent / "lock", timeout=LOCK_S)
        lock.acquire()
    except (OSError, Timeout):
        yield False
        return
    try:
        yield True
    finally:
        lock.release()
