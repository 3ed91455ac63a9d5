"""Simulated studies of the procedure: error rates and launches, against independently published figures.

Run the full tables with `python -m tests.benchmarks.verdict_studies`; the tests run a small size of the same
functions. Each study draws answers with a seeded generator and plays the product's own rule.
"""

from __future__ import annotations

import argparse
import itertools
import math
import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from measure.probe.model import Axis
from measure.verdict.design import Pair, ProbeDesign
from measure.verdict.equivalence import Shifts, log_e_within
from measure.verdict.evidence import LineStream, plug_path
from measure.verdict.interval import cs_plug
from measure.verdict.look import look_at
from measure.verdict.parameters import STANDARD, Parameters
from measure.verdict.replay import replay

THRESHOLD = STANDARD.log_threshold
Law = tuple[float, float]
"""Probability of the asked-for answer with and without the line."""


def panel(probes: int = 5) -> list[ProbeDesign]:
    """Probes of two options."""
    return [ProbeDesign(f"p{i}", Axis.BEHAVIOR, ("other", "asked"), 1) for i in range(probes)]


def stream(law: Law, drawn: random.Random) -> Iterator[tuple[int, int]]:
    """Pairs of one probe, without end."""
    while True:
        yield int(drawn.random() < law[0]), int(drawn.random() < law[1])


# Single streams


def false_differences(p: float, *, runs: int, pairs: int, seed: int = 1) -> float:
    """Share of equal-arm streams whose evidence ever reaches the threshold, looking after every pair."""
    drawn = random.Random(seed)
    hits = 0
    for _ in range(runs):
        path = plug_path(itertools.islice(stream((p, p), drawn), pairs))
        hits += any(log_e >= THRESHOLD for log_e in path)
    return hits / runs


def launches_to_difference(law: Law, *, runs: int, most: int = 3000, seed: int = 2) -> float:
    """Mean launches until one stream shows a difference."""
    drawn = random.Random(seed)
    total = 0
    for _ in range(runs):
        path = enumerate(plug_path(itertools.islice(stream(law, drawn), most)), 1)
        total += 2 * next((n for n, log_e in path if log_e >= THRESHOLD), most)
    return total / runs


def _pairs_to_zero(law: Law, margin: float, alpha: float, most: int, drawn: random.Random) -> int | None:
    counts = Counter[int]()
    for n, (a, b) in enumerate(itertools.islice(stream(law, drawn), most), 1):
        counts[a - b] += 1
        if log_e_within(Shifts(up=counts[1], same=counts[0], down=counts[-1]), margin) >= -math.log(alpha):
            return n
    return None


def launches_to_zero(p: float, margin: float, alpha: float = 0.05, *, runs: int, seed: int = 3) -> float:
    """Mean launches until a stream of equal arms shows a zero-difference, looking after every pair."""
    drawn = random.Random(seed)
    found = [_pairs_to_zero((p, p), margin, alpha, 3000, drawn) for _ in range(runs)]
    return 2 * sum(n if n is not None else 3000 for n in found) / runs


def false_zeros(law: Law, margin: float, *, runs: int, pairs: int = 400, seed: int = 4) -> float:
    """Share of streams exactly at the margin that ever show a zero-difference."""
    drawn = random.Random(seed)
    return sum(_pairs_to_zero(law, margin, 0.05, pairs, drawn) is not None for _ in range(runs)) / runs


# The whole procedure


@dataclass(frozen=True)
class Outcome:
    """Shares of verdicts and mean launches."""

    difference: float
    zero: float
    undecided: float
    launches: float


def procedure(laws: Sequence[Law], parameters: Parameters, *, runs: int, each_pair: bool, seed: int = 5) -> Outcome:
    """Play whole runs over a panel, one law per probe."""
    drawn = random.Random(seed)
    designs = panel(len(laws))
    by_id = dict(zip((design.id for design in designs), laws, strict=True))

    def answer(design: ProbeDesign, _: int) -> tuple[int, int]:
        with_, without = by_id[design.id]
        return int(drawn.random() < with_), int(drawn.random() < without)

    seen = Counter[str]()
    launches = 0
    for _ in range(runs):
        end = replay(designs, parameters, answer, each_pair=each_pair)
        launches += end.launches
        look = look_at(designs, end.pairs, parameters)
        shown = "undecided"
        if look.robust(parameters):
            shown = "difference"
        elif look.shows_zero(parameters):
            shown = "zero"
        seen[shown] += 1
    return Outcome(seen["difference"] / runs, seen["zero"] / runs, seen["undecided"] / runs, launches / runs)


