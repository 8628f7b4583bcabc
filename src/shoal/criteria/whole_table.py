"""What criteria about a whole published table have in common: whom they count, and what they leave out of it."""

from __future__ import annotations

from math import floor

import numpy as np

from shoal.arrays import Floats, Mask, Sizes
from shoal.criteria.reference import SLACK
from shoal.data.classes import Classes
from shoal.data.unit import Unit
from shoal.errors import ParameterError


def sizes_in(classes: Classes, unit: Unit) -> Sizes:
    """How many records or persons each class has."""
    return classes.sizes if unit is Unit.RECORD else classes.people


def share_of_all(classes: Classes, part: float, sizes: Sizes) -> Floats:
    """What share a part is of all that is published: for each class the same."""
    return np.full(len(classes), part / max(int(sizes.sum()), 1))


def smallest_first(sizes: Sizes, published: Mask) -> Sizes:
    """The published classes by their size."""
    here = np.flatnonzero(published)
    return here[np.argsort(sizes[here], kind="stable")]


def chosen(classes: int, which: Sizes) -> Mask:
    """Some of so many classes."""
    mask = np.zeros(classes, dtype=np.bool_)
    mask[which] = True
    return mask


def beyond_share(sizes: Sizes, least: int, share: float, published: Mask) -> Mask:
    """Which published classes below a size do not fit into a share of all that stays, the largest being kept first.

    If x records of such classes stay beside y others, x ≤ u (x + y): x ≤ y u/(1 − u).
    """
    order = smallest_first(sizes, published)[::-1]
    small = order[sizes[order] < least]
    room = floor(int(sizes[order].sum() - sizes[small].sum()) * share / (1 - share) * (1 + SLACK))
    out, at = [], 0
    for size, count in zip(*(part[::-1] for part in np.unique(sizes[small], return_counts=True)), strict=True):
        stay = min(int(count), room // int(size))
        room -= stay * int(size)
        out.append(small[at + stay : at + int(count)])
        at += int(count)
    return chosen(len(sizes), np.concatenate([small[:0], *out]))


def require_share(value: float, name: str) -> None:
    """Refuse what is no probability above 0."""
    if not 0 < value <= 1:
        raise ParameterError(f"{name} is a probability above 0 and at most 1; got {value:g}.")


def require_part(share: float) -> None:
    """Refuse what is no share below all."""
    if not 0 <= share < 1:
        raise ParameterError(f"share is 0 or more and below 1; got {share:g}.")
