"""What TDS and PAIS have in common: their target, where they start, what they publish."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.arrays import Keys, Nodes
from shoal.criteria import Criterion
from shoal.data.classes import Classes
from shoal.data.outcome import Outcome
from shoal.data.schema import Role, Schema
from shoal.errors import InfeasibleError, SchemaError
from shoal.kernels import grouping
from shoal.methods.parts.class_request import unmet_by_one_class
from shoal.methods.parts.declared import unpublished_target
from shoal.search.top_down.cut import GrowingCut

if TYPE_CHECKING:
    from shoal.data.encoded import EncodedTable

_MOST_CELLS = 1 << 27
"""Values of a column times values of the target; they are counted together, eight bytes each."""


def with_target(counted: Sequence[str], schema: Schema, target: str) -> tuple[str, ...]:
    """The counted columns, the target among them; refuses a target that cannot be one."""
    if not schema[target].role.is_published:
        raise unpublished_target(schema[target])
    if set(schema.names(Role.QUASI_IDENTIFIER)) == {target}:
        raise SchemaError(
            f"the target {target!r} is the only quasi-identifier; there must be another one to predict it from."
        )
    return tuple(counted) if target in counted else (*counted, target)


def require_classes(table: EncodedTable, target: str) -> None:
    """Refuse a target of which there is nothing to be learned, or with too many values to be classes."""
    classes = table[target].domain.size
    widest = max(attribute.domain.size for attribute in table.quasi_identifiers if attribute.name != target)
    if classes * widest > _MOST_CELLS:
        raise SchemaError(
            f"the target {target!r} has {classes:,} values and another column {widest:,}; that is too many to count "
            "together. Choose a target with few values, or declare coarser steps."
        )
    if np.count_nonzero(table.marginal(target)) < 2:
        raise InfeasibleError(
            f"the target {target!r} has the same value in every record, so nothing can be learned about it; "
            "choose another target."
        )


def start(table: EncodedTable, target: str | None) -> GrowingCut:
    """Everything hidden but the target: if that is a quasi-identifier, its values are the first groups."""
    predictors = [attribute.name for attribute in table.quasi_identifiers if attribute.name != target]
    cut = GrowingCut(table, predictors, predictors[0] if target is None else target)
    if target is None:
        cut.labels, cut.classes = np.zeros(len(table.counts), dtype=np.int64), 1
        return cut
    cut.labels = table.counts.column(target).astype(np.int64)  # a missing one is a class too
    cut.classes = table[target].domain.size
    if table[target].role is Role.QUASI_IDENTIFIER:
        cut.group, cut.groups = grouping.compact(cut.labels, cut.classes)
    return cut


def classes_of(cut: GrowingCut, table: EncodedTable) -> Classes:
    """The groups as classes; nodes are the numbers of their values in the cut."""
    axes = {axis.attribute.name: axis for axis in cut.axes}

    def row_nodes(attribute: int, rows: Keys) -> Nodes:
        name = table.quasi_identifiers[attribute].name
        codes = table.counts.column(name)[rows]
        return (axes[name].value_of(codes) if name in axes else codes).astype(np.int32)

    return Classes(table, cut.group, cut.groups, row_nodes)


def require_start(criteria: Sequence[Criterion], cut: GrowingCut, table: EncodedTable, target: str | None) -> None:
    """Refuse a request that is not even met before the first specialization."""
    unmet = unmet_by_one_class(criteria, classes_of(cut, table))
    if unmet is not None and target is not None and table[target].role is Role.QUASI_IDENTIFIER:
        raise InfeasibleError(
            f"the target {target!r} is a quasi-identifier that is published as it is, and with all others hidden the "
            "request is not met by the records that share its value; make it sensitive, merge its rare values, or ask "
            "for less."
        )
    if unmet is not None:
        raise unmet


def is_kept(
    criteria: Sequence[Criterion], cut: GrowingCut, table: EncodedTable, column: int, value: int, at: int
) -> bool:
    """Whether all criteria are met after a specialization, which is tried on a copy of the cut."""
    trial = copy(cut)
    trial.axes = list(cut.axes)
    trial.specialize(column, value, at)
    classes = classes_of(trial, table)
    everything = np.ones(len(classes), dtype=np.bool_)
    return not any(criterion.violations(classes, everything).any() for criterion in criteria)


def published(cut: GrowingCut, table: EncodedTable, search: dict[str, Any]) -> Outcome:
    """Every record, recoded to the cut."""
    recoding = cut.recoding()
    classes = None
    if not any(axis.is_ordered for axis in cut.axes):
        of_leaf = {axis.attribute.name: np.repeat(axis.nodes, axis.lasts - axis.firsts + 1) for axis in cut.axes}

        def row_nodes(attribute: int, rows: Keys) -> Nodes:
            name = table.quasi_identifiers[attribute].name
            codes = table.counts.column(name)[rows]
            return (of_leaf[name][codes] if name in of_leaf else codes).astype(np.int32)

        classes = Classes(table, cut.group, cut.groups, row_nodes)
    return Outcome.recoded(
        table,
        recoding,
        recoding.apply(table),
        classes=classes,
        suppressed=None if classes is None else np.zeros(len(classes), dtype=np.bool_),
        search=search,
    )
