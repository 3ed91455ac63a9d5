"""Whether a text holds the words of a line: all of them in order, or most of them close together.

Invariant: one measure of likeness for what a request holds and for what comes back from tools. Spelling as in
`measure.probe.likeness`: case, white space, Markdown marks, width and typographic form do not count. Time is linear in
the length of the text.
"""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass
from typing import Final, Literal

from measure.probe.likeness import core, weight, words

MIN_WEIGHT: Final = 3.0
"""A line of fewer words is too common to be told from any other text; it is only ever the same, never near."""
NEAR: Final = 0.75
"""So much of a line's words, in a stretch no longer than `STRETCH` times the line, is near."""
STRETCH: Final = 1.5


@dataclass(frozen=True, slots=True)
class Likeness:
    """`words` are those of the text that were found."""

    kind: Literal["same", "near"]
    words: str


class Wanted:
    """The words of a line, made ready to be looked for in many texts."""

    def __init__(self, line: str) -> None:
        self.words = tuple(words(core(line)))
        self.tellable = weight(self.words) >= 2
        self._near = weight(self.words) >= MIN_WEIGHT
        self._counts = Counter(self.words)
        self._total = weight(self.words)

    def find(self, text: str) -> Likeness | None:
        """How `text` holds the line, the closer likeness first; None where it does not."""
        if not self.tellable:
            return None
        theirs = words(text)
        if _holds(theirs, self.words):
            return Likeness("same", " ".join(self.words))
        return self._near_in(theirs) if self._near else None

    def _near_in(self, theirs: list[str]) -> Likeness | None:
        """Slide a window over the text and weigh the line's words in it, each as often as the line has it."""
        size = max(len(self.words) + 1, int(len(self.words) * STRETCH))
        window: deque[str] = deque()
        seen: Counter[str] = Counter()
        held = 0.0
        for word in theirs:
            window.append(word)
            if word in self._counts:
                seen[word] += 1
                if seen[word] <= self._counts[word]:
                    held += weight((word,))
            if len(window) > size:
                gone = window.popleft()
                if gone in self._counts:
                    if seen[gone] <= self._counts[gone]:
                        held -= weight((gone,))
                    seen[gone] -= 1
            if held >= NEAR * self._total:
                return Likeness("near", " ".join(window))
        return None


def _holds(text: list[str], wanted: tuple[str, ...]) -> bool:
    size, first = len(wanted), wanted[0]
    return any(
        word == first and tuple(text[at : at + size]) == wanted for at, word in enumerate(text[: len(text) - size + 1])
    )
