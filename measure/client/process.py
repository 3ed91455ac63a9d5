"""One child process, from its start to the proof that nothing of it is left.

Invariant: `run_child` returns, or passes a cancellation on, only after the child's whole tree was ended or the wait
for that was given up and says so (`Finished.not_ended`); whatever the child does, it takes no longer than the time
limit, the grace period and the few seconds that ending it is given. Output stays bytes: nothing is decoded here.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

import anyio

from measure.client.containment import COMPLAINTS, GO, READY, Containment, Hold

STDOUT_CAP = 64 * 1024 * 1024
TAIL = 8 * 1024
_CHUNK = 64 * 1024
_TERM_PATIENCE_S = 2.0
_KILL_PATIENCE_S = 5.0
_POLL_S = 0.02


@dataclass(frozen=True, slots=True)
class Finished:
    """How one child ended and what it wrote."""

    stdout: bytes
    """Everything it wrote to stdout, up to the cap."""
    stdout_tail: bytes
    stderr_tail: bytes
    exit_code: int | None
    """Negative for a signal; None where it never started or its end could not be waited for."""
    timed_out: bool
    """The time limit ended it."""
    killed_after_result: bool
    """It had given its result and did not exit within the grace period."""
    oversize: bool
    """It wrote more to stdout than the cap allows and was ended for that."""
    started_at: datetime
    """UTC."""
    wall_s: float
    """Seconds from the start to the collected exit."""
    leftovers: int | None
    """Processes that were alive after the child's end and were ended; None where the kernel ended them uncounted."""
    start_error: str | None
    """Why it never started."""
    not_ended: tuple[int, ...] = ()
    """Process ids that SIGKILL did not end in time (uninterruptible sleep); their directory is still in use."""


async def run_child(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    stdin: bytes,
    time_limit_s: float,
    containment: Containment,
    grace_s: float = 10.0,
    is_final: Callable[[bytes], bool] | None = None,
    stdout_cap: int = STDOUT_CAP,
    tail: int = TAIL,
) -> Finished:
    """Start `argv` in `cwd`, give it `stdin`, and wait for its end.

    `argv[0]` is an absolute path or is looked up on the PATH of `env`, which is the whole environment of the child.
    `is_final` is asked about each line of stdout (without its line end); once it was true, the child is ended when it
    writes nothing for `grace_s` seconds and has not exited. The same period is given to the pipes after the child's
    exit. A child that cannot be started is told in the value, never raised.

    Raises `ValueError` for an argument that holds a line break: launchers of some systems cut a command there.
    """
    if any("\n" in argument for argument in argv):
        raise ValueError("an argument holds a line break; give long texts by stdin")
    started_at = datetime.now(UTC)
    clock = anyio.current_time()
    search = env.get("PATH", os.defpath)
    program = shutil.which(argv[0], path=search)
    if program is None:
        return _never_started(f"no program {argv[0]!r} that can be run (PATH: {search})", started_at)
    hold = containment.hold([program, *argv[1:]], env)
    try:
        child = _start(hold, cwd)
    except (OSError, ValueError) as error:
        return _never_started(str(error), started_at)
    hold.started(child.pid)
    run = _Run(child, hold, stdout=_Output(stdout_cap, is_final), stderr=_Tail(tail))
    try:
        await run.to_its_end(stdin, limit=clock + time_limit_s, grace_s=grace_s)
    finally:
        if not run.ended:
            with anyio.CancelScope(shield=True):
                await run.end()
        run.close()
    stdout = bytes(run.stdout.data)
    start_error = run.start_error()
    return Finished(
        stdout=stdout,
        stdout_tail=stdout[-tail:],
        stderr_tail=bytes(run.stderr.data[-tail:]),
        exit_code=None if start_error is not None else run.exit_code(),
        timed_out=run.timed_out,
        killed_after_result=run.killed_after_result,
        oversize=run.stdout.oversize,
        started_at=started_at,
        wall_s=anyio.current_time() - clock,
        leftovers=run.leftovers,
        start_error=start_error,
        not_ended=run.not_ended,
    )


def _never_started(why: str, started_at: datetime) -> Finished:
    return Finished(b"", b"", b"", None, False, False, False, started_at, 0.0, 0, why)


def _start(hold: Hold, cwd: Path) -> subprocess.Popen[bytes]:
    child = subprocess.Popen(
        hold.argv,
        bufsize=0,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=str(cwd),
        env=hold.env,
        start_new_session=True,
    )
    for pipe in (child.stdin, child.stdout, child.stderr):
        os.set_blocking(_opened(pipe).fileno(), False)
    return child


