"""Counts back to rows: every record truthful and in its own company, in an order that tells nothing, in its type."""

import random
from collections import Counter
from decimal import Decimal

import people
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest

import shoal
from shoal.data.schema import Role
from shoal.engines.reading import source as sources
from shoal.engines.reading.source import TableSource, open_source
from shoal.engines.writing import publishing, scatter
from shoal.errors import DataError, OutputError, ParameterError
from shoal.progress import silent

SECRET = "SECRET123"
ALL_COUNTED = {"name": "identifier", "note": "identifier"}


@pytest.fixture(params=[(1 << 17, 1 << 19, 1 << 20), (7, 5, 11), (1000, 64, 3)], ids=["large", "small", "buckets"])
def batches(request, monkeypatch):
    read, write, bucket = request.param
    monkeypatch.setattr(sources, "BATCH_ROWS", read)
    monkeypatch.setattr(publishing, "_WRITE_ROWS", write)
    monkeypatch.setattr(scatter, "BUCKET_ROWS", bucket)


def ancestors(attribute, cell):
    """All that may stand in a release for a value."""
    domain, hierarchy = attribute.domain, attribute.hierarchy
    label = "missing" if cell is None else people.as_labels(pa.array([cell]))[0]
    leaf = domain.labels(range(domain.size)).index(label)
    return {None if node == domain.missing else attribute.labels(hierarchy.up[[level], leaf])[0]
            for level, node in enumerate(hierarchy.up[:, leaf].tolist())}  # fmt: skip


# Truth


@pytest.mark.usefixtures("batches")
def test_a_published_row_is_made_of_ancestors_of_its_own_original_and_of_what_is_passed_through():
    rows = people.rows()
    by_note = {row[-1]: dict(zip(people.NAMES, row, strict=True)) for row in rows}
    engine, schema, outcome = people.decided(TableSource(people.arrow(rows)))
    out = engine.frame(schema, outcome)
    assert out.column_names == list(people.NAMES[1:])
    assert 0 < out.num_rows == outcome.published.kept < len(rows)
    for row in people.labelled(out):
        shown = dict(zip(out.column_names, row, strict=True))
        original = by_note.pop(shown["note"])
        assert shown["illness"] == original["illness"]
        for name in people.quasi_names(schema):
            cell = original[name]
            assert shown[name] in ancestors(outcome.table[name], round(cell, 2) if isinstance(cell, float) else cell)


@pytest.mark.usefixtures("batches")
def test_left_out_records_are_those_of_small_classes_and_no_others():
    rows = people.rows()
    engine, schema, outcome = people.decided(TableSource(people.arrow(rows)), k=3)
    out = engine.frame(schema, outcome)
    key = people.quasi_names(schema)
    sizes = Counter(people.labelled(out.select(key)))
    assert min(sizes.values()) >= 3
    everything = engine.frame(schema, people.decided(TableSource(people.arrow(rows)), k=1)[2])
    assert {k: n for k, n in Counter(people.labelled(everything.select(key))).items() if n >= 3} == sizes


@pytest.mark.usefixtures("batches")
def test_an_identifier_never_appears_nor_does_a_value_of_a_record_that_is_left_out(tmp_path):
    rows = [("person", 33, SECRET, *people.rows()[0][3:7], f"{SECRET} too"), *people.rows()]
    for role in ("insensitive", "sensitive", "identifier"):
        schema = people.schema(note=role)
        engine, _, outcome = people.decided(TableSource(people.arrow(rows)), schema, k=2)
        for ending in ("csv", "parquet"):
            path = tmp_path / f"data.{ending}"
            engine.write(schema, outcome, path, silent)
            content = path.read_bytes()
            assert b"20-29" in content
            assert b"person" not in content
            assert SECRET.encode() not in content
        sink = pa.BufferOutputStream()
        frame = engine.frame(schema, outcome)
        with pa.ipc.new_stream(sink, frame.schema) as writer:
            writer.write_table(frame)
        assert SECRET.encode() not in sink.getvalue().to_pybytes()


