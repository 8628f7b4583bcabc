"""Whether an original and a release belong together."""

from __future__ import annotations

from shoal.data.encoded import EncodedTable
from shoal.data.outcome import Outcome
from shoal.errors import ParameterError, SchemaError, listed


def require_same_columns(outcome: Outcome) -> None:
    """Refuse an outcome whose table and published records do not have the same columns."""
    known, published = outcome.table.counts.names, outcome.published.names
    strange = [name for name in published if name not in known]
    if strange:
        raise ParameterError(
            f"the release has columns that the original has not: {listed(strange)}; it was made from another table."
        )


def require_same_domains(table: EncodedTable, outcome: Outcome) -> None:
    """Refuse a release that was made from a table with other columns, or with other values in them."""
    require_same_columns(outcome)
    for attribute in outcome.table.attributes:
        if attribute.name not in table.counts.names:
            raise ParameterError(
                f"the release has a column {attribute.name!r}, the original has none; it was made from another table."
            )
        here, there = table.counts.cardinality(attribute.name), outcome.table.counts.cardinality(attribute.name)
        if here != there:
            raise ParameterError(
                f"column {attribute.name!r} has {here:,} values in the original and {there:,} where the release comes "
                "from; it was made from another table, or under another schema."
            )


def require_target(table: EncodedTable, target: str) -> None:
    """Refuse a target that is not there or has nothing to tell apart."""
    names = table.counts.names
    if target not in names:
        raise SchemaError(f"the target {target!r} is not among the columns {listed(names, 12)}.")
    if len(names) == 1:
        raise SchemaError(f"the target {target!r} is the only column; predicting it needs at least one other.")
    if (table.marginal(target) > 0).sum() < 2:
        raise SchemaError(
            f"the target {target!r} has the same value in all records, so there is nothing to predict; choose another."
        )
