"""The judge: reads one transcript against one question and knows nothing else.

Invariant: a reading is a function of the question and the transcript alone. The judge is a fixed set of rules: no
model, no randomness, no clock; it raises for nothing that an answer can hold, and takes time linear in its length.
The text it reads is only ever read: whatever verdicts, delimiters or instructions to a judge it may hold are words.
"""

from __future__ import annotations

from measure.judge.behavior import read_behavior
from measure.judge.content import read_content
from measure.judge.filler import is_filler
from measure.judge.reading import Kind, Reading
from measure.probe.model import Axis
from measure.probe.question import Question
from measure.transcript import Transcript

VERSION = "rules-1"
"""Goes into every record. Any change that can alter a reading is a new version, listed here.

rules-1: first published rules.
"""

_NOTHING = frozenset({Kind.UNREADABLE, Kind.NEITHER})


def judge(question: Question, transcript: Transcript) -> Reading:
    """Read what one trial answered.

    The final answer decides. Only where it is a filler ("I will report when it is done") that holds no reading, the
    latest earlier message that holds one is read instead; such a reading has no spans, since spans point into the
    final answer, and its note says where it comes from. Tool calls are noted, not judged: an answer lands on an option.
    """
    reading = _read(question, transcript.answer)
    if reading.kind in _NOTHING and is_filler(transcript.answer):
        for text in reversed(transcript.texts):
            earlier = _read(question, text)
            if earlier.kind not in _NOTHING:
                reading = earlier.model_copy(update={"spans": (), "hole_report": None})
                reading = _noted(reading, "read from an earlier message; the last one is a filler")
                if earlier.hole_report:
                    reading = _noted(reading, "that message reports a missing provision")
                break
    if transcript.tool_uses and question.probe.axis is Axis.BEHAVIOR:
        names = ", ".join(dict.fromkeys(use.name for use in transcript.tool_uses))
        reading = _noted(reading, f"tools called, not judged: {names}")
    return reading


def _read(question: Question, answer: str) -> Reading:
    read = read_content if question.probe.axis is Axis.CONTENT else read_behavior
    return read(question, answer)


def _noted(reading: Reading, note: str) -> Reading:
    return reading.model_copy(update={"note": f"{reading.note}; {note}" if reading.note else note})


__all__ = ["VERSION", "Kind", "Reading", "judge"]
