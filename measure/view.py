"""Where a launch's files lie, and where the agent sees them.

Invariant: a path within `source` is seen by the agent as one within `target`, and nothing else that stands in `target`
is seen at all.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class View:
    """The agent of one launch sees the folder `source` in the place of the folder `target`."""

    source: Path
    target: Path

    def of(self, path: Path) -> Path:
        """How the agent names `path`, which lies in `source`. Raises `ValueError` for any other."""
        return self.target / path.relative_to(self.source)
