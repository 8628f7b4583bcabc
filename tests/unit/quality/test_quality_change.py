"""One more record moves a score no further than claimed (theory SP-6): any small table, any node, any k."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import RANGED, examples, model_on, nodes_of, samples

from shoal.criteria import KAnonymity, violations
from shoal.errors import ParameterError
from shoal.quality import AverageClassSize, Change, EquivalenceClassSize, ShannonEntropy
from shoal.search.lattice import NodeClasses


def score(model, table, node, k):
    classes = NodeClasses(table).at(node)
    return model.on(table).score(classes, violations([KAnonymity(k)], classes))


@pytest.mark.parametrize("kind", RANGED)
@given(data=st.data())
@examples(40)
def test_adding_any_record_stays_within_the_claimed_change(kind, data):
    """The extra record may join a class, start one, or make one reach k."""
    sample = data.draw(samples(quasi=(1, 3), sensitive=(1, 1), records=(1, 12), max_leaves=3, max_size=4))
    model, node = data.draw(model_on(sample, kind)), data.draw(nodes_of(sample))
    if getattr(model, "target", None) in sample.quasi_names:
        node = tuple(0 if name == model.target else level for name, level in zip(sample.quasi_names, node, strict=True))
    near = st.sampled_from(sample.rows)
    any_row = st.tuples(*(st.sampled_from(sorted(paths)) for paths in sample.paths))
    extra = data.draw(st.one_of(near, any_row))
    more = sample.encoded([*sample.rows, extra])
    for k in (1, 2, 3, 5):
        change = model.change(k, sample.table.quasi_identifiers)
        moved = score(model, more, node, k) - score(model, sample.table, node, k)
        assert change.least - 1e-9 <= moved <= change.most + 1e-9


def test_averages_and_bits_have_no_finite_change():
    for model in (AverageClassSize(), EquivalenceClassSize()):
        with pytest.raises(ParameterError, match="can change without bound when one record is added; choose group-siz"):
            model.change(5, [])
    with pytest.raises(ParameterError, match="by an amount that grows with the table; choose entropy"):
        ShannonEntropy().change(5, [])


def test_the_range_is_the_width_of_the_change():
    assert Change(-1.0, 4.0).range == 5.0
    assert np.isfinite(Change(0.0, 1.0).range)
