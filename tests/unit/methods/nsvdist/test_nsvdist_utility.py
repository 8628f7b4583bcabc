"""What rigorous NSVDist loses: against the best there is on toys known by hand, and against plain clusters and rings.

A cluster that is not cut where it could be, or a ring in a bad order, breaks no promise, and so no other test.
"""

import itertools
import json
from collections import Counter
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nsvdist_oracle import Oracle, mixed_tables
from strategies import examples

import shoal
from shoal.audit.overlap import boxes
from shoal.methods.parts.rings import curve


def released(ages, illnesses, k, diversity, top=100):
    table = pa.table({"age": ages, "illness": list(illnesses)})
    schema = shoal.Schema().with_column("age", role="quasi-identifier", domain=(0, top))
    return shoal.NSVDist(k=k, diversity=diversity).anonymize(table, schema.with_column("illness", role="sensitive"))


def shown(release):
    """Each published record: its age, and the distribution of its illness."""
    return sorted((r["age"], tuple(sorted(json.loads(r["illness"]).items()))) for r in release.data.to_pylist())


HALVES = (("a", 0.5), ("b", 0.5))


def test_clusters_are_cut_wherever_both_sides_stay_diverse():
    """Four pairs far apart: every record is masked by its twin alone, and nothing can lose less."""
    release = released([0, 1, 30, 31, 60, 61, 90, 91], "abababab", 2, 2)
    assert shown(release) == sorted([(f"{low}-{low + 1}", HALVES) for low in (0, 30, 60, 90)] * 2)
    assert release.facts.search["clusters"] == 4
    assert release.facts.losses["loss"] == pytest.approx(1 / 100)


def test_records_of_a_cluster_that_cannot_be_cut_are_masked_by_their_neighbors():
    """Young are all a, old all b: no cut is diverse. In the ring five windows of six are a step wide, one goes back."""
    release = released([0, 1, 2, 3, 4, 5], "aaabbb", 2, 2, top=10)
    expected = [(f"{age}-{age + 1}", HALVES) for age in range(5)] + [("0-5", HALVES)]
    assert shown(release) == sorted(expected)
    assert release.facts.search["clusters"] == 1
    assert release.facts.losses["loss"] == pytest.approx((5 * 1 + 5) / 6 / 10)


def test_windows_are_k_records_wide_and_not_more():
    release = released([0, 1, 2, 3, 4, 5, 6, 7], "aaaabbbb", 3, 2, top=10)
    expected = [(f"{age}-{age + 2}", HALVES) for age in range(6)] + [("0-7", HALVES)] * 2
    assert shown(release) == sorted(expected)
    assert release.facts.losses["loss"] == pytest.approx((6 * 2 + 2 * 7) / 8 / 10)


def test_an_uneven_table_is_cut_as_evenly_as_diversity_allows():
    """The middle would leave a, a, b on the left: two thirds are too many; the cut beside it is taken."""
    release = released([0, 1, 2, 10, 11, 12], "aabbab", 2, 2, top=20)
    assert release.facts.search["clusters"] == 2
    ages = ["0-1", "1-2", "2-10", "0-10", "11-12", "11-12"]
    assert shown(release) == sorted((age, HALVES) for age in ages)
    assert release.facts.losses["loss"] == pytest.approx((1 + 1 + 8 + 10 + 1 + 1) / 6 / 20)


