"""The same table in every form gives the same counts and the same release; what cannot be read is refused."""

import datetime as dt

import pandas as pd
import people
import polars as pl
import pyarrow as pa
import pytest

import shoal
from shoal.engines.reading import source as sources
from shoal.engines.reading.layout import Layout
from shoal.engines.reading.source import ArrowSource, ParquetSource, TableSource, frame_source, open_source
from shoal.errors import DataError, ParameterError

SECRET = "SECRET123"


def as_parts(folder, ending):
    folder.mkdir()
    rows = people.rows()
    (folder / "_SUCCESS").write_text("")
    (folder / ".hidden").write_text("")
    for i, (start, stop) in enumerate([(0, 40), (40, 40), (40, 90)]):
        table = people.arrow(rows)[start:stop]
        part = folder / f"part-{i}.{ending}"
        {
            "csv": lambda part=part, start=start, stop=stop: people.write_csv(part, rows[start:stop]),
            "parquet": lambda part=part, table=table: people.write_parquet(part, table),
            "arrow": lambda part=part, table=table: people.write_arrow(part, table),
        }[ending]()
    return folder


CODED = {"town": pa.dictionary(pa.int8(), pa.string()), "note": pa.dictionary(pa.int32(), pa.string())}
LARGE = {"town": pa.large_string(), "illness": pa.large_string(), "note": pa.large_string(), "day": pa.timestamp("ns")}
SMALL = {"age": pa.uint8(), "height": pa.decimal128(5, 2), "day": pa.date64(), "illness": pa.string_view()}

FORMS = {
    "csv": lambda tmp: open_source(people.write_csv(tmp / "x.csv")),
    "csv.gz": lambda tmp: open_source(people.write_csv(tmp / "x.csv.gz")),
    "tsv": lambda tmp: open_source(people.write_csv(tmp / "x.tsv", delimiter="\t")),
    "txt": lambda tmp: open_source(people.write_csv(tmp / "x.txt", delimiter="|"), Layout(delimiter="|")),
    "latin-1": lambda tmp: open_source(people.write_csv(tmp / "x.csv", encoding="latin-1"), Layout(encoding="latin-1")),
    "parquet": lambda tmp: open_source(people.write_parquet(tmp / "x.parquet", people.arrow())),
    "parquet in groups": lambda tmp: open_source(people.write_parquet(tmp / "x.pq", people.arrow(types=CODED), 13)),
    "parquet of large text": lambda tmp: open_source(
        people.write_parquet(tmp / "x.parquet", people.arrow(types=LARGE), 50)
    ),
    "arrow": lambda tmp: open_source(people.write_arrow(tmp / "x.arrow", people.arrow())),
    "feather in chunks": lambda tmp: open_source(people.write_arrow(tmp / "x.feather", people.arrow(types=SMALL), 17)),
    "folder of csv": lambda tmp: open_source(as_parts(tmp / "parts", "csv")),
    "folder of parquet": lambda tmp: open_source(as_parts(tmp / "parts", "parquet")),
    "folder of arrow": lambda tmp: open_source(as_parts(tmp / "parts", "arrow")),
    "table": lambda _: TableSource(people.arrow()),
    "coded table": lambda _: TableSource(people.arrow(types=CODED)),
    "small types": lambda _: TableSource(people.arrow(types=SMALL)),
    "chunks": lambda _: TableSource(pa.concat_tables([people.arrow()[:31], people.arrow()[31:]])),
    "pandas": lambda _: frame_source(people.arrow().to_pandas())[0],
    "pandas, filtered": lambda _: frame_source(with_odd_index(people.arrow().to_pandas()))[0],
    "polars": lambda _: frame_source(pl.from_arrow(people.arrow()))[0],
}


def with_odd_index(frame):
    return frame.sort_values("age").set_index(frame["name"].rename("somebody"))


@pytest.fixture(scope="module")
def reference():
    table = people.decided(TableSource(people.arrow()))[2].table
    return people.counted(table), sorted(people.labelled(people.published(TableSource(people.arrow()))), key=repr)


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("batch", [1 << 17, 8], ids=["one batch", "batches of 8"])
def test_every_form_of_a_table_gives_the_same_counts_and_the_same_release(
    form, batch, reference, tmp_path, monkeypatch
):
    monkeypatch.setattr(sources, "BATCH_ROWS", batch)
    source = form(tmp_path)
    table = people.decided(source)[2].table
    assert people.counted(table) == reference[0]
    assert sorted(people.labelled(people.published(source)), key=repr) == reference[1]


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_progress_rises_from_above_0_to_1(form, tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "BATCH_ROWS", 20)
    done = [share for batch, share in form(tmp_path).batches(people.NAMES) if batch.num_rows]
    assert done == sorted(done)
    assert done[0] > 0
    assert done[-1] == pytest.approx(1.0)


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_no_batch_is_larger_than_asked_for_and_files_of_text_are_cut_by_bytes(form, tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "BATCH_ROWS", 20)
    source = form(tmp_path)
    sizes = [batch.num_rows for batch, _ in source.batches(["age"])]
    assert sum(sizes) == 90
    assert max(sizes) <= 20 or not source.is_typed


