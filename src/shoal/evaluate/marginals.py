"""The distribution of each column before and after."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.arrays import Floats, Mask
from shoal.data.attribute import Attribute
from shoal.data.outcome import Outcome
from shoal.evaluate.posterior import spreads, sums
from shoal.evaluate.same_table import require_same_columns
from shoal.evaluate.weighted import counted_records


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Marginal:
    """One column before and after.

    Attributes:
        column: Its name.
        before: The share of each leaf in the original.
        after: The share each leaf is expected to have in the release, every published cell being spread evenly over
            what it may have been. All 0 if nothing is published.
        total_variation: ½ Σ_v |before − after|, from 0 to 1: the share of records that would have to change.
        wasserstein: For ordered columns how far values moved on average, from 0 to 1, the width of the domain; missing
            values are left out on both sides. None for columns without order.
    """

    column: str
    before: Floats
    after: Floats
    total_variation: float
    wasserstein: float | None


def marginals(outcome: Outcome, *, weighted: bool = False) -> tuple[Marginal, ...]:
    """Every published column before and after; looks at the original, so it is for its owner only.

    Args:
        outcome: What a method decided.
        weighted: Whether records count by their weights, so that shares are those of the population.
    """
    require_same_columns(outcome)
    original, published = counted_records(outcome, weighted=weighted)
    found = []
    for name, by_code in spreads(outcome).items():
        attribute = outcome.table[name]
        codes = sums(published.column(name), published.sizes.astype(float), len(by_code))
        given = sums(original.column(name), original.sizes.astype(float), attribute.domain.size)
        before, after = shares(given), shares(by_code.expected(codes))
        found.append(
            Marginal(
                column=name,
                before=before,
                after=after,
                total_variation=total_variation(before, after),
                wasserstein=wasserstein(attribute, before, after) if attribute.domain.ordered else None,
            )
        )
    return tuple(found)


def shares(weights: Floats) -> Floats:
    """Weights that sum up to 1; all 0 if there are none."""
    return weights / (float(weights.sum()) or 1.0)


def total_variation(before: Floats, after: Floats) -> float:
    """½ Σ |before − after|; 1 if one of them is empty."""
    if not (before.any() and after.any()):
        return 0.0 if before.any() == after.any() else 1.0
    return float(np.abs(before - after).sum()) / 2


def wasserstein(attribute: Attribute, before: Floats, after: Floats) -> float:
    """Σ_v |F_before(v) − F_after(v)| / (leaves − 1), F the share of values up to v; missing values are left out."""
    here = present(attribute)
    first, second = shares(before[here]), shares(after[here])
    if not (first.any() and second.any()):
        return 0.0 if first.any() == second.any() else 1.0
    return float(np.abs(np.cumsum(first - second)).sum()) / max(len(first) - 1, 1)


def present(attribute: Attribute) -> Mask:
    """Which leaves are not the missing value."""
    here = np.ones(attribute.domain.size, dtype=np.bool_)
    if attribute.domain.missing is not None:
        here[attribute.domain.missing] = False
    return here
