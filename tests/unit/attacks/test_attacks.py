"""Attacks against a naive attacker who reads the published rows one by one."""

from collections import Counter

import cases
import numpy as np
import pyarrow as pa
import pytest
from people import labelled

import shoal
from shoal.attacks import Inference, Linkage, Nearest, Rate
from shoal.errors import ParameterError


@pytest.fixture(scope="module")
def release():
    return shoal.OptimalLattice(k=5).anonymize(cases.table(), cases.schema())


def fits(name, value, shown):
    """Whether a published cell may be a value, by the paths that were written down by hand."""
    value, shown = ("missing" if cell is None else cell for cell in (value, shown))
    return shown in cases.PATHS[name][value]


def naive_candidates(release, people, known):
    """For each person the published rows that fit what is known."""
    names, rows = release.data.column_names, labelled(release.data)
    fitting = {}
    for person in people:
        what = tuple(person[names.index(n)] for n in known)
        if what not in fitting:
            cells = list(zip(known, what, [names.index(n) for n in known], strict=True))
            fitting[what] = [row for row in rows if all(fits(n, value, row[at]) for n, value, at in cells)]
        yield fitting[what]


def test_the_attacker_finds_a_record_with_one_chance_in_the_number_of_those_that_fit(release):
    known = ("age", "town")
    found = naive_candidates(release, labelled(cases.table()), known)
    expected = [1 / len(candidates) if candidates else 0.0 for candidates in found]
    found = Linkage(targets=10_000).on(release.outcome)
    assert found.known == known
    assert not found.is_bound
    assert found.success.trials == 1200
    assert found.success.value == pytest.approx(np.mean(expected), abs=1e-9)
    assert found.baseline == 1 / release.certificate.records
    assert "picks the nearest published record is right in" in str(found)


def test_who_knows_less_finds_less(release):
    all_known, half = (Linkage(targets=10_000, known=share).on(release.outcome) for share in (1.0, 0.5))
    assert len(half.known) == 1
    assert half.success.value < all_known.success.value


def test_a_person_whose_record_is_left_out_is_not_found():
    alone = pa.concat_tables([cases.table(), pa.table({"age": [1], "town": ["Köln"], "grade": ["mild"]})])
    said = cases.schema()
    release = shoal.OptimalLattice(k=5).anonymize(alone, said)
    nearest = Nearest(release.outcome, ("age", "town"))
    counts = release.outcome.table.counts
    record = int(np.flatnonzero(counts.column("age") == 1)[0])
    assert nearest.own(record).sum() == 0


def test_local_recodings_know_whose_record_is_whose():
    release = shoal.Mondrian(k=5).anonymize(cases.table(), cases.schema())
    found = Linkage(targets=10_000).on(release.outcome)
    assert not found.is_bound
    assert 0 < found.success.value <= 1 / 5


def test_the_sensitive_value_is_guessed_by_the_most_frequent_one_that_fits(release):
    names = release.data.column_names
    right = doubtless = unplaced = 0
    people = labelled(cases.table())
    order = list(cases.GRADES)
    for person, candidates in zip(people, naive_candidates(release, people, ("age", "town")), strict=True):
        if not candidates:  # the nearest ones are then others; left to the code under test
            unplaced += 1
            continue
        votes = Counter(row[names.index("grade")] for row in candidates)
        guess = max(order, key=lambda grade: (votes[grade], -order.index(grade)))
        right += guess == person[2]
        doubtless += guess == person[2] and len(votes) == 1
    found = Inference(column="grade", targets=10_000).on(release.outcome)
    assert abs(found.success.value * 1200 - right) <= unplaced
    assert abs(found.certain.value * 1200 - doubtless) <= unplaced
    assert found.baseline.value == pytest.approx(max(Counter(p[2] for p in people).values()) / 1200)
    assert found.control is None
    assert found.gained is None


def test_people_who_are_not_in_the_table_tell_what_the_release_says_about_everybody(release):
    found = Inference(column="grade").on(release.outcome, release.outcome.table)
    assert found.control is not None
    assert found.gained < 0.2
    assert "not in the table" in str(found)


@pytest.mark.parametrize("share", [0.0, -1.0, 1.5])
def test_a_share_of_known_columns_outside_of_0_to_1_is_refused(release, share):
    with pytest.raises(ParameterError, match="above 0"):
        Linkage(known=share).on(release.outcome)


def test_what_is_not_published_cannot_be_inferred(release):
    with pytest.raises(ParameterError, match="is not published"):
        Inference(column="income").on(release.outcome)
    with pytest.raises(ParameterError, match="1 or more"):
        Inference(column="grade", targets=0)


def test_an_interval_covers_the_rate_and_narrows_with_trials():
    few, many = (Rate.of(np.repeat([0.0, 1.0], [3 * n, n])) for n in (5, 500))
    assert few.low < many.low < 0.25 < many.high < few.high
    assert Rate.of(np.zeros(100)).high == pytest.approx(0.037, abs=1e-3)  # Wilson, 0 of 100
    assert np.isnan(Rate.of(np.zeros(0)).value)
