"""The information a release has lost, measured by any quality model; what was not drawn counts as suppressed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from shoal.data.counts import Counts
from shoal.data.encoded import EncodedTable
from shoal.data.outcome import Recoded
from shoal.quality import QualityModel
from shoal.search.lattice import NodeClasses


def as_table(table: EncodedTable, outcome: Recoded) -> EncodedTable:
    """What is published, as a table in the codes of the original: each node stands as its first leaf.

    Its classes at the levels of the recoding are the published ones; all other records of the original count as
    suppressed.
    """
    published, codes = outcome.published, []
    for attribute in table.attributes:
        column = published.column(attribute.name)
        if attribute in table.quasi_identifiers:
            level = attribute.hierarchy.levels[outcome.recoding.levels.get(attribute.name, 0)]
            column = attribute.hierarchy.first[level.nodes[column]]
        codes.append(column)
    names = [attribute.name for attribute in table.attributes]
    counts = Counts.of(names, codes, [table.counts.cardinality(name) for name in names], published.sizes)
    return replace(table, counts=replace(counts, suppressed=table.total - published.kept))


def information_loss(table: EncodedTable, outcome: Recoded, model: QualityModel) -> float:
    """0 for the table as it came, 1 when nothing is left of it; looks at the original, so it is for its owner only."""
    published = as_table(table, outcome)
    node = tuple(outcome.recoding.levels.get(attribute.name, 0) for attribute in table.quasi_identifiers)
    classes = NodeClasses(published).at(node)
    return model.on(table).loss(classes, np.zeros(len(classes), dtype=np.bool_))
