"""Records for trying a private method: from the declared domains alone."""

import numpy as np
import pytest

import shoal
from shoal.errors import SchemaError
from shoal.examples.stand_in import drawn_from_domains


def test_every_declared_value_may_occur_and_no_other():
    schema = (
        shoal.Schema()
        .with_column("age", role="quasi-identifier", domain=(20, 24))
        .with_column("sex", role="quasi-identifier", domain=["f", "m"])
    )
    table = drawn_from_domains(schema, ("age", "sex"), 400, np.random.default_rng(1))
    assert sorted(set(table["age"].to_pylist())) == ["20", "21", "22", "23", "24"]
    assert set(table["sex"].to_pylist()) == {"f", "m"}
    with pytest.raises(SchemaError, match="not declared"):
        drawn_from_domains(
            shoal.Schema().with_column("zip", role="quasi-identifier"), ("zip",), 5, np.random.default_rng(1)
        )
