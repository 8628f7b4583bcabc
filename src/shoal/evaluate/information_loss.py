"""The information a release has lost, measured by any quality model; what was not drawn counts as suppressed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from shoal.arrays import Keys, Nodes
from shoal.data.classes import Classes
from shoal.data.outcome import Outcome
from shoal.data.shown import TreeNodes
from shoal.errors import ParameterError
from shoal.quality import QualityModel


def published_classes(outcome: Outcome) -> Classes:
    """The published records as classes of a table in the codes of the original: each node stands as its first leaf.

    All other records of the original count as suppressed.
    """
    table, published, nodes = outcome.table, outcome.published, {}
    codes = list(published.codes)
    for attribute in table.quasi_identifiers:
        shown, at = outcome.shown.get(attribute.name), published.names.index(attribute.name)
        if not isinstance(shown, TreeNodes):
            raise ParameterError(
                f"column {attribute.name!r} is not published as nodes of its hierarchy, which quality models price."
            )
        nodes[attribute.name] = shown.nodes[published.codes[at]]
        codes[at] = attribute.hierarchy.first[nodes[attribute.name]]
    names = [attribute.name for attribute in table.quasi_identifiers]
    cardinalities = tuple(table.counts.cardinality(name) for name in published.names)
    counts = replace(
        published, codes=tuple(codes), cardinalities=cardinalities, suppressed=table.total - published.kept
    )
    keys, domain = published.group(names)

    def row_nodes(attribute: int, rows: Keys) -> Nodes:
        return nodes[names[attribute]][rows]

    return Classes(replace(table, counts=counts), keys, domain, row_nodes)


def information_loss(outcome: Outcome, model: QualityModel) -> float:
    """0 for the table as it came, 1 when nothing is left of it; looks at the original, so it is for its owner only."""
    classes = published_classes(outcome)
    return model.on(outcome.table).loss(classes, np.zeros(len(classes), dtype=np.bool_))
