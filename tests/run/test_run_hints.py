"""What a person is told to type does what it says as it stands: it has the run's id, and the folder of the runs."""

from __future__ import annotations

import re
import shlex
import signal
from pathlib import Path

import pytest

from measure.record.store import read_trials
from tests.doubles.workplace import LINE, Workplace


@pytest.fixture
def place(tmp_path: Path) -> Workplace:
    return Workplace(tmp_path)


def commands(said: str) -> list[list[str]]:
    """The commands in a text, between apostrophes or to the end of the line."""
    quoted = re.findall(r"'measure ((?:resume|show) .*?)' (?:shows|goes)", said)
    last = re.findall(r"(?:Next|with): .*?measure (resume .*)$", said, re.MULTILINE)
    return [shlex.split(one) for one in [*quoted, *last]]


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("lines", [(LINE,), (LINE, "CLAUDE.md:3")])
def test_after_a_signal_the_commands_lead_to_this_run(place: Workplace, named: bool, lines: tuple[str, ...]) -> None:
    place.agent.write_text(place.agent.read_text().replace('"simulated-1"', '"simulated-1"\nseconds = 0.1', 1))
    kept = place.root / "my runs" if named else place.runs
    asked = [argument for line in lines for argument in ("--drop", line)]
    run = place.start(
        *place.arguments(*asked, "--repeats", "30", *(["--runs", str(kept)] if named else [])),
    )
    while not (kept.is_dir() and any(len(read_trials(folder)[0]) > 2 for folder in kept.glob("2*"))):
        assert run.poll() is None, run.communicate()
    run.send_signal(signal.SIGINT)
    _, err = run.communicate(timeout=60)
    assert run.returncode == 130
    show, resume = commands(err)
    ids = {folder.name for folder in kept.glob("2*")}
    assert show[1] in ids
    assert resume[1] in ids
    assert ("--runs" in resume) is named
    (place.root / "elsewhere").mkdir()
    assert place.measure(*show).returncode == 0
    done = place.measure(*resume)
    assert done.returncode == 0, done.stderr
    assert all((folder / "record.json").is_file() for folder in kept.glob("2*"))


def test_the_next_step_after_a_limit_leads_to_this_run(place: Workplace) -> None:
    kept = place.root / "my runs"
    first = place.measure(*place.arguments("--drop", LINE, "--max-launches", "2", "--runs", str(kept)))
    assert place.measure(*place.arguments("--drop", LINE, "--max-launches", "2", "--runs", str(kept))).returncode == 0
    (resume,) = commands(first.stderr)
    assert resume[-2:] == ["--max-launches", "N"]
    again = place.measure(*resume[:-1], "40")
    assert again.returncode == 0, again.stderr
    assert resume[1] in again.stderr


def test_interrupted_before_anything_was_written_nothing_is_promised(place: Workplace) -> None:
    from measure.run.job import after_a_signal

    assert "resume" not in after_a_signal(place.runs, ())
