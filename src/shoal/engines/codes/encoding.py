"""encode(): the records that an engine hands over, in codes and counted; what a method is given.

Memory grows with the number of distinct records and with one batch, not with rows.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from shoal.arrays import Codes, Sizes
from shoal.data.attribute import Attribute, declared, observed_domain, settle
from shoal.data.counts import Counts
from shoal.data.encoded import EncodedTable
from shoal.data.schema import ROW, Role, Schema
from shoal.data.unit import Unit
from shoal.engines.bridge import from_texts
from shoal.engines.codes.coding import Coder, is_plain
from shoal.engines.codes.person_ids import PersonIds, has_short_way, is_floating
from shoal.engines.codes.persons import Beside, with_persons
from shoal.errors import DataError, SchemaError, columns_that, listed, nearest
from shoal.kernels import grouping
from shoal.kernels.grouping import narrowest
from shoal.progress import Progress, silent

if TYPE_CHECKING:
    import pyarrow as pa

    from shoal.engines.base import Engine
    from shoal.engines.reading.distinct_values import DistinctValues

AnyCoder: TypeAlias = Coder | PersonIds

_PENDING = 1 << 21
"""Distinct records of single batches that may wait before they are merged."""


def encode(
    engine: Engine,
    schema: Schema,
    counted: Sequence[str],
    progress: Progress = silent,
    *,
    absorb: bool | Collection[str] = False,
    clamp: bool = False,
    watched: Mapping[str, DistinctValues] | None = None,
    floors: Mapping[str, int] | None = None,
) -> EncodedTable:
    """Settle domains and hierarchies, and count the distinct records of some columns.

    With `absorb`, every domain, or that of the columns it names, has a place for missing values, and whatever a
    domain does not hold goes there: no record can raise an error, or show in the type of a column (theory X-2).
    With `clamp`, a number or day goes to the nearest one that it holds. `watched` are shown the values of their
    columns in the same pass. `floors` are levels that columns are counted at.
    """
    floors = floors or {}
    settled, kept_types = _declared(engine, schema, counted, absorb, floors)
    absorbing = _absorbing(counted, absorb)
    coders = [
        Coder(
            name,
            settled[name].domain if name in settled else None,
            engine.missing,
            absorbs=name in absorbing,
            clamps=schema[name].is_coded or (clamp and name in absorbing),
            floor=settled[name].counted_leaves if name in settled else None,
        )
        for name in counted
    ]
    may_refuse = absorb is not True
    beside = {name: _coder_beside(engine, schema, name) for name in _read_beside(schema, is_private=bool(absorb))}
    codes, sizes = distinct_codes(engine, [*coders, *beside.values()], watched or {}, progress)
    if len(sizes) == 0 and absorb is not True:  # to a private method the empty table is a table like any other
        raise DataError(f"{engine.where} has no records; give a table with at least one.")
    found = dict(zip(beside, codes[len(coders) :], strict=True))
    codes = codes[: len(coders)]
    for i, coder in enumerate(coders):
        if coder.domain is None:
            settled[coder.name], codes[i] = _settle_observed(
                engine, schema, coder, codes[i], kept_types[coder.name], floors.get(coder.name, 0)
            )
    attributes = tuple(settled[name] for name in counted)
    cardinalities = tuple(attribute.domain.size for attribute in attributes)
    clamped = {coder.name: coder.clamped for coder in coders if coder.clamped}
    if not beside and all(coder.domain is not None for coder in coders):
        return EncodedTable(attributes, Counts(tuple(counted), tuple(codes), cardinalities, sizes), clamped)
    if not beside:  # observed codes were renumbered
        return EncodedTable(attributes, Counts.of(counted, codes, cardinalities, sizes))
    parts = Counts(tuple(counted), tuple(codes), cardinalities, sizes)
    weighing = None if schema.weight is None else beside.get(schema.weight)
    return with_persons(
        EncodedTable(attributes, parts, clamped),
        _beside(schema, found, _seen(weighing)),
        schema,
        may_refuse=may_refuse,
        is_sorted=all(coder.domain is not None for coder in coders),
    )


def _coder_beside(engine: Engine, schema: Schema, column: str) -> AnyCoder:
    kind = engine.types()[column]
    if column == schema.weight and (has_short_way(kind) or is_floating(kind)):
        return PersonIds(column, engine.missing, as_texts=True)
    return PersonIds(column, engine.missing) if has_short_way(kind) else Coder(column, None, engine.missing)


def _seen(weighing: AnyCoder | None) -> pa.Array:
    """The weights that occur, as they are written."""
    if isinstance(weighing, PersonIds):
        return weighing.values
    return from_texts([] if weighing is None else list(weighing.seen))


def _read_beside(schema: Schema, *, is_private: bool) -> list[str]:
    """The columns that are read beside the counted ones: whom records are about.

    A private method, even one that protects some columns only, reads no more than who is protected: households and
    weights could be refused by what is protected, and are figures for the owner.
    """
    person = None if schema.person == ROW or schema.household is None else schema.person
    others = [] if is_private else [schema.household, schema.weight, person]
    return list(dict.fromkeys(name for name in (schema.unit_column, *others) if name is not None))


def _beside(schema: Schema, found: Mapping[str, Codes], weights: pa.Array) -> Beside:
    """What was read beside the counted columns, by what it means."""
    unit = schema.unit
    return Beside(
        None if schema.unit_column is None else found[schema.unit_column],
        None if schema.household is None or unit is Unit.HOUSEHOLD else found.get(schema.household),
        None if schema.weight is None else found.get(schema.weight),
        weights,
        None if schema.person is None or unit is not Unit.HOUSEHOLD else found.get(schema.person),
    )


def without_records(
    engine: Engine,
    schema: Schema,
    counted: Sequence[str],
    absorb: bool | Collection[str] = False,
    floors: Mapping[str, int] | None = None,
) -> EncodedTable:
    """The table that `encode` gives if there are no records, without reading any: what is public about it.

    Refuses what `encode` would refuse before it reads. A column without a declared domain has no values.
    """
    settled, kept_types = _declared(engine, schema, counted, absorb, floors or {})
    for name in counted:
        if name not in settled:
            no_values = observed_domain([], has_missing=False)
            settled[name] = settle(replace(schema[name], hierarchy=None), no_values, kept_types[name])
    attributes = tuple(settled[name] for name in counted)
    nobody = EncodedTable(attributes, Counts.empty(counted, [attribute.domain.size for attribute in attributes]))
    return (
        nobody
        if schema.unit_column is None
        else with_persons(nobody, Beside(np.zeros(0, dtype=np.int64)), schema, may_refuse=False)
    )


def _declared(
    engine: Engine,
    schema: Schema,
    counted: Sequence[str],
    absorb: bool | Collection[str],
    floors: Mapping[str, int],
) -> tuple[dict[str, Attribute], dict[str, Any]]:
    """The columns whose domain is declared, settled; and the types that counted columns came in."""
    types = engine.types()
    check_columns(schema, types, counted)
    kept_types: dict[str, Any] = {name: types[name] if engine.is_typed else None for name in counted}
    settled, absorbing = {}, _absorbing(counted, absorb)
    for name in counted:
        domain = declared(schema[name], engine.missing)
        if domain is not None:
            absorbs = name in absorbing and domain.missing is None
            domain = domain.with_missing() if name in absorbing else domain
            kind = None if name in absorbing else kept_types[name]
            attribute = settle(schema[name], domain, kind).counted_at(floors.get(name, 0))
            settled[name] = replace(attribute, absorbs=absorbs, is_covered=name in absorbing)
    return settled, kept_types


def distinct_codes(
    engine: Engine, coders: Sequence[AnyCoder], watched: Mapping[str, DistinctValues], progress: Progress
) -> tuple[list[Codes], Sizes]:
    """Distinct records in the coders' codes."""
    waiting: list[tuple[list[Codes], Sizes]] = []
    merged = pending = rows = 0
    by_domain = [coder for coder in coders if isinstance(coder, Coder)]
    varied = [coder.name for coder in coders if isinstance(coder, PersonIds)]
    for records, tally, done in engine.distinct([coder.name for coder in coders], watched, by_domain, varied):
        if records.num_rows == 0:
            continue
        progress("reading and counting", done)
        found, sizes = _distinct(records, tally, coders, rows)
        rows += records.num_rows
        waiting.append((found, sizes))
        pending += len(sizes)
        if pending > max(_PENDING, merged):  # merging again pays only after as many new ones have come
            waiting = [_merge(waiting, coders)]
            merged, pending = len(waiting[0][1]), 0
    return _merge(waiting, coders)


