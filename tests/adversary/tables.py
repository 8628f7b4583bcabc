"""A generator of nasty tables, each with a neighbor: what somebody would try who wants a run to give a record away.

Everything follows from a seed, so that a pair that was found once is found again.
"""

import datetime as dt
import random
from dataclasses import dataclass, field
from decimal import Decimal

import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq

DAYS = (dt.date(2024, 1, 1), dt.date(2024, 12, 31))
LONG = [f"c{i:04}" for i in range(700)]


@dataclass(frozen=True)
class Kind:
    """A kind of column.

    Attributes:
        said: What the release file says about it.
        values: Values of its domain.
        strange: Values that its domain does not hold; None is missing.
        types: The Arrow types it may come in; the first one holds every value above.
        is_number: Whether it may carry noise.
        is_target: Whether it may be a class.
    """

    said: str
    values: list
    strange: list
    types: list
    is_number: bool = False
    is_target: bool = False


WHOLE = [pa.int64(), pa.int32(), pa.int16(), pa.uint16(), pa.float64(), pa.float32()]
TEXT = [pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())]
MOMENTS = [
    pa.date32(),
    pa.timestamp("s"),
    pa.timestamp("us"),
    pa.timestamp("ns"),
    pa.timestamp("us", "UTC"),
    pa.date64(),
]
KINDS = {
    "age": Kind(
        "domain = { from = 0, to = 99 }\nhierarchy = { intervals = [5, 20] }",
        [20, 31, 31, 40, 40, 40, 57, 99],
        [None, 100, 30_000],
        WHOLE,
        is_number=True,
    ),
    "wide": Kind(
        "domain = { from = 0, to = 199 }\nhierarchy = { intervals = [10] }",
        [0, 50, 50, 50, 120, 199],
        [None, 250],
        WHOLE,
        is_number=True,
    ),
    "price": Kind(
        "domain = { from = 0, to = 20, step = 0.25 }\nhierarchy = { intervals = [1, 5] }",
        [Decimal("0.25"), Decimal("3.5"), Decimal("3.5"), Decimal("19.75")],
        [None, Decimal("3.33"), Decimal("99.25")],
        [pa.decimal128(8, 2), pa.decimal128(5, 2), pa.float64()],
        is_number=True,
    ),
    "day": Kind(
        "domain = { from = 2024-01-01, to = 2024-12-31 }\nhierarchy = { dates = ['month'] }",
        [dt.date(2024, 1, 1), dt.date(2024, 3, 9), dt.date(2024, 3, 9), dt.date(2024, 12, 31)],
        [None, dt.date(1999, 1, 1), dt.date(2199, 1, 1)],
        MOMENTS,
    ),
    "town": Kind(
        "hierarchy = { tree = { '*' = { south = ['Ulm'], west = ['Bonn', 'Köln'] } } }",
        ["Ulm", "Bonn", "Bonn", "Köln"],
        [None, "Oz", 'a "quoted", one', "two\nlines", "", "NaN", "🐟", "*", "south"],
        TEXT,
        is_target=True,
    ),
    "long": Kind(
        f"domain = {LONG!r}\nhierarchy = {{ balanced = 10 }}",
        [LONG[0], LONG[5], LONG[5], LONG[699]],
        [None, "c7000"],
        TEXT,
    ),
    "grade": Kind(
        "domain = ['1', '2', '3']",
        ["1", "2", "2", "3"],
        [None, "4", "1.0", "01"],
        [pa.string(), pa.int64(), pa.int8()],
        is_target=True,
    ),
    "flag": Kind("domain = ['true', 'false']", ["true", "false"], [None, "yes", "TRUE"], [pa.string(), pa.bool_()]),
}  # fmt: skip
WIDE_COLUMNS = 30

