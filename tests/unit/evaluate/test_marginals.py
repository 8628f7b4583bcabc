"""Distributions of single columns and of pairs, against record-by-record expectations, scipy and scikit-learn."""

from dataclasses import replace
from math import isnan, log2

import numpy as np
import pytest
from hypothesis import given
from outcomes import AGE, ATTRIBUTES, believed, outcome_of, outcomes
from strategies import examples

from shoal.data.counts import Counts
from shoal.errors import ParameterError
from shoal.evaluate import dependence, dependence_kept, marginals, materialize
from shoal.evaluate.dependence import cramers_v, mutual_information
from shoal.evaluate.marginals import total_variation, wasserstein


def expanded(outcome):
    """Every published record once, as {column: {leaf: probability}}."""
    rows = [believed(outcome, row) for row in range(len(outcome.published))]
    return [row for row, size in zip(rows, outcome.published.sizes.tolist(), strict=True) for _ in range(size)]


@given(outcome=outcomes())
@examples(40)
def test_a_marginal_is_what_its_cells_say_on_average(outcome):
    records = expanded(outcome)
    for found in marginals(outcome):
        leaves = outcome.table[found.column].domain.size
        after = [sum(r[found.column].get(leaf, 0) for r in records) / len(records) for leaf in range(leaves)]
        assert found.after == pytest.approx(after)
        assert found.before == pytest.approx(outcome.table.marginal(found.column) / outcome.table.total)
        assert found.total_variation == pytest.approx(np.abs(found.before - after).sum() / 2)
        assert (found.wasserstein is None) == (not outcome.table[found.column].domain.ordered)


@given(outcome=outcomes())
@examples(40)
def test_wasserstein_is_scipys_in_units_of_the_domain(outcome):
    distance = pytest.importorskip("scipy.stats").wasserstein_distance
    for found in marginals(outcome):
        attribute = outcome.table[found.column]
        here = [leaf for leaf in range(attribute.domain.size) if leaf != attribute.domain.missing]
        before, after = found.before[here], found.after[here]
        if found.wasserstein is not None and before.sum() and after.sum():
            expected = distance(here, here, before, after) / (len(here) - 1)
            assert found.wasserstein == pytest.approx(expected, abs=1e-9)


def test_an_empty_release_is_as_far_as_can_be_and_two_empty_tables_are_equal():
    empty = outcome_of(["nodes"] * 4, published=0)
    assert {(found.total_variation, found.wasserstein) for found in marginals(empty)} == {(1.0, 1.0), (1.0, None)}
    nothing = np.zeros(AGE.domain.size)
    assert total_variation(nothing, nothing) == wasserstein(AGE, nothing, nothing) == 0


def test_a_table_that_is_published_as_it_is_has_changed_in_nothing():
    outcome = outcome_of(["kept"] * 4, records=200)
    outcome = replace(outcome, published=outcome.table.counts)
    assert all(found.total_variation < 1e-12 for found in marginals(outcome))
    kept = dependence_kept(outcome)
    for name in ("information", "association", "correlation"):
        assert getattr(kept.after, name) == pytest.approx(getattr(kept.before, name), nan_ok=True)
    assert kept.information_kept == pytest.approx(1)
    assert kept.mean_distance == pytest.approx(0)
    assert kept.correlation_error == pytest.approx(0)


def joint_of(records, first, second, leaves):
    joint = np.zeros(leaves)
    for record in records:
        for a, p in record[first].items():
            for b, q in record[second].items():
                if first != second:
                    joint[a, b] += p * q
                elif a == b:
                    joint[a, b] += p
    return joint


def naive_information(joint):
    p = joint / joint.sum()
    return sum(
        p[a, b] * log2(p[a, b] / (p[a].sum() * p[:, b].sum()))
        for a in range(len(p))
        for b in range(p.shape[1])
        if p[a, b] > 1e-15
    )


