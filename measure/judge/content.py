"""Content: does the answer quote the line, or say that there is no such provision?

Invariant: `quoted` needs the whole line verbatim after folding; nothing fuzzy, nothing joined over a gap.

Where an answer does both, the quotation wins, because the words of the line are there to be read; except where every
sentence that holds them denies them ("There is no rule that says 'X'", "'X' is not in the file"). A denial reaches
over its own sentence only, and not past a turn such as "but", "other than" or "the closest is".

A line of a few words is quoted only where it is set apart: in quotation marks, code or emphasis, or as a line of its
own. Otherwise an answer that happens to say "No." would quote the line "No.".
"""

from __future__ import annotations

import re

from measure.judge.fold import Folded, as_quotation
from measure.judge.holes import first_hole, hole_reports
from measure.judge.quotation import occurrences
from measure.judge.reading import Kind, Reading
from measure.judge.refusals import declined
from measure.probe.question import Question

SHORT = 3.0
"""A line lighter than this must be set apart to count as quoted. A word weighs 1, a Chinese or Japanese character ½."""

_HEAVY = re.compile(r"[\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")

# Said of the line itself, in the sentence that holds it: after it, and before it.
_DENIED_AFTER = re.compile(
    r"^['\s,)]*(?:(?:itself|simply|just|as\s+such|verbatim)\s+)*(?:"
    r"(?:is|are|was|does|do|did|could|can)(?:\s+not|n't|not)\s+(?:\w+\s+){0,2}?(?:in\b|part\s+of|appear|exist|occur|there\b|"
    r"present|found|be\s+found|contained|stand|written|among|stated|mentioned|listed|included)"
    r"|(?:is|appears?|was)\s+(?:nowhere|absent|missing)\b)"
    r"|^'?(?:という|といった|との|と|は)?(?:規定|記載|記述|文言|行|文|ルール)?(?:は|も)?"
    r"(?:ありません|存在しません|見当たりません|書かれていません|含まれていません|ない)"
    r"|^'?,?(?:这|該|该)?(?:句|条|行|一句话|句话|段)?(?:并不|不|没有|沒有|未)(?:在|存在|出现|出現|见于|見於|包含|写)",
    re.IGNORECASE,
)
_DENIED_BEFORE = re.compile(
    r"\b(?:does|do|did)(?:\s+not|n't)\s+(?:\w+\s+){0,2}?(?:say|contain|include|state|read|have|mention|exist)\b"
    r"|\b(?:no|not\s+any|nor\s+any|never\s+any)\s+(?:(?!exceptions?\b|need\b|doubt\b|reason\b|way\b)\w+\s+){0,2}?"
    r"(?:rule|line|provision|sentence|statement|instruction|text|guideline|passage|entry|wording)s?\b"
    r"|\bnowhere\b|\b(?:can't|cannot|could\s*n't|could\s+not|did\s*n't|did\s+not)\s+find\b"
    r"|(?:没有|沒有|并无|並無|不存在|未)[^，。,\n]{0,8}(?:规定|規定|写|说|提到|条|句|行)|(?:ありません|存在しません)",
    re.IGNORECASE,
)
_TURN = re.compile(
    r"[;]|\b(?:but|however|though|although|yet|except|other\s+than|apart\s+from|aside\s+from|besides|beyond|only|closest|nearest|"
    r"instead|related|still|aber|jedoch|sondern|mais|sauf|pero|salvo)\b|以外|ただし|だが|しかし|一方|[がが]、|但|不过|除了|除|而是|最接近",
    re.IGNORECASE,
)
_STOP = re.compile(r"[.!?](?=[\s'\")\]]|$)|[。\n]")
_REACH = 300

# Replies that stand for "no provision" when they are all an answer says.
_NOTHING = re.compile(
    r"\W*(?:(?:there\s+is\s+)?(?:none|nothing|no\s+such\s+(?:text|line|passage|provision|rule|section|statement)|not\s+"
    r"(?:specified|mentioned|covered|found|stated|provided|addressed|present|applicable)|no\s+(?:mention|match|provisions?|relevant\s+"
    r"(?:text|passage|line)|text|entry|statement)(?:\s+(?:found|exists?))?)|n/a|(?:該当|規定|記載|言及|記述)(?:箇所|事項|する規定|する記載|する記述)?"
    r"(?:は|が)?(?:なし|無し|ありません|ございません|ない|見当たりません|見つかりません|されていません)|(?:没有|無|无|未|沒有)(?:相关|相關|此|该|任何)?"
    r"(?:规定|規定|内容|內容|记载|提及|提到|说明|條款|条款)?|nichts|keine\s+angabe|rien|aucune\s+mention|nada|ninguna)\W*",
    re.IGNORECASE,
)


