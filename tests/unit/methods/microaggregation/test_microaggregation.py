"""Microaggregation-DP: what is published, what it is calibrated to, what is refused."""

import datetime as dt
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from cases import RepeatedCoins
from spaces import SPORT, category, encoded, number

import shoal
from shoal.cluster.centers import squared_error
from shoal.cluster.insensitive import cluster_sizes
from shoal.cluster.orders import References
from shoal.cluster.space import Space
from shoal.dp.accounting.relation import Neighbors
from shoal.dp.ledger.ledger import Ledger
from shoal.dp.mechanisms.selection import ExponentialMechanism
from shoal.errors import BudgetError, InfeasibleError, ParameterError, SchemaError
from shoal.methods import MicroaggregationDP, Mode
from shoal.methods.microaggregation.advice import advised_k, expected_error
from shoal.methods.microaggregation.noise import Clusters, isotonic
from shoal.promises.guarantee import Basis

QUASI = "quasi-identifier"


def ages(**more):
    return shoal.Schema(person="row").with_column("age", role=QUASI, domain=(0, 100), **more)


def release(rows, schema, seed=1, **parameters):
    method = MicroaggregationDP(**{"epsilon": 1.0} | parameters)
    return method.anonymize(pa.table(rows), schema, coins=RepeatedCoins(seed))


# What is published


def test_with_a_large_budget_the_centers_come_out_in_order_and_close():
    made = release({"age": [90, 1, 2, 3, 50, 52, 54, 99, 99]}, ages(), epsilon=1000.0, k=3)
    assert made.data["age"].to_pylist() == pytest.approx([2.0] * 3 + [52.0] * 3 + [96.0] * 3, abs=0.5)


def test_every_cluster_is_published_k_times_in_an_order_that_tells_nothing():
    rows = {"age": list(range(100)), "town": ["a", "b"] * 50}
    schema = ages().with_column("town", role="sensitive", domain=["a", "b"])
    made = release(rows, schema, k=30)
    assert made.data.num_rows == 100
    assert made.certificate.criteria[0]["k"] == 30
    assert made.certificate.criteria[0]["reached"] >= 30
    published = made.data.to_pylist()
    assert published == sorted(published, key=lambda row: row["age"])
    assert made.facts.search["clusters"] == 3


def test_numbers_outside_of_the_domain_are_moved_into_it_and_only_the_owner_is_told():
    rows = {"age": [-5.0, 1e9, float("inf"), float("nan"), None, 33.4, 70.0, 80.0]}
    made = release(rows, ages(), k=4, epsilon=1000.0)
    assert made.facts.search["numbers moved into their domain"] == 4  # 33.4 goes to 33
    low, high = sorted(set(made.data["age"].to_pylist()))
    assert low == pytest.approx((0 + 33 + 50 + 50) / 4, abs=0.5)  # what is missing stands in the middle
    assert high == pytest.approx((100 + 100 + 70 + 80) / 4, abs=0.5)
    assert "moved" not in made.certificate.to_json()


def test_values_outside_of_a_list_count_as_missing_and_days_go_to_the_nearest():
    schema = shoal.Schema(person="row").with_column("town", role=QUASI, domain=["a", "b"])
    schema = schema.with_column("day", role=QUASI, domain=(dt.date(2024, 1, 1), dt.date(2024, 1, 31)))
    rows = {"town": ["zzz"] * 4, "day": [dt.date(1999, 1, 1)] * 4}
    made = release(rows, schema, k=4, epsilon=5000.0).data.to_pylist()
    assert made == [{"town": None, "day": dt.date(2024, 1, 1)}] * 4


def test_noisy_numbers_stay_within_the_public_bounds():
    made = release({"age": [0, 100] * 50}, ages(), k=5, epsilon=0.01)
    assert all(0 <= age <= 100 for age in made.data["age"].to_pylist())


def test_a_column_of_one_value_is_public_and_costs_nothing():
    schema = ages().with_column("year", role=QUASI, domain=(2024, 2024))
    table = release({"age": list(range(40)), "year": [2024] * 40}, schema, k=10)
    assert set(table.data["year"].to_pylist()) == {2024.0}
    one = encoded([number("age", 100), number("year", 0)], [(i, 0) for i in range(40)])
    ledger = Ledger(neighbors=Neighbors.REPLACE)
    MicroaggregationDP(epsilon=1, k=10).run(one, coins=RepeatedCoins(1), ledger=ledger)
    assert [entry.reason for entry in ledger.entries] == ["centers of 'age'"]
    assert ledger.spent.epsilon == 1


def test_the_budget_is_divided_by_weight():
    table = encoded([number("a", 9), number("b", 9), category("c", SPORT)], [(i % 10, i % 7, i % 4) for i in range(40)])
    ledger = Ledger(neighbors=Neighbors.REPLACE)
    MicroaggregationDP(epsilon=1, k=10, weights={"a": 2.0}).run(table, coins=RepeatedCoins(1), ledger=ledger)
    assert [entry.cost.epsilon for entry in ledger.entries] == [Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)]


