"""Holding off the signals that would end a program in the middle of making or removing an arena.

Invariant: a signal that arrives meanwhile is not lost: it is delivered again, once, at the end.
"""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType
from typing import Any, Final

_ENDING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextlib.contextmanager
def held_off_signals() -> Iterator[None]:
    """Hold off SIGINT, SIGTERM and SIGHUP; nothing to do outside the main thread, where handlers never run.

    Signals that an event loop receives are left alone: the loop only notes them and interrupts nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    arrived: list[int] = []

    def note(number: int, _: FrameType | None) -> None:
        if number not in arrived:
            arrived.append(number)

    former: dict[int, Any] = {}
    for ending in _ENDING:
        handler = signal.getsignal(ending)
        ignored = handler is None or handler is signal.SIG_IGN
        if not ignored and not getattr(handler, "__module__", "").startswith("asyncio.unix_events"):
            former[ending] = handler
            signal.signal(ending, note)
    try:
        yield
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)
        for number in arrived:
            signal.raise_signal(number)
