"""One small table of people who never lived, and the forms in which a table comes: files of all kinds, frames, parts.

Every column has another type and another kind of hierarchy; some values are missing; `note` is unique, so that a
published row can be traced to its original; `name` must never be published.
"""

import csv
import datetime as dt
import gzip
import io
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import shoal
from shoal.data.schema import Role
from shoal.engines.codes.coding import as_labels
from shoal.engines.codes.encoding import encode
from shoal.engines.local import LocalEngine
from shoal.progress import silent

NAMES = ("name", "age", "town", "day", "height", "member", "illness", "note")
TOWNS = ("Bonn", "Köln", "Ulm", None)
LEVELS = {"age": 2, "town": 0, "day": 3, "height": 1, "member": 0}
"""Coarse enough for classes of two and more, fine enough that some records are left out at k = 3."""


def rows(number=90):
    """Records as tuples of plain values, None where one is missing."""
    return [
        (
            f"person-{i:03}",
            20 + (i * 7) % 30,
            TOWNS[(i * i + i // 9) % 4],
            dt.date(2023, 11, 20) + dt.timedelta(days=(i * 5) % 60),
            None if i % 11 == 3 else 1.5 + 0.05 * ((i * 3) % 10),
            i % 3 == 0,
            ("flu", "cold", "none, so far")[(i // 2) % 3],
            f'note {i}: "fine",\nthey said; {i * i}' if i % 5 == 0 else f"note {i}",
        )
        for i in range(number)
    ]


def schema(**roles):
    """What the owner says; `roles` changes some columns' roles."""
    said = {
        "name": ("identifier", None, None, False),
        "age": ("quasi-identifier", (0, 99), shoal.intervals(5, 10), False),
        "town": ("quasi-identifier", None, None, False),
        "day": (
            "quasi-identifier",
            (dt.date(2023, 1, 1), dt.date(2024, 12, 31)),
            shoal.dates("month", "quarter", "year"),
            False,
        ),
        "height": ("quasi-identifier", (1, 2.5, 0.05), shoal.intervals(0.5), True),
        "member": ("quasi-identifier", None, None, False),
        "illness": ("sensitive", None, None, False),
        "note": ("insensitive", None, None, False),
    }
    made = shoal.Schema()
    for column, (usual, domain, hierarchy, missing) in said.items():
        role = roles.get(column, usual)
        is_counted = role in ("quasi-identifier", "sensitive")
        made = made.with_column(
            column,
            role=role,
            domain=domain,
            hierarchy=hierarchy if is_counted else None,
            missing=missing,
            unlinkable=column == "note" and role == "insensitive",
        )
    return made


def texts(table_rows):
    """The same records as a CSV file has them."""
    return [["" if value is None else _text(value) for value in row] for row in table_rows]


def _text(value):
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def write_csv(
    path, table_rows=None, names=NAMES, *, delimiter=",", newline="\n", encoding="utf-8", start="", quote=None
):
    """A CSV file, compressed when its name ends in .gz."""
    file = io.StringIO(newline="")
    writer = csv.writer(
        file, delimiter=delimiter, lineterminator=newline, quoting=csv.QUOTE_MINIMAL if quote is None else quote
    )
    writer.writerow(names)
    writer.writerows(texts(rows() if table_rows is None else table_rows))
    content = (start + file.getvalue()).encode(encoding)
    Path(path).write_bytes(gzip.compress(content) if str(path).endswith(".gz") else content)
    return Path(path)


def arrow(table_rows=None, types=None):
    """An Arrow table; `types` changes some columns' types."""
    columns = list(zip(*(rows() if table_rows is None else table_rows), strict=True))
    made = {}
    for name, values in zip(NAMES, columns, strict=True):
        cells = [round(value, 2) if isinstance(value, float) else value for value in values]
        made[name] = pa.array(cells)
        if types and name in types:
            made[name] = made[name].cast(types[name])
    return pa.table(made)


def write_parquet(path, table, row_group_size=None):
    pq.write_table(table, path, row_group_size=row_group_size)
    return Path(path)


def write_arrow(path, table, chunk=None):
    with pa.ipc.new_file(str(path), table.schema) as writer:
        writer.write_table(table, max_chunksize=chunk)
    return Path(path)


def decided(source, said=None, levels=None, k=3, missing=("",), **request):
    """The engine, the schema, its encoded table, and what is published of it at fixed levels."""
    said = schema() if said is None else said
    engine = LocalEngine(source, missing)
    method = shoal.OptimalLattice(k=k, suppression_limit=1.0, **request)
    counted = shoal.OptimalLattice(k=max(k, 2), **request).counted(said)  # which refuses k = 1
    table = encode(engine, said, counted, silent)
    evaluator = method.evaluator(table)
    wanted = LEVELS if levels is None else levels
    node = tuple(wanted[attribute.name] for attribute in table.quasi_identifiers)
    return engine, said, method.decide(evaluator, node, {})


def published(source, *arguments, **settings):
    """The published table."""
    engine, said, outcome = decided(source, *arguments, **settings)
    return engine.frame(said, outcome)


def labelled(table):
    """A table as rows of text, None for a missing value: the same for every type that shows the same values."""
    columns = []
    for column in table.columns:
        values = column.combine_chunks()
        if pa.types.is_dictionary(values.type):
            values = values.dictionary_decode()
        columns.append(as_labels(values))
    return list(zip(*columns, strict=True)) if columns else []


def counted(table):
    """The counts of an encoded table, by label."""
    columns = [table[name].domain.labels(table.counts.column(name).tolist()) for name in table.counts.names]
    return dict(zip(zip(*columns, strict=True), table.counts.sizes.tolist(), strict=True))


def quasi_names(said):
    return said.names(Role.QUASI_IDENTIFIER)
