"""What arms and places for trials cost. Run by hand: `python tests/benchmarks/bench_arena.py`.

Prints the best and the median of several rounds beside the promised limit, and beside `cp -a` of the same tree twice.
"""

from __future__ import annotations

import contextlib
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROUNDS = 7


def make_workspace(top: Path, files: int) -> Path:
    for number in range(files - 1):
        folder = top / ".claude" / ("rules" if number % 2 else f"skills/s{number // 20}")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{number}.md").write_text(f"# Rule {number}\n\n" + "- Keep what you say short.\n" * 100)
    (top / "CLAUDE.md").write_text("# Project\n\n- Answer in one sentence.\n- Run the tests.\n")
    return top


def timed(work: Callable[[], object], clock: Callable[[], float]) -> float:
    begun = clock()
    work()
    return clock() - begun


def show(what: str, seconds: list[float], limit_s: float | None) -> bool:
    best = min(seconds)
    limit = "" if limit_s is None else f"   limit {limit_s * 1000:7.1f} ms"
    print(f"{what:58} best {best * 1000:7.1f} ms   median {statistics.median(seconds) * 1000:7.1f} ms{limit}")
    return limit_s is None or best <= limit_s


def main() -> int:
    from measure.arena.arena import Arena
    from measure.contrast import Edit, EditKind, find_contrast
    from measure.surface import read_surface

    kept = True
    with tempfile.TemporaryDirectory() as name:
        top = Path(name)
        large, small = make_workspace(top / "large", 1000), make_workspace(top / "small", 5)
        edit = Edit(EditKind.DROP, "CLAUDE.md", line=3)

        def build() -> None:
            surface = read_surface(large)
            arena.build(surface, find_contrast(surface, edit))

        building: list[float] = []
        with contextlib.ExitStack() as kept_arenas:
            # Nothing is removed between rounds: ext4 without a journal is slow to reuse what was just deleted.
            for number in range(ROUNDS):
                arena = kept_arenas.enter_context(Arena(top / f"arena-{number}"))
                building.append(timed(build, time.perf_counter))
        kept &= show("read, build and verify both arms of 1,000 files (wall)", building, 0.6)

        copying: list[float] = []
        for number in range(ROUNDS):
            begun = time.perf_counter()
            for arm in ("a", "b"):
                subprocess.run(["cp", "-a", "large", f"copy-{number}{arm}"], cwd=top, check=True)
            copying.append(time.perf_counter() - begun)
        show("  cp -a of the same tree, twice (wall)", copying, None)

        with Arena(top / "arena") as arena:
            surface = read_surface(small)
            arms = arena.build(surface, find_contrast(surface, edit))

            def trial() -> None:
                for _ in range(100):
                    with arena.stall(arms.variant):
                        pass

            trials = [timed(trial, time.process_time) / 100 for _ in range(ROUNDS)]
        kept &= show("a trial's place in a small workspace, made and removed (CPU)", trials, 0.002)

        entering = []
        for _ in range(ROUNDS):
            begun = time.perf_counter()
            with Arena(top / "arena"):
                pass
            entering.append(time.perf_counter() - begun)
        show("an empty arena, entered and left (wall)", entering, None)
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
