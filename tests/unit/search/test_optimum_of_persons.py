"""Where a person may have several records: searches find the optimum, and criteria are what they are by definition."""

from dataclasses import replace

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import (
    CRITERIA,
    MODELS,
    class_keys,
    examples,
    fixed_by,
    model_on,
    nodes_of,
    person_samples,
    table_of,
)
from unit.search.test_optimum import optima

from shoal.criteria import DistinctDiversity, FrequencyDiversity, LKCPrivacy
from shoal.criteria.base import counted_in
from shoal.data.schema import Role
from shoal.data.unit import Unit
from shoal.errors import ParameterError
from shoal.quality import Loss
from shoal.search.evaluator import Evaluator
from shoal.search.exhaustive import best_of_all
from shoal.search.lattice import NodeClasses
from shoal.search.minimal import minimal_nodes
from shoal.search.optimal import best_node

SHAPES = st.sampled_from(
    [
        {"quasi": (1, 2), "sensitive": (1, 1), "records": (2, 12), "max_leaves": 4, "max_height": 3, "max_size": 2},
        {"quasi": (3, 3), "sensitive": (1, 1), "records": (4, 9), "max_leaves": 3, "max_height": 2, "max_size": 2},
    ]
)
IN_PERSONS = {"k-anonymity", "distinct", "entropy", "recursive", "frequency", "closeness", "disclosure", "likeness"}


def about(column, kind):
    """Criteria of a kind that count persons."""
    return CRITERIA[kind](column).map(lambda criterion: counted_in(criterion, Unit.PERSON))


