"""c-confident k-anonymity: leave out noisy records that stand out among the originals of their class.

Paper: (k, ε)-anonymity §V-C; both readings of its rule for whole classes: theory KE-6.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from math import log1p

import numpy as np

from shoal.arrays import Floats, Mask, Sizes
from shoal.parameters import read_as
from shoal.risk.classed import ClassedNumbers

_CELLS = 1 << 24
"""Comparisons held at once where several columns are noisy."""


class ClassRule(Enum):
    """When a whole class is left out."""

    FORMULA = "formula"
    """|ec| − |{i: ℓ_i < k}| < k, as the formula has it: records that nothing is near to count as lost, too."""
    TEXT = "text"
    """Fewer than k records are left, as the sentence before the formula has it."""


def confidence_radius(scale: Floats, confidence: float) -> Floats:
    """r_c = −b ln(1 − c): the original is this near to its noisy value with probability c (Eq. 9).

    >>> confidence_radius(np.array([15.0]), 0.9).round(6).tolist()
    [34.538776]
    """
    found: Floats = -scale * log1p(-confidence)
    return found


def in_reach(columns: Sequence[ClassedNumbers], noisy: Sequence[Sizes], radii: Sequence[Floats]) -> Sizes:
    """ℓ_i: how many originals of its class are within the radius of a published record, in every noisy column.

    `radii[a][c]` is the radius of column a in class c.
    """
    reach = [np.floor(radius).astype(np.int64)[of.labels] for of, radius in zip(columns, radii, strict=True)]
    if len(columns) == 1:
        return columns[0].count_within(noisy[0] - reach[0], noisy[0] + reach[0], columns[0].labels)
    labels = columns[0].labels
    order = np.argsort(labels, kind="stable")
    found = np.zeros(len(labels), dtype=np.int64)
    for members in np.split(order, np.cumsum(columns[0].sizes)[:-1]):
        step = max(1, _CELLS // max(len(members), 1))
        for start in range(0, len(members), step):
            rows = members[start : start + step]
            near = np.ones((len(rows), len(members)), dtype=np.bool_)
            for of, values, radius in zip(columns, noisy, reach, strict=True):
                near &= np.abs(of.numbers[members] - values[rows, None]) <= radius[rows, None]
            found[rows] = near.sum(axis=1)
    return found


def confident_suppression(reached: Sizes, of: ClassedNumbers, k: int, rule: ClassRule) -> Mask:
    """Which records are left out: those with 0 < ℓ_i < k, and classes that then have too few.

    Args:
        reached: ℓ_i of each record.
        of: The classes.
        k: As in k-anonymity.
        rule: When a whole class is left out.
    """
    rule = read_as(ClassRule, "rule", rule)
    out = (reached > 0) & (reached < k)
    lost = reached < k if rule is ClassRule.FORMULA else out
    left = np.bincount(of.labels[~lost], minlength=of.groups)
    whole: Mask = out | (left < k)[of.labels]
    return whole
