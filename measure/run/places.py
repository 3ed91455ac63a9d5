"""Paths as they go into a record: nothing tells whose home they lie in."""

from __future__ import annotations

from pathlib import Path


def mask_home(path: Path) -> str:
    """A path with the home directory as `~`; `Path.expanduser` gives it back."""
    try:
        return str(Path("~") / path.relative_to(Path.home().resolve()))
    except ValueError:
        return str(path)
