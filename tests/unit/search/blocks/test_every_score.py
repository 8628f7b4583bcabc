"""The best node by the scores of all nodes is the one that looking at every node finds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples, fixed_at, model_on, samples, table_of

from shoal.criteria import DistinctDiversity, KAnonymity
from shoal.data.schema import Role
from shoal.quality import Classification, GroupSize, Loss, NonUniformEntropy
from shoal.search.blocks.every_score import best_of_scores, has_every_score
from shoal.search.evaluator import Evaluator
from shoal.search.exhaustive import best_of_all


def both(sample, model, k, allowed, fixed=None):
    """What both searches come to, with how much each looked at left out."""
    found = []
    for search in (best_of_scores, best_of_all):
        result = search(Evaluator(sample.table, [KAnonymity(k)], model, allowed), fixed=fixed)
        found.append(result and (result.node, pytest.approx(result.loss, abs=1e-9), result.suppressed, result.lattice))
    return found


@pytest.mark.parametrize("kind", ["group size", "equivalence class size", "classification"])
@given(data=st.data())
@examples(60)
def test_it_finds_what_looking_at_every_node_finds(kind, data):
    sample = data.draw(samples(quasi=(2, 5), sensitive=(0, 0), records=(1, 40), max_leaves=6, max_height=3))
    model = data.draw(model_on(sample, kind))
    n = len(sample.rows)
    allowed = data.draw(st.sampled_from([0, 1, n // 10, n // 3, n - 1]))
    heights = [attribute.hierarchy.height for attribute in sample.table.quasi_identifiers]
    fixed = data.draw(st.none() | fixed_at(heights))
    ours, naive = both(sample, model, data.draw(st.integers(1, 6)), allowed, fixed)
    assert ours == naive


def test_it_is_asked_for_k_anonymity_and_models_that_add_up_only():
    sample = table_of({"a": (Role.QUASI_IDENTIFIER, ["0", "1"]), "s": (Role.SENSITIVE, ["x", "y"])}, [("0", "x")] * 9)

    def answer(model, *criteria):
        return has_every_score(Evaluator(sample.table, criteria, model, 0))

    assert answer(GroupSize(), KAnonymity(2))
    assert answer(GroupSize(), KAnonymity(2), KAnonymity(3))
    assert not answer(NonUniformEntropy(), KAnonymity(2))  # bounds are faster
    assert not answer(Loss(), KAnonymity(2))
    assert not answer(Classification("s"), KAnonymity(2))  # its target is not generalized
    assert not answer(GroupSize())
    assert not answer(GroupSize(), KAnonymity(2), DistinctDiversity(2, "s"))
