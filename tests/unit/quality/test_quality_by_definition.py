"""Every quality model against the formula of its paper, with suppressed records as rows of stars."""

from dataclasses import replace
from math import isclose, log2

import naive
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import MODELS, WEIGHTED, class_keys, examples, fixed_by, model_on, nodes_of, samples, table_of

from shoal.data.schema import Role
from shoal.errors import ParameterError, SchemaError
from shoal.quality import (
    AverageClassSize,
    BoundedByClasses,
    BoundedByColumns,
    Classification,
    Discernibility,
    EquivalenceClassSize,
    Granularity,
    GroupSize,
    Intensity,
    Loss,
    NonUniformEntropy,
    Precision,
    QualityModel,
    ShannonEntropy,
)
from shoal.search.lattice import NodeClasses

KINDS = pytest.mark.parametrize("kind", MODELS)
SHAPE = {"quasi": (1, 3), "sensitive": (1, 1), "records": (1, 20)}
CELLS = (Granularity, Intensity, Loss, Precision)


def close(a, b):
    return isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)


def some_of(classes, data):
    """Any classes suppressed, as a mask and as keys."""
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=len(classes), max_size=len(classes))), dtype=bool)
    return mask, {key for key, gone in zip(class_keys(classes), mask, strict=True) if gone}


@KINDS
@given(data=st.data())
@examples(40)
def test_score_and_loss_are_those_of_the_paper_whatever_is_suppressed(kind, data):
    sample = data.draw(samples(**SHAPE))
    model, node = data.draw(model_on(sample, kind)), data.draw(nodes_of(sample))
    classes = NodeClasses(sample.table).at(node)
    mask, out = some_of(classes, data)
    objective = model.on(sample.table)
    assert close(objective.score(classes, mask), naive.score(sample, model, node, out))
    assert close(objective.loss(classes, mask), naive.loss(sample, model, node, out))


@KINDS
@given(data=st.data())
@examples(15)
def test_loss_lies_between_nothing_and_everything(kind, data):
    sample = data.draw(samples(**SHAPE))
    model, node = data.draw(model_on(sample, kind)), data.draw(nodes_of(sample))
    classes = NodeClasses(sample.table).at(node)
    mask, _ = some_of(classes, data)
    loss = model.on(sample.table).loss(classes, mask)
    assert loss <= 1 + 1e-9
    if kind != "entropy" or not mask.any():  # suppressing a part of one value can lower its homogeneity
        assert loss >= -1e-9


@KINDS
@given(data=st.data())
@examples(15)
def test_the_original_table_loses_nothing(kind, data):
    """Discernibility and classification lose nothing where no table could be better: every record for itself."""
    sample = data.draw(samples(**SHAPE))
    model = data.draw(model_on(sample, kind))
    bottom = (0,) * len(sample.quasi)
    if kind in {"discernibility", "classification"}:
        known = [i for i in sample.quasi if sample.names[i] != getattr(model, "target", None)]
        rows = {tuple(row[i] for i in known): row for row in sample.rows}
        sample = replace(sample, rows=tuple(rows.values()))
    classes = NodeClasses(sample.table).at(bottom)
    assert close(model.on(sample.table).loss(classes, np.zeros(len(classes), dtype=bool)), 0)


@KINDS
@given(data=st.data())
@examples(15)
def test_nothing_is_left_when_everything_is_suppressed(kind, data):
    sample = data.draw(samples(**SHAPE))
    model, node = data.draw(model_on(sample, kind)), data.draw(nodes_of(sample))
    if kind == "discernibility":
        assume(len(sample.rows) > 1)
    if kind == "equivalence class size":
        assume(sample.table.distinct > 1)
    if kind in {"entropy", "Shannon entropy"}:  # columns with one value are as homogeneous as none
        assume(any(w and len({row[i] for row in sample.rows}) > 1
                   for i, w in zip(sample.quasi, naive.weights_of(sample, model), strict=True)))  # fmt: skip
    if kind == "granularity":  # a domain of one value is covered before anything is done
        assume(any(w and len(sample.paths[i]) > 1
                   for i, w in zip(sample.quasi, naive.weights_of(sample, model), strict=True)))  # fmt: skip
    classes = NodeClasses(sample.table).at(node)
    assert close(model.on(sample.table).loss(classes, np.ones(len(classes), dtype=bool)), 1)


@KINDS
@given(data=st.data())
@examples(15)
def test_coarser_recodings_never_lose_less_when_nothing_is_suppressed(kind, data):
    sample = data.draw(samples(**SHAPE))
    model, node = data.draw(model_on(sample, kind)), data.draw(nodes_of(sample))
    node = tuple(at if at >= 0 else level for level, at in zip(node, fixed_by(sample, model), strict=True))
    above = [
        n
        for n in sample.nodes
        if all(a >= b and (at < 0 or a == at) for a, b, at in zip(n, node, fixed_by(sample, model), strict=True))
    ]
    objective = model.on(sample.table)
    fine, coarse = (NodeClasses(sample.table).at(n) for n in (node, data.draw(st.sampled_from(above))))
    losses = [objective.loss(classes, np.zeros(len(classes), dtype=bool)) for classes in (fine, coarse)]
    assert losses[0] <= losses[1] + 1e-9


# Worked numbers


