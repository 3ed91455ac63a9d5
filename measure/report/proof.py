"""The proof of a contrast in two requests, and what it says about a zero, in sentences.

Invariant: a zero is never told without what else says the same, where something does.
"""

from __future__ import annotations

from measure.context.proof import Elsewhere, Proof

MOST_LINES = 12


def proof_sentences(proof: Proof) -> tuple[str, ...]:
    """What the two requests were seen to differ in."""
    sizes = f"{proof.bytes_baseline:,} and {proof.bytes_variant:,} bytes, {proof.tokens_baseline:,} tokens"
    if proof.reached == "on-demand":
        first = "At launch both arms are given the same; the text comes in on demand, and each trial shows that it did."
    elif proof.only_baseline or proof.only_variant:
        first = f"The arms' requests differ in this alone ({', '.join(proof.places)}):"
    else:
        first = "Both arms' requests are the same."
    differing = [f"- {line}" for line in proof.only_baseline] + [f"+ {line}" for line in proof.only_variant]
    return (
        first,
        *differing[:MOST_LINES],
        *([f"… and {len(differing) - MOST_LINES} more lines"] if len(differing) > MOST_LINES else []),
        f"Seen before anything was spent: {sizes} (estimated), {proof.masks}.",
        *(sentence[:1].upper() + sentence[1:] + "." for sentence in proof.notices),
        *(f"Elsewhere in what is loaded: {_place(one)}: {one.text}" for one in proof.elsewhere),
    )


def _place(one: Elsewhere) -> str:
    return f"{one.source} ({'the same text' if one.likeness == 'same' else 'much the same text'})"


def beyond_sentence(proof: Proof | None) -> str | None:
    """What a zero has to be read against: text that says the same and is loaded, too. None where there is none."""
    if proof is None or not proof.elsewhere:
        return None
    sources = dict.fromkeys(one.source for one in proof.elsewhere)
    same = any(one.likeness == "same" for one in proof.elsewhere)
    verb = "already says" if len(sources) == 1 else "already say"
    return f"Nothing beyond what {' and '.join(sources)} {verb}{'' if same else ' in much the same words'}."
