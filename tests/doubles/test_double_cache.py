"""The cache accounting of the double adds up, and reads exactly what the documented rules let it read."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.doubles.messages_api import PromptCache, Usage
from tests.doubles.messages_api.cache import FIVE_MINUTES, ONE_HOUR, prefixes_of

MARK = {"type": "ephemeral"}
MARK_HOUR = {"type": "ephemeral", "ttl": "1h"}


def block(text: str, control: dict[str, str] | None = None) -> dict[str, Any]:
    return {"type": "text", "text": text, **({"cache_control": control} if control else {})}


def body(*, tools: str = "t", system: str = "s", said: str = "p", control: dict[str, str] = MARK) -> dict[str, Any]:
    """Tools, a marked system block, a marked prompt and an unmarked tail: big enough to be stored."""
    return {
        "model": "m",
        "tools": [{"name": "Read", "description": tools * 4000}],
        "system": [block(system * 4000, control)],
        "messages": [{"role": "user", "content": [block(said * 4000, control), block("now")]}],
    }


def asked(cache: PromptCache, request: dict[str, Any], now: float = 0.0) -> Usage:
    usage = cache.usage(request, now)
    cache.store(request, now)
    return usage


blocks = st.builds(block, st.text(max_size=40), st.sampled_from([None, None, MARK, MARK_HOUR]))
bodies = st.fixed_dictionaries(
    {
        "model": st.sampled_from(["m", "n"]),
        "tools": st.lists(st.fixed_dictionaries({"name": st.sampled_from("ab")}), max_size=2),
        "system": st.one_of(st.text(max_size=20), st.lists(blocks, max_size=3)),
        "messages": st.lists(
            st.fixed_dictionaries(
                {
                    "role": st.sampled_from(["user", "assistant"]),
                    "content": st.one_of(st.text(max_size=9), st.lists(blocks, max_size=4)),
                }
            ),
            max_size=3,
        ),
    }
)


@given(st.lists(st.tuples(bodies, st.floats(0, 600)), max_size=8))
def test_every_token_of_a_prompt_is_counted_once_whatever_was_asked_before(
    requests: list[tuple[dict[str, Any], float]],
) -> None:
    cache, now = PromptCache(minimum_tokens=0), 0.0
    for request, later in requests:
        now += later
        before = copy.deepcopy(request)
        usage = asked(cache, request, now)
        prefixes = list(prefixes_of(request))
        assert usage.prompt_tokens == (prefixes[-1].tokens if prefixes else 0)
        assert min(usage.input_tokens, usage.cache_creation_input_tokens, usage.cache_read_input_tokens) >= 0
        assert 0 <= usage.ephemeral_1h_input_tokens <= usage.cache_creation_input_tokens
        assert request == before


@given(bodies)
def test_what_was_just_asked_is_read_up_to_its_last_breakpoint(request: dict[str, Any]) -> None:
    cache = PromptCache(minimum_tokens=0)
    first, second = asked(cache, request), asked(cache, request)
    assert first.cache_read_input_tokens == 0
    assert second.cache_read_input_tokens == first.cache_creation_input_tokens
    assert second.cache_creation_input_tokens == 0
    assert second.input_tokens == first.input_tokens


def test_another_prompt_reads_what_comes_before_it_and_another_tool_reads_nothing() -> None:
    cache = PromptCache()
    first = asked(cache, body())
    other_prompt = asked(cache, body(said="q"))
    assert 0 < other_prompt.cache_read_input_tokens < first.cache_creation_input_tokens
    assert other_prompt.cache_read_input_tokens == list(prefixes_of(body()))[1].tokens
    assert asked(cache, body(tools="u")).cache_read_input_tokens == 0
    assert asked(cache, body() | {"model": "n"}).cache_read_input_tokens == 0


@pytest.mark.parametrize(("control", "ttl"), [(MARK, FIVE_MINUTES), (MARK_HOUR, ONE_HOUR)])
def test_a_prefix_lives_for_its_time_after_its_last_use(control: dict[str, str], ttl: float) -> None:
    cache, request = PromptCache(), body(control=control)
    written = asked(cache, request, 0.0).cache_creation_input_tokens
    assert asked(cache, request, ttl - 1).cache_read_input_tokens == written
    assert asked(cache, request, 2 * ttl - 2).cache_read_input_tokens == written
    assert asked(cache, request, 3 * ttl - 2).cache_read_input_tokens == 0


def test_a_prefix_that_is_read_from_further_on_lives_on_too() -> None:
    cache = PromptCache(minimum_tokens=0)
    short = {"model": "m", "messages": [{"role": "user", "content": [block("start", MARK)]}]}
    longer = {"model": "m", "messages": [{"role": "user", "content": [block("start"), block("end", MARK)]}]}
    for at, request in ((0.0, short), (200.0, longer)):
        asked(cache, request, at)
    assert cache.usage(short, 400.0).cache_read_input_tokens > 0
    assert cache.usage(short, 500.0).cache_read_input_tokens == 0


def test_tokens_stored_for_an_hour_are_counted_apart_and_cost_more() -> None:
    short, hour = PromptCache().usage(body(), 0.0), PromptCache().usage(body(control=MARK_HOUR), 0.0)
    assert short.ephemeral_1h_input_tokens == 0
    assert hour.ephemeral_1h_input_tokens == hour.cache_creation_input_tokens == short.cache_creation_input_tokens
    assert hour.billed > short.billed > short.prompt_tokens


def test_nothing_is_read_before_the_answer_that_writes_it_has_begun() -> None:
    cache = PromptCache()
    assert cache.usage(body(), 0.0) == cache.usage(body(), 0.0)
    assert cache.usage(body(), 0.0).cache_read_input_tokens == 0


def test_a_prefix_below_the_minimum_is_not_stored() -> None:
    small = {"model": "m", "system": [block("short", MARK)], "messages": [{"role": "user", "content": "hi"}]}
    cache = PromptCache()
    assert [asked(cache, small).cache_creation_input_tokens for _ in range(2)] == [0, 0]
    assert asked(PromptCache(minimum_tokens=0), small).cache_creation_input_tokens > 0


@pytest.mark.parametrize(("added", "reads"), [(20, True), (21, False)])
def test_a_breakpoint_looks_back_twenty_blocks(added: int, reads: bool) -> None:
    cache = PromptCache(minimum_tokens=0)
    said = [block("start", MARK)]
    asked(cache, {"model": "m", "messages": [{"role": "user", "content": said}]})
    longer = [block("start"), *(block(str(n)) for n in range(added - 1)), block("end", MARK)]
    usage = cache.usage({"model": "m", "messages": [{"role": "user", "content": longer}]}, 0.0)
    assert (usage.cache_read_input_tokens > 0) is reads


def test_other_thinking_keeps_tools_and_system_and_drops_the_messages() -> None:
    cache = PromptCache()
    asked(cache, body())
    usage = cache.usage(body() | {"thinking": {"type": "disabled"}}, 0.0)
    assert usage.cache_read_input_tokens == list(prefixes_of(body()))[1].tokens
