"""Hole reports: where an answer says that the governing text lacks a provision.

Invariant: a report is a statement that a rule is missing, made by the answer itself. That something else is missing
("there are no tests"), that a rule was kept ("no rule is broken"), or what to do should a rule be missing ("if no
rule covers this, ask") is none. Reading holes never influences which option is read.

A pattern needs two things near each other in one sentence: a word for governing text, and its absence. Gaps are
bounded and never cross a sentence, so reading takes time linear in the answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from measure.judge import hole_lexicon as words


@dataclass(frozen=True, slots=True)
class _Tongue:
    """How one language reports a hole.

    A sentence is searched where it holds `cue` and `absence`. `before` and `after` turn a match down.
    """

    cue: re.Pattern[str]
    absence: re.Pattern[str]
    reports: re.Pattern[str]
    before: re.Pattern[str] | None = None
    after: re.Pattern[str] | None = None


def _either(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


@cache
def _tongues() -> tuple[_Tongue, ...]:
    english = _either(words.RULE, r"\.md|\.claude|prompt|rules?\b")
    kana, han = _either(r"[\u3041-\u30ff]|規定なし"), _either(r"[\u4e00-\u9fff]")
    german, french = _either(r"\b(?:kein|nicht|schweig)"), _either(r"\b(?:aucun|pas|rien|muet|silenc)")
    spanish = _either(r"\b(?:no|sin|nada|ninguna|callan?|silencio)\b")
    return (
        _Tongue(english, words.ENGLISH_ABSENCE, _either(*words.ENGLISH), words.ENGLISH_IF, words.ENGLISH_FINE),
        _Tongue(kana, kana, _either(*words.JAPANESE), None, words.JA_IF),
        _Tongue(han, han, _either(*words.CHINESE), words.ZH_IF, words.ZH_THEN),
        _Tongue(german, german, _either(*words.GERMAN), words.LATIN_IF),
        _Tongue(french, french, _either(*words.FRENCH), words.LATIN_IF),
        _Tongue(spanish, spanish, _either(*words.SPANISH), words.LATIN_IF),
    )


_SENTENCE = re.compile(r"(?:[^.!?。\n]|[.!?](?![\s'\")\]]|$))+[.!?。]?")


def hole_reports(folded: str) -> Iterator[tuple[int, int]]:
    """Ranges of `folded` (a text folded `as_quotation`) that report a missing provision, sentence by sentence."""
    tongues = [tongue for tongue in _tongues() if tongue.cue.search(folded)]
    for sentence in _SENTENCE.finditer(folded) if tongues else ():
        low, high = sentence.span()
        for tongue in tongues:
            if not (tongue.cue.search(folded, low, high) and tongue.absence.search(folded, low, high)):
                continue
            for found in tongue.reports.finditer(folded, low, high):
                start, end = found.span()
                if tongue.before and tongue.before.search(folded, max(low, start - 60), start):
                    continue
                if tongue.after and tongue.after.search(folded[end : end + 40]):
                    continue
                yield start, end


def first_hole(folded: str, ignoring: Iterable[tuple[int, int]] = ()) -> tuple[int, int] | None:
    """The earliest report that does not overlap a range of `ignoring` (a quoted line, a restated option)."""
    apart = bytearray(len(folded))
    for start, end in ignoring:
        apart[start:end] = b"\1" * (end - start)
    return min((place for place in hole_reports(folded) if not any(apart[slice(*place)])), default=None)
