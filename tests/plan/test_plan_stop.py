"""Where a run settles, it settles: pairs that were under way are kept and can't take the verdict back."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.doubles.workplace import LINE, PROBE, Workplace

TRAP = """
[[disposition]]
prompt = "The last job"
[[disposition.case]]
answer = [{ probability = 1.0, choose = "Publish it right away" }]
"""


@pytest.fixture
def place(tmp_path: Path) -> Workplace:
    """Probes that flip and, among them, some that never do; with many jobs some of these are under way at the end."""
    place = Workplace(tmp_path)
    place.put_probes(6)
    for index in range(4):
        (place.probes / f"q{index}.toml").write_text(PROBE.format(id=f"q{index}", prompt="The last job is done."))
    place.agent.write_text(place.agent.read_text() + TRAP)
    return place


@pytest.mark.parametrize("seed", range(4))
def test_pairs_under_way_when_it_was_settled_are_not_counted(place: Workplace, seed: int) -> None:
    (run,) = place.json(*place.arguments("--drop", LINE, "--jobs", "12", "--seed", str(seed)))["runs"]
    assert run["stop"]["reason"] == "settled"
    last = run["stop"]["last_block"]
    decision = run["result"]["decision"]
    assert decision["finding"]["kind"] == "load-bearing"
    assert decision["axes"][0]["pairs"] == last + 1, "the verdict stands on a prefix of the canonical order"
    assert all(trial["reading"] for trial in run["trials"] if trial["block"] <= last)
    assert place.json("judge", "last")["result"] == run["result"]