@given(outcome=outcomes(max_records=12))
@examples(25)
def test_dependence_of_pairs_is_that_of_the_expected_joint_distribution(outcome):
    chi2 = pytest.importorskip("scipy.stats.contingency").association
    records, kept = expanded(outcome), dependence_kept(outcome).after
    names = [a.name for a in ATTRIBUTES]
    for i, first in enumerate(names):
        for j, second in enumerate(names):
            domains = outcome.table[first].domain, outcome.table[second].domain
            joint = joint_of(records, first, second, tuple(d.size for d in domains))
            assert kept.information[i, j] == pytest.approx(naive_information(joint), abs=1e-9)
            dense = joint[joint.sum(axis=1) > 1e-12][:, joint.sum(axis=0) > 1e-12]
            if min(dense.shape) > 1:
                assert kept.association[i, j] == pytest.approx(_v(dense), abs=1e-9)
            assert isnan(kept.correlation[i, j]) or (domains[0].ordered and domains[1].ordered)
            if domains[0].ordered and domains[1].ordered:
                assert kept.correlation[i, j] == pytest.approx(_naive_r(joint, domains), abs=1e-6, nan_ok=True)
    whole = np.array([[9, 1], [2, 8]])
    assert cramers_v(whole.astype(float)) == pytest.approx(chi2(whole, method="cramer"))


@pytest.mark.parametrize("pairs", [1, 40, 4000])
@pytest.mark.parametrize("dense", [0, 1 << 22])
def test_joint_distributions_are_the_same_from_cells_and_from_pairs(monkeypatch, pairs, dense):
    monkeypatch.setattr(dependence, "_DENSE_PAIRS", dense)
    rng = np.random.default_rng(pairs)
    left, right = rng.dirichlet(np.ones(5), 60), rng.dirichlet(np.ones(7), 30)
    drawn = [rng.integers(0, 60, pairs), rng.integers(0, 30, pairs)]
    expected = sum(np.outer(left[a], right[b]) for a, b in zip(*drawn, strict=True))
    found = dependence._joint(*drawn, np.ones(pairs, dtype=np.int64), left, right)
    assert found == pytest.approx(expected)


def _v(joint):
    p = joint / joint.sum()
    e = np.outer(p.sum(axis=1), p.sum(axis=0))
    return np.sqrt(((p - e) ** 2 / e).sum() / (min(p.shape) - 1))


def _naive_r(joint, domains):
    here = [[leaf for leaf in range(d.size) if leaf != d.missing] for d in domains]
    p = joint[np.ix_(*here)]
    if p.sum() < 1e-12:
        return float("nan")
    p = p / p.sum()
    x, y = np.arange(p.shape[0]) / (p.shape[0] - 1), np.arange(p.shape[1]) / (p.shape[1] - 1)
    ex, ey = p.sum(axis=1) @ x, p.sum(axis=0) @ y
    vx, vy = p.sum(axis=1) @ x**2 - ex**2, p.sum(axis=0) @ y**2 - ey**2
    return float("nan") if min(vx, vy) <= 1e-12 else (x @ p @ y - ex * ey) / np.sqrt(vx * vy)


def test_of_concrete_records_they_are_what_scikit_learn_and_scipy_say():
    metrics, stats = pytest.importorskip("sklearn.metrics"), pytest.importorskip("scipy.stats")
    outcome = outcome_of(["kept"] * 4, records=300, seed=5)
    before = dependence_kept(outcome).before
    rows = [np.repeat(column, outcome.table.counts.sizes) for column in outcome.table.counts.codes]
    for i, j in ((0, 1), (1, 2), (2, 3)):
        assert before.information[i, j] == pytest.approx(metrics.mutual_info_score(rows[i], rows[j]) / np.log(2))
    both = rows[0] != AGE.domain.missing
    assert before.correlation[0, 1] == pytest.approx(stats.pearsonr(rows[0][both], rows[1][both])[0])
    assert before.correlation[1, 1] == 1


