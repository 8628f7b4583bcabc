"""Microaggregation-DP's guarantee, exactly, on every small table; and what breaks it (theory MA-1, 2, 4, 6, 7).

Noise is independent and of known law, so the loss on two tables is Σ |change of a sum| · exponent: enough to go through
every pair of neighbors with the real clustering. Where domains are tiny the whole method is followed along every branch
of its coins.
"""

import itertools
import math
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from spaces import SPORT, category, clusters_of, encoded, number

from shoal.audit import audit_charges, charges_first, exact_delta, exact_epsilon, replace_neighbors
from shoal.cluster.centers import histograms, step_sums
from shoal.cluster.insensitive import cluster_sizes, insensitive_clusters
from shoal.cluster.mdav import mdav_clusters
from shoal.cluster.orders import References
from shoal.cluster.space import Space
from shoal.dp.accounting.relation import Neighbors
from shoal.dp.ledger.ledger import Ledger
from shoal.dp.mechanisms.laplace import DiscreteLaplace
from shoal.dp.mechanisms.selection import ExponentialMechanism, PermuteAndFlip
from shoal.methods import MicroaggregationDP, Mode
from shoal.methods.microaggregation.method import _along

REPLACE = Neighbors.REPLACE


class Unlimited:
    """A ledger that lets everything pass."""

    remaining = None

    def charge(self, *_):
        pass


def whole(method, attributes):
    """The method from a table to what is published, for audits."""

    @cache
    def table(rows):
        return encoded(attributes, rows)

    def run(rows, coins, ledger=None):
        outcome = method.run(table(rows), coins=coins, ledger=Unlimited() if ledger is None else ledger)
        shown = outcome.shown
        values = [
            (shown[name].nodes if hasattr(shown[name], "nodes") else shown[name].values)[codes].tolist()
            for name, codes in zip(outcome.published.names, outcome.published.codes, strict=True)
        ]
        return (*zip(*values, strict=True), *outcome.published.sizes.tolist())

    return run


# The whole method, every branch


def test_one_column_of_numbers_is_as_private_as_it_claims_and_no_more():
    """Four records of 0 or 1 in clusters of two, ε = 4: the loss is ε, for smoothed and clamped centers not more."""
    domain = [(0,), (1,)]
    run = whole(MicroaggregationDP(epsilon=4, k=2), [number("x", 1)])
    bill = audit_charges(run, replace_neighbors(domain, size=4), relation=REPLACE, tail=1e-9)
    assert bill.epsilon == 4
    assert bill.loss <= 4 + 1e-6
    assert bill.loss > 3.5


@pytest.mark.parametrize(
    ("nested", "size"), [({"any": ["a", "b"]}, 4), ({"any": {"ab": ["a", "b"], "c": []}}, 3)], ids=["flat", "tree"]
)
@pytest.mark.parametrize("mode", [{}, {"mode": Mode.AS_PUBLISHED, "columns": 1}], ids=["rigorous", "published"])
def test_one_column_of_categories_is_as_private_as_it_claims(nested, size, mode):
    """Two clusters of a small tree, one of a larger one."""
    tree = category("x", nested)
    run = whole(MicroaggregationDP(epsilon=2, k=2, **mode), [tree])
    domain = [(i,) for i in range(tree.domain.size)]
    bill = audit_charges(run, replace_neighbors(domain, size=size), relation=REPLACE)
    assert bill.epsilon == 2
    assert 0.5 < bill.loss <= 2 + 1e-9


@pytest.mark.parametrize("references", [References.ONE, References.CORNERS])
def test_a_number_and_a_category_together_are_as_private_as_they_claim(references):
    attributes = [number("x", 1), category("y", {"any": ["a", "b"]})]
    run = whole(MicroaggregationDP(epsilon=8, k=2, references=references), attributes)
    domain = list(itertools.product((0, 1), (0, 1)))
    loss = exact_epsilon(run, replace_neighbors(domain, size=2), tail=1e-9)
    assert 5 < loss.epsilon <= 8 + 1e-6


