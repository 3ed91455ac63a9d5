"""Letters are dealt out evenly over any number of repeats, and dealing more changes nothing dealt before."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measure.probe.order import orders

ids = st.lists(st.from_regex(r"[a-z0-9._-]{1,6}", fullmatch=True), min_size=1, max_size=8, unique=True)


@settings(deadline=None)
@given(ids, st.integers(0, 40), st.integers())
def test_every_option_stands_at_every_letter_equally_often_give_or_take_one(
    options: list[str], repeats: int, seed: int
) -> None:
    rows = orders(options, repeats, seed)
    assert len(rows) == repeats
    assert all(sorted(row) == sorted(options) for row in rows)
    for place in range(len(options)):
        seen = Counter(row[place] for row in rows)
        counts = [seen[option] for option in options]
        assert max(counts) - min(counts) <= 1


@settings(deadline=None)
@given(ids, st.integers(0, 20), st.integers(0, 20), st.integers())
def test_more_repeats_never_change_the_orders_already_given(
    options: list[str], repeats: int, more: int, seed: int
) -> None:
    assert orders(options, repeats + more, seed)[:repeats] == orders(options, repeats, seed)


@settings(deadline=None)
@given(ids, st.integers())
def test_only_the_set_of_ids_counts_and_not_how_it_was_listed(options: list[str], seed: int) -> None:
    assert orders(options, 9, seed) == orders(sorted(options, reverse=True), 9, seed)


def test_seeds_and_blocks_give_different_orders() -> None:
    first = {orders("abcd", 1, seed)[0] for seed in range(200)}
    assert len(first) == 24
    rows = orders("abcd", 80, 7)
    assert len(set(rows)) > 4


def test_the_orders_of_a_seed_are_the_same_everywhere() -> None:
    rows = orders(["ask", "go", "stop"], 4, 1)
    assert [" ".join(row) for row in rows] == ["go stop ask", "stop ask go", "ask go stop", "stop go ask"]


def test_nonsense_is_refused() -> None:
    with pytest.raises(ValueError, match="distinct"):
        orders(["a", "a"], 1, 0)
    with pytest.raises(ValueError, match="negative"):
        orders(["a"], -1, 0)
    assert orders([], 2, 0) == ((), ())
