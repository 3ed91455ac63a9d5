"""Statements: every place of an answer where a decision is announced, and what is announced there.

Invariant: a letter is read only where the text announces a decision (a label, a verb of choosing, a predicate such as
"is my choice") or where it stands as a line of its own; never in a word, in a restated list, under a negation or in
a hypothetical.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cache
from itertools import chain

from measure.judge import lexicon
from measure.judge.choice import (
    REACH,
    Choice,
    announced,
    hypothetical,
    led,
    option,
    pattern,
    sentence_before,
    turned_down,
)
from measure.judge.options import Line, Options, entry, lines, listed
from measure.judge.reading import Kind


class Strength(IntEnum):
    """How a statement is made; the stronger decides over the weaker."""

    OPINION = 0
    """ "B is safest": a judgement from which the decision follows."""
    OPENING = 1
    """The answer begins with the letter or the option's text."""
    DATA = 2
    """A field of JSON or a tag."""
    DECISION = 3
    """ "I choose B", "Bを選びます": a decision in a sentence."""
    CLOSING = 4
    """The last line is a letter or an option's text and nothing else."""
    PHRASE = 5
    """ "… so my answer is B": a label within a sentence."""
    LABELLED = 6
    """ "ACTION: B": a label that begins a line, as the question asks for."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One announced decision. `start:end` is its range in the folded answer; `letter` is upper case."""

    kind: Kind
    letter: str | None
    strength: Strength
    start: int
    end: int
    note: str | None = None
    later: bool = False
    """A step to be taken after the decision that was asked for; it contradicts nothing."""


def statements(folded: str, options: Options) -> list[Statement]:
    """All statements of an answer folded `as_prose`, in the order in which they end."""
    found = lines(folded)
    inside = listed(found, options)
    said = [
        *_labelled(folded, options, inside),
        *_unseparated(found, options),
        *_decided(folded, options, inside),
        *_led(folded, options),
        *_concluding(found, options),
        *_whole_lines(found, options, inside),
        *_intended(found, options),
    ]
    return sorted(said, key=lambda one: (one.end, one.strength, one.start))


def _made(choice: Choice, strength: Strength, start: int) -> Statement:
    return Statement(choice.kind, choice.letter, strength, start, max(start, choice.end), choice.note)


@cache
def _label() -> re.Pattern[str]:
    return re.compile(rf"(?P<label>{lexicon.LABEL})(?P<separator>{lexicon.SEPARATOR})", re.IGNORECASE)


MODIFIER_REACH = 60
"""How far back, in characters, words that belong to a label are looked for."""

_SAYS = re.compile(r":|\bis\b|be\b|は|が|是|为|為|ist\b|lautet|\best?\b|sería", re.IGNORECASE)
_CLAUSE = re.compile(r"(?:[.!?;:,(>|-]|[^\x00-\x7f])\s*'?$|^\W*$")


def _labelled(folded: str, options: Options, inside: frozenset[int]) -> Iterator[Statement]:
    for found in _label().finditer(folded):
        start, separator = found.start(), found.group("separator")
        before = folded[max(0, start - REACH) : start].rpartition("\n")[2]
        modifier = pattern("MODIFIER").search(before[-MODIFIER_REACH:])
        if modifier:
            start -= modifier.end() - modifier.start()
            before = before[: len(before) - len(modifier.group())]
        own = modifier is not None or not found.group("label").isascii()
        begins = len(before) <= 12 and re.search(r"[^\W_]", before) is None
        at = _skip(folded, found.end())
        line = _line_start(folded, at)
        if line in inside and not re.search(r"\w", folded[line:at]):
            continue
        choice = announced(folded, at, options, labelled=True, line=begins)
        if choice is None:
            continue
        data = separator.lstrip().startswith("'") or before.rstrip().endswith("<")
        if data and "verdict" in found.group("label").casefold():
            continue
        if not begins and not (_SAYS.search(separator) and (own or _CLAUSE.search(before))):
            continue
        if not begins and hypothetical(sentence_before(before)):
            continue
        yield _made(choice, Strength.DATA if data else Strength.LABELLED if begins else Strength.PHRASE, start)


def _skip(folded: str, at: int) -> int:
    while folded[at : at + 1] in ("\n", " "):
        at += 1
    return at


def _line_start(folded: str, at: int) -> int:
    return folded.rfind("\n", max(0, at - REACH), at) + 1


