"""How a purse is divided: by what is public, and by the noisy number of records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, sqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shoal.methods.marginals.purse import Purse

TREE_SHARE = Fraction(1, 10)
"""What finds the leaves of wide numbers, where there are any."""
SIZE_SHARE = Fraction(2, 100)
"""Of the rest: what counts the records in `diffgen`."""
EARLY_SIZE_SHARE = Fraction(1, 200)
"""And here, where the count only chooses settings: all class tables tell how many records there are."""
_CHOICE_STEPS = ((1000, Fraction(2, 10)),)
_LEAST_FOR_CHOICES = Fraction(1, 10)
"""Of what groups of columns get: what chooses them, up to which number of records as below, and beyond."""
_STEPS = ((300, 1 - EARLY_SIZE_SHARE), (1000, Fraction(8, 10)), (2500, Fraction(55, 100)))
"""Up to which number of records, in scales of noise on one of d tables, class tables get which share of the rest."""
LEAST_FOR_TABLES = Fraction(4, 10)
"""What class tables get beyond that."""
_FEWER_GROUPS = 65
"""(d − 1) √x divided by this is the number of groups."""
_RECORDS_A_BOX = 6
"""How many records an average box of a group has, in scales of its noise."""
_SCALES_A_LEAF = 5
"""How many records a piece of wide numbers must have to be halved, in scales of noise on one of d tables."""
_LEAST_CELLS = 4
_MOST_CELLS = 1 << 20
_MANY_LEAVES = 20
"""Beyond so many leaves a table gets no more: of many leaves most are empty."""


@dataclass(frozen=True, slots=True)
class Split:
    """What each step gets, as shares of the purse.

    Attributes:
        tables: All class tables together.
        groups: How many groups of columns are measured.
        choice: Each choice of one.
        measured: All measured groups together.
    """

    tables: Fraction
    groups: int
    choice: Fraction
    measured: Fraction


def split_of(purse: Purse, left: Fraction, counted: int, columns: int, possible: int) -> Split:
    """The division of what is left, for so many noisily counted records, published columns and possible groups."""
    x = purse.precision(left / columns) * max(counted, 0)
    share = share_for_tables(x)
    rest = 1 - EARLY_SIZE_SHARE - share
    if not possible or not rest:
        return Split(left * (1 - EARLY_SIZE_SHARE), 0, Fraction(0), Fraction(0))
    groups = min(max(1, round((columns - 1) * sqrt(x) / _FEWER_GROUPS)), possible)
    choices = next((of_choices for bound, of_choices in _CHOICE_STEPS if x < bound), _LEAST_FOR_CHOICES)
    return Split(left * share, groups, left * rest * choices / groups, left * rest * (1 - choices))


def share_for_tables(x: float) -> Fraction:
    """What class tables get of the rest, for so many records in scales of noise on one of d tables."""
    return next((share for bound, share in _STEPS if x < bound), LEAST_FOR_TABLES)


def cells_of(purse: Purse, split: Split, records: float, classes: int) -> float:
    """By how many boxes a group may be counted, so that noise leaves something of an average one."""
    each = purse.precision(split.measured / split.groups)
    return min(max(_LEAST_CELLS, records * each / _RECORDS_A_BOX), max(_MOST_CELLS // classes, _LEAST_CELLS))


def shares_by_size(whole: Fraction, sizes: Sequence[int], weights: Sequence[Fraction]) -> list[Fraction]:
    """Shares of tables with so many cells in comparison: by the roots of their sizes, for the sum of errors is least.

    >>> [str(share) for share in shares_by_size(Fraction(1), [4, 16], [Fraction(1), Fraction(1)])]
    ['1/3', '2/3']
    """
    parts = [weight * Fraction(round(sqrt(size) * 1000), 1000) for size, weight in zip(sizes, weights, strict=True)]
    return [whole * part / sum(parts) for part in parts]


def counted_leaves(leaves: int) -> int:
    """How many leaves of a column decide its share."""
    return min(leaves, _MANY_LEAVES)


def worth_halving(purse: Purse, columns: int) -> int:
    """How many records a piece of wide numbers must have to be halved, by the noise that tables will have."""
    return ceil(_SCALES_A_LEAF / purse.precision(Fraction(1, columns)))
