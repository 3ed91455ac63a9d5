"""What the double answers to which request: rules in order, the first that fits answers, faults may come in between.

Draws are seeded and made per rule and per fault: with the same seed and the same number of requests that a rule
answered, the rule gave the same answers, however requests of other rules lay in between. A request that the client
makes again (a retry, a fall back to a whole answer) is a new draw, as it is with a model.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from tests.doubles.messages_api.answers import Answer, Says, Text, Turns, answer
from tests.doubles.messages_api.faults import Fault
from tests.doubles.messages_api.request import Request

Reply: TypeAlias = Says | Turns | Fault

UNDERSTOOD = Text("Understood, and this is a text of more than one piece.")
"""What is said where a script says nothing."""


@dataclass(frozen=True, slots=True)
class When:
    """Fits a request that holds all of `present` and none of `absent` anywhere, and `ask` in its prompt.

    `answers` is one reply, or weighted ones (weight, reply); weights need not add up to one.
    """

    answers: Reply | Sequence[tuple[float, Reply]]
    present: str | tuple[str, ...] = ()
    absent: str | tuple[str, ...] = ()
    ask: str = ""
    model: str | None = None

    def fits(self, request: Request) -> bool:
        return (
            (self.model is None or request.model == self.model)
            and self.ask in request.instructions
            and all(text in request.text for text in _several(self.present))
            and not any(text in request.text for text in _several(self.absent))
        )

    def weighted(self) -> list[tuple[float, Reply]]:
        given = self.answers
        if isinstance(given, Sequence) and given and all(isinstance(pair, tuple) for pair in given):
            return [(float(weight), reply) for weight, reply in given]  # type: ignore[misc]
        return [(1.0, given)]  # type: ignore[list-item]


@dataclass(frozen=True, slots=True)
class Trouble:
    """A fault on some requests: those numbered in `on`, or each with a `probability`; on all where neither is given."""

    fault: Fault
    on: frozenset[int] | set[int] | range | None = None
    probability: float = 1.0


class Script:
    """Rules in order, a default, and troubles. One script serves one double: it keeps where its draws stand."""

    def __init__(
        self,
        rules: Sequence[When] = (),
        default: Reply = UNDERSTOOD,
        troubles: Sequence[Trouble] | Trouble | Fault = (),
        seed: int = 0,
    ) -> None:
        if isinstance(troubles, Fault):
            troubles = Trouble(troubles)
        self.troubles = (troubles,) if isinstance(troubles, Trouble) else tuple(troubles)
        self.rules = (*rules, When(default))
        self._draws = [random.Random(f"{seed} rule {index}") for index in range(len(self.rules))]
        self._trouble_draws = [random.Random(f"{seed} trouble {index}") for index in range(len(self.troubles))]

    def reply(self, request: Request) -> tuple[Answer, Fault | None]:
        """The answer to a request, and what spoils it. A fault drawn as an answer spoils `UNDERSTOOD`."""
        said = self._drawn(request)
        drawn_fault = said if isinstance(said, Fault) else None
        if isinstance(said, Turns):
            spoken = said.at(request)
        else:
            spoken = answer(UNDERSTOOD if isinstance(said, Fault) else said)
        return spoken, self._trouble(request) or drawn_fault

    def _drawn(self, request: Request) -> Reply:
        for rule, draw in zip(self.rules, self._draws, strict=True):
            if rule.fits(request):
                weighted = rule.weighted()
                return draw.choices([reply for _, reply in weighted], [weight for weight, _ in weighted])[0]
        raise AssertionError("the default fits every request")

    def _trouble(self, request: Request) -> Fault | None:
        struck = None
        for trouble, draw in zip(self.troubles, self._trouble_draws, strict=True):
            numbered = trouble.on is None or request.number in trouble.on
            if numbered and draw.random() < trouble.probability and struck is None:
                struck = trouble.fault
        return struck


def _several(texts: str | tuple[str, ...]) -> tuple[str, ...]:
    return (texts,) if isinstance(texts, str) else texts