def _settle_observed(
    engine: Engine, schema: Schema, coder: Coder, codes: Codes, source_type: Any, floor: int
) -> tuple[Attribute, Codes]:
    """Make a domain of the values seen, and turn the codes in order of appearance into its codes."""
    labels, has_missing = list(coder.seen), bool((codes == 0).any())
    domain = observed_domain(labels, has_missing=has_missing, is_literal=engine.is_literal)
    attribute = settle(schema[coder.name], domain, source_type).counted_at(floor)
    lookup = np.zeros(len(labels) + 1, dtype=np.int64)
    lookup[1:] = Coder(coder.name, attribute.domain, ()).codes(from_texts(labels), 0)
    if attribute.domain.missing is not None:
        lookup[0] = attribute.domain.missing
    if attribute.counted_leaves is not None:
        lookup = attribute.counted_leaves[lookup].astype(np.int64)
    return attribute, lookup[codes].astype(narrowest(attribute.domain.size))


def _absorbing(counted: Sequence[str], absorb: bool | Collection[str]) -> set[str]:
    return set(counted if absorb is True else absorb or ())


def check_columns(schema: Schema, present: dict[str, pa.DataType], counted: Sequence[str]) -> None:
    """Every declared column must be in the data, every column of the data declared, and counted ones plain values."""
    names = [column.name for column in schema]
    absent = [name for name in names if name not in present]
    if absent and len(present) == 1 and any(mark in next(iter(present)) for mark in ",;|\t"):
        raise SchemaError(
            f"the data have one column only where {listed(names)} are declared; set delimiter in [data] to what stands "
            "between the cells."
        )
    if len(absent) == len(names) and absent:  # the first line may be a record: its cells are not shown
        raise SchemaError(
            f"none of the declared columns ({listed(names)}) is in the data; check that [data] path is the right "
            "table, and that its first line has the names of the columns."
        )
    undeclared = [name for name in present if name not in names]
    if any("\n" in name or "\r" in name for name in undeclared):  # what follows are cells of a record, not to be shown
        raise SchemaError(
            "a name of a column goes on in the next line of the data, as after a quote that is not closed; mend the "
            "first line."
        )
    if absent:
        raise SchemaError(
            f"{columns_that(absent, 'is', 'are')} declared and not in the data, which have {listed(present, 12)}."
            f"{nearest(absent[0], list(present))}"
        )
    if undeclared:
        raise SchemaError(
            f"{columns_that(undeclared, 'is', 'are')} in the data and not declared; give each column a role, "
            f"{Role.DROPPED.value!r} if it must not be published, {Role.IDENTIFIER.value!r} if it names a person."
        )
    for name in [*counted, *filter(None, [schema.unit_column, schema.household, schema.weight])]:
        if not is_plain(present[name]):
            raise SchemaError(
                f"column {name!r} holds values of the type {present[name]}, which cannot be counted; split it into "
                "plain columns, or leave it out with the role 'dropped'."
            )