def false_line(laws: Sequence[float], *, runs: int, rounds: int = 12, seed: int = 6) -> float:
    """Share of equal-arm panels whose line evidence ever reaches the threshold, looking after every pair."""
    drawn = random.Random(seed)
    designs = panel(len(laws))
    hits = 0
    for _ in range(runs):
        line = LineStream(designs)
        for seq in range(rounds * len(laws)):
            p = laws[seq % len(laws)]
            line.add(Pair(seq, f"p{seq % len(laws)}", int(drawn.random() < p), int(drawn.random() < p)))
            if line.evidence().line >= THRESHOLD:
                hits += 1
                break
    return hits / runs


def coverage_failures(law: Law, *, runs: int, pairs: int = 100, seed: int = 7) -> float:
    """Share of streams whose interval ever leaves out the true shift, looking after every pair."""
    drawn = random.Random(seed)
    missed = 0
    true = law[0] - law[1]
    for _ in range(runs):
        seen = list(itertools.islice(stream(law, drawn), pairs))
        missed += any(
            not low <= round(true, 2) <= high for low, high in (cs_plug(seen[:n]) for n in range(5, pairs, 5))
        )
    return missed / runs


# Published figures: what independent simulations of the same rules gave

TO_DIFFERENCE: dict[Law, float] = {
    (1, 0): 8.0,
    (1, 0.2): 12.2,
    (0.9, 0.1): 13.5,
    (0.9, 0.5): 50.7,
    (0.8, 0.5): 111,
    (0.6, 0.4): 302,
}
"""Mean launches of one stream to a difference."""
TO_ZERO: dict[tuple[float, float], tuple[float, float, float, float]] = {
    (0.2, 0.05): (30, 89, 241, 390),
    (0.2, 0.10): (24, 72, 205, 341),
    (0.3, 0.05): (20, 45, 106, 159),
    (0.3, 0.10): (16, 35, 89, 139),
    (0.5, 0.05): (10, 17, 36, 53),
    (0.5, 0.10): (8, 13, 29, 44),
}
"""Margin and alpha → mean launches of one stream of equal arms to a zero-difference at `BASELINES`."""
BASELINES = (1.0, 0.95, 0.8, 0.5)
PANELS: dict[str, list[Law]] = {
    "equal, 1": [(1, 1)] * 5,
    "equal, .98": [(0.98, 0.98)] * 5,
    "equal, .95": [(0.95, 0.95)] * 5,
    "equal, mixed": [(p, p) for p in (1, 1, 0.95, 0.8, 0.5)],
    "equal, .5": [(0.5, 0.5)] * 5,
    "all 1 to 0": [(1, 0)] * 5,
    "all .95 to .2": [(0.95, 0.2)] * 5,
    "all 1 to .6": [(1, 0.6)] * 5,
    "all .9 to .5": [(0.9, 0.5)] * 5,
    "one of five flips": [(1, 0), *[(1.0, 1.0)] * 4],
    "one of five .95 to .05": [(0.95, 0.05), *[(0.95, 0.95)] * 4],
    "two up, two down": [(1, 0), (1, 0), (0, 1), (0, 1), (1, 1)],
    "all 1 to .85": [(1, 0.85)] * 5,
}
BY_ROUND = Parameters(top_up_pairs=0)
"""The procedure as published: looks at the ends of rounds, no top-up, 60 launches at most."""
BY_ROUND_LONG = Parameters(top_up_pairs=0, max_rounds=12)
BY_ROUND_COARSE = Parameters(margin=0.3, probe_margin=0.85, zero_from_round=2, top_up_pairs=0)
WHOLE: dict[str, tuple[Outcome, Outcome, Outcome]] = {
    "equal, 1": (Outcome(0, 1, 0, 30), Outcome(0, 1, 0, 30), Outcome(0, 1, 0, 20)),
    "equal, .98": (Outcome(0, 0.55, 0.45, 43), Outcome(0, 0.98, 0.02, 58), Outcome(0, 0.96, 0.05, 31)),
    "equal, .95": (Outcome(0, 0.24, 0.76, 53), Outcome(0, 0.80, 0.20, 88), Outcome(0, 0.73, 0.28, 44)),
    "equal, mixed": (Outcome(0, 0.03, 0.97, 59), Outcome(0.01, 0.21, 0.79, 114), Outcome(0, 0.28, 0.72, 55)),
    "equal, .5": (Outcome(0.01, 0, 0.99, 60), Outcome(0.01, 0, 0.99, 119), Outcome(0.01, 0, 0.99, 60)),
    "all 1 to 0": (Outcome(1, 0, 0, 10), Outcome(1, 0, 0, 10), Outcome(1, 0, 0, 10)),
    "all .95 to .2": (Outcome(1, 0, 0, 21), Outcome(1, 0, 0, 21), Outcome(1, 0, 0, 21)),
    "all 1 to .6": (Outcome(0.97, 0, 0.03, 39), Outcome(1, 0, 0, 39), Outcome(0.96, 0.01, 0.03, 39)),
    "all .9 to .5": (Outcome(0.57, 0, 0.43, 49), Outcome(0.93, 0, 0.07, 63), Outcome(0.56, 0, 0.44, 48)),
    "one of five flips": (Outcome(1, 0, 0, 50), Outcome(1, 0, 0, 50), Outcome(1, 0, 0, 50)),
    "one of five .95 to .05": (Outcome(0.61, 0, 0.39, 55), Outcome(0.97, 0, 0.03, 65), Outcome(0.63, 0.01, 0.37, 54)),
    "two up, two down": (Outcome(1, 0, 0, 30), Outcome(1, 0, 0, 30), Outcome(1, 0, 0, 30)),
    "all 1 to .85": (
        Outcome(0.13, 0.09, 0.78, 56),
        Outcome(0.76, 0.10, 0.14, math.nan),
        Outcome(0.13, 0.26, 0.61, math.nan),
    ),
}
"""Whole procedure: `BY_ROUND`, `BY_ROUND_LONG`, `BY_ROUND_COARSE`. NaN where no figure was published."""


