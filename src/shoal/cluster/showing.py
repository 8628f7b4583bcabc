"""How centers are published: numbers as numbers, days as days, categories as nodes of their hierarchy."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Codes, Floats
from shoal.cluster.centers import Center
from shoal.data.attribute import Attribute
from shoal.data.domain import Categorical, Dates, Grid
from shoal.data.shown import Numbers, Shown, TreeNodes

_FURTHER_DIGITS = 6
"""Digits of a mean behind those of the numbers it is the mean of."""


def shown_centers(attribute: Attribute, center: Center, digits: int = _FURTHER_DIGITS) -> tuple[Shown, Codes]:
    """What is shown, and which entry each cluster gets; a missing center of days is the missing value."""
    match attribute.domain:
        case Categorical():
            nodes, codes = np.unique(center, return_inverse=True)
            return TreeNodes(nodes.astype(np.int32)), codes
        case Dates():
            missing = attribute.domain.missing
            days = np.where(np.isnan(center), -1 if missing is None else missing, np.rint(center))
            leaves, codes = np.unique(days.astype(np.int32), return_inverse=True)
            return TreeNodes(leaves), codes
        case Grid():
            decimals = attribute.domain.decimals + digits
            values, codes = np.unique(numbers(attribute.domain, center).round(decimals), return_inverse=True)
            return Numbers(values), codes


def numbers(domain: Grid, steps: Floats | Center) -> Floats:
    """The numbers so many steps from the lower bound."""
    values: Floats = (domain.lower + np.asarray(steps, dtype=np.float64) * domain.step) / 10**domain.decimals
    return values