def test_gaussian_noise_needs_no_more_delta_than_it_claims():
    attributes = [number("x", 1)]
    run = whole(MicroaggregationDP(epsilon=2, delta="1e-3", k=2, smooth=False), attributes)
    needed = exact_delta(run, replace_neighbors([(0,), (1,)], size=4), 2.0, tail=1e-7)
    assert 0 < needed <= 1e-3


def test_nothing_is_drawn_when_the_ledger_refuses():
    run = whole(MicroaggregationDP(epsilon=1, k=2), [number("x", 3), number("y", 3)])
    assert charges_first(run, ((0, 1), (1, 1), (2, 3), (3, 3)), relation=REPLACE)


def test_as_published_costs_as_many_epsilons_as_there_are_columns():
    """Theory MA-5: what is charged is what is revealed at most; ε alone is exceeded."""
    attributes, domain = [number("x", 1), number("y", 1)], list(itertools.product((0, 1), (0, 1)))
    worst = worst_loss(MicroaggregationDP(epsilon=1, k=2, mode=Mode.AS_PUBLISHED, columns=2), attributes, domain, 4)
    assert 1 < worst <= 2


# Every pair of neighbors, by the law of the noise


def losses(method, attributes, rows):
    """Per column, what the noise is added to, and the exponent of each cluster."""
    table, space = encoded(attributes, rows), Space.of(attributes)
    k = method.cluster_size(table)
    partition = insensitive_clusters(space, table.counts.codes, table.counts.sizes, k, method.references)
    sizes = cluster_sizes(len(rows), k)
    clusters, shares = method.public_clusters(space, sizes), method.shares([axis.name for axis in space.axes])
    found = []
    for axis, codes in zip(space.axes, table.counts.codes, strict=True):
        epsilon = Fraction(method.epsilon)
        if hasattr(axis, "taxonomy"):
            score = axis.taxonomy.marginality(histograms(axis, codes, partition))
            width = clusters.score_range(axis, _along(axis))
            found.append((score, float(shares[axis.name] * epsilon / width)))
            continue
        sums = step_sums(axis, codes, partition, axis.middle)
        if method.mode is Mode.AS_PUBLISHED:
            exponents = (
                epsilon * k * k / (Fraction(len(rows)) * axis.width) / np.array([Fraction(int(s)) for s in sizes])
            )
            found.append((sums, exponents.astype(float)))
        else:
            found.append((sums, float(shares[axis.name] * epsilon / clusters.sum_range(axis))))
    return found


def worst_loss(method, attributes, domain, size):
    """The largest loss over all neighbors; for categories by the range of scores, which bounds it."""
    known, worst = {}, 0.0
    for pair in replace_neighbors(domain, size=size):
        for rows in pair:
            if rows not in known:
                known[rows] = losses(method, attributes, rows)
        total = 0.0
        for (here, exponent), (there, _) in zip(*(known[rows] for rows in pair), strict=True):
            moved = here - there
            cluster = np.ptp(moved, axis=1) if moved.ndim == 2 else np.abs(moved)
            total += float((cluster * exponent).sum())
        worst = max(worst, total)
    return worst


@pytest.mark.parametrize(("size", "k", "width"), [(4, 2, 4), (5, 2, 3), (6, 3, 4), (7, 3, 3), (5, 1, 3)])
def test_along_one_column_of_numbers_the_budget_is_used_up_exactly(size, k, width):
    """Theory MA-3: Δ/k for centers is Δ for sums, and is attained."""
    domain = [(i,) for i in range(width + 1)]
    worst = worst_loss(MicroaggregationDP(epsilon=1, k=k), [number("x", width)], domain, size)
    assert worst == pytest.approx(1.0)


@pytest.mark.parametrize("references", list(References))
@pytest.mark.parametrize(("size", "k"), [(4, 2), (5, 2)])
def test_along_two_columns_the_budget_is_never_exceeded(references, size, k):
    domain = list(itertools.product(range(3), repeat=2))
    attributes = [number("x", 2), number("y", 2)]
    worst = worst_loss(MicroaggregationDP(epsilon=1, k=k, references=references), attributes, domain, size)
    assert 0.7 < worst <= 1 + 1e-12


