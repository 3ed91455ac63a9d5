"""Names in an arena: they tell the agent nothing and never collide.

Invariant: all names are equally long, of ASCII letters and digits, and begin with a letter; so they stay distinct when
a client turns a path into a name by replacing every other character.
"""

from __future__ import annotations

import random
from typing import Final

LENGTH: Final = 12
_FIRST: Final = "abcdefghijklmnopqrstuvwxyz"
_REST: Final = _FIRST + "0123456789"
_drawn: Final = random.Random()
"""Seeded by the system; names have to differ, not to be secret, and several are drawn for each trial."""


def fresh_name() -> str:
    """A new random name; two are equal with a chance below 1 in 10^18."""
    return _drawn.choice(_FIRST) + "".join(_drawn.choices(_REST, k=LENGTH - 1))
