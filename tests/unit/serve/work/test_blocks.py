"""A table can be leafed through: every block is the rows that stand there, before and after alike."""

import pyarrow as pa
import pytest

from shoal.examples import write_example
from shoal.serve.work.blocks import BLOCK, taken
from shoal.serve.work.exploring import published_rows, scheme
from shoal.serve.work.looking import original_rows


@pytest.mark.parametrize("sizes", [[7], [3, 4], [1, 0, 5, 1], [0], []])
def test_a_block_is_what_a_slice_would_be(sizes):
    numbers = iter(range(7))
    batches = [
        (pa.record_batch({"n": pa.array([next(numbers) for _ in range(size)], pa.int64())}), 0.0) for size in sizes
    ]
    whole = list(range(sum(sizes)))
    for start in range(10):
        for count in range(1, 9):
            found = taken(batches, start, count)
            assert ([] if found is None else found["n"].to_pylist()) == whole[start : start + count]


def test_rows_of_the_example_from_the_middle_and_at_the_end(tmp_path):
    table = write_example(tmp_path).with_name("patients.csv")
    names, *rows = (line.split(",") for line in table.read_text().splitlines())
    told = original_rows(str(tmp_path), 2_400, progress=print)
    assert told == {"names": names, "start": 2_400, "rows": rows[2_400 : 2_400 + BLOCK]}
    assert published_rows(str(table), 4_990, progress=print)["rows"] == rows[4_990:]
    assert published_rows(str(table), 5_000, progress=print)["rows"] == []
    coarse = [3, 1, 2, 2, 1, 3]
    shown, later = (scheme(str(tmp_path), coarse, start)["rows"] for start in (100, 120))
    assert later["start"] == 120
    assert len(shown["before"]) == len(shown["after"]) == BLOCK
    assert shown["before"][20:] == later["before"][:30]
    assert shown["after"][20:] == later["after"][:30]
    assert [row[names.index("age")] for row in rows[100 : 100 + BLOCK]] == [
        row[shown["names"].index("age")] for row in shown["before"]
    ]
    assert scheme(str(tmp_path), coarse, 5_000)["rows"]["before"] == []
