"""The command line answers at once: nothing heavy is imported before it is needed."""

from __future__ import annotations

import resource
import subprocess
import sys

import pytest

LIMIT_S = 0.25
HEAVY = ("pandas", "matplotlib", "numpy", "anyio", "pydantic", "psutil", "jinja2", "markdown_it", "yaml", "starlette")


def test_help_takes_less_than_a_quarter_of_a_second() -> None:
    """Of CPU, which other work on the machine does not lengthen; the best of a few."""
    best = 9.0
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-m", "measure", "--help"], check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert best < LIMIT_S


@pytest.mark.parametrize("heavy", HEAVY)
def test_help_imports_nothing_heavy(heavy: str) -> None:
    script = f"import sys; from measure.cli import invoke; invoke(['--help']); sys.exit({heavy!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], capture_output=True).returncode == 0


@pytest.mark.parametrize(
    "arguments",
    [["run"], ["nothing"], ["run", "--probe"], ["show"], ["runs", "--wrong"], ["probe", "check"]],
    ids=" ".join,
)
def test_a_wrong_call_is_status_2_with_one_message_and_where_to_look(arguments: list[str]) -> None:
    done = subprocess.run([sys.executable, "-m", "measure", *arguments], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("measure: ")
    assert "Traceback" not in done.stderr
