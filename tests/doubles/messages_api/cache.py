"""What a request would be billed, by prompt caching of prefixes.

Invariant: read + written + fresh tokens of a request are all of its prompt's tokens, each counted once.

The model kept here (Anthropic, "Prompt caching", API documentation): a prompt is the sequence tools, system, messages.
A block that carries `cache_control` ends a cached prefix. The longest live prefix that was stored before is read (and
kept alive anew); what lies between it and the last breakpoint is written; the rest is fresh. Prefixes are told apart by
the model and by every byte before their end; looking back from a breakpoint reaches 20 blocks; a prefix below the
model's minimum is not stored. A prefix can be read only once the answer to the request that wrote it has begun.

Tokens are bytes of the block's JSON divided by four, rounded up: simple, stated, and good enough to add up.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.doubles.messages_api.request import Json

FIVE_MINUTES = 300.0
ONE_HOUR = 3600.0
LOOKBACK_BLOCKS = 20
MINIMUM_TOKENS = 1024


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens by kind, as the API reports them. Usages add up."""

    input_tokens: int = 0
    cache_creation_input_tokens: int = 0
    cache_read_input_tokens: int = 0
    output_tokens: int = 0
    ephemeral_1h_input_tokens: int = 0
    """Of the written tokens, those stored for an hour; the others are stored for five minutes."""

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input_tokens + other.input_tokens,
            self.cache_creation_input_tokens + other.cache_creation_input_tokens,
            self.cache_read_input_tokens + other.cache_read_input_tokens,
            self.output_tokens + other.output_tokens,
            self.ephemeral_1h_input_tokens + other.ephemeral_1h_input_tokens,
        )

    @property
    def prompt_tokens(self) -> int:
        return self.input_tokens + self.cache_creation_input_tokens + self.cache_read_input_tokens

    @property
    def billed(self) -> float:
        """In units of fresh input tokens: writing costs 1.25 (2 for an hour), reading 0.1; output is left out."""
        five_minutes = self.cache_creation_input_tokens - self.ephemeral_1h_input_tokens
        written = 1.25 * five_minutes + 2.0 * self.ephemeral_1h_input_tokens
        return self.input_tokens + written + 0.1 * self.cache_read_input_tokens

    def as_json(self) -> Json:
        return {
            "input_tokens": self.input_tokens,
            "cache_creation_input_tokens": self.cache_creation_input_tokens,
            "cache_read_input_tokens": self.cache_read_input_tokens,
            "cache_creation": {
                "ephemeral_5m_input_tokens": self.cache_creation_input_tokens - self.ephemeral_1h_input_tokens,
                "ephemeral_1h_input_tokens": self.ephemeral_1h_input_tokens,
            },
            "output_tokens": self.output_tokens,
            "service_tier": "standard",
        }


@dataclass(frozen=True, slots=True)
class Prefix:
    """A prompt up to the end of one block: a digest of all before, its tokens, and how long it is to be kept."""

    digest: bytes
    tokens: int
    ttl: float | None
    """Seconds; None where the block carries no breakpoint."""


@dataclass(slots=True)
class PromptCache:
    """What one server holds. Times are seconds of any steady clock; nothing here looks at a clock by itself."""

    minimum_tokens: int = MINIMUM_TOKENS
    _stored: dict[bytes, tuple[float, float]] = field(default_factory=dict)
    """Digest of a prefix → when it is dropped, and for how long each use keeps it."""

    def usage(self, body: Json, now: float) -> Usage:
        """What `body` is billed if it is sent at `now`; output tokens are left at zero. Changes nothing."""
        prefixes = list(prefixes_of(body))
        total = prefixes[-1].tokens if prefixes else 0
        breakpoints = self._breakpoints(prefixes)
        if not breakpoints:
            return Usage(input_tokens=total)
        hit = self._longest_alive(prefixes, breakpoints, now)
        read = hit.tokens if hit else 0
        end = prefixes[breakpoints[-1]].tokens
        hour, start = 0, read
        for index in breakpoints:
            stop = max(start, prefixes[index].tokens)
            hour += stop - start if prefixes[index].ttl == ONE_HOUR else 0
            start = stop
        return Usage(total - end, end - read, read, 0, hour)

    def store(self, body: Json, now: float) -> None:
        """The answer to `body` has begun: its prefixes can be read from now on, and the one it read lives on."""
        prefixes = list(prefixes_of(body))
        breakpoints = self._breakpoints(prefixes)
        hit = self._longest_alive(prefixes, breakpoints, now)
        if hit:
            ttl = self._stored[hit.digest][1]
            self._stored[hit.digest] = (now + ttl, ttl)
        for index in breakpoints:
            prefix = prefixes[index]
            assert prefix.ttl is not None
            dropped_at, ttl = self._stored.get(prefix.digest, (float("-inf"), 0.0))
            self._stored[prefix.digest] = (max(dropped_at, now + prefix.ttl), max(ttl, prefix.ttl))

    def _breakpoints(self, prefixes: list[Prefix]) -> list[int]:
        return [
            index
            for index, prefix in enumerate(prefixes)
            if prefix.ttl is not None and prefix.tokens >= self.minimum_tokens
        ]

    def _longest_alive(self, prefixes: list[Prefix], breakpoints: list[int], now: float) -> Prefix | None:
        for index in reversed(breakpoints):
            for prefix in reversed(prefixes[max(0, index - LOOKBACK_BLOCKS) : index + 1]):
                dropped_at, _ = self._stored.get(prefix.digest, (float("-inf"), 0.0))
                if now < dropped_at:
                    return prefix
        return None


def prefixes_of(body: Json) -> Iterator[Prefix]:
    """Every prefix of a prompt that ends with a block, shortest first."""
    digest = hashlib.blake2b(str(body.get("model")).encode(), digest_size=16)
    tokens = 0
    for place, block in _blocks(body):
        control = block.pop("cache_control", None)
        content = json.dumps(block, sort_keys=True, ensure_ascii=False).encode()
        tokens += tokens_in(content)
        digest.update(f"{place} {len(content)} ".encode() + content)
        yield Prefix(digest.digest(), tokens, _ttl(control))


def tokens_in(content: bytes) -> int:
    """A quarter of the bytes, rounded up."""
    return -(-len(content) // 4)


def _ttl(control: Json | None) -> float | None:
    if control is None:
        return None
    return ONE_HOUR if control.get("ttl") == "1h" else FIVE_MINUTES


def _blocks(body: Json) -> Iterator[tuple[str, Json]]:
    """Copies of the prompt's blocks in wire order, each with the place it stands in (which is no text of its own)."""
    for tool in body.get("tools") or ():
        yield "tools", dict(tool)
    for block in _as_blocks(body.get("system")):
        yield "system", block
    # Changed thinking or tool choice keeps the cache of tools and system, not that of messages.
    settings = json.dumps([body.get("thinking"), body.get("tool_choice")], sort_keys=True)
    for position, message in enumerate(body.get("messages") or ()):
        for block in _as_blocks(message.get("content")):
            yield f"messages {position} {message.get('role')} {settings}", block


def _as_blocks(content: object) -> list[Json]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [dict(block) for block in content] if isinstance(content, list) else []