# Order


def shuffled(table, seed):
    order = list(range(table.num_rows))
    random.Random(seed).shuffle(order)
    return table.take(order)


@pytest.mark.usefixtures("batches")
def test_the_order_of_the_input_does_not_matter_when_everything_is_counted(tmp_path):
    schema = people.schema(**ALL_COUNTED)
    written = []
    for seed in (0, 1):
        source = TableSource(shuffled(people.arrow(), seed))
        engine, _, outcome = people.decided(source, schema)
        engine.write(schema, outcome, tmp_path / "data.csv", silent)
        written.append((tmp_path / "data.csv").read_bytes())
    assert written[0] == written[1]


@pytest.mark.usefixtures("batches")
def test_rows_that_are_passed_through_are_sorted_by_what_is_counted_and_not_in_the_order_of_the_input():
    """The chance of one wrong alarm: below 10^-20, for there are 40 equal records."""
    rows = [("x", 20, "Ulm", people.rows()[0][3], 1.5, True, "flu", f"equal {i:02}") for i in range(40)]
    out = people.published(TableSource(people.arrow([*rows, *people.rows()])))
    notes = [note for note in out["note"].to_pylist() if note.startswith("equal")]
    assert len(notes) == 40
    assert notes != sorted(notes)
    counted = people.labelled(out.drop_columns(["note"]))
    assert all(counted[i] == counted[i + 1] or counted[i + 1] not in counted[: i + 1] for i in range(len(counted) - 1))


# Types


def test_columns_that_keep_their_values_keep_their_type_and_nulls_stay_null(tmp_path):
    typed = pa.table(
        {
            "q": pa.array(["a", "a", "a", "a"]),
            "int8": pa.array([1, None, 3, 3], pa.int8()),
            "uint32": pa.array([7, 7, 8, None], pa.uint32()),
            "float32": pa.array([0.1, 0.2, None, 0.5], pa.float32()),
            "double": pa.array([1.25, None, 1.5, 2.0]),
            "decimal": pa.array([Decimal("1.10"), None, Decimal("2.25"), Decimal("3.00")], pa.decimal128(9, 2)),
            "bool": pa.array([True, False, None, True]),
            "date": pa.array([0, 1, None, 400], pa.date32()),
            "moment": pa.array([0, 86_400_000, None, 86_400_000], pa.timestamp("ms")),
            "zoned": pa.array([18_000_000, 104_400_000, None, 18_000_000], pa.timestamp("ms", tz="America/New_York")),
            "time": pa.array([0, 60_000, None, 3_600_000], pa.time32("ms")),
            "duration": pa.array([5, 6, None, 7], pa.duration("ms")),
            "text": pa.array(["1", None, "2", "x"]),
            "large": pa.array(["007", None, "2", "2"], pa.large_string()),
            "coded": pa.array(["u", None, "v", "u"]).cast(pa.dictionary(pa.int16(), pa.large_string())),
            "coded numbers": pa.array([5, None, 6, 5]).dictionary_encode().cast(pa.dictionary(pa.int8(), pa.int64())),
        }
    )
    for role in ("quasi-identifier", "sensitive", "insensitive"):
        schema = shoal.Schema().with_column("q", role="quasi-identifier")
        for name in typed.column_names[1:]:
            schema = schema.with_column(name, role=role)
        levels = dict.fromkeys(people.quasi_names(schema), 0)
        engine, _, outcome = people.decided(TableSource(typed), schema, levels, k=1)
        out = engine.frame(schema, outcome)
        assert out.schema.types == typed.schema.types
        assert Counter(map(repr, people.labelled(out))) == Counter(map(repr, people.labelled(typed)))
        engine.write(schema, outcome, tmp_path / "data.parquet", silent)
        plain = [kind.value_type if pa.types.is_dictionary(kind) else kind for kind in typed.schema.types]
        assert pq.read_table(tmp_path / "data.parquet").schema.types == plain


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.usefixtures("batches")
def test_files_hold_what_the_frame_holds(tmp_path, ending):
    engine, schema, outcome = people.decided(open_source(people.write_csv(tmp_path / "in.csv")))
    path = tmp_path / f"data.{ending}"
    told = []
    assert engine.write(schema, outcome, path, lambda task, done: told.append((task, done))) == outcome.published.kept
    if ending == "parquet":
        back = pq.read_table(path)
    else:
        texts = pc.ConvertOptions(column_types=dict.fromkeys(people.NAMES, pa.string()), strings_can_be_null=True,
                                  quoted_strings_can_be_null=False)  # fmt: skip
        back = pc.read_csv(path, parse_options=pc.ParseOptions(newlines_in_values=True), convert_options=texts)
    frame = engine.frame(schema, outcome)
    assert Counter(people.labelled(back)) == Counter(people.labelled(frame))
    assert told[-1] == ("writing the release", 1.0)
    assert ("reading again", 1.0) in told