METHODS = ("safepub", "diffgen", "marginals", "k-epsilon", "microaggregation-dp")
THRESHOLDS = {
    "shoal.search.blocks.refinement._CELLS": [0, 1, 20],
    "shoal.search.blocks.refinement._CHUNK": [1, 7],
    "shoal.search.blocks.refinement._KEPT_BYTES": [0],
    "shoal.search.blocks.refinement._LARGEST_TALLY": [0, 200, 4000],
    "shoal.search.blocks.refinement._WIDEST": [0, 1 << 12],
    "shoal.search.blocks.refinement._MANY_VISITS": [0, 40],
    "shoal.search.lattice._WIDE_ROWS": [0, 5],
    "shoal.search.top_down.scores._DENSE_CELLS_PER_RECORD": [0],
    "shoal.search.top_down.scores._SMALLEST_DENSE": [0, 60],
    "shoal.kernels.grouping._DENSE_CELLS_PER_RECORD": [0, 1],
    "shoal.kernels.grouping._SMALLEST_DENSE": [1, 30],
    "shoal.methods.safepub.expected_scores._WIDEST": [1, 1 << 20],
    "shoal.methods.safepub.expected_scores._LARGEST_SCORE": [1, 1 << 16],
    "shoal.methods.safepub.expected_scores._LONGEST_TABLE": [0, 5],
    "shoal.engines.codes.encoding._PENDING": [0, 3],
    "shoal.engines.reading.source.BATCH_ROWS": [1, 3],
    "shoal.engines.writing.publishing._WRITE_ROWS": [1, 5],
    "shoal.dp.coins.coins._FEW": [0, 10**6],
    "shoal.dp.coins.coins._FEW_EXPONENTS": [0, 10**6],
    "shoal.dp.coins.bulk._BLOCK": [1, 16],
    "shoal.cluster.centers._EXACT": [0],
    "shoal.cluster.taxonomy._EXACT": [0],
    "shoal.cluster.taxonomy._CHUNK": [1],
}


@dataclass(frozen=True)
class Pair:
    """Two tables that differ in one record, and a release file that suits both.

    Attributes:
        plan: The release file.
        data: The name of the table.
        tables: The rows of both.
        columns: The kinds of the columns, by name.
        types: Their Arrow types in each of the tables; None for text.
        settings: What numbers of modules are during the runs.
        method: The method.
    """

    plan: str
    data: str
    tables: tuple[list, list]
    columns: dict = field(repr=False)
    types: tuple = ()
    settings: dict = field(default_factory=dict)
    method: str = ""

    def write(self, which, folder):
        """One of the two tables, and the release file."""
        (folder / "release.toml").write_text(self.plan, encoding="utf-8")
        names, rows = list(self.columns), self.tables[which]
        if self.data.endswith(".parquet"):
            arrays = [_array([row[i] for row in rows], kind) for i, kind in enumerate(self.types[which])]
            pq.write_table(pa.table(arrays, names=names), folder / self.data)
            return
        texts = [
            pa.array([None if row[i] is None else str(row[i]) for row in rows], pa.string()) for i in range(len(names))
        ]
        pc.write_csv(pa.table(texts, names=names), folder / self.data)


def _array(values, kind):
    """Values in a type; what it cannot hold is missing."""
    return pa.array([_held(value, kind) for value in values], kind)


