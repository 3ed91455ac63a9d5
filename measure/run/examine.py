"""What would stop a run, and what to do about it: the checks behind `measure doctor`.

Invariant: looking changes nothing and spends nothing: no lock is taken, no launch is made, nothing is removed.
"""

from __future__ import annotations

import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping
from enum import StrEnum
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from measure.errors import ClientError, LockHeldError, MeasureError, RequestError
from measure.record.store import default_root

ROOM_BYTES = 200 * 1024 * 1024
"""Below this much room arms and records may not fit."""


class State(StrEnum):
    """How one check came out."""

    OK = "ok"
    NOTE = "note"
    """Worth knowing; a run would go on."""
    PROBLEM = "problem"
    """A run would stop here."""


class Check(BaseModel):
    """One thing that was looked at."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    name: str
    state: State
    found: str
    remedy: str | None = None
    exit_status: int = 0
    """What a run would end with because of it."""


def examine(*, client: Path | None, runs: Path | None, environ: Mapping[str, str]) -> tuple[Check, ...]:
    """All checks, each independent of the others."""
    looks: list[tuple[str, Callable[[], Check]]] = [
        ("python", _python),
        ("client", lambda: _client(client, environ)),
        ("log-in", lambda: _log_in(client, environ)),
        ("containment", _containment),
        ("temp", _temp),
        ("lock", _lock),
        ("leftovers", _leftovers),
        ("records", lambda: _records(runs)),
        ("disk", lambda: _disk(runs)),
    ]
    if os.name == "nt":
        looks = looks[:1]
    return tuple(_safely(name, look) for name, look in looks)


def _safely(name: str, look: Callable[[], Check]) -> Check:
    try:
        return look()
    except MeasureError as error:
        return Check(
            name=name, state=State.PROBLEM, found=error.message, remedy=error.hint, exit_status=error.exit_status
        )


def _python() -> Check:
    found = f"{platform.python_implementation()} {platform.python_version()} on {platform.system()}"
    if os.name == "nt":
        return Check(
            name="python",
            state=State.PROBLEM,
            found=f"{found}: measuring needs Linux or macOS",
            remedy="Run it in WSL; reading records works on Windows.",
            exit_status=RequestError.exit_status,
        )
    return Check(name="python", state=State.OK, found=f"{found} ({sys.executable})")


def _client(client: Path | None, environ: Mapping[str, str]) -> Check:
    from measure.client.claude import check_claude

    found = check_claude(client=client, environ=environ)
    return Check(name="client", state=State.OK, found=f"{found.executable.version} at {found.executable.path}")


def _log_in(client: Path | None, environ: Mapping[str, str]) -> Check:
    from measure.client.claude import check_claude

    try:
        found = check_claude(client=client, environ=environ)
    except ClientError:
        return Check(name="log-in", state=State.NOTE, found="not looked at: there is no client")
    if found.log_in_missing:
        return Check(
            name="log-in",
            state=State.NOTE,
            found="no way to authenticate is in sight",
            remedy="Log in with the client, or set ANTHROPIC_API_KEY. A key store may still hold a log-in.",
        )
    return Check(
        name="log-in",
        state=State.OK,
        found=f"by {found.environment.auth.value}; whether it is accepted shows with the first launch",
    )


def _containment() -> Check:
    from measure.client.containment import choose

    way = choose().way
    if way == "descendants":
        return Check(
            name="containment",
            state=State.NOTE,
            found="launches are held by following their descendants (no process namespaces here)",
        )
    return Check(name="containment", state=State.OK, found=f"launches are held in a {way}")


def _temp() -> Check:
    from measure.arena.arena import check_place
    from measure.arena.lock import default_place

    check_place()
    place = default_place()
    if not os.access(place.parent, os.W_OK | os.X_OK):
        return Check(
            name="temp",
            state=State.PROBLEM,
            found=f"{place.parent} is not writable",
            remedy="Set TMPDIR to a folder of your own.",
            exit_status=RequestError.exit_status,
        )
    return Check(name="temp", state=State.OK, found=f"arms would stand in {place}; nothing above tells agents anything")


def _lock() -> Check:
    from measure.arena.lock import SILENT_AFTER_S, default_place, inspect, why_stale

    taken = inspect(default_place())
    if taken is None:
        return Check(name="lock", state=State.OK, found="free")
    stale = why_stale(taken, SILENT_AFTER_S)
    if stale is not None:
        return Check(name="lock", state=State.NOTE, found=f"left behind ({stale}); the next run takes it over")
    owner = f" by process {taken.owner.pid} on {taken.owner.host}" if taken.owner else ""
    return Check(
        name="lock",
        state=State.PROBLEM,
        found=f"held{owner}; last sign of life {taken.silent_s:.0f} s ago",
        remedy="Wait for that run to end.",
        exit_status=LockHeldError.exit_status,
    )


def _leftovers() -> Check:
    from measure.arena.lock import default_place, find_remains

    remains = find_remains(default_place())
    if remains:
        return Check(
            name="leftovers",
            state=State.NOTE,
            found=f"{len(remains)} from killed runs; the next run's first step removes them",
        )
    return Check(name="leftovers", state=State.OK, found="none")


def _records(runs: Path | None) -> Check:
    root = default_root(runs)
    existing = _existing(root)
    if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
        return Check(
            name="records",
            state=State.PROBLEM,
            found=f"{root} can't be written",
            remedy="Name a writable folder with --runs DIR, or set MEASURE_RUNS.",
            exit_status=RequestError.exit_status,
        )
    return Check(name="records", state=State.OK, found=f"go to {root}")


def _disk(runs: Path | None) -> Check:
    places = {"temp": Path(tempfile.gettempdir()), "records": default_root(runs)}
    free = {name: shutil.disk_usage(_existing(place)).free for name, place in places.items()}
    words = ", ".join(f"{name} {room / 1e9:.1f} GB free" for name, room in free.items())
    if min(free.values()) < ROOM_BYTES:
        return Check(name="disk", state=State.NOTE, found=words, remedy="Make room before a long run.")
    return Check(name="disk", state=State.OK, found=words)


def _existing(place: Path) -> Path:
    return next(above for above in (place, *place.parents) if above.exists())
