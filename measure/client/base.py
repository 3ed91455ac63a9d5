"""The one narrow interface through which agents are launched."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from pydantic import BaseModel, ConfigDict

from measure.client.trial import Returned


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
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Order:
    """One launch to make: where the agent stands, what it is asked, and the seed a simulated agent draws from."""

    cwd: Path
    temp: Path
    """The launch's own folder for temporary files (TMPDIR); made and removed by the caller."""
    prompt: str
    seed: int


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
