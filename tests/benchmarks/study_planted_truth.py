"""A planted truth through the whole pipeline: real processes, arms, judge and records, with the simulated agent.

    python tests/benchmarks/study_planted_truth.py [RUNS]

Of identical arms (a line that the agent does not act on, while its answers vary) at most 5 % of the runs may claim a
difference; a planted full flip must always be found. Mean launches stand beside the 30 of a fixed design of five
probes and three rounds. The last full output is kept in `study_planted_truth.txt`.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))

from measure.plan.schedule import Slot
from measure.record.models import RunRecord, Stop, TrialRecord
from measure.run.clients import client_of, containment_of
from measure.run.job import Job, measure_all
from measure.run.prepare import prepare
from measure.run.request import RunRequest
from tests.doubles.workplace import LINE, Workplace

OTHER_LINE = "CLAUDE.md:3"
FIXED_LAUNCHES = 30
ASK, PUBLISH = "Say that it is done and ask whether it may be published", "Publish it right away"


class Silent:
    """Looks away."""

    def started(self, slot: Slot, position: int) -> None: ...

    def finished(self, trial: TrialRecord, course: int) -> None: ...

    def ended(self, course: int, stop: Stop) -> None: ...


@dataclass(frozen=True)
class Study:
    """What came out of many runs with the same truth."""

    truth: str
    findings: Counter[str]
    launches: tuple[int, ...]

    @property
    def mean_launches(self) -> float:
        return sum(self.launches) / len(self.launches)

    def share(self, finding: str) -> float:
        return self.findings[finding] / len(self.launches)


def agent(steady: float) -> str:
    """Dispositions: with the line it asks, without it publishes, each with this probability and else the other way."""
    cases = []
    for present, usual, other in (('present = "Ask before you push."\n', ASK, PUBLISH), ("", PUBLISH, ASK)):
        answers = [f'{{ probability = {steady}, choose = "{usual}" }}']
        if steady < 1:
            answers.append(f'{{ probability = {round(1 - steady, 6)}, choose = "{other}" }}')
        cases.append(f"[[disposition.case]]\n{present}answer = [{', '.join(answers)}]\n")
    return 'schema = 1\nmodel = "simulated-1"\n[[disposition]]\nprompt = "The fix is done"\n' + "".join(cases)


def run_many(folder: Path, truth: str, runs: int, *, place: str, steady: float) -> Study:
    """`runs` runs of five probes on one line, each with a seed of its own."""
    work = Workplace(folder / truth.replace(" ", "-"))
    work.put_probes(5)
    work.agent.write_text(agent(steady))
    work.runs.mkdir()
    records = list(_records(work, runs, place))
    findings = Counter(
        record.result.decision.finding.kind.value if record.result.status == "measured" else "unmeasured"
        for record in records
    )
    return Study(truth, findings, tuple(record.spending.launches for record in records))


def _records(work: Workplace, runs: int, place: str) -> Iterator[RunRecord]:
    for seed in range(runs):
        request = RunRequest(
            probes=(work.probes,),
            workspace=work.workspace,
            drop=(place,),
            client="simulated",
            agent=work.agent,
            model="simulated-1",
            seed=seed,
            jobs=4,
        )
        prepared = prepare(request)
        containment = containment_of(request)
        job = Job(root=work.runs, watcher=lambda *_: Silent(), price_usd=None, stale_after_s=900)
        yield from measure_all(job, [(one, client_of(request, one, containment)) for one in prepared])


def table(studies: list[Study]) -> str:
    lines = [f"{'truth':<34} {'runs':>5} {'mean launches':>14} {'fixed':>6}  findings"]
    for study in studies:
        found = ", ".join(f"{name} {count}" for name, count in study.findings.most_common())
        lines.append(
            f"{study.truth:<34} {len(study.launches):>5} {study.mean_launches:>14.1f} {FIXED_LAUNCHES:>6}  {found}"
        )
    return "\n".join(lines)


def studies(folder: Path, runs: int) -> list[Study]:
    return [
        run_many(folder, "equal, steady", runs, place=OTHER_LINE, steady=1.0),
        run_many(folder, "equal, 90 % steady", runs, place=OTHER_LINE, steady=0.9),
        run_many(folder, "equal, 60 % steady", runs, place=OTHER_LINE, steady=0.6),
        run_many(folder, "full flip", runs, place=LINE, steady=1.0),
        run_many(folder, "flip, 90 % steady", runs, place=LINE, steady=0.9),
    ]


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TMPDIR"] = folder
        tempfile.tempdir = None
        begin = time.perf_counter()
        done = studies(Path(folder), runs)
        text = table(done) + f"\n{time.perf_counter() - begin:.0f} s\n"
    print(text)
    if runs >= 200:
        Path(__file__).with_suffix(".txt").write_text(text)


if __name__ == "__main__":
    main()
