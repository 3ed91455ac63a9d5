"""What a run leaves behind."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from measure.record.frames import Frames


def frame(root: str | Path | None = None) -> Frames:
    """All recorded runs as pandas DataFrames: `runs`, `probes` and `trials`, joined by `run_id`.

    `root` is the folder of the records; by default the one that `measure runs` lists. Raises `OSError` if it can't be
    listed.
    """
    from measure.record.frames import frames
    from measure.record.store import default_root

    return frames(Path(root) if root is not None else default_root())
