"""The local engine: Arrow batches to codes to counts in one pass, and back in one pass.

Memory grows with the number of distinct records and with one batch, not with rows. It is the reference that other
engines are tested against.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.arrays import Codes, Keys, Mask, Sizes, narrowest
from shoal.data.counts import Counts
from shoal.data.encoded import EncodedTable
from shoal.data.recoding import FullDomain
from shoal.data.schema import Attribute, Role, Schema
from shoal.data.settle import declared, observed_domain, settle
from shoal.engines.bridge import from_mask, from_numpy, from_texts
from shoal.engines.coding import Coder, published_values
from shoal.engines.scatter import Scatter
from shoal.errors import DataError, SchemaError, listed, nearest
from shoal.kernels import grouping
from shoal.progress import Progress, silent

if TYPE_CHECKING:
    import pyarrow as pa

    from shoal.data.outcome import Recoded
    from shoal.engines.source import Source

_PENDING = 1 << 21
"""Distinct records of single batches that may wait before they are merged."""

_WRITE_ROWS = 1 << 19


@dataclass(frozen=True, slots=True)
class LocalEngine:
    """A table on this machine."""

    source: Source
    missing: Collection[str] = ("",)
    """Texts that mean a missing value."""

    def names(self) -> tuple[str, ...]:
        """The columns of the table."""
        return tuple(self.source.types())

    def encode(self, schema: Schema, counted: Sequence[str], progress: Progress = silent) -> EncodedTable:
        """Settle domains and hierarchies, and count the distinct records of some columns."""
        types = self.source.types()
        check_columns(schema, tuple(types))
        coders, settled = [], {}
        for name in counted:
            domain = declared(schema[name], self.missing)
            if domain is not None:
                settled[name] = settle(schema[name], domain, types[name])
                domain = settled[name].domain
            coders.append(Coder(name, domain, self.missing))
        codes, sizes = self._count(coders, progress)
        for i, coder in enumerate(coders):
            if coder.domain is None:
                settled[coder.name], codes[i] = self._settle_observed(schema, coder, codes[i], types[coder.name])
        attributes = tuple(settled[name] for name in counted)
        cardinalities = tuple(attribute.domain.size for attribute in attributes)
        if all(coder.domain is not None for coder in coders):
            return EncodedTable(attributes, Counts(tuple(counted), tuple(codes), cardinalities, sizes))
        return EncodedTable(
            attributes, Counts.of(counted, codes, cardinalities, sizes)
        )  # observed codes were renumbered

    def _count(self, coders: Sequence[Coder], progress: Progress) -> tuple[list[Codes], Sizes]:
        """Distinct rows in the coders' codes."""
        waiting: list[tuple[list[Codes], Sizes]] = []
        pending = rows = 0
        for batch, done in self.source.batches([coder.name for coder in coders]):
            if batch.num_rows == 0:
                continue
            progress("reading and counting", done)
            found, sizes = _distinct(batch, coders, rows)
            rows += batch.num_rows
            waiting.append((found, sizes))
            pending += len(sizes)
            if pending > _PENDING:
                waiting = [_merge(waiting, coders)]
                pending = len(waiting[0][1]) // 2  # merging again pays only after as many new ones have come
        if rows == 0:
            raise DataError("the table has no records; give one with at least one.")
        return _merge(waiting, coders)

    @staticmethod
    def _settle_observed(schema: Schema, coder: Coder, codes: Codes, source_type: Any) -> tuple[Attribute, Codes]:
        """Make a domain of the values seen, and turn the codes in order of appearance into its codes."""
        labels = list(coder.seen)
        has_missing = bool((codes == 0).any())
        domain = observed_domain(coder.name, labels, has_missing=has_missing)
        attribute = settle(schema[coder.name], domain, source_type)
        translate = Coder(coder.name, attribute.domain, coder.missing_tokens)
        lookup = np.zeros(len(labels) + 1, dtype=np.int64)
        positions, local = translate.local(from_texts(labels))
        lookup[1:] = local[positions]
        if attribute.domain.missing is not None:
            lookup[0] = attribute.domain.missing
        return attribute, lookup[codes].astype(narrowest(attribute.domain.size))

    def published(self, schema: Schema, table: EncodedTable, outcome: Recoded) -> Iterator[pa.RecordBatch]:
        """The published table, batch by batch, in an order that does not depend on the input's."""
        kept = [c for c in self.names() if c in {x.name for x in schema} and schema[c].role is not Role.IDENTIFIER]
        passed = [name for name in kept if name not in outcome.published.names]
        if passed:
            yield from self._from_rows(kept, passed, table, outcome)
        else:
            yield from _from_counts(kept, table, outcome)

    def _from_rows(
        self, kept: Sequence[str], passed: Sequence[str], table: EncodedTable, outcome: Recoded
    ) -> Iterator[pa.RecordBatch]:
        """Read again: columns that are passed through keep company with the recoded ones of their record."""
        import pyarrow as pa

        counted = list(outcome.published.names)
        coders = [Coder(name, table[name].domain, self.missing) for name in counted]
        quasi = [attribute.name for attribute in table.quasi_identifiers]
        recoded = outcome.published.project(quasi)
        shown = {name: shown_values(table[name], outcome) for name in counted}
        with Scatter(len(recoded), outcome.published.kept) as scatter:
            for batch, _ in self.source.batches([*counted, *passed]):
                codes: dict[str, Codes] = {c.name: _row_codes(c, batch.column(c.name)) for c in coders}
                for name in quasi:
                    codes[name] = table[name].hierarchy.levels[outcome.recoding.levels.get(name, 0)].codes[codes[name]]
                classes, stays = _class_of(recoded, [codes[name] for name in quasi])
                columns = [
                    _coded(codes[name][stays], shown[name])
                    if name in shown
                    else batch.column(name).filter(from_mask(stays))
                    for name in kept
                ]
                scatter.add(classes[stays], pa.table(columns, names=list(kept)))
            for part in scatter.gather():
                yield from part.to_batches(max_chunksize=_WRITE_ROWS)

    def frame(self, schema: Schema, table: EncodedTable, outcome: Recoded) -> pa.Table:
        """The published table as an Arrow table."""
        import pyarrow as pa

        return pa.Table.from_batches(list(self.published(schema, table, outcome)))

    def write(
        self, schema: Schema, table: EncodedTable, outcome: Recoded, path: Path, progress: Progress = silent
    ) -> int:
        """Write the published table to a file, CSV or Parquet by its ending; the number of records written."""
        import pyarrow as pa
        import pyarrow.csv as pc
        import pyarrow.parquet as pq

        total, written = max(outcome.published.kept, 1), 0
        is_csv = path.suffix == ".csv"
        writer: Any = None
        for batch in self.published(schema, table, outcome):
            part = _plain(pa.Table.from_batches([batch]), text=is_csv)
            if writer is None:
                writer = pc.CSVWriter(path, part.schema) if is_csv else pq.ParquetWriter(path, part.schema)
            writer.write_table(part)
            written += batch.num_rows
            progress("writing the release", written / total)
        writer.close()
        return written