@dataclass
class Report:
    """Prints cells beside their figures and remembers what is off."""

    off: int = 0

    def near(self, name: object, got: float, published: float) -> None:
        """A mean within 10 % of its figure."""
        self._line(name, got, f"published {published:g}", abs(got / published - 1) <= 0.10)

    def bounded(self, name: object, got: float, runs: int, level: float = 0.05) -> None:
        """A rate of errors at most its level, with three Monte-Carlo errors."""
        allowed = level + 3 * math.sqrt(level * (1 - level) / runs)
        self._line(name, got, f"at most {level:g}", got <= allowed)

    def _line(self, name: object, got: float, beside: str, fine: bool) -> None:
        self.off += not fine
        print(f"  {name!s:<34} {got:>9.4g}   {beside}{'' if fine else '   OFF'}", flush=True)


def main(argv: Sequence[str] | None = None) -> int:
    """Print all tables at full size; the exit status is 1 if a figure is off."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--runs", type=int, default=1000, help="streams or runs per cell")
    runs = parser.parse_args(argv).runs
    report = Report()
    print("False differences of one stream, a look after every pair of 200")
    for p in (0, 0.05, 0.2, 0.5, 0.8, 0.95, 1):
        report.bounded(p, false_differences(p, runs=5 * runs, pairs=200), 5 * runs)
    print("False zero-differences of one stream exactly at the margin, a look after every pair of 400")
    for margin in (0.2, 0.3, 0.5):
        for law in ((1, 1 - margin), (0.95, 0.95 - margin), (0.5 + margin / 2, 0.5 - margin / 2), (margin, 0)):
            report.bounded((margin, *law), false_zeros(law, margin, runs=runs), runs)
    print("False differences over five probes, a look after every pair of 60")
    for ps in ((1.0,) * 5, (0.95,) * 5, (1, 1, 0.95, 0.8, 0.5), (0.5,) * 5):
        report.bounded(ps, false_line(ps, runs=runs), runs)
    print("Interval of one stream ever wrong, a look after every fifth pair of 100")
    for law in ((1, 0.2), (0.9, 0.5), (0.6, 0.4), (0.5, 0.5)):
        report.bounded(law, coverage_failures(law, runs=max(runs // 20, 1)), max(runs // 20, 1))
    print("Mean launches of one stream to a difference")
    for law, published in TO_DIFFERENCE.items():
        report.near(law, launches_to_difference(law, runs=2 * runs), published)
    print("Mean launches of one stream of equal arms to a zero-difference (margin, alpha, p)")
    for (margin, alpha), row in TO_ZERO.items():
        for p, published in zip(BASELINES, row, strict=True):
            report.near((margin, alpha, p), launches_to_zero(p, margin, alpha, runs=runs), published)
    titles = ("looks at round ends, 6 rounds", "12 rounds", "coarse margins, 6 rounds")
    for column, (title, parameters) in enumerate(zip(titles, (BY_ROUND, BY_ROUND_LONG, BY_ROUND_COARSE), strict=True)):
        print(f"Whole procedure over five probes, {title}: mean launches")
        for name, laws in PANELS.items():
            got, figures = procedure(laws, parameters, runs=runs // 2, each_pair=False), WHOLE[name][column]
            shares = f"{got.difference:.2f}/{got.zero:.2f}/{got.undecided:.2f}"
            if math.isnan(figures.launches):
                print(f"  {name:<22} {shares} {got.launches:>9.4g}   (no figure)")
            else:
                report.near(f"{name:<22} {shares}", got.launches, figures.launches)
    print("As shipped over five probes, a look after every pair, top-ups: mean launches")
    for name, laws in PANELS.items():
        got = procedure(laws, STANDARD, runs=max(runs // 8, 1), each_pair=True)
        print(f"  {name:<22} {got.difference:.2f}/{got.zero:.2f}/{got.undecided:.2f} {got.launches:>9.4g}", flush=True)
    print(f"{report.off} figures off")
    return int(report.off > 0)


if __name__ == "__main__":
    sys.exit(main())
