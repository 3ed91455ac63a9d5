"""The first use of a clone makes its environment once, whole, and for this place, whatever happens meanwhile.

The project in these tests is a tiny one without dependencies that builds itself, so no package index is asked; the
scripts are the real ones. Making an environment takes seconds, so promises that need the same one share it.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
import venv
from collections.abc import Mapping
from pathlib import Path

import psutil
import pytest

SCRIPTS = Path(__file__).parents[2] / "scripts"

BACKEND = """
import os, time, tomllib, zipfile
from pathlib import Path


def build_editable(folder, config_settings=None, metadata_directory=None):
    with Path("builds").open("a") as builds:
        print(os.getpid(), file=builds)
    while Path("wait").exists():
        time.sleep(0.01)
    name, info = "tiny-1-py3-none-any.whl", "tiny-1.dist-info"
    with zipfile.ZipFile(Path(folder, name), "w") as wheel:
        wheel.writestr("tiny.pth", os.getcwd())
        said = "Metadata-Version: 2.1\\nName: tiny\\nVersion: 1\\n"
        for wanted in tomllib.loads(Path("pyproject.toml").read_text())["project"].get("dependencies", []):
            said += f"Requires-Dist: {wanted}\\n"
        wheel.writestr(f"{info}/METADATA", said)
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr(f"{info}/RECORD", "")
    return name
