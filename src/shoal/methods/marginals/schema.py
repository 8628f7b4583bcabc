"""What `marginals` asks of a schema: declared domains, a class with named values if there is one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from shoal.data.domain import Categorical
from shoal.data.schema import Schema
from shoal.errors import InfeasibleError, SchemaError, listed, nearest
from shoal.methods.marginals.leaves import is_wide
from shoal.methods.parts.declared import declared_columns
from shoal.search.top_down.cut import class_codes

if TYPE_CHECKING:
    from shoal.data.encoded import EncodedTable

MOST_CELLS = 5_000_000
"""How many cells all class tables may have together."""
MOST_THREES = 1000
"""Of more sets of three columns none is counted: it would take long to look at them all."""


def counted_columns(
    schema: Schema, method: str, target: str | None, workload: Sequence[Sequence[str]], weights: Mapping[str, object]
) -> tuple[str, ...]:
    """All published columns, or a sentence about what is wrong with them."""
    counted = declared_columns(schema, method)
    said = [("the target is", [] if target is None else [target])]
    said += [("the workload asks about", [name for asked in workload for name in asked])]
    said += [("a weight is given for", list(weights))]
    for what, names in said:
        for name in names:
            if name not in counted:
                raise SchemaError(
                    f"{what} {name!r}, which is not among the published columns {listed(counted, 12)}."
                    f"{nearest(name, list(counted))}"
                )
    if target is not None:
        _require_class(schema, target)
        if len(counted) == 1:
            raise SchemaError(f"only the target {target!r} is published; leave out target, or publish other columns.")
    return counted


def _require_class(schema: Schema, target: str) -> None:
    column = schema[target]
    domain = column.domain
    if domain is None and column.hierarchy is not None:
        domain = column.hierarchy.leaves()
    if not isinstance(domain, Categorical):
        raise SchemaError(
            f"the target {target!r} is a column of numbers or days, and a class must have named values; declare its "
            "domain as a list, after grouping its values into classes, or leave out target."
        )


def require_room(table: EncodedTable, others: Sequence[str], target: str | None) -> None:
    """Refuse domains whose class tables cannot be held; wide numbers are no trouble."""
    classes = 1 if target is None else len(class_codes(table[target]))
    sizes = {name: table[name].domain.size for name in others if not is_wide(table[name])}
    cells = classes * sum(sizes.values())
    if classes < 1 or cells > MOST_CELLS:
        largest = max(sizes, key=lambda name: sizes[name], default=target)
        raise InfeasibleError(
            f"every value is counted for each of {classes:,} classes, which makes {cells:,} counts; from 1 to "
            f"{MOST_CELLS:,} can be made. Nothing was spent; group the values of {largest!r}, or take another target."
        )


def groups_asked(others: Sequence[str], workload: Sequence[Sequence[str]]) -> list[tuple[int, ...]]:
    """The columns that may be counted together: by threes, and the pairs that are in none of these.

    All, or those of which every pair is in a question of the workload. Pairs alone where threes would be too many.
    """
    questions = [frozenset(names) for names in workload] or [frozenset(others)]
    pairs = [
        pair
        for pair in combinations(range(len(others)), 2)
        if any({others[column] for column in pair} <= names for names in questions)
    ]
    asked = set(pairs)
    threes = [
        (*pair, third)
        for pair in pairs
        for third in range(pair[1] + 1, len(others))
        if (pair[0], third) in asked and (pair[1], third) in asked
    ]
    if len(threes) > MOST_THREES:
        return list(pairs)
    covered = {pair for three in threes for pair in combinations(three, 2)}
    return [*threes, *(pair for pair in pairs if pair not in covered)]
