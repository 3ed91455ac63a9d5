"""The headings of a Markdown file and the lines that are not prose, by line.

Invariant: the answer is markdown-it-py's (CommonMark). A file in which no line can be anything else is read by one
regular expression instead, because most rule files are such and a tree has thousands; a test holds the two together.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from measure.surface.bytelines import Lines, split_lines
from measure.surface.frontmatter import body_start


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading that stands in no list, quote or code: its level, its text, its lines (`last` excluded)."""

    level: int
    text: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Markdown:
    """The body of a file: its lines, its headings in order, and the ranges of lines that hold code or raw HTML."""

    lines: Lines
    headings: tuple[Heading, ...]
    raw: tuple[tuple[int, int], ...]

    def is_raw(self, line: int) -> bool:
        """Whether the line stands in a code block, a comment, or another element that Markdown leaves unread."""
        at = bisect_right(self.raw, (line, len(self.lines) + 1)) - 1
        return at >= 0 and self.raw[at][0] <= line < self.raw[at][1]


def read_markdown(data: bytes) -> Markdown:
    """The body of a Markdown file, after byte order mark and front matter. Any bytes can be read."""
    lines = split_lines(data, body_start(data))
    body = data[lines.base :]
    if _is_hard(body):
        headings, raw = _by_parser(lines, body)
    else:
        headings, raw = _by_pattern(lines, body)
    return Markdown(lines, headings, raw)


# Patterns begin with the line end before, which the search engine looks for by itself, many times faster than by "^".
_HARD_LINE = re.compile(
    rb"\n(?: {1,3}#{1,6}(?:[ \t\r\n]|\Z)"
    rb"|[ \t>*+\-\d.)]+(?:```|~~~)"
    rb"| {0,3}<[^\n]*\n[ \t]*[^ \t\r\n])"
)
_UNDERLINE = re.compile(rb"\n {0,3}(?:=+|-+)[ \t]*(?=[\r\n]|\Z)")
_LONE_CR = re.compile(rb"\r(?!\n)")
_RAW_TEXT = re.compile(rb"<(?:[!?]|(?i:script|pre|style|textarea))")
_MARGIN = re.compile(rb"\n(?:(#{1,6})(?=[ \t\r\n]|\Z)([^\r\n]*)|(`{3,}(?=[^`\r\n]*\r?(?:\n|\Z))|~{3,}))")


def _is_hard(body: bytes) -> bool:
    """Whether a parser is needed.

    It is for lone CRs, an underline below text, indented headings, fences that are not at the margin, an HTML line
    that the next line continues, and raw HTML that runs on to its end tag.
    """
    text = b"\n" + body
    if (b"\r" in text and _LONE_CR.search(text)) or _HARD_LINE.search(text):
        return True
    if b"<" in text and _RAW_TEXT.search(text):
        return True
    return any(
        text[text.rfind(b"\n", 0, found.start()) + 1 : found.start()].strip(b" \t\r")
        for found in _UNDERLINE.finditer(text)
    )


_CLOSING_HASHES = re.compile(r"(?:^|(?<=[ \t]))#+$")


def _by_pattern(lines: Lines, body: bytes) -> tuple[tuple[Heading, ...], tuple[tuple[int, int], ...]]:
    headings: list[Heading] = []
    raw: list[tuple[int, int]] = []
    text = b"\n" + body
    at = 0
    while found := _MARGIN.search(text, at):
        # The match begins at the line end before, which the body's own offsets don't have.
        line = lines.index_at(lines.base + found.start())
        fence = found[3]
        if fence is None:
            headings.append(Heading(len(found[1]), _heading_text(_content(found[2])), line, line + 1))
            at = found.end()
            continue
        closing = re.compile(rb"\n%s{%d,}[ \t]*(?=\r?\n|\Z)" % (fence[:1], len(fence))).search(text, found.end())
        at = closing.end() if closing else len(text)
        raw.append((line, lines.index_at(lines.base + max(0, at - 2)) + 1))
    return tuple(headings), tuple(raw)


def _content(after_hashes: bytes) -> str:
    content = after_hashes.decode("utf-8", "replace").rstrip(" \t")
    return _CLOSING_HASHES.sub("", content).strip()


def _by_parser(lines: Lines, body: bytes) -> tuple[tuple[Heading, ...], tuple[tuple[int, int], ...]]:
    headings: list[Heading] = []
    raw: list[tuple[int, int]] = []
    tokens = parse_blocks(body)
    for index, token in enumerate(tokens):
        if token.map is None:
            continue
        first, last = token.map
        last = min(last, len(lines))
        if token.type == "heading_open" and token.level == 0:
            headings.append(Heading(int(token.tag[1:]), _heading_text(tokens[index + 1].content), first, last))
        elif token.type in ("fence", "code_block") or (token.type == "html_block" and _RAW_HTML.match(token.content)):
            raw.append((first, last))
    return tuple(headings), tuple(sorted(raw))


_RAW_HTML = re.compile(r" {0,3}<(?:[!?]|(?:script|pre|style|textarea)\b)", re.IGNORECASE)
_INLINE = re.compile(r"[\\`*_\[\]<&!\n]")


def parse_blocks(body: bytes) -> Any:
    """markdown-it-py's block tokens of a text without front matter; their `map` holds lines from 0, end excluded."""
    return _blocks().parse(body.decode("utf-8", "replace"))


@cache
def _blocks() -> Any:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


@cache
def _inline() -> Any:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark")


def _heading_text(content: str) -> str:
    """What a reader sees of the heading: link texts, code, alternative texts of pictures; no markup."""
    if not _INLINE.search(content):
        return content
    return "".join(text for token in _inline().parseInline(content) for text in _seen(token.children or ()))


def _seen(tokens: Any) -> Iterator[str]:
    for token in tokens:
        if token.type in ("softbreak", "hardbreak"):
            yield " "
        elif token.type == "image":
            yield from _seen(token.children or ())
        elif token.type in ("text", "text_special", "code_inline"):
            yield token.content
