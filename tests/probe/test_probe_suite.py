"""A suite names everything it runs; what it does not name is not run in silence, nor left out in silence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import tomlkit

from measure.errors import ProbeError
from measure.probe.form import UnusableFileError
from measure.probe.suite import load_groups

Write = Callable[..., Path]


@pytest.fixture
def suite(tmp_path: Path, probe_file: Write) -> Callable[..., Path]:
    """Write a whole suite of two contrasts; keys of its table can be changed, None leaves one out."""

    def write(**keys: object) -> Path:
        folder = tmp_path / "suite"
        (folder / "workspace").mkdir(parents=True)
        for contrast in ("first", "second"):
            probe_file(f"suite/{contrast}/a.toml", id=f"{contrast}-a")
            probe_file(f"suite/{contrast}/b.toml", id=f"{contrast}-b")
        (folder / "agent.toml").write_text("schema = 1\n")
        whole: dict[str, object] = {"schema": 1, "workspace": "workspace", "client": "simulated", "agent": "agent.toml"}
        whole |= {"model": "simulated-1", "contrasts": ["second", "first"]} | keys
        table = {key: value for key, value in whole.items() if value is not None}
        (folder / "suite.toml").write_text(tomlkit.dumps(table))
        return folder

    return write


def keys(*paths: Path) -> list[tuple[str, str]]:
    with pytest.raises(UnusableFileError) as caught:
        load_groups(paths)
    return [(Path(problem.file).name, problem.key) for problem in caught.value.problems]


def test_each_contrast_is_a_group_of_its_own_in_the_order_the_suite_gives(suite: Callable[..., Path]) -> None:
    folder = suite()
    groups = load_groups([folder])
    assert [group.name for group in groups] == ["second", "first"]
    assert [[one.probe.id for one in group.probes] for group in groups] == [
        ["second-a", "second-b"],
        ["first-a", "first-b"],
    ]
    for group in groups:
        assert group.settings is not None
        assert group.settings.workspace == folder / "workspace"
        assert group.settings.agent == folder / "agent.toml"
        assert (group.settings.client, group.settings.model) == ("simulated", "simulated-1")


def test_one_contrast_alone_is_run_as_its_suite_says(suite: Callable[..., Path]) -> None:
    folder = suite()
    (group,) = load_groups([folder / "first"])
    (of_suite,) = (one for one in load_groups([folder]) if one.name == "first")
    assert group.name == "first"
    assert group.settings is not None
    assert group.settings.digest == of_suite.settings.digest if of_suite.settings else False


def test_a_folder_the_suite_does_not_name_has_no_settings(suite: Callable[..., Path]) -> None:
    folder = suite(contrasts=["first"])
    (group,) = load_groups([folder / "second"])
    assert group.settings is None


def test_everything_outside_suites_is_put_together(suite: Callable[..., Path], probe_file: Write) -> None:
    loose = [probe_file("x.toml", id="x"), probe_file("set/y.toml", id="y").parent]
    groups = load_groups([loose[0], suite(), loose[1]])
    assert [group.name for group in groups] == ["second", "first", "probes"]
    assert [one.probe.id for one in groups[-1].probes] == ["x", "y"]
    assert [group.name for group in load_groups([loose[0]])] == ["x"]
    assert [group.name for group in load_groups([loose[1]])] == ["set"]


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ({"workspace": "nowhere"}, "workspace"),
        ({"workspace": "/tmp"}, "workspace"),
        ({"agent": "none.toml"}, "agent"),
        ({"agent": None}, "agent"),
        ({"client": "claude"}, "agent"),
        ({"client": "other"}, "client"),
        ({"schema": True}, "schema"),
        ({"contrasts": None}, "contrasts"),
        ({"contrasts": []}, "contrasts"),
        ({"contrasts": "first"}, "contrasts"),
        ({"contrasts": ["first", "first"]}, "contrasts"),
        ({"contrasts": ["first", 2]}, "contrasts[1]"),
        ({"contrasts": ["first", "../first"]}, "contrasts[1]"),
        ({"contrasts": ["first", "third"]}, "contrasts[1]"),
        ({"modell": "x"}, "modell"),
    ],
)
def test_a_suite_is_read_as_strictly_as_a_probe(
    suite: Callable[..., Path], change: dict[str, object], key: str
) -> None:
    assert ("suite.toml", key) in keys(suite(**change))


def test_a_probe_that_no_contrast_takes_in_is_refused(suite: Callable[..., Path], probe_file: Write) -> None:
    folder = suite()
    probe_file("suite/stray.toml", id="stray")
    assert keys(folder) == [("stray.toml", "")]


def test_an_empty_contrast_is_refused_and_all_problems_are_told_at_once(
    suite: Callable[..., Path], probe_file: Write
) -> None:
    folder = suite()
    for file in (folder / "first").iterdir():
        file.unlink()
    probe_file("suite/second/b.toml", id="second-b", claim=None)
    assert keys(folder) == [("b.toml", "claim"), ("first", "")]


def test_two_contrasts_may_use_the_same_id_but_one_may_not(suite: Callable[..., Path], probe_file: Write) -> None:
    folder = suite()
    probe_file("suite/first/a.toml", id="second-a")
    assert len(load_groups([folder])) == 2
    probe_file("suite/first/b.toml", id="second-a")
    assert keys(folder) == [("b.toml", "id")]


def test_naming_nothing_is_an_error() -> None:
    with pytest.raises(ProbeError):
        load_groups([])