def test_gaussian_noise_is_charged_once():
    table = encoded([number("a", 9), category("c", SPORT)], [(i % 10, i % 4) for i in range(40)])
    ledger = Ledger(neighbors=Neighbors.REPLACE)
    MicroaggregationDP(epsilon=1, delta="1e-6", k=10).run(table, coins=RepeatedCoins(1), ledger=ledger)
    assert [(e.cost.epsilon, e.cost.delta) for e in ledger.entries] == [(1, Fraction(1, 10**6))]


def test_a_ledger_without_room_is_not_touched():
    table = encoded([number("a", 9), number("b", 9)], [(1, 1)] * 10)
    method = MicroaggregationDP(epsilon=1, k=5)
    ledger = Ledger(limit=MicroaggregationDP(epsilon="0.9").cost)
    with pytest.raises(BudgetError):
        method.run(table, coins=RepeatedCoins(1), ledger=ledger)
    assert not ledger.entries


# Calibration


def test_one_column_needs_one_kth_of_its_width_and_several_need_all_clusters():
    """Theory MA-3: Census, n = 1,080, k = 33: 31.6 times less noise for one column."""
    sizes = cluster_sizes(1080, 33)
    one, many = (Clusters(sizes=sizes, changed=len(sizes), is_sorted=alone) for alone in (True, False))
    axis = Space.of([number("x", 1000)]).axes[0]
    assert one.sum_range(axis) == 1000
    assert many.sum_range(axis) == 32 * 1000
    assert Fraction(int(many.sum_square(axis)), int(one.sum_square(axis))) == 32
    published = Fraction(1080, 33) * 1000  # n/k · Δ/k for centers, times k for sums
    assert round(float(published / one.sum_range(axis)), 1) == 32.7
    assert round(float(sum(Fraction(33, int(s)) for s in sizes)), 1) == 31.6


def test_in_one_order_no_more_clusters_change_than_the_domain_has_steps():
    method = MicroaggregationDP(epsilon=1, k=2, references=References.ONE)
    space = Space.of([number("a", 1), number("b", 1)])
    assert method.public_clusters(space, cluster_sizes(100, 2)).changed == 3
    corners = MicroaggregationDP(epsilon=1, k=2).public_clusters(space, cluster_sizes(100, 2))
    assert corners.changed == 50


def test_algorithm_4_has_the_probabilities_of_the_oracle():
    """Theory 7.4: ε = 10, two clusters, sample sailing, swimming twice, soccer."""
    taxonomy = Space.of([category("sport", SPORT)]).axes[0].taxonomy
    scores = -taxonomy.marginality(np.array([[0, 1, 2, 1]]))[0]
    law = ExponentialMechanism(epsilon=Fraction(10), score_range=Fraction(2 * 2 * taxonomy.diameter))
    assert law.probabilities(scores) == pytest.approx(
        [0.002197, 0.126191, 0.707923, 0.026759, 0.003547, 0.113972, 0.011277, 0.008135], abs=1e-6
    )


def test_isotonic_regression_pools_neighbors_in_the_wrong_order_by_weight():
    assert isotonic(np.array([3.0, 1.0, 2.0]), np.array([1, 3, 1])).tolist() == [1.5, 1.5, 2.0]
    rng = np.random.default_rng(1)
    values, weights = rng.normal(size=40), rng.integers(1, 9, 40)
    fitted = isotonic(values, weights)
    assert (np.diff(fitted) >= 0).all()
    assert fitted @ weights == pytest.approx(values @ weights)


def test_smoothing_helps_and_the_published_noise_is_far_wider():
    """Theory MA-3, record by record: about 0.03 of the width, 0.045, and 0.48 at k = 33."""
    rng = np.random.default_rng(0)
    table = encoded([number("x", 1000)], (np.clip(rng.lognormal(0, 0.7, 1080) / 12, 0, 1) * 1000).astype(int)[:, None])

    def error(**more):
        method = MicroaggregationDP(epsilon=1, k=33, **more)
        runs = [method.clustered(table, RepeatedCoins(seed), Ledger(method.cost)) for seed in range(40)]
        codes, space = table.counts.codes, Space.of(table.attributes)
        return np.mean([np.sqrt(squared_error(space, codes, *run)[0] / 1080) for run in runs]) / 1000

    assert error() == pytest.approx(0.0306, rel=0.1)
    assert error(smooth=False) == pytest.approx(0.0455, rel=0.1)
    assert error(mode=Mode.AS_PUBLISHED, columns=1) == pytest.approx(0.478, rel=0.1)


# Advice


def test_k_is_chosen_from_public_numbers_alone():
    tables = [encoded([number("a", 9), number("b", 9)], [(x, x)] * 500) for x in (0, 7)]
    method = MicroaggregationDP(epsilon=1)
    assert method.cluster_size(tables[0]) == method.cluster_size(tables[1]) == advised_k(500, 2, 1.0)
    assert MicroaggregationDP(epsilon=1, k=17).cluster_size(tables[0]) == 17