@st.composite
def requests(draw, kind, criterion):
    """A sample, a model, criteria in persons with one of a kind among them, and how many records may go."""
    sample = draw(person_samples(**draw(SHAPES)))
    column = draw(st.sampled_from(sample.sensitive_names))
    criteria = [draw(about(column, criterion))]
    if draw(st.booleans()):
        criteria.append(draw(about(column, "k-anonymity")))
    n = len(sample.rows)
    return sample, draw(model_on(sample, kind)), criteria, draw(st.sampled_from([0, 1, n // 10, n // 3, n]))


def test_every_kind_counts_persons():
    assert set(CRITERIA) == IN_PERSONS


@pytest.mark.parametrize("kind", CRITERIA)
@given(data=st.data())
@examples(25)
def test_a_class_is_judged_by_the_definition(kind, data):
    sample = data.draw(person_samples(**data.draw(SHAPES)))
    criterion = data.draw(about(data.draw(st.sampled_from(sample.sensitive_names)), kind))
    node = data.draw(nodes_of(sample))
    found, classes = naive.classes(sample, node), NodeClasses(sample.table).at(node)
    keys = class_keys(classes)
    kept = {key for key in keys if data.draw(st.booleans())} or set(keys)
    published = [i for key in kept for i in found[key]]
    broken = criterion.violations(classes, np.array([key in kept for key in keys]))
    for key, is_broken in zip(keys, broken, strict=True):
        if key in kept:
            assert is_broken == (not naive.satisfied(sample, criterion, found[key], published))


@pytest.mark.parametrize("kind", ["distinct", "frequency", "k-anonymity"])
@given(data=st.data())
@examples(30)
def test_what_is_measured_is_what_is_defined(kind, data):
    sample = data.draw(person_samples(**data.draw(SHAPES)))
    criterion = data.draw(about(sample.sensitive_names[0], kind))
    node = data.draw(nodes_of(sample))
    found, classes = naive.classes(sample, node), NodeClasses(sample.table).at(node)
    measured = criterion.measure(classes, np.ones(len(classes), dtype=bool))
    wanted = [float(naive.measured_in_persons(sample, criterion, found[key])) for key in class_keys(classes)]
    assert measured.tolist() == pytest.approx(wanted)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("kind", MODELS)
@given(data=st.data())
@examples(4)
def test_searches_find_the_optimum_of_the_whole_lattice(kind, criterion, data):
    """For every quality model, every criterion and any suppression limit."""
    sample, model, criteria, allowed = data.draw(requests(kind, criterion))
    assert len(list(optima(sample, model, criteria, allowed, fixed_by(sample, model)))) == 2


@pytest.mark.parametrize("criterion", CRITERIA)
@given(data=st.data())
@examples(12)
def test_ola_finds_the_minimal_nodes_or_is_not_monotone(criterion, data):
    sample, model, criteria, allowed = data.draw(requests("loss", criterion))
    evaluator = Evaluator(sample.table, criteria, model, allowed)
    if evaluator.is_monotone:
        assert set(minimal_nodes(evaluator)) == naive.minimal(naive.admissible(sample, criteria, allowed))


@given(st.data())
@examples(60)
def test_lkc_looks_at_every_combination_of_columns(data):
    sample = data.draw(person_samples(quasi=(2, 3), sensitive=(1, 1), records=(2, 8), max_leaves=3, max_size=2))
    length, k = data.draw(st.integers(1, 3)), data.draw(st.integers(1, 3))
    confidence = data.draw(st.sampled_from([0.4, 0.5, 0.6, 0.75, 1.0]))
    column = sample.sensitive_names[0] if confidence < 1 else None
    criterion = LKCPrivacy(length, k, confidence, column, unit=Unit.PERSON)
    node = data.draw(nodes_of(sample))
    keys, labels = (
        naive.recoded(sample, node),
        [row[sample.names.index(sample.sensitive_names[0])] for row in sample.rows],
    )
    classes = NodeClasses(sample.table).at(node)
    broken = criterion.violations(classes, np.ones(len(classes), dtype=bool)).any()
    assert broken == (not naive.has_lkc_in_persons(keys, labels, sample.persons, length, k, confidence))


APART = replace(
    table_of(
        {"q": (Role.QUASI_IDENTIFIER, ["a", "b"]), "s": (Role.SENSITIVE, ["yes", "no"])},
        [("a", "yes"), ("a", "no"), ("b", "yes"), ("b", "no")],
    ),
    persons=(1, 2, 3, 2),
)
"""One of two persons of each class has "yes", and two of three of both together."""


def test_two_classes_that_meet_a_share_of_persons_may_not_meet_it_together():
    criterion = FrequencyDiversity(2, "s", Unit.PERSON)
    evaluator = Evaluator(APART.table, [criterion], Loss(), 0)
    assert not evaluator.is_monotone
    for search in (best_node, best_of_all):
        found = search(Evaluator(APART.table, [criterion], Loss(), 0))
        assert found is not None
        assert (found.node, found.is_optimal) == ((0,), True)
    with pytest.raises(ParameterError, match="share of persons"):
        minimal_nodes(evaluator)
    assert Evaluator(APART.table, [FrequencyDiversity(2, "s")], Loss(), 0).is_monotone


def test_values_of_one_person_are_not_those_of_several():
    sample = replace(APART, rows=(("a", "yes"), ("a", "no"), ("b", "yes"), ("b", "yes")), persons=(1, 1, 2, 3))
    classes, both = NodeClasses(sample.table).at((0,)), np.ones(2, dtype=bool)
    assert sorted(DistinctDiversity(2, "s").measure(classes, both)) == [1, 2]
    assert DistinctDiversity(2, "s", Unit.PERSON).measure(classes, both).tolist() == [1, 1]


def test_a_value_that_only_one_step_back_finds_a_person_for_is_found():
    """Persons 1 and 2 have both values but 1 alone has the third: whoever was taken first has to make room."""
    rows = [("a", "x"), ("a", "x"), ("a", "y"), ("a", "z"), ("a", "y")]
    trees = {"q": (Role.QUASI_IDENTIFIER, ["a"]), "s": (Role.SENSITIVE, ["x", "y", "z"])}
    sample = replace(table_of(trees, rows), persons=(1, 2, 1, 1, 3))
    classes = NodeClasses(sample.table).at((0,))
    assert DistinctDiversity(3, "s", Unit.PERSON).measure(classes, np.ones(1, dtype=bool)).tolist() == [3]