def check_columns(schema: Schema, present: Sequence[str]) -> None:
    """Every declared column must be in the data, and every column of the data declared."""
    names = [column.name for column in schema]
    absent = [name for name in names if name not in present]
    if absent:
        hint = nearest(absent[0], present)
        if len(present) == 1 and any(mark in present[0] for mark in ",;|\t"):
            hint = " The data seem to have one column only: is [data] delimiter right?"
        raise SchemaError(
            f"column {listed(absent)} is declared and not in the data, which has {listed(present, 12)}.{hint}"
        )
    undeclared = [name for name in present if name not in names]
    if undeclared:
        raise SchemaError(
            f"column {listed(undeclared)} is in the data and not declared; give each column a role, "
            "'identifier' for one that must not be published."
        )


def shown_values(attribute: Attribute, outcome: Recoded) -> pa.Array:
    """What is written for each code of a published column."""
    if attribute.role is Role.QUASI_IDENTIFIER:
        level = outcome.recoding.levels.get(attribute.name, 0)
        return published_values(attribute, attribute.hierarchy.levels[level].nodes)
    return published_values(attribute, np.arange(attribute.domain.size, dtype=np.int32))


def _from_counts(kept: Sequence[str], table: EncodedTable, outcome: Recoded) -> Iterator[pa.RecordBatch]:
    """Every published column is counted, so the records can be written from the counts, sorted by their values."""
    import pyarrow as pa

    published = outcome.published
    shown = {name: shown_values(table[name], outcome) for name in published.names}
    ends = np.cumsum(published.sizes)
    start = 0
    while start < len(ends):
        base = int(ends[start - 1]) if start else 0
        stop = max(int(np.searchsorted(ends, base + _WRITE_ROWS, side="right")), start + 1)
        repeats = published.sizes[start:stop]
        arrays = [_coded(np.repeat(published.column(name)[start:stop], repeats), shown[name]) for name in kept]
        yield pa.RecordBatch.from_arrays(arrays, names=list(kept))
        start = stop


