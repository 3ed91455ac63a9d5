"""The options as an answer may restate them: by their text, in a list, or in a list of its own.

Invariant: a restated list is no decision; an option's text counts only where it equals the text of exactly one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from measure.judge.fold import as_prose
from measure.probe.question import Question

_EDGES = " \n\t'()[]{}<>.,;:!。、;"
_ENTRY = re.compile(
    r"^[^\w\[]{0,6}(?:\[[ xX✓✔]\]\s*)?(?:option|action|choice|選択肢|选项|選項"
    r"|方案)?\s*[('\[{|]{0,2}(?P<letter>[A-Za-z])"
    r"\s*[)\]}'|]{0,2}\s*[).:,|\]-]",
    re.IGNORECASE,
)
_TICKED = re.compile(r"\[[xX✓✔]\]|[✅✔☑]|<-|←|\bmy\s+(?:choice|pick|decision)\b", re.IGNORECASE)

_INTENT = re.compile(
    r"^\W*(?:(?:so|therefore|thus|hence|then|in\s+this\s+case|here)[\s,]+)?(?:(?:i|we)(?:'ll|'d|\s+will"
    r"|\s+would|\s+should|"
    r"\s+must|'m\s+going\s+to|\s+am\s+going\s+to|\s+choose\s+to|\s+decide\s+to|\s+have\s+decided\s+to"
    r"|'d\s+choose\s+to)\s+"
    r"(?:first\s+|therefore\s+|now\s+)?|let\s+me\s+|let's\s+)",
    re.IGNORECASE,
)
_NAMED = re.compile(r"\s*[(\[,-]\s*(?:option\s+)?([A-Za-z])\s*[)\]]?\W*$", re.IGNORECASE)
_GROUNDS = re.compile(
    r"\W*$|\s*[.!]|[\s,;(-]*(?:because|since|as\s+(?!well)|given\s+that|so\s+that|for\s+safety)\b", re.IGNORECASE
)


def core(text: str) -> str:
    """A text without case and without what may stand around it: spaces, quotation marks, brackets, stops."""
    return re.sub(r"\s+", " ", text).strip(_EDGES).casefold()


@dataclass(frozen=True, slots=True)
class Options:
    """Letters and folded texts of one question's options."""

    letters: Mapping[str, str]
    """Letter → option id."""
    texts: Mapping[str, str]
    """Letter → the option's text, folded to its core."""
    by_text: Mapping[str, str] = field(init=False)
    """Folded text → letter, for texts that only one option has."""
    longest: int = field(init=False)

    def __post_init__(self) -> None:
        texts = list(self.texts.values())
        unique = {text: letter for letter, text in self.texts.items() if text and texts.count(text) == 1}
        object.__setattr__(self, "by_text", unique)
        object.__setattr__(self, "longest", max(map(len, texts), default=0))

    @classmethod
    def of(cls, question: Question) -> Options:
        texts = {option.id: option.text for option in question.probe.options}
        letters = question.letters
        return cls(letters, {letter: core(as_prose(texts.get(option, "")).text) for letter, option in letters.items()})

    def stated(self, text: str) -> str | None:
        """The letter of the one option whose text this is, or None."""
        if len(text) > self.longest + 40:
            return None
        return self.by_text.get(core(text))

    def intended(self, text: str) -> str | None:
        """The letter of the option whose text is put as the speaker's intention ("I will ask first, since …").

        What follows the text may give a reason or the same letter, but not a second step.
        """
        intent = _INTENT.match(text)
        opened = self.opening(text[intent.end() :]) if intent else None
        if intent is None or opened is None:
            return None
        letter, end = opened
        rest = text[intent.end() + end :]
        named = _NAMED.match(rest)
        if named and named.group(1).upper() != letter:
            return None
        return letter if named or _GROUNDS.match(rest) else None

    def opening(self, text: str) -> tuple[str, int] | None:
        """The longest option text that `text` begins with, as its letter and where it ends in `text`."""
        found: tuple[str, int] | None = None
        skipped = len(text) - len(text.lstrip(_EDGES + "-=|>"))
        low = text[skipped : skipped + 2000]
        for wanted, letter in self.by_text.items():
            end = len(wanted)
            begins = low[:end].casefold() == wanted
            if begins and not low[end : end + 1].isalnum() and (found is None or skipped + end > found[1]):
                found = letter, skipped + end
        return found


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a folded answer, with where it starts."""

    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)


def lines(folded: str) -> list[Line]:
    """The lines that hold more than blanks, in order."""
    found: list[Line] = []
    start = 0
    for text in folded.split("\n"):
        if text.strip():
            found.append(Line(text, start))
        start += len(text) + 1
    return found


def entry(line: Line) -> str | None:
    """The letter that a line of a list begins with ("B) …", "(B) …", "Option B: …"), upper case; None if none."""
    found = _ENTRY.match(line.text)
    return found.group("letter").upper() if found else None


def listed(found: list[Line], options: Options) -> frozenset[int]:
    """Starts of the lines that only list options: neighbours that begin with different letters or option texts.

    A neighbour that comes back to a letter already listed is no entry any more, nor is one that is ticked.
    """
    inside: set[int] = set()
    for run in _runs(found, options):
        if len({letter for letter, _ in run}) < 2:
            continue
        seen: set[str] = set()
        for letter, line in run:
            if letter not in seen and not _TICKED.search(line.text):
                inside.add(line.start)
            seen.add(letter)
    return frozenset(inside)


def _runs(found: list[Line], options: Options) -> Iterator[list[tuple[str, Line]]]:
    run: list[tuple[str, Line]] = []
    for line in found:
        letter = entry(line) or options.stated(line.text)
        if letter in options.letters:
            run.append((str(letter), line))
            continue
        if run:
            yield run
        run = []
    if run:
        yield run
