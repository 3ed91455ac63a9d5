"""Arms on the disk for tests that need no client: a workspace, one edit, both arms."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from measure.arena.arena import Arms
from measure.contrast import EditKind, edit_from_place, find_contrast
from measure.surface import read_surface


def write(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files below a folder; a text that begins with `->` is a link."""
    for path, content in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, str) and content.startswith("->"):
            file.symlink_to(content.removeprefix("->"))
        else:
            file.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def arms(root: Path, files: Mapping[str, str], kind: str, place: str, new: str | None = None) -> Arms:
    """Both arms of one edit."""
    baseline = write(root / "baseline", files)
    surface = read_surface(baseline)
    contrast = find_contrast(surface, edit_from_place(EditKind(kind), place, new))
    edited = contrast.apply((baseline / contrast.path).read_bytes()).decode()
    variant = write(root / "variant", {**files, contrast.path: edited})
    return Arms(baseline, variant, surface, contrast)


def texts(arm: Path, *names: str) -> dict[str, str]:
    """The texts of an arm's files."""
    return {name: (arm / name).read_text() for name in names}
