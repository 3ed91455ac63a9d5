"""Which block is launched next: the stopping rule of each contrast's verdict, turned into launches that they share.

Invariants: an adaptive run never launches a pair of a later round while one of the present round is under way, since
its outcome may settle a question; contrasts that are measured together go from round to round together, so that the
baseline is launched once for all that ask the same question, beside their variants and never at another time; a fixed
design launches every pair it declared, whatever comes out; the blocks already scheduled depend on nothing that was
scheduled after them.

Lines that are settled together go on until their claims stand with all lines counted: inside a round where they stand
whatever the others show, between rounds with what the others do show.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from measure.plan.course import Course
from measure.plan.schedule import Block, Slot, block, derived_seed, shuffled
from measure.plan.sharing import asked
from measure.probe.model import Axis
from measure.probe.order import orders
from measure.record.models import SHORT, Stop
from measure.record.pairs import designs_of, pairs_of
from measure.verdict.design import Pair, before_open, in_order
from measure.verdict.look import look_at
from measure.verdict.standing import Claim, claim_of, standing
from measure.verdict.stopping import Round, Step, StopReason, TopUp, axes_of, next_step
from measure.verdict.stopping import Stop as Settled


@dataclass(frozen=True, slots=True)
class _Standing:
    """Where a contrast stands: what it asks for next, and what of it is counted or under way."""

    step: Step
    taken: frozenset[tuple[int, str]]
    """Rounds and probes of its pairs that are counted or under way."""
    seen: int
    """Launches it was worked out from."""
    open_: frozenset[int]
    """Blocks under way when it was worked out."""
    last: int | None
    """The last pair that was looked at."""


@dataclass
class Rounds:
    """Hands out blocks one by one. The trials of `courses` grow meanwhile; a course that is done is given its stop."""

    courses: Sequence[Course]
    seed: int
    others: Sequence[Mapping[Axis, Claim]] = ()
    """Lines of the same family that are not launched any more, with what they showed when they stopped."""
    _stands: list[set[Axis]] = field(init=False)
    """Axes of each course whose claims stand with all lines counted."""
    _standing: dict[int, _Standing] = field(default_factory=dict)
    _repeats: Counter[str] = field(default_factory=Counter)
    _number: int = 0

    def __post_init__(self) -> None:
        probes = [[entry.probe for entry in course.plan.probes] for course in self.courses]
        self._designs = [designs_of(course.plan.probes) for course in self.courses]
        self._asked = [{probe.id: asked(probe) for probe in own} for own in probes]
        self._probes = {asked(probe): probe for own in probes for probe in own}
        self._stands = [set() for _ in self.courses]
        together = all(course.plan.design.settle == "together" for course in self.courses)
        self._lines = len(self.courses) + len(self.others) if together and not self._fixed else 1
        self._go_on()
        self._left = [self._declared(number) if self._fixed else {} for number in range(len(self.courses))]

    @property
    def _fixed(self) -> bool:
        """Every pair that was declared is launched, whatever comes out."""
        return self.courses[0].parameters.repeats is not None

    def _declared(self, number: int) -> dict[int, list[str]]:
        """The probes that each round of a fixed design still lacks."""
        course = self.courses[number]
        counted = self._counted(number, pairs_of(self._designs[number], course.plan.contrast, course.trials))
        rounds = range(1, course.parameters.rounds_at_most + 1)
        lacking = {
            round_: [probe for probe in course.plan.probe_ids if (round_, probe) not in counted] for round_ in rounds
        }
        return {round_: probes for round_, probes in lacking.items() if probes}

    def _go_on(self) -> None:
        """Take over what an earlier session launched; a pair that it could not complete is launched anew."""
        made = {
            (trial.block, self._asked[n][trial.probe])
            for n, course in enumerate(self.courses)
            for trial in course.trials
        }
        self._repeats.update(question for _, question in made)
        self._number = max((number for number, _ in made), default=-1) + 1

    def next(self, in_flight: Collection[Slot]) -> Block | Stop | None:
        """The next block to launch, why there is none, or None: wait until one under way has ended."""
        steps = self._steps(in_flight)
        if self._lines > 1 and not in_flight and self._is_between_rounds(steps) and self._let_stand(steps):
            steps = self._steps(in_flight)
        if not steps:
            return next(course.stop for course in reversed(self.courses) if course.stop is not None)
        # All of a round ends before anything of the next begins; between the two some probes may be topped up.
        first = min((step.number for step in steps.values() if isinstance(step, Round)), default=None)
        topping = {number: step.probe for number, step in steps.items() if isinstance(step, TopUp)}
        if first is not None and (not topping or first <= self._last_round(topping)):
            asking = {
                number: step.probes
                for number, step in steps.items()
                if isinstance(step, Round) and step.number == first
            }
            return self._of_round(first, asking)
        return self._top_up(topping)

    def _steps(self, in_flight: Collection[Slot]) -> dict[int, Round | TopUp]:
        """What the courses ask for that are not done; those that are get their stop."""
        steps: dict[int, Round | TopUp] = {}
        for number, course in enumerate(self.courses):
            if course.stop is None:
                step = self._look(number, in_flight).step
                if isinstance(step, Settled):
                    course.stop = self._stop(number, step)
                else:
                    steps[number] = step
        return steps

    def _is_between_rounds(self, steps: Mapping[int, Round | TopUp]) -> bool:
        return all(
            isinstance(step, TopUp) or step.number > self._last_round([number]) for number, step in steps.items()
        )

    def _let_stand(self, asking: Collection[int]) -> bool:
        """Settle the axes whose claims stand with all lines counted; whether there was any."""
        claims = [self._claims(number) for number in range(len(self.courses))]
        found = False
        for axis in Axis:
            counted = [number for number, own in enumerate(claims) if axis in own]
            others = [own[axis] for own in self.others if axis in own]
            alpha = min((self.courses[number].parameters.alpha for number in counted), default=1.0)
            for index in standing([*(claims[number][axis] for number in counted), *others], alpha):
                if index < len(counted) and counted[index] in asking and axis not in self._stands[counted[index]]:
                    self._stands[counted[index]].add(axis)
                    self._standing.pop(counted[index])
                    found = True
        return found

    def _claims(self, number: int) -> dict[Axis, Claim]:
        course, designs = self.courses[number], self._designs[number]
        pairs = pairs_of(designs, course.plan.contrast, course.trials)
        last = course.stop.last_block if course.stop is not None else None
        seen = in_order(designs, [pair for pair in pairs if last is None or pair.seq <= last])
        return {
            axis: claim_of(
                look_at([one for one in designs if one.axis is axis], seen, course.parameters), course.parameters
            )
            for axis in axes_of(designs)
        }

    def _of_round(self, round_: int, asking: dict[int, tuple[str, ...]]) -> Block | None:
        wanted: dict[str, list[int]] = {}
        for number, probes in asking.items():
            for probe in probes:
                if (round_, probe) not in self._standing[number].taken:
                    wanted.setdefault(self._asked[number][probe], []).append(number)
        for question in shuffled(tuple(self._probes), round_, self.seed):
            if question in wanted:
                return self._block(round_, question, wanted[question])
        return None

    def _top_up(self, topping: dict[int, str]) -> Block | None:
        wanted: dict[str, list[int]] = {}
        for number, probe in topping.items():
            if not self._standing[number].open_:
                wanted.setdefault(self._asked[number][probe], []).append(number)
        if not wanted:
            return None
        question, numbers = next(iter(wanted.items()))
        return self._block(self._last_round(numbers), question, numbers, topup=True)

    def _last_round(self, numbers: Iterable[int]) -> int:
        return max((round_ for number in numbers for round_, _ in self._standing[number].taken), default=1)

    def _look(self, number: int, in_flight: Collection[Slot]) -> _Standing:
        """Where a contrast stands; worked out anew only when something of its own has begun or ended."""
        course = self.courses[number]
        mine = [slot for slot in in_flight if number in slot.courses]
        open_ = frozenset(slot.block for slot in mine)
        known = self._standing.get(number)
        if known is not None and (known.seen, known.open_) == (len(course.trials), open_):
            return known
        if self._fixed:
            standing = _Standing(self._next_declared(number, open_), frozenset(), len(course.trials), open_, None)
        else:
            pairs = pairs_of(self._designs[number], course.plan.contrast, course.trials)
            step = next_step(
                self._designs[number],
                pairs,
                course.parameters,
                open_,
                lines=self._lines,
                settled=self._stands[number],
            )
            taken = self._counted(number, pairs) | {(slot.round, slot.probe) for slot in mine if not slot.topup}
            seen = before_open(pairs, open_)
            last = seen[-1].seq if seen else None
            standing = _Standing(step, taken, len(course.trials), open_, last)
        self._standing[number] = standing
        return standing

    def _next_declared(self, number: int, open_: Collection[int]) -> Step:
        for round_, probes in self._left[number].items():
            return Round(round_, tuple(probes))
        return Round(self.courses[number].parameters.rounds_at_most, ()) if open_ else Settled(StopReason.REPEATS_DONE)

    def _counted(self, number: int, pairs: Sequence[Pair]) -> frozenset[tuple[int, str]]:
        """Rounds and probes of the pairs of balanced rounds."""
        rounds = {trial.block: trial.round for trial in self.courses[number].trials}
        return frozenset((rounds[pair.seq], pair.probe) for pair in pairs if not pair.topup)

    def _stop(self, number: int, step: Settled) -> Stop:
        last, reason = self._standing[number].last, step.reason
        if reason is StopReason.CAP and all(claim.shows for claim in self._claims(number).values()):
            return Stop(reason=SHORT)
        return Stop(reason=reason.value, last_block=last if reason is StopReason.SETTLED else None)

    def _block(self, round_: int, question: str, numbers: Sequence[int], *, topup: bool = False) -> Block:
        probe = self._probes[question]
        repeat = self._repeats[question]
        self._repeats[question] += 1
        order = orders(
            [option.id for option in probe.options], repeat + 1, derived_seed(self.seed, "options", probe.id)
        )
        for number in numbers if self._fixed else ():
            left = self._left[number]
            left[round_].remove(probe.id)
            if not left[round_]:
                del left[round_]
        made = block(self._number, round_, probe.id, order[repeat], self.seed, topup=topup, courses=tuple(numbers))
        self._number += 1
        return made
