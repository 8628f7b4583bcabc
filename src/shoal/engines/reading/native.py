"""Arrow tables as the kind of frame that came in; what is kept here of that frame are types, never records."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True, eq=False)
class ArrowTables:
    """Arrow came in, Arrow goes out; and a lazy frame, where the engine makes one."""

    def __call__(self, table: Any, covered: Collection[str]) -> Any:
        """The table as it is."""
        del covered
        return table


@dataclass(frozen=True, slots=True, eq=False)
class NativeFrames:
    """Turns an Arrow table into the kind of frame that came in.

    It is also told which columns a private method covers: these must not show in which type they came.

    Attributes:
        backend: The library, as narwhals knows it.
        types: The types that columns had in Arrow.
        own_types: pandas' own types for missing values, such as Int64, which Arrow forgets.
        orders: The values of ordered categoricals and enums, in their order.
    """

    backend: Any
    types: Mapping[str, pa.DataType]
    own_types: Mapping[str, Any] = field(default_factory=dict)
    orders: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)

    @staticmethod
    def of(wrapped: Any, schema: pa.Schema) -> NativeFrames:
        """What is to be remembered of a frame in narwhals' hands, that became Arrow with this schema."""
        import narwhals as nw

        return NativeFrames(
            backend=wrapped.implementation,
            types=dict(zip(schema.names, schema.types, strict=True)),
            own_types=_own_types(wrapped.to_native()) if wrapped.implementation.is_pandas() else {},
            orders={name: kind.categories for name, kind in wrapped.schema.items() if isinstance(kind, nw.Enum)},
        )

    def __call__(self, table: pa.Table, covered: Collection[str]) -> Any:
        """The frame."""
        import narwhals as nw

        is_pandas = self.backend.is_pandas()
        table = _days_as_moments(table, covered) if is_pandas else table
        frame: Any = nw.from_arrow(table, backend=self.backend)
        native = self._ordered_again(frame, covered).to_native()
        return self._nullable_again(native, table.schema, covered) if is_pandas else native

    def _ordered_again(self, frame: Any, covered: Collection[str]) -> Any:
        """Columns that kept the values of an ordered categorical or enum, in its order.

        Only values that are published are named: the others may be those of records that are not.
        """
        import narwhals as nw

        for name, order in self.orders.items():
            if name in covered or name not in frame.columns:
                continue
            published = set(frame[name].drop_nulls().unique().to_list())
            if published <= set(order):
                kept = nw.Enum([value for value in order if value in published])
                frame = frame.with_columns(nw.col(name).cast(kept))
        return frame

    def _nullable_again(self, native: Any, now: pa.Schema, covered: Collection[str]) -> Any:
        """Columns that kept their type in pandas' own types; not covered ones, in whose type one record may show."""
        dtypes = {
            name: kind
            for name, kind in self.own_types.items()
            if name in now.names
            and name not in covered
            and now.field(name).type == self.types[name]
            and native[name].dtype != kind
        }
        return native.astype(dtypes) if dtypes else native


def _own_types(frame: Any) -> dict[str, Any]:
    """Types of pandas that NumPy does not have; no categories, which would name values that are not published."""
    kinds = {name: frame[name].dtype for name in frame.columns}
    return {name: kind for name, kind in kinds.items() if not isinstance(kind, np.dtype) and kind.name != "category"}


def _days_as_moments(result: pa.Table, covered: Collection[str]) -> pa.Table:
    """Days of columns whose type is that of their domain as the moments they begin: pandas has no type for days."""
    import pyarrow as pa

    for i, kept in enumerate(result.schema):
        if kept.name in covered and pa.types.is_date32(kept.type):
            result = result.set_column(i, kept.name, result.column(i).cast(pa.timestamp("s")))
    return result