def test_a_ring_goes_along_the_column_in_which_records_differ_most():
    """Eight places, two heights: going up and down at every place would be shorter in the narrow column alone."""
    places = np.array([[0, 10, 20, 30, 40, 50, 60, 70], [1, 0, 1, 0, 1, 0, 1, 0]])
    for order in ([7, 2, 5, 0, 3, 6, 1, 4], [3, 1, 4, 0, 5, 7, 2, 6]):
        pairs = [place // 2 for place in order]  # two neighbors are left as they come
        assert (curve(places[:, order]) // 2).tolist() == pairs
        assert (curve(places[::-1, order]) // 2).tolist() == pairs


def test_a_ring_visits_every_corner_once():
    corners = [(0, 0), (0, 90), (90, 0), (90, 90)]
    points = [(x + dx, y + dy) for dx, dy in [(0, 0), (1, 0), (0, 1), (1, 1)] for x, y in corners]
    ring = [points[i] for i in np.argsort(curve(np.array(points).T))]
    visited = [(x // 45, y // 45) for x, y in ring]
    assert sum(one != other for one, other in itertools.pairwise(visited)) == 3


@pytest.mark.parametrize(("weights", "ages"), [({"age": 9}, {0, 10}), ({"pay": 9}, {"*"})])
def test_the_column_that_counts_most_is_kept_finest(weights, ages):
    """Four persons in a square: one cut is possible, along the column that weighs more."""
    table = pa.table({"age": [0, 0, 10, 10], "pay": [0, 10, 0, 10], "illness": list("abba")})
    schema = shoal.Schema().with_column("illness", role="sensitive")
    for name in ("age", "pay"):
        schema = schema.with_column(name, role="quasi-identifier", domain=(0, 10))
    release = shoal.NSVDist(k=2, diversity=2, weights=weights).anonymize(table, schema)
    assert set(release.data["age"].to_pylist()) == ages
    assert release.facts.losses["loss"] == pytest.approx(1 / 10)


# Clusters and rings in plain Python


def spread(attribute, leaves, *, by_nodes):
    """What a cell with these leaves costs, as a share of the column."""
    whole = max(attribute.hierarchy.leaves - 1, 1)
    if by_nodes:
        return Fraction(int(attribute.hierarchy.leaf_count[node(attribute, leaves)]) - 1, whole)
    different = len(set(leaves)) - 1 if not attribute.domain.ordered else max(leaves) - min(leaves)
    return Fraction(different, whole)


def node(attribute, leaves):
    return int(attribute.hierarchy.common_ancestor(np.array([min(leaves)]), np.array([max(leaves)]))[0])


def plain_clusters(oracle, members, k, diversity, *, by_nodes):
    """Cut along the dearest column, as evenly as possible, where both sides are admissible; then each side again.

    Where nodes are shown, cuts between children of the node come before cuts within one.
    """

    def admissible(side):
        most = [max(Counter(oracle.values[i][s] for i in side).values()) for s in range(len(oracle.values[0]))]
        return len(side) >= k and all(m * diversity <= len(side) for m in most)

    cuts = []
    for column, attribute in enumerate(oracle.attributes):
        leaves = [oracle.leaf[i][column] for i in members]
        cost = spread(attribute, leaves, by_nodes=by_nodes)
        for at, above in itertools.pairwise(sorted(set(leaves))):
            left = [i for i in members if oracle.leaf[i][column] <= at]
            right = [i for i in members if oracle.leaf[i][column] > at]
            within = by_nodes and node(attribute, [at, above]) != node(attribute, leaves)
            cuts.append(((-cost, column, within, -min(len(left), len(right)), at), left, right))
    for _, left, right in sorted(cuts, key=lambda cut: cut[0]):
        if admissible(left) and admissible(right):
            return [
                *plain_clusters(oracle, left, k, diversity, by_nodes=by_nodes),
                *plain_clusters(oracle, right, k, diversity, by_nodes=by_nodes),
            ]
    return [members]


def plain_release(oracle, clusters, k):
    """Per record its closure and its cluster's distribution: windows of k in the ring of each cluster."""
    leaves = np.array([[oracle.leaf[i][c] for i in range(len(oracle.rows))] for c in range(len(oracle.attributes))])
    spans = np.array([max(a.domain.size - 1, 1) for a in oracle.attributes])
    _, distinct = np.unique(oracle.rows, return_index=True)
    place = dict(enumerate(curve(leaves[:, distinct] / spans[:, None]).tolist()))
    found = []
    for members in clusters:
        ring = sorted(members, key=lambda i: place[oracle.rows[i]])
        share = Counter(oracle.values[i] for i in members)
        for at, i in enumerate(ring):
            window = [ring[(at + step) % len(ring)] for step in range(k)]
            shares = tuple(sorted((value, Fraction(count, len(members))) for value, count in share.items()))
            found.append((oracle.rows[i], tuple(oracle.closure(window)), shares, oracle.loss(window)))
    return found


@given(
    mixed_tables(records=(2, 14)),
    st.integers(1, 4),
    st.sampled_from((1, 1.5, 2)),
    st.sampled_from(("intervals", "nodes")),
)
@examples(60)
def test_a_hardened_release_is_that_of_plain_clusters_and_rings(table, k, diversity, publish):
    oracle = Oracle(table, publish=publish)
    everybody, bound = list(range(len(oracle.rows))), Fraction(diversity)
    largest = max(Counter(values[0] for values in oracle.values).values())
    if k > len(everybody) or largest * bound > len(everybody):
        return
    clusters = plain_clusters(oracle, everybody, k, bound, by_nodes=publish == "nodes")
    expected = plain_release(oracle, clusters, k)
    outcome = shoal.NSVDist(k=k, diversity=diversity, publish=publish).run(table)
    assert outcome.search["clusters"] == len(clusters)
    assert outcome.losses["loss"] == pytest.approx(float(sum(loss for *_, loss in expected)) / len(everybody))
    low, high = boxes(outcome)
    name = table.sensitive[0].name
    shares, whole = outcome.shown[name].shares, outcome.shown[name].whole
    entry = outcome.published.column(name)
    ours = Counter()
    for i, size in enumerate(outcome.published.sizes.tolist()):
        box = tuple(zip(low[:, i].tolist(), high[:, i].tolist(), strict=True))
        here = shares[entry[i]]
        ours[box, tuple(((int(v),), Fraction(int(here[v]), int(whole[entry[i]]))) for v in np.flatnonzero(here))] += (
            size
        )
    assert ours == Counter((_leaves(oracle, closed), share) for _, closed, share, _ in expected)


def _leaves(oracle, closed):
    """Closures as ranges of leaves."""
    ranges = []
    for column, (low, high) in enumerate(closed):
        tree = oracle.attributes[column].hierarchy
        is_interval = oracle.is_interval[column]
        ranges.append(
            (low, high) if is_interval else (int(tree.first[low]), int(tree.first[low] + tree.leaf_count[low] - 1))
        )
    return tuple(ranges)
