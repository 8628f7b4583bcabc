"""What the counts of marginals are off by, column by column."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import exp, pi, sqrt
from typing import TYPE_CHECKING

from shoal.methods.marginals.advice import expected_worth, is_useless, ties_of_columns
from shoal.methods.marginals.budget import (
    EARLY_SIZE_SHARE,
    TREE_SHARE,
    counted_leaves,
    shares_by_size,
    split_of,
    worth_halving,
)
from shoal.methods.marginals.leaves import is_wide, numbers_of, usable_codes
from shoal.methods.marginals.private_tree import decay_of, exponent_of
from shoal.methods.marginals.schema import groups_asked
from shoal.parameters import exact
from shoal.plan.expecting.expectation import Expectation
from shoal.plan.expecting.words import number
from shoal.search.top_down.cut import class_codes

if TYPE_CHECKING:
    from shoal.data.attribute import Attribute
    from shoal.data.encoded import EncodedTable
    from shoal.methods.marginals import Marginals
    from shoal.methods.marginals.purse import Purse

_DROWNING = 2
"""Where an average cell holds fewer records than so many scales of its noise, a fifth of all or more are misplaced."""
_DROWNED = 0.5
"""Where it holds fewer than that, more than half of them are."""


@dataclass(frozen=True, slots=True)
class CountedColumn:
    """One column as it is counted.

    Attributes:
        name: Its name.
        leaves: How many values, or pieces of wide numbers, it is counted by.
        is_wide: Whether these are pieces of wide numbers, found where records are.
        off_by: How far the count of one of them, over all classes, is off on average.
        in_a_cell: How many records an average cell holds, in scales of its noise.
    """

    name: str
    leaves: int
    is_wide: bool
    off_by: float
    in_a_cell: float

    @property
    def is_drowned(self) -> bool:
        """Whether noise outweighs what is counted; pieces of wide numbers are made so coarse that it does not."""
        return not self.is_wide and self.in_a_cell < _DROWNING


def expected_of_marginals(method: Marginals, table: EncodedTable, records: int | None) -> Expectation:
    """How far counts are off; a warning where that is nothing of use, and of columns that noise drowns."""
    if records is None:
        return Expectation(said=("Say about how many records there are, and more can be told.",))
    epsilon, columns = float(exact(method.epsilon)), len(table.attributes)
    figures = {"records for each column": epsilon * records / max(columns, 1)}
    if is_useless(epsilon, records, columns):
        sentence = expected_worth(epsilon, records, columns)
        return Expectation(warnings=(sentence[:1].upper() + sentence[1:],), figures=figures)
    found = counted_by(method, table, records)
    figures |= {f"counts of {one.name} off by": one.off_by for one in found}
    clear = [one for one in found if not one.is_drowned]
    said = []
    if clear:
        least, most = (number(end(one.off_by for one in clear)) for end in (min, max))
        span = least if least == most else f"{least} to {most}"
        by = "" if method.target is None else f", summed over the classes of {method.target!r},"
        said.append(
            f"Counts of single values{by} are off by about {span} of {records:,} records, by column; "
            f"{ties_of_columns(epsilon, records, columns)}"
        )
    return Expectation(
        said=tuple(said),
        warnings=tuple(_warning(one, method, records) for one in found if one.is_drowned),
        figures=figures,
    )


def _warning(column: CountedColumn, method: Marginals, records: int) -> str:
    classes = "" if method.target is None else f" and is counted by {method.target!r}"
    much = "what is published of it will be noise" if column.in_a_cell < _DROWNED else "much of it will be noise"
    return (
        f"{column.name!r} has {column.leaves:,} values for about {records:,} records{classes}: {much}; declare "
        "prefixes or intervals, or leave it out."
    )


def counted_by(method: Marginals, table: EncodedTable, records: int) -> list[CountedColumn]:
    """Every column but the target, with the share of ε that it gets when there are so many records.

    A count is that of a leaf, summed over K classes: noise of √K deviations of a cell, of which the number of records,
    known better, takes one L-th back. Pairs that are counted too, which make it less, are left out.
    """
    others = [a for a in table.attributes if a.name != method.target]
    classes = 1 if method.target is None else len(class_codes(table[method.target]))
    purse, columns = method.unpaid_purse(len(table.attributes)), len(table.attributes)
    wide = [a.name for a in others if is_wide(a)]
    left = 1 - TREE_SHARE if wide else Fraction(1)
    leaves = [_pieces(a, purse, len(wide), columns, records) if is_wide(a) else len(usable_codes(a)) for a in others]
    names = [a.name for a in others]
    split = split_of(purse, left, records, columns, len(groups_asked(names, method.workload)))
    shares = shares_by_size(split.tables, [counted_leaves(n) for n in leaves], [method.weight(name) for name in names])
    total = purse.variance(left * EARLY_SIZE_SHARE)
    found = []
    for name, size, share in zip(names, leaves, shares, strict=True):
        deviation = sqrt(purse.variance(share))
        of_leaf = sqrt(classes * deviation**2 * (1 - 1 / size) + min(total, classes * size * deviation**2) / size**2)
        mean = sqrt(2 / pi) if classes > 1 or size > 1 else 1 / sqrt(2)
        scales = records / (size * classes) / (deviation / sqrt(2))
        found.append(CountedColumn(name, size, name in wide, mean * of_leaf, scales))
    return found


def _pieces(attribute: Attribute, purse: Purse, wide: int, columns: int, records: int) -> int:
    """Into how many pieces the private tree cuts numbers that records are spread evenly over, about.

    It halves pieces while noise can hardly forbid it; what is too small is still halved by noise, with the same chance
    p at any depth, so that it becomes (1 − p)/(1 − 2p) pieces on average.
    """
    exponent = exponent_of(purse.tree(TREE_SHARE / wide, "for its number alone"))
    decay, least = decay_of(exponent), worth_halving(purse, columns)
    depth, most = 0, numbers_of(attribute)
    while 2**depth < most and records / 2**depth - depth * decay > least:
        depth += 1
    by_noise = exp(-float(exponent) * decay) / 2
    return int(min(most, 2**depth * (1 - by_noise) / (1 - 2 * by_noise))) + (most < len(usable_codes(attribute)))
