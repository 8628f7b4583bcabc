"""An empty table is a table: whether there is a record at all may not show in the kind of failure."""

import pyarrow as pa
import pytest

import shoal


@pytest.mark.parametrize("rows", [[], ["a"]])
def test_an_empty_table_and_one_with_a_record_fail_in_the_same_words_under_a_private_method(rows):
    schema = shoal.Schema().with_column("q", role="quasi-identifier", domain=["a", "b"])
    table = pa.table({"q": pa.array(rows, type=pa.string())})
    with pytest.raises(shoal.InfeasibleError, match="no class of the sample reached k = 44 records"):
        shoal.SafePub(epsilon=1, delta=1e-5).anonymize(table, schema)
