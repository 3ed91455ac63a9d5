"""Launches held by following their descendants, for systems without process namespaces.

Invariant: when a launch is over, no process is left that descends from it as far as this system can tell: by the
family tree before anything is killed, by its process group, by adoption (Linux hands orphans to the nearest
subreaper: the harness makes itself one) and by a mark in the environment that children inherit. What no living
process can still see to, a SIGKILL of the harness itself, is the next run's work: `measure.client.leftovers`.
"""

from __future__ import annotations

import ctypes
import os
import secrets
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import ClassVar

import anyio
import psutil

from measure.client.containment import Way, children_of
from measure.view import View

VARIABLE = "SESSION_TAG"
_PR_SET_CHILD_SUBREAPER = 36
_SWEEP_LIMIT_S = 2.0


class Descendants:
    """Holds launches by their family tree. One per run; `tag` is what all marks of the run begin with."""

    way: ClassVar[Way] = "descendants"
    variable: ClassVar[str | None] = VARIABLE
    has_views: ClassVar[bool] = False

    def __init__(self, *, adopt: bool = True) -> None:
        """`adopt=False` leaves out what only Linux has, for tests of the path other systems take."""
        self.tag = secrets.token_hex(8)
        self.adopts = adopt and _become_subreaper()
        self.live: set[int] = set()
        self._before = _dying_with_the_harness() if adopt else ()

    def hold(self, argv: Sequence[str], env: Mapping[str, str]) -> DescendantsHold:
        mark = f"{self.tag}{secrets.token_hex(8)}"
        return DescendantsHold(self, (*self._before, *argv), {**env, VARIABLE: mark}, mark)

    def covering(self, *directories: Path) -> Descendants:
        # Launches share the process ids of everybody else, so what is noted there means the same to them.
        return self

    def showing(self, view: View, cwd: Path) -> Descendants:
        raise ValueError("without namespaces all launches see the same files")


class DescendantsHold:
    """The hold on one launch."""

    gated = False

    def __init__(self, run: Descendants, argv: Sequence[str], env: Mapping[str, str], mark: str) -> None:
        self.argv = argv
        self.env = env
        self._run = run
        self._mark = mark
        self._pid = 0
        self._family: set[psutil.Process] = set()

    def started(self, pid: int) -> None:
        self._pid = pid
        self._run.live.add(pid)

    def terminate(self) -> None:
        self._remember_family()
        self._signal_group(signal.SIGTERM)

    def kill(self) -> None:
        self._remember_family()
        self._signal_group(signal.SIGKILL)
        for process in self._family:
            with suppress(psutil.Error):
                process.kill()

    def agents_exit(self, exit_code: int, stderr: bytes) -> int:
        return exit_code

    async def sweep(self) -> int | None:
        self._run.live.discard(self._pid)
        ended: set[int] = set()
        deadline = time.monotonic() + _SWEEP_LIMIT_S
        while time.monotonic() < deadline:
            found = [process for process in self._left() if process.pid not in self._run.live]
            if not found:
                break
            for process in found:
                with suppress(psutil.Error):
                    # Children first become orphans when their parent dies: the next round of the loop finds them.
                    process.kill()
                    ended.add(process.pid)
            await anyio.sleep(0.002)
        return len(ended)

    def _remember_family(self) -> None:
        with suppress(psutil.Error):
            self._family.update(psutil.Process(self._pid).children(recursive=True))

    def _signal_group(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._pid, number)

    def _left(self) -> Iterable[psutil.Process]:
        yield from (process for process in self._family if _alive(process))
        if self._run.adopts:
            yield from self._adopted()
        else:
            self._signal_group(signal.SIGKILL)
            yield from marked(self._mark)

    def _adopted(self) -> Iterable[psutil.Process]:
        """Orphans of this launch that became children of the harness; their dead are collected on the way."""
        own_session = os.getsid(0)
        for pid in children_of(os.getpid()):
            # Launches lead sessions of their own, so a child in the harness's session is somebody else's business.
            if pid in self._run.live or _session(pid) in (own_session, None):
                continue
            with suppress(psutil.Error):
                process = psutil.Process(pid)
                if process.status() == psutil.STATUS_ZOMBIE:
                    with suppress(ChildProcessError):
                        os.waitpid(pid, os.WNOHANG)
                elif self._is_mine(process):
                    yield process

    def _is_mine(self, process: psutil.Process) -> bool:
        mark = _mark_of(process)
        # A process that dropped its environment could be any launch's; it is ended when no other launch is running.
        return mark == self._mark or (mark is None and not self._run.live)


def marked(mark: str) -> Iterable[psutil.Process]:
    """Living processes whose mark begins with `mark`, as far as this user may read their environment."""
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            if process.environ().get(VARIABLE, "").startswith(mark) and _alive(process):
                yield process


def _alive(process: psutil.Process) -> bool:
    with suppress(psutil.Error):
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False


def _session(pid: int) -> int | None:
    with suppress(OSError):
        return os.getsid(pid)
    return None


def _mark_of(process: psutil.Process) -> str | None:
    with suppress(psutil.Error, OSError):
        return process.environ().get(VARIABLE)
    return None


def _become_subreaper() -> bool:
    """On Linux: from now on orphaned descendants become children of this process. prctl(2)."""
    if sys.platform != "linux":
        return False
    try:
        return bool(ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0)
    except (OSError, AttributeError):
        return False


def _dying_with_the_harness() -> tuple[str, ...]:
    """A prefix that has the agent itself (not its children) killed when the harness dies, where there is one."""
    setpriv = shutil.which("setpriv") if sys.platform == "linux" else None
    if setpriv is None:
        return ()
    prefix = (setpriv, "--pdeathsig", "KILL", "--")
    try:
        tried = subprocess.run([*prefix, "true"], capture_output=True, timeout=5.0, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ()
    return prefix if tried.returncode == 0 else ()
