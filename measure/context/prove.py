"""The proof before spending: both arms' requests, captured at one path, differ in the intended line and nothing else.

Invariant: a run whose proof fails launches nothing, and is told why as far as that can be worked out.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from measure.arena.arena import Arena, Arms
from measure.context.capture import Capturable, capture
from measure.context.compare import Absent, Hunk, Mismatch, Shown, all_of, compare, differences, is_exactly, texts_of
from measure.context.constraint import Constraint
from measure.context.elsewhere import find_elsewhere
from measure.context.proof import Proof
from measure.context.request import MASKS, MASKS_VERSION, Request
from measure.context.sources import Sources, find_sources
from measure.context.why import first_line_instead, why_absent
from measure.contrast import Contrast
from measure.errors import ContrastError
from measure.surface.imports import MAX_HOPS, find_imports
from measure.surface.layout import read_workspace
from measure.surface.model import Kind, Surface
from measure.surface.unit import TOKENS_ARE

_TELLING: Final = re.compile(
    r"(?i)(?<![a-z])(?:py)?(?:test|trial|experiment|measure|arena|baseline|variant|clone|copy|sandbox|eval|benchmark)"
)
_SHOWN_LINES: Final = 8


Captured = dict[tuple[Path, str], Request]
"""Requests of arms that stand as they stood, by arm and prompt, so that no baseline is captured twice."""


async def prove(
    client: Capturable,
    arena: Arena,
    arms: Arms,
    prompts: Sequence[str],
    seen: Captured | None = None,
    *,
    on_demand: bool = False,
) -> Proof:
    """Capture both arms with each of `prompts` and compare. Takes about two seconds for each prompt.

    `seen` holds requests of baselines that were captured for other contrasts, with this client, and is added to.

    `on_demand`: every probe says that the text is reached later, so that equal requests are what is expected. Raises
    `ContrastError` where the requests do not show the contrast and nothing else, `ClientError` where there are none.
    """
    seen = {} if seen is None else seen
    proofs = []
    for prompt in prompts:
        if (arms.baseline, prompt) not in seen:
            seen[arms.baseline, prompt] = await _at_desk(client, arena, arms.baseline, prompt)
        baseline = seen[arms.baseline, prompt]
        variant = await _at_desk(client, arena, arms.variant, prompt)
        if arms.contrast is None:
            proofs.append(_identical(baseline, variant))
        else:
            proofs.append(proof_from(arms, baseline, variant, tuple(prompts), on_demand=on_demand))
    return proofs[0].model_copy(update={"prompts": len(proofs)})


async def prove_screen(
    client: Capturable, arena: Arena, contrast: Contrast, constraint: Constraint, question: str
) -> Proof:
    """The same for stage 1: two empty folders, and a passage in one prompt. Raises as `prove` does."""
    passages = (contrast.before.decode(), contrast.after.decode())
    baseline, variant = [await _at_desk(client, arena, None, constraint.put(question, passage)) for passage in passages]
    hunks = differences(baseline, variant)
    if not is_exactly(hunks, Hunk(texts_of(contrast.before), texts_of(contrast.after))):
        raise ContrastError(f"the prompts of the screen differ in more than the passage. {_listed(all_of(hunks))}")
    shown = Shown(texts_of(contrast.before), texts_of(contrast.after), 1)
    return _kept(baseline, variant, shown, reached="launch", places=("prompt",))


def _identical(baseline: Request, variant: Request) -> Proof:
    hunks = differences(baseline, variant)
    if hunks:
        raise ContrastError(
            f"both arms are as the workspace stands, and their requests still differ. {_listed(all_of(hunks))}",
            hint="Nothing was spent. 'measure doctor' says what may be wrong.",
        )
    return _kept(baseline, variant, Shown((), (), 0), reached="launch", places=())


async def _at_desk(client: Capturable, arena: Arena, arm: Path | None, prompt: str) -> Request:
    # One path for both arms, so that no place differs between their requests.
    with arena.stall(arm, at_desk=True) as stall:
        return await capture(client, cwd=stall.path, temp=stall.temp, prompt=prompt)


def proof_from(
    arms: Arms,
    baseline_request: Request,
    variant_request: Request,
    prompts: tuple[str, ...] = (),
    *,
    on_demand: bool = False,
) -> Proof:
    """The proof from the requests of both arms. Raises `ContrastError` as `prove` does."""
    surface, contrast = arms.surface, arms.contrast
    assert contrast is not None
    baseline = find_sources(baseline_request, surface, arms.baseline)
    variant = find_sources(variant_request, surface, arms.variant)
    found = compare(baseline, variant, contrast, imports_of(arms, contrast))
    without = variant if contrast.with_arm == "baseline" else baseline
    if isinstance(found, Absent):
        if not on_demand:
            raise _absent(surface, contrast, baseline, variant)
        found, reached = Shown((), (), 0), "on-demand"
    else:
        reached = "launch"
    if isinstance(found, Mismatch):
        raise _mismatch(surface, contrast, baseline, variant, found)
    proof = _kept(
        baseline_request, variant_request, found, reached=reached, places=_places(baseline, variant, found, contrast)
    )
    return proof.model_copy(update={"elsewhere": find_elsewhere(contrast.text, without, prompts)})


def _kept(baseline: Request, variant: Request, found: Shown, *, reached: str, places: tuple[str, ...]) -> Proof:
    return Proof(
        reached="launch" if reached == "launch" else "on-demand",
        masks=MASKS_VERSION,
        masked=MASKS,
        digest_baseline=baseline.digest,
        digest_variant=variant.digest,
        bytes_baseline=baseline.size,
        bytes_variant=variant.size,
        tokens_baseline=baseline.tokens,
        tokens_variant=variant.tokens,
        tokens_are=TOKENS_ARE,
        only_baseline=found.gone,
        only_variant=found.came,
        places=places,
        framing=found.framing,
        brought=found.brought,
        model=baseline.model,
        notices=tuple(_notices(baseline, found)),
    )


def _notices(request: Request, found: Shown) -> list[str]:
    notices = []
    if found.times > 1:
        notices.append(f"the client loads the line {found.times} times; the one edit changes all of them")
    if found.framing:
        notices.append("without the line its file is blank, so the client's words around the file go with it")
    if found.brought:
        notices.append(f"the line imports other files, which go with it: {', '.join(found.brought)}")
    for path in request.shows:
        telling = [part for part in path.parts if _TELLING.search(part)]
        if telling:
            notices.append(
                f"the agent sees a path with {', '.join(telling)} in it, which may tell it more than it should know; "
                "set TMPDIR to a folder with a plain name"
            )
    return list(dict.fromkeys(notices))


def _places(baseline: Sources, variant: Sources, found: Shown, contrast: Contrast) -> tuple[str, ...]:
    """Which parts of the request hold the line."""
    side, lines = (baseline, found.gone) if contrast.with_arm == "baseline" else (variant, found.came)
    wanted = set(lines) - set(found.framing)
    places = [
        piece.place.value for piece in side.request.pieces if wanted & {line.strip() for line in piece.text.split("\n")}
    ]
    return tuple(dict.fromkeys(places))


def imports_of(arms: Arms, contrast: Contrast) -> tuple[str, ...]:
    """Paths of the files that the contrast's line imports, and what those import in turn."""
    waiting = [(contrast.path, (contrast.before or contrast.after).decode("utf-8", "replace"), 0)]
    found: list[str] = []
    while waiting:
        path, text, hops = waiting.pop(0)
        for imported in find_imports(text) if hops <= MAX_HOPS else ():
            target = posixpath.normpath(posixpath.join(posixpath.dirname(path), imported.path))
            entry = arms.surface.by_path.get(target)
            if entry is not None and entry.kind is Kind.FILE and target not in found:
                found.append(target)
                text = (arms.baseline / target).read_bytes().decode("utf-8", "replace")
                waiting.append((target, text, hops + 1))
    return tuple(found)


