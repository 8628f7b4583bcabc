"""The earth mover's distance against the linear program that defines it."""

from collections import Counter

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import attribute_of, examples, trees

from shoal.criteria.closeness import Distance, earth_movers_distance, potentials, work
from shoal.data.domain import Categorical
from shoal.data.hierarchies.paths import Paths

optimize = pytest.importorskip("scipy.optimize", reason="the linear program that defines the distance needs scipy")


def transport(costs, supply, demand):
    """The least work to move `supply` to `demand`: Li et al. 2007, Definition 3."""
    m = len(supply)
    constraints = np.zeros((2 * m, m * m))
    for i in range(m):
        constraints[i, i * m : (i + 1) * m] = 1
        constraints[m + i, i::m] = 1
    found = optimize.linprog(
        np.ravel(costs), A_eq=constraints[:-1], b_eq=np.concatenate([supply, demand])[:-1], method="highs"
    )
    assert found.success
    return found.fun


def shares(values, leaves):
    counted = Counter(values)
    return np.array([counted[leaf] / len(values) for leaf in leaves])


@pytest.mark.parametrize("distance", Distance)
@given(data=st.data())
@examples(30)
def test_the_formula_is_the_optimum_of_the_transport_problem(distance, data):
    tree = data.draw(trees(max_leaves=6, max_height=3))
    some = st.lists(st.sampled_from(list(tree)), min_size=1, max_size=9)
    here, whole = data.draw(some), data.draw(some)
    leaves = list(tree)
    costs = [[naive.ground_distance(distance, tree, a, b) for b in leaves] for a in leaves]
    work = transport(costs, shares(here, leaves), shares(whole, leaves))
    assert naive.earth_movers_distance(distance, tree, here, whole) == pytest.approx(work, abs=1e-7)
    attribute = attribute_of("s", Paths(tuple(tree.values())), Categorical(tuple(leaves)))
    excess = shares(here, attribute.domain.values) - shares(whole, attribute.domain.values)
    assert earth_movers_distance(excess[None, :], attribute, distance)[0] == pytest.approx(work, abs=1e-7)


@pytest.mark.parametrize("distance", Distance)
@given(data=st.data())
@examples(30)
def test_potentials_are_prices_that_no_transport_undercuts_and_that_its_least_work_reaches(distance, data):
    """Kantorovich & Rubinstein: no two values differ by more than their distance, and f·(p − q) is the distance."""
    tree = data.draw(trees(max_leaves=6, max_height=3))
    some = st.lists(st.sampled_from(list(tree)), min_size=1, max_size=9)
    attribute = attribute_of("s", Paths(tuple(tree.values())), Categorical(tuple(tree)))
    leaves = attribute.domain.values
    excess = (shares(data.draw(some), leaves) - shares(data.draw(some), leaves))[None, :]
    signs = np.sign(work(excess, attribute, distance))
    (potential,) = potentials(signs, attribute, distance)
    assert potential @ excess[0] == pytest.approx(earth_movers_distance(excess, attribute, distance)[0], abs=1e-9)
    for i, a in enumerate(leaves):
        for j, b in enumerate(leaves):
            assert potential[i] - potential[j] <= naive.ground_distance(distance, tree, a, b) + 1e-9
