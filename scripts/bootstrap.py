"""Makes the project's own environment in `.venv`, once, whoever asks first.

Uses nothing but the standard library. The stamp is written last: an environment that was cut short is made again.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
OLDER_CLIENT = "claude-agent-sdk==0.2.110"
"""Brings the older of the two real clients that the tests drive."""


def pip(log: Path, *arguments: str) -> None:
    """Run pip quietly; show what it said only when it fails."""
    command = [str(PYTHON), "-m", "pip", "--disable-pip-version-check", *arguments]
    with log.open("ab") as stream:
        done = subprocess.run(command, stdout=stream, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, check=False)
    if done.returncode:
        tail = log.read_text(encoding="utf-8", errors="replace").splitlines()[-15:]
        print("\n".join(tail), file=sys.stderr)
        print(
            f"\nmeasure: the environment could not be made ({' '.join(arguments)} failed).\n"
            f"It needs to reach a Python package index once. The whole log: {log}",
            file=sys.stderr,
        )
        sys.exit(1)


def ready(stamp: Path) -> bool:
    """Whether the environment was finished for this place and these dependencies."""
    try:
        newer = stamp.stat().st_mtime > (ROOT / "pyproject.toml").stat().st_mtime
        return newer and stamp.read_text(encoding="utf-8").strip() == str(ROOT)
    except OSError:
        return False


def main(purpose: str) -> None:
    """Bring the environment up for `run` or `test`."""
    stamp = VENV / f"ready-{purpose}"
    handle = os.open(ROOT, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    if ready(stamp):
        return
    print(f"measure: making the environment in {VENV} (first use; this takes a minute) …", file=sys.stderr)
    finished_before = any(ready(other) for other in VENV.glob("ready-*"))
    if not finished_before:
        try:
            venv.EnvBuilder(with_pip=True, clear=True, symlinks=True).create(VENV)
        except subprocess.CalledProcessError:
            print(
                f"measure: {sys.executable} can't make virtual environments; "
                "install its venv package (on Debian and Ubuntu: apt install python3-venv).",
                file=sys.stderr,
            )
            sys.exit(1)
    log = VENV / "setup.log"
    extras = "[test]" if purpose == "test" else ""
    pip(log, "install", "--editable", f"{ROOT}{extras}")
    if purpose == "test":
        older = VENV / "clients" / "older"
        pip(log, "install", "--no-deps", "--upgrade", "--target", str(older), OLDER_CLIENT)
        (VENV / "ready-run").write_text(f"{ROOT}\n", encoding="utf-8")
    stamp.write_text(f"{ROOT}\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
