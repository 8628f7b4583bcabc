"""The published table as its readers see it, in the order and the hierarchies that the certificate tells of."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

import numpy as np

from shoal.criteria import Closeness, Criterion, Distance
from shoal.data.attribute import Attribute, settle
from shoal.data.counts import Counts
from shoal.data.domain import Categorical, Origin
from shoal.data.encoded import EncodedTable
from shoal.data.hierarchies.paths import Paths
from shoal.data.schema import Column, Role
from shoal.engines.codes.encoding import encode
from shoal.engines.opening import engine_of_published
from shoal.errors import DataError, SchemaError, ShoalError, listed
from shoal.progress import Progress
from shoal.promises.checking.consistency import Claims

_MOST_DIGITS = 400


def read_table(path: Path, claims: Claims, where: Path, progress: Progress) -> EncodedTable:
    """Count the distinct published records; refuses columns that the certificate does not tell of, and the reverse."""
    engine = engine_of_published(path, is_marked=claims.certificate.spreadsheet_safe)
    present, claimed = list(engine.types()), list(claims.roles)
    if set(present) != set(claimed):
        odd = listed(sorted(set(present) ^ set(claimed)))
        raise DataError(f"{path} and {where} do not belong together: column {odd} is in one of them only.")
    counted = claims.names(Role.QUASI_IDENTIFIER, Role.SENSITIVE)
    try:
        table = encode(engine, claims.schema, counted, progress, absorb=True)  # an empty table is a table, too
    except SchemaError as error:
        raise DataError(f"{path}: {error}") from None
    paths = {column["name"]: column for column in claims.certificate.columns if "paths" in column}
    criteria = [criterion for criterion, _ in claims.criteria]
    by_order = {c.column for c in criteria if isinstance(c, Closeness) and c.distance is Distance.ORDERED}
    for name in counted:
        if name in paths:  # an order is one of all values, and so of a declared domain
            table = _with_paths(table, paths[name], Origin.DECLARED if name in by_order else Origin.OBSERVED, where)
    for criterion in criteria:
        values = getattr(criterion, "values", ())
        about = getattr(criterion, "column", None)
        if values and about in counted and about not in paths:
            table = _with_names(table, about, values)
    return replace(table, is_linked=bool(claims.names(Role.PSEUDONYM)))


def values_alike(table: EncodedTable, criteria: Sequence[tuple[Criterion, float]]) -> list[str]:
    """Columns in which some different values are hardly so: there diversity may be less than it seems."""
    notes = []
    judged = {getattr(criterion, "column", None) for criterion, _ in criteria}
    for attribute in table.sensitive:
        if attribute.name in judged:
            labels = attribute.domain.labels(range(attribute.domain.size))
            alike = len(labels) - len({_folded(label) for label in labels})
            if alike:
                notes.append(
                    f"{alike:,} of {len(labels):,} values of {attribute.name!r} differ from another only in case, "
                    "spaces or how a number or letter is written; they were counted as different"
                )
    return notes


def _folded(label: str) -> str:
    text = "".join(unicodedata.normalize("NFKC", label).casefold().split())
    return _plain_number(text) or text


def _plain_number(text: str) -> str | None:
    """The number that a text is, in plain digits; None if it is none."""
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    if not number.is_finite() or abs(number.adjusted()) > _MOST_DIGITS:
        return None
    plain = f"{number:f}"
    plain = plain.rstrip("0").rstrip(".") if "." in plain else plain
    return "0" if plain == "-0" else plain


def _with_paths(table: EncodedTable, description: Mapping[str, Any], origin: Origin, where: Path) -> EncodedTable:
    """The table with the order and the hierarchy of one column that distances are measured by."""
    name = description["name"]
    try:
        paths = tuple(tuple(_text(label) for label in path) for path in description["paths"])
        values = tuple(path[0] for path in paths)
        missing = values.index(description["missing"]) if "missing" in description else None
        domain = Categorical(values, ordered=description["ordered"] is True, missing=missing, origin=origin)
        column = Column(name, table[name].role, domain, Paths(paths, f"the certificate, column {name!r}"))
        attribute = settle(column, domain)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, RecursionError, ShoalError):
        raise DataError(f"{where} is not a certificate of Shoal, or is damaged.") from None
    names = [label for label in values if label != description.get("missing")]
    return _renamed(table, attribute, names, blank=description.get("blank"))


def _with_names(table: EncodedTable, name: str, names: Sequence[str]) -> EncodedTable:
    """The table with a place for some values of a column, published or not, under the names that a criterion uses."""
    attribute = table[name]
    here = attribute.domain
    assert isinstance(here, Categorical)
    kept = [label for label in here.values if _named(label, names) not in names]
    gone = None if here.missing is None else here.values[here.missing]
    values = tuple(dict.fromkeys([*kept, *names, *([] if gone is None else [gone])]))
    missing = None if gone is None else values.index(gone)
    domain = Categorical(values, missing=missing, origin=Origin.OBSERVED)
    column = Column(name, attribute.role, domain)
    return _renamed(table, settle(column, domain), [label for label in values if label != gone], blank=None)


def _renamed(table: EncodedTable, attribute: Attribute, names: Sequence[str], blank: str | None) -> EncodedTable:
    """The table with the values of one column under the names of another domain; no two may get the same one."""
    old, new = table[attribute.name].domain, attribute.domain
    assert isinstance(old, Categorical)
    assert isinstance(new, Categorical)
    code = {label: i for i, label in enumerate(new.values)}
    known = set(names)
    lookup = np.zeros(old.size, dtype=np.int64)
    for i, label in enumerate(old.values):
        found = new.missing
        if i != old.missing:
            named = blank if label == "" and blank is not None else _named(label, known)
            found = code[named] if named in known else None
        if found is None:
            raise DataError(
                f"column {attribute.name!r} of the published table holds a value that the certificate does not tell "
                "of; the two do not belong together."
            )
        lookup[i] = found
    if len(set(lookup.tolist())) < old.size:
        raise DataError(
            f"column {attribute.name!r} of the published table writes one value in two ways; ask its publisher for the "
            "release as `shoal run` wrote it."
        )
    counts = table.counts
    codes = [lookup[c] if n == attribute.name else c for n, c in zip(counts.names, counts.codes, strict=True)]
    sizes = [new.size if n == attribute.name else s for n, s in zip(counts.names, counts.cardinalities, strict=True)]
    attributes = tuple(attribute if a.name == attribute.name else a for a in table.attributes)
    merged = Counts.of(counts.names, codes, sizes, counts.sizes)
    return replace(table.with_counts(merged), attributes=attributes)


def _named(label: str, names: Sequence[str] | set[str]) -> str:
    """The name of a published text: itself, or the number that it is where that has a name."""
    if label in names:
        return label
    plain = _plain_number(label)
    return plain if plain is not None and plain in names else label


def _text(label: object) -> str:
    if type(label) is not str:
        raise TypeError
    return label