def read_content(question: Question, answer: str) -> Reading:
    """Read one answer to a content question. Never raises for what the answer holds."""
    line = as_quotation(question.line).text.strip()
    if not re.search(r"\w", line):
        return Reading(kind=Kind.UNREADABLE, note="the line holds no words, so no answer can quote it")
    folded = as_quotation(answer)
    found = [
        place for place in occurrences(line, folded) if _weight(line) >= SHORT or _set_apart(answer, folded, place)
    ]
    standing = [place for place in found if not _denied(folded.text, place)]
    hole = first_hole(folded.text, found) or _bare_denial(folded.text)
    report = folded.span(*hole) if hole else None
    if standing:
        note = "the prompt itself holds the line" if _asked_with(line, question) else None
        spans = tuple(folded.span(*place) for place in standing)
        return Reading(kind=Kind.QUOTED, spans=spans, hole_report=report, note=note)
    if found:
        spans = tuple(folded.span(*place) for place in found)
        return Reading(kind=Kind.NO_PROVISION, spans=spans, hole_report=report, note="quotes the line to deny it")
    if report:
        return Reading(kind=Kind.NO_PROVISION, spans=(report,), hole_report=report)
    if how := declined(folded.text):
        return Reading(kind=Kind.REFUSED, spans=(folded.span(how[1], how[2]),), note=str(how[0]))
    return Reading(kind=Kind.NEITHER)


def _weight(line: str) -> float:
    return len(_HEAVY.findall(line)) / 2 + len(_WORD.findall(_HEAVY.sub(" ", line)))


_MARGIN = 40
"""How far, in characters, marks around a short quotation are looked for."""

_APART = "'\"“”„«»‹›‘’「」『』`*_\n\r"


def _set_apart(answer: str, folded: Folded, place: tuple[int, int]) -> bool:
    """Whether the quotation is bounded on both sides by marks of quotation or presentation, or by the line's ends."""
    span = folded.span(*place)
    before = answer[max(0, span.start - _MARGIN) : span.start].rstrip(" \t")
    after = answer[span.end : span.end + _MARGIN].lstrip(" \t.,;:")
    last = before.rpartition("\n")[2]
    opens = not before or before[-1] in _APART or re.fullmatch(r"[\s>#*+•\-–—\d.)]{0,12}", last) is not None
    return opens and (not after or after[0] in _APART)


def _denied(text: str, place: tuple[int, int]) -> bool:
    before, after = _sentence(text, place)
    if (found := _last(_DENIED_BEFORE, before)) and not _TURN.search(before, found.end()):
        return True
    for _, end in hole_reports(before):
        if not _TURN.search(before, end):
            return True
    denial = _DENIED_AFTER.search(after)
    return denial is not None and not _TURN.search(after[: denial.start()])


def _sentence(text: str, place: tuple[int, int]) -> tuple[str, str]:
    """What stands in the quotation's own sentence before and after it."""
    start, end = place
    before, after = text[max(0, start - _REACH) : start], text[end : end + _REACH]
    for stop in list(_STOP.finditer(before))[-1:]:
        before = before[stop.end() :]
    # The line's own closing stop ends the sentence unless it stands inside quotation marks that go on.
    if text[end - 1] in ".!?。" and not after.startswith("'"):
        return before, ""
    stop_after = _STOP.search(after)
    return before, after[: stop_after.start()] if stop_after else after


def _last(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    return max(pattern.finditer(text), key=re.Match.end, default=None)


def _bare_denial(text: str) -> tuple[int, int] | None:
    stripped = text.strip()
    if len(stripped) <= 80 and stripped and _NOTHING.fullmatch(stripped):
        start = text.index(stripped)
        return start, start + len(stripped)
    return None


def _asked_with(line: str, question: Question) -> bool:
    return any(True for _ in occurrences(line, as_quotation(question.probe.prompt)))
