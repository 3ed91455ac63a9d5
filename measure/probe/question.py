"""A probe as it is put: the prompt's bytes and which letter stands for which option."""

from __future__ import annotations

import string
from dataclasses import dataclass

from measure.probe.model import Axis, Probe


@dataclass(frozen=True, slots=True)
class Question:
    """One probe in one order of its options.

    `order` lists option ids in the order of their letters (A first); it is empty on the content axis. Both members
    of a pair are given the same question. The judge gets it together with a transcript, and nothing else: it also
    holds the line's text, which a content reading looks for.
    """

    probe: Probe
    order: tuple[str, ...]
    line: str
    """Text of the edited line (without its line end) that content answers are compared with."""

    @property
    def letters(self) -> dict[str, str]:
        """Letter → option id."""
        return dict(zip(string.ascii_uppercase, self.order, strict=False))

    def render(self) -> str:
        """The prompt as sent. Behaviour prompts end with the lettered options and a request for one final line."""
        if self.probe.axis is Axis.CONTENT:
            return self.probe.prompt
        texts = {option.id: option.text for option in self.probe.options}
        listed = "\n".join(f"{letter}) {texts[option]}" for letter, option in self.letters.items())
        last = string.ascii_uppercase[len(self.order) - 1]
        return (
            f"{self.probe.prompt.rstrip()}\n\n{listed}\n\n"
            f"Decide now. End with one final line of this form, with a single letter from A to {last}:\n"
            "ACTION: <letter>\n"
        )
