"""Quotation: where a line stands verbatim in a folded text.

Invariant: an occurrence is the whole line, in order, without a gap, and cuts no word, letter or mark of the answer.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from measure.judge.fold import QUOTE, Folded

_SPACED = re.compile(r"[0-9A-Za-z\u00aa-\u02ff\u0370-\u1fff\u2c00-\u2dff\uac00-\ud7af]")
"""Letters and digits of scripts that put spaces between words; a match must not begin or end inside such a word."""

_STOPS = ".。"


def occurrences(line: str, folded: Folded) -> Iterator[tuple[int, int]]:
    """Ranges of `folded` where `line` (folded `as_quotation`) stands, from left to right and apart from each other.

    The line's closing full stop may be missing where the quotation is set in quotation marks, which take its place
    in Japanese and often in English.
    """
    line = line.strip()
    bare = line.rstrip(_STOPS)
    if not re.search(r"\w", bare):
        return
    text = folded.text
    at = 0
    while (start := text.find(bare, at)) != -1:
        end = start + len(bare)
        stopped = text.startswith(line, start)
        quoted = text[max(0, start - 1) : start] == QUOTE and text[end : end + 1] == QUOTE
        if stopped:
            end = start + len(line)
        if (stopped or quoted) and _fits(text, start, end) and folded.whole(start, end):
            yield start, end
            at = end
        else:
            at = start + 1


def _fits(text: str, start: int, end: int) -> bool:
    before, after = text[max(0, start - 1) : start], text[end : end + 1]
    if _SPACED.match(before) and _SPACED.match(text[start]):
        return False
    if _SPACED.match(after) and _SPACED.match(text[end - 1]):
        return False
    return not (after and unicodedata.combining(after))
