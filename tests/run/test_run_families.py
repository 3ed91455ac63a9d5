"""Which contrasts are measured together: those that would make the very same launch, and no others."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from measure.record.models import ProbeRecord
from measure.run.prepare import Prepared, prepare
from measure.run.request import RunRequest
from measure.run.together import families, saving_of
from tests.doubles.workplace import LINE, Workplace


def prepared(place: Workplace, *lines: str, **more: object) -> tuple[Prepared, ...]:
    request = RunRequest(
        probes=(place.probes,),
        workspace=place.workspace,
        drop=lines,
        client="simulated",
        agent=place.agent,
        model="simulated-1",
        seed=1,
        **more,  # type: ignore[arg-type]
    )
    return prepare(request)


@pytest.fixture
def two(tmp_path: Path) -> tuple[Prepared, ...]:
    return prepared(Workplace(tmp_path / "a"), LINE, "CLAUDE.md:3")


def test_two_lines_of_one_workspace_with_one_question(two: tuple[Prepared, ...]) -> None:
    assert families(two) == ((0, 1),)


def test_what_a_launch_depends_on_keeps_lines_apart(two: tuple[Prepared, ...], tmp_path: Path) -> None:
    one, other = two
    elsewhere = Workplace(tmp_path / "b")
    (elsewhere.workspace / "CLAUDE.md").write_text("# Rules\n\n- Another.\n- Ask before you push.\n")
    (far,) = prepared(elsewhere, LINE)
    for apart in (
        far,
        replace(other, model="another"),
        replace(other, client="claude"),
        replace(other, agent=None),
        replace(other, includes=("docs/**",)),
        replace(other, stage=1),
        replace(other, purpose="band"),
        replace(other, probes=tuple(reworded(entry) for entry in other.probes)),
    ):
        assert families((one, apart)) == ((0,), (1,)), apart


def reworded(entry: ProbeRecord) -> ProbeRecord:
    return entry.model_copy(update={"probe": entry.probe.model_copy(update={"prompt": "Something else. What now?"})})


def test_screens_share_nothing_also_with_each_other(two: tuple[Prepared, ...]) -> None:
    assert families([replace(one, stage=1) for one in two]) == ((0,), (1,))


def test_one_question_in_common_is_enough_and_families_grow_over_it(tmp_path: Path) -> None:
    place = Workplace(tmp_path / "c")
    place.put_probes(3)
    first, second, third = prepared(place, LINE, "CLAUDE.md:3", "CLAUDE.md:5")
    first, second, third = (
        replace(first, probes=first.probes[:2]),
        replace(second, probes=second.probes[2:]),
        replace(third, probes=third.probes[1:]),
    )
    assert families((first, second)) == ((0,), (1,))
    assert families((first, second, third)) == ((0, 1, 2),)
    saving = saving_of((first, second, third))
    assert saving.at_most == 6 * (3 + 5)
    assert saving.at_most_alone == 6 * 2 * 5
