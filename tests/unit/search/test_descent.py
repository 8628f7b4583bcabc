"""A good node early on: admissible, priced as it is, and no column of it can be made finer for less."""

from hypothesis import given
from hypothesis import strategies as st
from strategies import examples, model_on, samples

from shoal.criteria import KAnonymity
from shoal.search.descent import descend
from shoal.search.evaluator import Evaluator

SHAPE = {"quasi": (2, 4), "sensitive": (0, 0), "records": (2, 30), "max_leaves": 5, "max_height": 3}


def started(data, late):
    """Where a descent ends that begins with everything hidden."""
    sample = data.draw(samples(**SHAPE))
    allowed = data.draw(st.sampled_from([0, len(sample.rows) // 4, len(sample.rows) - 1]))
    k = data.draw(st.integers(1, min(4, len(sample.rows))))
    evaluator = Evaluator(sample.table, [KAnonymity(k)], data.draw(model_on(sample, "loss")), allowed)
    top = evaluator.lattice.top
    look = evaluator.look(top)
    start = (look.loss, top, look.suppressed)
    return evaluator, start, descend(evaluator, start, evaluator.lattice.bottom, late)


@given(st.data())
@examples(60)
def test_it_ends_where_no_column_can_be_made_finer_for_less(data):
    evaluator, start, (loss, node, suppressed) = started(data, late=lambda: False)
    priced, left_out = evaluator.price(node, evaluator.classes)
    assert loss <= start[0]
    assert abs(priced - loss) < 1e-9
    assert left_out == suppressed <= evaluator.allowed
    if evaluator.allowed == 0:  # what fails once fails further down
        for finer in evaluator.lattice.predecessors(node):
            assert evaluator.price(finer, evaluator.classes)[0] >= loss - 1e-9


@given(st.data())
@examples(10)
def test_without_time_it_stays_where_it_is(data):
    _, start, found = started(data, late=lambda: True)
    assert found == start
