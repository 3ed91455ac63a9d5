"""Makes the project's own environment in `.venv`, once, whoever asks first.

Uses nothing but the standard library. Invariant: an environment counts as ready only when its stamp says that it was
finished, for this place and for these dependencies; the stamp is written last, so one that was cut short is made again.
An environment that someone else made in `.venv` is installed into and never emptied.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import time
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
OURS = VENV / "made-by-bootstrap"
UNFINISHED = VENV / "unfinished"
OLDER_CLIENT = "claude-agent-sdk==0.2.110"
"""Brings the older of the two real clients that the tests drive."""

MISLEADING = ("PYTHONPATH", "PIP_PREFIX", "PIP_ROOT", "PIP_TARGET")
"""Variables that would have pip install somewhere else."""


class NotMadeError(Exception):
    """The environment could not be made; the message says why and what to do."""


def wanted(purpose: str) -> str:
    """What a finished environment's stamp holds: the place, and a digest of what was to be installed in it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    said = repr((project["build-system"], project["project"], OLDER_CLIENT if purpose == "test" else None))
    return f"{ROOT}\n{hashlib.sha256(said.encode()).hexdigest()}\n"


def read(path: Path) -> str:
    """The text of a stamp; empty when there is none."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


def is_ready(purpose: str) -> bool:
    """Whether the environment was finished for this place and these dependencies, and its Python is still there."""
    return PYTHON.exists() and read(VENV / f"ready-{purpose}") == wanted(purpose)


def can_be_kept() -> bool:
    """Whether what stands in `.venv` can be installed into: made here for this place and whole, or someone else's.

    One that was cut short is not whole: pip takes a package whose files are half there for an installed one.
    """
    if OURS.exists() and (UNFINISHED.exists() or read(OURS) != f"{ROOT}\n"):
        return False
    check = "import sys, pip; sys.exit(sys.version_info < (3, 11))"
    try:
        return subprocess.run([PYTHON, "-c", check], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def carry_out(command: list[str], lock: int, log: Path) -> int:
    """Run a command that writes into the environment, with all it says in `log`; returns its exit status.

    It holds the lock too: where this program is killed and the command lives on, nobody else writes beside it.
    """
    environment = {name: value for name, value in os.environ.items() if name not in MISLEADING} | {"PIP_USER": "0"}
    with log.open("wb") as stream:
        return subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=subprocess.STDOUT,
            env=environment,
            pass_fds=[lock],
            check=False,
        ).returncode


def make_empty(lock: int) -> None:
    """An environment with nothing but pip, in the place of whatever was left of an earlier one."""
    if VENV.exists() and not OURS.exists() and any(VENV.iterdir()):
        raise NotMadeError(
            f"{VENV} holds something that was not made here and can't be installed into "
            "(it has no pip, or a Python that is too old). Move it away or remove it."
        )
    VENV.mkdir(exist_ok=True)
    OURS.write_text(f"{ROOT}\n", encoding="utf-8")
    UNFINISHED.touch()
    for entry in VENV.iterdir():
        if entry in {OURS, UNFINISHED}:
            continue
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()
    # The interpreter by its real name: `python3` may be another version after the system's next upgrade.
    interpreter = os.path.realpath(getattr(sys, "_base_executable", sys.executable))
    made = carry_out([interpreter, "-m", "venv", str(VENV)], lock, VENV / "venv.log")
    if made:
        raise NotMadeError(
            f"{interpreter} can't make virtual environments; install its venv package "
            f"(on Debian and Ubuntu: apt install python3-venv). It said:\n{read(VENV / 'venv.log').strip()[-600:]}"
        )


def pip(lock: int, log: Path, *arguments: str) -> None:
    """Run `pip install` quietly; say what its errors were only when it fails."""
    command = [str(PYTHON), "-m", "pip", "--disable-pip-version-check", "--no-input", "install", *arguments]
    if carry_out(command, lock, log):
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
        errors = list(dict.fromkeys(line.strip() for line in lines if "ERROR:" in line))
        said = "\n".join(errors[-6:] or lines[-15:])
        raise NotMadeError(
            f"pip install {' '.join(arguments)} failed:\n{said}\n"
            f"It has to reach a Python package index once. The whole log: {log}"
        )


def make(purpose: str, lock: int) -> None:
    """Install what `run` or `test` needs, into an environment that is kept where it can be."""
    if not can_be_kept():
        make_empty(lock)
    whole = [] if not UNFINISHED.exists() or OURS.exists() else ["--ignore-installed"]
    UNFINISHED.touch()
    for stamp in VENV.glob("ready-*"):
        if read(stamp) != wanted(stamp.name.removeprefix("ready-")):
            stamp.unlink()
    pip(lock, VENV / "setup.log", *whole, "--editable", f"{ROOT}[test]" if purpose == "test" else f"{ROOT}")
    if purpose == "test":
        older = VENV / "clients" / "older"
        shutil.rmtree(older, ignore_errors=True)
        pip(lock, VENV / "setup-older-client.log", "--no-deps", "--target", str(older), OLDER_CLIENT)
        (VENV / "ready-run").write_text(wanted("run"), encoding="utf-8")
    UNFINISHED.unlink()
    (VENV / f"ready-{purpose}").write_text(wanted(purpose), encoding="utf-8")


def main(purpose: str) -> int:
    """Bring the environment up for `run` or `test`; returns the exit status."""
    lock = os.open(ROOT, os.O_RDONLY)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("measure: waiting for another process that is making the environment …", file=sys.stderr)
            fcntl.flock(lock, fcntl.LOCK_EX)
        if is_ready(purpose):
            with contextlib.suppress(OSError):
                (VENV / f"ready-{purpose}").touch()  # `scripts/measure` compares times only
            return 0
        size = "1.3 GB" if purpose == "test" else "330 MB"
        print(f"measure: making the environment in {VENV} (first use; some {size}, a minute or two) …", file=sys.stderr)
        began = time.monotonic()
        make(purpose, lock)
        print(f"measure: the environment is ready after {time.monotonic() - began:.0f} s.", file=sys.stderr)
    except NotMadeError as error:
        print(f"measure: the environment could not be made. {error}", file=sys.stderr)
    except OSError as error:
        print(
            f"measure: the environment could not be made in {VENV}: {error}\n"
            f"It needs a folder that can be written to, with enough room. To install elsewhere: pip install {ROOT}",
            file=sys.stderr,
        )
    except KeyboardInterrupt:
        print("\nmeasure: interrupted; the next use goes on.", file=sys.stderr)
        return 130
    else:
        return 0
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