def _held(value, kind):
    try:
        if pa.types.is_boolean(kind):
            held = {"true": True, "false": False}.get(value)
        elif value is not None and (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
            held = (int if pa.types.is_integer(kind) else float)(value)
        elif isinstance(value, dt.date) and pa.types.is_timestamp(kind):
            held = dt.datetime.combine(value, dt.time(), dt.UTC if kind.tz else None)
        else:
            held = value
        pa.array([held], kind)
    except (pa.ArrowException, ValueError, TypeError):
        return None
    return held


def pair(seed, method=None):
    """One pair."""
    rng = random.Random(seed)
    method = method or rng.choice(METHODS)
    names = _names(rng, method)
    columns = {name: KINDS[name.split("_")[0]] for name in names}
    rows = [[_value(rng, kind) for kind in columns.values()] for _ in range(rng.choice([0, 1, 2, 7, 40, 41, 120]))]
    more, fewer = rows, rows
    nasty = [_value(rng, kind, strange=0.7) for kind in columns.values()]
    if method == "microaggregation-dp":  # replace one record; their number is public
        rows = rows or [[_value(rng, kind) for kind in columns.values()]]
        fewer, more = rows, [*rows[:-1], nasty]
    elif method == "k-epsilon":  # the perturbed column of one record
        rows = [[_value(rng, kind, strange=0) for kind in columns.values()] for _ in range(rng.choice([12, 40]))]
        at = rng.randrange(len(rows))
        other = [nasty[0], *rows[at][1:]]
        fewer, more = rows, [*rows[:at], other, *rows[at + 1 :]]
    else:
        at = rng.randint(0, len(rows))
        more = [*rows[:at], nasty, *rows[at:]]
    if rng.random() < 0.5:
        fewer, more = more, fewer
    is_parquet = rng.random() < 0.5
    types = tuple(rng.choice(kind.types) for kind in columns.values()) if is_parquet else ()
    others = tuple(
        rng.choice(kind.types) if rng.random() < 0.2 and (i == 0 or method != "k-epsilon") else same
        for i, (kind, same) in enumerate(zip(columns.values(), types, strict=False))
    )  # a single record may decide in which type a file is written; other columns of k-epsilon are alike
    chosen = rng.sample(sorted(THRESHOLDS), rng.choice([0, 1, 2, 4, 8]))
    data = "people.parquet" if is_parquet else "people.csv"
    return Pair(
        plan=_plan(rng, method, columns, data),
        data=data,
        tables=(fewer, more),
        columns=columns,
        types=(types, others),
        settings={name: rng.choice(THRESHOLDS[name]) for name in chosen},
        method=method,
    )


def person_pair(seed, method):
    """One pair that differs in all records of one person: none, one, two or many of them, in any places."""
    rng = random.Random(seed)
    plain = pair(seed, method)
    columns = {**plain.columns, "who": WHO}
    others = rng.choice([0, 1, 2, 7, 40]) if method in ("safepub", "diffgen", "marginals") else rng.choice([12, 40])
    rows = [[*_record(rng, plain), f"{i:02}"] for i in range(others) for _ in range(rng.choice([1, 1, 2, 3, 9]))]
    if method != "k-epsilon":  # which may look, and refuses them
        rows += [[*_record(rng, plain), None] for _ in range(rng.choice([0, 0, 1, 5]))]
    mine = [[*_record(rng, plain, strange=0.7), rng.choice(STRANGERS)] for _ in range(rng.choice([0, 1, 1, 2, 3, 40]))]
    mine = [[*record[:-1], mine[0][-1]] for record in mine]
    fewer, more = rows, [*rows, *mine]
    if method == "microaggregation-dp":  # replaced by somebody with another number of records; all are persons
        mine = mine or [[*_record(rng, plain), "new"]]
        gone = [row for row in rows if row[-1] != "00"]
        fewer, more = rows, [*gone, *mine]
    if method == "k-epsilon":  # the perturbed column in all records of one person
        changed = [[_value(rng, next(iter(plain.columns.values())), strange=0.7), *row[1:]] for row in rows]
        more = [new if row[-1] == "03" else row for row, new in zip(rows, changed, strict=True)]
    elif rng.random() < 0.5:  # rows of nobody take no part, whoever has added them
        more = [*more, [*_record(rng, plain, strange=0.7), None]]
    if rng.random() < 0.5:
        more = rng.sample(more, len(more))
    if rng.random() < 0.5:
        fewer, more = more, fewer
    types, changed_types = ((), ()) if not plain.types[0] else plain.types
    if types:
        types, changed_types = (*types, rng.choice(TEXT)), (*(changed_types or types), rng.choice(TEXT))
    takes_one = method in ("microaggregation-dp", "marginals")
    most = rng.choice([None, 1]) if takes_one else rng.choice([None, 1, 2, 3])
    cap = "" if most is None else f"max_records = {most}\n"
    plan = plain.plan.replace('person = "row"\n', f'person = "who"\n{cap}')
    if seed % 2:
        plan = plan.replace("sampling_rate = 0.4", 'several = "persons"')
    return Pair(
        plan=plan,
        data=plain.data,
        tables=(fewer, more),
        columns=columns,
        types=(types, changed_types),
        settings=plain.settings,
        method=method,
    )


WHO = Kind("", [], [], TEXT)
STRANGERS = ["new", "", " ", "None", "nan", "*", 'a "quoted", one', "two\nlines", "🐟" * 200]


def _record(rng, plain, strange=0.08):
    strange = 0 if plain.method == "k-epsilon" else strange
    return [_value(rng, kind, strange) for kind in plain.columns.values()]


def _names(rng, method):
    """Which columns there are: one, a few, or very many."""
    several = rng.choice([1, 1, 2, 3, 4, 4, 5, WIDE_COLUMNS])
    if method == "k-epsilon":
        number = rng.choice([name for name, kind in KINDS.items() if kind.is_number])
        others = rng.sample(["town", "grade", "flag"], min(max(several, 2) - 1, 3))
        return [number, *others]
    names = [rng.choice(sorted(KINDS)) for _ in range(several)]
    if method == "diffgen" or (method == "marginals" and rng.random() < 0.5):
        target = rng.choice([name for name, kind in KINDS.items() if kind.is_target])
        names = [*names[:8], target] if len(names) > 1 else [names[0], target]
    return [f"{name}_{i}" for i, name in enumerate(names)]


def _value(rng, kind, strange=0.08):
    return rng.choice(kind.strange if rng.random() < strange else kind.values)


def _plan(rng, method, columns, data):
    said = [f'[data]\npath = "{data}"\nperson = "row"\n']
    said += [f'[columns.{name}]\nrole = "quasi-identifier"\n{kind.said}\n' for name, kind in columns.items()]
    names = list(columns)
    epsilon = rng.choice([0.5, 2.0, 6.0])
    match method:
        case "safepub":
            quality = rng.choice(["loss", "group-size", "discernibility", "entropy", "granularity", "intensity"])
            parameters = [f"epsilon = {epsilon}", "delta = 0.2", "sampling_rate = 0.4", f'quality = "{quality}"']
            parameters += ["candidates = 200"]
            if rng.random() < 0.3:
                parameters[-1] = "schemes = [{}]"
        case "diffgen":
            parameters = [f"epsilon = {epsilon}", f'target = "{names[-1]}"', "specializations = 3"]
            parameters += rng.choice([[], ["threshold = 3"], ["threshold = 1000"], ['utility = "max"']])
        case "marginals":
            parameters = [f"epsilon = {epsilon}", *rng.choice([[], ['numbers = "intervals"'], ["delta = 0.001"]])]
            if columns[names[-1]].is_target and len(names) > 1:
                parameters += [f'target = "{names[-1]}"']
        case "k-epsilon":
            parameters = [f"epsilon = {epsilon}", f'perturbed = ["{names[0]}"]']
            parameters += ["anonymizer = { name = 'ola', k = 2, suppression_limit = 1.0 }"]
            parameters += rng.choice([[], ["bounds_share = 0.5"], ["within_domain = true"]])
        case _:
            parameters = [f"epsilon = {epsilon}", rng.choice(["k = 1", "k = 1\ndelta = 0.001"])]
    said += [f'[method]\nname = "{method}"\n' + "\n".join(parameters) + "\n"]
    said += ['[budget]\nledger = "books"\n']
    said += [f'[output]\nformat = "{rng.choice(["csv", "parquet"])}"\ngroups = {rng.choice(["true", "false"])}\n']
    return "\n".join(said)