# What comes in comes out


@pytest.mark.parametrize(
    ("make", "kind"),
    [(lambda table: table, pa.Table), (lambda table: table.to_pandas(), pd.DataFrame), (pl.from_arrow, pl.DataFrame)],
    ids=["pyarrow", "pandas", "polars"],
)
def test_a_release_is_of_the_kind_that_came_in_and_the_input_is_left_alone(make, kind):
    frame, untouched = make(people.arrow()), make(people.arrow())
    release = shoal.OptimalLattice(k=3, suppression_limit=0.3).anonymize(frame, people.schema())
    assert type(release.data) is kind
    assert release.data is release.data
    assert list(release.data.columns if kind is not pa.Table else release.data.column_names) == list(people.NAMES[1:])
    assert len(release.data) == release.certificate.records
    applied = release.recoding.apply(frame)
    assert type(applied) is kind
    assert frame.equals(untouched)


def test_pandas_gets_its_own_types_back_where_values_were_kept():
    frame = pd.DataFrame(
        {
            "q": ["a", "a", "b", "b"],
            "whole": pd.array([1, None, 3, 4], dtype="Int64"),
            "text": pd.array(["x", None, "y", "z"], dtype="string"),
            "truth": pd.array([True, None, False, True], dtype="boolean"),
            "kind": pd.Categorical(["u", "u", "v", "v"], categories=["u", "v", "w"]),
            "when": pd.to_datetime(["2020-01-01"] * 4).tz_localize("Europe/Berlin"),
        },
        index=[4, 4, 5, 6],
    )
    schema = shoal.Schema().with_column("q", role="quasi-identifier").with_column("whole", role="sensitive")
    for name in ("text", "truth", "kind", "when"):
        schema = schema.with_column(name)
    out = shoal.OptimalLattice(k=2).anonymize(frame, schema).data
    assert out.dtypes.drop("kind").to_dict() == frame.dtypes.drop("kind").to_dict()
    assert list(out["kind"].cat.categories) == ["u", "v"]
    assert sorted(out["whole"].dropna()) == [1, 3, 4]


def test_categories_that_no_published_record_has_are_not_named():
    town = pd.Categorical(["Ulm"] * 4 + [SECRET])
    frame = pd.DataFrame({"town": town, "also": town, "sick": ["y", "n", "y", "n", "n"]})
    schema = shoal.Schema().with_column("town", role="quasi-identifier").with_column("also")
    release = shoal.OptimalLattice(k=2, suppression_limit=0.2).anonymize(
        frame, schema.with_column("sick", role="sensitive")
    )
    assert release.recoding.levels == {"town": 0}
    assert list(release.data["town"].cat.categories) == list(release.data["also"].cat.categories) == ["Ulm"]


def test_polars_text_stays_text():
    frame = pl.from_arrow(people.arrow())
    out = shoal.OptimalLattice(k=3, suppression_limit=0.3).anonymize(frame, people.schema()).data
    assert {name: out.schema[name] for name in ("town", "illness", "note")} == dict.fromkeys(
        ("town", "illness", "note"), pl.String
    )


# What cannot be read


@pytest.mark.parametrize("thing", [[1, 2], {"a": [1]}, pd.Series([1]), pl.LazyFrame({"a": [1]}), "people.csv"], ids=str)
def test_what_is_no_table_is_refused(thing):
    with pytest.raises(ParameterError, match=r"expected a pandas, polars or pyarrow table; got .*Collect a lazy frame"):
        frame_source(thing)


def test_a_column_of_mixed_types_is_refused_without_showing_a_value():
    with pytest.raises(DataError, match="a column of the frame mixes types") as raised:
        frame_source(pd.DataFrame({"a": [1, SECRET]}))
    assert SECRET not in str(raised.value)
    assert raised.value.__suppress_context__


def test_a_frame_with_one_name_twice_is_refused():
    with pytest.raises(DataError, match="a column name stands more than once"):
        frame_source(pd.DataFrame([[1, 2]], columns=["a", "a"]))
    with pytest.raises(DataError, match="the table: columns 1 and 2 have the same name"):
        TableSource(pa.table([[1], [2]], names=["a", "a"])).types()


def test_a_table_without_columns_is_refused():
    with pytest.raises(DataError, match="the table has no columns"):
        TableSource(pa.table({})).types()