_UNSEPARATED = re.compile(r"\W*(?:FINAL\s+)?(?:ACTION|DECISION|ANSWER)\s+'?([A-Z])\W*")


def _unseparated(found: list[Line], options: Options) -> Iterator[Statement]:
    """ "ACTION B" as a whole line; elsewhere "Action B" is a name for an option, not a decision."""
    for line in found:
        if alone := _UNSEPARATED.fullmatch(line.text[:200]):
            yield _made(option(alone.group(1), line.end, options), Strength.LABELLED, line.start)


SUBJECT_REACH = 80
"""How far back, in characters, the subject of a verb is looked for."""

_DOUBTED = re.compile(r"(?:n't|\bnot|\bdoubt|\bunsure)\b(?:\s+\w+){0,3}\s*$", re.IGNORECASE)
_NOT_HERE = re.compile(
    r"\W*(?:option\s+)?[A-Z]\W*\s+(?:normally|usually|ideally|ordinarily|in\s+(?:other|most|normal|another)|by\s+default|"
    r"at\s+first|initially)\b",
    re.IGNORECASE,
)


def _decided(folded: str, options: Options, inside: frozenset[int]) -> Iterator[Statement]:
    verbs = [pattern("VERB").finditer(folded)]
    if not folded.isascii():
        verbs.append(pattern("VERB_CJK").finditer(folded))
    for found in chain.from_iterable(verbs):
        start, end = found.span()
        at = _skip(folded, end)
        choice = announced(folded, at, options, labelled=False, line=False)
        line = _line_start(folded, at)
        if choice is None or (line in inside and line > start):
            continue
        if found.groupdict().get("english"):
            subject = pattern("SUBJECT").search(folded, max(0, start - SUBJECT_REACH), start)
            if subject is None:
                continue
            start = subject.start()
        before = sentence_before(folded[max(0, start - REACH) : start])
        if turned_down(folded, start) or _DOUBTED.search(before):
            continue
        if pattern("UNREAL").search(before + folded[start:end]) or _NOT_HERE.match(folded[end : end + REACH]):
            continue
        if choice.kind is Kind.OPTION and hypothetical(before):
            choice = Choice(Kind.HEDGED, choice.letter, choice.end, "under a condition")
        later = pattern("LATER").search(before) is not None
        yield replace(_made(choice, Strength.DECISION, start), later=later)


@cache
def _leading(name: str) -> re.Pattern[str]:
    return re.compile(
        rf"{lexicon.LETTER}[)\]'}}]{{0,3}}(?:\s*\([^()\n]{{1,60}}\))?(?:{getattr(lexicon, name)})", re.IGNORECASE
    )


_TICKED = re.compile(r"(?m)^\W{0,4}\[[xX✓✔]\]\s*(?:option\s+)?\(?([A-Z])\b")
_ONLY = re.compile(lexicon.ONLY)


def _led(folded: str, options: Options) -> Iterator[Statement]:
    for name, strength in (("FOLLOW", Strength.DECISION), ("SOFT", Strength.OPINION)):
        for found in _leading(name).finditer(folded):
            before = sentence_before(folded[max(0, found.start() - REACH) : found.start()])
            if strength is Strength.OPINION and pattern("UNREAL").search(before):
                continue
            if said := led(folded, found, options):
                yield _made(said[0], strength, said[1])
    for found in _TICKED.finditer(folded):
        yield _made(option(found.group(1), found.end(), options), Strength.DECISION, found.start())
    for found in _ONLY.finditer(folded):
        letter = found.group("only") or found.group("zh_only")
        yield _made(option(letter, found.end(), options), Strength.OPINION, found.start())


_CONCLUSION = re.compile(
    r"(?:[.!?]\s+(?:(?:so|therefore|thus|hence|definitely|clearly|certainly)[\s,]+)?|(?:->|→|=>|⇒)\s*)'?\(?([A-Z])[)'.!\]]*\s*$"
    r"|^\W{0,8}(?:definitely|clearly|certainly|obviously|easily|probably)[\s,]+(?:option\s+)?([A-Z])[)'.!]*\s*$",
    re.IGNORECASE,
)


def _concluding(found: list[Line], options: Options) -> Iterator[Statement]:
    """A letter as the last sentence of the last line: "It is a typo fix. A." """
    for line in found[-1:]:
        said = _CONCLUSION.search(line.text, max(0, len(line.text) - 60))
        letter = (said.group(1) or said.group(2)) if said else None
        if said and letter and letter.isupper():
            yield _made(option(letter, line.end, options), Strength.DECISION, line.start + said.start())


