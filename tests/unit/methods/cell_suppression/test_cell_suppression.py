"""Cell suppression: classes by definition, the optimum and the bound against every partition of small tables."""

from collections import Counter
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from local_outcomes import assert_truthful, naive_loss
from local_requests import meets, requests
from person_samples import person_tables, persons_of, published_classes
from strategies import examples

import shoal
from shoal.errors import InfeasibleError, ParameterError
from shoal.methods.cell_suppression import optimal, patterns

NAMES = ("a", "b", "c")


def fewest(records, k, weights):
    """What the blanks cost at least, over every partition into classes of k records or more."""
    if not records:
        return 0.0
    first, rest = records[0], records[1:]
    best = float("inf")
    for size in range(k - 1, len(rest) + 1):
        if 0 < len(rest) - size < k:
            continue
        for chosen in combinations(range(len(rest)), size):
            members = [first, *(rest[i] for i in chosen)]
            blanked = sum(
                w for w, values in zip(weights, zip(*members, strict=True), strict=True) if len({*values}) > 1
            )
            others = tuple(record for i, record in enumerate(rest) if i not in chosen)
            best = min(best, len(members) * blanked + fewest(others, k, weights))
    return best


def anonymized(records, **parameters):
    columns = {name: [str(record[j]) for record in records] for j, name in enumerate(NAMES)}
    schema = shoal.Schema()
    for name in NAMES:
        schema = schema.with_column(name, role="quasi-identifier", domain=["0", "1", "2"])
    return shoal.CellSuppression(**parameters).anonymize(pa.table(columns), schema)


@examples(25)
@given(
    records=st.lists(st.tuples(*[st.integers(0, 2)] * 3), min_size=3, max_size=8),
    k=st.integers(2, 3),
    weights=st.lists(st.sampled_from([1.0, 0.5, 3.0]), min_size=3, max_size=3),
)
def test_the_optimum_is_the_best_of_all_partitions_and_the_bound_is_below_it(records, k, weights):
    by_name = dict(zip(NAMES, weights, strict=True))
    least = fewest(tuple(sorted(records)), k, tuple(weights)) / (sum(weights) * len(records))
    best, quick = (anonymized(records, k=k, weights=by_name, optimal=is_best) for is_best in (True, False))
    assert best.facts.search["loss"] == pytest.approx(least)
    assert quick.facts.search["loss"] >= least - 1e-12
    for release in (best, quick):
        assert release.facts.search["no choice of cells loses less than"] <= least + 1e-12
        rows = list(zip(*release.data.to_pydict().values(), strict=True))
        assert min(rows.count(row) for row in rows) >= k
        assert sum(row.count("*") for row in rows) == release.facts.search["blanked cells"]


@examples(60)
@given(request=requests(), work=st.sampled_from([0, 40, 300_000_000]))
def test_everything_is_published_in_admissible_classes_and_loses_what_is_said(request, work):
    sample, table, criteria = request
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(patterns, "_WORK", work)  # many columns: one more is blanked at a time
        outcome = shoal.CellSuppression(k=criteria[0].k, criteria=criteria[1:]).run(table)
    assert_truthful(table, outcome)
    assert outcome.losses["loss"] == pytest.approx(naive_loss(table, outcome), abs=1e-12)
    assert outcome.search["no choice of cells loses less than"] <= outcome.losses["loss"]
    for attribute in table.quasi_identifiers:
        nodes = outcome.shown[attribute.name].nodes
        assert all(node < attribute.hierarchy.leaves or node == attribute.hierarchy.root for node in nodes.tolist())
    alike, groups = outcome.published.group([a.name for a in table.quasi_identifiers])
    classes = [{} for _ in range(groups)]
    for source, label, size in zip(
        outcome.sources.source.tolist(), outcome.sources.label.tolist(), outcome.sources.sizes.tolist(), strict=True
    ):
        classes[alike[label]][source] = classes[alike[label]].get(source, 0) + size
    assert all(meets(sample, criteria, records) for records in classes)


@examples(40)
@given(request=person_tables(), k=st.integers(1, 4))
def test_classes_have_k_persons_where_somebody_has_several_records(request, k):
    _, table = request
    if table.people < k:
        return
    outcome = shoal.CellSuppression(k=k).run(table)
    assert min(len(persons_of(table, rows)) for rows in published_classes(outcome)) >= k
    assert_truthful(table, outcome)


def test_patterns_come_cheapest_first_and_each_once():
    weights = np.array([2.0, 1.0, 4.0, 1.0, 0.0])
    found = list(patterns.cheapest_first(weights))
    assert [cost for cost, _ in found] == sorted(cost for cost, _ in found)
    assert sorted(columns for _, columns in found) == sorted(
        columns for size in range(6) for columns in combinations(range(5), size)
    )
    assert all(cost == sum(weights[list(columns)]) for cost, columns in found)


def test_a_dear_column_is_blanked_less():
    rng = np.random.default_rng(3)
    records = [tuple(record) for record in rng.integers(0, 3, (60, 3)).tolist()]
    blanked = [
        anonymized(records, k=5, weights={"a": weight}).facts.search["blanked in a"] for weight in (0.2, 1.0, 5.0)
    ]
    assert blanked[0] >= blanked[1] >= blanked[2]
    assert blanked[0] > blanked[2]


def test_what_cannot_be_is_refused_in_a_sentence(monkeypatch):
    with pytest.raises(ParameterError, match="optimal is for k alone"):
        shoal.CellSuppression(optimal=True, diversity=2)
    monkeypatch.setattr(optimal, "_MOST_CHOICES", 3)
    with pytest.raises(InfeasibleError, match="too large to find the fewest blanks; leave out optimal"):
        anonymized([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 1, 1)], k=2, optimal=True)


def test_very_many_columns_are_blanked_in_the_order_of_their_values(monkeypatch):
    monkeypatch.setattr(patterns, "_WORK", 0)
    monkeypatch.setattr(patterns, "_LONG_WORK", 0)
    schema = shoal.Schema()
    for name in "abc":
        schema = schema.with_column(name, role="quasi-identifier")
    rows = {"a": list("uuvvvw"), "b": list("123456"), "c": list("xxxxyy")}
    made = shoal.CellSuppression(k=2).anonymize(pa.table(rows), schema).data.to_pydict()
    assert made["b"] == ["*"] * 6
    assert min(Counter(zip(*made.values(), strict=True)).values()) >= 2
