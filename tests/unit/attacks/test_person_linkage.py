"""Linkage and membership of persons who have several records, against counting by hand."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from person_samples import person_tables, persons_of, published_classes
from strategies import examples

import shoal
from shoal.attacks import Inference, Membership, PersonLinkage
from shoal.attacks.nearest import random_persons
from shoal.data.people.incidence import Incidence
from shoal.data.unit import Unit
from shoal.engines.opening import engine_of_frame
from shoal.errors import DataError
from shoal.pipeline import encoded


@examples(50)
@given(request=person_tables(quasi=(1, 3)), k=st.integers(1, 3))
def test_one_record_known_and_all_against_counting_by_hand(request, k):
    """Strict classes do not overlap, so that the nearest records are those of a record's own class."""
    _, table = request
    assume(table.people >= k)
    outcome = shoal.LocalRecoding(k=k, publish="intervals").run(table)
    found = PersonLinkage(targets=10_000).on(outcome)
    classes, persons = published_classes(outcome), table.persons
    rows_of = {(int(r), int(p)): int(n) for r, p, n in zip(persons.record, persons.person, persons.rows, strict=True)}
    boxes = [_box(outcome, rows) for rows in classes]
    one, together = [], []
    for person in range(table.people):
        mine = {r: n for (r, p), n in rows_of.items() if p == person}
        shares, candidates = {}, set(range(table.people))
        for record in mine:
            near = [rows for rows, box in zip(classes, boxes, strict=True) if _fits(outcome, record, box)]
            here = set().union(*near)
            size = sum(int(table.counts.sizes[r]) for r in here)
            shares[record] = sum(n for r, n in mine.items() if r in here) / size
            fit = {r for r in range(len(table.counts)) if any(_fits(outcome, r, _box(outcome, rows)) for rows in near)}
            candidates &= persons_of(table, fit)
        one.append(sum(shares[r] * n for r, n in mine.items()) / sum(mine.values()))
        together.append(1 / len(candidates))
    assert found.one_known.value == pytest.approx(np.mean(one))
    assert found.all_known.value == pytest.approx(np.mean(together))
    assert found.only.value == pytest.approx(np.mean([chance == 1 for chance in together]))
    assert found.baseline == 1 / table.people
    assert "Classes of k persons protect whoever is known by one record" in str(found)
    assert list(found.rates)[:2] == ["one record known", "blind guess"]


def _box(outcome, rows):
    """Per quasi-identifier the values a class is published with: ranges of ordered values, else sets."""
    counts, box = outcome.table.counts, {}
    for attribute in outcome.table.quasi_identifiers:
        values = {int(counts.column(attribute.name)[r]) for r in rows}
        box[attribute.name] = set(range(min(values), max(values) + 1)) if attribute.domain.ordered else values
    return box


def _fits(outcome, record, box):
    counts = outcome.table.counts
    return all(int(counts.column(name)[record]) in values for name, values in box.items())


def test_several_known_records_point_at_a_person_whom_one_does_not():
    """Everybody has one record in two of three classes of two: each pair of classes is one person's."""
    import pandas as pd

    visits = pd.DataFrame({"who": list("abacbc"), "age": [10, 10, 50, 50, 90, 90]})
    schema = shoal.Schema(person="who").with_column("age", role="quasi-identifier", domain=(0, 99))
    release = shoal.Mondrian(k=2).anonymize(visits, schema)
    found = PersonLinkage().on(release.outcome)
    assert found.one_known.value == 0.5
    assert found.all_known.value == 1.0
    assert found.only.value == 1.0


def test_centers_say_nothing_about_who_fits():
    import pandas as pd

    visits = pd.DataFrame({"who": list("abcabc"), "age": [20, 21, 22, 60, 61, 62]})
    schema = shoal.Schema(person="who").with_column("age", role="quasi-identifier", domain=(0, 99))
    found = PersonLinkage().on(shoal.MDAV(k=3).anonymize(visits, schema).outcome)
    assert found.all_known is None
    assert found.one_known.value == pytest.approx(1 / 3)
    assert "belong together" not in str(found)


