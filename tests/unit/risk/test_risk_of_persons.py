"""Risk where a person may have several records: classes in persons, each person by the record easiest to find."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from person_samples import person_tables, persons_of, published_classes
from strategies import examples

import shoal
from shoal.data.unit import Unit
from shoal.risk import attribute_disclosure, release_risk, special_uniques


def classes_of(table, names):
    """The distinct records of each class of the original."""
    labels, groups = table.counts.group(names)
    return [set(np.flatnonzero(labels == group).tolist()) for group in range(groups)]


@examples(60)
@given(request=person_tables(), k=st.integers(1, 4), threshold=st.sampled_from([0.2, 0.4, 1.0]))
def test_a_person_is_found_as_easily_as_the_easiest_of_their_records(request, k, threshold):
    _, table = request
    assume(table.people >= k)
    outcome = shoal.Mondrian(k=k).run(table)
    found = release_risk(outcome, threshold=threshold)
    names = [attribute.name for attribute in table.quasi_identifiers]
    for side, classes in ((found.before, classes_of(table, names)), (found.after, published_classes(outcome))):
        holders = [persons_of(table, rows) for rows in classes]
        risks = [max(1 / len(here) for here in holders if person in here) for person in range(table.people)]
        assert side.unit is Unit.PERSON
        assert side.records == table.people
        assert side.smallest == min(len(here) for here in holders)
        assert side.prosecutor.highest == pytest.approx(max(risks))
        assert side.prosecutor.average == pytest.approx(sum(risks) / len(risks))
        assert side.prosecutor.records_at_risk == sum(risk > threshold + 1e-12 for risk in risks)
    assert found.after.smallest >= k


@examples(40)
@given(request=person_tables(sensitive=(1, 1)), k=st.integers(1, 3))
def test_a_person_counts_once_for_each_value_in_a_class(request, k):
    sample, table = request
    assume(table.people >= k)
    (name,) = sample.sensitive_names
    outcome = shoal.Mondrian(k=k).run(table)
    (found,) = attribute_disclosure(outcome)
    codes, shares = table.counts.column(name), []
    for rows in published_classes(outcome):
        here = [len(persons_of(table, {r for r in rows if codes[r] == v})) for v in range(table[name].domain.size)]
        shares.append(
            (len(persons_of(table, rows)), max(here) / len(persons_of(table, rows)), sum(n > 0 for n in here))
        )
    after = found.after
    assert np.allclose(sorted(zip(after.sizes, after.largest, after.distinct, strict=True)), sorted(shares))


@examples(40)
@given(request=person_tables(quasi=(1, 3)))
def test_whoever_has_values_that_nobody_else_has_stands_out(request):
    _, table = request
    names = [attribute.name for attribute in table.quasi_identifiers]
    persons = table.persons.merged(*table.counts.group(names))
    found = special_uniques(table.counts.project(names), largest=3, persons=persons)
    alone = set()
    for size in range(1, min(3, len(names)) + 1):
        for chosen in combinations(names, size):
            for rows in classes_of(table, list(chosen)):
                here = persons_of(table, rows)
                alone |= here if len(here) == 1 else set()
    assert found.alone == len(alone)
    assert found.share == len(alone) / table.people
