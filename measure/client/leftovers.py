"""Processes that a killed run left behind, ended by the next run before it touches their directories.

Invariant: only processes of this user are ended, only those that stand in the given directory or carry the given
mark, and never this process or one it descends from.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from measure.client.descendants import marked

_LIMIT_S = 2.0
_PAUSE_S = 0.005
_DELETED = " (deleted)"


@dataclass(frozen=True, slots=True)
class Ended:
    """Process ids that were ended, and those that could not be ended within two seconds."""

    ended: tuple[int, ...] = ()
    remaining: tuple[int, ...] = ()


def end_processes_standing_in(directory: Path) -> Ended:
    """End this user's processes whose working directory is `directory` or lies below it.

    Both names of a linked directory mean the same place; it may already have been removed.
    """
    place = os.path.realpath(directory)

    def standing() -> Iterable[psutil.Process]:
        for process in psutil.process_iter():
            with suppress(psutil.Error, OSError):
                cwd = process.cwd().removesuffix(_DELETED)
                if cwd == place or cwd.startswith(place + os.sep):
                    yield process

    return _end_all(standing)


def end_processes_marked(tag: str) -> Ended:
    """End this user's processes that carry the tag of a run held by `measure.client.descendants`."""
    return _end_all(lambda: marked(tag))


def _end_all(find: Callable[[], Iterable[psutil.Process]]) -> Ended:
    spared = {os.getpid(), *(parent.pid for parent in psutil.Process().parents())}
    user = os.getuid()
    ended: set[int] = set()
    deadline = time.monotonic() + _LIMIT_S
    while True:
        found = [process for process in find() if process.pid not in spared and _is_living(process, user)]
        if not found or time.monotonic() > deadline:
            remaining = {process.pid for process in found}
            return Ended(tuple(sorted(ended - remaining)), tuple(sorted(remaining)))
        for process in found:
            with suppress(psutil.Error):
                process.kill()
                ended.add(process.pid)
        time.sleep(_PAUSE_S)


def _is_living(process: psutil.Process, user: int) -> bool:
    with suppress(psutil.Error):
        return process.uids().real == user and process.status() != psutil.STATUS_ZOMBIE
    return False
