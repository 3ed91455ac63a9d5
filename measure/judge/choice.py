"""Choices: what is chosen at a place where the text announces a choice.

Invariant: a letter counts only as a whole word in the place of an option's name. What follows it in its sentence may
turn it down, join it to another option, put it under a condition, or show that it was an article or a pronoun.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from measure.judge import lexicon
from measure.judge.options import Options
from measure.judge.reading import Kind
from measure.judge.refusals import declined

REACH = 300
"""How far, in characters, a sentence is followed to either side of a decision."""

LINE_REACH = 2000
"""How much, in characters, is read of a line that announces a choice."""

_STOP = re.compile(r"[.!?](?=[\s'\")\]]|$)|[。\n]")


@dataclass(frozen=True, slots=True)
class Choice:
    """What was found at one place: an outcome, the letter it concerns, and where it ends in the folded text."""

    kind: Kind
    letter: str | None
    end: int
    note: str | None = None


def option(letter: str, end: int, options: Options) -> Choice:
    """The choice of one letter: an option, or unreadable where the question has no such letter."""
    if letter in options.letters:
        return Choice(Kind.OPTION, letter, end)
    return Choice(Kind.UNREADABLE, letter, end, f"the letter {letter} stands for no option")


def sentence_before(before: str) -> str:
    """The part of `before` that belongs to the sentence, and to its last turn ("but …"), going on at its end."""
    start = 0
    before = before[-REACH:]
    for stop in (*_STOP.finditer(before), *pattern("TURN").finditer(before)):
        start = max(start, stop.end())
    return before[start:]


def sentence_after(after: str) -> str:
    """The part of `after` that belongs to the sentence going on at its start."""
    after = after[:REACH]
    stop = _STOP.search(after)
    return after[: stop.start()] if stop else after


def hypothetical(sentence: str) -> bool:
    """Whether a sentence puts what follows under a condition."""
    return bool(pattern("CONDITION").search(sentence)) and not pattern("CONCEDED").search(sentence)


@cache
def pattern(name: str) -> re.Pattern[str]:
    """One part of the lexicon, compiled on first use."""
    return re.compile(getattr(lexicon, name), re.IGNORECASE)


@cache
def _head() -> re.Pattern[str]:
    return re.compile(
        r"[\s'(\[{<$|:=-]{0,8}(?:\\?(?:boxed|text|textbf|mathbf|mathrm)\{){0,3}"
        r"(?:(?:to|therefore|thus|clearly|definitely|probably|likely|simply|just|also|both|either|for|with|is|now|"
        r"go\s+with|choose|pick|select|do|take|follow|für|pour|por|会|我选|選ぶ|选|選)\s*[\s:'(](?=.)){0,3}"
        rf"(?:{lexicon.NOUN}|(?:the|la|el)\s+)?[\s'(\[{{<$]{{0,4}}{lexicon.LETTER}[)\]}}>'$]{{0,4}}",
        re.IGNORECASE,
    )


@cache
def _joined() -> re.Pattern[str]:
    second = lexicon.LETTER.replace("letter", "second")
    return re.compile(
        rf"[)\]'}}]{{0,3}}\s*(?:(?P<or>{lexicon.OR})|(?P<and>{lexicon.AND}))\s*(?:both\s+)?(?:{lexicon.NOUN})?"
        rf"[\s'(\[{{<$]{{0,4}}{second}[)\]'}}]{{0,3}}"
        r"(?P<closed>(?=\s*(?:$|[.,;:!?。、\n&/+]|and\b|or\b|und\b|oder\b|et\b|ou\b|y\b|o\b|と|和|或|を|に|で"
        r"|案|方案|都|"
        r"first|in\s+that\s+order)))?",
        re.IGNORECASE,
    )


@cache
def _reason() -> re.Pattern[str]:
    return re.compile(rf"^[)\]'}}]{{0,3}}\s+{lexicon.REASON}\b", re.IGNORECASE)


_ONLY_IF = re.compile(
    r"^(?:\s+(?:wählen|nehmen|empfehlen|bevorzugen|entscheiden))?[\s,;(\[)'-]{0,4}(?:but\s+|and\s+|aber\s+"
    r"|mais\s+|pero\s+)?(?:only\s+|nur\s+|seulement\s+|solo\s+)?"
    r"(?:(?:if|unless|provided|assuming|as\s+long\s+as|once|depending|wenn|falls|sofern|si|s'il|à\s+condition|"
    r"siempre\s+que|a\s+menos\s+que)\b|(?:の)?(?:場合|ただし)|如果|除非|若|前提)"
    r"|\b(?:otherwise|else|sonst|sinon|de\s+lo\s+contrario|否则|否則|そうでなければ)[\s,]*(?:it's\s+|choose\s+"
    r"|go\s+with\s+|"
    r"option\s+)?[A-Z](?![A-Za-z])",
    re.IGNORECASE,
)
_RANGE = re.compile(r"^\s*(?:-|to|bis|~)\s*[A-Z](?![A-Za-z])")
_COMPOUND = re.compile(r"^[/&+]\w|^-[a-z]+-|^\.[A-Za-z]")
_WORD_AFTER = re.compile(r"[)\]'}]{0,3}\s+[^\W\d_]")
_ENDS = re.compile(r"[)\]'}]{0,3}\s*(?:$|[.,;!\n])")


def announced(folded: str, at: int, options: Options, *, labelled: bool, line: bool) -> Choice | None:
    """What is chosen in the line at `at`, right after a label or a verb; None when nothing can be read there.

    After a verb (not `labelled`) a lower-case letter must end its clause. Where the label opens its `line`, the
    line may also say "none", decline, hedge or begin with an option's text; elsewhere only an option is looked for.
    """
    end = folded.find("\n", at, at + LINE_REACH)
    end = end if end != -1 else min(len(folded), at + LINE_REACH)
    body = re.sub(r"^to\s+", "", folded[at:end])
    first = sentence_after(body)
    if letter := options.stated(body) or options.stated(first) or (options.intended(first) if line else None):
        return option(letter, end, options)
    if labelled and re.match(r"\W{0,8}n/a\b", body, re.IGNORECASE):
        return Choice(Kind.NONE, None, end)
    head = _head().match(folded, at, end)
    if head and (read := _letter(folded, head, end, options, labelled=labelled)):
        return read
    if not line:
        return None
    if opened := options.opening(body):
        return option(opened[0], at + opened[1], options)
    if re.fullmatch(r"\W*[^\W\d_a-zA-Z]\W*", body[:20]) and len(body) <= 20:
        return Choice(Kind.UNREADABLE, None, end, "a letter that is not a Latin one")
    body = body[:REACH]
    none = pattern("NONE").search(body[:80])
    if none and len(re.findall(r"\w+", body[: none.start()])) <= 3:
        return Choice(Kind.NONE, None, end)
    if how := declined(body):
        return Choice(Kind.REFUSED, None, end, str(how[0]))
    if pattern("HEDGE").search(body):
        return Choice(Kind.HEDGED, None, end)
    return None


def _letter(folded: str, head: re.Match[str], end: int, options: Options, *, labelled: bool) -> Choice | None:
    """The letter that `head` found, judged by what surrounds it."""
    written = head.group("letter")
    letter = written.upper()
    start, at = head.span("letter")
    rest = folded[at:end]
    joined = _joined().match(rest)
    if _RANGE.match(rest) or (_COMPOUND.match(rest) and not joined):
        return None
    if pattern("NOT_AFTER").match(rest) or turned_down(folded, start):
        return None
    opened = options.opening(rest)
    own_text = opened is not None and opened[0] == letter
    if not own_text and _may_be_a_word(written, rest) and not (joined and written.isupper()):
        return None
    if written.islower() and not labelled and not _ENDS.match(rest):
        return None
    if opened and own_text:
        rest = rest[opened[1] :]
        at += opened[1]
    elif opened and letter in options.letters and re.match(r"\W*$|\s*[.;!]", rest[opened[1] :]):
        return Choice(Kind.SEVERAL, letter, at + opened[1], "the letter and the option's text contradict each other")
    elif joined and (kind := _together(written, rest, joined, options)):
        return Choice(kind, letter, at + joined.end())
    elif joined and joined.group("and") == "/":
        return None
    sentence = sentence_after(rest)
    if _ONLY_IF.search(sentence) and not pattern("CONCEDED").search(sentence):
        return Choice(Kind.HEDGED, letter, at + len(sentence), "under a condition")
    if re.match(r"[)\]'}]{0,3}\s*\?", rest):
        return Choice(Kind.HEDGED, letter, at + 1, "put as a question")
    return option(letter, max(at, min(head.end(), end)), options)


def turned_down(folded: str, start: int) -> bool:
    """Whether the words right before `start` negate what stands there ("not A", "rather than A", 而不是 A)."""
    before = folded[max(0, start - 40) : start].rpartition("\n")[2].rstrip("'([{<")
    return pattern("NOT").search(before) is not None


def _may_be_a_word(written: str, rest: str) -> bool:
    """Whether an "A", an "I" or a lower-case letter is followed by a word that makes it an article or a pronoun."""
    wordlike = written.upper() in "AI" or written.islower()
    return wordlike and _WORD_AFTER.match(rest) is not None and _reason().match(rest) is None


def _together(written: str, rest: str, joined: re.Match[str], options: Options) -> Kind | None:
    """Two options in one breath: `several` for "A and B", `hedged` for "A or B"; None if the second is no option."""
    second = joined.group("second")
    if second.upper() not in options.letters or second.upper() == written.upper():
        return None
    if second.isupper() != written.isupper():
        return None
    sign = re.fullmatch(r"[,/&+\-> →⇒、]+", joined.group("and") or "or")
    if sign and joined.group("closed") is None:
        return None
    follows = re.match(r"\s+([a-z]\w*)", rest[joined.end("second") :][:40])
    if second in "AI" and follows and follows.group(1) not in ("and", "or", "together", "in", "then", "both", "first"):
        return None
    either = joined.group("or") or re.match(r"\s*,?\s*(?:or|oder|ou|或|または)(?!\w)", rest[joined.end() :][:20])
    return Kind.HEDGED if either else Kind.SEVERAL


@cache
def _before() -> re.Pattern[str]:
    return re.compile(
        r"(?<![0-9A-Za-z\u00c0-\u024f'])(?P<first>[A-Z])[)\]'}]{0,3}(?:案|方案|の案)?\s*"
        rf"(?:(?P<or>{lexicon.OR})|(?P<and>{lexicon.AND}))\s*(?:option\s+)?[('\[]{{0,2}}$",
        re.IGNORECASE,
    )


def led(folded: str, found: re.Match[str], options: Options) -> tuple[Choice, int] | None:
    """The choice, and where it starts, whose letter comes first: "B is my choice", "Bを選びます"."""
    letter, at = found.group("letter"), found.start("letter")
    before = sentence_before(folded[max(0, at - REACH) : at])
    if letter.islower() or turned_down(folded, at):
        return None
    joined = _before().search(before)
    if joined and joined.group("first").upper() in options.letters:
        if re.search(r"\bn?either\s+(?:option\s+)?$", before[: joined.start()], re.IGNORECASE):
            return None
        kind = Kind.HEDGED if joined.group("or") else Kind.SEVERAL
        return Choice(kind, letter, found.end()), at - len(before) + joined.start()
    if hypothetical(before):
        return Choice(Kind.HEDGED, letter, found.end(), "under a condition"), at
    return option(letter, found.end(), options), at