@pytest.mark.parametrize(
    "nested", [SPORT, {"any": ["a", "b", "c", "d", "e"]}, {"0": {"1": ["3", "6"], "2": ["4", "5"], "7": []}}]
)
@pytest.mark.parametrize(("size", "k"), [(4, 2), (5, 1), (5, 2)])
def test_along_one_column_of_categories_the_budget_is_never_exceeded(nested, size, k):
    attribute = category("x", nested)
    domain = [(i,) for i in range(attribute.domain.size)]
    worst = worst_loss(MicroaggregationDP(epsilon=1, k=k), [attribute], domain, size)
    assert 0.3 < worst <= 1 + 1e-9


def test_along_a_number_and_a_category_the_budget_is_never_exceeded():
    attributes = [number("x", 2), category("y", {"any": {"ab": ["a", "b"], "c": []}})]
    domain = list(itertools.product(range(3), range(3)))
    for references in References:
        worst = worst_loss(MicroaggregationDP(epsilon=1, k=2, references=references), attributes, domain, 4)
        assert 0.5 < worst <= 1 + 1e-9


# What breaks it


def noisy_sums(clusters, width, epsilon, coins):
    """Sums of clusters with the noise that one sorted column needs, and their sizes: the release."""
    noise = DiscreteLaplace(epsilon=Fraction(epsilon), sensitivity=width, neighbors=REPLACE)
    sums = np.array([sum(row[0] for row in cluster) for cluster in clusters])
    return tuple(noise.add(sums, coins, Unlimited(), "sums")), tuple(len(cluster) for cluster in clusters)


def by_mdav(rows, width, k):
    table = encoded([number("x", width)], rows)
    found = mdav_clusters(Space.of(table.attributes), table.counts.codes, table.counts.sizes, k)
    return sorted(clusters_of(table, found))


def test_literal_mdav_is_not_private_which_side_gets_the_large_cluster_depends_on_one_record():
    """Theory MA-1: 0 < n mod 2k < k."""
    here, there = ((0,), (0,), (2,), (3,), (3,)), ((0,), (2,), (3,), (3,), (6,))
    assert [len(c) for c in by_mdav(here, 6, 2)] == [2, 3]
    assert [len(c) for c in by_mdav(there, 6, 2)] == [3, 2]

    def release(rows, coins):
        return noisy_sums(by_mdav(rows, 6, 2), 6, 6, coins)

    assert exact_epsilon(release, [(here, there)], tail=1e-6).epsilon > 12  # sizes tell with certainty

    def centers(rows):
        return [Fraction(sum(row[0] for row in c), len(c) * 6) for c in by_mdav(rows, 6, 2)]

    moved = sum(abs(a - b) for a, b in zip(centers(here), centers(there), strict=True))
    assert moved == Fraction(7, 12) > Fraction(1, 2)  # the claim is 1/k


def test_the_census_sizes_are_among_those_for_which_literal_mdav_flips():
    """Theory MA-1: n = 98, k = 33, one record moved by 0.4% of the width."""
    base = [0] * 33 + [500] * 32 + [1000] * 33
    low, high = list(base), list(base)
    low[33], high[33] = 498, 502
    sizes = []
    for rows in (low, high):
        found = by_mdav([(x,) for x in rows], 1000, 33)
        sizes.append([len(cluster) for cluster in found])
    assert sizes == [[65, 33], [33, 65]]
    assert 0 < 1080 % 66 < 33