def test_more_records_or_more_budget_make_finer_clusters():
    assert advised_k(10_000, 4, 1.0) / 10_000 < advised_k(1000, 4, 1.0) / 1000
    assert advised_k(1000, 4, 10.0) < advised_k(1000, 4, 1.0)
    assert advised_k(1000, 1, 1.0) < advised_k(1000, 4, 1.0)
    for columns in (1, 3):
        best = advised_k(700, columns, 1.0)
        for other in (1, 10, 100, 700):
            assert expected_error(700, columns, best, 1.0) <= expected_error(700, columns, other, 1.0)
    assert advised_k(1, 1, 1.0) == 1
    assert advised_k(1080, 1, 1.0) == pytest.approx(1.35 * 1080**0.5, rel=0.05)
    with pytest.raises(ParameterError):
        advised_k(0, 1, 1.0)


# What is promised, what is refused


def test_the_guarantee_names_the_relation_and_the_price():
    (said,) = MicroaggregationDP(epsilon="0.5").guarantees()
    assert (said.statement, said.basis, said.neighbors) == ("0.5-DP", Basis.PROVED, Neighbors.REPLACE)
    (gaussian,) = MicroaggregationDP(epsilon=1, delta="1e-6").guarantees()
    assert gaussian.statement == "(1, 1e-06)-DP"
    published = MicroaggregationDP(epsilon=1, mode=Mode.AS_PUBLISHED, columns=4)
    assert published.guarantees()[0].statement == "(4)-DP"
    assert published.cost.epsilon == 4


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"epsilon": 0}, "epsilon"),
        ({"epsilon": 1, "delta": 1}, "delta"),
        ({"epsilon": 1, "k": 0}, "k must be"),
        ({"epsilon": 1, "k": "many"}, "k must be"),
        ({"epsilon": 1, "k": 2.5}, "k must be"),
        ({"epsilon": 1, "weights": {"age": 0}}, "weight"),
        ({"epsilon": 1, "references": "corner"}, "references must be one or corners or complements; got 'corner'"),
        ({"epsilon": 1, "mode": Mode.AS_PUBLISHED}, "columns = 4"),
        ({"epsilon": 1, "mode": Mode.AS_PUBLISHED, "columns": 2, "delta": "1e-6"}, "no delta"),
    ],
)
def test_impossible_parameters_are_refused(parameters, said):
    with pytest.raises(ParameterError, match=said):
        MicroaggregationDP(**parameters)


def test_bounds_must_be_declared():
    with pytest.raises(SchemaError, match="not declared"):
        MicroaggregationDP(epsilon=1).counted(shoal.Schema(person="row").with_column("age", role=QUASI))


def test_nothing_is_passed_through():
    with pytest.raises(SchemaError, match="voids the guarantee"):
        MicroaggregationDP(epsilon=1).counted(ages().with_column("note", role="insensitive"))
    with pytest.raises(SchemaError, match="nothing to publish"):
        MicroaggregationDP(epsilon=1).counted(shoal.Schema(person="row").with_column("name", role="identifier"))


def test_weights_and_the_number_of_columns_must_fit_the_schema():
    with pytest.raises(SchemaError, match="Did you mean 'age'"):
        MicroaggregationDP(epsilon=1, weights={"agee": 2}).counted(ages())
    with pytest.raises(SchemaError, match="1 are published"):
        MicroaggregationDP(epsilon=1, mode=Mode.AS_PUBLISHED, columns=2).counted(ages())


def test_more_than_half_of_the_records_make_one_cluster_and_more_than_all_are_refused():
    assert len(set(release({"age": [1, 2, 3]}, ages(), k=2).data["age"].to_pylist())) == 1
    with pytest.raises(InfeasibleError, match="more than the table has records"):
        release({"age": [1, 2, 3]}, ages(), k=4)
    with pytest.raises(InfeasibleError, match="the table has no records"):
        release({"age": pa.array([], pa.int64())}, ages())


def test_noise_too_wide_to_be_drawn_is_refused_before_anything_is_paid():
    table = encoded([number("a", 99_999), number("b", 9)], [(i, i % 10) for i in range(40)])
    ledger = Ledger(neighbors=Neighbors.REPLACE)
    for mode in ({}, {"mode": Mode.AS_PUBLISHED, "columns": 2}):
        with pytest.raises(InfeasibleError, match="coarser step"):
            MicroaggregationDP(epsilon="1e-9", k=2, **mode).run(table, coins=RepeatedCoins(1), ledger=ledger)
    assert not ledger.entries


def test_the_diameter_is_used_where_the_boundaries_are_nearer():
    """Theory MA-6: as published with the distance of the boundaries, this tree would cost more than ε."""
    odd = category("x", {"0": {"1": ["3", "6"], "2": ["4", "5"], "7": []}})
    axis = Space.of([odd]).axes[0]
    assert axis.taxonomy.diameter > axis.taxonomy.width
    clusters = Clusters(sizes=np.array([5]), changed=1, is_sorted=False)
    assert clusters.score_range(axis, np.arange(5)) == 2 * axis.taxonomy.diameter
