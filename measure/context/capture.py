"""Has the client send its first request to loopback, and ends everything.

Invariant: nothing leaves the machine, nothing is charged and no credential is used: the client is led to an endpoint
of this process with a made-up key (`led_to`). What comes back is the request of a launch that is like a trial in
everything else: same command, same flags, same containment.
"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol, Self, runtime_checkable

from measure.client.base import Client, Order
from measure.context.endpoint import listening
from measure.context.managed import leads_elsewhere
from measure.context.request import Request
from measure.errors import ClientError


@runtime_checkable
class Capturable(Client, Protocol):
    """A client that can be led to a loopback endpoint. The simulated agent sends no requests and is none."""

    def led_to(self, url: str) -> Self:
        """The same client in the same condition, with nothing in it of the user's way to the model."""
        ...


async def capture(client: Capturable, *, cwd: Path, temp: Path, prompt: str) -> Request:
    """The first request of a launch in `cwd` with this prompt. Takes about a second and costs nothing.

    Raises `ClientError` where no request came, with what the client said instead.
    """
    if (file := leads_elsewhere()) is not None:
        raise ClientError(
            f"the administrator's settings in {file} lead the client to a model by themselves, so that its requests "
            "can't be shown without sending them",
            hint="Ask the administrator, or measure on a machine without such settings.",
        )
    with listening() as endpoint:
        returned = await client.led_to(endpoint.url).launch(Order(cwd=cwd, temp=temp, prompt=prompt, seed=0))
        bodies = list(endpoint.bodies)
    if bodies:
        return Request.read(bodies[0], workspace=cwd, temp=temp)
    said = returned.invalid.detail if returned.invalid is not None else "it gave an answer without asking"
    raise ClientError(
        f"the client sent no request to the loopback endpoint: {said}", hint="'measure doctor' says what may be wrong."
    )
