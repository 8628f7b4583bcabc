"""Semantic distances: the oracle's numbers, a metric on random trees, and centroids by trying every node."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from spaces import SPORT, category
from strategies import attribute_of

from shoal.cluster.space import axis_of
from shoal.cluster.taxonomy import MOST_VALUES, UNIT, Taxonomy
from shoal.data.domain import Categorical
from shoal.data.hierarchies.build import Flat
from shoal.data.hierarchies.hierarchy import Hierarchy
from shoal.errors import ParameterError

ATTRIBUTE = category("sport", SPORT)
SPORTS = Taxonomy(ATTRIBUTE.hierarchy)
NODES = ATTRIBUTE.labels(np.arange(SPORTS.nodes, dtype=np.int32))


def distance(a, b):
    return SPORTS.distance[NODES.index(a), NODES.index(b)]


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("sailing", "swimming", 0.584963),
        ("skiing", "sailing", 0.847997),
        ("water", "sailing", 0.415037),
        ("sport", "sailing", 0.736966),
        ("water", "skiing", 0.807355),
        ("soccer", "soccer", 0.0),
    ],
)
def test_the_distances_of_the_oracle(a, b, expected):
    """Theory 7.4."""
    assert distance(a, b) == pytest.approx(expected, abs=1e-6)


def test_the_most_marginal_value_and_the_one_farthest_from_it_are_the_boundaries():
    every = SPORTS.marginality(np.ones((1, 4), dtype=np.int64))[0, :4] / UNIT
    assert every == pytest.approx([2.543991, 2.280956, 2.280956, 2.543991], abs=1e-6)
    assert (NODES[SPORTS.bottom], NODES[SPORTS.top]) == ("skiing", "sailing")


def test_the_marginalities_and_the_centroid_of_the_oracles_sample():
    sample = np.array([[0, 1, 2, 1]])  # sailing, swimming twice, soccer
    found = dict(zip(NODES, (SPORTS.marginality(sample)[0] / UNIT).round(6), strict=True))
    assert found == {
        "swimming": 1.432959,
        "sailing": 2.017922,
        "water": 2.052467,
        "soccer": 2.543991,
        "field": 2.837102,
        "sport": 2.947862,
        "winter": 3.229420,
        "skiing": 3.391988,
    }
    assert NODES[SPORTS.centroids(sample)[0]] == "swimming"


def test_the_boundaries_need_not_be_as_far_apart_as_two_values_can_be():
    """Theory MA-6: parents 1, 2, 7 -> 0; 3, 6 -> 1; 4, 5 -> 2."""
    odd = Taxonomy(category("x", {"0": {"1": ["3", "6"], "2": ["4", "5"], "7": []}}).hierarchy)
    assert odd.width / UNIT == pytest.approx(0.807355, abs=1e-6)
    assert odd.diameter / UNIT == pytest.approx(0.847997, abs=1e-6)


def test_without_a_taxonomy_all_values_are_equally_far_apart():
    flat = Taxonomy(Hierarchy.flat(5))
    apart = flat.units[:5][~np.eye(5, dtype=bool)]
    assert len(set(apart.tolist())) == 1
    assert flat.width == flat.diameter == apart[0]


@st.composite
def taxonomies(draw):
    """Trees of up to three levels over up to nine values."""
    values = draw(st.integers(1, 9))
    groups = sorted(draw(st.lists(st.integers(0, 3), min_size=values, max_size=values)))
    nested, names = {}, iter("abcdefghi")
    for group in groups:
        nested.setdefault(f"group {group}", []).append(next(names))
    if draw(st.booleans()):
        nested = {"left": nested, "right": ["z"]}
    return Taxonomy(category("x", {"root": nested}).hierarchy)


@given(taxonomies())
def test_it_is_a_metric_and_no_replacement_moves_a_marginality_by_more_than_the_diameter(taxonomy):
    d, values = taxonomy.distance, range(taxonomy.values)
    for a, b in itertools.product(values, values):
        assert d[a, b] == d[b, a]
        assert (d[a, b] == 0) == (a == b)
        assert 0 <= d[a, b] <= 1
        assert (np.abs(taxonomy.units[:, a] - taxonomy.units[:, b]) <= taxonomy.diameter).all()
        assert taxonomy.step_range(a, b) <= 2 * taxonomy.diameter
    for node in range(taxonomy.nodes):
        for a, b in itertools.product(values, values):
            assert d[node, a] <= d[node, b] + d[b, a] + 1e-12
    assert taxonomy.width <= taxonomy.diameter


@given(taxonomies(), st.data())
def test_a_centroid_lies_between_the_values_it_stands_for(taxonomy, data):
    """Equation (5) looks only below the lowest node above all values; looking everywhere finds the same."""
    counts = data.draw(st.lists(st.integers(0, 3), min_size=taxonomy.values, max_size=taxonomy.values).filter(any))
    there = [v for v, n in enumerate(counts) if n]
    centroid = int(taxonomy.centroids(np.array([counts]))[0])
    tree = taxonomy.hierarchy
    top = there[0]
    for value in there:
        top = int(tree.common_ancestor(np.array([top], dtype=np.int32), np.array([value], dtype=np.int32))[0])
    inside = [n for n in range(taxonomy.nodes) if covers(tree, top, n) and any(covers(tree, n, v) for v in there)]
    least = min(float(taxonomy.distance[n] @ counts) for n in inside)
    assert centroid in inside
    assert float(taxonomy.distance[centroid] @ counts) == pytest.approx(least, abs=1e-6)


def covers(tree, node, other):
    return bool(tree.covers(np.array([node], dtype=np.int32), np.array([other], dtype=np.int32))[0])


def test_sums_too_long_for_doubles_are_exact_all_the_same():
    many = np.array([[1 << 24, 1 << 24, 0, 0]])
    exact = [sum(int(u) * int(n) for u, n in zip(row, many[0], strict=True)) for row in SPORTS.units]
    assert SPORTS.marginality(many)[0].tolist() == exact


def test_a_domain_too_large_for_a_table_of_distances_is_refused():
    def column(values):
        return attribute_of("town", Flat(), Categorical(tuple(f"{i:04d}" for i in range(values))))

    assert axis_of(column(MOST_VALUES)).name == "town"
    with pytest.raises(ParameterError, match=r"'town' has 4,097 declared categories.* coarser values"):
        axis_of(column(MOST_VALUES + 1))