def worked(model):
    """Four records, ages 1, 1, 2, 9 and sexes f, f, m, m, at levels (1, 0), the class (low, m) suppressed."""
    sample = table_of(
        {
            "age": (Role.QUASI_IDENTIFIER, {"1": ("1", "low", "*"), "2": ("2", "low", "*"), "9": ("9", "high", "*")}),
            "sex": (Role.QUASI_IDENTIFIER, ["f", "m"]),
            "ill": (Role.SENSITIVE, ["flu", "cold"]),
        },
        [("1", "f", "flu"), ("1", "f", "cold"), ("2", "m", "flu"), ("9", "m", "flu")],
    )
    classes = NodeClasses(sample.table).at((1, 0))
    mask = np.array([key == ("low", "m") for key in class_keys(classes)])
    objective = model.on(sample.table)
    return objective.score(classes, mask), objective.loss(classes, mask)


@pytest.mark.parametrize(
    ("model", "score", "loss"),
    [
        # cells: low 2/3, high 1/3 of ages; a sex 1/2; a star 1 each
        (
            Granularity(),
            -(2 * (2 / 3) + 1 / 3 + 1) - (3 * (1 / 2) + 1),
            (5 / 3 - 1 / 3 + 1 / 2) / (4 * (2 / 3 + 1 / 2)),
        ),
        (Intensity(), -(3 * (1 / 2) + 1) - 1, 3.5 / 8),
        (Precision(), -(3 * (1 / 2) + 1) - 1, 3.5 / 8),
        (Loss(), -(2 * (1 / 2) + 0 + 1) - 1, 3 / 8),
        (Loss({"age": 3}), -3 * 2 - 1, 7 / 16),
        (Loss({"sex": 0}), -2, 2 / 4),
        (Discernibility(), -((4 + 1) / 4 + 1), (2.25 - 1) / 3),
        (NonUniformEntropy(), -((4 + 1) / 4 + 1) - ((4 + 1) / 4 + 1), (4.5 - 1.5 - 2) / (8 - 3.5)),
        (GroupSize(), 2, 1 - 2 / 3),
        (AverageClassSize(), -3 / 2, 1 - 3 / 4 * (1 - (3 / 2 - 4 / 3) / (4 - 4 / 3))),
        (EquivalenceClassSize(), -4 / 3, 0),
        (ShannonEntropy(), -(2 * log2(3 / 2) + log2(3)), (2 * log2(3 / 2) + log2(3)) / 10),
        (Classification("ill"), 2, 1 / 2),
        (Classification("sex"), 3, 1 / 4),
    ],
)
def test_worked_numbers(model, score, loss):
    assert worked(model) == pytest.approx((score, loss))


@pytest.mark.parametrize("model", CELLS)
@pytest.mark.parametrize(
    "tree",
    [
        {"a": ("a", "*"), "b": ("b", "*")},
        {"a": ("a", "x", "*"), "b": ("b", "x", "*"), "c": ("c", "c", "*")},
        {"a": ("a", "*", "*"), "b": ("b", "*", "*")},
    ],
)
def test_a_cell_generalized_to_the_root_costs_as_much_as_a_suppressed_one(model, tree):
    """Also where a hierarchy repeats its root."""
    sample = table_of({"q": (Role.QUASI_IDENTIFIER, tree)}, [(leaf,) for leaf in tree])
    costs = model().costs(sample.table["q"].hierarchy)
    assert costs[sample.table["q"].hierarchy.root] == 1
    assert (costs >= 0).all()


SAFEPUB = (Granularity(), Intensity(), Discernibility(), NonUniformEntropy(), GroupSize(), Classification("ill"))


@pytest.mark.parametrize("model", SAFEPUB, ids=lambda model: type(model).__name__)
def test_a_table_without_records_scores_nothing(model):
    """Sampling may leave nothing: SafePub's φ and sums over no records are 0."""
    columns = {"age": (Role.QUASI_IDENTIFIER, ["1", "2"]), "ill": (Role.SENSITIVE, ["flu", "cold"])}
    empty = table_of(columns, []).table
    classes = NodeClasses(empty).at((0,))
    assert len(classes) == 0
    assert model.on(empty).score(classes, np.zeros(0, dtype=bool)) == 0


# Parameters


@pytest.mark.parametrize("kind", WEIGHTED)
@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        ({"agee": 1}, r"a weight is given for 'agee', which is not a quasi-identifier; those are 'age', 'sex'\. Did"),
        ({"ill": 1}, "a weight is given for 'ill', which is not a quasi-identifier"),
        ({"age": -1}, "the weight of 'age' must be 0 or more; got -1"),
        ({"age": float("nan")}, r"weights\['age'\] must be a number; got nan"),
        ({"age": float("inf")}, r"weights\['age'\] must be a number; got inf"),
        ({"age": 0, "sex": 0}, "all weights are 0; at least one quasi-identifier must count"),
    ],
)
def test_weights_that_make_no_sense_are_refused(kind, weights, sentence):
    with pytest.raises(ParameterError, match=sentence):
        worked(WEIGHTED[kind](weights))


def test_classification_needs_a_counted_target_and_a_feature():
    with pytest.raises(SchemaError, match="no column 'nobody' among the counted ones"):
        worked(Classification("nobody"))
    alone = table_of({"age": (Role.QUASI_IDENTIFIER, ["1", "2"])}, [("1",)])
    with pytest.raises(SchemaError, match="the target 'age' is the only quasi-identifier"):
        Classification("age").on(alone.table)


@KINDS
@given(data=st.data())
@examples(3)
def test_every_model_is_a_quality_model_and_every_objective_bounds_a_search(kind, data):
    sample = data.draw(samples(quasi=(2, 2), sensitive=(1, 1), records=(1, 5)))
    model = data.draw(model_on(sample, kind))
    assert isinstance(model, QualityModel)
    objective = model.on(sample.table)
    assert isinstance(objective, BoundedByColumns) != isinstance(objective, BoundedByClasses)
