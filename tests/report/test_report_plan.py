"""The plan before the first launch promises what its limits and its noise bands allow, and nothing more."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from measure.probe.model import Axis
from measure.record.models import BandUsed
from measure.record.pairs import designs_of
from measure.report.plan import LONGEST_TEXT, plan_lines
from measure.run.prepare import Prepared, prepare, with_bands
from measure.run.request import RunRequest
from measure.run.together import resolution_of
from measure.verdict.band import measure_band
from measure.verdict.equivalence import Shifts
from measure.verdict.interval import shift_bounds
from measure.verdict.resolution import AxisResolution
from tests.doubles.workplace import LINE, Workplace
from tests.verdict.planted import panel, rounds


@pytest.fixture
def place(tmp_path: Path) -> Workplace:
    place = Workplace(tmp_path)
    place.put_probes(5)
    return place


def prepared(place: Workplace, *drop: str, **more: Any) -> tuple[Prepared, ...]:
    return prepare(
        RunRequest(
            probes=(place.probes,),
            workspace=place.workspace,
            model="simulated-1",
            client="simulated",
            agent=place.agent,
            drop=drop or (LINE,),
            seed=1,
            **more,
        )
    )


def one_axis(place: Workplace, launches: int | None, **more: Any) -> AxisResolution:
    (one,) = prepared(place, **more)
    (axis,) = resolution_of(one, (one,), launches).axes
    return axis


def test_what_a_limit_of_launches_cuts_off_is_not_promised(place: Workplace) -> None:
    full = one_axis(place, None)
    assert (full.zero_after, full.full_flip_after) == (30, 10)
    assert full.single_flip_after is not None
    assert one_axis(place, 60) == full
    for launches in (2, 9, 10, 11, 29, 30, 31, 55, 56, 57, 58, 59):
        cut = one_axis(place, launches)
        whole = launches // 10
        assert cut.zero_after == (30 if launches >= 30 else None)
        assert cut.full_flip_after == (10 if launches >= 10 else None)
        assert cut.single_flip_after == (full.single_flip_after if launches >= full.single_flip_after else None)
        expected = shift_bounds(Shifts(same=5 * whole))[1] if whole else 1.0
        assert cut.excludes_at_best == expected


def test_a_fixed_design_that_is_cut_short_tells_what_its_first_rounds_can_show(place: Workplace) -> None:
    whole = one_axis(place, None, repeats=6)
    assert whole.full_flip_after == 60
    assert one_axis(place, 59, repeats=6).full_flip_after == 50
    assert one_axis(place, 9, repeats=6).full_flip_after is None


def test_lines_measured_together_share_a_limit(place: Workplace) -> None:
    group = prepared(place, LINE, "CLAUDE.md:3", "CLAUDE.md:5")
    for launches, reached in ((59, False), (60, True)):  # three rounds of five probes: 15 in the baseline, 45 beside it
        axes = [resolution_of(one, group, launches).axes[0] for one in group]
        assert [axis.zero_after is not None for axis in axes] == [reached] * 3
    told = plan_lines(group, None)
    limited = plan_lines(
        tuple(replace(one, design=one.design.model_copy(update={"max_launches": 20})) for one in group), None
    )
    assert not any("within" in line for line in told)
    assert any("within 20 launches" in line for line in limited)


@pytest.mark.parametrize(
    ("limits", "price", "launches"),
    [
        ({"budget_usd": 1.0}, 0.1, "10 launches"),
        ({"budget_usd": 0.05}, 0.1, "0 launches"),
        ({"budget_usd": 1.0, "max_launches": 6}, 0.1, "6 launches"),
        ({"budget_usd": 0.3, "max_launches": 6}, 0.1, "3 launches"),
    ],
)
def test_a_budget_ends_a_plan_where_a_price_is_known(
    place: Workplace, limits: dict[str, Any], price: float, launches: str
) -> None:
    lines = plan_lines(prepared(place, **limits), price)
    resolved = [line for line in lines if line.startswith("Resolves")]
    assert resolved
    assert all(line.startswith(f"Resolves within {launches}") for line in resolved)
    assert sum("--budget-usd" in line for line in lines) == 1
    assert sum("--max-launches" in line for line in lines) == ("max_launches" in limits)


def test_a_budget_that_is_never_reached_or_of_no_known_price_cuts_nothing_off(place: Workplace) -> None:
    enough = plan_lines(prepared(place, budget_usd=100.0), 0.1)
    assert not any("--budget-usd" in line or "within" in line for line in enough)
    unknown = plan_lines(prepared(place, budget_usd=1.0), None)
    assert any("--budget-usd 1 " in line for line in unknown)
    assert not any("within" in line for line in unknown)


def test_a_zero_difference_that_a_band_bars_is_not_promised(place: Workplace) -> None:
    (one,) = prepared(place)
    assert designs_of(one.probes)
    band = measure_band(panel(), rounds("+-===", "=====", "====="), one.design.parameters)
    assert band is not None
    under = with_bands(one, (BandUsed(run_id="r1", band=band),))
    (axis,) = resolution_of(under, (under,)).axes
    assert (axis.zero_after, axis.full_flip_after) == (None, 10)
    lines = plan_lines((under,), None)
    assert not any("a zero-difference takes" in line for line in lines)
    assert any(line.startswith("Note: ") and "r1" in line for line in lines)
    content = band.model_copy(update={"axis": Axis.CONTENT})
    assert with_bands(one, (BandUsed(run_id="r1", band=content),)) == one, "no probe asks on that axis"


def test_a_huge_line_is_cut_in_the_plan_and_its_length_told(place: Workplace) -> None:
    (place.workspace / "CLAUDE.md").write_text(f"# Rules\n\n- {'word ' * 6_000}\n- {'x' * (LONGEST_TEXT - 2)}\n")
    lines = plan_lines(prepared(place, "CLAUDE.md:3", LINE), None)
    assert max(map(len, lines)) < 500
    assert any("30,001 characters" in line for line in lines)
    assert any(line.endswith("x" * (LONGEST_TEXT - 2)) for line in lines), "what fits is shown whole"
