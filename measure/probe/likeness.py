"""Text made comparable: whether a prompt repeats a line, whole or in part, however it is typed.

Invariant: what differs only in case, white space, Markdown marks, width or typographic form is the same text here.
This is wider than the judge's folding on purpose: the judge asks whether an answer is verbatim, this module whether a
reader of the prompt already knows the line.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from difflib import SequenceMatcher

_TYPOGRAPHY = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛`´′ʼ", "'"),
        **dict.fromkeys("“”„‟″«»「」『』", '"'),
        **dict.fromkeys("‐‑‒–—―−", "-"),
        "…": "...",
    }
)
_BULLET = re.compile(r"^\s*(?:#{1,6}\s+|>\s*|[-*+•・]\s+(?:\[[ xX]\]\s+)?|\d{1,3}[.)]\s+)+")
_EDGES = " \t.,;:!?。、，；：！？\"'()[]{}*_#>-"
# Han, kana and Hangul are compared sign by sign, everything else word by word.
_SIGN = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_WORD = re.compile(rf"[{_SIGN}]|(?:(?![{_SIGN}])[^\W_])+")
_COMMON_WORDS = frozenset(
    {"a", "an", "and", "any", "are", "as", "at", "be", "before", "but", "by", "do", "does", "for", "from", "has"}
    | {"have", "if", "in", "into", "is", "it", "its", "no", "not", "of", "on", "or", "so", "that", "the", "their"}
    | {"them", "then", "there", "these", "they", "this", "to", "too", "up", "was", "we", "were", "when", "which"}
    | {"will", "with", "you", "your"}
)

LONG_RUN = 4
"""A run of this many words of the line in a prompt is worth a warning, if two are telling. Signs count half."""
MOST = 0.75
"""So is a prompt that holds this share of the line's telling words."""


def fold(text: str) -> str:
    """`text` in one spelling: compatibility forms, case, quotes, dashes, white space and Markdown marks folded."""
    text = unicodedata.normalize("NFKC", text).casefold().translate(_TYPOGRAPHY)
    text = "".join(char for char in text if unicodedata.category(char) != "Cf")
    return " ".join(re.sub(r"\*+|__+|(?<!\w)_|_(?!\w)|'", "", text).split())


def core(line: str) -> str:
    """A line folded, without bullet, heading or list marks and without punctuation at either end."""
    return fold(_BULLET.sub("", line)).strip(_EDGES)


def words(text: str) -> list[str]:
    """The words of `text` as compared: folded, one entry per word, and per sign where words are not spaced."""
    return _WORD.findall(fold(text))


def quotes(text: str, line: str) -> bool:
    """Whether `text` holds the whole line, however typed. A line of a single word is never quoted, only used."""
    wanted = words(core(line))
    if weight(wanted) < 2:
        return False
    return _holds(words(text), wanted)


def gives_away(text: str, line: str) -> str | None:
    """The words by which `text` tells most of what `line` says, or None where it does not.

    Either a long run of the line's words, or most of its telling words in any order.
    """
    theirs, ours = words(text), words(core(line))
    match = SequenceMatcher(None, ours, theirs, autojunk=False).find_longest_match()
    run = ours[match.a : match.a + match.size]
    long = weight(run) >= LONG_RUN or (weight(run) >= 3 and weight(run) >= MOST * weight(ours))
    if long and weight([word for word in run if word not in _COMMON_WORDS]) >= 2:
        return joined(run)
    telling = [word for word in dict.fromkeys(ours) if word not in _COMMON_WORDS and not _is_sign(word)]
    shared = [word for word in telling if word in set(theirs)]
    if len(telling) >= 4 and len(shared) >= MOST * len(telling):
        return joined(shared)
    return None


def weight(run: Sequence[str]) -> float:
    """How many words a run is worth; two signs make about one word."""
    return sum(0.5 if _is_sign(word) else 1 for word in run)


def joined(run: Sequence[str]) -> str:
    """A run of words as text again."""
    return re.sub(rf"(?<=[{_SIGN}]) (?=[{_SIGN}])", "", " ".join(run))


def _is_sign(word: str) -> bool:
    return len(word) == 1 and re.match(f"[{_SIGN}]", word) is not None


def _holds(text: Sequence[str], wanted: Sequence[str]) -> bool:
    size = len(wanted)
    return any(list(text[start : start + size]) == list(wanted) for start in range(len(text) - size + 1))
