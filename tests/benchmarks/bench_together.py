"""How many launches lines take that are measured together, beside the same lines measured one by one.

    python tests/benchmarks/bench_together.py [--client]

With `--client`: the tokens that eight lines are billed, with each installed real client on loopback, by the double's
account of prompt caching, which goes on over the commands (2 probes, 2 rounds). Otherwise launches: first through the
command itself, eight lines of one workspace in one command and in eight, with the simulated agent; then the schedule
and the statistics alone, played with made-up answers, for more lines and for unsteady behaviour (means over seeds).

"One by one" is given twice: each line until its own verdict stands, as eight commands would do; and the pairs that the
lines had together, each with a baseline of its own.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from measure.plan.course import Course
from measure.plan.rounds import Rounds
from measure.record.build import build
from measure.record.family import families_of
from measure.verdict.parameters import STANDARD
from tests.doubles import real_clients
from tests.doubles.families import Played, counted, family
from tests.doubles.messages_api import MessagesApi, Script, Text, Usage
from tests.doubles.real_clients import RealClient
from tests.doubles.workplace import LINE, Workplace

LINES = 8
PROBES = ("b0", "b1", "b2", "b3", "b4")


@dataclass(frozen=True)
class Row:
    """Launches of one way things could be."""

    truth: str
    lines: int
    together: float
    apart: float
    """Of the same lines, each until its own verdict stands."""
    same_pairs: float
    """Of the pairs that the lines had together, without sharing."""
    stands: float
    """Share of the lines whose verdict stands with all lines counted."""

    @property
    def saving(self) -> float:
        """Share of the launches one by one that are not made."""
        return 1 - self.together / self.apart


def through_the_command(matters: bool, *, settle: str) -> Row:
    """Eight lines in one command and in eight; the first of them matters or none does."""
    lines = [LINE if matters else "CLAUDE.md:3", *(f"CLAUDE.md:{number}" for number in range(5, 4 + LINES))]
    with tempfile.TemporaryDirectory() as folder:
        place = Workplace(Path(folder) / "w")
        rules = place.workspace / "CLAUDE.md"
        rules.write_text(rules.read_text() + "".join(f"- Rule {number} says more.\n" for number in range(LINES)))
        place.put_probes(len(PROBES))
        drops = [argument for line in lines for argument in ("--drop", line)]
        document = place.json(*place.arguments(*drops, "--jobs", "4", "--seed", "1", "--settle", settle))
        runs = document["runs"]
        (counted_together,) = document["families"]
        stood = len(counted_together["differing_together"]) + len(counted_together["zero_together"])
        apart = [
            place.json(*place.arguments("--drop", line, "--jobs", "4", "--seed", "1"))["runs"][0] for line in lines
        ]
    return Row(
        truth=f"{'one line matters' if matters else 'no line matters'}, steady",
        lines=LINES,
        together=sum(run["spending"]["launches"] for run in runs),
        apart=sum(run["spending"]["launches"] for run in apart),
        same_pairs=sum(len(run["trials"]) for run in runs),
        stands=stood / LINES,
    )


def stands(courses: Sequence[Course]) -> int:
    """Lines whose verdict stands with all of them counted."""
    records = [build(course.plan, course.trials, course.stop, complete=True) for course in courses]
    return sum(len(found.differing_together) + len(found.zero_together) for found in families_of(records))


def played(lines: int, effects: int, steadiness: float, *, settle: str, seeds: int) -> Row:
    """The schedule and the statistics alone. A line that matters turns the rate of asked-for answers round."""
    together = apart = same = stood = 0
    for seed in range(seeds):
        chance = random.Random(seed)

        def answer(missing: int | None, probe: str, block: int, chance: random.Random = chance) -> bool:
            matters = missing is not None and missing < effects
            return (chance.random() < steadiness) ^ matters

        courses = family([PROBES] * lines, STANDARD, settle=settle)
        Played(courses, answer, jobs=4).play(Rounds(courses, seed))
        together += len(counted(courses))
        same += sum(len(course.trials) for course in courses)
        stood += stands(courses)
        for number in range(lines):
            (one,) = family([PROBES], STANDARD)

            def own(missing: int | None, probe: str, block: int, number: int = number) -> bool:
                return answer(None if missing is None else number, probe, block)

            Played([one], own, jobs=4).play(Rounds([one], seed))
            apart += len(one.trials)
    return Row(
        f"{effects} of {lines} lines matter, {100 * steadiness:.0f} % steady",
        lines,
        together / seeds,
        apart / seeds,
        same / seeds,
        stood / seeds / lines,
    )


def billed(client: RealClient) -> tuple[Usage, Usage]:
    """What eight lines are billed in one command and in eight, one after the other."""
    lines = [f"CLAUDE.md:{number}" for number in range(3, 3 + LINES)]
    bills = []
    for commands in ([lines], [[line] for line in lines]):
        with tempfile.TemporaryDirectory() as folder, MessagesApi(Script(default=Text("ACTION: A"))) as api:
            place = Workplace(Path(folder) / "w")
            place.extra = api.environment()
            rules = place.workspace / "CLAUDE.md"
            rules.write_text(rules.read_text() + "".join(f"- Rule {number} says more.\n" for number in range(LINES)))
            place.put_probes(2)
            for named in commands:
                drops = [argument for line in named for argument in ("--drop", line)]
                base = ("--client", str(client.path), "--model", "claude-sonnet-4-5", "--repeats", "2", "--seed", "1")
                place.json(*place.arguments(*base, *drops, simulated=False))
            bills.append(api.usage)
    return bills[0], bills[1]


def print_bills() -> None:
    """One line for each installed client."""
    for name in real_clients.NAMES:
        client = real_clients.find(name)
        if client is None:
            print(f"the {name} client is not installed")
            continue
        together, apart = billed(client)
        print(
            f"{client.version}: {LINES} lines together {together.billed:.0f}, one by one {apart.billed:.0f}: "
            f"{1 - together.billed / apart.billed:.1%} saved",
            flush=True,
        )


def table(rows: Iterable[Row]) -> str:
    """One line a row."""
    head = f"{'truth':<40} {'together':>9} {'one by one':>11} {'saved':>6} {'same pairs':>11} {'saved':>6} {'stand':>6}"
    return "\n".join(
        [
            head,
            *(
                f"{row.truth:<40} {row.together:>9.1f} {row.apart:>11.1f} {row.saving:>6.1%} {row.same_pairs:>11.1f} "
                f"{1 - row.together / row.same_pairs:>6.1%} {row.stands:>6.1%}"
                for row in rows
            ),
        ]
    )


def main() -> None:
    """Print all tables."""
    if "--client" in sys.argv[1:]:
        print_bills()
        return
    for settle in ("together", "alone"):
        print(f"Through the command, --settle {settle}, {len(PROBES)} probes")
        print(table(through_the_command(matters, settle=settle) for matters in (False, True)))
        print(f"\nSchedule and statistics alone, --settle {settle}, means over some seeds")
        print(
            table(
                played(lines, effects, steadiness, settle=settle, seeds=seeds if steadiness < 1 else 1)
                for lines, seeds in ((8, 10), (32, 2))
                for effects in (0, lines // 8, lines // 2)
                for steadiness in (1.0, 0.95)
            )
        )
        print(flush=True)


if __name__ == "__main__":
    main()
