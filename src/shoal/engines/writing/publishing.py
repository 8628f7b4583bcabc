"""The second pass: from a decision back to rows, as a frame or a file."""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Codes, Keys, Sizes
from shoal.data.attribute import Attribute
from shoal.data.counts import Counts
from shoal.data.encoded import EncodedTable
from shoal.data.partition import Partition
from shoal.data.recoding import Recoding
from shoal.data.schema import Role, Schema
from shoal.data.shown import Distributions, TreeNodes
from shoal.engines.bridge import from_mask, from_numpy
from shoal.engines.codes.coding import Coder, is_plain, is_text
from shoal.engines.codes.decoding import plain_type, published_values
from shoal.engines.reading.foreign.source import codebook_of
from shoal.engines.writing.foreign import FORMATS, write_table
from shoal.engines.writing.scatter import Scatter, lots
from shoal.errors import DataError, OutputError, ParameterError, listed
from shoal.kernels import grouping
from shoal.progress import Progress, silent

if TYPE_CHECKING:
    import pyarrow as pa

    from shoal.data.outcome import Outcome
    from shoal.engines.reading.source import Source

_WRITE_ROWS = 1 << 18

Finder: TypeAlias = "Callable[[Sequence[Codes]], NDArray[np.int64]]"


@dataclass(frozen=True, eq=False)
class Publication:
    """A decision about the table of a source, to be turned into published rows.

    No row, no dictionary and no order of the result may tell of a record that is left out: values are written as they
    are, never as codes into a list of all that were seen.
    """

    source: Source
    missing: Collection[str]
    schema: Schema
    outcome: Outcome

    @property
    def table(self) -> EncodedTable:
        """The original, coded."""
        return self.outcome.table

    @cached_property
    def types(self) -> dict[str, pa.DataType]:
        """The columns of the source and their types."""
        return self.source.types()

    @cached_property
    def kept(self) -> list[str]:
        """The published columns, in the order of the source; a pseudonym behind them."""
        drawn = [a.name for a in self.table.attributes if a.role is Role.PSEUDONYM]
        return [name for name in self.types if self.schema[name].role.is_published] + drawn

    @cached_property
    def shown(self) -> dict[str, pa.Array]:
        """What is written for each code of the counted columns."""
        return {
            name: published_values(
                self.table[name],
                self.outcome.shown.get(name) or _leaves(self.table[name]),
                is_recoded=self.outcome.recoding is not None,
            )
            for name in self.outcome.published.names
        }

    def batches(self, progress: Progress = silent) -> Generator[pa.RecordBatch]:
        """The published rows: sorted by their counted values, at random among equal ones."""
        passed = [name for name in self.kept if name not in self.shown]
        if not self.outcome.published.kept:
            yield self.no_rows(passed)
            return
        yield from self._from_rows(passed, progress) if passed else self._from_counts()

    def no_rows(self, passed: Sequence[str]) -> pa.RecordBatch:
        """The columns alone: a release of no records is a table of the same columns and types as any other."""
        import pyarrow as pa

        none = np.zeros(0, dtype=np.int64)
        return self._rows(none, {name: pa.nulls(0, plain_type(self.types[name])) for name in passed})

    def frame(self) -> pa.Table:
        """The published rows as one table; a column that came coded and kept its values is coded again.

        Not so a covered one: how it came must not show.
        """
        import pyarrow as pa

        table = pa.Table.from_batches(list(self.batches()))
        for i, name in enumerate(table.column_names):
            is_covered = name in self.shown and self.table[name].is_covered
            kind = pa.null() if is_covered else self.types.get(name, pa.null())
            if pa.types.is_dictionary(kind) and kind.value_type == table.schema.field(i).type:
                coded = table.column(i).combine_chunks().dictionary_encode()
                if len(coded.dictionary) <= np.iinfo(kind.index_type.to_pandas_dtype()).max:  # one list for all batches
                    coded = coded.cast(pa.dictionary(kind.index_type, kind.value_type))
                table = table.set_column(i, name, coded)
        return table

    def groups(self) -> pa.Table:
        """The distinct published records, and how many there are of each in a last column, `count`."""
        records = self.records()
        last = "count"
        while last in self.shown:
            last = f"({last})"
        return records.append_column(last, from_numpy(self.outcome.published.sizes))

    def records(self) -> pa.Table:
        """The distinct published records, without the columns that are passed through."""
        import pyarrow as pa

        published = self.outcome.published
        names = [name for name in self.kept if name in self.shown]
        columns = [self.shown[name].take(from_numpy(published.column(name).astype(np.int64))) for name in names]
        return pa.table(*self._side_by_side(columns, names))

    def write_groups(self, path: Path) -> None:
        """Write the distinct published records with their counts to a file, in the format that its ending names."""
        import pyarrow as pa

        if path.suffix[1:] in FORMATS:
            write_table(self.groups(), path, codebook_of(self.source), self.table.covered)
            return
        with ExitStack() as stack:
            table = self.groups()
            parts = [self._days_as_days(part) if path.suffix == ".csv" else part for part in table.to_batches()]
            sink = stack.enter_context(pa.OSFile(str(path), "wb"))
            schema = parts[0].schema if parts else table.schema
            stack.enter_context(_writer(sink, path.suffix, schema)).write_table(pa.Table.from_batches(parts, schema))

    def write(self, path: Path, progress: Progress = silent) -> int:
        """Write the published rows to a file, in the format that its ending names; how many they are."""
        import pyarrow as pa

        if path.suffix[1:] in FORMATS:
            table = pa.Table.from_batches([self._days_as_days(batch) for batch in self.batches(progress)])
            write_table(table, path, codebook_of(self.source), self.table.covered)
            return int(table.num_rows)
        if path.suffix not in (".csv", ".parquet"):
            known = ", ".join(f".{form}" for form in FORMATS)
            raise ParameterError(f"{path}: the ending {path.suffix!r} is not known; expected .csv, .parquet, {known}.")
        total, written = max(self.outcome.published.kept, 1), 0
        with ExitStack() as stack:
            batches = stack.enter_context(closing(self.batches(progress)))
            sink = stack.enter_context(pa.OSFile(str(path), "wb"))
            writer: Any = None
            for batch in batches:
                part = self._days_as_days(batch) if path.suffix == ".csv" else batch
                writer = writer or stack.enter_context(_writer(sink, path.suffix, part.schema))
                writer.write_table(pa.Table.from_batches([part]))
                written += batch.num_rows
                progress("writing the release", written / total)
        return written

    def _from_counts(self) -> Iterator[pa.RecordBatch]:
        """Every published column is counted, so the rows can be written from the counts."""
        published = self.outcome.published
        ends = np.cumsum(published.sizes)
        for start in range(0, max(published.kept, 1), _WRITE_ROWS):  # a table without rows has columns all the same
            rows = np.arange(start, min(start + _WRITE_ROWS, published.kept))
            yield self._rows(np.searchsorted(ends, rows, side="right"), {})

    def _from_rows(self, passed: Sequence[str], progress: Progress) -> Iterator[pa.RecordBatch]:
        """Read again: columns that are passed through keep company with the recoded ones of their record."""
        import pyarrow as pa

        published, rows = self.outcome.published, 0
        coders = [self.coder(name) for name in published.names]
        find = self.finder()
        seen = np.zeros(len(published), dtype=np.int64)
        with Scatter(published.sizes) as scatter:
            for batch, done in self.source.batches([*published.names, *passed], passed):
                progress("reading again", done)
                codes = [coder.codes(batch.column(coder.name), rows) for coder in coders]
                rows += batch.num_rows
                records = find(codes)
                stays = records >= 0
                seen += np.bincount(records[stays], minlength=len(published))
                columns = [_whole_text(_plain(batch.column(name)), name).filter(from_mask(stays)) for name in passed]
                scatter.add(records[stays], pa.table(columns, names=list(passed)))
            if rows != self.table.total or (seen != published.sizes).any():
                raise self.changed()
            for numbers, others in scatter.gather():
                for start in range(0, len(numbers), _WRITE_ROWS):
                    part = others.slice(start, _WRITE_ROWS)
                    aside = {name: part.column(name).combine_chunks() for name in passed}
                    yield self._rows(numbers[start : start + _WRITE_ROWS], aside)

    def changed(self) -> DataError:
        """The error for a table that is not the one that was counted."""
        return DataError(
            f"{self.source.where} changed while it was being read; nothing was written. Run again when nobody writes "
            "to it."
        )

    def coder(self, name: str) -> Coder:
        """Codes a column as it was coded the first time: a perturbed one takes in whatever comes."""
        attribute = self.table[name]
        is_open = attribute.role is Role.PERTURBED
        return Coder(
            name,
            attribute.domain,
            self.missing,
            absorbs=is_open,
            clamps=is_open or attribute.is_coded,
            floor=attribute.counted_leaves,
        )

    def finder(self) -> Finder:
        """What finds the published record of each row, given the codes of its counted columns; −1 if it is left out."""
        published, recoding, sources = self.outcome.published, self.outcome.recoding, self.outcome.sources
        if sources is not None:
            dealt = Dealt(sources, self.table.counts.sizes)
            return lambda codes: dealt.next(record_of(self.table.counts, codes))
        assert recoding is not None, "a method that publishes insensitive columns says where its records come from"
        lookups = {a.name: recoding.lookup(a).codes for a in self.table.quasi_identifiers}

        def find(codes: Sequence[Codes]) -> NDArray[np.int64]:
            recoded = [lookups[n][c] if n in lookups else c for n, c in zip(published.names, codes, strict=True)]
            return record_of(published, recoded)

        return find

    def _rows(self, records: Keys, passed: dict[str, pa.Array]) -> pa.RecordBatch:
        """Rows of published records, and the columns passed through beside them."""
        import pyarrow as pa

        columns = []
        for name in self.kept:
            if name in passed:
                columns.append(passed[name].cast(plain_type(self.types[name])))
            else:
                codes = self.outcome.published.column(name)[records]
                columns.append(self.shown[name].take(from_numpy(codes.astype(np.int64))))
        return pa.RecordBatch.from_arrays(*self._side_by_side(columns, self.kept))

    def _side_by_side(self, columns: Sequence[pa.Array], names: Sequence[str]) -> tuple[list[pa.Array], list[str]]:
        """Columns and their names; a distribution that is spread over several columns as these."""
        titled: list[tuple[str, pa.Array]] = []
        for name, column in zip(names, columns, strict=True):
            shown = self.outcome.shown.get(name)
            if isinstance(shown, Distributions) and shown.as_columns:
                fields = [field.name for field in column.type]
                titled += zip(fields, column.flatten(), strict=True)
            else:
                titled.append((name, column))
        return [column for _, column in titled], [name for name, _ in titled]

    def _days_as_days(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Days that came as moments are written as days where a format has no types."""
        import pyarrow as pa

        for i, name in enumerate(batch.schema.names):
            if name in self.shown and pa.types.is_timestamp(batch.schema.field(i).type):
                batch = batch.set_column(i, name, batch.column(i).cast(pa.date32(), safe=False))
        return batch


def recode(
    source: Source,
    table: EncodedTable,
    recoding: Recoding,
    missing: Collection[str],
    hidden: Collection[str] = (),
) -> pa.Table:
    """Other records with the quasi-identifiers they share with `table` recoded in the same way, without `hidden`."""
    import pyarrow as pa

    types = {name: kind for name, kind in source.types().items() if name not in hidden}
    quasi = {attribute.name: attribute for attribute in table.quasi_identifiers if attribute.name in types}
    coders = {name: Coder(name, a.domain, missing, clamps=a.is_coded) for name, a in quasi.items()}
    lookups = {name: recoding.lookup(attribute) for name, attribute in quasi.items()}
    shown = {name: published_values(quasi[name], lookup.shown) for name, lookup in lookups.items()}
    kinds = {name: shown[name].type if name in shown else kind for name, kind in types.items()}
    parts, rows = [], 0
    for batch, _ in source.batches(list(types)):
        columns = []
        for name in types:
            column = batch.column(name)
            if name in quasi:
                codes = lookups[name].codes[coders[name].codes(column, rows)]
                column = shown[name].take(from_numpy(codes.astype(np.int64)))
            columns.append(column)
        parts.append(pa.RecordBatch.from_arrays(columns, names=list(types)))
        rows += batch.num_rows
    return pa.Table.from_batches(parts, None if parts else pa.schema(kinds))


def _leaves(attribute: Attribute) -> TreeNodes:
    return TreeNodes(np.arange(attribute.domain.size, dtype=np.int32))


class Dealt:
    """Deals out the parts of each distinct record to its rows as they come; which row gets which is left to chance.

    The order of the input must not decide who of several equal people is in which class, or is left out: what is passed
    through beside them would tell, and (k, ε)-anonymity would break its promise (`docs/proofs/k-epsilon.md`, line 1).
    """

    def __init__(self, sources: Partition, totals: Sizes) -> None:
        kept = np.bincount(sources.source, weights=sources.sizes, minlength=len(totals)).astype(np.int64)
        short = np.flatnonzero(totals > kept)
        source = np.concatenate([sources.source, short])
        label = np.concatenate([sources.label, np.full(len(short), -1)])
        sizes = np.concatenate([sources.sizes, (totals - kept)[short]])
        is_divided = np.bincount(source, minlength=len(totals))[source] > 1
        times = np.where(is_divided, sizes, 1)
        source = np.repeat(source, times)
        order = np.lexsort((lots(len(source)), source))
        self._label = np.repeat(label, times)[order]
        self._ends = np.cumsum(np.repeat(np.where(is_divided, 1, sizes), times)[order])
        self._stops = np.cumsum(np.maximum(totals, kept))
        self._next = self._stops - np.maximum(totals, kept)

    def next(self, records: Keys) -> Keys:
        """The label of each row, given its distinct record; −1 if it is left out, or none is left to be dealt."""
        label = np.full(len(records), -1, dtype=np.int64)
        known = np.flatnonzero((records >= 0) & (records < len(self._stops)))
        order = known[np.argsort(records[known], kind="stable")]
        ordered = records[order]
        turn = np.arange(len(ordered)) - np.searchsorted(ordered, ordered, side="left")
        place = self._next[ordered] + turn
        is_there = place < self._stops[ordered]
        label[order[is_there]] = self._label[np.searchsorted(self._ends, place[is_there], side="right")]
        np.add.at(self._next, ordered, 1)
        return label


def record_of(published: Counts, columns: Sequence[Codes]) -> NDArray[np.int64]:
    """The number of the record that each row is among some distinct ones, −1 if it is none of them."""
    together = [
        np.concatenate([c.astype(np.int64), x.astype(np.int64)]) for c, x in zip(published.codes, columns, strict=True)
    ]
    labels, groups = grouping.group(together, published.cardinalities, len(together[0]))
    number = np.full(groups, -1, dtype=np.int64)
    number[labels[: len(published)]] = np.arange(len(published))
    return number[labels[len(published) :]]


def _plain(column: pa.Array) -> pa.Array:
    kind = plain_type(column.type)
    return column if column.type == kind else column.cast(kind)


def _whole_text(column: pa.Array, name: str) -> pa.Array:
    """A column that is passed on as it is, unless it holds text that nobody could read."""
    import pyarrow as pa

    try:
        if is_text(column.type):
            column.validate(full=True)
    except pa.ArrowInvalid:
        raise DataError(f"column {name!r} holds text that is not UTF-8; write the table again.") from None
    return column


def _writer(sink: Any, ending: str, schema: pa.Schema) -> Any:
    import pyarrow as pa
    import pyarrow.csv as pc
    import pyarrow.parquet as pq

    odd = [field.name for field in schema if ending == ".csv" and not is_plain(field.type)]
    try:
        if not odd:
            return pc.CSVWriter(sink, schema) if ending == ".csv" else pq.ParquetWriter(sink, schema)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        pass
    other = "parquet" if ending == ".csv" else "csv"
    column = f"column {listed(odd)}" if odd else "a column of the table"
    raise OutputError(
        f"{ending[1:]} cannot hold {column}, such as one of lists or of bytes; set format = {other!r} in [output], or "
        "leave the column out with the role 'dropped'."
    )
