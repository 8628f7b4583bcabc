"""Under a private method no type of a published column tells of a record: it follows from the declared domain alone.

The net: every private method, every domain, every Arrow type and frame in which such values can come. Equal values give
files that are equal byte for byte, whatever type they came in; neighboring tables give equal schemas.
"""

import datetime as dt
from decimal import Decimal

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal
from shoal.data.shown import leaves_kept
from shoal.dp.coins.coins import SeededCoins
from shoal.engines.codes.decoding import declared_type
from shoal.errors import InfeasibleError
from shoal.methods import Publishes
from shoal.plan.plan import METHODS

RECORDS = 560
DAYS = [dt.date(2024, 2, 28) + dt.timedelta(days=i) for i in range(4)]

TEXTS = [pa.string(), pa.large_string(), pa.string_view()]
WHOLE = [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()]
FLOATS = [pa.float16(), pa.float32(), pa.float64()]
DECIMALS = [pa.decimal128(5, 2), pa.decimal128(38, 10), pa.decimal256(5, 1), pa.decimal256(60, 30)]
DECIMALS += [kind(5, 2) for kind in (getattr(pa, "decimal32", None), getattr(pa, "decimal64", None)) if kind]
MOMENTS = [pa.timestamp(unit, zone) for unit in ("s", "ms", "us", "ns") for zone in (None, "UTC", "Asia/Tokyo")]
TIMES = [pa.date32(), pa.date64(), *MOMENTS]

DOMAINS = {
    "whole numbers": ((0, 3), [0, 1, 2, 3], WHOLE + FLOATS + DECIMALS + TEXTS, pa.int64()),
    "numbers": ((0, 1.5, 0.5), [0, 0.5, 1, 1.5], FLOATS + DECIMALS + TEXTS, pa.float64()),
    "days": ((DAYS[0], DAYS[-1]), DAYS, TIMES + TEXTS, pa.date32()),
    "names": (["a", "b", "c", "007"], ["a", "b", "c", "007"], TEXTS, pa.string()),
    "named whole numbers": (["0", "1", "2", "3"], [0, 1, 2, 3], WHOLE + FLOATS + DECIMALS + TEXTS, pa.int64()),
    "named numbers": (["0", "0.5", "1", "1.5"], [0, 0.5, 1, 1.5], FLOATS + DECIMALS + TEXTS, pa.float64()),
    "named days": ([str(day) for day in DAYS], DAYS, TIMES + TEXTS, pa.date32()),
    "named times": (["08:00:00", "09:30:00"], [dt.time(8), dt.time(9, 30)],
                    [pa.time32("s"), *TEXTS], pa.string()),
    "truth values": (["false", "true"], [False, True], [pa.bool_(), *TEXTS], pa.bool_()),
}  # fmt: skip

PRIVATE = {
    "safepub": shoal.SafePub(epsilon=2.0, delta=1e-3, schemes=({"q": 0, "t": 0},)),
    "safepub, as published": shoal.SafePub(epsilon=2.0, delta=1e-3, mode=shoal.Mode.AS_PUBLISHED),
    "diffgen": shoal.DiffGen(epsilon=40.0, target="t", specializations=2),
    "marginals": shoal.Marginals(epsilon=40.0, target="t"),
    "microaggregation-dp": shoal.MicroaggregationDP(epsilon=30.0, k=20),
    "k-epsilon": shoal.KEpsilon(epsilon=8.0, perturbed=("q",), anonymizer=shoal.OLA(k=5)),
    "pram": shoal.PRAM(epsilon=12.0, perturbed=("q",), anonymizer=shoal.OLA(k=5)),
}


def schema(domain):
    said = shoal.Schema(person="row").with_column("q", role="quasi-identifier", domain=domain)
    return said.with_column("t", role="quasi-identifier", domain=["no", "yes"])


def text_of(value):
    return str(value).lower() if isinstance(value, bool) else str(value)


