"""A release file written by a program says what it was given."""

import datetime as dt
import tomllib

from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.survey.toml_text import as_toml

scalars = (
    st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=("Cs",)))
    | st.dates(dt.date(1900, 1, 1))
)
keys = st.text(st.characters(exclude_categories=("Cs",)), min_size=1)
values = st.recursive(scalars, lambda below: st.lists(below, max_size=4) | st.dictionaries(keys, below, max_size=4))
tables = st.dictionaries(keys, values, max_size=5)


@settings(max_examples=30)
@given(data=tables, columns=st.dictionaries(keys, tables, max_size=4), method=tables)
def test_what_is_written_is_read_again(data, columns, method):
    content = {"data": data, "columns": columns, "method": method}
    reasons = dict.fromkeys(columns, "because\nof its name")
    read = tomllib.loads(as_toml(content, reasons))
    assert read == {part: table for part, table in content.items() if table or part != "columns"}
