"""The lower bounds a search relies on: for every recoding between lo and hi that suppresses what hi suppresses."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import CRITERIA, MODELS, WEIGHTED, examples, fixed_by, model_on, nodes_of, samples

from shoal.criteria import DistinctDiversity, KAnonymity, violations
from shoal.quality import BoundedByColumns, PricedByRecords
from shoal.search.lattice import NodeClasses

SLACK = 1e-9


@st.composite
def boxes(draw, kind):
    """A sample, a model, criteria that survive growth, and nodes lo ≤ v ≤ hi with the target where it must stay."""
    sample = draw(samples(quasi=(1, 3), sensitive=(1, 1), records=(1, 20), max_leaves=4))
    model = draw(model_on(sample, kind))
    criteria = [draw(CRITERIA["k-anonymity"](""))]
    if draw(st.booleans()):
        criteria.append(draw(CRITERIA["distinct"](sample.sensitive_names[0])))
    three = [draw(nodes_of(sample)) for _ in range(3)]
    lo, v, hi = (tuple(sorted(levels)[i] for levels in zip(*three, strict=True)) for i in range(3))
    fixed = fixed_by(sample, model)
    lo, v, hi = (tuple(at if at >= 0 else level for level, at in zip(node, fixed, strict=True)) for node in (lo, v, hi))
    return sample, model, criteria, lo, v, hi


def smallest_class(criteria):
    return max(c.k if isinstance(c, KAnonymity) else c.diversity for c in criteria)


def lost_by_column(objective, table, rows):
    """Counted at the level that the objective asks for: leaves, if it does not."""
    quasi = table.quasi_identifiers
    lost = [table.marginal(attribute.name, rows) for attribute in quasi]
    levels = getattr(objective, "counted_at", [0] * len(quasi))
    starts = [attribute.hierarchy.starts[level] for attribute, level in zip(quasi, levels, strict=True)]
    return [np.add.reduceat(counts, first) for counts, first in zip(lost, starts, strict=True)]


def bound(objective, table, lo, hi, out):
    """As a search computes it: from the classes of hi that are suppressed for certain."""
    coarse = NodeClasses(table).at(hi)
    if isinstance(objective, BoundedByColumns):
        rows = coarse.rows(out)
        floors = objective.floors(lost_by_column(objective, table, rows) if len(rows) else None)
        return sum(levels[level] for levels, level in zip(floors, lo, strict=True))
    return objective.floor(NodeClasses(table).at(lo)) + objective.surcharge(coarse, out)


@pytest.mark.parametrize("kind", MODELS)
@given(data=st.data())
@examples(50)
def test_no_recoding_of_a_box_loses_less_than_its_bound(kind, data):
    """Nor when it suppresses more than it must."""
    sample, model, criteria, lo, v, hi = data.draw(boxes(kind))
    table = sample.table
    objective = model.on(table, smallest_class=smallest_class(criteria))
    certain = violations(criteria, NodeClasses(table).at(hi))
    here = NodeClasses(table).at(v)
    must = violations(criteria, here)
    more = np.array(data.draw(st.lists(st.booleans(), min_size=len(here), max_size=len(here))), dtype=bool)
    least = bound(objective, table, lo, hi, certain)
    assert objective.loss(here, must) >= least - SLACK
    assert objective.loss(here, must | more) >= least - SLACK


@pytest.mark.parametrize("kind", WEIGHTED)
@given(data=st.data())
@examples(25)
def test_what_a_column_costs_at_the_least_rises_with_its_level_and_with_what_is_lost(kind, data):
    sample, model, criteria, _, v, _ = data.draw(boxes(kind))
    table, objective = sample.table, model.on(sample.table)
    out = violations(criteria, NodeClasses(table).at(v))
    rows = NodeClasses(table).at(v).rows(out)
    lost = lost_by_column(objective, table, rows)
    for free, bound_by_loss, height in zip(objective.floors(None), objective.floors(lost), sample.heights, strict=True):
        assert len(free) == len(bound_by_loss) == height + 1
        assert (np.diff(free) >= -SLACK).all()
        assert (np.diff(bound_by_loss) >= -SLACK).all()
        assert (bound_by_loss >= free - SLACK).all()


@pytest.mark.parametrize("kind", ["granularity", "intensity", "loss", "precision"])
@given(data=st.data())
@examples(20)
def test_a_suppressed_record_adds_at_least_its_surcharge_at_every_finer_recoding(kind, data):
    sample, model, _, _, v, hi = data.draw(boxes(kind))
    objective, classes = model.on(sample.table), NodeClasses(sample.table).at(v)
    assert isinstance(objective, PricedByRecords)
    each = sum(levels[level] for levels, level in zip(objective.surcharges, hi, strict=True))
    out = np.array(data.draw(st.lists(st.booleans(), min_size=len(classes), max_size=len(classes))), dtype=bool)
    added = objective.loss(classes, out) - objective.loss(classes, np.zeros(len(classes), dtype=bool))
    assert added >= each * classes.sizes[out].sum() - SLACK


@pytest.mark.parametrize("kind", ["granularity", "intensity", "loss", "precision"])
@given(data=st.data())
@examples(20)
def test_an_exact_bound_at_a_nodes_own_levels_is_its_loss(kind, data):
    sample, model, criteria, _, v, _ = data.draw(boxes(kind))
    table, objective = sample.table, model.on(sample.table)
    classes = NodeClasses(table).at(v)
    out = violations(criteria, classes)
    assert objective.is_exact
    assert bound(objective, table, v, v, out) == pytest.approx(objective.loss(classes, out), abs=SLACK)


@pytest.mark.parametrize("kind", ["discernibility", "group size"])
@given(data=st.data())
@examples(20)
def test_a_larger_smallest_class_only_raises_the_floor(kind, data):
    sample, model, _, lo, _, _ = data.draw(boxes(kind))
    classes = NodeClasses(sample.table).at(lo)
    floors = [model.on(sample.table, smallest_class=k).floor(classes) for k in (1, 2, 5)]
    assert floors == sorted(floors)
    assert floors[0] == pytest.approx(model.on(sample.table).loss(classes, np.zeros(len(classes), dtype=bool)))


def test_the_criteria_of_these_tests_survive_growth():
    assert all(criterion.implied() == criterion for criterion in (KAnonymity(3), DistinctDiversity(2, "s")))
