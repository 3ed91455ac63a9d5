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
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

from measure.client.containment import GATE_NAME, GO, READY, Way, children_of
from measure.view import View

# `read -r` takes single bytes from a pipe, so what follows GO is left for the agent. What stands between `read` and
# `exec` happens in the launch's own view of the file system and is seen by nobody else. The folder that is shown comes
# last, since it may hold what is covered. Nothing is mounted unless this is the first process of a namespace. 126 says
# that the agent was never started.
_GATE = """
echo ready && read -r _ || exit 1
[ $$ = 1 ] || exit 126
while [ "$1" != -- ]; do
  [ ! -d "$1" ] || mount -n -t tmpfs -o mode=700 none "$1" || exit 126
  shift
done
if [ -n "$2" ]; then
  mount -n --bind "$2" "$3" && cd "$4" || exit 126
  unset PWD OLDPWD
fi
shift 4
exec "$@"
"""
_KILLED = b"unshare: sigprocmask unblock failed: " + os.strerror(errno.EINVAL).encode() + b"\n"
_PROBE_LIMIT_S = 3.0


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
    back: tuple[str, ...] = ()
    """Stands before the agent where making the namespace took another user id, and gives it back its own."""
    covered: tuple[str, ...] = ()
    shown: tuple[str, str, str] = ("", "", "")
    """A folder, the folder in whose place it is seen, and where the agent stands; empty for none."""

    way: ClassVar[Way] = "pid-namespace"
    variable: ClassVar[str | None] = None
    has_views: ClassVar[bool] = True

    def hold(self, argv: Sequence[str], env: Mapping[str, str]) -> _NamespaceHold:
        return _NamespaceHold(argv=(*self._before(), *argv), env=env)

    def covering(self, *directories: Path) -> PidNamespace:
        return replace(self, covered=(*self.covered, *map(os.path.realpath, directories)))

    def showing(self, view: View, cwd: Path) -> PidNamespace:
        return replace(self, shown=(str(view.source), str(view.target), str(view.of(cwd))))

    def _before(self) -> tuple[str, ...]:
        return (
            self.setpriv, "--pdeathsig", "KILL", "--",
            self.unshare, "--pid", "--mount", "--fork", "--kill-child", *self.options, "--",
            self.shell, "-c", _GATE, GATE_NAME, *self.covered, "--", *self.shown, *self.back,
        )  # fmt: skip


def probe() -> PidNamespace | None:
    """The mildest namespace that works and keeps its promises on this machine; None where there is none."""
    tools = [shutil.which(name) for name in ("setpriv", "unshare", "sh")]
    if sys.platform != "linux" or None in tools:
        return None
    setpriv, unshare, shell = (str(tool) for tool in tools)
    # A user who may not mount becomes another for as long as the namespace is made, and itself again for the agent.
    as_root = ("--user", "--map-root-user")
    back = (unshare, "--user", f"--map-user={os.getuid()}", f"--map-group={os.getgid()}", "--")
    # With its own /proc the agent sees its own processes only; where a container forbids that, it still works without.
    for options, again in ((("--mount-proc",), ()), ((*as_root, "--mount-proc"), back), ((), ()), (as_root, back)):
        candidate = PidNamespace(options, setpriv, unshare, shell, again)
        if _passes_results_through(candidate) and _dies_with_its_parent(candidate):
            return candidate
    return None


def _passes_results_through(candidate: PidNamespace) -> bool:
    """The agent is process 1 under the user's own id, sees its input alone and files where it should, and its exit code
    comes back."""
    script = (
        'read -r line && [ "$$ $line $(id -u)" = "1 input $1" ] && [ "$(pwd -P)" = "$2" ] && [ -f here ]'
        " && [ -r /proc/self/stat ] && exit 7"
    )
    with tempfile.TemporaryDirectory() as made:
        top = Path(os.path.realpath(made))
        own = top / "own"
        own.mkdir()
        (own / "here").touch()
        shown = candidate.showing(View(own, top), own)
        agent = ["/bin/sh", "-c", script, "agent", str(os.getuid()), str(top)]
        try:
            done = subprocess.run(
                shown.hold(agent, {}).argv,
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
    """SIGKILL of the parent alone ends even a process that left the session.

    All of them hold the output's pipe, so its end tells. All read the input's, so its end ends what a broken promise
    left behind.
    """
    script = 'exec 3<&0; setsid cat <&3 & echo "$$"; cat <&3'
    try:
        parent = subprocess.Popen(
            ["/bin/sh", "-c", '"$@"; exit', "parent", *candidate.hold(["/bin/sh", "-c", script], {}).argv],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
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
            parent.kill()


def _read_before(deadline: float, descriptor: int) -> bytes | None:
    """What the pipe has next, b"" at its end, None where the deadline comes first."""
    ready, _, _ = select.select([descriptor], [], [], max(0.0, deadline - time.monotonic()))
    return os.read(descriptor, 4096) if ready else None


def _signal_group(pid: int, number: signal.Signals) -> None:
    try:
        os.killpg(pid, number)
    except (ProcessLookupError, PermissionError):
        pass
