"""What is proved before a run spends anything, what every prompt begins with, and which answers do not count.

Invariant: all of it is the same for both arms but for what the stage says: in stage 2 the arms differ on the disk and
prompts are equal, in stage 1 both stand in empty folders and one prompt holds the passage.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from measure.arena.arena import Arena, Arms
from measure.client.base import Client
from measure.client.trial import Invalid, Reason, Returned
from measure.context.capture import Capturable
from measure.context.constraint import constraint_of
from measure.context.proof import Proof
from measure.context.prove import Captured, prove, prove_screen
from measure.context.reach import reach_of
from measure.context.sources import text_files
from measure.contrast import Contrast
from measure.judge.leaks import Scan
from measure.plan.schedule import Slot
from measure.probe.model import Probe
from measure.probe.question import Question
from measure.record.models import Arm, Plan
from measure.run.prepare import Prepared
from measure.surface.layout import FILE_LIMIT


async def proof_of(client: Client, arena: Arena, arms: Arms, one: Prepared, seen: Captured) -> Proof | None:
    """See what both arms' requests differ in; None for a client that sends no request.

    `seen` keeps what was seen of a baseline, for other contrasts of the same workspace.

    Raises `ContrastError` where that is not the intended line alone, `ClientError` where no request could be caught.
    """
    if not isinstance(client, Capturable):
        return None
    constraint = constraint_of(one.stage)
    probes = [entry.probe for entry in one.probes]
    if one.stage == 1:
        proof = await prove_screen(client, arena, one.contrast, constraint, _question(probes[0]))
        return _without_secrets(proof, client)
    # A prompt can only change what is loaded where it names a file to attach.
    chosen = dict.fromkeys(constraint.put(_question(probe)) for probe in (probes[0], *filter(_attaches, probes)))
    return _without_secrets(
        await prove(client, arena, arms, tuple(chosen), seen, on_demand=_on_demand(probes[0])), client
    )


def _without_secrets(proof: Proof, client: Client) -> Proof:
    return proof.model_copy(
        update={
            "only_baseline": tuple(map(client.masked, proof.only_baseline)),
            "only_variant": tuple(map(client.masked, proof.only_variant)),
            "framing": tuple(map(client.masked, proof.framing)),
            "elsewhere": tuple(one.model_copy(update={"text": client.masked(one.text)}) for one in proof.elsewhere),
        }
    )


def _question(probe: Probe) -> str:
    return Question(probe, tuple(option.id for option in probe.options), "").render()


def _attaches(probe: Probe) -> bool:
    return "@" in probe.prompt


def _on_demand(probe: Probe) -> bool:
    return probe.reached == "on-demand"


def prompt_of(plan: Plan, contrast: Contrast) -> Callable[[Slot, Question], str]:
    """How the prompt of each launch is made: what the plan records, and in stage 1 the passage for its arm."""
    constraint = plan.constraint
    passages = {Arm.BASELINE: contrast.before.decode(), Arm.VARIANT: contrast.after.decode()}
    if plan.condition.stage == 2:
        passages = {}

    def prompt(slot: Slot, question: Question) -> str:
        text = question.render()
        return text if constraint is None else constraint.put(text, passages.get(slot.arm, ""))

    return prompt


def sift_of(
    plan: Plan, one: Prepared, arms: Arms, masked: Callable[[str], str]
) -> Callable[[Slot, Returned], Returned]:
    """Which valid answers do not count: the line came back to the arm without it, or its text was never reached."""
    if plan.purpose != "contrast":
        return lambda _, returned: returned
    contrast, probes = one.contrast, {entry.probe.id: entry.probe for entry in plan.probes}
    without = Arm.VARIANT if plan.contrast.with_arm is Arm.BASELINE else Arm.BASELINE
    files = {entry.path: data for entry, data in text_files(arms.surface, arms.baseline) if len(data) <= FILE_LIMIT}
    mine = contrast.apply(files[contrast.path]) if without is Arm.VARIANT else files[contrast.path]
    reach = reach_of(contrast.path, files[contrast.path])
    texts = {**files, contrast.path: mine}.values() if plan.condition.stage == 2 else ()
    # Transcripts come masked, so what is looked for has to be, too.
    given = (masked(data.decode("utf-8", "replace")) for data in texts)
    scan = Scan.of(masked(contrast.text), given, masked(str(one.surface.workspace)))
    on_demand = plan.proof is not None and plan.proof.reached == "on-demand"

    def sift(slot: Slot, returned: Returned) -> Returned:
        transcript = returned.transcript
        if transcript is None:
            return returned
        if slot.arm is without and (leak := scan.find(transcript)) is not None:
            detail = f"the line's words came back through {leak.route}: {leak.words}"
            return _not_counted(returned, Reason.CONTAMINATED, detail)
        if on_demand and _on_demand(probes[slot.probe]) and (why := reach.why_not(transcript)) is not None:
            return _not_counted(returned, Reason.NOT_REACHED, why)
        return returned

    return sift


def _not_counted(returned: Returned, reason: Reason, detail: str) -> Returned:
    return replace(returned, transcript=None, invalid=Invalid(reason, detail[:400], acted=True))