class _Run:
    """What is known of a started child. Only `to_its_end` and `end` wait; `end` can be called at any time."""

    def __init__(self, child: subprocess.Popen[bytes], hold: Hold, *, stdout: _Output, stderr: _Tail) -> None:
        self.child = child
        self.hold = hold
        self.stdout = stdout
        self.stderr = stderr
        self.began = not hold.gated
        self.ended = False
        self.timed_out = False
        self.killed_after_result = False
        self.leftovers: int | None = 0
        self.not_ended: tuple[int, ...] = ()

    async def to_its_end(self, stdin: bytes, *, limit: float, grace_s: float) -> None:
        """Feed and drain until the child is gone and its pipes are empty; end it where it has to be ended."""
        async with anyio.create_task_group() as pipes:
            drained = [anyio.Event(), anyio.Event()]
            pipes.start_soon(self._drain, self.child.stderr, self.stderr.add, drained[0])
            with anyio.CancelScope(deadline=limit) as waiting:

                def heard(chunk: bytes) -> None:
                    self.stdout.add(chunk)
                    if self.stdout.oversize:
                        waiting.cancel()
                    elif self.stdout.final:
                        # What still comes after a result, such as the end of background work, renews the grace.
                        waiting.deadline = min(limit, anyio.current_time() + grace_s)

                if self.hold.gated:
                    stdin = GO + stdin
                    self.began = await self._said_ready()
                pipes.start_soon(self._drain, self.child.stdout, heard, drained[1])
                pipes.start_soon(self._feed, stdin if self.began else b"")
                await _exited(self.child)
            if waiting.cancelled_caught and not self.stdout.oversize:
                self.killed_after_result = self.stdout.final
                self.timed_out = anyio.current_time() >= limit
            with anyio.CancelScope(shield=True):
                await self.end()
            with anyio.move_on_after(grace_s):
                for pipe in drained:
                    await pipe.wait()
            pipes.cancel_scope.cancel()

    async def end(self) -> None:
        """End the whole tree: asked first, then killed. Takes no more than some seconds, whatever the kernel does."""
        self.ended = True
        # Before the agent began there is nobody to ask.
        asking = [(self.hold.terminate, _TERM_PATIENCE_S)] if self.began else []
        for act, patience_s in (*asking, (self.hold.kill, _KILL_PATIENCE_S)):
            if self.child.returncode is None:
                act()
                with anyio.move_on_after(patience_s):
                    await _exited(self.child)
        if self.child.returncode is None:
            self.not_ended = (self.child.pid,)
            _NOT_ENDED.append(self.child)
        self.leftovers = await self.hold.sweep()

    def close(self) -> None:
        for pipe in (self.child.stdin, self.child.stdout, self.child.stderr):
            _opened(pipe).close()

    def exit_code(self) -> int | None:
        code: int | None = self.child.returncode
        return None if code is None else self.hold.agents_exit(code, bytes(self.stderr.data))

    def start_error(self) -> str | None:
        """Why there never was an agent, as far as the parts in front of it tell."""
        said = self.stderr.data.decode(errors="replace").strip()
        if not self.began and not self.timed_out:
            return f"the launch could not be contained: {said or 'no reason given'}"
        if self.child.returncode in (126, 127) and not self.stdout.data and said.encode().startswith(COMPLAINTS):
            return said
        return None

    async def _said_ready(self) -> bool:
        descriptor = _opened(self.child.stdout).fileno()
        said = b""
        while not said.endswith(b"\n"):
            await anyio.wait_readable(descriptor)
            if not (chunk := os.read(descriptor, len(READY))):
                break
            said += chunk
        return said == READY

    async def _feed(self, stdin: bytes) -> None:
        pipe = _opened(self.child.stdin)
        left = memoryview(stdin)
        # A child may exit, or close its stdin, without reading all of it; what it made of that shows in its output.
        with suppress(BrokenPipeError, ConnectionResetError):
            while left:
                try:
                    left = left[os.write(pipe.fileno(), left[:_CHUNK]) :]
                except BlockingIOError:
                    await anyio.wait_writable(pipe.fileno())
        pipe.close()

    async def _drain(self, pipe: IO[bytes] | None, take: Callable[[bytes], None], drained: anyio.Event) -> None:
        descriptor = _opened(pipe).fileno()
        while True:
            # Waiting before each read lets the others run while a child writes without a pause.
            await anyio.wait_readable(descriptor)
            chunk = os.read(descriptor, _CHUNK)
            if not chunk:
                break
            take(chunk)
        drained.set()


class _Output:
    """Stdout: kept whole up to the cap, and looked at line by line as it comes."""

    def __init__(self, cap: int, is_final: Callable[[bytes], bool] | None) -> None:
        self.data = bytearray()
        self.oversize = False
        self.final = False
        self._cap = cap
        self._is_final = is_final
        self._line_start = 0

    def add(self, chunk: bytes) -> None:
        seen = len(self.data)
        self.data += chunk[: self._cap - seen]
        self.oversize = self.oversize or seen + len(chunk) > self._cap
        if self._is_final is None:
            return
        while (line_end := self.data.find(b"\n", seen)) != -1:
            self.final = self._is_final(bytes(self.data[self._line_start : line_end])) or self.final
            self._line_start = seen = line_end + 1


class _Tail:
    """The last bytes of a stream of any length."""

    def __init__(self, length: int) -> None:
        self.data = bytearray()
        self._length = length

    def add(self, chunk: bytes) -> None:
        self.data += chunk
        del self.data[: -self._length or None]


_NOT_ENDED: list[subprocess.Popen[bytes]] = []
"""Children in uninterruptible sleep: kept, so that the interpreter does not complain of them at every turn."""


async def _exited(child: subprocess.Popen[bytes]) -> None:
    """Wait for the child's exit and collect it, without a thread; by polling where there are no process descriptors."""
    try:
        descriptor = os.pidfd_open(child.pid)
    except (AttributeError, OSError):
        while child.poll() is None:  # noqa: ASYNC110 - the kernel offers nothing to wait for here
            await anyio.sleep(_POLL_S)
        return
    try:
        while child.poll() is None:
            await anyio.wait_readable(descriptor)
    finally:
        os.close(descriptor)


def _opened(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None
    return pipe
