"""The arena: where both arms stand, and where every trial gets a copy of its own.

Invariant: nothing is made here without the lock, everything made stands in one folder that the lock names, and that
folder goes with the lock; what a kill left is removed by the next arena's first step.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

from measure.arena.clone import Copier, make_arm
from measure.arena.lock import SILENT_AFTER_S, Lock, default_place, discard, find_remains, place_of
from measure.arena.names import fresh_name
from measure.arena.signals import held_off_signals
from measure.arena.spread import spread_folders
from measure.arena.verify import verify_arm, verify_contrast
from measure.arena.wipe import remove_tree
from measure.contrast import Contrast
from measure.errors import WorkspaceError
from measure.surface.model import Entry, Surface
from measure.view import View

_TELLING = ("CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", ".claude", ".git")
"""What an agent would find above its folder: instructions of others, or a history."""


@dataclass(frozen=True, slots=True)
class Arms:
    """Both master arms, verified. Trials never run in them but in copies (`Arena.stall`)."""

    baseline: Path
    variant: Path
    surface: Surface
    contrast: Contrast | None
    """None where both arms are identical, to measure the noise band."""
    notices: tuple[str, ...] = ()

    def of(self, arm: Literal["baseline", "variant"]) -> Path:
        """The folder of one arm."""
        return self.baseline if arm == "baseline" else self.variant


@dataclass(frozen=True, slots=True)
class Stall:
    """One trial's own place: `path` is where the agent stands, `temp` its private temp folder.

    Both are real places; with a `view` the agent is to see them elsewhere.
    """

    path: Path
    temp: Path
    view: View | None = None


class Arena:
    """Use as a context manager: entered with the lock held, left with everything removed.

    All of it is synchronous and bounded in time, so it works in clean-up under cancellation.
    """

    def __init__(self, path: Path | None = None, *, silent_after_s: float = SILENT_AFTER_S) -> None:
        """`path` is the fixed place of the lock; only tests choose another than the default."""
        self.path = default_place() if path is None else Path(os.path.realpath(path.parent)) / path.name
        self.warnings: list[str] = []
        """Remains that could not be removed, and other things to tell at the end of the run."""
        self._lock = Lock(self.path, silent_after_s=silent_after_s)
        self._copier = Copier()
        self._place = self.path
        self._baselines: dict[str, tuple[Path, tuple[str, ...]]] = {}
        self._entries: dict[Path, tuple[Entry, ...]] = {}
        self._desk_taken = False

    def __enter__(self) -> Self:
        _check_above(self.path.parent)
        try:
            with held_off_signals():
                self._lock.acquire()
                self._wipe_remains()
                assert self._lock.owner is not None
                self._place = self.path / self._lock.owner.place
                self.config = self._place / fresh_name()
                """The run's private folder for the client's own state."""
                self.desk = self._place / fresh_name() / fresh_name()
                """One path that every trial can have, in turn or in a view of its own; nothing stands there between."""
                self._desk_temp = self.desk.with_name(fresh_name())
                try:
                    for folder in (self._place, self.config, self.desk.parent):
                        folder.mkdir(mode=0o700)
                    spread_folders(self._place)
                except OSError as error:
                    raise _no_arms(self._place, error) from None
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Remove everything and give the lock back; a second call does nothing."""
        if self._lock.owner is None:
            return
        with held_off_signals():
            self._end_processes(self._place)
            self.warnings += remove_tree(self._place)
            self.warnings += self._lock.release()

    def still_held(self) -> bool:
        """Whether the lock is still this run's; False means: stop, another run took this one for hung."""
        return self._lock.still_held()

    def build(self, surface: Surface, contrast: Contrast | None) -> Arms:
        """Make both arms and verify them. Raises `WorkspaceError` when they can't be made or aren't as they should be.

        Several contrasts of one surface share their baseline.
        """
        if self.path.is_relative_to(surface.workspace) or surface.workspace.is_relative_to(self.path):
            raise WorkspaceError(
                f"The workspace {surface.workspace} and the arms' place {self.path} lie within each other.",
                hint="Set TMPDIR to a folder outside the workspace.",
            )
        if surface.digest not in self._baselines:
            baseline = self._make(surface.entries, None, {})
            self._baselines[surface.digest] = baseline, verify_arm(baseline, surface)
        baseline, order = self._baselines[surface.digest]
        edited = {} if contrast is None else {contrast.path: contrast.apply((baseline / contrast.path).read_bytes())}
        variant = self._make(surface.entries, baseline, edited)
        same_order = verify_arm(variant, surface, contrast) == order
        if contrast is not None:
            verify_contrast(baseline, variant, contrast)
        notices = () if same_order else ("The arms list their folders in different orders; rules may load in another.",)
        return Arms(baseline, variant, surface, contrast, notices)

    def recheck(self, arms: Arms) -> None:
        """Verify the arms again, after trials. Raises `WorkspaceError` when anything wrote in them meanwhile."""
        verify_arm(arms.baseline, arms.surface)
        verify_arm(arms.variant, arms.surface, arms.contrast)

    @contextlib.contextmanager
    def stall(self, arm: Path | None, *, at_desk: bool = False, seen_at_desk: bool = False) -> Iterator[Stall]:
        """A fresh copy of an arm (or an empty folder) for one trial, removed afterwards.

        `at_desk`: the copy stands at `desk` itself, so that trials one after another share one path; one at a time.
        `seen_at_desk`: its agent is to see it at `desk` by the stall's `view`, and nothing else of the arena; any
        number at a time.
        """
        if at_desk and self._desk_taken:
            raise RuntimeError("the desk holds one trial at a time")
        self._desk_taken = self._desk_taken or at_desk
        outer = self._place / fresh_name()
        path, temp = outer / fresh_name(), outer / fresh_name()
        view = None
        if at_desk:
            outer, path, temp = self.desk.parent, self.desk, self._desk_temp
        elif seen_at_desk:
            view = View(outer, self._place)
            path, temp = (outer / place.relative_to(self._place) for place in (self.desk, self._desk_temp))
        try:
            try:
                if not at_desk:
                    outer.mkdir(mode=0o700)
                if view is not None:
                    path.parent.mkdir(mode=0o700)
                temp.mkdir(mode=0o700)
                make_arm(path, () if arm is None else self._entries[arm], self._copier, sources=arm)
            except OSError as error:
                raise _no_arms(self._place, error) from None
            yield Stall(path, temp, view)
        finally:
            with held_off_signals():
                for folder in (path, temp) if at_desk else (outer,):
                    self.warnings += remove_tree(folder)
                if at_desk:
                    self._desk_taken = False

    def _make(self, entries: tuple[Entry, ...], sources: Path | None, edited: dict[str, bytes]) -> Path:
        top = self._place / fresh_name()
        try:
            make_arm(top, entries, self._copier, sources=sources, instead=edited)
        except OSError as error:
            self.warnings += remove_tree(top)
            raise _no_arms(self._place, error) from None
        sizes = {path: len(data) for path, data in edited.items()}
        self._entries[top] = tuple(
            replace(entry, size=sizes[entry.path], content=None) if entry.path in sizes else entry for entry in entries
        )
        return top

    def _wipe_remains(self) -> None:
        for aside in find_remains(self.path):
            place = place_of(aside)
            self._end_processes(aside)
            if place is not None:
                self.warnings += remove_tree(place)
            self.warnings += discard(aside)

    def _end_processes(self, folder: Path) -> None:
        from measure.client.leftovers import end_processes_standing_in

        ended = end_processes_standing_in(folder)
        self.warnings += [f"Process {pid} can't be ended; it stands in {folder}." for pid in ended.remaining]


def check_place(path: Path | None = None) -> None:
    """Raise `WorkspaceError` where arms can't stand because of what lies above them."""
    _check_above((default_place() if path is None else path).parent)


def _check_above(folder: Path) -> None:
    for above in (folder, *folder.parents):
        for name in _TELLING:
            if os.path.lexists(above / name):
                raise WorkspaceError(
                    f"The arms would stand below {above / name}, which an agent would find there.",
                    hint="Set TMPDIR to a folder that has no instruction files and no repository above it.",
                )


def _no_arms(place: Path, error: OSError) -> WorkspaceError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return WorkspaceError(
            f"There is no room for the arms in {place.parent.parent}: {error.strerror}.",
            hint="Make room there, or set TMPDIR to a folder on a larger disk.",
        )
    return WorkspaceError(
        f"The arms can't be made: {error.strerror or error}{f' ({error.filename})' if error.filename else ''}.",
        hint="Was the workspace edited meanwhile? Start again when it is at rest.",
    )
