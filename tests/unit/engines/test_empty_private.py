"""Whether there is a record at all, or one without a value, shows neither in a failure nor in the type of a column."""

import pyarrow as pa
import pytest

import shoal


@pytest.mark.parametrize("rows", [[], ["a"]])
def test_an_empty_table_and_one_with_a_record_publish_the_same_nothing_under_a_private_method(rows):
    schema = shoal.Schema(person="row").with_column("q", role="quasi-identifier", domain=["a", "b"])
    table = pa.table({"q": pa.array(rows, type=pa.string())})
    release = shoal.SafePub(epsilon=1, delta=1e-5).anonymize(table, schema)
    assert release.data == pa.table({"q": pa.array([], type=pa.string())})
    assert release.certificate.records == 0
    assert "it takes about 75 records that look alike" in release.needs


NUMBERS = {
    "numbers": (0, 3),
    "named whole numbers": ["0", "1", "2", "3"],
    "named numbers": ["0", "1", "2", "3", "4.5"],
}


@pytest.mark.parametrize("domain", NUMBERS.values(), ids=NUMBERS)
def test_one_missing_value_does_not_show_in_the_type_of_a_column_under_a_private_method(domain):
    schema = shoal.Schema(person="row").with_column("q", role="quasi-identifier", domain=domain)
    method = shoal.SafePub(epsilon=2, delta=1e-3, schemes=({"q": 0},))
    as_in_pandas = [pa.array([0, 1, 2, 3] * 200), pa.array([0.0, 1.0, 2.0, 3.0] * 200 + [None])]
    one, other = (method.anonymize(pa.table({"q": values}), schema).data.schema for values in as_in_pandas)
    assert one == other
    assert pa.types.is_integer(one.field("q").type) == (domain != NUMBERS["named numbers"])


def test_a_column_that_came_coded_is_published_as_text_under_a_private_method():
    """How it came must not show; and noise may show more values than the codes of the original can count."""
    names = [f"n{i}" for i in range(400)]
    schema = shoal.Schema(person="row").with_column("a", role="quasi-identifier", domain=names)
    schema = schema.with_column("t", role="quasi-identifier", domain=["no", "yes"])
    coded = pa.array(names[:20] * 10).dictionary_encode().cast(pa.dictionary(pa.int8(), pa.string()))
    method = shoal.DiffGen(epsilon=0.1, target="t", specializations=1, mode=shoal.Mode.AS_PUBLISHED)
    made = method.anonymize(pa.table({"a": coded, "t": ["no", "yes"] * 100}), schema).data
    assert len(made["a"].unique()) > 128
    assert made.schema.field("a").type == pa.string()
