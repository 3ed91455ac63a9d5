"""The name of a section: its heading text in lower-case words joined by hyphens.

Invariant: a slug holds only letters, digits, their combining marks and single inner hyphens, of any script; it is its
own slug; and it may be empty, for a heading without a word.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

FALLBACK = "section"
"""The name of a heading that has no word in it (`# 🎉`)."""

RAW_TEXT = frozenset({"pre", "script", "style", "textarea"})
"""Elements whose opening tag makes CommonMark read on to the closing tag as raw HTML (HTML blocks, condition 1)."""

_PLAIN = re.compile(r"[a-z0-9 -]*")
_BREAK = re.compile(r"[ -]+")
# Inside a word these are part of its spelling; as a border they would cut "don't" in two.
_APOSTROPHES = frozenset("'’ʼ＇`")


@lru_cache(maxsize=4096)
def slug(heading: str) -> str:
    """The slug of a heading's text.

    Whatever stands between two words becomes one hyphen and at either end goes: so a `+` inside a word (`Li+AI`) is a
    border and one after a word (`Li+ Rule`) is dropped. Apostrophes inside words and invisible characters are dropped.
    """
    lowered = heading.lower()
    if _PLAIN.fullmatch(lowered):
        return _BREAK.sub("-", lowered).strip("-")
    text = unicodedata.normalize("NFC", unicodedata.normalize("NFC", heading).lower())
    words: list[str] = []
    border = True
    for index, character in enumerate(text):
        if _is_word(character) or (not border and _is_mark(character)):
            words.append(("-" if border and words else "") + character)
            border = False
        elif character in _APOSTROPHES and not border and _is_word(text[index + 1 : index + 2]):
            continue
        elif unicodedata.category(character) != "Cf" and not _is_selector(character):
            border = True
    return "".join(words)


def section_name(heading: str) -> str:
    """The slug, or `FALLBACK` where it would be empty."""
    return slug(heading) or FALLBACK


def tag_name(heading: str) -> str:
    """The name of the tag that wraps the section of this heading.

    The section's name, but `style-section` for a heading `Style` and so on: `<style>` would hide the section from
    Markdown.
    """
    name = section_name(heading)
    return f"{name}-{FALLBACK}" if name in RAW_TEXT else name


def _is_word(character: str) -> bool:
    return bool(character) and unicodedata.category(character)[0] in "LN"


def _is_mark(character: str) -> bool:
    return unicodedata.category(character) in ("Mn", "Mc") and not _is_selector(character)


def _is_selector(character: str) -> bool:
    return "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef"
