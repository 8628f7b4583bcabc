"""The fewest blanks: an integer program over every class that k records could make.

A possible class is a pattern of blanked columns and the values kept in the others. How many records of each combination
of values go to which class is a whole number; a class that has any has k. What is minimized is what their blanks cost.
"""

from __future__ import annotations

import numpy as np

from shoal.arrays import Floats, Keys, Nodes, Sizes
from shoal.data.partition import Partition
from shoal.errors import InfeasibleError
from shoal.kernels import grouping
from shoal.methods.cell_suppression.patterns import cheapest_first
from shoal.methods.parts.cells import Cells
from shoal.methods.parts.judge import Judge
from shoal.search.integer_program import Conditions, cheapest

_MOST_CHOICES = 20_000
"""Pairs of a combination and a class it could go to; more would take too long to decide."""
_MOST_COLUMNS = 16


def fewest_blanks(cells: Cells, judge: Judge) -> Partition:
    """Classes of k records whose blanks cost least; refuses tables that are too large for it."""
    if judge.by_persons:
        raise InfeasibleError(
            "optimal counts records, and a person has several here; leave out optimal, or write max_records = 1 in "
            "[data]."
        )
    counts = cells.table.counts
    names = [attribute.name for attribute in cells.table.quasi_identifiers]
    combination, combinations = counts.group(names)
    sizes = grouping.totals(combination, combinations, counts.sizes)
    codes = cells.codes[grouping.members(combination, combinations)]
    of_choice, to_choice, costs = _choices(codes, [len(leaf) for leaf in cells.leaves], sizes, judge.k, cells.weights)
    taken = _decided(of_choice, to_choice, costs, sizes, judge.k)
    goes = np.flatnonzero(taken)
    order = goes[np.argsort(of_choice[goes], kind="stable")]
    label, _ = grouping.compact(to_choice[order], len(costs))
    return Partition(of_choice[order], label, taken[order]).of_records(combination, combinations, counts.sizes)


def _choices(codes: Nodes, widths: list[int], sizes: Sizes, k: int, weights: Floats) -> tuple[Keys, Keys, Floats]:
    """Which combination could go to which class, and what a record costs in each class.

    Of classes that hold the same combinations the cheapest will do.
    """
    if len(widths) > _MOST_COLUMNS:
        raise _too_large()
    of_choice: list[Keys] = []
    costs: list[float] = []
    seen: set[bytes] = set()
    choices = 0
    for cost, pattern in cheapest_first(weights):
        kept = [j for j in range(len(widths)) if j not in pattern]
        group, groups = grouping.group([codes[:, j] for j in kept], [widths[j] for j in kept], len(codes))
        order = np.argsort(group, kind="stable")
        ends = np.cumsum(np.bincount(group, minlength=groups))
        for members in np.split(order, ends[:-1]):
            if sizes[members].sum() < k or (key := members.tobytes()) in seen:
                continue
            seen.add(key)
            of_choice.append(members)
            costs.append(cost)
            choices += len(members)
            if choices > _MOST_CHOICES:
                raise _too_large()
    to_choice = np.repeat(np.arange(len(costs)), [len(members) for members in of_choice])
    return np.concatenate(of_choice), to_choice, np.array(costs)


def _decided(of_choice: Keys, to_choice: Keys, costs: Floats, sizes: Sizes, k: int) -> Sizes:
    """How many records of each combination go to each of its classes."""
    choices, classes = len(of_choice), len(costs)
    number, opened = np.arange(choices), choices + np.arange(classes)
    everybody, enough, only_open = 0, len(sizes), len(sizes) + classes  # where each kind of condition begins
    conditions = Conditions(
        row=np.concatenate(
            [everybody + of_choice, enough + to_choice, enough + np.arange(classes), *[only_open + number] * 2]
        ),
        column=np.concatenate([number, number, opened, number, opened[to_choice]]),
        weight=np.concatenate([np.ones(2 * choices), np.full(classes, -k), np.ones(choices), -sizes[of_choice]]),
        low=np.concatenate([sizes, np.zeros(classes), np.full(choices, -np.inf)]),
        high=np.concatenate([sizes, np.full(classes, np.inf), np.zeros(choices)]),
    )
    found = cheapest(
        np.concatenate([costs[to_choice], np.zeros(classes)]),
        np.concatenate([sizes[of_choice], np.ones(classes)]),
        conditions,
    )
    assert found is not None, "all records in one class are a solution"
    assert found.is_best, "no limit is set"
    taken: Sizes = found.numbers[:choices].astype(np.int64)
    return taken


def _too_large() -> InfeasibleError:
    return InfeasibleError(
        "the table is too large to find the fewest blanks; leave out optimal: what is found then is told with a bound "
        "on what is possible."
    )
