"""The client a run was asked for, found and checked before anything is locked or written.

Invariant: a real workspace is never answered for by the simulated agent unless that was asked for by name.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import cast

from measure.client.base import Client
from measure.client.containment import Containment, Way, choose
from measure.errors import RequestError
from measure.record.bands import find_bands
from measure.run.paths import standing
from measure.run.prepare import Prepared, with_bands
from measure.run.request import RunRequest

WAYS = ("pid-namespace", "descendants")


def containment_of(request: RunRequest) -> Containment:
    """How launches are held. Raises `RequestError` for an unknown way, `ClientError` for one that can't be had."""
    if request.containment is not None and request.containment not in WAYS:
        raise RequestError(f"--containment {request.containment!r}: expected {' or '.join(WAYS)}")
    return choose(cast("Way | None", request.containment))


def equipped(
    request: RunRequest, prepared: Sequence[Prepared], root: Path
) -> tuple[tuple[Prepared, ...], tuple[Client, ...]]:
    """The clients, and the contrasts with what only a client's condition tells: their paths and noise bands in `root`.

    Spends nothing and locks nothing. Raises as `containment_of`, `client_of` and `with_bands` do.
    """
    containment = containment_of(request)
    clients = tuple(client_of(request, one, containment) for one in prepared)
    placed = [standing(one, containment, own_paths=request.own_paths) for one in prepared]
    return tuple(
        one if one.purpose == "band" else with_bands(one, find_bands(root, client.condition))
        for one, client in zip(placed, clients, strict=True)
    ), clients


def client_of(request: RunRequest, one: Prepared, containment: Containment) -> Client:
    """The client for one contrast. Spends nothing. Raises `ClientError` where it can't be used."""
    if one.client == "simulated":
        from measure.client.simulated import open_simulated

        assert one.agent is not None
        return open_simulated(
            agent=one.agent,
            model=one.model,
            condition=request.condition,
            max_turns=request.max_turns,
            stage=one.stage,
            time_limit_s=request.time_limit_s,
            containment=containment,
        )
    from measure.client.claude import open_claude

    return open_claude(
        model=one.model,
        environ=os.environ,
        condition=request.condition,
        client=None if one.client == "claude" else Path(one.client),
        max_turns=request.max_turns,
        stage=one.stage,
        time_limit_s=request.time_limit_s,
        containment=containment,
    )
