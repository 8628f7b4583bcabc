"""OLA's tagging finds every minimal admissible node, and nothing else."""

from unittest.mock import patch

import naive
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import criteria_about, examples, fixed_at, samples, table_of

from shoal.criteria import Closeness, FrequencyDiversity, KAnonymity
from shoal.data.schema import Role
from shoal.errors import ParameterError
from shoal.quality import Discernibility, Loss, NonUniformEntropy, Precision
from shoal.search import minimal
from shoal.search.best_minimal import best_minimal_node
from shoal.search.evaluator import Evaluator
from shoal.search.minimal import minimal_nodes


@st.composite
def monotone_requests(draw):
    shape = draw(st.sampled_from([((1, 2), 3), ((3, 3), 2), ((4, 4), 1)]))
    sample = draw(samples(quasi=shape[0], sensitive=(1, 1), records=(1, 15), max_leaves=4, max_height=shape[1]))
    if draw(st.booleans()):
        return sample, draw(criteria_about(sample)), 0
    criteria = draw(criteria_about(sample, kinds=("k-anonymity", "distinct")))
    return sample, criteria, draw(st.integers(0, len(sample.rows) - 1))


@given(monotone_requests(), st.data())
@examples(100)
def test_the_minimal_nodes_are_those_below_which_nothing_is_admissible(request_, data):
    sample, criteria, allowed = request_
    fixed = data.draw(st.one_of(st.none(), fixed_at(sample.heights)))
    evaluator = Evaluator(sample.table, criteria, Loss(), allowed)
    found = minimal_nodes(evaluator, fixed)
    assert set(found) == naive.minimal(naive.admissible(sample, criteria, allowed, fixed))
    assert len(set(found)) == len(found)
    assert evaluator.evaluated <= len(sample.nodes)


@given(monotone_requests(), st.sampled_from([Loss(), Precision(), Discernibility(), NonUniformEntropy()]), st.data())
@examples(150)
def test_the_best_of_the_minimal_nodes_is_found_without_tagging_the_lattice(request_, quality, data):
    sample, criteria, allowed = request_
    fixed = data.draw(st.one_of(st.none(), fixed_at(sample.heights)))
    evaluator = Evaluator(sample.table, criteria, quality, allowed)
    minimal_ones = minimal_nodes(evaluator, fixed)
    best = min(((evaluator.price(node, evaluator.classes)[0], node) for node in minimal_ones), default=None)
    assert best_minimal_node(evaluator, fixed) == best


SMALL = table_of(
    {"q": (Role.QUASI_IDENTIFIER, ["x", "y"]), "s": (Role.SENSITIVE, ["a", "b"])},
    [("x", "a"), ("y", "b"), ("y", "a")],
).table


@pytest.mark.parametrize("criterion", [Closeness(0.5, "s"), FrequencyDiversity(1.5, "s")])
def test_a_request_that_coarser_recodings_may_break_is_refused(criterion):
    with pytest.raises(ParameterError, match=r"OLA needs a criterion that coarser recodings keep.*Use optimal-lattice"):
        minimal_nodes(Evaluator(SMALL, [KAnonymity(1), criterion], Loss(), 1))
    minimal_nodes(Evaluator(SMALL, [KAnonymity(1), criterion], Loss(), 0))


def test_a_lattice_too_large_to_tag_is_refused_before_anything_is_looked_at():
    evaluator = Evaluator(SMALL, [KAnonymity(1)], Loss(), 0)
    with (
        patch.object(minimal, "LARGEST_LATTICE", 1),
        pytest.raises(ParameterError, match="OLA is for lattices of at most 1 nodes, and this one has 2; use optimal"),
    ):
        minimal_nodes(evaluator)
    assert evaluator.evaluated == 0


def test_progress_is_told_as_a_share():
    told = []
    minimal_nodes(Evaluator(SMALL, [KAnonymity(2)], Loss(), 0), progress=lambda *what: told.append(what))
    assert told
    assert all(task == "tagging the lattice" and 0 <= share <= 1 for task, share in told)
