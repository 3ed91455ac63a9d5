"""A run is billed less than half of what the same launches cost when they are made plainly."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.benchmarks.bench_tokens import LIMIT, WAYS, bill
from tests.doubles.real_clients import RealClient


def test_a_small_round_is_billed_less_than_its_launches_made_plainly(
    tmp_path: Path, clients: dict[str, RealClient]
) -> None:
    made = bill(tmp_path / "round", clients["newer"], probes=2, rounds=2)
    assert made.share <= LIMIT, made
    assert made.as_run.billed < made.ways[WAYS[2], "8 at once"].billed
    assert made.as_run.billed == pytest.approx(made.ways[WAYS[2], "one by one"].billed, rel=0.01)
