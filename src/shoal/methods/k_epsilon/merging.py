"""The outcome: k-anonymous and noisy columns side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from shoal.arrays import Sizes
from shoal.data.attribute import Attribute
from shoal.data.counts import Counts
from shoal.data.outcome import Outcome
from shoal.data.partition import Partition
from shoal.data.people.incidence import Incidence
from shoal.data.recoding import FullDomain
from shoal.data.schema import Role
from shoal.data.shown import Numbers, Shown
from shoal.errors import InfeasibleError
from shoal.methods.full_domain.request import FullDomainRequest
from shoal.methods.k_epsilon.columns import PerturbedColumn, numeric

if TYPE_CHECKING:
    from shoal.data.encoded import EncodedTable
    from shoal.methods.k_epsilon.method import KEpsilon
    from shoal.methods.k_epsilon.records import Records


def merged(
    method: KEpsilon,
    table: EncodedTable,
    decided: Outcome,
    records: Records,
    columns: Sequence[PerturbedColumn],
    units: Sequence[Sizes],
) -> Outcome:
    """Line 9: k-anonymous and noisy columns side by side. Line 10 needs nothing: counts have no order."""
    if not len(records):
        raise InfeasibleError(
            f"no record is left at confidence {method.confidence}; take a smaller k, a smaller epsilon or a larger "
            "confidence."
        )
    shown: dict[str, Shown] = dict(decided.shown)
    recoded = {name: (codes, len(decided.shown[name])) for name, codes in records.codes.items()}
    for column, noisy in zip(columns, units, strict=True):
        shown[column.name], codes = column.shown(noisy)
        recoded[column.name] = codes, len(shown[column.name])
    one_by_one = Partition(records.source, np.arange(len(records)), np.ones(len(records), dtype=np.int64))
    published, sources = one_by_one.published(table, recoded, suppressed=table.total - len(records))
    attributes, persons = _with_roles(method, table), None
    if records.persons is not None:
        persons = Incidence.of(sources.label, records.persons, sources.sizes, len(published), table.unit)
    return Outcome(
        table=replace(table, attributes=attributes),
        published=published,
        persons=persons,
        shown=shown,
        recoding=decided.recoding,
        classes=decided.classes,
        suppressed=decided.suppressed,
        sources=sources,
        search=decided.search,
    )


def nothing_published(method: KEpsilon, table: EncodedTable) -> Outcome:
    """No records, in columns that hide everything."""
    attributes = _with_roles(method, table)
    others = [a for a in attributes if a.role is Role.QUASI_IDENTIFIER]
    hidden = FullDomain({attribute.name: attribute.hierarchy.height for attribute in others})
    shown: dict[str, Shown] = {attribute.name: hidden.lookup(attribute).shown for attribute in others}
    for name in method.perturbed:
        shown[name] = Numbers(np.zeros(0), 0 if numeric(table, name).decimals == 0 else None)
    widths = [len(shown[a.name]) if a.name in shown else a.domain.size for a in attributes]
    return Outcome(
        table=replace(table, attributes=attributes),
        published=Counts.empty([attribute.name for attribute in attributes], widths),
        shown=shown,
        recoding=hidden if isinstance(method.anonymizer, FullDomainRequest) else None,
    )


def _with_roles(method: KEpsilon, table: EncodedTable) -> tuple[Attribute, ...]:
    """The columns of the table, those with noise no longer a part of any class."""
    return tuple(
        replace(attribute, role=Role.PERTURBED) if attribute.name in method.perturbed else attribute
        for attribute in table.attributes
    )
