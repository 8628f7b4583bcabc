"""Quality models on releases that are not full-domain: by the smallest node above what is shown."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from outcomes import AGE, ATTRIBUTES, beliefs, outcome_of, outcomes
from strategies import examples

from shoal.evaluate import information_loss, published_classes, quality
from shoal.quality import AverageClassSize, Discernibility, Granularity, GroupSize, Intensity, Loss, NonUniformEntropy

MODELS = {
    "loss": Loss(),
    "granularity": Granularity(),
    "intensity": Intensity(),
    "discernibility": Discernibility(),
    "entropy": NonUniformEntropy(),
    "group-size": GroupSize(),
    "average-class-size": AverageClassSize(),
}


def smallest_node(attribute, leaves):
    """By trying all: the lowest node that covers every leaf, the first of equals."""
    h = attribute.hierarchy
    above = [n for n in range(h.root + 1) if all(h.first[n] <= v < h.first[n] + h.leaf_count[n] for v in leaves)]
    return min(above, key=lambda n: (h.leaf_count[n], n))


@given(outcome=outcomes())
@examples(40)
def test_what_is_no_node_costs_what_the_smallest_node_above_it_costs(outcome):
    outcome = replace(outcome, published=replace(outcome.published, sizes=np.ones_like(outcome.published.sizes)))
    total, cost = max(outcome.table.total, len(outcome.published)), 0.0
    for row in range(len(outcome.published)):
        for attribute in ATTRIBUTES:
            code = int(outcome.published.column(attribute.name)[row])
            node = smallest_node(attribute, beliefs(attribute, outcome.shown.get(attribute.name), code))
            cost += (attribute.hierarchy.leaf_count[node] - 1) / (attribute.hierarchy.leaves - 1) / 4
    missing = max(outcome.table.total - len(outcome.published), 0)
    if outcome.table.total >= len(outcome.published):
        assert information_loss(outcome, Loss()) == pytest.approx((cost + missing) / total)


def test_before_nothing_is_lost_and_after_something_is():
    outcome = outcome_of(["nodes", "spans", "sets", "distributions"], records=200, published=150)
    found = {one.model: one for one in quality(outcome, MODELS)}
    assert list(found) == list(MODELS)
    for one in found.values():
        assert one.before == pytest.approx(0, abs=0.001)  # two records are equal
        assert 0 < one.after <= 1


def test_a_release_with_more_records_than_the_original_loses_between_0_and_1():
    outcome = outcome_of(["nodes"] * 4, records=20, published=400)
    assert published_classes(outcome).table.counts.suppressed == 0
    for one in quality(outcome, MODELS):
        assert 0 <= one.after <= 1


def test_an_empty_release_has_lost_everything():
    outcome = outcome_of(["nodes"] * 4, records=30, published=0)
    for one in quality(outcome, {"loss": Loss(), "group-size": GroupSize(), "discernibility": Discernibility()}):
        assert one.after == pytest.approx(1)
    assert AGE.hierarchy.root not in published_classes(outcome).nodes(0)
