"""Precision: the paper's two examples, and names."""

import numpy as np
import pytest
from strategies import attribute_of

from shoal.data.counts import Counts
from shoal.data.domain import Categorical, Grid
from shoal.data.encoded import EncodedTable
from shoal.data.hierarchies.build import Flat
from shoal.data.hierarchies.paths import Prefixes
from shoal.data.outcome import Outcome
from shoal.data.shown import Numbers, Spans, TreeNodes, ValueSets
from shoal.errors import ParameterError
from shoal.evaluate import categorical_precision_loss, numerical_precision_loss


def outcome(attribute, codes, shown, published):
    table = EncodedTable((attribute,), Counts.of([attribute.name], [np.array(codes)], [attribute.domain.size]))
    counts = Counts.of([attribute.name], [np.array(published)], [len(shown)])
    return Outcome(table=table, published=counts, shown={attribute.name: shown})


def test_a_zip_code_at_level_2_of_6_loses_two_fifths():
    """§III-A, 1)."""
    zips = attribute_of("zip", Prefixes((4, 3, 2, 1)), Categorical(("23741", "23742", "23799", "90210")))
    node = zips.hierarchy.up[2][0]
    assert zips.labels(np.array([node]))[0].startswith("237")
    shown = TreeNodes(np.array([node, 3], dtype=np.int32))
    assert categorical_precision_loss(outcome(zips, [0, 1, 3], shown, [0, 0, 1]), "zip") == pytest.approx(0.4 * 2 / 3)


def test_a_height_from_165_to_180_in_150_to_190_loses_three_eighths():
    """§III-A, 2)."""
    heights = attribute_of("height", Flat(), Grid.between(100, 250))
    whole = [50, 90, 66, 75]
    assert (
        numerical_precision_loss(outcome(heights, whole, Spans(np.array([65]), np.array([80])), [0]), "height") == 0.375
    )


def test_of_names_those_that_occur_count():
    towns = attribute_of("town", Flat(), Categorical(("a", "b", "c", "d")))
    sets = ValueSets(np.array([0, 1, 4]), np.array([0, 0, 1, 3]))
    found = numerical_precision_loss(outcome(towns, [0, 1, 2], sets, [0, 1]), "town")
    assert found == pytest.approx((0 + 1 / 2) / 2)  # {a}: none; {a, b, d}: b, of b and c
    root = TreeNodes(np.array([4], dtype=np.int32))
    assert numerical_precision_loss(outcome(towns, [0, 1, 2], root, [0]), "town") == 1


def test_numbers_have_no_precision():
    heights = attribute_of("height", Flat(), Grid.between(100, 250))
    noisy = outcome(heights, [50, 90], Numbers(np.array([1.0])), [0])
    for measure in (categorical_precision_loss, numerical_precision_loss):
        with pytest.raises(ParameterError):
            measure(noisy, "height")
