"""c-confident k-anonymity (§V-C): who stays when noise happened to be too small to hide among k."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from shoal.arrays import Keys, Mask, Nodes, Sizes
from shoal.criteria import violations
from shoal.data.classes import Classes
from shoal.data.encoded import EncodedTable
from shoal.methods.k_epsilon.columns import PerturbedColumn
from shoal.risk import ClassedNumbers, confidence_radius, confident_suppression, in_reach

if TYPE_CHECKING:
    from shoal.data.outcome import Outcome
    from shoal.methods.k_epsilon.method import KEpsilon


def confident(method: KEpsilon, columns: Sequence[PerturbedColumn], units: Sequence[Sizes]) -> Mask:
    """Which records stay by c-confident k-anonymity (§V-C); each of d intervals has confidence c^(1/d)."""
    if method.confidence is None:
        return np.ones(len(units[0]), dtype=np.bool_)
    fine, each = columns[0].noise.fine, method.confidence ** (1 / len(columns))
    originals = [ClassedNumbers(c.values.numbers * fine, c.values.labels, c.values.groups) for c in columns]
    radii = [confidence_radius(column.noise.scales * fine, each) for column in columns]
    reached = in_reach(originals, units, radii)
    return ~confident_suppression(reached, originals[0], method.k, method.class_rule)


def still_promised(method: KEpsilon, outcome: Outcome) -> Mask:
    """Which of the records that stay are in classes that kept every promise although others left them."""
    quasi = [attribute.name for attribute in outcome.table.quasi_identifiers]
    keys, domain = outcome.published.group(quasi)

    def shown(attribute: int, rows: Keys) -> Nodes:
        """Published codes are not nodes, but tell classes apart in an order of their own."""
        return outcome.published.column(quasi[attribute])[rows].astype(np.int32)

    published = EncodedTable(outcome.table.attributes, outcome.published)
    classes = Classes(published, keys, domain, shown, source=outcome.table)
    broken = violations(method.promises(outcome.table), classes)
    assert outcome.sources is not None
    return ~broken[classes.labels][outcome.sources.label]
