"""SafePub §5 and appendix B: the score functions as the paper defines them, and how far one record moves them.

Theory SP-6 gives the exact range of each change; the paper's Theorems 6 to 9 give a bound Δ on its size, of which a
mechanism would use 2Δ. Here every table of a few small classes is tried.
"""

from functools import cache
from itertools import product

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples, nodes_of, samples, table_of

from shoal.criteria import KAnonymity, violations
from shoal.data.counts import Counts
from shoal.data.encoded import EncodedTable
from shoal.data.schema import Role
from shoal.quality import (
    Classification,
    Discernibility,
    Granularity,
    GroupSize,
    Intensity,
    Loss,
    NonUniformEntropy,
)
from shoal.search.lattice import NodeClasses

# The definitions


def named(model):
    return getattr(model, "__name__", type(model).__name__)


@pytest.mark.parametrize(
    "model", [Granularity(), Intensity(), Discernibility(), NonUniformEntropy(), GroupSize(), Classification], ids=named
)
@given(data=st.data())
@examples(60)
def test_a_score_is_the_papers_with_every_star_a_suppressed_value(model, data):
    """Definitions 4 to 8 on S(D), where a row generalized to (*, …, *) is a suppressed one.

    EQ(D) leaves out {* ∈ D} (§5.2); a column's projection counts its stars as suppressed (Def. 6); a record whose
    features are all stars has no weight (Def. 8). Theory 2c: the top scheme is scored with all rows suppressed.
    """
    sample = data.draw(samples(quasi=(2, 3), sensitive=(0, 0), records=(1, 20), max_leaves=4, max_height=2))
    node, k = data.draw(nodes_of(sample)), data.draw(st.integers(1, 4))
    if model is Classification:  # the class attribute is not generalized (theory 2c)
        position = data.draw(st.integers(0, len(node) - 1))
        model = Classification(sample.quasi_names[position])
        node = (*node[:position], 0, *node[position + 1 :])
    out = naive.suppressed(sample, [KAnonymity(k)], naive.classes(sample, node), node)
    classes = NodeClasses(sample.table).at(node)
    score = model.on(sample.table).score(classes, violations([KAnonymity(k)], classes))
    assert score == pytest.approx(naive.score(sample, model, node, out, stars=True), abs=1e-9)


# The change when one record is added, by trying every small table


LEAVES = {"a": ("a", "*"), "b": ("b", "*"), "c": ("c", "*")}
ONE = table_of({"q": (Role.QUASI_IDENTIFIER, LEAVES)}, []).attributes
TWO = table_of({"q": (Role.QUASI_IDENTIFIER, ["a", "b"]), "c": (Role.QUASI_IDENTIFIER, ["x", "y"])}, []).attributes


def table(attributes, cells):
    """A table from the number of records in each combination of leaves."""
    shape = [attribute.domain.size for attribute in attributes]
    rows = [(codes, size) for codes, size in zip(product(*map(range, shape)), cells, strict=True) if size]
    columns = [np.array([codes[i] for codes, _ in rows], dtype=np.uint8) for i in range(len(shape))]
    sizes = np.array([size for _, size in rows], dtype=np.int64)
    return EncodedTable(attributes, Counts.of([a.name for a in attributes], columns, shape, sizes))


def score(model, attributes, cells, k, node=None):
    """The score of a table under k-suppression, nothing generalized unless a node is given."""
    encoded = table(attributes, cells)
    classes = NodeClasses(encoded).at(node or (0,) * len(attributes))
    return model.on(encoded).score(classes, violations([KAnonymity(k)], classes))


def changes(model, attributes, k, most):
    """Every change of the score when one record is added to a table of at most `most` records a cell."""
    scored = cache(lambda cells: score(model, attributes, cells, k))
    width = int(np.prod([attribute.domain.size for attribute in attributes]))
    for cells in product(range(most + 1), repeat=width):
        for i in range(width):
            yield scored((*cells[:i], cells[i] + 1, *cells[i + 1 :])) - scored(cells)


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize(
    "model", [Granularity(), Intensity(), Loss(), Discernibility(), NonUniformEntropy(), GroupSize()], ids=named
)
def test_no_table_of_three_classes_moves_further_than_claimed(model, k):
    change = model.change(k, ONE)
    moved = list(changes(model, ONE, k, most=4))
    assert min(moved) >= change.least - 1e-9
    assert max(moved) <= change.most + 1e-9


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("model", [NonUniformEntropy(), NonUniformEntropy({"q": 3, "c": 0.5}), Classification("c")])
def test_no_table_of_two_binary_columns_moves_further_than_claimed(model, k):
    change = model.change(k, TWO)
    moved = list(changes(model, TWO, k, most=3))
    assert min(moved) >= change.least - 1e-9
    assert max(moved) <= change.most + 1e-9


MANY = 10**7


