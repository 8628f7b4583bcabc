"""Telling members from others, against distances computed by hand."""

from dataclasses import replace

import cases
import numpy as np
import pyarrow as pa
import pytest
from people import labelled

import shoal
from shoal.attacks import Difference, Linkage, Membership, Nearest, Rate
from shoal.attacks.membership import best_limit
from shoal.attacks.nearest import random_records
from shoal.data.encoded import EncodedTable
from shoal.errors import DataError


@pytest.fixture(scope="module")
def outcome():
    return shoal.OptimalLattice(k=2).anonymize(cases.table(120), cases.schema()).outcome


def strangers(table, **values):
    """A control group: the people of a table, with some columns set to one value (leaf)."""
    counts = table.counts
    codes = [np.full_like(c, values[n]) if n in values else c for n, c in zip(counts.names, counts.codes, strict=True)]
    made = type(counts).of(counts.names, codes, counts.cardinalities, counts.sizes)
    return EncodedTable(table.attributes, made)


def test_the_distance_of_a_person_is_that_of_the_nearest_row_read_one_by_one():
    frame = cases.table(60)
    release = shoal.OptimalLattice(k=2).anonymize(frame, cases.schema())
    order = {name: i for i, name in enumerate(release.data.column_names)}
    nearest = Nearest(release.outcome, ("age", "town", "grade"))
    counts, towns = release.outcome.table.counts, release.outcome.table["town"].domain
    rows = labelled(release.data)
    for record in range(len(counts)):
        age, town, grade = (int(counts.column(name)[record]) for name in ("age", "town", "grade"))
        by_hand = []
        for row in rows:
            shown = row[order["age"]]
            low, _, high = (shown or "").partition("-")
            low, high = (0, 59) if shown == "*" else (int(low), int(high or low))
            away = max(low - age, age - high, 0) / 59
            place = "missing" if row[order["town"]] is None else row[order["town"]]
            away += place not in cases.PATHS["town"][towns.labels([town])[0]]
            away += abs(cases.GRADES.index(row[order["grade"]]) - grade) / 2
            by_hand.append(away)
        assert nearest.distances([age, town, grade]).min() == pytest.approx(min(by_hand))


def test_people_from_far_away_are_told_from_members(outcome):
    found = Membership(targets=100).on(outcome, strangers(outcome.table, age=10))
    assert found.members.trials == 50
    assert found.members.value > 0.9
    assert found.others.value == 0
    assert found.advantage.low > 0.7
    assert "the advantage over guessing is" in str(found)


def test_members_are_not_told_from_themselves(outcome):
    found = Membership(targets=100).on(outcome, outcome.table)
    assert found.members == found.others
    assert found.advantage.value == 0
    assert found.advantage.low < 0 < found.advantage.high


def test_the_limit_is_learned_on_people_who_are_not_judged():
    assert best_limit(np.array([0.0, 0.0, 0.1, 0.5]), np.array([0.1, 0.4, 0.9, 0.9])) == 0.0
    assert best_limit(np.array([0.0, 0.1, 0.1]), np.array([0.4, 0.9])) == pytest.approx(0.1)


def test_one_person_is_not_enough(outcome):
    alone = replace(outcome.table, counts=outcome.table.counts.suppress(np.arange(len(outcome.table.counts)) > 0))
    alone = EncodedTable(alone.attributes, replace(alone.counts, sizes=np.ones(1, dtype=np.int64)))
    with pytest.raises(DataError, match="at least two"):
        Membership().on(outcome, alone)


def test_one_seed_draws_the_same_people(outcome):
    counts = outcome.table.counts
    assert random_records(counts, 20, 3).tolist() == random_records(counts, 20, 3).tolist()
    assert random_records(counts, 20, 3).tolist() != random_records(counts, 20, 4).tolist()
    everybody = np.bincount(random_records(counts, 10_000, 0), minlength=len(counts))
    assert everybody.tolist() == counts.sizes.tolist()


def test_the_interval_of_a_difference_is_newcombe_s():
    # Newcombe 1998, Statistics in Medicine 17:873, table II, method 10, 56/70 against 48/80: 0.0524 to 0.3339
    one, other = (Rate.of(np.repeat([1.0, 0.0], [hits, trials - hits])) for hits, trials in ((56, 70), (48, 80)))
    found = Difference.of(one, other)
    assert (found.value, found.low, found.high) == pytest.approx((0.2, 0.0524, 0.3339), abs=1e-4)
    assert str(found) == "20.0 percentage points (95% interval 5.2 to 33.4)"


def test_an_empty_release_is_no_target(outcome):
    nobody = replace(outcome, published=outcome.published.suppress(np.ones(len(outcome.published), dtype=bool)))
    with pytest.raises(shoal.ParameterError, match="no records"):
        Nearest(nobody, ("age",))


def test_the_chance_to_be_published_counts_where_a_sample_is_published():
    frame = pa.table({"age": [30] * 8, "town": ["Ulm"] * 8, "grade": ["mild"] * 8})
    release = shoal.OptimalLattice(k=2).anonymize(frame, cases.schema())
    half = replace(release.outcome, published=replace(release.outcome.published, sizes=np.array([4])))
    assert Nearest(half, ("age",)).own(0).tolist() == [0.5]
    assert Linkage().on(half).success.value == pytest.approx(1 / 8)
