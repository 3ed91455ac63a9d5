"""How many sentences a claim has, in English, Japanese and Chinese.

Invariant: a full stop inside a word (`v1.2`, `CLAUDE.md`, `e.g.`) never ends a sentence; a full-width one always does,
except right before a closing quotation mark that the sentence goes on after.
"""

from __future__ import annotations

import re

_ABBREVIATIONS = frozenset(
    {"e.g", "i.e", "a.m", "p.m", "u.s", "u.k", "etc", "vs", "cf", "ca", "approx", "resp", "incl", "excl", "esp"}
    | {"no", "nos", "fig", "figs", "sec", "ch", "vol", "pp", "ed", "eds", "al", "min", "max", "dept", "est"}
    | {"mr", "mrs", "ms", "dr", "prof", "st", "jr", "sr", "inc", "ltd", "co", "corp"}
)
_CLOSING = "\"'”’)\\]}»›」』）】》〉*_`"
_END = re.compile(
    rf"(?P<wide>[。！？｡]+)(?P<quote>[{_CLOSING}]*)|(?<![.!?…])(?P<narrow>[.!?…]+)(?P<after>[{_CLOSING}]*)(?=\s|$)|\n\s*\n"
)

_NEAR = 64
"""How many characters around a full stop are looked at; no abbreviation is longer."""


def sentences(text: str) -> tuple[str, ...]:
    """The sentences of `text`, stripped. Text without any full stop is one sentence."""
    found: list[str] = []
    start = 0
    for end in _END.finditer(text):
        if _ends_here(text, end):
            found.append(text[start : end.end()].strip())
            start = end.end()
    found.append(text[start:].strip())
    return tuple(sentence for sentence in found if re.search(r"\w", sentence))


def _ends_here(text: str, end: re.Match[str]) -> bool:
    rest = text[end.end() : end.end() + _NEAR].lstrip()
    if end["wide"] is not None:
        return not end["quote"]
    if end["narrow"] is None:
        return True
    before = re.search(r"(\S*)$", text[max(0, end.start() - _NEAR) : end.start()])
    word = before[1].lstrip("\"'“‘(*_`[").casefold() if before else ""
    goes_on_small = rest[:1].islower()
    if end["narrow"] == ".":
        if word in _ABBREVIATIONS or re.fullmatch(r"[a-z]", word):
            return False
        # `Jan. 5` or `min. three`: a short word before a small letter is more likely shortened than the last one.
        return not (goes_on_small and (len(word) <= 3 or bool(end["after"])))
    return not goes_on_small
