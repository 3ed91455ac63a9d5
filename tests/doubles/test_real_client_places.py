"""Where real clients are looked for, and that a missing one is never passed over in silence."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from tests.doubles import real_clients


def test_a_place_that_is_named_is_taken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    here = tmp_path / "claude"
    here.touch()
    monkeypatch.setenv(real_clients.PLACES_VARIABLE, os.pathsep.join([f"newer={here}", "older=/nowhere"]))
    found = real_clients.find("newer")
    assert found is not None
    assert found.path == here
    assert real_clients.find("older") is None


@pytest.mark.parametrize(("ci", "outcome"), [("1", "Failed"), ("", "Skipped")])
def test_a_missing_client_fails_in_ci_and_is_skipped_with_advice_elsewhere(
    monkeypatch: pytest.MonkeyPatch, ci: str, outcome: str
) -> None:
    monkeypatch.setenv("CI", ci)
    monkeypatch.setenv(real_clients.PLACES_VARIABLE, "older=/nowhere")
    with pytest.raises(BaseException, match=r"scripts/test") as raised:
        real_clients.required("older")
    assert raised.typename == outcome


def test_tests_have_a_home_and_a_temp_of_their_own_and_no_way_to_a_model(private_environment: dict[str, str]) -> None:
    for environment in (dict(os.environ), private_environment):
        assert not [name for name in environment if name.startswith("ANTHROPIC_")]
        assert "pytest" in environment["HOME"]
        assert "pytest" in environment["TMPDIR"]
    assert tempfile.gettempdir() == os.environ["TMPDIR"]
    assert Path.home() == Path(os.environ["HOME"])
