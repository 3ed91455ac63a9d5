"""Panels and pairs for the tests of the verdict, written as strings.

A row is one round; a letter is one pair: `=` both take the asked-for option, `#` both take the other one, `+` only
the arm with the line takes it, `-` only the arm without, `w` and `o` only the answer with or without is there (it is
the asked-for one), `x` neither is, `v` the probe leaked, `.` not launched.
"""

from __future__ import annotations

from measure.probe.model import Axis
from measure.verdict.design import Pair, ProbeDesign

SIDES: dict[str, tuple[int | None, int | None]] = {
    "=": (1, 1),
    "#": (0, 0),
    "+": (1, 0),
    "-": (0, 1),
    "w": (1, None),
    "o": (None, 1),
    "x": (None, None),
    "v": (None, None),
}


def panel(probes: int = 5, axis: Axis = Axis.BEHAVIOR, categories: int = 2) -> list[ProbeDesign]:
    """Probes `b0`, `b1`, … (or `c0`, …) with the asked-for category at index 1."""
    names = tuple(f"k{i}" for i in range(categories))
    return [ProbeDesign(f"{axis[0]}{i}", axis, names, 1) for i in range(probes)]


def rounds(*rows: str, axis: Axis = Axis.BEHAVIOR, first: int = 0) -> list[Pair]:
    """Pairs of full rounds in canonical order, numbered from `first`."""
    pairs: list[Pair] = []
    for row in rows:
        for i, letter in enumerate(row):
            if letter != ".":
                pairs.append(Pair(first + len(pairs), f"{axis[0]}{i}", *SIDES[letter], void=letter == "v"))
    return pairs


def topups(probe: str, letters: str, first: int) -> list[Pair]:
    """Top-up pairs for one probe."""
    return [Pair(first + i, probe, *SIDES[letter], topup=True) for i, letter in enumerate(letters)]
