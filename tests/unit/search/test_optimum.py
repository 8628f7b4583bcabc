"""Both searches find the true optimum of the whole lattice, and say no more than they know when cut short."""

from dataclasses import dataclass
from math import inf
from unittest.mock import patch

import naive
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import (
    CRITERIA,
    MODELS,
    criteria_about,
    examples,
    fixed_at,
    fixed_by,
    model_on,
    nodes_of,
    samples,
    table_of,
)

from shoal.criteria import Closeness, EntropyDiversity, KAnonymity
from shoal.data.schema import Role
from shoal.errors import InfeasibleError
from shoal.quality import Discernibility, Loss
from shoal.search import optimal
from shoal.search.evaluator import Evaluator
from shoal.search.exhaustive import best_of_all
from shoal.search.optimal import Deadline, best_node

SHAPES = st.sampled_from(
    [
        {"quasi": (1, 2), "sensitive": (1, 2), "records": (1, 16), "max_leaves": 4, "max_height": 3},
        {"quasi": (3, 3), "sensitive": (1, 1), "records": (4, 12), "max_leaves": 4, "max_height": 2},
        {"quasi": (4, 4), "sensitive": (1, 1), "records": (4, 9), "max_leaves": 3, "max_height": 1},
    ]
)


@st.composite
def requests(draw, kind=None, criterion=None):
    """A sample, a quality model of one kind, criteria with one of a kind among them, and how much may be suppressed."""
    sample = draw(samples(**draw(SHAPES)))
    model = draw(model_on(sample, kind or draw(st.sampled_from(MODELS))))
    column = draw(st.sampled_from(sample.sensitive_names))
    criteria = [draw(CRITERIA[criterion](column))] if criterion else []
    criteria += (
        draw(criteria_about(sample, max_size=1 if criterion else 2)) if not criterion or draw(st.booleans()) else []
    )
    n = len(sample.rows)
    allowed = draw(st.sampled_from([0, 1, n // 10, n // 3, n]))
    return sample, model, criteria, allowed


def losses(sample, model, criteria, allowed, fixed=None):
    """{node: loss} of every admissible node that publishes a record, by definition.

    Whether suppressing every record is admissible is a method's question: it loses all there is to lose, so it never
    beats a node that publishes something.
    """
    fits = naive.admissible(sample, criteria, allowed, fixed, model)
    return {
        node: naive.loss(sample, model, node, out)
        for node, out in fits.items()
        if len(out) < len(naive.classes(sample, node))
    }


def assert_optimal(sample, found, wanted):
    if not wanted:
        assert found is None or found.suppressed == len(sample.rows)
        return
    assert found is not None
    assert found.loss == pytest.approx(min(wanted.values()), abs=1e-9)
    assert found.suppressed == len(sample.rows) or wanted[found.node] == pytest.approx(found.loss, abs=1e-9)
    assert found.least == found.loss
    assert found.is_optimal


def optima(sample, model, criteria, allowed, fixed):
    """What both searches find, which is the optimum of all nodes that hold what is fixed."""
    wanted = losses(sample, model, criteria, allowed, fixed)
    large = 0 if len(sample.rows) % 2 else optimal._LARGE  # with and without a good node to begin with
    for search in (best_node, best_of_all):
        with patch.object(optimal, "_LARGE", large):
            found = search(Evaluator(sample.table, criteria, model, allowed), fixed=fixed)
        assert_optimal(sample, found, wanted)
        yield found


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("kind", MODELS)
@given(data=st.data())
@examples(12)
def test_both_searches_find_the_optimum_of_the_whole_lattice(kind, criterion, data):
    """For every quality model, every criterion and any suppression limit."""
    sample, model, criteria, allowed = data.draw(requests(kind, criterion))
    for found in optima(sample, model, criteria, allowed, fixed_by(sample, model)):
        if found is not None:
            classes = naive.classes(sample, found.node)
            choices = naive.choices(sample, criteria, classes, found.node, allowed)
            assert found.suppressed in [sum(len(classes[key]) for key in out) for out in choices]
            assert found.lattice == len(sample.nodes)


@given(st.data())
@examples(40)
def test_fixed_columns_stay_where_they_are(data):
    sample, model, criteria, allowed = data.draw(requests())
    fixed = data.draw(fixed_at(sample.heights))
    target = fixed_by(sample, model)
    fixed = tuple(t if t >= 0 else at for at, t in zip(fixed, target, strict=True))
    for found in optima(sample, model, criteria, allowed, fixed):
        assert found is None or naive.within(found.node, fixed)


class Clock:
    """A clock that ticks each time it is read, so that a search can be stopped at any of its steps."""

    def __init__(self):
        self.now = 0

    def monotonic(self):
        self.now += 1
        return self.now


@pytest.mark.parametrize("kind", MODELS)
@given(data=st.data())
@examples(15)
def test_a_search_cut_short_never_claims_more_than_is_true(kind, data):
    sample, model, criteria, allowed = data.draw(requests(kind))
    fixed = fixed_by(sample, model)
    wanted = losses(sample, model, criteria, allowed, fixed)
    steps = data.draw(st.one_of(st.integers(0, 4), st.integers(0, 40)))
    found, complaint = None, ""
    try:
        with patch.object(optimal, "time", Clock()):
            evaluator = Evaluator(sample.table, criteria, model, allowed)
            found = best_node(evaluator, deadline=Deadline(steps), fixed=fixed)
    except InfeasibleError as error:
        complaint = str(error)
    if complaint:  # nothing admissible was seen in time
        assert "does not mean that there is none" in complaint
        return
    if found is None or not wanted:  # nothing to publish, or nothing left to publish
        assert not wanted
        assert found is None or found.suppressed == len(sample.rows)
        return
    best = min(wanted.values())
    assert found.suppressed == len(sample.rows) or wanted[found.node] == pytest.approx(found.loss, abs=1e-9)
    assert found.least <= best + 1e-9
    assert found.least <= found.loss
    if found.is_optimal:
        assert found.loss == pytest.approx(best, abs=1e-9)


def test_a_search_that_is_given_no_time_has_looked_at_the_coarsest_recoding_and_does_not_call_it_optimal():
    sample = hand_written()
    found = best_node(Evaluator(sample.table, [KAnonymity(2)], Loss(), 0), deadline=Deadline(-inf))
    assert found.node == sample.heights
    assert found.loss == 1
    assert found.least == pytest.approx(1 / 3)  # a and b by themselves have values of one record, their groups do not
    assert not found.is_optimal


def hand_written():
    tree = {"1": ("1", "low", "*"), "2": ("2", "low", "*"), "8": ("8", "high", "*"), "9": ("9", "high", "*")}
    return table_of(
        {"a": (Role.QUASI_IDENTIFIER, tree), "b": (Role.QUASI_IDENTIFIER, tree), "s": (Role.SENSITIVE, ["x", "y"])},
        [("1", "8", "x"), ("2", "8", "y"), ("8", "1", "x"), ("9", "1", "y"), ("9", "9", "x")],
    )


def test_the_optimum_of_a_table_one_can_check_by_eye():
    """Column a to low and high, b as it is: classes of 2, 2 and 1; the last record is suppressed."""
    sample = hand_written()
    found = best_node(Evaluator(sample.table, [KAnonymity(2)], Loss(), 1))
    assert found.node == (1, 0)
    assert found.suppressed == 1
    assert found.loss == pytest.approx((4 * (1 / 3) + 2) / 10)


@dataclass(frozen=True)
class Unbounded:
    """A quality model of a stranger: the loss metric, without any bounds."""

    def on(self, table, smallest_class=1):
        del smallest_class
        return _Unbounded(Loss().on(table))

    def change(self, k, attributes):
        return Loss().change(k, attributes)


class _Unbounded:
    def __init__(self, objective):
        self.score, self.loss = objective.score, objective.loss


@given(st.data())
@examples(20)
def test_a_model_without_bounds_is_searched_to_the_end(data):
    sample, _, criteria, allowed = data.draw(requests("loss"))
    wanted = losses(sample, Loss(), criteria, allowed)
    evaluator = Evaluator(sample.table, criteria, Unbounded(), allowed)
    assert_optimal(sample, best_node(evaluator), wanted)


def test_progress_is_told_as_a_share():
    told = []
    sample = hand_written()
    best_node(Evaluator(sample.table, [KAnonymity(2)], Discernibility(), 1), progress=lambda *what: told.append(what))
    best_of_all(Evaluator(sample.table, [KAnonymity(2)], Loss(), 1), progress=lambda *what: told.append(what))
    tasks = [task for task, _ in told]
    assert {task.partition(":")[0] for task in tasks} == {
        "searching the lattice",
        "looking at every node of the lattice",
    }
    assert any(": a loss of " in task and "none below" in task for task in tasks)
    assert all(0 <= share <= 1 for _, share in told)


# One look at a node


@given(st.data())
@examples(60)
def test_one_look_prices_a_node_and_bounds_what_lies_below_it(data):
    sample, model, criteria, allowed = data.draw(requests())
    evaluator = Evaluator(sample.table, criteria, model, allowed)
    fixed = fixed_by(sample, model)
    node = tuple(at if at >= 0 else n for n, at in zip(data.draw(nodes_of(sample)), fixed, strict=True))
    wanted = losses(sample, model, criteria, allowed, fixed)
    look = evaluator.look(node)
    assert look.suppressed == len(sample.rows) or look.loss == pytest.approx(wanted.get(node, inf), abs=1e-9)
    below = {n: loss for n, loss in wanted.items() if all(a <= b for a, b in zip(n, node, strict=True))}
    if not look.is_open:
        assert not below
    lo = tuple(data.draw(st.integers(max(at, 0), level)) for level, at in zip(node, fixed, strict=True))
    inside = [loss for n, loss in below.items() if all(a >= b for a, b in zip(n, lo, strict=True))]
    if look.is_open and inside:
        assert look.bound(lo) <= min(inside) + 1e-9
    assert evaluator.price(node, evaluator.classes)[0] == pytest.approx(look.loss, abs=1e-9)


@given(st.data())
@examples(80)
def test_a_look_that_knows_a_possible_loss_closes_no_box_that_holds_a_lesser_one(data):
    sample, model, criteria, allowed = data.draw(requests())
    evaluator = Evaluator(sample.table, criteria, model, allowed)
    fixed = fixed_by(sample, model)
    wanted = losses(sample, model, criteria, allowed, fixed)
    node = tuple(at if at >= 0 else n for n, at in zip(data.draw(nodes_of(sample)), fixed, strict=True))
    lo = tuple(data.draw(st.integers(max(at, 0), level)) for level, at in zip(node, fixed, strict=True))
    known = data.draw(st.sampled_from([*wanted.values(), 0.3, 0.7]))
    look = evaluator.look(node, lo, known)
    inside = [wanted[n] for n in wanted if all(a <= b <= c for a, b, c in zip(lo, n, node, strict=True))]
    if not look.is_open:
        assert min(inside, default=inf) >= known - 1e-9
    if wanted.get(node, inf) < known - 1e-9:
        assert look.loss == pytest.approx(wanted[node], abs=1e-9)


@pytest.mark.parametrize(
    ("criteria", "allowed", "monotone"),
    [
        ([KAnonymity(2)], 3, True),
        ([KAnonymity(2), EntropyDiversity(2, "s")], 3, False),
        ([KAnonymity(2), EntropyDiversity(2, "s")], 0, True),
        ([Closeness(0.1, "s")], 1, False),
        ([], 1, True),
    ],
)
def test_a_request_is_monotone_if_all_criteria_survive_growth_or_nothing_may_be_suppressed(criteria, allowed, monotone):
    assert Evaluator(hand_written().table, criteria, Loss(), allowed).is_monotone == monotone


@given(st.data())
@examples(40)
def test_in_a_monotone_request_every_node_above_an_admissible_one_is_admissible(data):
    sample, model, criteria, allowed = data.draw(requests())
    if not Evaluator(sample.table, criteria, model, allowed).is_monotone:
        return
    fits = naive.admissible(sample, criteria, allowed)
    for node in sample.nodes:
        if any(all(a <= b for a, b in zip(n, node, strict=True)) for n in fits):
            assert node in fits
