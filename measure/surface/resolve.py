"""Following the links of an arm on paper, without a disk.

Invariant: the answer is what the same path would name on a disk that holds just these entries.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping

from measure.surface.model import Entry, Kind

_MOST_LINKS = 40
"""As many links as Linux follows in one path."""


def resolve(entries: Mapping[str, Entry], path: str) -> Entry | None:
    """The entry that `path` names once every link on the way is followed; None where it names nothing."""
    for _ in range(_MOST_LINKS):
        parts = path.split("/")
        for count in range(1, len(parts) + 1):
            step = entries.get("/".join(parts[:count]))
            if step is not None and step.kind is Kind.LINK and step.target is not None:
                aimed = posixpath.join(posixpath.dirname(step.path), step.target)
                path = posixpath.normpath(posixpath.join(aimed, *parts[count:]))
                break
        else:
            return entries.get(path)
    return None