def column(values, kind):
    """Values, None among them, in a type; coded by distinct value where it is a dictionary."""
    if pa.types.is_dictionary(kind):
        return column(values, kind.value_type).dictionary_encode().cast(kind)
    if kind in TEXTS:
        return pa.array([None if value is None else text_of(value) for value in values], kind)
    if pa.types.is_decimal(kind):
        return pa.array([None if value is None else Decimal(str(value)) for value in values], kind)
    if pa.types.is_timestamp(kind):
        moments = [None if value is None else dt.datetime.combine(value, dt.time(8, 30)) for value in values]
        return pa.array(moments, pa.timestamp(kind.unit)).cast(kind)
    return pa.array(values, kind)


def forms(kinds):
    """Types, each also coded."""
    for kind in kinds:
        yield kind
        if kind != pa.string_view() and not (pa.types.is_decimal(kind) and kind.bit_width < 128):
            yield pa.dictionary(pa.int8(), kind)


def table(values, kind=None):
    return pa.table(
        {
            "q": column(values, kind) if kind is not None else pa.nulls(len(values)),
            "t": [("no", "yes")[i % 2] for i in range(len(values))],
        }
    )


def spread(values):
    return [values[(i // 2) % len(values)] for i in range(RECORDS)]


def release(method, frame, domain):
    return method.anonymize(frame, schema(domain), coins=SeededCoins(7))


def files(made, folder):
    """What is written of a release, byte by byte."""
    found = {}
    for form in ("csv", "parquet"):
        made.write_data(folder / f"data.{form}")
        made.write_groups(folder / f"groups.{form}")
    for path in sorted(folder.iterdir()):
        found[path.name] = path.read_bytes()
    return found


CASES = [
    pytest.param(method, *DOMAINS[said], id=f"{name}-{said}")
    for name, method in PRIVATE.items()
    for said in DOMAINS
    if method.covers == "all" or said in ("whole numbers", "numbers")  # noise is for numbers
]


def test_the_net_holds_every_private_method():
    """A private method that is not here would escape it."""
    private = {name for name, kind in METHODS.items() if any(type(method) is kind for method in PRIVATE.values())}
    assert private == {name for name, kind in METHODS.items() if kind.cost is not Publishes.cost}
    assert all(method.cost is not None for method in PRIVATE.values())


@pytest.mark.parametrize(("method", "domain", "values", "kinds", "expected"), CASES)
def test_equal_values_give_equal_files_whatever_type_they_came_in(method, domain, values, kinds, expected, tmp_path):
    del expected
    rows = [*spread(values), None]
    one = None
    for number, kind in enumerate(forms(kinds)):
        made = release(method, table(rows, kind), domain)
        (tmp_path / str(number)).mkdir()
        found = files(made, tmp_path / str(number))
        shown = made.data
        one = one or (found, shown, made.certificate)
        assert found == one[0], kind
        assert shown.equals(one[1]), kind
        assert shown.schema.equals(one[1].schema, check_metadata=True), kind
        assert made.certificate == one[2], kind


@pytest.mark.parametrize(("method", "domain", "values", "kinds", "expected"), CASES)
def test_neighboring_tables_give_equal_schemas(method, domain, values, kinds, expected, tmp_path):
    """Also with a record more that has no value, or one that the domain does not hold, and without any value at all."""
    is_noisy = method.covers != "all"
    tables = {
        "usual": table(spread(values), kinds[0]),
        "one missing": table([*spread(values), None], kinds[0]),
        "one missing, in another type": table([*spread(values), None], kinds[-1]),
        "one strange": table([*map(text_of, spread(values)), "strange"], pa.string()),
        "one less": table(spread(values)[1:], kinds[0]),
        "all missing": table([None] * RECORDS, kinds[0]),
        "all missing, in no type": table([None] * RECORDS),
        "all of one value": table([values[0]] * RECORDS, kinds[0]),
        "none": table([], kinds[0]),
        "none, in no type": table([]),
    }
    seen, compared = {}, 0
    for name, frame in tables.items():
        try:
            made = release(method, frame, domain)
        except (InfeasibleError, shoal.DataError):  # nothing to publish, and no schema either
            assert name.startswith(("all", "none"))
            continue
        made.write_data(tmp_path / "data.parquet")
        written = pq.read_metadata(tmp_path / "data.parquet")
        attribute, shown = made.outcome.table["q"], made.outcome.shown.get("q")
        is_kept = shown is None or leaves_kept(attribute, shown) is not None
        found = (made.data.schema.serialize().to_pybytes(), str(written.schema).splitlines()[1:], written.metadata)
        key = is_kept if made.outcome.recoding is not None and not is_noisy else None
        assert seen.setdefault(key, found) == found, name
        if key:
            assert made.data.schema.field("q").type == expected
        compared += 1
    assert compared >= 5


@pytest.mark.parametrize(("domain", "values", "kinds", "expected"), DOMAINS.values(), ids=DOMAINS)
def test_the_type_is_that_of_the_domain(domain, values, kinds, expected):
    made = release(PRIVATE["safepub"], table(spread(values), kinds[0]), domain)
    assert made.data.schema.field("q").type == expected
    assert sorted(made.data["q"].unique().to_pylist(), key=str) == sorted(
        [text_of(v) if expected == pa.string() else v for v in values], key=str
    )


@pytest.mark.parametrize(
    ("names", "kind"),
    [
        (("1", "2", "x"), pa.string()),
        (("01", "02"), pa.string()),
        (("1", "2.50"), pa.string()),
        (("+1", "2"), pa.string()),
        (("1e3", "2"), pa.string()),
        (("inf", "1"), pa.string()),
        (("nan", "1"), pa.string()),
        (("", "1"), pa.string()),
        ((" 1", "2"), pa.string()),
        (("-0", "1"), pa.string()),
        (("9223372036854775808", "1"), pa.string()),
        (("-1", "9223372036854775807"), pa.int64()),
        (("-1.5", "2"), pa.float64()),
        (("True", "False"), pa.string()),
        (("true",), pa.bool_()),
        (("0", "1"), pa.int64()),
        (("2024-02-30", "2024-02-01"), pa.string()),
        (("2024-02-29", "2024-3-1"), pa.string()),
        ((), pa.string()),
    ],
)
def test_names_are_values_only_if_every_one_is_written_as_such_a_value_is(names, kind):
    assert declared_type(shoal.Categorical(names)) == kind
    assert declared_type(shoal.Categorical(names).with_missing()) == kind


WHOLE_FRAMES = {
    "pandas int64": lambda rows: pd.Series(rows, dtype="int64"),
    "pandas float64": lambda rows: pd.Series(rows, dtype="float64"),
    "pandas Int64": lambda rows: pd.Series(rows, dtype="Int64"),
    "pandas Int8": lambda rows: pd.Series(rows, dtype="Int8"),
    "pandas object": lambda rows: pd.Series(rows, dtype=object),
    "pandas category": lambda rows: pd.Series(rows).astype("category"),
    "pandas text": lambda rows: pd.Series([str(row) for row in rows], dtype="string"),
    "pandas arrow": lambda rows: pd.Series(rows, dtype="int64[pyarrow]"),
    "polars Int16": lambda rows: pl.Series(rows, dtype=pl.Int16),
    "polars Float32": lambda rows: pl.Series(rows, dtype=pl.Float32),
    "polars Decimal": lambda rows: pl.Series([Decimal(row) for row in rows], dtype=pl.Decimal(9, 3)),
    "polars Categorical": lambda rows: pl.Series([str(row) for row in rows], dtype=pl.Categorical),
    "polars Enum": lambda rows: pl.Series([str(row) for row in rows], dtype=pl.Enum(["3", "2", "1", "0"])),
    "polars String": lambda rows: pl.Series([str(row) for row in rows]),
}
DAY_FRAMES = {
    "pandas object": lambda rows: pd.Series(rows, dtype=object),
    "pandas s": lambda rows: pd.Series(pd.to_datetime(rows)).astype("datetime64[s]"),
    "pandas ns": lambda rows: pd.Series(pd.to_datetime(rows)).astype("datetime64[ns]"),
    "pandas zone": lambda rows: pd.Series(pd.to_datetime(rows)).dt.tz_localize("Asia/Tokyo"),
    "pandas text": lambda rows: pd.Series([str(row) for row in rows]),
    "polars Date": pl.Series,
    "polars us": lambda rows: pl.Series(rows).cast(pl.Datetime("us")),
    "polars ns": lambda rows: pl.Series(rows).cast(pl.Datetime("ns", "UTC")),
}


@pytest.mark.parametrize("method", [PRIVATE["safepub"], PRIVATE["diffgen"], PRIVATE["microaggregation-dp"]])
@pytest.mark.parametrize(
    ("said", "series"), [("whole numbers", WHOLE_FRAMES), ("named whole numbers", WHOLE_FRAMES), ("days", DAY_FRAMES)]
)
@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_equal_values_give_equal_frames_whatever_type_they_came_in(method, said, series, kind):
    domain, values, _, _ = DOMAINS[said]
    target = [("no", "yes")[i % 2] for i in range(RECORDS)]
    one = None
    for name, make in series.items():
        if not name.startswith(kind):
            continue
        frame = (pd if kind == "pandas" else pl).DataFrame({"q": make(spread(values)), "t": target})
        made = release(method, frame, domain)
        one = one if one is not None else made
        for mine, first in ((made.data, one.data), (made.groups, one.groups)):
            assert list(mine.dtypes) == list(first.dtypes), name
            assert mine.equals(first), name


def test_days_are_moments_in_pandas_which_has_no_type_for_days():
    domain, values, _, _ = DOMAINS["days"]
    frame = table(spread(values), pa.date32()).to_pandas()
    made = release(PRIVATE["safepub"], frame, domain)
    assert made.data["q"].dtype == "datetime64[s]"
    assert set(made.data["q"].dt.date) == set(DAYS)
    assert made.recoding.apply(frame)["q"].dtype == made.data["q"].dtype


def test_what_k_epsilon_does_not_cover_comes_out_as_it_came_in():
    """Only the noisy column is protected: the others are generalized, and keep their types where they are not."""
    frame = table(spread([0, 1, 2, 3]), pa.int8()).set_column(
        1, "t", pa.array(["no", "yes"] * (RECORDS // 2)).dictionary_encode()
    )
    made = release(PRIVATE["k-epsilon"], frame, (0, 3)).data.schema
    assert made.field("q").type == pa.int64()
    assert pa.types.is_dictionary(made.field("t").type)


@pytest.mark.parametrize("said", ["names", "whole numbers", "days"])
@pytest.mark.parametrize(
    "kind", [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())]
)
def test_one_damaged_text_counts_as_missing(said, kind, tmp_path):
    """It must not decide whether there is a release, and the file is that of a record without a value."""
    domain, values, _, _ = DOMAINS[said]
    rows = [text_of(value) for value in spread(values)]
    whole, absent = (column([*rows, last], pa.string()) for last in ("\N{FISH}", None))
    damaged = pa.Array.from_buffers(
        pa.string(),
        len(whole),
        [*whole.buffers()[:2], pa.py_buffer(whole.buffers()[2].to_pybytes()[:-4] + b"\xff" * 4)],
    )
    if pa.types.is_dictionary(kind):
        damaged = damaged.dictionary_encode().cast(kind)
    elif kind != pa.string():
        damaged = damaged.cast(kind)
    found = []
    for number, cells in enumerate((damaged, absent)):
        (tmp_path / str(number)).mkdir()
        frame = table([*rows, None], pa.string()).set_column(0, "q", cells)
        found.append(files(release(PRIVATE["diffgen"], frame, domain), tmp_path / str(number)))
    assert found[0] == found[1]
