"""The published table as a lazy frame of the kind that came in: made where the original is, when it is asked for.

What was decided is brought there as small tables, and joined. Nothing is drawn there: who of several equal people
gets which part is dealt here, once, and laid down as a table. So a task that is run twice, or a frame that is
evaluated twice, does not deal again: two dealings of one release would tell more than one.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.arrays import Keys
from shoal.engines.bridge import from_mask, from_numpy, is_null
from shoal.engines.lazy.expressions import one_where
from shoal.engines.writing.publishing import Dealt, Publication, record_of

if TYPE_CHECKING:
    import pyarrow as pa

    from shoal.data.outcome import Outcome
    from shoal.data.schema import Schema
    from shoal.engines.codes.coding import Coder
    from shoal.engines.lazy.engine import LazyEngine

_BASE = 64
"""A record that is published n times is written down by the digits of n."""

_RECORD, _TURN, _PUBLISHED = "record", "turn", "published"
_DIVIDED, _LEFT_OUT = -1, -2
"""What a distinct record became that is not one published record."""


@dataclass(frozen=True, eq=False)
class Returned:
    """What was decided about the table of an engine, as a lazy frame."""

    engine: LazyEngine
    schema: Schema
    outcome: Outcome

    def frame(self) -> Any:
        """The frame; columns that are passed through are joined to what their record became."""
        passed = [name for name in self._publication.kept if name not in self._publication.shown]
        if not self.outcome.published.kept:
            import pyarrow as pa

            return self.engine.library.bring(pa.Table.from_batches([self._publication.no_rows(passed)]))
        made = self._joined(passed) if passed else self._repeated()
        return made.to_native()

    @cached_property
    def _publication(self) -> Publication:
        return Publication(self.engine, self.engine.missing, self.schema, self.outcome)

    def _bring(self, columns: dict[str, Any]) -> Any:
        import narwhals as nw
        import pyarrow as pa

        return nw.from_native(self.engine.library.bring(pa.table(columns)))

    @cached_property
    def _records(self) -> tuple[list[str], dict[str, pa.Array]]:
        """The names and values of the distinct published records, the values by names that no library stumbles over."""
        records = self._publication.records()
        columns = [column.combine_chunks() for column in records.columns]
        return records.column_names, {f"v{i}": column for i, column in enumerate(columns)}

    def _repeated(self) -> Any:
        """Every published record as often as it is published: joined to as many rows, digit by digit."""
        import narwhals as nw

        names, values = self._records
        left, parts, level = self.outcome.published.sizes, [], 0
        while left.any():
            digit = left % _BASE
            some = from_numpy(np.flatnonzero(digit))
            if len(some):
                rows = {name: column.take(some) for name, column in values.items()}
                part = self._bring({**rows, "digit": from_numpy(digit[digit > 0])})
                upto = np.repeat(np.arange(_BASE), np.arange(_BASE))
                part = part.join(self._bring({"digit": from_numpy(upto)}), on="digit", how="inner")
                for place in range(level):
                    part = part.join(self._bring({f"place{place}": from_numpy(np.arange(_BASE))}), how="cross")
                parts.append(part.select(*values))
            left, level = left // _BASE, level + 1
        return nw.concat(parts).select(*(nw.col(f"v{i}").alias(name) for i, name in enumerate(names)))

    def _joined(self, passed: Sequence[str]) -> Any:
        """Every row that is published, by the published record it became; in an order that is a function of the result.

        Rows of one published record are sorted by what is passed through, so that rows in equal places are equal.
        """
        import narwhals as nw

        counted = list(self.outcome.published.names)
        aside = [f"p{i}" for i in range(len(passed))]
        keys, divided = self._keys(counted)
        on = [name for name in keys if name not in (_RECORD, _PUBLISHED)]
        valued = self.engine.valued(counted, self._coders(counted), passed)
        own = valued.select(
            *(
                expression.alias(name)
                for name, expression in zip(on, self._key_expressions(valued, counted), strict=True)
            ),
            *(nw.col(name).alias(short) for name, short in zip(passed, aside, strict=True)),
        )
        rows = own.join(self._bring(keys), on=on, how="inner").select(*aside, _RECORD, _PUBLISHED)
        made = rows.filter(nw.col(_PUBLISHED) >= 0).select(*aside, _PUBLISHED)
        if divided is not None:
            turn = nw.col(_RECORD).cum_count().over(_RECORD, order_by=aside).cast(nw.Int64).alias(_TURN)
            waiting = rows.filter(nw.col(_PUBLISHED) < 0).select(*aside, _RECORD).with_columns(turn)
            dealt = waiting.join(self._bring(divided), on=[_RECORD, _TURN], how="inner")
            made = nw.concat([made, dealt.select(*aside, _PUBLISHED)])
        names, values = self._records
        shown = self._bring({**values, _PUBLISHED: from_numpy(np.arange(len(self.outcome.published)))})
        made = made.join(shown, on=_PUBLISHED, how="inner").sort(_PUBLISHED, *aside)
        short = dict(zip([*names, *passed], [*values, *aside], strict=True))
        return made.select(
            *(nw.col(short[name]).alias(name) for name in self._publication.no_rows(passed).schema.names)
        )

    def _keys(self, counted: Sequence[str]) -> tuple[dict[str, Any], dict[str, Any] | None]:
        """The raw records that are published, by values and by where they are null, each with what it became.

        That is a published record, or −1 if it became several: then the second table says which turn becomes which.
        """
        import pyarrow as pa

        publication, originals = self._publication, self.outcome.table.counts
        became, divided = self.dealt()
        coders = self._coders(counted)
        seen = np.zeros(len(originals), dtype=np.int64)
        parts: list[pa.Table] = []
        for batch, sizes, _ in self.engine.distinct(counted, coders=coders):
            assert sizes is not None, "a lazy engine tallies"
            record = record_of(originals, [coder.codes(batch.column(coder.name), 0) for coder in coders])
            if (record < 0).any():
                raise publication.changed()
            np.add.at(seen, record, sizes)
            columns: dict[str, Any] = {}
            for i, name in enumerate(counted):
                columns[f"k{i}"], columns[f"n{i}"] = _key(batch.column(name))
            columns |= {_RECORD: from_numpy(record), _PUBLISHED: from_numpy(became[record])}
            parts.append(pa.table(columns).filter(from_mask(became[record] >= _DIVIDED)))
        if (seen != originals.sizes).any():
            raise publication.changed()
        keys = pa.concat_tables(parts)
        return dict(zip(keys.column_names, keys.columns, strict=True)), divided

    def _coders(self, counted: Sequence[str]) -> list[Coder]:
        return [self._publication.coder(name) for name in counted]

    def dealt(self) -> tuple[Keys, dict[str, Any] | None]:
        """The published record that each distinct original one became, and who became what of divided ones."""
        originals, sources = self.outcome.table.counts, self.outcome.sources
        if sources is None:
            found = self._publication.finder()(originals.codes)
            return np.where(found < 0, _LEFT_OUT, found), None
        kept = np.bincount(sources.source, weights=sources.sizes, minlength=len(originals)).astype(np.int64)
        is_whole = (np.bincount(sources.source, minlength=len(originals)) == 1) & (kept == originals.sizes)
        became = np.where(kept > 0, _DIVIDED, _LEFT_OUT)
        alone = is_whole[sources.source]
        became[sources.source[alone]] = sources.label[alone]
        parted = np.flatnonzero(became == _DIVIDED)
        if not len(parted):
            return became, None
        times = originals.sizes[parted]
        record = np.repeat(parted, times)
        turn = np.arange(len(record)) - np.repeat(np.cumsum(times) - times, times) + 1
        label = Dealt(sources, originals.sizes).next(record)
        stays = label >= 0
        columns = {_RECORD: record, _TURN: turn, _PUBLISHED: label}
        return became, {name: from_numpy(column[stays]) for name, column in columns.items()}

    def _key_expressions(self, valued: Any, counted: Sequence[str]) -> list[Any]:
        """What `_key` makes of values, said where the table is."""
        import narwhals as nw
        import pyarrow as pa

        made: list[Any] = []
        for field in self.engine.library.schema(valued.select(*counted).to_native()):
            value = nw.col(field.name)
            plain = value.cast(nw.String) if pa.types.is_dictionary(field.type) else value
            made += [plain.fill_null(_fill(field.type)), one_where(plain.is_null())]
        return made


def _key(column: pa.Array) -> tuple[pa.Array, pa.Array]:
    """Values with something in place of null, and where they are: null is equal to nothing where tables are joined."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(column.type):
        column = column.cast(pa.string())
    filled = pc.fill_null(column, pa.scalar(_fill(column.type), column.type)) if column.null_count else column
    return filled, from_numpy(is_null(column).astype(np.int64))


def _fill(kind: pa.DataType) -> Any:
    """Some value of a type."""
    import pyarrow as pa

    if pa.types.is_boolean(kind):
        return False
    if pa.types.is_integer(kind):
        return 0
    if pa.types.is_floating(kind):
        return 0.0
    if pa.types.is_decimal(kind):
        return Decimal(0)
    if pa.types.is_date(kind):
        return dt.date(1970, 1, 1)
    if pa.types.is_timestamp(kind):
        return dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
    if pa.types.is_time(kind):
        return dt.time(0)
    return ""
