"""What is measured where records get values of their own: single columns by class, then groups of records.

Groups are made of a score, that of single columns together, and of the columns themselves, whose values are put in the
order of what they tell; the cut over these axes grows by private choices.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from shoal.arrays import Floats, Keys, Sizes
from shoal.data.attribute import Attribute, settle
from shoal.data.counts import Counts
from shoal.data.domain import Grid
from shoal.data.encoded import EncodedTable
from shoal.data.schema import Column, Role
from shoal.kernels.grouping import narrowest
from shoal.methods.diffgen.coarse import coarse_enough
from shoal.methods.diffgen.division import Division, division_for, most_leaves
from shoal.methods.diffgen.growth import PRICE, grow_by_purity
from shoal.methods.diffgen.ordering import ranks
from shoal.methods.diffgen.score import Score
from shoal.methods.diffgen.trust import believed_tables
from shoal.methods.marginals.budget import SIZE_SHARE, counted_leaves, shares_by_size
from shoal.methods.marginals.class_tables import ClassTables, classes_of, count_by_class
from shoal.methods.marginals.leaves import Leaves
from shoal.methods.marginals.private_tree import found_leaves, left_beside_trees
from shoal.methods.marginals.support import drawn_support, support_size
from shoal.search.top_down.cut import GrowingCut

if TYPE_CHECKING:
    from shoal.dp.coins.coins import Coins
    from shoal.dp.mechanisms.charges import Charges
    from shoal.methods.marginals.purse import PurePurse
    from shoal.progress import Progress

MOST_GROUPS = 1 << 16
"""How many groups there may be, classes included: each of them is counted."""
MOST_WEIGHTS = 2_000_000
"""How many records are drawn, times classes, at most."""
_SCORE = "score"


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """All that is known of a table once the budget is spent.

    Attributes:
        leaves: The leaves of each predictor.
        classes: The codes of the classes.
        believed: The class tables, made consistent.
        drawn: The leaves of records that could be there.
        places: Where they lie on each axis of the cut.
        start: The values of each axis before anything was chosen, by the place where they start.
        grown: The same, after.
        noisy: The noisy counts of all groups, by class.
        variance: That of the noise on each.
    """

    leaves: list[Leaves]
    classes: Keys
    believed: ClassTables
    drawn: list[Keys]
    places: list[Keys]
    start: list[Keys]
    grown: list[Keys]
    noisy: Floats
    variance: float


def measured(
    records: EncodedTable,
    predictors: list[str],
    target: str,
    purse: PurePurse,
    search_share: Fraction,
    most_steps: int | None,
    coins: Coins,
    progress: Progress,
) -> Measured:
    """Spend a purse: on the number of records, leaves of wide numbers, class tables, choices and counts of groups."""
    left = left_beside_trees(records, predictors)
    of_size = left * SIZE_SHARE
    total = np.array([records.counts.kept], dtype=np.int64)
    counted = int(purse.count(total, of_size, coins, "count the records")[0])
    x = float(purse.epsilon * left) * max(counted, 0) / len(records.attributes)
    classes, label = classes_of(records, target)
    division = division_for(x, len(classes))
    leaves = [coarse_enough(found, most_leaves(x)) for found in found_leaves(records, predictors, purse, coins)]
    leaf = [of_column.of(records.counts.column(of_column.attribute.name)) for of_column in leaves]
    sizes = records.counts.sizes
    shares = shares_by_size(
        left * (1 - SIZE_SHARE - division.groups),
        [counted_leaves(len(found)) for found in leaves],
        [Fraction(1)] * len(leaves),
    )
    tables = [
        count_by_class(of_leaf, len(found), label, len(classes), sizes, purse, share, coins)
        for of_leaf, found, share in zip(leaf, leaves, shares, strict=True)
    ]
    variances = [purse.variance(share) for share in shares]
    believed = believed_tables(tables, leaves, variances, counted, purse.variance(of_size))

    number = min(support_size(round(believed.records)), MOST_WEIGHTS // len(classes) + 1)
    _, drawn = drawn_support(believed, [], [], number)
    if not division.groups:  # columns are tied together through the classes alone
        everything, one = [np.zeros(1, dtype=np.int64)], [np.zeros(number, dtype=np.int64)]
        return Measured(leaves, classes, believed, drawn, one, everything, everything, believed.totals[None], 0.0)
    score = Score.of(believed, drawn)
    order = [ranks(found, table, believed.totals) for found, table in zip(leaves, believed.tables, strict=True)]
    cut = _cut(score, order, leaf, label, len(classes), sizes)
    for at in score.cut(division.scores):
        cut.specialize(0, int(cut.axes[0].value_of(np.array([at]))[0]), at)
    start = [axis.firsts for axis in cut.axes]
    of_groups = left * division.groups
    epsilon = of_groups * purse.epsilon
    spent = _grown(cut, division, epsilon, search_share, most_steps, coins, purse.ledger, progress)
    keys, held = cut.cell_keys()
    cells = np.zeros(cut.cells, dtype=np.int64)
    cells[keys] = held
    share = of_groups - spent / purse.epsilon
    noisy = purse.count(cells, share, coins, "count the groups").reshape(-1, len(classes)).astype(np.float64)
    places, grown = _places(score, order, drawn), [axis.firsts for axis in cut.axes]
    return Measured(leaves, classes, believed, drawn, places, start, grown, noisy, purse.variance(share))


def _grown(
    cut: GrowingCut,
    division: Division,
    epsilon: Fraction,
    search_share: Fraction,
    most_steps: int | None,
    coins: Coins,
    ledger: Charges,
    progress: Progress,
) -> Fraction:
    """Specialize by private choices; what was spent of ε."""
    steps = division.steps if most_steps is None else min(division.steps, most_steps)
    if not steps:
        return Fraction(0)
    each = epsilon * search_share / steps
    price = PRICE / (epsilon * (1 - search_share))
    return grow_by_purity(cut, steps, each, price, lambda cells: cells <= MOST_GROUPS, coins, ledger, progress)


def _cut(
    score: Score, order: Sequence[Keys], leaf: Sequence[Keys], label: Keys, classes: int, sizes: Sizes
) -> GrowingCut:
    """Records by their score, and by their leaves in order, as a table of numbers that can be split anywhere."""
    places = _places(score, order, leaf)
    widths = [score.size, *(len(of_leaf) for of_leaf in order)]
    names = [_SCORE, *(str(column) for column in range(len(order)))]
    columns = [_axis(name, width) for name, width in zip(names, widths, strict=True)]
    target = _axis("class", classes)
    attributes = (*columns, target)
    codes = [place.astype(narrowest(width)) for place, width in zip([*places, label], [*widths, classes], strict=True)]
    counts = Counts.of([a.name for a in attributes], codes, [a.domain.size for a in attributes], sizes)
    return GrowingCut(EncodedTable(attributes, counts), names, "class")


def _axis(name: str, width: int) -> Attribute:
    """A column of the numbers 0 to below `width`."""
    return settle(Column(name, Role.QUASI_IDENTIFIER), Grid.between(0, width - 1))


def _places(score: Score, order: Sequence[Keys], leaf: Sequence[Keys]) -> list[Keys]:
    """Where records lie on each axis."""
    return [score.of_records(leaf), *(of_leaf[here] for of_leaf, here in zip(order, leaf, strict=True))]
