"""The picture of a lattice: every node as the evaluator prices it, whether the request allows it or not."""

from dataclasses import replace

import shoal
from shoal.pipeline import encoded
from shoal.plan.plan import Plan
from shoal.search.scores import scored


def example(folder):
    from shoal.examples import write_example

    plan = Plan.load(write_example(folder, 300))
    return plan.method.evaluator(encoded(plan.data.engine(), plan.schema, plan.method))


def test_every_node_is_priced_as_the_evaluator_does(tmp_path):
    evaluator = example(tmp_path)
    found = scored(evaluator, most=10_000)
    assert list(found.nodes) == list(evaluator.lattice)
    assert found.of == evaluator.lattice.size == len(found.losses)
    free = replace(evaluator, allowed=evaluator.table.total - 1)
    for i in range(0, len(found.nodes), 97):
        loss, suppressed = free.price(found.nodes[i], free.classes)
        assert (found.losses[i], found.suppressed[i]) == (loss, min(suppressed, evaluator.table.total))
    best = min(loss for loss, left in zip(found.losses, found.suppressed, strict=True) if left <= evaluator.allowed)
    outcome = shoal.OptimalLattice(k=5, diversity=2.0).run(evaluator.table)
    assert best == outcome.search["loss"]


def test_of_a_large_lattice_some_are_drawn_and_time_is_kept(tmp_path):
    evaluator = example(tmp_path)
    some = scored(evaluator, most=40)
    assert len(set(some.nodes)) == 40
    assert {evaluator.lattice.bottom, evaluator.lattice.top} <= set(some.nodes)
    assert scored(evaluator, most=40, seconds=-1).nodes == ()
