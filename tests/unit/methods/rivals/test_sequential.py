"""Sequential anonymization: never worse than where it starts, and no single move is left that would help."""

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nsvdist_oracle import Oracle, mixed_table, mixed_tables
from strategies import examples

import shoal
from shoal.data.partition import Partition
from shoal.errors import InfeasibleError, ParameterError
from shoal.methods.nsvdist.space import Prices
from shoal.methods.rivals.sequential_kernel import improve
from shoal.promises.verify import verify


def spent(oracle, clusters):
    return sum(len(members) * oracle.loss(members) for members in clusters if members)


@given(mixed_tables(records=(4, 24)), st.integers(2, 4), st.sampled_from([None, 1.2, 1.5]))
@examples(30)
def test_the_request_holds_and_the_loss_never_grows(table, k, diversity):
    method = shoal.Sequential(k=k, diversity=diversity)
    try:
        outcome = method.run(table)
    except InfeasibleError:
        return
    start = shoal.Sequential(k=k, diversity=diversity, passes=0).run(table)
    assert all(verdict.holds for verdict in verify(table, outcome.published, method.promises(table)))
    assert outcome.losses["loss"] <= start.losses["loss"] + 1e-9
    assert outcome.published.kept == table.total


@given(mixed_tables(records=(6, 16)), st.integers(2, 3))
@examples(20)
def test_no_move_of_one_record_lowers_the_loss_further(table, k):
    oracle = Oracle(table)
    whole = Partition.whole(np.arange(len(table.counts)) % max(table.total // (2 * k), 1), table.counts.sizes)
    if whole.totals.min() < k:
        return
    partition, _ = shoal.Sequential(k=k)._improved(table, whole, oracle.is_interval, np.ones(len(oracle.attributes)))
    left = {row: [i for i, of in enumerate(oracle.rows) if of == row] for row in set(oracle.rows)}
    clusters = [[] for _ in range(partition.groups)]
    parts = zip(partition.source.tolist(), partition.label.tolist(), partition.sizes.tolist(), strict=True)
    for row, label, size in parts:
        clusters[label] += [left[row].pop() for _ in range(size)]
    now = spent(oracle, clusters)
    for a, b in ((a, b) for a in range(len(clusters)) for b in range(len(clusters)) if a != b):
        if len(clusters[a]) <= k:
            continue
        for member in clusters[a]:
            moved = [list(c) for c in clusters]
            moved[a].remove(member)
            moved[b].append(member)
            assert float(spent(oracle, moved)) >= float(now) - 1e-6


def by_definition(leaf, value, prices, spans, label, k, diversity):
    """Every record in turn, every cluster in turn: moved to the first of those where least more is lost."""
    members = [[i for i in range(len(label)) if label[i] == g] for g in range(max(label) + 1)]

    def cost(rows):
        total = 0.0
        for column, attribute in enumerate(prices.attributes):
            low, high = (end(leaf[rows, column], initial=leaf[rows[0], column]) for end in (np.min, np.max))
            if prices.is_interval[column]:
                total += (high - low) * (prices.unit[column] / spans[column])
            else:
                node = attribute.hierarchy.common_ancestor(np.array([low]), np.array([high]))[0]
                total += float(prices.nodes(column)[node])
        return total

    def is_diverse(rows):
        most = [np.bincount(of[rows]).max() for of in value]
        return all(n * diversity <= len(rows) * (1 + 1e-12) for n in most)

    has_moved = True
    while has_moved:
        has_moved = False
        for i in range(len(label)):
            home = label[i]
            rest = [j for j in members[home] if j != i]
            if len(rest) < k or not is_diverse(rest):
                continue
            gain = len(members[home]) * cost(members[home]) - len(rest) * cost(rest)
            best, spent = -1, gain * (1 - 1e-12)
            for g in range(len(members)):
                joined = [*members[g], i]
                extra = len(joined) * cost(joined) - len(members[g]) * cost(members[g])
                if g != home and extra < spent and is_diverse(joined):
                    best, spent = g, extra
            if best >= 0:
                members[home], members[best], label[i], has_moved = rest, [*members[best], i], best, True
    return label


@given(mixed_tables(records=(6, 16)), st.integers(1, 3), st.sampled_from([1.0, 1.5]), st.integers(0, 2**32 - 1))
@examples(25)
def test_moves_are_those_of_the_definition(table, k, diversity, seed):
    counts, attributes = table.counts, table.quasi_identifiers
    record = np.repeat(np.arange(len(counts)), counts.sizes)
    _, label = np.unique(
        np.random.default_rng(seed).integers(0, max(len(record) // k, 1), len(record)), return_inverse=True
    )
    leaf = np.stack([counts.column(a.name)[record].astype(np.int32) for a in attributes], axis=1)
    value = np.stack([counts.column(a.name)[record].astype(np.int32) for a in table.sensitive])
    prices = Prices.loss_metric(attributes, Oracle(table).is_interval, np.ones(len(attributes)))
    spans = np.array([max(a.domain.size - 1, 1) for a in attributes])
    wanted = by_definition(leaf, value, prices, spans, label.tolist(), k, diversity)
    improve(leaf, value, prices.trees, prices.unit / spans, label, int(label.max()) + 1, k, diversity, 1000)
    assert label.tolist() == wanted


def test_records_move_to_the_class_that_holds_them_already():
    table = mixed_table(Random(4), 400)
    start = shoal.Sequential(k=8, passes=0).run(table)
    outcome = shoal.Sequential(k=8).run(table)
    assert outcome.losses["loss"] <= start.losses["loss"]
    assert outcome.search["passes"] >= 1
    assert np.array_equal(outcome.table.counts.sizes, table.counts.sizes)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"passes": -1}, "passes must be a whole number"),
        ({"publish": "sets"}, "publish must be intervals or nodes"),
        ({"closeness": 0.3}, "knows k and diversity only"),
        ({"k": 0}, "k must be a whole number"),
    ],
)
def test_bad_parameters_are_refused(settings, said):
    with pytest.raises(ParameterError, match=said):
        shoal.Sequential(**settings)


def test_what_would_not_end_is_refused_with_the_passes_that_would():
    shoal.Sequential(k=2, passes=5)._require_an_end(1_000_000)
    shoal.Sequential(k=2)._require_an_end(316_000)
    with pytest.raises(ParameterError, match=r"passes = 5 or less, or take local-recoding"):
        shoal.Sequential(k=2, passes=6)._require_an_end(1_000_000)
    with pytest.raises(ParameterError, match=r"317,000 different records 50 times"):
        shoal.Sequential(k=2)._require_an_end(317_000)


def test_a_table_is_refused_before_it_is_cut(monkeypatch):
    from shoal.methods.rivals import sequential

    monkeypatch.setattr(sequential, "_WORK", 50)
    with pytest.raises(ParameterError, match="takes hours"):
        shoal.Sequential(k=2).run(mixed_table(Random(1), 12))
