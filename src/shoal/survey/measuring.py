"""measure(): how anonymous a table is as it stands, by every measure of classes, in one call.

The numbers are those that criteria judge by (`shoal.criteria`), of the class that stands worst. Tools differ in what
they call by the same name; `docs/measure.md` says who means what.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from shoal.arrays import Floats, Keys, Nodes
from shoal.criteria import (
    Closeness,
    Criterion,
    Disclosure,
    Distance,
    DistinctDiversity,
    EntropyDiversity,
    FrequencyDiversity,
    KAnonymity,
    Likeness,
    RecursiveDiversity,
    Reference,
)
from shoal.criteria.base import counted_in
from shoal.criteria.closeness import earth_movers_distance
from shoal.criteria.reference import given_of, histogram_of, shares_of
from shoal.data.attribute import Attribute
from shoal.data.classes import Classes
from shoal.data.counts import Counts
from shoal.data.encoded import EncodedTable
from shoal.data.schema import Column, Role, Schema
from shoal.data.unit import Unit
from shoal.engines.base import Engine
from shoal.engines.codes.encoding import encode
from shoal.engines.opening import engine_of_frame
from shoal.errors import SchemaError
from shoal.kernels import grouping
from shoal.progress import Progress, silent

_CELLS = 1 << 22
"""Numbers of a histogram, classes times sensitive values, that are looked at together."""

_MOST_RECURSIVE = 10
"""The largest ℓ for which a c is told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SensitiveMeasure:
    """How well one sensitive column is protected in the class that stands worst.

    Attributes:
        column: The column.
        values: How many different values it has; to have none counts as one.
        missing: How many records have none. They count as one value of their own.
        distinct: Different values in a class (distinct ℓ-diversity).
        distinct_known: The same where to have none is no value; 0 if nothing is known of a class.
        entropy: The exponential of a class's entropy (entropy ℓ-diversity).
        recursive: For each ℓ from 2 to the distinct one, the c that has to be exceeded for recursive (c, ℓ)-diversity.
        frequency: One over the share of the most frequent value of a class (ℓ by frequency; 1/α of (α, k)-anonymity).
        closeness: t with all values at distance 1.
        closeness_ordered: t by the ranks of values that occur; None if they have no order.
        closeness_hierarchical: t by the hierarchy of the column; None if it has none.
        likeness: β of basic β-likeness.
        likeness_enhanced: β of enhanced β-likeness; infinite if the table has it for none.
        disclosure: δ of δ-disclosure; infinite if a class lacks a value.
        disclosure_present: The same over the values that each class has.
    """

    column: str
    values: int
    missing: int
    distinct: int
    distinct_known: int
    entropy: float
    recursive: dict[int, float]
    frequency: float
    closeness: float
    closeness_ordered: float | None
    closeness_hierarchical: float | None
    likeness: float
    likeness_enhanced: float
    disclosure: float
    disclosure_present: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    """How anonymous a table is as it stands.

    Attributes:
        records: How many there are.
        quasi_identifiers: The columns that classes are told apart by.
        classes: How many classes there are.
        k: The size of the smallest, in records, or persons where `unit` says so.
        unique: How many records are the only one of their class.
        sizes: Each size that classes have, in records, and how many have it.
        sensitive: Per sensitive column, how it stands.
        unit: What k and the measures of sensitive columns count.
    """

    records: int
    quasi_identifiers: tuple[str, ...]
    classes: int
    k: int
    unique: int
    sizes: dict[int, int]
    sensitive: tuple[SensitiveMeasure, ...]
    unit: Unit = Unit.RECORD

    @property
    def average_size(self) -> float:
        """Records per class."""
        return self.records / self.classes

    def __str__(self) -> str:
        """The numbers, for a reader."""
        counted = "" if self.unit is Unit.RECORD else f" {self.unit.value if self.k == 1 else self.unit.plural}"
        about = (
            f"{self.records:,} record{'' if self.records == 1 else 's'} in {self.classes:,} "
            f"class{'' if self.classes == 1 else 'es'} by {', '.join(self.quasi_identifiers)}"
        )
        unique = (
            f"{self.unique:,} record{' is' if self.unique == 1 else 's are'} unique ({self.unique / self.records:.1%})"
        )
        sizes = f"classes of {self.average_size:,.1f} records on average, {max(self.sizes):,} at most"
        said = [about, f"k = {self.k:,}{counted}; {unique}; {sizes}"]
        return "\n".join([*said, *("\n" + "\n".join(_lines(one)) for one in self.sensitive)])

    def to_dict(self) -> dict[str, Any]:
        """The same for machines; None where a number is infinite or has no meaning."""
        return {
            "records": self.records,
            "unit": self.unit.value,
            "quasi_identifiers": list(self.quasi_identifiers),
            "classes": self.classes,
            "k": self.k,
            "unique": self.unique,
            "average_size": self.average_size,
            "sizes": {str(size): times for size, times in self.sizes.items()},
            "sensitive": {one.column: _numbers(one) for one in self.sensitive},
        }