def test_where_nobody_fits_nobody_is_named():
    """Published records that are noisy or made up need not lie near any of the original: then the guess is wrong."""
    visits = pd.DataFrame({"who": list("aabb"), "age": [10, 20, 10, 30]})
    schema = shoal.Schema(person="who").with_column("age", role="quasi-identifier", domain=(0, 99))
    own = shoal.Mondrian(k=1, criteria=(shoal.KAnonymity(1),)).anonymize(visits, schema).outcome
    elsewhere = pd.DataFrame({"who": list("aabb"), "age": [60, 70, 60, 80]})
    other = shoal.Mondrian(k=1, criteria=(shoal.KAnonymity(1),)).anonymize(elsewhere, schema).outcome
    found = PersonLinkage().on(replace(other, table=own.table, sources=None, recoding=None))
    assert (found.all_known.value, found.only.value) == (0.0, 0.0)
    assert PersonLinkage().on(own).only.value == 1.0


def test_made_up_records_leave_doubt():
    frame = pd.DataFrame({"age": [1, 1, 2, 2], "ill": ["flu", "flu", "cold", "cold"]})
    schema = shoal.Schema().with_column("age", role="quasi-identifier", domain=(1, 2))
    schema = schema.with_column("ill", role="sensitive", domain=["cold", "flu"])
    outcome = shoal.Mondrian(k=2).anonymize(frame, schema).outcome
    attack = Inference(column="ill")
    assert attack.on(outcome).certain.value == 1.0
    assert attack.on(replace(outcome, is_made_up=True)).certain is None
    others = of_others(frame, schema)
    assert attack.on(replace(outcome, table=others)).certain is None


def of_others(frame, schema):
    """Coded people of whom the release says mostly what is wrong."""
    turned = frame.assign(ill=["cold", "cold", "flu", "cold"])
    return encoded(engine_of_frame(turned)[0], schema, shoal.Mondrian(k=2))


def test_a_table_of_records_has_no_persons_to_link():
    import pandas as pd

    schema = shoal.Schema().with_column("age", role="quasi-identifier", domain=(0, 99))
    outcome = shoal.Mondrian(k=2).anonymize(pd.DataFrame({"age": [1, 2]}), schema).outcome
    with pytest.raises(DataError, match="does not tell persons apart"):
        PersonLinkage().on(outcome)


def test_members_are_told_by_all_their_records():
    """Nobody outside has a record near a published one, in all of theirs."""
    import pandas as pd

    schema = shoal.Schema(person="who").with_column("age", role="quasi-identifier", domain=(0, 99))
    ages = {"in": [10, 20, 30, 40], "out": [15, 95, 25, 96]}
    frames = {side: pd.DataFrame({"who": list("abcd") * 3, "age": values * 3}) for side, values in ages.items()}
    as_they_are = shoal.Mondrian(k=1, criteria=(shoal.KAnonymity(1),))
    release = as_they_are.anonymize(frames["in"], schema)
    control = as_they_are.anonymize(frames["out"], schema).outcome.table
    found = Membership().on(release.outcome, control)
    assert found.by_persons
    assert found.members.value == 1.0
    assert found.others.value == 0.0
    assert "all records of a person" in str(found)


def test_a_value_is_guessed_right_if_a_person_has_it_in_any_record():
    frame = pd.DataFrame(
        {
            "who": ["a", "a", "b", "b", "b", "c"],
            "age": [1, 2, 1, 2, 2, 2],
            "ill": ["flu", "cold", "flu", "cold", "cold", "flu"],
        }
    )
    schema = shoal.Schema(person="who").with_column("age", role="quasi-identifier", domain=(1, 2))
    schema = schema.with_column("ill", role="sensitive", domain=["cold", "flu"])
    method = shoal.OptimalLattice(k=1)
    table = encoded(engine_of_frame(frame)[0], schema, shoal.OptimalLattice(k=2))
    outcome = method.run(table)
    found = Inference(column="ill").on(outcome, table)
    assert found.by_persons
    assert found.success.trials == found.control.trials == 3
    assert found.success.value == pytest.approx(2 / 3)  # age 1: flu, which a and b have; age 2: cold, and c has not
    assert found.baseline.value == pytest.approx(2 / 3)
    assert "one record of a person" in str(found)
    assert "has that value in any record" in str(found)
    rows = Inference(column="ill").on(replace(outcome, table=table.of_rows()))
    assert not rows.by_persons
    assert rows.success.trials == 6
    assert rows.success.value == pytest.approx(5 / 6)


def test_persons_are_tried_alike_however_many_records_they_have():
    persons = Incidence(np.arange(12), np.array([0] * 10 + [1, 2]), np.ones(12, int), 12, Unit.PERSON)
    times = Counter()
    for seed in range(300):
        (who,), (record,) = random_persons(persons, 1, seed)
        assert persons.person[record] == who
        times[int(who)] += 1
    assert min(times.values()) > 60  # a hundred each; false alarm below 1e-5