@pytest.mark.parametrize("k", [1, 2, 5, 20])
def test_the_claimed_changes_are_attained(k):
    """Each end that SP-6 calls tight is reached, or approached by a table with one large class beside a small one."""
    below, reach = (MANY, max(k - 2, 0), 0), (MANY, k - 1, 0)

    def moved(model, attributes, cells, i):
        more = (*cells[:i], cells[i] + 1, *cells[i + 1 :])
        return score(model, attributes, more, k) - score(model, attributes, cells, k)

    for model, leaf in ((Granularity(), 1 / 3), (Intensity(), 0), (Loss(), 0)):
        change = model.change(k, ONE)
        assert change.most == pytest.approx((k - 1) - k * leaf)
        assert moved(model, ONE, reach, 1) == pytest.approx(change.most, abs=1e-6)
        if k > 1:
            assert moved(model, ONE, below, 1) == pytest.approx(change.least, abs=1e-6)
    change = Discernibility().change(k, ONE)
    assert moved(Discernibility(), ONE, reach, 1) == pytest.approx(change.most, rel=1e-3)
    assert moved(Discernibility(), ONE, (MANY, 0, 0), 0) == pytest.approx(change.least, abs=1e-6)
    change = GroupSize().change(k, ONE)
    assert moved(GroupSize(), ONE, reach, 1) == change.most
    assert moved(GroupSize(), ONE, (MANY, 0, 0), 0) == change.least
    far = (MANY, 0, 0, k - 1)  # the small class differs from the large one in both columns
    change = NonUniformEntropy().change(k, TWO)
    assert moved(NonUniformEntropy(), TWO, far, 3) == pytest.approx(change.most, rel=1e-3)
    change = Classification("c").change(k, TWO)
    assert moved(Classification("c"), TWO, far, 3) == change.most
    assert moved(Classification("c"), TWO, (MANY, MANY // 2, 0, 0), 1) == change.least


@pytest.mark.parametrize(
    ("model", "attributes", "k", "published", "ours"),
    [
        # Theorem 6: Δ = (k − 1) m, and m at k = 1; s0 = Σ 1/|Ω| = 1/3 and 1
        (Granularity(), ONE, 1, 2 * 1, 1 - 1 / 3),
        (Granularity(), ONE, 2, 2 * 1, 2 * (1 - 1 / 3)),
        (Granularity(), TWO, 5, 2 * 8, 5 * (2 - 1)),
        (Intensity(), ONE, 5, 2 * 4, 5),
        # Theorem 7: Δ = k²/(k − 1) + 1, and 5 at k = 1
        (Discernibility(), ONE, 1, 2 * 5, 2),
        (Discernibility(), ONE, 2, 2 * 5, 3),
        (Discernibility(), ONE, 5, 2 * 7.25, 6),
        # Theorem 8: m times that
        (NonUniformEntropy(), TWO, 1, 2 * 10, 4),
        (NonUniformEntropy(), TWO, 5, 2 * 14.5, 20),
        # §5.4 and Theorem 9: Δ = 1 and Δ = k for scores that only rise
        (GroupSize(), ONE, 5, 2 * 1, 1),
        (Classification("c"), TWO, 5, 2 * 5, 5),
    ],
)
def test_the_published_2_delta_is_wider_than_the_range_any_table_shows(model, attributes, k, published, ours):
    """So the same budget buys a sharper choice: η = ε / R instead of ε / 2Δ (theory X-6)."""
    assert model.change(k, attributes).range == pytest.approx(ours)
    assert ours < published
    shown = list(changes(model, attributes, k, most=3 if attributes is TWO else 6))
    assert max(shown) - min(shown) <= ours + 1e-9


def test_at_k_2_the_published_bound_on_generalization_intensity_is_exact():
    """Theorem 6 with k = 2: from −m to m."""
    assert Intensity().change(2, ONE).range == 2 * 1
    moved = list(changes(Intensity(), ONE, 2, most=3))
    assert (min(moved), max(moved)) == (-1, 1)


def test_a_table_scored_by_hand():
    """Six records, two suppressed at k = 2, at the scheme (bottom, top)."""
    cells = (3, 1, 0, 2)  # ax, ay, bx, by; with c at the top the classes are a: 4 and b: 2
    assert score(Granularity(), TWO, cells, 3, (0, 1)) == pytest.approx(-(4 * (1 / 2 + 1) + 2 * 2))
    assert score(Intensity(), TWO, cells, 3, (0, 1)) == pytest.approx(-(4 * (0 + 1) + 2 * 2))
    assert score(Discernibility(), TWO, cells, 3, (0, 1)) == pytest.approx(-(16 / 6 + 2))
    assert score(GroupSize(), TWO, cells, 3, (0, 1)) == 1
    assert score(Classification("c"), TWO, cells, 2, (0, 0)) == 3 + 2
    assert score(NonUniformEntropy(), TWO, cells, 2, (0, 0)) == pytest.approx(-((9 + 4) / 6 + 1) - ((9 + 4) / 6 + 1))
