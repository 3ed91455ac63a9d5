"""A run without an agent: acquires, builds, gives places to trials and takes them back, until it is killed.

Started by `test_arena_kill.py`: workspace, arena and outside folder are its arguments. Every line it is sent starts one
run in a process of its own; it answers with that process's id once the run loops, and with "ended" when it is over.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from measure.arena.arena import Arena
from measure.contrast import Edit, EditKind, find_contrast
from measure.surface import read_surface


def main(workspace: Path, place: Path, outside: Path) -> None:
    surface = read_surface(workspace)
    contrast = find_contrast(surface, Edit(EditKind.DROP, "CLAUDE.md", line=1))
    said = False
    while True:
        with Arena(place) as arena:
            arms = arena.build(surface, contrast)
            for arm in (arms.baseline, arms.variant):
                with arena.stall(arm) as stall:
                    # What an agent may leave behind: links out, folders nobody may enter, deep trees, a process.
                    (stall.path / "way-out").symlink_to(outside)
                    (stall.temp / "way-out").symlink_to(outside / "keep.md")
                    deep = stall.temp / Path(*["d"] * 30)
                    deep.mkdir(parents=True)
                    (deep / "f").write_text("x")
                    (stall.path / ".claude/locked").mkdir(mode=0o755)
                    (stall.path / ".claude/locked/f").write_text("x")
                    (stall.path / ".claude/locked").chmod(0o000)
                    if not said:
                        subprocess.Popen(
                            ["sleep", "600"],
                            cwd=stall.path,
                            start_new_session=True,
                            stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL,
                        )
                        said = True
                        os.write(1, b"%d\n" % os.getpid())


if __name__ == "__main__":
    for _ in sys.stdin:
        child = os.fork()
        if child == 0:
            os.set_inheritable(0, False)
            main(*(Path(argument) for argument in sys.argv[1:]))
        os.waitpid(child, 0)
        os.write(1, b"ended\n")