def _absent(surface: Surface, contrast: Contrast, baseline: Sources, variant: Sources) -> ContrastError:
    side = baseline if contrast.with_arm == "baseline" else variant
    file = side.file(contrast.path)
    assert file is not None
    why = why_absent(read_workspace(surface.workspace), side, file, contrast.line)
    hint = "Nothing was spent. 'measure context' shows what the model receives."
    if why.on_demand:
        hint = (
            'If the probe leads the agent to this text, say so in the probe with reached = "on-demand" and allow '
            "several turns with --max-turns; each trial then has to show that the text was reached. Nothing was spent."
        )
    return ContrastError(
        f"{contrast.path}:{contrast.line} is not in what the model receives at launch, so both arms are given the "
        f"same: {why.words}.",
        hint=hint,
    )


def _mismatch(
    surface: Surface, contrast: Contrast, baseline: Sources, variant: Sources, found: Mismatch
) -> ContrastError:
    before, after = baseline.file(contrast.path), variant.file(contrast.path)
    assert before is not None
    assert after is not None
    place = f"{contrast.path}:{contrast.line}"
    hint = "Nothing was spent."
    if found.reordered:
        words = "the client puts the same text in another order"
    elif (came := _file_that_came(surface, baseline, variant, contrast)) is not None:
        words = f"with {contrast.path} blank the client loads {came} instead"
        hint = f"Measure a replacement that leaves some text, such as --replace {place} '# Rules'. Nothing was spent."
    elif (line := first_line_instead(before, after)) is not None:
        words = f"without a description the client shows the first line of the text instead: {line!r}"
        hint = f"Measure a replacement of the description: --replace {place} TEXT. Nothing was spent."
    elif cut := next((listed for file in (before, after) for listed in file.listed if listed.is_cut), None):
        words = (
            f"the client cuts the {cut.key} after {cut.shown} characters, so that what is taken out at one end lets "
            "other text in at the other"
        )
        hint = "Shorten the description until it is shown whole, then measure. Nothing was spent."
    elif before.listed and not after.listed:
        words = f"without this the client does not list {contrast.path} at all"
    elif contrast.path.startswith(".claude/skills/"):
        words = "the list of skills has a budget, and other skills are shown otherwise once this one changes"
    else:
        words = "more than the line differs"
    known = frozenset(line.strip() for side in (baseline, variant) for file in side.files for line in file.lines)
    return ContrastError(
        f"the requests of the two arms differ in more than {place}: {words}. {_listed(found, known)}", hint=hint
    )


def _file_that_came(surface: Surface, baseline: Sources, variant: Sources, contrast: Contrast) -> str | None:
    for file in variant.files:
        had = baseline.file(file.path)
        if file.path != contrast.path and file.copies and had is not None and not had.copies:
            return file.path
    return None


def _listed(found: Mismatch, known: frozenset[str] = frozenset()) -> str:
    """What differs besides; text of the workspace's files, which are `known`, before words of the client's own."""
    told = [(line not in known, f"- {line[:160]}") for line in found.gone]
    told += [(line not in known, f"+ {line[:160]}") for line in found.came]
    told.sort(key=lambda entry: entry[0])
    lines = [line for _, line in told[:_SHOWN_LINES]]
    more = len(told) - len(lines)
    return "Also differing:\n    " + "\n    ".join(lines) + (f"\n    and {more} more lines" if more else "")
