"""Concrete records from published ones: possible, as likely as stated, as many."""

import datetime as dt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from outcomes import AGE, HEIGHT, KINDS, TOWN, beliefs, believed, outcome_of, outcomes, shown_of
from strategies import attribute_of, examples

from shoal.data.domain import Categorical, Dates
from shoal.data.hierarchies.build import Flat
from shoal.data.shown import Numbers, TreeNodes
from shoal.errors import ParameterError
from shoal.evaluate import materialize
from shoal.evaluate.posterior import spread, spreads


@given(outcome=outcomes())
@examples(60)
def test_every_drawn_value_was_possible_and_no_record_is_added_or_lost(outcome):
    drawn = materialize(outcome, np.random.default_rng(1))
    assert drawn.names == outcome.published.names
    assert drawn.cardinalities == outcome.table.counts.cardinalities
    assert drawn.kept == outcome.published.kept
    possible = [believed(outcome, row) for row in range(len(outcome.published))]
    for row in zip(*drawn.codes, strict=True):
        assert any(
            all(code in record[name] for name, code in zip(drawn.names, row, strict=True)) for record in possible
        )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("attribute", [AGE, HEIGHT, TOWN], ids=lambda a: a.name)
def test_leaves_are_as_likely_as_the_entry_says(kind, attribute):
    """Expected counts, coverage of ranges and 20,000 draws against a table of probabilities; 0.02 is over five sd."""
    if kind == "numbers" and attribute is TOWN:
        pytest.skip("names are no numbers")
    rng = np.random.default_rng(3)
    entries, leaves = 5, attribute.domain.size
    shown = shown_of(attribute, kind, entries, rng)
    found = spread(attribute, shown)
    entries = len(found)
    exact = np.zeros((entries, leaves))
    for code in range(entries):
        for leaf, probability in beliefs(attribute, shown, code).items():
            exact[code, leaf] = probability
    sizes = rng.integers(0, 9, entries)
    assert found.expected(sizes) == pytest.approx(sizes @ exact, abs=1e-9)
    values = rng.normal(size=leaves)
    assert found.average(values) == pytest.approx(exact @ values, abs=1e-9)
    for first, last in ((0, leaves - 1), (1, 2), (2, 2), (leaves - 1, leaves - 1)):
        assert found.within(first, last) == pytest.approx(exact[:, first : last + 1].sum(axis=1), abs=1e-9)
    for code in range(min(entries, 4)):
        drawn = np.bincount(found.draw(np.full(20_000, code), rng), minlength=leaves) / 20_000
        assert drawn == pytest.approx(exact[code], abs=0.02)


def test_a_hidden_cell_is_one_of_the_declared_values_and_not_the_missing_one():
    """Two illnesses and a place for a missing one, all of them hidden: half of each, none missing."""
    ill = attribute_of("ill", Flat(), Categorical(("flu", "gout")).with_missing())
    root, missing = int(ill.hierarchy.up[-1, 0]), ill.domain.missing
    found = spread(ill, TreeNodes(np.array([root, int(ill.hierarchy.up[0, missing])])))
    assert found.expected(np.array([10, 3])) == pytest.approx([5, 5, 3], abs=1e-9)
    assert found.average(np.array([1.0, 2.0, 7.0])) == pytest.approx([1.5, 7], abs=1e-9)
    assert found.within(0, 0) == pytest.approx([0.5, 0], abs=1e-9)
    assert found.within(missing, missing) == pytest.approx([0, 1], abs=1e-9)
    assert found.within(missing, missing)[0] > 0  # somebody whose value is missing may be there all the same
    drawn = found.draw(np.repeat([0, 1], 1000), np.random.default_rng(1))
    assert set(drawn[:1000]) == {0, 1}
    assert set(drawn[1000:]) == {missing}


@given(data=st.data())
@examples(40)
def test_with_public_frequencies_values_are_as_likely_as_these(data):
    """NSVDist §5.1: f_i / Σ f_j within the set; equally likely where none of its values occurs."""
    kind = data.draw(st.sampled_from(["nodes", "spans", "sets"]))
    rng = np.random.default_rng(data.draw(st.integers(0, 999)))
    shown = shown_of(TOWN, kind, 4, rng)
    frequencies = np.array(data.draw(st.lists(st.integers(0, 5), min_size=4, max_size=4)))
    found = spread(TOWN, shown, frequencies)
    for code in range(len(found)):
        covered = list(beliefs(TOWN, shown, code))
        weights = frequencies[covered] if frequencies[covered].sum() else np.ones(len(covered))
        expected = np.zeros(4)
        expected[covered] = weights / weights.sum()
        one = np.eye(len(found))[code]
        assert found.expected(one) == pytest.approx(expected, abs=1e-6)
        assert [found.within(leaf, leaf)[code] for leaf in range(4)] == pytest.approx(expected, abs=1e-6)
        drawn = np.bincount(found.draw(np.full(2_000, code), rng), minlength=4) / 2_000
        assert drawn == pytest.approx(expected, abs=0.07)


def test_frequencies_must_fit_the_domain():
    outcome = outcome_of(["nodes"] * 4)
    with pytest.raises(ParameterError, match="column 'town': frequencies are 4 numbers"):
        spreads(outcome, {"town": np.ones(3, dtype=np.int64)})


def test_numbers_go_to_the_nearest_value_within_the_bounds():
    numbers = Numbers(np.array([1.1, 0.2, 9.0, 1.37]))
    assert spread(HEIGHT, numbers).first.tolist() == [0, 0, 8, 1]


def test_a_missing_number_is_the_missing_value_or_any_value():
    numbers = Numbers(np.array([np.nan, 21.0]))
    assert spread(AGE, numbers).draw(np.array([0, 1]), np.random.default_rng(0)).tolist() == [AGE.domain.missing, 1]
    assert spread(HEIGHT, numbers).within(0, 4) == pytest.approx([5 / 9, 0])


def test_numbers_for_days_count_from_1970_and_names_are_none():
    days = attribute_of("day", Flat(), Dates(dt.date(1970, 1, 21), dt.date(1970, 2, 1)))
    assert spread(days, Numbers(np.array([20.0, 30.4, 99.0]))).first.tolist() == [0, 10, 11]
    with pytest.raises(ParameterError, match="column 'town' is published as numbers"):
        spread(TOWN, Numbers(np.array([1.0])))


def test_an_empty_release_has_no_records():
    outcome = outcome_of(["spans", "sets", "distributions", "nodes"], published=0)
    assert materialize(outcome, np.random.default_rng(0)).kept == 0


def test_a_seed_decides_what_is_drawn():
    outcome = outcome_of(["nodes"] * 4, records=50)
    first, again, other = (materialize(outcome, np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert all((a == b).all() for a, b in zip(first.codes, again.codes, strict=True))
    assert len(first) != len(other) or any((a != b).any() for a, b in zip(first.codes, other.codes, strict=True))
