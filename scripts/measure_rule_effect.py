#!/usr/bin/env python3
"""Puts one prompt to two arms that differ in one passage: `measure_rule_effect.py PLAN.json --out FILE`.

Runs in the project's own environment, which is made on first use, whichever Python it was started with.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTHON = ROOT / ".venv" / "bin" / "python"


def main() -> int:
    """Go on in the project's environment; returns the exit status."""
    if Path(sys.prefix).resolve() != (ROOT / ".venv").resolve():
        command = [str(ROOT / "scripts" / "find-python"), str(ROOT / "scripts" / "bootstrap.py"), "run"]
        made = subprocess.run(command, stdout=sys.stderr.fileno(), check=False)
        if made.returncode:
            return made.returncode
        os.execv(PYTHON, [str(PYTHON), __file__, *sys.argv[1:]])  # noqa: S606 - the same program
    from measure.cli.plan_file import main as carry_out

    return carry_out()


if __name__ == "__main__":
    sys.exit(main())