def _whole_lines(found: list[Line], options: Options, inside: frozenset[int]) -> Iterator[Statement]:
    """The last line where it is nothing but a choice, or else the first."""
    if not found:
        return
    first, last = found[0], found[-1]
    if last.start not in inside and (letter := _alone(last, options)):
        yield _made(option(letter, last.end, options), Strength.CLOSING, last.start)
    elif first.start not in inside and (letter := _opens(found, options)):
        yield _made(option(letter, first.end, options), Strength.OPENING, first.start)


@cache
def _bare() -> re.Pattern[str]:
    return re.compile(
        rf"^[\W_]{{0,8}}(?:{lexicon.NOUN})?[\s'(\[{{<$]{{0,4}}(?:\\?boxed\{{)?{lexicon.LETTER}[)\]}}>'$.,:;!。-]{{0,4}}(?P<rest>.*)$",
        re.IGNORECASE,
    )


_BECAUSE = re.compile(r"\s*(?:because|since|weil|denn|parce\s+que|car|porque|,?\s*因为|,?\s*因為)(?!\w)", re.IGNORECASE)
_NOT_OTHER = re.compile(r"\s*[(,;.-]?\s*(?:not|nicht|pas|no)\s+[A-Z]\W*$", re.IGNORECASE)


def _alone(line: Line, options: Options) -> str | None:
    """The letter that is all a line says: alone, with its own option's text, with a reason, or as that text."""
    if stated := options.stated(line.text):
        return stated
    found = _bare().match(line.text)
    if not found:
        return None
    written, rest = found.group("letter"), found.group("rest")
    letter = written.upper()
    if options.stated(rest) == letter:
        return letter
    if not re.search(r"\w", rest):
        return None if "?" in rest else letter
    if written.islower():
        return None
    if _NOT_OTHER.match(rest) or (letter in options.letters and _BECAUSE.match(rest)):
        return letter
    if re.fullmatch(r"\s*(?:案|方案)?\s*(?:です|である|だ)?\W*", rest):
        return letter
    return None


_VERDICT_ON_IT = re.compile(
    r"\W*(?:option\s+)?[A-Z]\W{0,4}\s*(?:is|was|would|has|does|seems|looks|could|may|might|can)\b", re.IGNORECASE
)


def _opens(found: list[Line], options: Options) -> str | None:
    """The letter a whole answer begins with ("B. Asking is cheap."), where no other line begins with another."""
    first = found[0]
    if letter := _alone(first, options):
        return letter
    letter = entry(first)
    if (
        letter is None
        or letter not in options.letters
        or any(entry(other) not in (None, letter) for other in found[1:])
    ):
        return None
    named = {other.upper() for other in re.findall(r"(?<![^\W_])[B-HJ-Z](?![^\W_'])", first.text)}
    if named - {letter} & set(options.letters) or _VERDICT_ON_IT.match(first.text):
        return None
    written = re.search(rf"(?<!\w){letter}(?!\w)(?!\.\s*[a-z])", first.text)
    return letter if written and letter != "I" else None


_SENTENCE = re.compile(r"[^.!?。]{3,300}(?:[.!?。]|$)")


def _intended(found: list[Line], options: Options) -> Iterator[Statement]:
    """Sentences that are an option's text put as an intention: "I will ask first." """
    for line in found:
        for sentence in _SENTENCE.finditer(line.text):
            if letter := options.intended(sentence.group()):
                start, end = line.start + sentence.start(), line.start + sentence.end()
                yield _made(option(letter, end, options), Strength.DECISION, start)


def leaves_open(folded: str) -> tuple[Kind, int, int] | None:
    """How an answer without any decision says so: for none of the options, or between some of them."""
    if found := pattern("NONE").search(folded):
        return Kind.NONE, found.start(), found.end()
    if found := pattern("HEDGE").search(folded):
        return Kind.HEDGED, found.start(), found.end()
    return None


def corrected(folded: str, earlier: Statement, later: Statement) -> bool:
    """Whether the later statement is said to replace the earlier one."""
    between = folded[max(earlier.end, later.start - REACH) : later.start + 40]
    return pattern("CORRECTION").search(between) is not None
