"""MDAV by boxes of points: the clusters that a look at all points gives, ties and all."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from spaces import clusters_of, encoded, number

from shoal.cluster import mdav
from shoal.cluster.centers import standardized
from shoal.cluster.mdav_kernel import cluster_points
from shoal.cluster.mdav_tree_kernel import cluster_coordinates
from shoal.cluster.space import Space
from shoal.kernels.heads import ONE_EACH


def parts(found):
    source, label, taken = found
    order = np.lexsort((label, source))
    return [column[order].tolist() for column in (source, label, taken)]


def by_all_points(numbers, steps, scales, sizes, k, rest):
    none = np.zeros(0, dtype=np.int64)
    trees = np.zeros((0, len(sizes)), dtype=np.int32)
    return cluster_points(
        numbers.copy(),
        steps.copy(),
        scales,
        trees,
        none,
        np.zeros(0),
        none,
        none,
        none,
        sizes.copy(),
        k,
        rest,
        ONE_EACH,
    )


@given(
    st.integers(0, 10**6),
    st.integers(1, 400),
    st.lists(st.sampled_from([1, 2, 3, 9, 1000]), min_size=1, max_size=4),
    st.integers(1, 9),
    st.sampled_from(["even", "round", "tail"]),
)
@example(0, 400, [1, 1, 2], 2, "even")  # hardly a distance that no other point has
@example(0, 400, [1000, 1000, 1000], 3, "round")  # nearly all points at the surface
@settings(max_examples=60)
def test_clusters_are_those_of_a_look_at_all_points(seed, points, widths, k, shape):
    rng = np.random.default_rng(seed)
    drawn = {
        "even": rng.random,
        "round": lambda size: rng.normal(0.5, 0.2, size).clip(0, 1),
        "tail": lambda size: rng.exponential(0.1, size).clip(0, 1),
    }[shape]((points, len(widths)))
    steps, sizes = np.unique(np.rint(drawn * widths).astype(np.int64), axis=0, return_counts=True)
    steps = np.ascontiguousarray(steps.T)
    for scales in (1 / np.array(widths, dtype=np.float64), rng.random(len(widths)) + 0.1):
        numbers = steps * scales[:, None]
        for rest in (2 * k, max(2 * k, int(sizes.sum()) // 2)):
            expected = by_all_points(numbers, steps, scales, sizes, k, rest)
            assert parts(cluster_coordinates(numbers, steps, scales, sizes, k, rest)) == parts(expected)


@pytest.mark.parametrize("is_standardized", [False, True])
def test_the_number_of_records_does_not_decide_how_they_are_clustered(monkeypatch, is_standardized):
    attributes = [number("x", 30), number("y", 7), number("constant", 0)]
    rng = np.random.default_rng(3)
    table = encoded(attributes, np.column_stack([rng.integers(0, 31, 300), rng.integers(0, 8, 300), np.zeros(300)]))
    space, codes, sizes = Space.of(attributes), table.counts.codes, table.counts.sizes
    space = standardized(space, codes, sizes) if is_standardized else space
    found = []
    for most in (10**6, 0):
        monkeypatch.setattr(mdav, "_SCANNED", most)
        found.append(clusters_of(table, mdav.mdav_clusters(space, codes, sizes, 4)))
    assert found[0] == found[1]