def test_a_path_without_a_table_is_refused(tmp_path):
    with pytest.raises(DataError, match=r"nowhere\.csv does not exist; check \[data\] path"):
        open_source(tmp_path / "nowhere.csv")
    with pytest.raises(DataError, match="is an empty folder; expected CSV, Parquet or Arrow files in it"):
        open_source(tmp_path)
    (tmp_path / "people.docx").write_text("")
    with pytest.raises(ParameterError, match=r"the ending '\.docx' is not known; expected \.csv"):
        open_source(tmp_path / "people.docx")


def test_a_folder_in_a_folder_of_parts_is_refused_and_not_overlooked(tmp_path):
    people.write_csv(tmp_path / "part.csv")
    (tmp_path / "year=2024").mkdir()
    with pytest.raises(
        DataError, match=r"holds folders \('year=2024'\); expected the parts of one table, side by side"
    ):
        open_source(tmp_path)


def test_parts_of_different_tables_are_refused(tmp_path):
    people.write_parquet(tmp_path / "a.parquet", people.arrow())
    people.write_parquet(tmp_path / "b.parquet", people.arrow().drop_columns(["age"]))
    with pytest.raises(DataError, match=r"b\.parquet has other columns than .*a\.parquet; a folder holds"):
        open_source(tmp_path).types()
    people.write_parquet(tmp_path / "b.parquet", people.arrow(types={"age": pa.int32()}))
    with pytest.raises(DataError, match=r"b\.parquet, column 'age': the type is int32, and int64 in .*a\.parquet"):
        open_source(tmp_path).types()


def test_the_order_of_columns_may_differ_between_parts(tmp_path, reference):
    people.write_parquet(tmp_path / "a.parquet", people.arrow()[:50])
    people.write_parquet(tmp_path / "b.parquet", people.arrow()[50:].select(list(reversed(people.NAMES))))
    table = people.decided(open_source(tmp_path))[2].table
    assert people.counted(table) == reference[0]


@pytest.mark.parametrize("kind", [ParquetSource, ArrowSource])
def test_a_damaged_file_is_refused(tmp_path, kind):
    write = people.write_parquet if kind is ParquetSource else people.write_arrow
    content = write(tmp_path / "good", people.arrow(people.rows(2000))).read_bytes()
    path = tmp_path / "x"
    for damaged in (b"", b"hello", content[:-9], content[: len(content) // 2]):
        path.write_bytes(damaged)
        with pytest.raises(
            DataError, match=r"x is not an? (Parquet|Arrow) file, or is damaged; check how it was written"
        ):
            kind(path).types()
    third = len(content) // 3
    path.write_bytes(content[:8] + b"\xff" * third + content[third + 8 :])
    with pytest.raises(DataError, match=r"damaged"):
        [batch.to_pylist() for batch, _ in kind(path).batches(people.NAMES)]


def test_a_time_of_day_is_dropped_from_a_counted_column_and_kept_in_others():
    moments = [dt.datetime(2024, 1, 2, hour) for hour in (8, 9, 23)]  # noqa: DTZ001
    table = pa.table({"q": moments, "free": moments})
    schema = shoal.Schema().with_column("q", role="quasi-identifier").with_column("free")
    out = people.published(TableSource(table), schema, {"q": 0})
    assert out.schema.types == table.schema.types
    assert set(out["q"].to_pylist()) == {dt.datetime(2024, 1, 2)}  # noqa: DTZ001
    assert sorted(out["free"].to_pylist()) == moments


@pytest.mark.parametrize("values", [[2**70, 1], ["\ud800Smith", "b"]], ids=["beyond 64 bits", "no Unicode"])
def test_what_arrow_cannot_hold_is_refused_without_its_value(values):
    with pytest.raises(DataError, match="beyond 64 bits, or text that is no Unicode") as raised:
        frame_source(pd.DataFrame({"x": pd.Series(values, dtype=object)}))
    assert raised.value.__context__ is None
    assert "Smith" not in str(raised.value)


def test_intervals_periods_and_durations_of_pandas_are_texts_in_their_order():
    frame = pd.DataFrame(
        {
            "cut": pd.cut(pd.Series([25, 5, None]), [0, 10, 20, 30]),
            "interval": pd.arrays.IntervalArray.from_breaks([0, 1, 2, 3]),
            "month": pd.period_range("2020-01", periods=3, freq="M"),
            "stay": pd.to_timedelta([1, 2, 3], unit="D"),
        }
    )
    table = frame_source(frame)[0].table
    assert table.column("cut").to_pylist() == ["(20, 30]", "(0, 10]", None]
    assert table.column("cut").chunk(0).dictionary.to_pylist() == ["(0, 10]", "(10, 20]", "(20, 30]"]
    assert table.column("interval").to_pylist() == ["(0, 1]", "(1, 2]", "(2, 3]"]
    assert table.column("month").to_pylist() == ["2020-01", "2020-02", "2020-03"]
    assert table.column("stay").to_pylist() == ["1 days", "2 days", "3 days"]
    assert str(frame.dtypes["month"]) == "period[M]"
