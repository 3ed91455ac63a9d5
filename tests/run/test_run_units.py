"""Any unit that can be addressed can be the contrast; it is still one place."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.doubles.workplace import Workplace

RULES = "# Rules\n\nBrief.\n\n## Publishing\n\n- Ask before you push.\n- Say what you did.\n\n## Style\n\n- Short.\n"


@pytest.fixture
def place(tmp_path: Path) -> Workplace:
    place = Workplace(tmp_path)
    (place.workspace / "CLAUDE.md").write_text(RULES)
    return place


def test_a_section_is_dropped_as_one_place(place: Workplace) -> None:
    (run,) = place.json(*place.arguments("--drop", "CLAUDE.md#publishing"))["runs"]
    contrast = run["plan"]["contrast"]
    assert run["result"]["decision"]["finding"]["kind"] == "load-bearing"
    assert contrast["before"].startswith("## Publishing")
    assert "Short." not in contrast["before"]
    assert contrast["after"] == ""


def test_a_run_on_a_section_can_go_on(place: Workplace) -> None:
    (run,) = place.json(*place.arguments("--drop", "CLAUDE.md#style", "--max-rounds", "2"))["runs"]
    (more,) = place.json("resume", run["run_id"], "--max-rounds", "3")["runs"]
    assert more["plan"]["contrast"] == run["plan"]["contrast"]
    assert len(more["trials"]) == 6
    assert place.json("judge", run["run_id"])["changes"] == []


@pytest.mark.parametrize("address", ["CLAUDE.md#nowhere", "CLAUDE.md@condition[1]", "CLAUDE.md#", "CLAUDE.md@thing"])
def test_an_address_of_nothing_is_refused(place: Workplace, address: str) -> None:
    done = place.measure(*place.arguments("--drop", address))
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert place.folders() == []
