"""Which letter stands for which option, repeat after repeat.

Invariant: over any number of repeats from the first, every option has stood at every letter equally often, give or
take one. Asking for more repeats later never changes the orders already given.

Rows come in blocks, each a cyclic Latin square: one row per option, every option once at every place. Each block starts
from a permutation of its own and takes its rows in an order of its own, so that neighbours change too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence


def orders(option_ids: Sequence[str], repeats: int, seed: int | str) -> tuple[tuple[str, ...], ...]:
    """One permutation of `option_ids` per repeat; both members of a pair are given the same one.

    Depends on the set of ids, never on the order they are given in. Give each probe a seed of its own. Raises
    `ValueError` for repeated ids or a negative number of repeats.
    """
    if len(set(option_ids)) != len(option_ids):
        raise ValueError("option ids must be distinct")
    if repeats < 0:
        raise ValueError("the number of repeats can't be negative")
    if not option_ids:
        return ((),) * repeats
    size = len(option_ids)
    rows: list[tuple[str, ...]] = []
    for block in range(-(-repeats // size)):
        first = _shuffled(option_ids, f"{seed}/{block}/options")
        shifts = _shuffled([str(shift) for shift in range(size)], f"{seed}/{block}/rows")
        rows.extend(tuple(first[(place + int(shift)) % size] for place in range(size)) for shift in shifts)
    return tuple(rows[:repeats])


def _shuffled(items: Sequence[str], key: str) -> list[str]:
    # Sorting by digest gives the same order on every version of Python; `random.shuffle` does not promise that.
    return sorted(items, key=lambda item: hashlib.sha256(f"{key}/{item}".encode()).digest())
