"""One or several records as one page that needs nothing else.

Invariants: the page loads nothing from anywhere and allows nothing but its own style sheet and script, which are named
by their digests; all text of others goes through autoescape as visible characters and is isolated in its direction;
nothing here computes statistics.
"""

from __future__ import annotations

import base64
import difflib
import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from measure import __version__
from measure.probe.model import Axis, Probe
from measure.probe.question import Question
from measure.record.arms import CostByArm, cost_by_arm
from measure.record.library import Row, row_of
from measure.record.models import Arm, RunRecord
from measure.record.select import FINDINGS
from measure.report import facts, wording
from measure.report.answers import PairShown, pairs_shown
from measure.report.costs import HEAD, cost_rows, cost_sentences
from measure.report.family import family_sentences
from measure.report.overview import changed_text, cost_told, launches_told, overview_of
from measure.report.plots import bar_of, evidence, forest, small
from measure.report.proof import proof_sentences
from measure.report.visible import visible
from measure.verdict.result import AxisResult, ProbeResult
from measure.verdict.vocabulary import Status


@dataclass(frozen=True)
class RunShown:
    """A record with everything that the page's template asks of it."""

    record: RunRecord
    key: str
    """Makes ids unique on the page; letters and digits only."""

    @cached_property
    def row(self) -> Row:
        """The record as one row of the overview."""
        return row_of(self.record)

    @cached_property
    def pairs(self) -> tuple[PairShown, ...]:
        """All pairs, for reading."""
        record = self.record
        if record.plan is None:
            return ()
        return pairs_shown(record.plan, record.trials, record.stop.last_block if record.stop is not None else None)

    @cached_property
    def choices(self) -> dict[str, tuple[str, ...]]:
        """What the answers can be filtered by, each value once, the most frequent first."""
        outcomes = Counter(outcome for pair in self.pairs for outcome in pair.outcomes)
        reasons = Counter(reason for pair in self.pairs for reason in pair.reasons)
        return {
            "probe": tuple(dict.fromkeys(pair.probe for pair in self.pairs)),
            "outcome": tuple(name for name, _ in outcomes.most_common()),
            "reason": tuple(name for name, _ in reasons.most_common()),
        }

    @cached_property
    def status(self) -> Status | None:
        """The status whose sign and colour the finding has; None for a noise band."""
        return facts.status_of_record(self.record)

    @cached_property
    def headline(self) -> tuple[str, tuple[str, ...]]:
        """The finding's word and its sentences."""
        return facts.headline(self.record)

    @cached_property
    def forest(self) -> str:
        """Effects as SVG."""
        return forest(self.record.result.decision, f"{self.key}f") if self.record.result.status == "measured" else ""

    @cached_property
    def evidence(self) -> str:
        """Evidence over pairs as SVG."""
        return evidence(self.record, f"{self.key}e")

    @cached_property
    def costs(self) -> CostByArm | None:
        """What launches cost, arm against arm; None where nothing fits to be compared."""
        return cost_by_arm(self.record)

    @cached_property
    def doubts(self) -> tuple[str, ...]:
        """What a reader should know before trusting it."""
        return facts.doubts(self.record)

    @cached_property
    def condition(self) -> tuple[tuple[str, str], ...]:
        """What was held fixed and what it cost, as names and values."""
        return facts.condition(self.record)

    def result_of(self, axis: str) -> AxisResult | None:
        """The result of one axis; None where it was not asked or nothing was measured."""
        result = self.record.result
        return result.decision.axis(Axis(axis)) if result.status == "measured" else None

    def axis(self, axis: AxisResult) -> tuple[Status, str, tuple[str, ...]]:
        """Whose sign and colour an axis has, its word and its sentences."""
        assert self.record.result.status == "measured"
        return facts.axis_shown(axis, self.record.result.decision, facts.usd_per_launch(self.record))

    def probe(self, probe: ProbeResult) -> Status:
        """Whose sign and colour a probe has."""
        return facts.looks_like(probe.verdict)

    def probes_of(self, axis: AxisResult) -> tuple[ProbeResult, ...]:
        """The results of an axis's probes."""
        assert self.record.result.status == "measured"
        return tuple(probe for probe in self.record.result.decision.probes if probe.axis is axis.axis)

    @cached_property
    def changed(self) -> tuple[tuple[str, str], ...]:
        """The words that the arms differ in, for the overview."""
        return changed_text(self.record)

    def small(self, axis: AxisResult) -> str:
        """An axis's effect as SVG that fits into a line of text."""
        assert self.record.result.status == "measured"
        return small(axis, self.record.result.decision)

    def left_open(self, probe: ProbeResult) -> str:
        """The one pair of bounds that is told of a probe's shift, and what it is."""
        assert self.record.result.status == "measured"
        bar = bar_of(probe.verdict, probe.effect, probe.excluded)
        if bar is None:
            return "no interval: no pair was answered in both arms"
        if bar is probe.excluded:
            return f"zero-difference; not excluded: {facts.not_excluded(bar)}"
        return (
            f"{wording.confidence(1 - self.record.result.decision.parameters.alpha)} interval {wording.interval(bar)}"
        )

    def asides(self, axis: AxisResult) -> tuple[str, ...]:
        """What else was seen on an axis: launches that do not count, reports of a missing provision, steadiness."""
        return facts.asides(self.record, axis)

    @cached_property
    def changed_words(self) -> tuple[tuple[tuple[str, bool], ...], tuple[tuple[str, bool], ...]]:
        """Before and after of a replacement in stretches, each with whether it is the other's as well."""
        assert self.record.plan is not None
        contrast = self.record.plan.contrast
        before, after = contrast.before, contrast.after
        if contrast.kind != "replace":
            return ((before, False),), ((after, False),)
        match = difflib.SequenceMatcher(None, before, after, autojunk=False)
        sides: tuple[list[tuple[str, bool]], list[tuple[str, bool]]] = ([], [])
        for kind, a, b, c, d in match.get_opcodes():
            sides[0].append((before[a:b], kind == "equal"))
            sides[1].append((after[c:d], kind == "equal"))
        return tuple(part for part in sides[0] if part[0]), tuple(part for part in sides[1] if part[0])

    def question(self, probe: Probe) -> str:
        """A probe as it was put, its options in the order of the file."""
        return Question(probe, tuple(option.id for option in probe.options), "").render()


