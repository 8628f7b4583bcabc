"""What DiffGen asks of a schema: declared domains, and a class with named values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shoal.data.domain import Categorical
from shoal.data.schema import Schema
from shoal.errors import InfeasibleError, SchemaError, listed, nearest
from shoal.methods.diffgen.division import MOST_LEAVES
from shoal.methods.marginals.schema import MOST_CELLS
from shoal.methods.parts.declared import declared_columns
from shoal.search.top_down.cut import Axis, class_codes

if TYPE_CHECKING:
    from shoal.data.encoded import EncodedTable


def counted_columns(schema: Schema, target: str) -> tuple[str, ...]:
    """All published columns, or a sentence about what is wrong with them."""
    counted = declared_columns(schema, "diffgen")
    if target not in counted:
        raise SchemaError(
            f"the target {target!r} is not among the published columns {listed(counted, 12)}."
            f"{nearest(target, list(counted))}"
        )
    if len(counted) == 1:
        raise SchemaError(f"only the target {target!r} is published; diffgen needs columns to predict it from.")
    column = schema[target]
    domain = column.domain
    if domain is None and column.hierarchy is not None:
        domain = column.hierarchy.leaves()
    if not isinstance(domain, Categorical):
        raise SchemaError(
            f"the target {target!r} is a column of numbers or days, and a class must have named values; declare its "
            "domain as a list, after grouping its values into classes."
        )
    classes = len(domain.values) - (domain.missing is not None)
    if classes < 2:
        raise SchemaError(f"the target {target!r} has {classes} value, and a class needs two or more to tell apart.")
    return counted


def require_specializable(table: EncodedTable, predictors: Sequence[str], target: str) -> None:
    """Refuse a table of which nothing could ever be told apart."""
    if len(class_codes(table[target])) < 2:
        raise SchemaError(f"the target {target!r} has one value only, and a class needs two or more to tell apart.")
    if not any(Axis.top(table[name]).can_specialize.any() for name in predictors):
        raise SchemaError("every column but the target has one value only; there is nothing to specialize.")


def require_few_classes(table: EncodedTable, predictors: Sequence[str], target: str) -> None:
    """Refuse more counts of values by class than can be held, before anything is spent."""
    classes = len(class_codes(table[target]))
    cells = classes * sum(min(table[name].domain.size, MOST_LEAVES) for name in predictors)
    if cells > MOST_CELLS:
        raise InfeasibleError(
            f"every column is counted for each of {classes:,} classes, which makes up to {cells:,} counts, and at most "
            f"{MOST_CELLS:,} can be made. Nothing was spent; group the classes of {target!r}, or write show = "
            '"groups".'
        )
