"""The information a release has lost, measured by any quality model; what was not drawn counts as suppressed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from shoal.arrays import Keys, Nodes
from shoal.data.attribute import Attribute
from shoal.data.classes import Classes
from shoal.data.outcome import Outcome
from shoal.data.shown import Shown, TreeNodes
from shoal.errors import ParameterError
from shoal.evaluate.posterior import spread
from shoal.evaluate.same_table import require_same_columns
from shoal.evaluate.weighted import counted_records
from shoal.quality import CellModel, QualityModel


@dataclass(frozen=True, slots=True, kw_only=True)
class Quality:
    """What a quality model says: the loss of the table as it came, and of what is published of it."""

    model: str
    before: float
    after: float


def quality(outcome: Outcome, models: Mapping[str, QualityModel]) -> tuple[Quality, ...]:
    """Every model before and after, by name; looks at the original, so it is for its owner only."""
    before = Outcome(table=outcome.table, published=outcome.table.counts, shown={})
    classes = published_classes(before), published_classes(outcome)
    return tuple(
        Quality(model=name, before=_loss(before, classes[0], model), after=_loss(outcome, classes[1], model))
        for name, model in models.items()
    )


def published_classes(outcome: Outcome) -> Classes:
    """The published records as classes of a table in the codes of the original: each node stands as its first leaf.

    All other records of the original count as suppressed. What is published and not a node of its hierarchy (a range,
    a set, a distribution) is priced as the smallest node above it, a number as the nearest value.
    """
    require_same_columns(outcome)
    table, published, nodes = outcome.table, outcome.published, {}
    codes = list(published.codes)
    for attribute in table.quasi_identifiers:
        at = published.names.index(attribute.name)
        nodes[attribute.name] = _nodes(attribute, outcome.shown.get(attribute.name))[published.codes[at]]
        codes[at] = attribute.hierarchy.first[nodes[attribute.name]]
    names = [attribute.name for attribute in table.quasi_identifiers]
    cardinalities = tuple(table.counts.cardinality(name) for name in published.names)
    counts = replace(
        published, codes=tuple(codes), cardinalities=cardinalities, suppressed=max(table.total - published.kept, 0)
    )
    keys, domain = published.group(names)

    def row_nodes(attribute: int, rows: Keys) -> Nodes:
        return nodes[names[attribute]][rows]

    return Classes(table.with_counts(counts), keys, domain, row_nodes)


def information_loss(outcome: Outcome, model: QualityModel, *, weighted: bool = False) -> float:
    """0 for the table as it came, 1 when nothing is left of it; looks at the original, so it is for its owner only.

    Of a release with more records than the original, as noisy counts may have, a loss beyond 1 or below 0 is cut off.
    Models that count classes can fall below 0 where equal records were put into different classes.

    `weighted` counts the cells of a record by its weight, in models that are means over cells.
    """
    if weighted:
        if not isinstance(model, CellModel):
            raise ParameterError(
                f"{type(model).__name__} looks at classes of records, and only a mean over cells can be weighted; take "
                "loss, precision, granularity or intensity."
            )
        original, published = counted_records(outcome, weighted=True)
        outcome = replace(outcome, table=outcome.table.with_counts(original), published=published)
    return _loss(outcome, published_classes(outcome), model)


def _loss(outcome: Outcome, classes: Classes, model: QualityModel) -> float:
    loss = model.on(outcome.table).loss(classes, np.zeros(len(classes), dtype=np.bool_))
    return min(max(loss, 0.0), 1.0) if outcome.published.kept > outcome.table.total else loss


def _nodes(attribute: Attribute, shown: Shown | None) -> Nodes:
    """The node that prices each code."""
    if isinstance(shown, TreeNodes):
        return shown.nodes
    first, last = spread(attribute, shown).ends()
    return attribute.hierarchy.common_ancestor(first.astype(np.int32), last.astype(np.int32))
