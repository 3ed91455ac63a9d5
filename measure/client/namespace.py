"""Launches inside a Linux PID namespace of their own: when its first process ends, the kernel ends all the others.

Invariant: from the moment the agent runs, the death of the harness, of the wrapper or of the agent ends every process
of the launch, whatever sessions they made. The chain is `setpriv` (dies with the harness) → `unshare` (makes the
namespace; its first process dies with it) → `sh` (the gate) → the agent, which replaces `sh` and so is that first
process. `unshare` returns only after the namespace is empty, with the agent's own exit code or signal.

The gate closes the moments in which one of these parents could die before its child asked to die with it: only after
both asked does the child say READY, and only a living harness answers GO. Facts from prctl(2) PR_SET_PDEATHSIG,
pid_namespaces(7) and unshare(1).
"""

from __future__ import annotations

import errno
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

from measure.client.containment import GATE_NAME, GO, READY, Way, children_of

# `read -r` takes single bytes from a pipe, so what follows GO is left for the agent. What stands between `read` and
# `exec` happens in the launch's own view of the file system and is seen by nobody else.
_GATE = """
echo ready && read -r _ || exit 1
while [ "$1" != -- ]; do
  [ ! -d "$1" ] || mount -t tmpfs -o mode=700 none "$1" || exit 1
  shift
done
shift
exec "$@"
"""
_KILLED = b"unshare: sigprocmask unblock failed: " + os.strerror(errno.EINVAL).encode() + b"\n"
_PROBE_LIMIT_S = 5.0


@dataclass(slots=True)
class _NamespaceHold:
    argv: Sequence[str]
    env: Mapping[str, str]
    gated: bool = True
    _pid: int = field(default=0)

    def started(self, pid: int) -> None:
        self._pid = pid

    def terminate(self) -> None:
        # unshare blocks SIGTERM while it waits, so only the agent acts on it.
        _signal_group(self._pid, signal.SIGTERM)

    def kill(self) -> None:
        # The first process of the namespace rather than the wrapper: then the wrapper's exit proves the rest is gone.
        for pid in children_of(self._pid) or [self._pid]:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def agents_exit(self, exit_code: int, stderr: bytes) -> int:
        # unshare repeats the agent's signal on itself. With SIGKILL some versions fail at that, and say so.
        return -signal.SIGKILL if exit_code == 1 and stderr.endswith(_KILLED) else exit_code

    async def sweep(self) -> int | None:
        return None


@dataclass(frozen=True, slots=True)
class PidNamespace:
    """Launches in PID namespaces, made with the options of unshare(1) that were proved to work here."""

    options: tuple[str, ...]
    setpriv: str
    unshare: str
    shell: str
    covered: tuple[str, ...] = ()

    way: ClassVar[Way] = "pid-namespace"
    variable: ClassVar[str | None] = None

    def hold(self, argv: Sequence[str], env: Mapping[str, str]) -> _NamespaceHold:
        return _NamespaceHold(argv=(*self._before(), *argv), env=env)

    def covering(self, *directories: Path) -> PidNamespace:
        return replace(self, covered=(*self.covered, *map(os.path.realpath, directories)))

    def _before(self) -> tuple[str, ...]:
        return (
            self.setpriv, "--pdeathsig", "KILL", "--",
            self.unshare, "--pid", "--mount", "--fork", "--kill-child", *self.options, "--",
            self.shell, "-c", _GATE, GATE_NAME, *self.covered, "--",
        )  # fmt: skip


def probe() -> PidNamespace | None:
    """The mildest namespace that works and keeps its promises on this machine; None where there is none."""
    tools = [shutil.which(name) for name in ("setpriv", "unshare", "sh")]
    if sys.platform != "linux" or None in tools:
        return None
    setpriv, unshare, shell = (str(tool) for tool in tools)
    own_user = ("--user", "--map-current-user")
    # With its own /proc the agent sees its own processes only; where a container forbids that, it still works without.
    for options in (("--mount-proc",), (*own_user, "--mount-proc"), (), own_user):
        candidate = PidNamespace(options, setpriv, unshare, shell)
        if _passes_results_through(candidate) and _dies_with_its_parent(candidate):
            return candidate
    return None


def _passes_results_through(candidate: PidNamespace) -> bool:
    """The agent is process 1, sees its input alone, and its exit code comes back."""
    script = 'read -r line && [ "$$ $line" = "1 input" ] && [ -r /proc/self/stat ] && exit 7'
    try:
        done = subprocess.run(
            candidate.hold(["/bin/sh", "-c", script], {}).argv,
            input=GO + b"input\n",
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_PROBE_LIMIT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 7 and done.stdout == READY


def _dies_with_its_parent(candidate: PidNamespace) -> bool:
    """SIGKILL of the parent alone ends even a process that left the session: all hold the pipe, so it ends."""
    script = 'setsid sleep 600 & echo "$$"; sleep 600'
    inner = candidate.hold(["/bin/sh", "-c", script], {"PATH": os.defpath})
    try:
        parent = subprocess.Popen(
            ["/bin/sh", "-c", '"$@"; exit', "parent", *inner.argv],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:
        return False
    assert parent.stdin is not None
    assert parent.stdout is not None
    deadline = time.monotonic() + _PROBE_LIMIT_S
    with parent:
        try:
            parent.stdin.write(GO)
            parent.stdin.flush()
            said = b""
            while said != READY + b"1\n":
                if not (chunk := _read_before(deadline, parent.stdout.fileno())):
                    return False
                said += chunk
            parent.kill()
            return _read_before(deadline, parent.stdout.fileno()) == b""
        except OSError:
            return False
        finally:
            _signal_group(parent.pid, signal.SIGKILL)


def _read_before(deadline: float, descriptor: int) -> bytes | None:
    """What the pipe has next, b"" at its end, None where the deadline comes first."""
    ready, _, _ = select.select([descriptor], [], [], max(0.0, deadline - time.monotonic()))
    return os.read(descriptor, 4096) if ready else None


def _signal_group(pid: int, number: signal.Signals) -> None:
    try:
        os.killpg(pid, number)
    except (ProcessLookupError, PermissionError):
        pass