def _distinct(batch: pa.RecordBatch, coders: Sequence[Coder], rows_before: int) -> tuple[list[Codes], Sizes]:
    """The distinct records of a batch in the coders' codes; grouped by the batch's own dictionaries first."""
    located = [coder.local(batch.column(coder.name)) for coder in coders]
    positions, sizes = grouping.distinct_rows(
        [where for where, _ in located], [len(codes) for _, codes in located], int(batch.num_rows)
    )
    found = []
    for coder, (where, codes), at in zip(coders, located, positions, strict=True):
        translated = codes[at]
        if (translated < 0).any():
            row = int(np.flatnonzero(codes[where] < 0)[0])
            raise coder.refuse(rows_before + row + 1, int(codes[where[row]]))
        found.append(translated.astype(narrowest(coder.cardinality)))
    return found, sizes


def _merge(waiting: Sequence[tuple[list[Codes], Sizes]], coders: Sequence[Coder]) -> tuple[list[Codes], Sizes]:
    columns = [np.concatenate([found[i] for found, _ in waiting]) for i in range(len(coders))]
    sizes = np.concatenate([sizes for _, sizes in waiting])
    return grouping.distinct_rows(columns, [coder.cardinality for coder in coders], sizes)


def _row_codes(coder: Coder, column: pa.Array) -> Codes:
    where, codes = coder.local(column)
    return codes[where]


def _class_of(published: Counts, columns: Sequence[Codes]) -> tuple[Keys, Mask]:
    """The published class of each record, and whether it has one."""
    together = [
        np.concatenate([c.astype(np.int64), x.astype(np.int64)]) for c, x in zip(published.codes, columns, strict=True)
    ]
    labels, groups = grouping.group(together, published.cardinalities, len(together[0]))
    number = np.full(groups, -1, dtype=np.int64)
    number[labels[: len(published)]] = np.arange(len(published))
    classes = number[labels[len(published) :]]
    return classes, classes >= 0


def _coded(codes: Codes, shown: pa.Array) -> pa.Array:
    """Values as a dictionary array when they are text, plain otherwise."""
    import pyarrow as pa

    if pa.types.is_string(shown.type) and not shown.null_count:
        return pa.DictionaryArray.from_arrays(from_numpy(codes.astype(np.int32)), shown)
    return shown.take(from_numpy(codes.astype(np.int64)))


def _plain(table: pa.Table, *, text: bool) -> pa.Table:
    """Dictionary columns as text where the format has no dictionaries, with one schema for all batches otherwise."""
    import pyarrow as pa

    fields = []
    for column in table.schema:
        kind = column.type
        fields.append(pa.field(column.name, kind.value_type if text and pa.types.is_dictionary(kind) else kind))
    return table.cast(pa.schema(fields))


def recode(source: Source, table: EncodedTable, recoding: FullDomain, missing: Collection[str]) -> pa.Table:
    """Other records with the quasi-identifiers they share with `table` recoded in the same way."""
    import pyarrow as pa

    names = tuple(source.types())
    quasi = {attribute.name: attribute for attribute in table.quasi_identifiers if attribute.name in names}
    coders = {name: Coder(name, attribute.domain, missing) for name, attribute in quasi.items()}
    parts, rows = [], 0
    for batch, _ in source.batches(names):
        columns = []
        for name in names:
            if name not in quasi:
                columns.append(batch.column(name))
                continue
            where, codes = coders[name].local(batch.column(name))
            found = codes[where]
            if (found < 0).any():
                row = int(np.flatnonzero(found < 0)[0])
                raise coders[name].refuse(rows + row + 1, int(found[row]))
            level = quasi[name].hierarchy.levels[recoding.levels.get(name, 0)]
            columns.append(
                published_values(quasi[name], level.nodes).take(from_numpy(level.codes[found].astype(np.int64)))
            )
        parts.append(pa.table(columns, names=list(names)))
        rows += batch.num_rows
    return pa.concat_tables(parts)