def test_rows_aligned_with_the_input_are_not_private():
    """Theory MA-2: a record that changes cluster takes its row along."""

    def release(rows, coins):
        order = sorted(range(len(rows)), key=lambda i: (rows[i], i))
        blocks = [order[:2], order[2:]]
        (noisy, _) = noisy_sums([[(rows[i],) for i in block] for block in blocks], 1, 4, coins)
        return tuple(next(noisy[b] for b in (0, 1) if i in blocks[b]) for i in range(len(rows)))

    pairs = [((1, 1, 0, 0), (0, 1, 0, 0)), ((0, 0, 1, 1), (1, 0, 1, 1))]
    assert exact_epsilon(release, pairs, tail=1e-6).epsilon > 4 + 1


def test_noise_of_its_own_for_every_row_costs_k_times_as_much():
    """Theory MA-4."""

    def release(rows, coins):
        ordered = sorted(rows)
        noise = DiscreteLaplace(epsilon=Fraction(2), sensitivity=1, neighbors=REPLACE)
        sums = np.array([sum(ordered[:2])] * 2 + [sum(ordered[2:])] * 2)
        return tuple(noise.add(sums, coins, Unlimited(), "rows"))

    loss = exact_epsilon(release, [((0, 0, 0, 0), (0, 0, 0, 1))], tail=1e-3, cutoff=1e-9)
    assert loss.epsilon == pytest.approx(2 * 2, abs=0.2)


def test_bounds_from_the_data_are_not_private():
    """Theory MA-7: clamped to 1.5 times the largest value, the release shows the largest value."""

    def release(rows, coins):
        top = 3 * max(rows)
        noise = DiscreteLaplace(epsilon=Fraction(4), sensitivity=max(top, 1), neighbors=REPLACE)
        return tuple(np.clip(noise.add(np.array([2 * sum(rows)]), coins, Unlimited(), "sum"), 0, top))

    assert exact_epsilon(release, [((0, 0, 1), (0, 0, 3))], tail=1e-6).epsilon > 4


def test_the_distance_of_the_boundaries_is_too_small_a_scale_where_the_diameter_is_larger():
    """Theory MA-6, Algorithm 4 on a cluster of two records."""
    taxonomy = Space.of([category("x", {"0": {"1": ["3", "6"], "2": ["4", "5"], "7": []}})]).axes[0].taxonomy

    def loss(scale, kind=ExponentialMechanism):
        choice = kind(epsilon=Fraction(1), score_range=Fraction(2 * scale))
        worst = 0.0
        for other, v, w in itertools.product(range(5), repeat=3):
            laws = []
            for values in ((other, v), (other, w)):
                counts = np.bincount(values, minlength=5)[None, :]
                laws.append(choice.probabilities(-taxonomy.marginality(counts)[0]))
            worst = max(worst, float(np.abs(np.log(laws[0] / laws[1])).max()))
        return worst

    assert loss(taxonomy.diameter, PermuteAndFlip) <= 1 + 1e-9
    assert loss(taxonomy.diameter) <= 1
    assert loss(taxonomy.width) > loss(taxonomy.diameter)


def test_joined_columns_each_in_its_own_order_publish_a_cross_table():
    """Theory MA-3, last row: which is why columns are clustered together. Noisy centers cannot hide who shares them."""

    def cross_table(rows, coins):
        del coins
        label = []
        for i in (0, 1):
            order = sorted(range(4), key=lambda j, i=i: (rows[j][i], j))
            label.append([int(order.index(j) >= 2) for j in range(4)])
        return tuple(sorted(zip(*label, strict=True)))

    pair = (((0, 0), (0, 0), (1, 1), (1, 1)), ((2, 0), (0, 0), (1, 1), (1, 1)))
    assert exact_epsilon(cross_table, [pair]).epsilon == math.inf


def test_a_whole_ledger_is_enough_for_a_whole_release():
    method = MicroaggregationDP(epsilon="0.7", k=2)
    ledger = Ledger(method.cost)
    table = encoded([number("x", 3), number("y", 3), number("z", 3)], [(0, 1, 2), (3, 2, 1), (1, 1, 1), (2, 2, 2)])
    from shoal.dp.coins.coins import SeededCoins

    method.run(table, coins=SeededCoins(1), ledger=ledger)
    assert ledger.spent == method.cost
