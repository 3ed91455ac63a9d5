"""How a launch is held, so that nothing it started outlives it.

Invariant: one way is chosen once per run, proved on this machine before the first launch, and named in the record.
Killing a process group is not enough: an agent's shell tool starts its commands in sessions of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, Protocol

from measure.errors import ClientError
from measure.view import View

Way = Literal["pid-namespace", "descendants"]

READY = b"ready\n"
"""What a gated launch writes on its stdout once it can no longer outlive the harness."""
GO = b"go\n"
"""What the harness then writes on the launch's stdin, before the agent's own input."""
GATE_NAME = "launch"
COMPLAINTS = (b"launch: ", b"setpriv: ", b"unshare: ", b"mount: ")
"""How the parts before the agent sign what they write on stderr when they can't start it (exit code 126 or 127)."""


class Hold(Protocol):
    """The hold on one launch. `started` comes first, `sweep` last, after the child's exit was collected."""

    @property
    def argv(self) -> Sequence[str]:
        """The command to start: the agent's own, with whatever has to stand before it."""
        ...

    @property
    def env(self) -> Mapping[str, str]:
        """The whole environment to start it with."""
        ...

    @property
    def gated(self) -> bool:
        """Whether the child says `READY` and waits for `GO` before it becomes the agent."""
        ...

    def started(self, pid: int) -> None:
        """Take note of the direct child, which leads its own session and process group."""
        ...

    def terminate(self) -> None:
        """Ask the agent to end (SIGTERM). Only while the child's exit is not collected."""
        ...

    def kill(self) -> None:
        """End everything the launch started (SIGKILL). Only while the child's exit is not collected."""
        ...

    def agents_exit(self, exit_code: int, stderr: bytes) -> int:
        """The agent's own exit code (negative for a signal), told from the child's and what stands on stderr."""
        ...

    async def sweep(self) -> int | None:
        """End what outlived the child; how many processes that were, None where the kernel ended them uncounted."""
        ...


class Containment(Protocol):
    """One way of holding launches, safe for many at once."""

    @property
    def way(self) -> Way:
        """Its name in the record."""
        ...

    @property
    def variable(self) -> str | None:
        """The environment variable it adds to each launch, if any."""
        ...

    @property
    def has_views(self) -> bool:
        """Whether each launch can see files in places of its own (`showing`)."""
        ...

    def hold(self, argv: Sequence[str], env: Mapping[str, str]) -> Hold:
        """Prepare one launch."""
        ...

    def showing(self, view: View, cwd: Path) -> Containment:
        """The same for one launch that stands in `cwd`, which lies in `view.source`, and sees it as `view` says.

        Only where `has_views`.
        """
        ...

    def covering(self, *directories: Path) -> Containment:
        """The same, but launches that have process ids of their own see these directories as empty ones of their own.

        It is for places in which programs note the ids of running processes. Within a namespace all others seem dead,
        and a client that tidies up after dead ones would remove the notes of the user's own running client.
        """
        ...


def choose(way: Way | None = None) -> Containment:
    """The best way that works here, or the given one.

    Starts a few short-lived processes to find out (about 20 ms). Raises `ClientError` where `way` was asked for and
    does not work on this machine.
    """
    from measure.client.descendants import Descendants
    from measure.client.namespace import probe

    if way == "descendants":
        return Descendants()
    found = probe()
    if found is not None:
        return found
    if way == "pid-namespace":
        raise ClientError(
            "process namespaces were asked for, but this machine does not allow them",
            hint="They need Linux with util-linux (unshare, setpriv) and the right to make namespaces. "
            "Without them launches are held by following their descendants.",
        )
    return Descendants()


def children_of(pid: int) -> list[int]:
    """Direct children of a process, zombies included; empty where it is gone.

    Linux tells them in one small file per thread; elsewhere psutil reads the process table.
    """
    try:
        lists = [(thread / "children").read_bytes() for thread in Path(f"/proc/{pid}/task").iterdir()]
    except OSError:
        import psutil

        try:
            return [child.pid for child in psutil.Process(pid).children()]
        except psutil.Error:
            return []
    return [int(child) for listed in lists for child in listed.split()]