def test_numbers_and_days_that_came_as_text_become_numbers_and_days_in_parquet(tmp_path):
    schema = people.schema()
    source = open_source(people.write_csv(tmp_path / "in.csv"))
    engine, _, outcome = people.decided(source, schema, dict.fromkeys(people.LEVELS, 0), k=1)
    engine.write(schema, outcome, tmp_path / "data.parquet", silent)
    kinds = dict(zip(people.NAMES[1:], pq.read_schema(tmp_path / "data.parquet").types, strict=True))
    assert kinds == {
        "age": pa.int64(), "town": pa.string(), "day": pa.date32(), "height": pa.float64(), "member": pa.string(),
        "illness": pa.string(), "note": pa.string(),
    }  # fmt: skip


def test_days_that_came_as_moments_are_days_in_csv(tmp_path):
    table = people.arrow(types={"day": pa.timestamp("us", tz="Asia/Tokyo")})
    engine, schema, outcome = people.decided(TableSource(table), levels=dict.fromkeys(people.LEVELS, 0), k=1)
    engine.write(schema, outcome, tmp_path / "data.csv", silent)
    assert "2023-11-20," in (tmp_path / "data.csv").read_text()
    assert ":00:00" not in (tmp_path / "data.csv").read_text()


# What goes wrong between the passes


@pytest.mark.parametrize("change", ["a row more", "a row less", "a town changed", "an illness changed"])
def test_a_table_that_changes_while_it_is_read_is_not_published(tmp_path, change):
    rows = people.rows()
    path = people.write_csv(tmp_path / "in.csv", rows)
    engine, schema, outcome = people.decided(open_source(path))
    row = list(next(row for row in rows if row[-1] in set(engine.frame(schema, outcome)["note"].to_pylist())))
    where = rows.index(tuple(row))
    if change == "a town changed":
        row[2] = "Bonn" if row[2] != "Bonn" else "Ulm"
    if change == "an illness changed":
        row[6] = "cold" if row[6] != "cold" else "flu"
    after = {"a row more": [tuple(row)] * 2, "a row less": []}.get(change, [tuple(row)])
    people.write_csv(path, [*rows[:where], *after, *rows[where + 1 :]])
    with pytest.raises(DataError, match=r"in\.csv changed while it was being read; nothing was written. Run again"):
        engine.frame(schema, outcome)


def test_a_value_that_turned_up_between_the_passes_is_refused(tmp_path):
    rows = people.rows()
    path = people.write_csv(tmp_path / "in.csv", rows)
    engine, schema, outcome = people.decided(open_source(path))
    people.write_csv(path, [(*rows[0][:2], SECRET, *rows[0][3:]), *rows[1:]])
    with pytest.raises(DataError, match="column 'town', record 1: the value is not in the observed domain") as raised:
        engine.frame(schema, outcome)
    assert SECRET not in str(raised.value)


