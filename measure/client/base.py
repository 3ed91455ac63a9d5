"""The one narrow interface through which agents are launched."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from pydantic import BaseModel, ConfigDict

from measure.client.trial import Returned
from measure.view import View

Paths = Literal["one-by-view", "one-in-turn", "own"]


class Condition(BaseModel):
    """Everything about a launch that is held fixed over a run and recorded with it. Holds no secret values."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    client: str
    """Which agent: `claude` or `simulated`."""
    client_version: str
    client_path: str
    """Where the executable is, with the home directory masked."""
    model: str
    """The model as it was asked for."""
    name: str
    """`production` or `lean`."""
    stage: int = 2
    arguments: tuple[str, ...]
    """Every argument after the executable."""
    variables_set: dict[str, str]
    """Variables that the harness sets, with their values."""
    variables_passed: tuple[str, ...]
    """Names of the user's own variables that pass through (how the model is reached); values are never kept."""
    variables_removed: tuple[str, ...] = ()
    """Names of the user's variables that are kept from the client."""
    max_turns: int = 1
    time_limit_s: float
    """Wall-clock limit of one launch in seconds."""
    containment: str
    """How whole process trees are ended: `pid-namespace` or `descendants`."""
    paths: Paths = "own"
    """Where trials stand. `one-by-view`: all at one path, each seeing its own copy there (mount namespaces).
    `one-in-turn`: all at one path, one after the other. `own`: each at a path of its own, which the model is told."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Order:
    """One launch to make: where the agent stands, what it is asked, and the seed a simulated agent draws from."""

    cwd: Path
    temp: Path
    """The launch's own folder for temporary files (TMPDIR); made and removed by the caller."""
    prompt: str
    seed: int
    view: View | None = None
    """Where the agent sees `cwd` and `temp`, which then lie in `view.source`; None: where they are."""

    def seen(self, path: Path) -> Path:
        """How the agent names a path in `cwd` or `temp`."""
        return path if self.view is None else self.view.of(path)


class Client(Protocol):
    """An agent that can be launched in a directory."""

    @property
    def condition(self) -> Condition:
        """What is held fixed; complete before the first launch."""
        ...

    def masked(self, text: str) -> str:
        """`text` as it would come back in a transcript: without secrets and home paths."""
        ...

    async def launch(self, order: Order) -> Returned:
        """Launch once and wait for the end. Never raises for what the agent did; only cancellation passes."""
        ...
