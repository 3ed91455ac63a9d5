"""The client a run was asked for, found and checked before anything is locked or written.

Invariant: a real workspace is never answered for by the simulated agent unless that was asked for by name.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import cast

from measure.client.base import Client
from measure.client.containment import Containment, Way, choose
from measure.errors import RequestError
from measure.run.prepare import Prepared
from measure.run.request import RunRequest

WAYS = ("pid-namespace", "descendants")


def containment_of(request: RunRequest) -> Containment:
    """How launches are held. Raises `RequestError` for an unknown way, `ClientError` for one that can't be had."""
    if request.containment is not None and request.containment not in WAYS:
        raise RequestError(f"--containment {request.containment!r}: expected {' or '.join(WAYS)}")
    return choose(cast("Way | None", request.containment))


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
