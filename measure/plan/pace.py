"""How many launches run at once, and when the next one may start.

Invariant: a launch that was refused for coming too fast makes the run slower and is launched again; nothing is launched
before the wait that was asked for is over, and all these waits together are bounded by what was declared.

Growth and retreat follow the rule of TCP's congestion control (Jacobson, "Congestion avoidance and control", 1988): one
more for each clean launch until the first refusal, which halves; from then on one more for each clean round of all.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import anyio

FIRST_WAIT_S = 5.0
"""Seconds after a refusal that named no time; doubled for each one that follows without a clean launch between."""
LONGEST_WAIT_S = 120.0
"""The longest wait that is chosen here; one that was asked for may be longer."""


@dataclass
class Pace:
    """Seats for at most `most` launches at a time. Every `enter` is answered by one `leave`."""

    most: int
    width: int = 0
    """Seats at present; begins with what is given, 0 meaning `most`."""
    patience_s: float = 0.0
    """Seconds that refusals may hold the run up altogether."""
    waited_s: float = 0.0
    _inside: int = 0
    _again: int = 0
    _clean: int = 0
    _refused: bool = False
    _in_a_row: int = 0
    _not_before: float = float("-inf")
    _slowed_at: float = float("-inf")
    _moved: anyio.Event = field(default_factory=anyio.Event)

    def __post_init__(self) -> None:
        self.width = min(self.width or self.most, self.most)

    async def enter(self, *, again: bool = False) -> None:
        """Wait for a seat. `again`: for a launch that was refused; these come before new ones."""
        self._again += again
        try:
            while True:
                pause_s = self._not_before - anyio.current_time()
                if pause_s > 0:
                    await anyio.sleep(pause_s)
                elif self._inside < self.width and (again or not self._again):
                    self._inside += 1
                    return
                else:
                    await self._moved.wait()
        finally:
            self._again -= again
            self._wake()

    def leave(self) -> None:
        """Give the seat back."""
        self._inside -= 1
        self._wake()

    def clean(self) -> None:
        """A launch was not refused."""
        self._in_a_row = 0
        self._clean += 1
        if self.width < self.most and self._clean >= (self.width if self._refused else 1):
            self.width += 1
            self._clean = 0
            self._wake()

    def refused(self, started: float, retry_after_s: float | None) -> float | None:
        """A launch begun at `started` was refused: seconds to wait, or None where patience is used up.

        Times are `anyio.current_time`. Launches that were under way together when the first of them was refused slow
        the run down once.
        """
        now = anyio.current_time()
        self._clean = 0
        if started > self._slowed_at:
            self._refused = True
            self.width = max(1, self.width // 2)
            self._in_a_row += 1
            self._slowed_at = now
        chosen_s = min(LONGEST_WAIT_S, FIRST_WAIT_S * 2.0 ** (self._in_a_row - 1))
        wait_s = retry_after_s if retry_after_s is not None else chosen_s
        more_s = max(0.0, now + wait_s - max(now, self._not_before))
        if self.waited_s + more_s > self.patience_s:
            return None
        self.waited_s += more_s
        self._not_before = max(self._not_before, now + wait_s)
        return wait_s

    def _wake(self) -> None:
        self._moved.set()
        self._moved = anyio.Event()
