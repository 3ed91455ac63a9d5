"""Folding: the same words in another typography become the same characters, with a way back to the original.

Invariant: every folded character knows the range of original characters it stands for, and those ranges never run
backwards; so whatever is found in the folded text can be shown in the answer as the model wrote it.

Two foldings share one table. `as_quotation` is for finding a line verbatim: a wrapped line is one line, and a new
paragraph, list item or heading is a break that no quotation crosses. `as_prose` is for reading a decision: lines stay
lines, HTML tags and struck-out text go, and enclosed letters (Ⓑ) become letters.

Folded in both: quotation marks, dashes, ellipses, spaces, full and half width, canonically equivalent accents,
invisible characters, and what Markdown uses to present text (emphasis, code ticks, escapes, quote prefixes, list
and heading marks). Case, order and every other character stay as they are.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Callable
from dataclasses import dataclass

from measure.judge.reading import Span

BREAK = "\n"
"""What stands in a folded text where a quotation can't go on (`as_quotation`) or a line ends (`as_prose`)."""

QUOTE = "'"
"""What every quotation mark and apostrophe is folded to."""

_NL = r"\n\r\x0b\x0c\x85\u2028\u2029"
_BLANK = rf"[^\S{_NL}]"
_CJK = (
    "[\u2e80-\u2fff\u3001-\u300b\u3010-\u301c\u3020-\u30ff\u3100-\u9fff"
    "\uf900-\ufaff\uff61\uff64-\uff9f\U00020000-\U0003ffff]"
)
_QUOTES = "'\"“”„‟«»‹›‘’‚‛′″‵‶´「」『』｢｣〝〞〟❛❜❝❞＂＇"
_DASHES = r"\-‐‑‒–—―−﹘﹣－"
_ENCLOSED = "[\u249c-\u24e9\U0001d400-\U0001d6a3\U0001f110-\U0001f189\U0001f1e6-\U0001f1ff]"
_MARKS = "[\u0300-\u036f\u1160-\u11ff\u3099\u309a\uff9e\uff9f]"

_MARKER = rf"(?:[+*•‣◦▪·{_DASHES}]|\d{{1,3}}[.)]){_BLANK}+"
_BOX = rf"(?:\[[ xX]\]{_BLANK}+)?"
# Where two alternatives could start at one place the earlier one wins. Runs are possessive and end in an alternative
# that always matches, so that no input makes the scan go back over what it has read. Words end their alternative, so
# they are as good as possessive; said so, Python before 3.11.5 would lose its place where one ends in a mark.
_COMMON = (
    rf"(?P<turn>(?:\A{_BLANK}*+|{_BLANK}*+(?:(?:\r\n|[{_NL}]){_BLANK}*+(?:>{_BLANK}*+)*+)++)"
    rf"(?:>{_BLANK}*+)*+(?P<marker>(?:{_MARKER}BOX)?(?:\#{{1,6}}{_BLANK}+)?))"
    rf"|(?P<word>(?:[0-9A-Za-z]{{1,40}}+(?!{_MARKS})(?: (?=[0-9A-Za-z]))?)+)"
    r"|(?P<space>\s++)"
    r"|(?P<gone>[*`\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufe0e\ufe0f\ufeff]++"
    r"|\\(?=[!-/:-@\[-`{-~])|(?<![^\W_])(?<![^\W_]\\)_++|_++(?![^\W_]))"
    r"|(?P<ellipsis>…++|⋯++|\.{3,}+)"
    rf"|(?P<dash>[{_DASHES}]++)"
    rf"|(?P<quote>[{_QUOTES}]++)"
    rf"|(?P<cluster>\S{_MARKS}{{1,30}})"
    r"|(?P<wide>[\uff01-\uff5e\uff61-\uffdc\uffe0-\uffee])"
    r"|(?P<wave>\u301c)"
)
_TAGS = r"</?(?:b|strong|i|em|code|u|mark|p|span|kbd|br|div|li|ul|ol|pre|center|h[1-6])\b[^<>\n]{0,60}>"
_QUOTATION = re.compile(_COMMON.replace("BOX", _BOX) + r"|(?P<kept>_++)")
_PROSE = re.compile(
    rf"(?P<struck>~~(?=\S)[^~\n]{{1,120}}~~|{_TAGS})|"
    + _COMMON.replace("BOX", "")
    + rf"|(?P<letter>{_ENCLOSED})|(?P<kept>_++)"
)
_BESIDE_CJK = re.compile(_CJK)


