"""A rule for new records where classes are made of records together: each gets the cells of the nearest class.

Local recodings and clusters are no functions of single values, so that they say nothing about a record that was not
there. The nearest published class is a rule that everybody could apply who has the release: it looks at what is
published and at declared domains, and at no record. What it gives to a new record is no release and promises nothing.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from shoal.arrays import Codes, Floats, Keys
from shoal.attacks.nearest import ROUNDING, Nearest
from shoal.data.counts import Counts
from shoal.data.encoded import EncodedTable
from shoal.data.outcome import Outcome
from shoal.engines.bridge import from_numpy
from shoal.engines.codes.coding import Coder
from shoal.engines.codes.decoding import published_values
from shoal.errors import ParameterError
from shoal.kernels import grouping
from shoal.methods.base import Method

if TYPE_CHECKING:
    import pyarrow as pa

    from shoal.engines.reading.source import Source


_WITHOUT_RULE = {
    "marginals": "publishes made-up records",
    "pram": "changes the values of each record at random",
    "noise": "changes the values of each record at random",
    "rank-swapping": "exchanges values between records",
}


def require_rule(method: Method) -> None:
    """Refuse a method whose releases say nothing about new records, before it is run or paid for."""
    if method.name in _WITHOUT_RULE:
        raise ParameterError(
            f"{method.name} {_WITHOUT_RULE[method.name]}, which says nothing about how a new record would be "
            "published; take a method that recodes records or puts them together."
        )


def what_was_published(outcome: Outcome) -> Outcome:
    """What a rule for new records needs of a decision: what is published, and no record of the original."""
    quasi = [attribute.name for attribute in outcome.table.quasi_identifiers]
    table, names = outcome.table, outcome.table.counts.names
    widths = [table[name].domain.size for name in names]
    return Outcome(
        table=EncodedTable(table.attributes, Counts.empty(names, widths), unit=table.unit),
        published=replace(outcome.published.project(quasi), suppressed=0) if quasi else outcome.published,
        shown={name: shown for name, shown in outcome.shown.items() if name in quasi},
        recoding=outcome.recoding,
    )


def recode_by_nearest(source: Source, outcome: Outcome, missing: Collection[str], hidden: Collection[str]) -> pa.Table:
    """Other records with the cells of the nearest published class in the quasi-identifiers, without `hidden`.

    Nearest is a class in whose cells the record fits, or from which it is least far (`shoal.attacks.nearest`); of
    several, the one with the narrowest cells, and of these the first. A number or a day that is not in the domain
    counts as the nearest that is.
    """
    import pyarrow as pa

    types = {name: kind for name, kind in source.types().items() if name not in hidden}
    names = [attribute.name for attribute in outcome.table.quasi_identifiers if attribute.name in types]
    if not names:
        raise ParameterError("the table has none of the quasi-identifiers of the release; give it the same columns.")
    if not len(outcome.published):
        raise ParameterError("the release has no records, so that no class of it is nearest to a new one.")
    parts, coded, rows = [], [], 0
    for batch, _ in source.batches(list(types)):
        coders = [Coder(name, outcome.table[name].domain, missing, clamps=True) for name in names]
        coded.append([coder.codes(batch.column(coder.name), rows) for coder in coders])
        parts.append(batch)
        rows += batch.num_rows
    table = pa.Table.from_batches(parts, None if parts else pa.schema(types))
    codes = [np.concatenate([part[i] for part in coded]) if coded else np.zeros(0, np.int64) for i in range(len(names))]
    near = Nearest(outcome, tuple(names))
    group = _nearest_groups(near, codes)
    for i, name in enumerate(names):
        shown = published_values(outcome.table[name], outcome.shown[name], is_recoded=False)
        cells = shown.take(from_numpy(near.groups.codes[i][group].astype(np.int64)))
        table = table.set_column(table.column_names.index(name), name, cells)
    return table


def _nearest_groups(near: Nearest, codes: list[Codes]) -> Keys:
    """The group of published records that each row gets its cells from."""
    widths = [near.outcome.table[name].domain.size for name in near.columns]
    rows = len(codes[0])
    label, distinct = grouping.group([column.astype(np.int64) for column in codes], widths, rows)
    first = grouping.members(label, distinct)
    width = _widths(near)
    found = np.empty(distinct, dtype=np.int64)
    for i, record in enumerate(first.tolist()):
        distance = near.distances([int(column[record]) for column in codes])
        ties = np.flatnonzero(distance <= distance.min() + ROUNDING)
        found[i] = ties[np.argmin(width[ties])]
    return found[label]


def _widths(near: Nearest) -> Floats:
    """How wide the cells of each group are: shares of their domains, added up."""
    width: Floats = np.zeros(len(near.groups))
    for spread, codes in zip(near.spreads, near.groups.codes, strict=True):
        first, last = spread.ends()
        width += ((last - first) / max(spread.domain - 1, 1))[codes]
    return width
