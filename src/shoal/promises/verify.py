"""Check a published table against its criteria, from the published records alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Keys, Nodes
from shoal.criteria.base import Criterion
from shoal.data.classes import Classes
from shoal.data.counts import Counts
from shoal.data.encoded import EncodedTable


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a published table stands to one criterion."""

    criterion: Criterion
    reached: float
    holds: bool


def verify(table: EncodedTable, published: Counts, criteria: Sequence[Criterion]) -> list[Verdict]:
    """Judge the classes of a published table, whose quasi-identifiers are the columns of that role in `table`.

    A criterion that compares with the input compares with `table`: only its owner can verify it.
    """
    quasi = [attribute.name for attribute in table.quasi_identifiers]
    keys, domain = published.group(quasi)

    def row_nodes(attribute: int, rows: Keys) -> Nodes:
        """Published codes are not nodes, but equal where what is published is equal: criteria need no more."""
        return published.column(quasi[attribute])[rows].astype(np.int32)

    classes = Classes(EncodedTable(table.attributes, published), keys, domain, row_nodes, source=table)
    everything = np.ones(len(classes), dtype=np.bool_)
    verdicts = []
    for criterion in criteria:
        if not len(classes):  # no class breaks a criterion, and none reaches anything
            verdicts.append(Verdict(criterion, 0.0, holds=True))
            continue
        reached = criterion.worst(criterion.measure(classes, everything))
        holds = not criterion.violations(classes, everything).any()
        verdicts.append(Verdict(criterion, reached, holds))
    return verdicts