@dataclass(frozen=True, slots=True)
class Folded:
    """A folded text and, per folded character, the half-open range of the original that it stands for."""

    text: str
    starts: array[int]
    ends: array[int]

    def span(self, start: int, end: int) -> Span:
        """The original range behind the non-empty folded range `start:end`."""
        return Span(start=self.starts[start], end=self.ends[end - 1])

    def whole(self, start: int, end: int) -> bool:
        """Whether the folded range cuts no original character or mark apart (an ellipsis is one mark)."""
        return (start == 0 or self.starts[start - 1] < self.starts[start]) and (
            end == len(self.text) or self.ends[end - 1] < self.ends[end]
        )


def as_quotation(text: str) -> Folded:
    """Fold for finding a line verbatim: wraps joined, breaks only where a quotation can't go on."""

    def turn(found: re.Match[str]) -> str:
        if not found.start():
            return ""
        breaks = found.group().replace("\r\n", "\n")
        if found.group("marker") or sum(breaks.count(mark) for mark in "\n\r\x0b\x0c\x85\u2028\u2029") > 1:
            return BREAK
        return _space(found)

    return _fold(text, _QUOTATION, turn)


def as_prose(text: str) -> Folded:
    """Fold for reading: one `BREAK` per line end (two between paragraphs), letters out of their circles."""

    def turn(found: re.Match[str]) -> str:
        breaks = found.group().replace("\r\n", "\n")
        return BREAK * min(2, sum(breaks.count(mark) for mark in "\n\r\x0b\x0c\x85\u2028\u2029"))

    return _fold(text, _PROSE, turn)


def _fold(text: str, table: re.Pattern[str], turn: Callable[[re.Match[str]], str]) -> Folded:
    out: list[str] = []
    starts, ends = array("i"), array("i")
    done = 0
    for found in table.finditer(text):
        kind = found.lastgroup or "kept"
        if kind == "word":
            continue
        start, end = found.span()
        if start > done:
            out.append(text[done:start])
            starts.extend(range(done, start))
            ends.extend(range(done + 1, start + 1))
        done = end
        # `marker` is the last group that took part in a turn.
        folded = turn(found) if kind in ("turn", "marker") else _PLAIN[kind](found)
        out.append(folded)
        starts.extend([start] * len(folded))
        ends.extend([end] * len(folded))
    out.append(text[done:])
    starts.extend(range(done, len(text)))
    ends.extend(range(done + 1, len(text) + 1))
    return Folded("".join(out), starts, ends)


def _space(found: re.Match[str]) -> str:
    """One space; none beside Chinese or Japanese, where a wrap or a space is only layout."""
    text, (start, end) = found.string, found.span()
    beside = text[start - 1 : start] + text[end : end + 1]
    return "" if _BESIDE_CJK.search(beside) else " "


def _narrow(found: re.Match[str]) -> str:
    return "".join(_width(char) for char in found.group())


def _width(char: str) -> str:
    kind, _, code = unicodedata.decomposition(char).partition(" ")
    return chr(int(code, 16)) if kind in ("<wide>", "<narrow>") else char


def _letter(found: re.Match[str]) -> str:
    char = found.group()
    for first, last in ((0x1F150, 0x1F169), (0x1F170, 0x1F189), (0x1F1E6, 0x1F1FF)):
        if first <= ord(char) <= last:
            return chr(ord("A") + ord(char) - first)
    return unicodedata.normalize("NFKC", char)


_PLAIN: dict[str, Callable[[re.Match[str]], str]] = {
    "struck": lambda _: "",
    "space": _space,
    "gone": lambda _: "",
    "ellipsis": lambda _: "...",
    "dash": lambda _: "-",
    "quote": lambda _: QUOTE,
    "cluster": lambda found: unicodedata.normalize("NFC", _narrow(found)),
    "wide": _narrow,
    "wave": lambda _: "~",
    "letter": _letter,
    "kept": lambda found: found.group(),
}
