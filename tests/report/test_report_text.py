"""Terminal and Markdown: every status in its own word and sign, 80 columns, and hostile text as text."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from measure.judge.reading import Kind, Reading, Span
from measure.record.compare import compare
from measure.record.library import row_of
from measure.record.models import RunRecord
from measure.report.answers import pairs_shown
from measure.report.comparison import render_comparison
from measure.report.facts import SIGNS
from measure.report.markdown import record_markdown, runs_markdown
from measure.report.terminal import STYLES, render
from measure.report.visible import segments, visible
from measure.verdict.vocabulary import Status
from tests.doubles.records import HOSTILE, examples, hostile, kinds

RECORDS = kinds()


@pytest.mark.parametrize("name", RECORDS)
def test_a_record_fits_eighty_columns_and_needs_no_colour(name: str) -> None:
    plain = render(RECORDS[name])
    assert max(map(len, plain.splitlines())) <= 80
    assert "\x1b" not in plain
    coloured = render(RECORDS[name], colour=True)
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured).split() == plain.split(), "colour adds nothing that words lack"
    assert render(RECORDS[name], unicode=False).isascii()


@pytest.mark.parametrize(
    ("variables", "most"),
    [
        ({"TERM": "xterm-256color", "COLORTERM": "truecolor"}, "38;2;"),
        ({"TERM": "xterm-256color"}, "38;5;"),
        ({"TERM": "xterm-256color", "NO_COLOR": "1"}, "1m"),
        ({"TERM": "vt100"}, "3"),
        ({"TERM": "dumb"}, ""),
    ],
    ids=lambda found: " ".join(found) if isinstance(found, dict) else None,
)
def test_a_terminal_gets_the_colours_it_says_it_has(variables: dict[str, str], most: str) -> None:
    """In a process each: a style keeps the codes of the first terminal that it was printed for."""
    script = (
        "from rich.text import Text; from measure.report.terminal import STYLES, printed\n"
        "print(printed([Text(one.value, style=style) for one, style in STYLES.items()], width=80, colour=True))"
    )
    kept = {name: value for name, value in os.environ.items() if name not in {"COLORTERM", "NO_COLOR", "FORCE_COLOR"}}
    shown = subprocess.check_output([sys.executable, "-c", script], env={**kept, **variables}, text=True)
    codes = re.findall(r"\x1b\[([\d;]*)m", shown)
    rich_codes = [code for code in codes if "38;" in code]
    if most.startswith("38"):
        assert rich_codes
        assert all(most in code for code in rich_codes)
    elif "NO_COLOR" in variables:
        assert codes
        assert not [code for code in codes if re.search(r"(^|;)(3\d|9\d)(;|$)", code)]
    else:
        assert not rich_codes
        assert bool(codes) == bool(most)


def test_the_five_statuses_differ_in_word_sign_and_colour() -> None:
    assert len(set(SIGNS.values())) == len(set(STYLES.values())) == len(set(Status) - {Status.TO_STAGE_2})
    shown = {name: render(record).splitlines()[0].split()[:2] for name, record in RECORDS.items()}
    assert shown["load-bearing"] == [SIGNS[Status.DIFFERENCE], "load-bearing"]
    assert shown["redundant"] == [SIGNS[Status.ZERO_DIFFERENCE], "redundant"]
    assert shown["undecided"] == [SIGNS[Status.UNDECIDED], "undecided"]
    assert shown["to-stage-2"] == [SIGNS[Status.UNDECIDED], "to-stage-2"]
    assert shown["invalid"] == [SIGNS[Status.INVALID], "invalid"]
    assert shown["unmeasured"] == [SIGNS[Status.UNMEASURED], "unmeasured"]


@pytest.mark.parametrize("name", [name for name in RECORDS if name.startswith("unmeasured")])
def test_unmeasured_never_reads_like_a_zero_in_any_form(name: str) -> None:
    record = RECORDS[name]
    for text in (render(record), record_markdown(record)):
        assert "zero" not in text
        assert "probes measured" not in text
        assert "identical" not in text
        assert SIGNS[Status.ZERO_DIFFERENCE] + " " not in text.splitlines()[0]


def test_both_axes_stand_side_by_side_where_there_is_room() -> None:
    def heads(width: int) -> list[str]:
        lines = render(RECORDS["restatement"], width=width).splitlines()
        return [line for line in lines if line.startswith(("Behavior", "Content"))]

    assert len(heads(80)) == 2
    (one,) = heads(140)
    assert "Content" in one


@pytest.mark.parametrize("name", RECORDS)
def test_hostile_text_steers_no_terminal_and_no_comment(name: str) -> None:
    record = hostile(RECORDS[name])
    for text in (render(record), record_markdown(record), render_comparison(compare(record, examples()[0]))):
        assert not [char for char in text if unicodedata.category(char) in {"Cc", "Cf"} and char not in "\n\u200d"]
    comment = record_markdown(record)
    outside = re.sub(r"(?ms)^(`{3,})\w*\n.*?^\1$", "", comment)
    outside = re.sub(r"(`+)(?!`).+?(?<!`)\1(?!`)", "", outside)
    tags = set(re.findall(r"<[^>]*>", outside))
    assert tags <= {"<details>", "</details>", "<summary>", "</summary>"}, tags
    assert "@all" not in outside
    assert "#1" not in re.sub(r"&#\d+;", "", outside)


@pytest.mark.parametrize("name", RECORDS)
def test_a_comment_is_one_open_finding_and_one_folded_part(name: str) -> None:
    comment = record_markdown(RECORDS[name])
    before, _, folded = comment.partition("<details>")
    assert comment.count("<details>") == comment.count("</details>") == 1
    assert before.startswith("### ")
    assert RECORDS[name].run_id in folded
    assert folded.rstrip().endswith("</details>")
    for block in re.findall(r"(?m)(?:^\|.*\n?)+", comment):
        assert len({len(re.sub(r"\\\|", "", line).split("|")) for line in block.strip().splitlines()}) == 1


def test_a_list_of_runs_is_a_table_with_a_row_each() -> None:
    rows = [row_of(record) for record in RECORDS.values()]
    assert len(runs_markdown(rows).splitlines()) == len(rows) + 2


@given(st.text(alphabet=st.characters(), max_size=200))
def test_what_is_made_visible_steers_nothing_and_loses_nothing(text: str) -> None:
    shown = visible(text)
    assert not [
        char for char in shown if unicodedata.category(char) in {"Cc", "Cf", "Cs"} and char not in "\n\t\u200c\u200d"
    ]
    shown.encode()
    assert len(shown) >= len(text.replace("\r\n", "\n"))


@given(st.data())
def test_marks_lie_where_the_judge_read(data: st.DataObject) -> None:
    answer = data.draw(st.text(alphabet=st.characters(codec="ascii", categories=("L", "N", "P", "Zs")), max_size=60))
    place = st.integers(0, len(answer))

    def span() -> Span:
        start, end = sorted((data.draw(place), data.draw(place)))
        return Span(start=start, end=end)

    spans = tuple(span() for _ in range(data.draw(st.integers(0, 3))))
    hole = span() if data.draw(st.booleans()) else None
    parts = segments(answer, Reading(kind=Kind.NEITHER, spans=spans, hole_report=hole))
    assert "".join(part.text for part in parts) == answer
    at = 0
    for part in parts:
        for position in range(at, at + len(part.text)):
            assert part.read == any(one.start <= position < one.end for one in spans)
            assert part.hole == (hole is not None and hole.start <= position < hole.end)
        at += len(part.text)


@pytest.mark.parametrize("record", [*RECORDS.values(), *examples()], ids=lambda record: record.run_id)
def test_every_launch_is_shown_once(record: RunRecord) -> None:
    if record.plan is None:
        return
    shown = [launch.trial.id for pair in pairs_shown(record.plan, record.trials) for launch in pair.launches]
    assert sorted(shown) == sorted(trial.id for trial in record.trials)


def test_the_hostile_text_is_hostile() -> None:
    assert "<script>" in HOSTILE
    assert "\u202e" in HOSTILE