def render_page(records: Sequence[RunRecord], family: Sequence[RunRecord] = ()) -> str:
    """The whole page as HTML text. One record is shown as it is; several get an overview that links down.

    `family` are all that have to be counted together, where they are more than those that are shown.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("measure.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "visible": visible,
        "points": wording.signed_points,
        "interval": wording.interval,
        "size": wording.evidence_size,
        "outcome": lambda name: name.removeprefix("option:"),
    }
    style, script = (_source(environment, name) for name in ("page.css", "page.js"))
    runs = in_order([RunShown(record, f"r{number}") for number, record in enumerate(records)])
    context: dict[str, Any] = {
        "runs": runs,
        "signs": facts.SIGNS,
        "Arm": Arm,
        "wording": wording,
        "proof_sentences": proof_sentences,
        "family_sentences": family_sentences(family or records),
        "overview": overview_of(records),
        "launches_told": launches_told,
        "cost_told": cost_told,
        "cost_head": HEAD,
        "cost_rows": cost_rows,
        "cost_sentences": cost_sentences,
        "scope_sentences": facts.scope_sentences,
        "ended": facts.ended,
        "drawing": Markup,
        "style": Markup(style),  # noqa: S704 - a file of this package
        "script": Markup(script),  # noqa: S704 - a file of this package
        "policy": (
            f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; img-src data:; "
            "base-uri 'none'; form-action 'none'"
        ),
        "version": __version__,
    }
    return environment.get_template("page.html").render(context) + "\n"


def in_order(runs: Sequence[RunShown]) -> tuple[RunShown, ...]:
    """What matters first: by finding, then by evidence, then the newest, lines measured together as they were named."""

    def weight(run: RunShown) -> tuple[int, float]:
        result = run.record.result
        strongest = 0.0
        if result.status == "measured":
            strongest = max((axis.evidence.deciding for axis in result.decision.axes), default=0.0)
        return FINDINGS.index(run.row.finding), -strongest

    def command(run: RunShown) -> str:
        plan = run.record.plan
        return plan.together[0] if plan is not None and plan.together else run.record.run_id

    as_named = sorted(runs, key=lambda run: run.record.run_id)
    return tuple(sorted(sorted(as_named, key=command, reverse=True), key=weight))


def _source(environment: Any, name: str) -> str:
    text: str = environment.loader.get_source(environment, name)[0]
    return text


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