@given(outcome=outcomes(max_records=12))
@examples(25)
def test_the_distance_of_a_pair_is_that_of_its_joint_distributions(outcome):
    found, after = dependence_kept(outcome), expanded(outcome)
    counts = outcome.table.counts
    rows = [dict(zip(counts.names, row, strict=True)) for row in zip(*counts.codes, strict=True)]
    before = [
        {k: {int(v): 1.0} for k, v in r.items()} for r, n in zip(rows, counts.sizes, strict=True) for _ in range(n)
    ]
    for i, first in enumerate(counts.names):
        for j, second in enumerate(counts.names):
            leaves = tuple(outcome.table[name].domain.size for name in (first, second))
            p, q = (joint_of(records, first, second, leaves) / len(records) for records in (before, after))
            assert found.distance[i, j] == pytest.approx(np.abs(p - q).sum() / 2)


def test_equal_information_in_other_places_is_told_by_the_distance():
    """90 records are 0 everywhere and 10 are 1; one further, 0.1 of them are where some were before."""
    outcome = outcome_of(["kept"] * 4)
    names, widths = outcome.table.counts.names, outcome.table.counts.cardinalities
    before, after = (
        Counts.of(names, [np.array([first, first + 1])] * 4, widths, np.array([90, 10])) for first in (0, 1)
    )
    outcome = replace(outcome, table=replace(outcome.table, counts=before), published=after)
    kept = dependence_kept(outcome)
    assert kept.information_kept == pytest.approx(1)
    assert kept.mean_distance == pytest.approx(0.9)


@given(outcome=outcomes())
@examples(15)
def test_columns_of_many_values_are_cut_into_pieces_the_same_way_on_both_sides(outcome):
    kept = dependence_kept(outcome, pieces=3)
    finer = dependence_kept(outcome)
    for coarse, fine in ((kept.before, finer.before), (kept.after, finer.after)):
        assert (coarse.information <= fine.information + 1e-9).all()
        assert (np.diag(coarse.information) <= log2(3) + 1e-9).all()
        assert coarse.correlation == pytest.approx(fine.correlation, nan_ok=True)


def test_expectations_are_what_many_drawn_tables_average_to():
    outcome = outcome_of(["spans", "sets", "nodes", "distributions"], records=60, seed=2)
    rng = np.random.default_rng(0)
    drawn = [materialize(outcome, rng) for _ in range(400)]
    for found in marginals(outcome):
        shares = np.zeros_like(found.after)
        for one in drawn:
            shares += np.bincount(one.column(found.column), weights=one.sizes, minlength=len(shares)) / one.kept / 400
        assert shares == pytest.approx(found.after, abs=0.02)


def test_the_joint_of_many_codes_is_added_up_in_parts_with_the_same_result(monkeypatch):
    outcome = outcome_of(["spans", "spans", "sets", "distributions"], records=50)
    whole = dependence_kept(outcome).after
    monkeypatch.setattr("shoal.evaluate.dependence._DENSE_PAIRS", 0)
    monkeypatch.setattr("shoal.evaluate.dependence._CHUNK", 7)
    parts = dependence_kept(outcome).after
    for name in ("information", "association", "correlation"):
        assert getattr(parts, name) == pytest.approx(getattr(whole, name), nan_ok=True)


def test_what_cannot_be_measured_is_refused_or_nan():
    outcome = outcome_of(["nodes"] * 4)
    with pytest.raises(ParameterError, match="pieces is a number of 2 or more"):
        dependence_kept(outcome, pieces=1)
    assert mutual_information(np.zeros((2, 2))) == 0
    assert cramers_v(np.array([[3.0, 1.0]])) == 0  # what has one value tells nothing about the other
    strange = replace(outcome.published, names=("age", "height", "town", "job"))
    for measure in (marginals, dependence_kept):
        with pytest.raises(ParameterError, match="'job'; it was made from another table"):
            measure(replace(outcome, published=strange))