def measure(frame: Any, schema: Schema) -> Measures:
    """How anonymous a table is as it stands: k, diversities, closeness, likeness, disclosure of its worst class.

    Classes are the records that are equal in the quasi-identifiers of the schema, missing values being equal to each
    other; hierarchies of quasi-identifiers are of no consequence. It is computed from the table and may tell of single
    records: for the owner, or about a table that is published already.

    Args:
        frame: The table: pandas, polars, Arrow, or whatever else `anonymize` takes.
        schema: Which columns are quasi-identifiers and which are sensitive.

    >>> import pyarrow as pa
    >>> table = pa.table({"age": ["20-39"] * 3 + ["40-59"] * 2, "illness": ["flu", "flu", "flu", "flu", "cold"]})
    >>> schema = Schema().with_column("age", role="quasi-identifier").with_column("illness", role="sensitive")
    >>> found = measure(table, schema)
    >>> found.k, found.sensitive[0].distinct, round(found.sensitive[0].closeness, 3)
    (2, 1, 0.3)
    """
    engine, _ = engine_of_frame(frame)
    return measured(engine, schema)


def measured(engine: Engine, schema: Schema, progress: Progress = silent) -> Measures:
    """The same of a table wherever it is."""
    quasi, sensitive = schema.names(Role.QUASI_IDENTIFIER), schema.names(Role.SENSITIVE)
    if not quasi:
        raise SchemaError("there is nothing to tell classes apart by: give a column the role 'quasi-identifier'.")
    plain = tuple(Column(c.name, c.role) if c.name in quasi else c for c in schema.columns)
    table = encode(engine, replace(schema, columns=plain), (*quasi, *sensitive), progress)
    keys, domain = table.counts.group(quasi)
    classes = _classes(table, table, keys, domain)
    sizes, times = np.unique(classes.sizes, return_counts=True)
    unit = table.unit
    smallest = KAnonymity(1, unit)
    found = []
    for done, name in enumerate(sensitive):
        found.append(_measured(table, keys, domain, table[name], unit))
        progress("measuring", (done + 1) / len(sensitive))
    return Measures(
        records=table.total,
        quasi_identifiers=quasi,
        classes=len(classes),
        k=int(smallest.worst(smallest.measure(classes, _all(classes)))),
        unique=int(times[sizes == 1].sum()),
        sizes=dict(zip(sizes.tolist(), times.tolist(), strict=True)),
        sensitive=tuple(found),
        unit=unit,
    )


def _classes(table: EncodedTable, source: EncodedTable, keys: Keys, domain: int) -> Classes:
    """The classes of records that are equal in their quasi-identifiers, compared with all of `source`."""

    def row_nodes(attribute: int, rows: Keys) -> Nodes:
        return table.counts.codes[attribute][rows].astype(np.int32)  # equal where records are: criteria need no more

    return Classes(table, keys, domain, row_nodes, source=source)


def _all(classes: Classes) -> Any:
    return np.ones(len(classes), dtype=np.bool_)


def _measured(table: EncodedTable, keys: Keys, domain: int, attribute: Attribute, unit: Unit) -> SensitiveMeasure:
    """One sensitive column, some classes after the other where there are many of both classes and values."""
    here, whole = attribute.name, Reference.INPUT  # some of the classes are compared with all of the table
    judged: dict[str, Criterion] = {
        "distinct": DistinctDiversity(1, here),
        "entropy": EntropyDiversity(1.0, here),
        "frequency": FrequencyDiversity(1.0, here),
        "closeness": Closeness(1.0, here, reference=whole),
        "likeness_enhanced": Likeness(1.0, here, reference=whole),
        "disclosure": Disclosure(1.0, here, reference=whole),
    }
    if attribute.hierarchy.height > 1:
        judged["closeness_hierarchical"] = Closeness(1.0, here, Distance.HIERARCHICAL, reference=whole)
    for rank in range(2, _MOST_RECURSIVE + 1):
        judged[f"recursive {rank}"] = RecursiveDiversity(1.0, rank, here)
    judged = {called: counted_in(criterion, unit) for called, criterion in judged.items()}
    compared = judged["closeness"]
    assert isinstance(compared, Closeness)
    worst: dict[str, float] = {}
    gain, ratio, ranks = 0.0, 0.0, 0.0
    for classes in _some(table, keys, domain, len(table.values(here))):
        for called, criterion in judged.items():
            if isinstance(criterion, RecursiveDiversity) and criterion.diversity > worst["distinct"]:
                continue
            number = criterion.worst(criterion.measure(classes, _all(classes)))
            worst[called] = criterion.worst(np.array([worst.get(called, number), number]))
        shares, reference = shares_of(histogram_of(compared, classes)), shares_of(given_of(compared, classes))
        there = reference > 0
        shares, reference = shares[:, there], reference[there]
        gain = max(gain, float((shares / reference - 1).max(initial=0.0)))
        ratio = max(ratio, _largest_log(shares / reference))
        if attribute.domain.ordered:
            distances = earth_movers_distance(shares - reference, attribute, Distance.ORDERED)
            ranks = max(ranks, float(distances.max(initial=0.0)))
    distinct = int(worst["distinct"])
    missing = 0 if attribute.domain.missing is None else int(table.marginal(here)[attribute.domain.missing])
    return SensitiveMeasure(
        column=here,
        values=int((table.marginal(here) > 0).sum()),
        missing=missing,
        distinct=distinct,
        distinct_known=_fewest_known(table, keys, domain, attribute) if missing else distinct,
        entropy=worst["entropy"],
        recursive={rank: worst[f"recursive {rank}"] for rank in range(2, min(distinct, _MOST_RECURSIVE) + 1)},
        frequency=worst["frequency"],
        closeness=worst["closeness"],
        closeness_ordered=ranks if attribute.domain.ordered else None,
        closeness_hierarchical=worst.get("closeness_hierarchical"),
        likeness=gain,
        likeness_enhanced=worst["likeness_enhanced"],
        disclosure=worst["disclosure"],
        disclosure_present=ratio,
    )


