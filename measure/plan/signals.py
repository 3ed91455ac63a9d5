"""Ends a run on SIGINT, SIGTERM or SIGHUP without losing what was measured.

Invariant: the first signal cancels the work once; further signals, also during clean-up, change nothing, since clean-up
is under way already and is limited in time.
"""

from __future__ import annotations

import signal
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

import anyio

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

T = TypeVar("T")


@dataclass(frozen=True)
class Ended(Generic[T]):
    """What the work returned, or the signal that ended it."""

    value: T | None
    signal_number: int | None


async def until_signalled(work: Callable[[], Awaitable[T]], clean_up: Callable[[int | None], None]) -> Ended[T]:
    """Run `work`; on a signal cancel it. `clean_up` runs afterwards in any case, with signals still held off."""
    value: T | None = None
    number: int | None = None
    async with anyio.create_task_group() as group:
        inner = anyio.CancelScope()

        async def listen(*, task_status: anyio.abc.TaskStatus[None]) -> None:
            nonlocal number
            with anyio.open_signal_receiver(*ENDING) as signals:
                task_status.started()
                async for received in signals:
                    if number is None:
                        number = int(received)
                        inner.cancel()

        await group.start(listen)
        try:
            with inner:
                value = await work()
        finally:
            clean_up(number)
            group.cancel_scope.cancel()
    return Ended(value, number)
