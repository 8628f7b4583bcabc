"""Non-uniform entropy in bits, as ARX measures it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from shoal.arrays import Floats, Mask, Sizes
from shoal.data.attribute import Attribute
from shoal.data.classes import Classes
from shoal.data.encoded import EncodedTable
from shoal.data.hierarchies.hierarchy import Hierarchy
from shoal.errors import ParameterError
from shoal.parameters import read_parameters
from shoal.quality.base import Change, checked_weights, dot
from shoal.quality.counts_by_level import CountsByLevel


@dataclass(frozen=True)
class ShannonEntropy:
    """score = −Σ_i w_i bits(column i): what it would take to tell the original values from the published ones.

    A record with value v costs log₂(n_V / n_v), n_v of all records having v and n_V a value that V stands for. In
    each column the suppressed records cost what would tell their generalized values apart, besides: log₂(m / m_V), m_V
    of m suppressed records being generalized to V. loss divides by the bits of the original columns.

    −score is the loss that ARX reports as (non-monotonic) non-uniform entropy, summed up over columns; `entropy` is
    SafePub's measure of the same name. Records that are not known any more, as those that a sample left out, cost what
    suppressing all does.

    Paper: De Waal & Willenborg 1999; Gionis & Tassa 2009; ARX's non-uniform entropy.

    Attributes:
        weights: How much each quasi-identifier counts, 1 where none is given.
    """

    name: ClassVar[str] = "shannon-entropy"

    weights: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        read_parameters(self)

    def on(self, table: EncodedTable, smallest_class: int = 1) -> _Bits:
        """The model on one table."""
        del smallest_class
        return _Bits(table, checked_weights(self.weights, table))

    def change(self, k: int, attributes: Sequence[Attribute]) -> Change:
        """It grows with the table."""
        del k, attributes
        raise ParameterError(
            "one record more can change the Shannon entropy by an amount that grows with the table; choose entropy "
            "instead."
        )


class _Bits:
    """What is suppressed for certain costs no less when more is, and a level more never gains what it merges.

    n H(V) ≥ m H_m(V) for any m of n records, because entropy is concave; so bits(column) rises with its level and with
    what is suppressed, and one-way counts tell it exactly.
    """

    is_exact = True

    def __init__(self, table: EncodedTable, weights: Floats) -> None:
        attributes = table.quasi_identifiers
        marginals = [table.marginal(attribute.name) for attribute in attributes]
        hierarchies = [attribute.hierarchy for attribute in attributes]
        self._weights = weights
        self._by_node = [_bits_by_node(h, counts) for h, counts in zip(hierarchies, marginals, strict=True)]
        self._originals = [_bits(counts) for counts in marginals]
        self._average = [bits / max(table.total, 1) for bits in self._originals]
        self._span = dot(weights, np.array(self._originals)) or 1.0
        self._by_level = CountsByLevel(hierarchies, marginals)
        self._generalized = [
            sums - sums[0] for sums in self._by_level.added_up(_n_log_n(self._by_level.sizes))
        ]  # Σ_V n_V log n_V − Σ_v n_v log n_v

    def score(self, classes: Classes, suppressed: Mask) -> float:
        """The negated bits."""
        unknown = float(classes.total - classes.sizes.sum())
        out = np.flatnonzero(suppressed)
        score = 0.0
        for i, by_node in enumerate(self._by_node):
            nodes = classes.nodes(i)
            bits = dot(by_node[nodes], classes.sizes) + unknown * self._average[i]
            if len(out):
                bits += _bits(np.bincount(nodes[out], weights=classes.sizes[out]))
            score -= float(self._weights[i]) * bits
        return score

    def loss(self, classes: Classes, suppressed: Mask) -> float:
        """0 for the original table, 1 for none."""
        return -self.score(classes, suppressed) / self._span

    def floors(self, lost: Sequence[Sizes] | None) -> tuple[Floats, ...]:
        """What each level costs all records, and what it costs to tell apart those that are lost."""
        if lost is None:
            return tuple(w * bits / self._span for w, bits in zip(self._weights, self._generalized, strict=True))
        gone = float(_n_log_n(np.array([lost[0].sum()], dtype=float))[0])
        apart = self._by_level.added_up(_n_log_n(self._by_level.of(lost)))
        by_column = zip(self._weights, self._generalized, apart, strict=True)
        return tuple(w * (bits + gone - told) / self._span for w, bits, told in by_column)


def _n_log_n(counts: Floats) -> Floats:
    return np.asarray(counts * np.log2(np.maximum(counts, 1)))


def _bits(counts: Sizes | Floats) -> float:
    """What it takes to tell all of them apart: n times the entropy."""
    total = np.array([counts.sum()], dtype=float)
    return float(_n_log_n(total)[0] - _n_log_n(counts.astype(float)).sum())


def _bits_by_node(hierarchy: Hierarchy, counts: Sizes) -> Floats:
    """For each node what it takes, on average, to tell the original value of a record below it."""
    first, last = hierarchy.first, hierarchy.first + hierarchy.leaf_count
    records, told = (
        np.concatenate([[0.0], np.cumsum(amounts)]) for amounts in (counts, _n_log_n(counts.astype(float)))
    )
    here = records[last] - records[first]
    bits: Floats = np.maximum(_n_log_n(here) - (told[last] - told[first]), 0.0) / np.maximum(here, 1)
    return bits