def _fewest_known(table: EncodedTable, keys: Keys, domain: int, attribute: Attribute) -> int:
    """Different values of the class that has fewest, to have none being no value."""
    codes, width = table.counts.column(attribute.name).astype(np.int64), attribute.domain.size
    known = codes != attribute.domain.missing
    pairs = np.unique(keys[known].astype(np.int64) * width + codes[known])
    return int(np.bincount(pairs // width, minlength=domain).min())


def _some(table: EncodedTable, keys: Keys, domain: int, width: int) -> Iterator[Classes]:
    """All classes, or so many at a time that a histogram of them stays small; persons are counted in all at once."""
    step = max(_CELLS // max(width, 1), 1)
    if domain <= step or table.persons is not None:
        yield _classes(table, table, keys, domain)
        return
    order = np.argsort(keys, kind="stable")
    sorted_keys = keys[order]
    for start in range(0, domain, step):
        rows = order[slice(*np.searchsorted(sorted_keys, [start, start + step]))]
        counts = table.counts
        part = Counts(
            counts.names, tuple(column[rows] for column in counts.codes), counts.cardinalities, counts.sizes[rows]
        )
        labels, groups = grouping.compact(keys[rows] - start, step)
        yield _classes(EncodedTable(table.attributes, part), table, labels, groups)


def _largest_log(ratios: Floats) -> float:
    """The largest absolute logarithm of the ratios that are not 0."""
    logs = np.log(ratios, out=np.zeros_like(ratios), where=ratios > 0)
    return float(np.abs(logs).max(initial=0.0))


def _numbers(one: SensitiveMeasure) -> dict[str, Any]:
    fields = {name: getattr(one, name) for name in one.__slots__ if name not in {"column", "recursive"}}
    told = {name: None if isinstance(x, float) and not np.isfinite(x) else x for name, x in fields.items()}
    return {**told, "recursive": {str(rank): c for rank, c in one.recursive.items()}}


def _lines(one: SensitiveMeasure) -> list[str]:
    """What there is to say about a sensitive column, a line each."""
    recursive = ", ".join(f"({c:.3g}, {rank})" for rank, c in one.recursive.items())
    numbers = {
        "distinct ℓ-diversity": f"{one.distinct}",
        "entropy ℓ-diversity": f"{one.entropy:.3f}",
        "recursive (c, ℓ)-diversity": f"every c above: {recursive}" if recursive else "none: a class has one value",
        "ℓ-diversity by frequency": f"{one.frequency:.3f} (a value has {1 / one.frequency:.1%} of a class)",
        "t-closeness, equal distance": f"{one.closeness:.4f}",
        "t-closeness, by ranks": None if one.closeness_ordered is None else f"{one.closeness_ordered:.4f}",
        "t-closeness, hierarchical": None
        if one.closeness_hierarchical is None
        else f"{one.closeness_hierarchical:.4f}",
        "β-likeness, basic": f"{one.likeness:.4g}",
        "β-likeness, enhanced": f"{one.likeness_enhanced:.4g}"
        if np.isfinite(one.likeness_enhanced)
        else "none: a value gains more than −ln of its share",
        "δ-disclosure": f"{one.disclosure:.4g}"
        if np.isfinite(one.disclosure)
        else f"none: a class lacks a value ({one.disclosure_present:.4g} over those that classes have)",
    }
    known = one.values - (one.missing > 0)
    several = f"{known:,} value{'' if known == 1 else 's'}"
    nothing = (
        f"  {one.missing:,} record{' has' if one.missing == 1 else 's have'} no value, which counts as one more value; "
        f"if it counts as none, distinct ℓ-diversity is {one.distinct_known}"
    )
    return [
        f"{one.column} ({several}{', ' + format(one.missing, ',') + ' missing' if one.missing else ''})",
        *([nothing] if one.missing else []),
        *(f"  {what:<28} {number}" for what, number in numbers.items() if number is not None),
    ]