# Formats


def test_a_file_of_another_kind_is_refused(tmp_path):
    engine, schema, outcome = people.decided(TableSource(people.arrow()))
    with pytest.raises(ParameterError, match=r"the ending '\.docx' is not known; expected \.csv, \.parquet"):
        engine.write(schema, outcome, tmp_path / "data.docx", silent)
    assert not list(tmp_path.iterdir())


def test_csv_refuses_a_column_of_lists_and_parquet_takes_it(tmp_path):
    table = pa.table({"q": ["a", "a"], "seen": [[1, 2], []]})
    schema = shoal.Schema().with_column("q", role="quasi-identifier").with_column("seen")
    release = shoal.OptimalLattice(k=2).anonymize(table, schema)
    with pytest.raises(
        OutputError, match=r"csv cannot hold column '.*', such as one of lists or of bytes; set format = 'parquet'"
    ):
        release.write_data(tmp_path / "data.csv")
    assert release.write_data(str(tmp_path / "data.parquet")) == 2
    assert sorted(pq.read_table(tmp_path / "data.parquet")["seen"].to_pylist()) == [[], [1, 2]]


# The same recoding for other records


def test_the_recoding_of_a_release_applies_to_other_records_with_their_other_columns_unchanged():
    rows = people.rows()
    release = shoal.OptimalLattice(k=3, suppression_limit=0.3).anonymize(people.arrow(rows), people.schema())
    other = people.arrow(rows[::-1]).append_column("extra", pa.array(range(len(rows))))
    out = release.recoding.apply(other)
    assert out.column_names == [name for name in other.column_names if name != "name"]  # the identifier
    assert out.select(["illness", "note", "extra"]).equals(other.select(["illness", "note", "extra"]))
    recoded = {row[-2]: row[:5] for row in people.labelled(out)}
    for row in people.labelled(release.data):
        assert recoded[row[-1]] == row[:5]


def test_the_recoding_applies_to_a_table_without_records_and_to_one_without_some_columns():
    release = shoal.OptimalLattice(k=3, suppression_limit=0.3).anonymize(people.arrow(), people.schema())
    empty = release.recoding.apply(people.arrow()[:0])
    assert (empty.num_rows, empty.column_names) == (0, [name for name in people.NAMES if name != "name"])
    assert release.recoding.apply(people.arrow().select(["age", "note"])).column_names == ["age", "note"]


@pytest.mark.parametrize("role", ["identifier", "dropped"])
def test_the_recoding_leaves_out_what_is_not_published(role):
    said = people.schema().with_column("note", role=role, unlinkable=False)
    release = shoal.OptimalLattice(k=3, suppression_limit=0.3).anonymize(people.arrow(), said, one_record_each=True)
    recoded = release.recoding.apply(people.arrow())
    assert {"name", "note"}.isdisjoint(recoded.column_names)
    assert "illness" in recoded.column_names


def test_a_record_with_a_value_that_the_recoding_does_not_know_is_refused():
    release = shoal.OptimalLattice(k=3, suppression_limit=0.3).anonymize(people.arrow(), people.schema())
    row = list(people.rows()[0])
    for position, value, sentence in (
        (2, SECRET, "the value is not in the observed"),
        (1, None, "the value is missing"),
    ):
        changed = [*row[:position], value, *row[position + 1 :]]
        with pytest.raises(DataError, match=f"record 2: {sentence}") as raised:
            release.recoding.apply(people.arrow([row, changed]))
        assert SECRET not in str(raised.value)


def test_roles_other_than_quasi_identifier_are_not_recoded():
    engine, schema, outcome = people.decided(TableSource(people.arrow()))
    assert set(outcome.recoding.levels) == {column.name for column in schema if column.role is Role.QUASI_IDENTIFIER}
    assert engine.frame(schema, outcome)["illness"].type == pa.string()
