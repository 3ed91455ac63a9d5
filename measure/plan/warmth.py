"""Which launch goes first where many have an equal prefix, so that the others find it cached.

Invariant: while nobody has been answered for a prefix, or not for as long as a cache keeps it, one launch goes alone
with it and the others wait for its end; launches begin in the order in which they came, whoever waits.

A prefix can be read from the cache once the answer to the request that wrote it has begun, and lives five minutes
longer with each use (Anthropic, "Prompt caching", API documentation).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import anyio

KEPT_S = 300.0
"""Seconds that a prefix stays cached after its last use."""


@dataclass(frozen=True, slots=True)
class Lease:
    """One launch's use of its prefixes, the shortest first."""

    keys: tuple[str, ...]
    cold: tuple[str, ...]
    """Those it goes alone with."""
    begun: float

    @property
    def leads(self) -> bool:
        """Whether nothing of its request can be cached."""
        return self.keys[0] in self.cold


@dataclass
class Warmth:
    """Knows which prefixes are warm. A prefix is told by a key."""

    _until: dict[str, float] = field(default_factory=dict)
    _led: dict[str, anyio.Event] = field(default_factory=dict)
    _turn: anyio.Lock = field(default_factory=anyio.Lock)

    async def begin(self, *keys: str) -> Lease:
        """Wait until a launch with these prefixes, the shortest first, may start. Give the lease back to `end`."""
        async with self._turn:
            while (led := next((self._led[key] for key in keys if key in self._led), None)) is not None:
                await led.wait()
            now = anyio.current_time()
            cold = tuple(key for key in keys if now >= self._until.get(key, float("-inf")))
            self._led |= {key: anyio.Event() for key in cold}
            return Lease(keys, cold, now)

    def end(self, lease: Lease, *, answered: bool) -> None:
        """The launch has ended; only an answer leaves its prefixes warm."""
        if answered:
            self._until |= dict.fromkeys(lease.keys, lease.begun + KEPT_S)
        for key in lease.cold:
            self._led.pop(key).set()
