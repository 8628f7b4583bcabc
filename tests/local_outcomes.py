"""What local recodings must be, by definition: read from an outcome, value by value."""

from dataclasses import replace

import numpy as np

from shoal.data.encoded import EncodedTable
from shoal.data.shown import Spans, TreeNodes, ValueSets


def leaves_of(attribute, shown, entry):
    """The leaves an entry stands for."""
    match shown:
        case TreeNodes():
            first = int(attribute.hierarchy.first[shown.nodes[entry]])
            return set(range(first, first + int(attribute.hierarchy.leaf_count[shown.nodes[entry]])))
        case Spans():
            return set(range(int(shown.first[entry]), int(shown.last[entry]) + 1))
        case ValueSets():
            return {int(leaf) for leaf in shown.of(entry)}
    raise AssertionError(shown)


def naive_loss(table, outcome, weights=None):
    """LM record by record: (leaves − 1) / (domain − 1) per cell, weighted."""
    weights = weights or {}
    total, cells = 0.0, 0.0
    for row in range(len(outcome.published)):
        for attribute in table.quasi_identifiers:
            entry = int(outcome.published.column(attribute.name)[row])
            weight = weights.get(attribute.name, 1.0)
            size = int(outcome.published.sizes[row])
            covered = len(leaves_of(attribute, outcome.shown[attribute.name], entry))
            total += size * weight * (covered - 1) / max(attribute.domain.size - 1, 1)
            cells += size * weight
    return total / cells


def assert_truthful(table, outcome):
    """Every record is published once, covered by what is shown, its other columns as they were."""
    sources, counts, published = outcome.sources, table.counts, outcome.published
    assert np.array_equal(np.bincount(sources.source, sources.sizes, len(counts)), counts.sizes)
    assert np.array_equal(np.bincount(sources.label, sources.sizes, len(published)), published.sizes)
    for source, label in zip(sources.source.tolist(), sources.label.tolist(), strict=True):
        for attribute in table.attributes:
            leaf, code = int(counts.column(attribute.name)[source]), int(published.column(attribute.name)[label])
            if attribute.name in outcome.shown:
                assert leaf in leaves_of(attribute, outcome.shown[attribute.name], code)
            else:
                assert leaf == code


def with_orders(table, which):
    """The same table, some quasi-identifiers with an order that means something."""
    attributes = list(table.attributes)
    for i, attribute in enumerate(attributes):
        if attribute in table.quasi_identifiers and which >> i & 1:
            attributes[i] = replace(attribute, domain=replace(attribute.domain, ordered=True))
    return EncodedTable(tuple(attributes), table.counts)


def members(partition):
    """Per class, {row: records}."""
    found = [{} for _ in range(partition.groups)]
    for source, label, size in zip(partition.source, partition.label, partition.sizes, strict=True):
        found[label][int(source)] = found[label].get(int(source), 0) + int(size)
    return found
