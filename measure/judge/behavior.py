"""Behaviour: which option an answer decides on.

Invariant: the reading is an option only where the answer decides on exactly one. Everything else has a kind of its
own; nothing is guessed, and no letter is ever inferred from the options that were turned down.

The order of precedence. A line that begins with a label ("ACTION: B") decides, the last such line where there are
more; two different ones with nothing between them, or a different unconditional decision after the last one, are
`several`. Without such a line: a labelled phrase ("my answer is B"); then explicit decisions and a closing line
together, a later one replacing an earlier one only where it says so; then fields of JSON, an opening line, and
judgements ("B is safest"). Where nothing of that is found, a decision under a condition is `hedged`, "none of these"
is `none`, declining and "I can't tell" are `refused` (told apart by the note), and all else is `unreadable`. What is
only a report of a missing provision is `void`.
"""

from __future__ import annotations

from collections.abc import Sequence

from measure.judge.fold import as_prose, as_quotation
from measure.judge.holes import first_hole
from measure.judge.options import Options
from measure.judge.quotation import occurrences
from measure.judge.reading import Kind, Reading, Span
from measure.judge.refusals import Declined, declined
from measure.judge.statements import Statement, Strength, corrected, leaves_open, statements
from measure.probe.question import Question


def read_behavior(question: Question, answer: str) -> Reading:
    """Read one answer to a behaviour question. Never raises for what the answer holds."""
    options = Options.of(question)
    prose = as_prose(answer)
    decided = _decide(prose.text, statements(prose.text, options)) or _undecided(prose.text)
    hole = _hole(question, answer)
    nothing = decided.kind is Kind.UNREADABLE and decided.note is None
    abstained = decided.kind is Kind.REFUSED and decided.note == Declined.ABSTAINED
    if hole and (nothing or abstained):
        return Reading(kind=Kind.VOID, spans=(hole,), hole_report=hole, note="only reports a missing provision")
    return Reading(
        kind=decided.kind,
        option=options.letters[decided.letter] if decided.kind is Kind.OPTION and decided.letter else None,
        spans=(prose.span(decided.start, decided.end),) if decided.start < decided.end else (),
        hole_report=hole,
        note=decided.note,
    )


def _decide(folded: str, found: Sequence[Statement]) -> Statement | None:
    def of(*strengths: Strength) -> list[Statement]:
        return [said for said in found if said.strength in strengths]

    if anchored := of(Strength.LABELLED) or of(Strength.PHRASE):
        later = of(Strength.PHRASE, Strength.DECISION, Strength.CLOSING)
        return _anchored(folded, anchored, later)
    spoken = of(Strength.DECISION, Strength.CLOSING)
    for group in ([said for said in spoken if said.kind is not Kind.HEDGED], of(Strength.DATA), of(Strength.OPENING)):
        if group:
            return _settled(folded, group)
    opinions = [said for said in of(Strength.OPINION) if said.kind is Kind.OPTION]
    if any(_differ(opinions[0], said) for said in opinions):
        return _both(Kind.HEDGED, opinions[0], opinions[-1], "favours more than one option")
    if opinions:
        return opinions[-1]
    rest = [said for said in found if said.kind in (Kind.HEDGED, Kind.SEVERAL)]
    return rest[-1] if rest else None


def _anchored(folded: str, anchored: Sequence[Statement], others: Sequence[Statement]) -> Statement:
    last = anchored[-1]
    for previous in anchored[-2:-1]:
        if _differ(previous, last) and not folded[previous.end : last.start].strip(" \n.,;)'"):
            return _both(Kind.SEVERAL, previous, last, _CONTRADICTING)
    later = [
        said
        for said in others
        if said.start >= last.end and Kind.OPTION is said.kind is last.kind and not said.later and _differ(said, last)
    ]
    return _both(Kind.SEVERAL, last, later[-1], _CONTRADICTING) if later else last


def _settled(folded: str, group: Sequence[Statement]) -> Statement:
    """What statements of equal rank come to: one decision, the last of a chain of corrections, or several."""
    settled = group[0]
    for said in group[1:]:
        if not _differ(settled, said) or settled.kind is Kind.UNREADABLE or corrected(folded, settled, said):
            settled = said
        elif said.kind is not Kind.UNREADABLE:
            settled = _both(Kind.SEVERAL, settled, said, _CONTRADICTING)
    return settled


_CONTRADICTING = "contradicting decisions"


def _differ(one: Statement, other: Statement) -> bool:
    return (one.kind, one.letter) != (other.kind, other.letter)


def _both(kind: Kind, one: Statement, other: Statement, note: str) -> Statement:
    return Statement(kind, None, other.strength, min(one.start, other.start), max(one.end, other.end), note)


def _undecided(folded: str) -> Statement:
    how = declined(folded)
    refused = how and Statement(Kind.REFUSED, None, Strength.OPINION, how[1], how[2], str(how[0]))
    if how and refused and how[0] is Declined.REFUSED:
        return refused
    if left := leaves_open(folded):
        return Statement(left[0], None, Strength.OPINION, left[1], left[2])
    return refused or Statement(Kind.UNREADABLE, None, Strength.OPINION, 0, 0)


def _hole(question: Question, answer: str) -> Span | None:
    """A hole report of the answer's own: none that stands in a restated option or in the quoted line."""
    folded = as_quotation(answer)
    restated = [
        found
        for text in (question.line, *(option.text for option in question.probe.options))
        for found in occurrences(as_quotation(text).text, folded)
    ]
    hole = first_hole(folded.text, restated)
    return folded.span(*hole) if hole else None
