"""Waiting for a workspace that is being edited.

Invariant: a workspace is read only while its busy marker does not stand, before and after the reading. Whoever edits
puts the marker there and takes it away; the harness only looks.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

from measure.errors import MeasureError
from measure.run.prepare import Prepared, prepare
from measure.run.request import RunRequest
from measure.surface import read_surface

LOOK_EVERY_S = 0.2


def prepare_at_rest(request: RunRequest, tell: Callable[[str], None]) -> tuple[Prepared, ...] | None:
    """`prepare`, once the marker is gone; None where it still stands after the time the request allows.

    Raises as `prepare` does.
    """
    marker = request.busy_marker
    if marker is None:
        return prepare(request)
    until = time.monotonic() + request.busy_wait_s
    told = False
    while True:
        if not stands(marker):
            prepared = prepare(request)
            if not stands(marker):
                return prepared
        if time.monotonic() >= until:
            return None
        if not told:
            tell(f"The workspace is being edited ({marker} stands); waiting up to {request.busy_wait_s:g} s.")
            told = True
        time.sleep(min(LOOK_EVERY_S, max(0.0, until - time.monotonic())))


def stands(marker: Path) -> bool:
    """Whether the marker is there, whatever it is."""
    return os.path.lexists(marker)


def changed_meanwhile(one: Prepared) -> tuple[str, ...]:
    """What a record says of a workspace that is not as it was when its contrast was planned; empty where it is.

    Arms are copies, so a change can't reach them; but the verdict is about the workspace as it stood.
    """
    try:
        now = read_surface(one.surface.workspace, one.includes).digest
    except MeasureError as error:
        return (f"the workspace can't be read any more: {error.message}",)
    if now == one.surface.digest:
        return ()
    return ("the workspace was changed during the run; the verdict is about it as it stood before",)


def subjects_of(request: RunRequest) -> tuple[str, ...]:
    """What was to be measured, one for each contrast, as far as it can be told while the workspace is being edited."""
    try:
        return tuple(f"{one.contrast.kind} {one.contrast.place}" for one in prepare(request))
    except MeasureError:
        places = [
            *(f"drop {place}" for place in request.drop),
            *(f"replace {place}" for place, _ in request.replace),
            *(f"add {place}" for place, _ in request.add),
            *(f"drop each of {place}" for place in request.each),
        ]
        return tuple(places) or (" ".join(map(str, request.probes)),)
