"""From what was found to what is published: records of values, of groups, or none. Sees noisy numbers only."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from shoal.data.counts import Counts
from shoal.data.outcome import Outcome
from shoal.data.schema import Role
from shoal.methods.diffgen.weighting import made_up
from shoal.search.top_down.cut import GrowingCut, class_codes

if TYPE_CHECKING:
    from shoal.arrays import Keys, Sizes
    from shoal.data.encoded import EncodedTable
    from shoal.methods.diffgen.values import Measured


def of_values(table: EncodedTable, target: str, seen: Measured) -> Outcome:
    """Records with values of their own that fit all that was counted."""
    recoding, columns, sizes, share = made_up(seen, table[target])
    names = [attribute.name for attribute in table.attributes]
    widths = [recoding.lookup(attribute).size for attribute in table.attributes]
    published = Counts.of(names, [columns[name] for name in names], widths, sizes)
    search = {
        "groups": len(seen.noisy),
        "values": {found.attribute.name: len(found) for found in seen.leaves},
        "effective share of the drawn records": share,
    }
    outcome = Outcome.recoded(_as_shown(table.of_rows(), target), recoding, published, search=search)
    return replace(outcome, is_made_up=True)


def of_groups(table: EncodedTable, target: str, cut: GrowingCut, keys: Keys, counts: Sizes) -> Outcome:
    """Records of the groups of a cut, each as often as its noisy count says."""
    recoding = cut.recoding()
    values, label = cut.cell_values(keys)
    columns = {axis.attribute.name: codes for axis, codes in zip(cut.axes, values, strict=True)}
    columns[target] = class_codes(table[target])[label]
    names = [attribute.name for attribute in table.attributes]
    widths = [recoding.lookup(attribute).size for attribute in table.attributes]
    published = Counts.of(names, [columns[name] for name in names], widths, counts)
    search = {
        "groups": cut.partitions,
        "groups with records": cut.groups,
        "values": {axis.attribute.name: len(axis.live) for axis in cut.axes},
    }
    return Outcome.recoded(_as_shown(table, target), recoding, published, search=search)


def of_nobody(table: EncodedTable, target: str) -> Outcome:
    """No records, and a cut that was never grown."""
    names = [attribute.name for attribute in table.attributes]
    table = table.of_rows()
    none = table.with_counts(Counts.empty(names, table.counts.cardinalities))
    recoding = GrowingCut(none, [name for name in names if name != target], target).recoding()
    published = Counts.empty(names, [recoding.lookup(attribute).size for attribute in table.attributes])
    return Outcome.recoded(_as_shown(table, target), recoding, published)


def _as_shown(table: EncodedTable, target: str) -> EncodedTable:
    """The target is published as it is."""
    shown = [replace(a, role=Role.SENSITIVE) if a.name == target else a for a in table.attributes]
    return replace(table, attributes=tuple(shown))
