"""What was asked for, as it was asked: the options of `measure run` without any reading of files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal


@dataclass(frozen=True, slots=True)
class RunRequest:
    """One call of `measure run`. None means: not said, so a suite or the default decides."""

    probes: tuple[Path, ...]
    workspace: Path | None = None
    model: str | None = None
    drop: tuple[str, ...] = ()
    replace: tuple[tuple[str, str], ...] = ()
    add: tuple[tuple[str, str], ...] = ()
    """Each edit is a contrast of its own; places, and for the latter two a text."""
    each: tuple[str, ...] = ()
    """Files of which every passage is dropped by itself, each a contrast of its own."""
    client: str | None = None
    agent: Path | None = None
    condition: str = "production"
    include: tuple[str, ...] = ()
    repeats: int | None = None
    max_rounds: int | None = None
    profile: str = "standard"
    alpha: float | None = None
    margin: float | None = None
    probe_margin: float | None = None
    jobs: int | None = None
    """None: begin low and grow while nothing is refused."""
    patience_s: float = 900.0
    max_turns: int = 1
    time_limit_s: float = 300.0
    seed: int | None = None
    max_launches: int | None = None
    budget_usd: float | None = None
    """Limits of everything that is measured by this call, together."""
    price_usd: float | None = None
    prices: Path | None = None
    """A table of prices in place of the one that comes with the program."""
    settle: str = "together"
    """`together`: lines go on until their verdicts stand when all lines measured together are counted. `alone`."""
    probes_total: int | None = None
    selection: str | None = None
    unmeasured: tuple[str, ...] = ()
    stale_after_s: float = 900.0
    containment: str | None = None
    own_paths: bool = False
    busy_marker: Path | None = None
    busy_wait_s: float = 30.0
    stage: Literal[1, 2] = 2
    purpose: Literal["contrast", "band"] = "contrast"