"""
PROJECT = """
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
[project]
name = "tiny"
version = "1"
"""


class Clone:
    """A folder that looks like a clone of this project."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / "scripts").mkdir(parents=True)
        for name in ("measure", "find-python", "bootstrap.py"):
            shutil.copy2(SCRIPTS / name, root / "scripts")
        (root / "backend.py").write_text(BACKEND)
        (root / "pyproject.toml").write_text(PROJECT)
        (root / "measure").mkdir()
        (root / "measure" / "__init__.py").touch()
        (root / "measure" / "__main__.py").write_text("import sys; print(sys.prefix, sys.argv[1:])")

    def start(self, script: Path | None = None, environment: Mapping[str, str] = {}, /) -> subprocess.Popen[str]:
        """`measure --some option`, by its own path or another, from a folder that has nothing to do with it."""
        return subprocess.Popen(
            [script or self.root / "scripts" / "measure", "--some", "option"],
            cwd=self.root.parent,
            env={"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def use(self, script: Path | None = None, environment: Mapping[str, str] = {}, /) -> str:
        """What the first use said besides; fails unless the program ran with its arguments, in its environment."""
        return self.ended(self.start(script, environment))

    def ended(self, process: subprocess.Popen[str]) -> str:
        printed, said = process.communicate()
        assert (process.returncode, printed) == (0, f"{self.root / '.venv'} ['--some', 'option']\n"), said
        return said

    @property
    def builds(self) -> list[int]:
        """One process id for each time the project was built."""
        return [int(line) for line in (self.root / "builds").read_text().split()] if self.has("builds") else []

    def has(self, name: str) -> bool:
        return (self.root / name).exists()


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    return Clone(tmp_path / "a clone, «here»")


def foreign(clone: Clone) -> Path:
    """An environment that someone else made in `.venv`, with a file of theirs; quick, since it borrows its pip."""
    venv.EnvBuilder(system_site_packages=True, symlinks=True).create(clone.root / ".venv")
    theirs = clone.root / ".venv" / "theirs"
    theirs.write_text("kept")
    return theirs


def test_two_first_uses_at_once_make_one_environment_and_a_moved_clone_makes_its_own(
    clone: Clone, tmp_path: Path
) -> None:
    together = [clone.start(), clone.start()]
    said = [clone.ended(one) for one in together]
    assert len(clone.builds) == 1
    assert any("waiting" in one for one in said)
    link = tmp_path / "links" / "m"
    link.parent.mkdir()
    link.symlink_to(os.path.relpath(clone.root / "scripts" / "measure", link.parent))
    assert clone.use(link) == "", "a ready environment is not spoken of"

    moved = Clone(tmp_path / "moved")
    shutil.rmtree(moved.root)
    clone.root.rename(moved.root)
    assert "making the environment" in moved.use()
    assert moved.use() == ""
    assert len(moved.builds) == 2


def test_what_was_cut_short_is_never_taken_for_whole_and_nobody_writes_beside_a_survivor(clone: Clone) -> None:
    (clone.root / "wait").touch()
    first = clone.start()
    while not clone.builds:
        assert first.poll() is None, first.communicate()
        time.sleep(0.01)
    tree = psutil.Process(first.pid).children(recursive=True)
    (bootstrap,) = (one for one in tree if any(part.endswith("bootstrap.py") for part in one.cmdline()))
    os.kill(bootstrap.pid, signal.SIGKILL)
    first.communicate()
    half = clone.root / ".venv" / "half"
    half.touch()
    second = clone.start()
    assert second.stderr is not None
    assert "waiting" in second.stderr.readline(), "pip outlives the bootstrap and still writes"
    assert half.exists()
    (clone.root / "wait").unlink()
    clone.ended(second)
    assert not half.exists()
    assert len(clone.builds) == 2


def test_an_environment_of_someone_else_is_installed_into_and_not_emptied(clone: Clone) -> None:
    theirs = foreign(clone)
    clone.use(None, {"PIP_USER": "1", "PIP_TARGET": str(clone.root / "wrong"), "PYTHONPATH": "/nonexistent"})
    assert theirs.read_text() == "kept"
    assert not clone.has("wrong")

    (clone.root / "pyproject.toml").write_text(PROJECT + "\n[tool.other]\nkey = 1\n")
    assert clone.use() == "", "settings of tools change no environment"
    (clone.root / "pyproject.toml").write_text(PROJECT + "dependencies = []\n")
    assert "making the environment" in clone.use()
    assert theirs.exists()


def test_what_can_not_be_installed_into_is_named_and_left_alone(clone: Clone) -> None:
    other = clone.root / ".venv" / "notes"
    other.parent.mkdir()
    other.write_text("mine")
    run = clone.start()
    printed, said = run.communicate()
    assert (run.returncode, printed) == (1, "")
    assert str(other.parent) in said
    assert "Traceback" not in said
    assert other.read_text() == "mine"


def test_pips_errors_are_told_and_the_next_use_tries_again(clone: Clone) -> None:
    foreign(clone)
    (clone.root / "pyproject.toml").write_text(PROJECT + 'dependencies = ["not-there-at-all"]\n')
    nowhere: dict[str, str] = {"PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull}
    for _ in range(2):
        run = clone.start(None, nowhere)
        printed, said = run.communicate()
        assert (run.returncode, printed) == (1, "")
        assert "not-there-at-all" in said
        assert "setup.log" in said
        assert "Traceback" not in said
    (clone.root / "pyproject.toml").write_text(PROJECT)
    clone.use(None, nowhere)


def python(folder: Path, name: str, body: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{body}\n")
    (folder / name).chmod(0o755)


OLD = "exit 1"
BARE = 'case $2 in *version_info*) exit 0;; *ensurepip*) exit 1;; esac; echo "the bare one ran"'
GOOD = 'case $1 in -c) exit 0;; esac; echo "the good one ran: $*"'


@pytest.mark.parametrize(
    ("pythons", "status", "told"),
    [
        ({"python3": OLD, "python3.12": GOOD}, 0, "the good one ran: x y"),
        ({"python3": BARE, "python": GOOD}, 0, "the good one ran: x y"),
        ({"python3": OLD, "python3.13": BARE}, 1, "python3.13 can't make virtual environments"),
        ({"python3": OLD, "python": OLD}, 1, "needs Python 3.11 or later"),
        ({}, 1, "needs Python 3.11 or later"),
    ],
)
def test_the_first_python_that_will_do_is_taken_or_what_is_missing_is_said(
    tmp_path: Path, pythons: dict[str, str], status: int, told: str
) -> None:
    for name, body in pythons.items():
        python(tmp_path / "bin", name, body)
    run = [shutil.which("sh") or "/bin/sh", str(SCRIPTS / "find-python"), "x", "y"]
    done = subprocess.run(run, env={"PATH": str(tmp_path / "bin")}, capture_output=True, text=True)
    assert done.returncode == status
    assert told in done.stdout + done.stderr
