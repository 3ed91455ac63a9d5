"""Paths as they go into a record: nothing tells whose home they lie in."""

from __future__ import annotations

import re
from pathlib import Path


def mask_home(path: Path) -> str:
    """A path with the home directory as `~`; `Path.expanduser` gives it back."""
    try:
        return str(Path("~") / path.relative_to(Path.home().resolve()))
    except ValueError:
        return str(path)


def without_home(text: str) -> str:
    """A text with the home directory as `~` wherever a path in it begins there."""
    for home in dict.fromkeys((str(Path.home()), str(Path.home().resolve()))):
        if home.strip("/"):
            text = re.sub(rf"(?<![\w./-]){re.escape(home)}(?![\w.-])", "~", text)
    return text
