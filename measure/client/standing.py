"""Where the agent of one launch stands: what that means for how it is held and for what is masked.

Invariant: the places of a launch are masked under both of their names, as they are and as the agent sees them.
"""

from __future__ import annotations

from measure.client.base import Order
from measure.client.containment import Containment
from measure.client.masking import Mask


def contained(containment: Containment, order: Order) -> Containment:
    """The run's containment for this one launch."""
    return containment if order.view is None else containment.showing(order.view, order.cwd)


def mask_of(mask: Mask, order: Order) -> Mask:
    """The run's mask with the places of this launch."""
    mask = mask.with_places(workspace=order.cwd, temp=order.temp)
    if order.view is None:
        return mask
    return mask.with_places(workspace=order.seen(order.cwd), temp=order.seen(order.temp))
