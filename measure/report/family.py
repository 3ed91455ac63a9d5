"""Sentences about several lines that were measured together.

Invariant: a claim that does not stand when all lines are counted is named; it never becomes the opposite claim.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from measure.record.family import Family, families_of
from measure.record.models import RunRecord
from measure.report.wording import AXIS_NAMES


def family_sentences(records: Sequence[RunRecord]) -> tuple[str, ...]:
    """What stands when all the lines are counted together; nothing where there is one line alone."""
    places = {record.run_id: record.plan.contrast.place for record in records if record.plan is not None}
    families = families_of(records)
    said = [sentence for family in families for sentence in _sentences(family, places)]
    if families:
        said.append("Lines that were measured in other runs are not counted here.")
    return tuple(said)


def family_block(records: Sequence[RunRecord], width: int) -> str:
    """The sentences as a block below the records; empty where there is one line alone."""
    wrapped = [
        textwrap.fill(said, width, initial_indent="  ", subsequent_indent="  ") for said in family_sentences(records)
    ]
    return "\n".join(["", "All lines together", *wrapped]) if wrapped else ""


def _sentences(family: Family, places: dict[str, str]) -> list[str]:
    claims = [
        _claim(word, places, alone, together)
        for word, alone, together in (
            ("differences", family.differing_alone, family.differing_together),
            ("zero-differences", family.zero_alone, family.zero_together),
        )
        if alone
    ]
    if not claims:
        return []
    axis, rate = AXIS_NAMES[family.axis].capitalize(), f"{100 * family.alpha:g} %"
    alone = f"{axis}: each run's verdict is held to {rate} errors for itself."
    return [f"{alone} Held to {rate} over all {len(family.lines)} runs at once: {', '.join(claims)}."]


def _claim(word: str, places: dict[str, str], alone: Sequence[str], together: Sequence[str]) -> str:
    short = [places[run] for run in alone if run not in together]
    said = f"{len(together)} of {len(alone)} {word}"
    return f"{said} (short of it: {', '.join(short)})" if short else said
