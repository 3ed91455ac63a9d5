"""Fillers: a final message that only says that work goes on or is done, after the decision was given earlier.

Invariant: an earlier message is read only when the final one is a filler and holds no reading of its own; so a decision
made before the agent learned more never stands in for its last word.
"""

from __future__ import annotations

import re

LONGEST = 400
"""A filler is short: more characters than this are an answer."""

_FILLER = re.compile(
    r"\b(?:i'll|i\s+will|i'm|i\s+am|we'll|let\s+me|will)\s+(?:\w+\s+){0,2}?(?:report|update|let\s+you\s+know|wait|waiting|check\s+back|"
    r"get\s+back|notify|follow\s+up|continue|monitor|standing\s+by|keep\s+you|come\s+back|summari[sz]e)\b"
    r"|\b(?:waiting|wait)\s+(?:for|on|until)\b|\b(?:still|currently)\s+(?:running|working|waiting|in\s+progress)\b|\bstanding\s+by\b|"
    r"\bin\s+progress\b|\bin\s+the\s+background\b"
    r"|^\W*(?:all\s+)?(?:done|complete[d]?|finished|ok(?:ay)?|understood|got\s+it|see\s+above|as\s+(?:stated|above|explained)[^.\n]{0,40}|"
    r"that's\s+(?:it|all)|the\s+(?:task|work|answer|decision)\s+(?:is\s+)?(?:done|complete|above|given\s+above|stands|remains)[^.\n]{0,30}|"
    r"let\s+me\s+know[^.\n]{0,60})\W*$"
    r"|(?:完了|終わり|終了)(?:したら|次第|後)[^。\n]{0,20}(?:報告|連絡|お知らせ)|お待ち|待機(?:中|して)|以上です|完了しました"
    r"|(?:完成|结束|結束)(?:后|後|之后)[^。\n]{0,20}(?:汇报|匯報|报告|報告|告知|通知)|等待|请稍候|請稍候|已完成|如上所述",
    re.IGNORECASE,
)


def is_filler(answer: str) -> bool:
    """Whether a final answer says nothing but that work goes on, is done, or that the decision stands above."""
    text = answer.strip()
    return not text or (len(text) <= LONGEST and "?" not in text and _FILLER.search(text) is not None)
