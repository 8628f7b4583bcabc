"""Criteria by name, and the check of a published table from its records alone."""

import naive
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import CRITERIA, criteria_about, examples, nodes_of, samples

from shoal.criteria import Closeness, Distance, FrequencyDiversity, KAnonymity, Likeness, Reference
from shoal.criteria.registry import from_dict, to_dict
from shoal.data.recoding import FullDomain
from shoal.errors import ParameterError
from shoal.promises.verify import verify


@pytest.mark.parametrize("kind", CRITERIA)
@given(data=st.data())
@examples(10)
def test_a_criterion_is_read_back_as_it_was_written(kind, data):
    criterion = data.draw(CRITERIA[kind]("s"))
    assert from_dict(to_dict(criterion)) == criterion


def test_criteria_have_names_and_plain_parameters():
    assert to_dict(KAnonymity(5)) == {"name": "k-anonymity", "k": 5, "unit": "record"}
    assert to_dict(Closeness(0.2, "s", Distance.ORDERED)) == {
        "name": "closeness",
        "closeness": 0.2,
        "column": "s",
        "distance": "ordered",
        "reference": "published",
        "unit": "record",
    }
    assert from_dict({"name": "likeness", "beta": 1, "column": "s", "reference": "input"}) == Likeness(
        1, "s", Reference.INPUT
    )
    assert from_dict({"name": "closeness", "closeness": 0.2, "column": "s"}) == Closeness(0.2, "s")
    assert from_dict({"name": "frequency-diversity", "diversity": 2.5, "column": "s"}) == FrequencyDiversity(2.5, "s")


@pytest.mark.parametrize(
    ("described", "sentence"),
    [
        ({"name": "k-anonimity", "k": 5}, r"'k-anonimity' is not a criterion; .*Did you mean 'k-anonymity'\?"),
        ({"k": 5}, "None is not a criterion; expected one of k-anonymity, "),
        ({"name": "k-anonymity", "kk": 5}, r"'kk' is not a parameter of k-anonymity; it has k, unit\."),
        ({"name": "k-anonymity"}, "k-anonymity needs k"),
        ({"name": "closeness", "closeness": 0.1}, "closeness needs column"),
        (
            {"name": "closeness", "closeness": 0.1, "column": "s", "distance": "far"},
            "closeness: distance must be equal or o",
        ),
        (
            {"name": "disclosure", "delta": 1, "column": "s", "reference": "raw"},
            "disclosure: reference must be published or input",
        ),
        ({"name": "k-anonymity", "k": "five"}, "k-anonymity: k must be a whole number; got 'five'"),
        ({"name": "k-anonymity", "k": 0}, "k must be 1 or more"),
    ],
)
def test_a_criterion_that_cannot_be_understood_is_refused(described, sentence):
    with pytest.raises(ParameterError, match=sentence):
        from_dict(described)


@given(st.data())
@examples(40)
def test_a_published_table_is_judged_from_its_records_alone(data):
    """Any subset of the classes may have been published; only what compares with the input needs the input."""
    sample = data.draw(samples(quasi=(1, 2), sensitive=(1, 2), records=(1, 20), max_leaves=4))
    criteria = data.draw(criteria_about(sample))
    node = data.draw(nodes_of(sample))
    found = naive.classes(sample, node)
    shown = data.draw(st.lists(st.sampled_from(list(found)), min_size=1, unique=True))
    rows = [row for row, key in zip(sample.rows, naive.recoded(sample, node), strict=True) if key in shown]
    published = FullDomain(dict(zip(sample.quasi_names, node, strict=True))).apply(sample.encoded(rows))
    everything = [i for key in shown for i in found[key]]
    for verdict, criterion in zip(verify(sample.table, published, criteria), criteria, strict=True):
        assert verdict.criterion is criterion
        assert verdict.holds == all(naive.satisfied(sample, criterion, found[key], everything) for key in shown)
        position, tree = naive.column_of(sample, criterion)
        whole = naive.compared_with(sample, criterion, everything)
        numbers = [
            naive.measured(criterion, [sample.rows[i][position] for i in found[key]], whole, tree) for key in shown
        ]
        assert any(verdict.reached == pytest.approx(number, abs=1e-9) for number in (min(numbers), max(numbers)))