def _distinct(
    batch: pa.RecordBatch, tally: Sizes | None, coders: Sequence[AnyCoder], rows_before: int
) -> tuple[list[Codes], Sizes]:
    """The distinct records of a batch in the coders' codes; grouped by the batch's own dictionaries first."""
    located = [coder.local(batch.column(coder.name), tally) for coder in coders]
    positions, sizes = grouping.distinct_rows(
        [where for where, _ in located],
        [len(codes) for _, codes in located],
        int(batch.num_rows) if tally is None else tally,
    )
    found = []
    for coder, (where, codes), at in zip(coders, located, positions, strict=True):
        translated = codes[at]
        if (translated < 0).any():
            coder.require(codes[where], rows_before, tally)
        found.append(translated.astype(narrowest(coder.cardinality)))
    return found, sizes


def _merge(waiting: Sequence[tuple[list[Codes], Sizes]], coders: Sequence[AnyCoder]) -> tuple[list[Codes], Sizes]:
    narrow = np.zeros(0, dtype=np.uint8)  # so that there is something to join, and nothing gets wider
    columns = [
        coder.settled(np.concatenate([narrow, *(found[i] for found, _ in waiting)])) for i, coder in enumerate(coders)
    ]
    sizes = np.concatenate([np.zeros(0, dtype=np.int64), *(sizes for _, sizes in waiting)])
    return grouping.distinct_rows(columns, [coder.cardinality for coder in coders], sizes)
