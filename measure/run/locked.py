"""Work that is done with the lock held, and what is left when it ends.

Invariant: arena and children are gone when this returns or raises, whatever happened; a signal ends the work once.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TypeVar

import anyio

from measure.arena.arena import Arena
from measure.errors import InterruptedRunError, MeasureError
from measure.plan.signals import until_signalled

T = TypeVar("T")


def in_arena(
    work: Callable[[Arena], Awaitable[T]],
    *,
    silent_after_s: float,
    after_a_signal: str | Callable[[], str],
    place: Path | None = None,
) -> T:
    """Do `work` in an arena of its own. `after_a_signal` tells a person how to go on, as it is known then.

    Raises `LockHeldError` before anything was done, `InterruptedRunError` after a signal, and what `work` raised.
    """
    stack = ExitStack()

    async def locked() -> T:
        return await work(stack.enter_context(Arena(place, silent_after_s=silent_after_s)))

    def clean_up(_: int | None) -> None:
        stack.close()

    try:
        ended = anyio.run(until_signalled, locked, clean_up)
    except BaseExceptionGroup as group:
        raise _single(group) from group
    if ended.signal_number is not None or ended.value is None:
        raise InterruptedRunError(
            "interrupted; every launch that had ended is kept",
            signal_number=ended.signal_number or 0,
            hint=after_a_signal if isinstance(after_a_signal, str) else after_a_signal(),
        )
    return ended.value


def _single(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The one error worth telling: the first of ours, else the first at all."""
    flat: list[BaseException] = []

    def collect(error: BaseException) -> None:
        if isinstance(error, BaseExceptionGroup):
            for inner in error.exceptions:
                collect(inner)
        else:
            flat.append(error)

    collect(group)
    return next((error for error in flat if isinstance(error, MeasureError)), flat[0])
