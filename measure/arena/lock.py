"""The lock: one `os.mkdir` of a fixed directory; whoever fails it does not start.

Invariant: at no moment do two processes hold it. Every step that takes away a lock (breaking a stale one, giving back
one's own) is made while holding `flock` on the directory above, which the system frees when a process dies; so it
is one process that looks and acts, and nothing is left behind. Where that is impossible nothing is ever broken.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import secrets
import stat
import tempfile
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from measure.arena.names import fresh_name
from measure.arena.owner import Life, Owner
from measure.errors import LockHeldError, WorkspaceError

SILENT_AFTER_S: Final = 900.0
"""A holder that gave no sign of life for so long is taken for hung."""

HALF_MADE_S: Final = 3.0
"""A lock without an owner is being made; one that is older was left half-made."""

OWNER_FILE: Final = "owner"

_TURN_WAIT_S: Final = 10.0
_held_tokens: set[str] = set()
"""Locks held by this process: another token under its own PID is a recycled number."""


def default_place() -> Path:
    """The fixed directory: one for each user, under the real temp directory."""
    return Path(os.path.realpath(tempfile.gettempdir())) / f"workspaces-{os.getuid()}"


class Lock:
    """An exclusive lock, given back by `release`. Not shared between threads."""

    def __init__(self, path: Path, *, silent_after_s: float = SILENT_AFTER_S) -> None:
        self.path = path
        self.silent_after_s = silent_after_s
        self.owner: Owner | None = None
        self._descriptor = -1
        self._identity: tuple[int, int] = (0, 0)
        self._pid = 0
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def acquire(self) -> None:
        """Take the lock, breaking one whose holder is provably gone or silent for too long.

        A broken lock is only moved aside, under a name that `find_remains` finds. Raises `LockHeldError` when somebody
        else holds it or the place is no lock, `WorkspaceError` when temp can't be written.
        """
        until = time.monotonic() + HALF_MADE_S + _TURN_WAIT_S
        while True:
            with _turn(self.path.parent) as guarded:
                if self._make():
                    return
                taken = inspect(self.path)
                if taken is not None and taken.wait:
                    pass
                elif taken is not None and (why := why_stale(taken, self.silent_after_s)) is None:
                    raise _held(self.path, taken)
                elif taken is not None and not guarded:
                    raise LockHeldError(
                        f"The lock {self.path} was left behind ({why}), but can't be taken over safely: "
                        "its file system has no flock, or something holds it.",
                        hint=f"If no run is active, remove it: rm -r {self.path}",
                    )
                elif taken is not None:
                    self.path.rename(_aside(self.path))
                    continue
            if time.monotonic() > until:
                raise LockHeldError(f"The lock {self.path} changed hands too often to be taken.", hint="Try again.")
            time.sleep(0.02)

    def beat(self) -> None:
        """Give a sign of life."""
        if self._descriptor >= 0:
            os.utime(self._descriptor)

    def still_held(self) -> bool:
        """Whether this process holds the lock. False after it was taken for hung and broken: the run has to stop."""
        if self.owner is None or self._pid != os.getpid():
            return False
        try:
            status = os.lstat(self.path)
            return (status.st_dev, status.st_ino) == self._identity and _read_owner(self.path) == self.owner
        except OSError:
            return False

    def release(self) -> tuple[str, ...]:
        """Give the lock back; twice is no error. Returns warnings, never raises for what can't be removed.

        Whatever else stands in the directory is not this program's: it is kept, under the name the warning tells.
        """
        if self.owner is None or self._pid != os.getpid():
            return ()
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
        warnings: list[str] = []
        with _turn(self.path.parent):
            if self.still_held():
                aside = _aside(self.path)
                try:
                    self.path.rename(aside)
                except OSError as error:
                    warnings.append(f"The lock {self.path} can't be removed: {error.strerror}.")
                else:
                    warnings += discard(aside)
            else:
                warnings.append(f"The lock {self.path} was taken over by another run before this one ended.")
        os.close(self._descriptor)
        self._descriptor = -1
        _held_tokens.discard(self.owner.token)
        self.owner = None
        return tuple(warnings)

    def _make(self) -> bool:
        try:
            self.path.mkdir(mode=0o700)
        except FileExistsError:
            return False
        except OSError as error:
            raise _unwritable(self.path.parent, error) from None
        owner = Owner.of_this_process(secrets.token_hex(16), fresh_name())
        file = self.path / OWNER_FILE
        try:
            descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
            try:
                os.write(descriptor, owner.dump())
                # Without this a power loss can leave an empty owner beside arms that nobody may then remove.
                os.fsync(descriptor)
            except OSError:
                os.close(descriptor)
                raise
        except OSError as error:
            file.unlink(missing_ok=True)
            self.path.rmdir()
            raise _unwritable(self.path.parent, error) from None
        status = os.lstat(self.path)
        self._descriptor, self._identity, self._pid = descriptor, (status.st_dev, status.st_ino), os.getpid()
        self.owner = owner
        _held_tokens.add(owner.token)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._keep_beating, name="heartbeat", daemon=True)
        self._thread.start()
        return True

    def _keep_beating(self) -> None:
        while not self._stop.wait(self.silent_after_s / 20):
            with contextlib.suppress(OSError):
                self.beat()


class Taken:
    """What stands at the place of the lock."""

    __slots__ = ("owner", "silent_s", "wait")

    def __init__(self, owner: Owner | None, silent_s: float, *, wait: bool) -> None:
        self.owner = owner
        """Who holds it; None where that was never written."""
        self.silent_s = silent_s
        """Seconds since the last sign of life."""
        self.wait = wait
        """It is being made this very moment."""


def why_stale(taken: Taken, silent_after_s: float) -> str | None:
    """Why a lock may be broken; None while it has to be respected."""
    if taken.owner is None:
        return None if taken.wait else "it has no owner"
    life = taken.owner.life(frozenset(_held_tokens))
    if life is Life.GONE:
        return "its holder is gone"
    if life is not Life.ELSEWHERE and taken.silent_s > silent_after_s:
        return f"its holder gave no sign of life for {taken.silent_s:.0f} s"
    return None


def inspect(path: Path) -> Taken | None:
    """What stands at the place of the lock; None where nothing does. Changes nothing.

    Raises `LockHeldError` where something stands there that is no lock of this user.
    """
    for _ in range(5):
        try:
            status = os.lstat(path)
        except FileNotFoundError:
            return None
        if not stat.S_ISDIR(status.st_mode):
            what = "a link" if stat.S_ISLNK(status.st_mode) else "not a directory"
            raise LockHeldError(
                f"{path} is no lock directory but {what}.", hint=f"Look at it, then remove it: rm {path}"
            )
        if status.st_uid != os.getuid():
            raise LockHeldError(
                f"{path} belongs to another user (id {status.st_uid}).", hint="Set TMPDIR to a folder of your own."
            )
        try:
            names = os.listdir(path)  # noqa: PTH208 (names are wanted)
            owner = _read_owner(path)
            beat = os.lstat(path / OWNER_FILE).st_mtime if OWNER_FILE in names else status.st_mtime
        except OSError as error:
            # The holder changed meanwhile: gone, or (on a network file system) replaced.
            if error.errno in (errno.ENOENT, errno.ESTALE, errno.ENOTDIR):
                continue
            raise LockHeldError(f"The lock {path} can't be read: {error.strerror}.") from None
        if owner is None and set(names) - {OWNER_FILE}:
            raise LockHeldError(
                f"{path} holds {min(set(names) - {OWNER_FILE})!r} but no owner: it is no lock of this program.",
                hint=f"Look at it, then remove it: rm -r {path}",
            )
        silent_s = max(0.0, time.time() - beat)
        return Taken(owner, silent_s, wait=owner is None and silent_s < HALF_MADE_S)
    return Taken(None, 0.0, wait=True)


def find_remains(path: Path) -> tuple[Path, ...]:
    """Locks of this user that were moved aside and not removed to the end, with the owner they name."""
    found: list[Path] = []
    with os.scandir(path.parent) as listing:
        for entry in listing:
            if entry.name.startswith(f"{path.name}.") and entry.is_dir(follow_symlinks=False):
                place = Path(entry.path)
                with contextlib.suppress(OSError):
                    mine = os.lstat(place).st_uid == os.getuid()
                    if mine and (_read_owner(place) is not None or not set(os.listdir(place)) - {OWNER_FILE}):  # noqa: PTH208
                        found.append(place)
    return tuple(sorted(found))


def place_of(lock: Path) -> Path | None:
    """The folder that holds all that the owner of this lock made; None where no owner is named."""
    owner = _read_owner(lock)
    return None if owner is None else lock / owner.place


def discard(aside: Path) -> tuple[str, ...]:
    """Remove an emptied lock that was moved aside. Returns a warning for anything in it that is not the lock's own.

    A lock whose place could not be emptied stays as it is, so that the next run tries again.
    """
    try:
        owner = _read_owner(aside)
        left = sorted(set(os.listdir(aside)) - {OWNER_FILE})  # noqa: PTH208 (names are wanted)
        unknown = [name for name in left if owner is None or name != owner.place]
        if unknown:
            warning = f"Not removed, since this program did not make it: {aside / unknown[0]}"
        if len(unknown) == len(left):
            (aside / OWNER_FILE).unlink(missing_ok=True)
        if not left:
            aside.rmdir()
    except FileNotFoundError:
        return ()
    except OSError as error:
        return (f"Not removed: {aside} ({error.strerror}).",)
    return (warning,) if unknown else ()


def _read_owner(lock: Path) -> Owner | None:
    try:
        descriptor = os.open(lock / OWNER_FILE, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ELOOP):
            return None
        raise
    try:
        return Owner.parse(os.read(descriptor, 65536))
    finally:
        os.close(descriptor)


def _aside(path: Path) -> Path:
    return path.with_name(f"{path.name}.{secrets.token_hex(8)}")


def _held(path: Path, taken: Taken) -> LockHeldError:
    owner = taken.owner
    assert owner is not None
    since = datetime.fromisoformat(owner.since).astimezone(UTC) if owner.since else None
    told = f"since {since:%Y-%m-%d %H:%M:%S} UTC, " if since else ""
    message = (
        f"Another run holds the lock {path}: process {owner.pid} on {owner.host}, {told}last sign of life "
        f"{taken.silent_s:.0f} s ago."
    )
    if owner.life(frozenset(_held_tokens)) is Life.ELSEWHERE:
        return LockHeldError(
            message, hint=f"It is on another host and never taken over. If nothing runs there: rm -r {path}"
        )
    return LockHeldError(message, hint="Wait for it to end, or end that process; its lock is then taken over.")


def _unwritable(folder: Path, error: OSError) -> WorkspaceError:
    return WorkspaceError(
        f"The arms need a place under {folder}, which can't be written: {error.strerror}.",
        hint="Make room there, or set TMPDIR to a folder that can be written.",
    )


@contextlib.contextmanager
def _turn(folder: Path) -> Iterator[bool]:
    """One process at a time. Yields False where the system can't give that: then nothing may be taken away."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise _unwritable(folder, error) from None
    try:
        yield _wait_for_turn(descriptor)
    finally:
        os.close(descriptor)


def _wait_for_turn(descriptor: int) -> bool:
    until = time.monotonic() + _TURN_WAIT_S
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            # Something that is no run can hold it for long; then go on without, and take nothing away.
            if time.monotonic() > until:
                return False
            time.sleep(0.005)
        except OSError:
            return False
        else:
            return True
