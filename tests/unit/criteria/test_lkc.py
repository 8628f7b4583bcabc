"""LKC-privacy by its definition, in files, and with methods that look for the best recoding."""

import naive
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import class_keys, examples, nodes_of, samples

import shoal
from shoal.criteria import LKCPrivacy
from shoal.criteria.registry import from_dict, to_dict
from shoal.data.recoding import FullDomain
from shoal.errors import ParameterError, SchemaError
from shoal.promises.verify import verify
from shoal.search.lattice import NodeClasses

CRITERIA = st.builds(
    lambda length, k, confidence: LKCPrivacy(length, k, confidence, "s" if confidence < 1 else None),
    st.integers(1, 4),
    st.integers(1, 5),
    st.sampled_from((1.0, 0.8, 0.75, 0.5)),
)


def about(sample, criterion):
    """The criterion about the sample's sensitive column, and the position of that."""
    column = sample.sensitive_names[0]
    said = LKCPrivacy(criterion.length, criterion.k, criterion.confidence, column if criterion.column else None)
    return said, sample.names.index(column)


@given(st.data())
@examples(120)
def test_a_published_table_is_judged_by_every_combination_of_columns(data):
    sample = data.draw(samples(quasi=(1, 4), sensitive=(1, 1), records=(1, 25), max_leaves=4))
    criterion, position = about(sample, data.draw(CRITERIA))
    node = data.draw(nodes_of(sample))
    published = FullDomain(dict(zip(sample.quasi_names, node, strict=True))).apply(sample.table)
    [verdict] = verify(sample.table, published, [criterion])
    keys, labels = naive.recoded(sample, node), [row[position] for row in sample.rows]
    assert verdict.holds == naive.has_lkc(keys, labels, criterion.length, criterion.k, criterion.confidence)
    sizes = [k for k in range(1, len(keys) + 1) if naive.has_lkc(keys, labels, criterion.length, k)]
    assert verdict.reached == max(sizes)


@given(st.data())
@examples(80)
def test_a_class_passes_if_each_of_its_groups_does_and_unpublished_classes_do_not_help(data):
    sample = data.draw(samples(quasi=(1, 3), sensitive=(1, 1), records=(1, 20), max_leaves=4))
    criterion, position = about(sample, data.draw(CRITERIA))
    node = data.draw(nodes_of(sample))
    classes = NodeClasses(sample.table).at(node)
    published = np.array([data.draw(st.booleans()) for _ in range(len(classes))])
    shown = {key for key, is_shown in zip(class_keys(classes), published, strict=True) if is_shown}
    rows = [
        (key, row[position]) for key, row in zip(naive.recoded(sample, node), sample.rows, strict=True) if key in shown
    ]
    if not rows:
        return
    bad = criterion.violations(classes, published)[published]
    keys, labels = zip(*rows, strict=True)
    holds = naive.has_lkc(keys, labels, criterion.length, criterion.k, criterion.confidence)
    assert holds == (not bad.any())
    assert not criterion.violations(classes, ~shoal.criteria.violations([criterion], classes))[
        ~shoal.criteria.violations([criterion], classes)
    ].any()


def test_it_is_written_and_read_back_with_the_values_it_protects():
    criterion = LKCPrivacy(2, 5, 0.5, "illness", ("flu", "cold"))
    said = to_dict(criterion)
    assert said == {
        "name": "lkc-privacy",
        "length": 2,
        "k": 5,
        "confidence": 0.5,
        "column": "illness",
        "values": ["flu", "cold"],
        "unit": "record",
    }
    assert from_dict(said) == criterion
    assert from_dict({"name": "lkc-privacy", "length": 2, "k": 5}) == LKCPrivacy(2, 5)
    assert "of which at most the share 0.5 have any one of the values 'flu', 'cold' of 'illness'" in criterion.statement


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({"length": 0, "k": 5}, "length must be 1 or more"),
        ({"length": 1.5, "k": 5}, "length must be a whole number; got 1.5"),
        ({"length": 2, "k": 0}, "k must be 1 or more"),
        ({"length": 2, "k": 5, "confidence": 0, "column": "s"}, "confidence is a share above 0 and at most 1"),
        ({"length": 2, "k": 5, "confidence": 0.5}, "confidence below 1 is about a sensitive column"),
        ({"length": 2, "k": 5, "column": "s"}, "confidence below 1 is about a sensitive column"),
        ({"length": 2, "k": 5, "values": ["flu"]}, "values are those of a sensitive column"),
        ({"length": 2}, "lkc-privacy needs k"),
    ],
)
def test_what_makes_no_sense_is_refused(said, sentence):
    with pytest.raises(ParameterError, match=sentence):
        from_dict({"name": "lkc-privacy", **said})


ILLNESSES = shoal.Categorical(("flu", "cold"))


def people(columns=3, **said):
    schema = shoal.Schema()
    frame = {}
    for i in range(columns):
        schema = schema.with_column(f"q{i}", role="quasi-identifier", domain=(0, 7), hierarchy=shoal.intervals(2, 4))
        frame[f"q{i}"] = [(row // (i + 1)) % 8 for row in range(64)]
    frame["ill"] = ["flu" if row % 3 else "cold" for row in range(64)]
    return pa.table(frame), schema.with_column("ill", role="sensitive", **said)


def test_full_domain_methods_keep_it_too():
    frame, schema = people()
    asked = LKCPrivacy(2, 4, 0.9, "ill")
    release = shoal.OptimalLattice(k=1, criteria=(asked,)).anonymize(frame, schema)
    rows = list(zip(*(release.data[f"q{i}"].to_pylist() for i in range(3)), strict=True))
    assert naive.has_lkc(rows, release.data["ill"].to_pylist(), 2, 4, 0.9)
    assert release.certificate.criteria[1]["reached"] >= 4


def test_a_value_that_was_not_declared_is_refused_with_the_nearest():
    frame, schema = people(domain=ILLNESSES)
    with pytest.raises(SchemaError, match=r"'flue' is not among the declared values of 'ill'.*Did you mean 'flu'"):
        shoal.OptimalLattice(criteria=(LKCPrivacy(2, 4, 0.9, "ill", ("flue",)),)).anonymize(frame, schema)


def test_too_many_combinations_are_refused():
    frame, schema = people(columns=30)
    with pytest.raises(ParameterError, match="length = 10 of 30 quasi-identifiers are 30,045,015 combinations"):
        shoal.PAIS(length=10, utility="discernibility").anonymize(frame, schema)


def test_methods_that_judge_classes_one_by_one_refuse_it():
    frame, schema = people()
    with pytest.raises(ParameterError, match="lkc-privacy is about groups of classes"):
        shoal.Mondrian(k=2, criteria=(LKCPrivacy(2, 4),)).anonymize(frame, schema)
