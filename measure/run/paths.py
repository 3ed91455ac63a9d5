"""At which path the trials of a run stand.

Invariant: it is decided once, before the first launch, and recorded; where it is worse than one path for all trials at
any time, the plan and the record say so and why.

An agent is told its working directory. With one path for all, requests of both arms begin alike: what a prompt cache
holds of one serves the next, and the arms do not differ in a path.
"""

from __future__ import annotations

from dataclasses import replace

from measure.client.base import Paths
from measure.client.containment import Containment
from measure.run.prepare import Prepared

IN_TURN = (
    "launches can't have views of their own of the file system here, so that they stand at one path in turn, one at a "
    "time (--jobs does not count; --own-paths lets several run at once, at paths that differ)"
)
OWN = (
    "each launch stands at a path of its own, which its agent is told: requests differ in it beside the line, "
    "at random in both arms, and begin alike for a shorter stretch, which costs more"
)


def standing(one: Prepared, containment: Containment, *, own_paths: bool) -> Prepared:
    """`one` with its paths decided; where they can only stand in turn, with one job and a notice."""
    paths: Paths = "own" if own_paths else "one-by-view" if containment.has_views else "one-in-turn"
    if paths == "one-by-view":
        return replace(one, paths=paths)
    if paths == "own":
        return replace(one, paths=paths, notices=(*one.notices, OWN))
    return replace(
        one,
        paths=paths,
        notices=(*one.notices, IN_TURN),
        design=one.design.model_copy(update={"jobs": 1, "jobs_at_first": None}),
    )
