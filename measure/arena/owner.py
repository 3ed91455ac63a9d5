"""Who holds the lock, and what can be said about whether they still live.

Invariant: "gone" is said only on proof, never because something could not be found out.
"""

from __future__ import annotations

import json
import os
import socket
import time
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path
from typing import Final

START_TOLERANCE_S: Final = 2.0
"""Where start times come from a clock that can be set, two readings of the same one may differ by this much."""


_HAS_PROC: Final = Path("/proc/self/stat").exists()


class Life(Enum):
    """What is known about the process behind a lock."""

    ALIVE = "alive"
    GONE = "gone"
    UNKNOWN = "unknown"
    """It runs where this process can't see it: another container of the same machine."""
    ELSEWHERE = "elsewhere"
    """It runs, or ran, on another host."""


@dataclass(frozen=True, slots=True)
class Owner:
    """The holder as the lock names it. Texts are empty where the system has no such thing."""

    token: str
    place: str
    """Name of the one folder that holds all the holder makes."""
    pid: int
    started: float
    """When the process started: clock ticks since boot where /proc tells them, seconds since 1970 elsewhere."""
    boot: str
    """The identity of the machine's present boot."""
    pid_space: str
    """The identity of the PID namespace, in which alone `pid` means anything."""
    host: str
    since: str
    """When the lock was taken, UTC, ISO 8601."""

    @classmethod
    def of_this_process(cls, token: str, place: str) -> Owner:
        """What this process writes into its lock."""
        started = _start_of(os.getpid())
        return cls(
            token=token,
            place=place,
            pid=os.getpid(),
            started=0.0 if started is None else started,
            boot=_boot(),
            pid_space=_pid_space(),
            host=socket.gethostname(),
            since=datetime.now(UTC).isoformat(timespec="seconds"),
        )

    @classmethod
    def parse(cls, data: bytes) -> Owner | None:
        """The owner a lock file names; None for anything else, half-written files included."""
        try:
            values = json.loads(data)
        except (ValueError, RecursionError):
            return None
        if not isinstance(values, dict) or set(values) != {item.name for item in fields(cls)}:
            return None
        texts = ("token", "place", "boot", "pid_space", "host", "since")
        numbers = ("pid", "started")
        if not all(isinstance(values[name], str) for name in texts):
            return None
        if not all(isinstance(values[name], int | float) for name in numbers) or not isinstance(values["pid"], int):
            return None
        if not values["token"] or not values["place"].isalnum():
            return None
        return cls(**values)

    def dump(self) -> bytes:
        """The lock file's bytes."""
        return json.dumps(asdict(self)).encode() + b"\n"

    def life(self, own_tokens: frozenset[str]) -> Life:
        """Whether the holder lives. `own_tokens`: the locks that this very process holds."""
        if self.host != socket.gethostname():
            return Life.ELSEWHERE
        if self.boot != _boot():
            return Life.GONE
        if self.pid_space != _pid_space():
            return Life.UNKNOWN
        if self.pid == os.getpid():
            return Life.ALIVE if self.token in own_tokens else Life.GONE
        started = _start_of(self.pid)
        if started is None or abs(started - self.started) > _tolerance():
            return Life.GONE
        return Life.ALIVE


def _tolerance() -> float:
    return 0.0 if _HAS_PROC else START_TOLERANCE_S


def _start_of(pid: int) -> float | None:
    """When the process started; None where there is no such process, or only its remains (a zombie)."""
    if pid <= 0:
        return None
    if _HAS_PROC:
        try:
            status = Path(f"/proc/{pid}/stat").read_bytes()
        except FileNotFoundError:
            return None
        except OSError:
            return time.time() if _exists(pid) else None
        # The name in parentheses may hold anything; the fields after it are fixed (proc(5): state is 3, starttime 22).
        after = status.rpartition(b")")[2].split()
        return None if after[0] in b"ZX" else float(after[19])
    import psutil

    try:
        process = psutil.Process(pid)
        return None if process.status() == psutil.STATUS_ZOMBIE else process.create_time()
    except psutil.NoSuchProcess:
        return None


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _boot() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
    except OSError:
        return ""


def _pid_space() -> str:
    try:
        return os.readlink("/proc/self/ns/pid")  # noqa: PTH115 (not a path but a name)
    except OSError:
        return ""
