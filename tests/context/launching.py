"""Captures with the real clients, shared between tests: one launch for each thing that is looked at."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import anyio

from measure.arena.arena import Arena, Arms
from measure.client.claude import ClaudeClient, open_claude
from measure.client.containment import choose
from measure.context.capture import capture
from measure.context.proof import Proof
from measure.context.prove import proof_from
from measure.context.request import Request
from measure.contrast import EditKind, edit_from_place, find_contrast
from measure.surface import Surface, read_surface
from tests.doubles.real_clients import RealClient

MODEL = "claude-sonnet-4-5"


def opened(client: RealClient, environ: Mapping[str, str], model: str = MODEL) -> ClaudeClient:
    """The product's own client in its production condition."""
    return open_claude(model=model, environ=environ, client=client.path, containment=choose())


def caught(client: ClaudeClient, cwd: Path, temp: Path, prompt: str = "What now?") -> Request:
    """The request of a launch in a folder as it is, without an arena."""

    async def work() -> Request:
        return await capture(client, cwd=cwd, temp=temp, prompt=prompt)

    return anyio.run(work)


@dataclass
class Bench:
    """One workspace in an arena; the baseline is captured once, each edit by one launch of its own."""

    client: ClaudeClient
    arena: Arena
    surface: Surface
    _baseline: Request | None = field(default=None)
    _seen: dict[tuple[str, ...], tuple[Arms, Request]] = field(default_factory=dict)

    def arms(self, kind: str, place: str, new: str | None = None) -> Arms:
        return self.arena.build(self.surface, find_contrast(self.surface, edit_from_place(EditKind(kind), place, new)))

    def prove(self, *edit: str, on_demand: bool = False) -> Proof:
        """The proof of one edit. Raises what a run would raise."""
        if edit not in self._seen:
            both = self.arms(*edit)
            if self._baseline is None:
                self._baseline = self.at_desk(both.baseline)
            self._seen[edit] = both, self.at_desk(both.variant)
        assert self._baseline is not None
        both, variant = self._seen[edit]
        return proof_from(both, self._baseline, variant, on_demand=on_demand)

    def at_desk(self, arm: Path) -> Request:
        with self.arena.stall(arm, at_desk=True) as stall:
            return caught(self.client, stall.path, stall.temp)


@contextlib.contextmanager
def bench(client: RealClient, workspace: Path, root: Path) -> Iterator[Bench]:
    """A bench for one workspace; `root` is where it may put things."""
    home = root / "home"
    home.mkdir(parents=True)
    with Arena(root / "arena") as arena:
        yield Bench(opened(client, {"PATH": "/usr/bin:/bin", "HOME": str(home)}), arena, read_surface(workspace))
    assert not (root / "arena").exists()
