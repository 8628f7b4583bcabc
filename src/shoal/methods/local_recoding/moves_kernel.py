"""Better classes whose cells are nodes of hierarchies: dissolve dear ones, move records, divide two classes anew."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import Floats, Keys, Nodes, Sizes
from shoal.kernels.cell_prices import Prices, joined, node_price
from shoal.kernels.heads import Pairs, running_heads
from shoal.kernels.jit import compiled
from shoal.methods.local_recoding.dividing_kernel import MOST_UNITS, Search, divided, room_to_search
from shoal.methods.local_recoding.joins_kernel import Joins
from shoal.methods.local_recoding.shelves_kernel import Shelves, empty_shelves, put

_LITTLE = 1e-9
"""Gains below this are rounding errors."""


@compiled
def _closure(prices: Prices, leaves: Nodes, following: Keys, unit: int, skipped: int, nodes: Nodes) -> float:
    """The lowest nodes over the units of a list but one, into `nodes`; returns what a record under them costs."""
    is_first = True
    while unit >= 0:
        if unit != skipped:
            for j in range(len(nodes)):
                nodes[j] = leaves[unit, j] if is_first else joined(prices, j, nodes[j], leaves[unit, j])
            is_first = False
        unit = following[unit]
    cost = 0.0
    for j in range(len(nodes)):
        cost += node_price(prices, j, nodes[j])
    return cost


class Units(NamedTuple):
    """What is moved: single records, or where persons are counted all that are equal, together.

    Attributes:
        leaves: `leaves[unit, column]`.
        weight: How many records a unit is.
        record: Its number in the table.
        pairs: Who has which records, if persons are counted; else units are counted.
    """

    leaves: Nodes
    weight: Sizes
    record: Keys
    pairs: Pairs


class Classes(NamedTuple):
    """Classes of units, as lists.

    Attributes:
        label: The class of each unit.
        head: The first unit of each class, −1 if it has none.
        following: The next unit of the same class.
        units: How many units a class has.
        size: How many records.
        heads: How many persons, if they are counted; else units.
        cost: What a record of it costs.
        nodes: `nodes[class, column]`: the lowest nodes over its units.
        marks: Room for each person, 0 in between.
        shelves: Which of them have some nodes in common.
    """

    label: Keys
    head: Keys
    following: Keys
    units: Sizes
    size: Sizes
    heads: Sizes
    cost: Floats
    nodes: Nodes
    marks: Keys
    shelves: Shelves


@compiled
def _alone(units: Units, made: Classes, unit: int, c: int, skipped: int) -> int:
    """How many persons of a unit have no other unit of a class, one of which is not looked at: 1 if units count."""
    if len(units.pairs.starts) == 0:
        return 1
    pairs, marks = units.pairs, made.marks
    first, end = pairs.starts[units.record[unit]], pairs.starts[units.record[unit] + 1]
    alone = end - first
    for pair in range(first, end):
        marks[pairs.person[pair]] = 1
    other = made.head[c]
    while other >= 0 and alone > 0:
        if other not in (unit, skipped):
            for pair in range(pairs.starts[units.record[other]], pairs.starts[units.record[other] + 1]):
                if marks[pairs.person[pair]] == 1:
                    marks[pairs.person[pair]] = 0
                    alone -= 1
        other = made.following[other]
    for pair in range(first, end):
        marks[pairs.person[pair]] = 0
    return int(alone)


@compiled
def _best_class(  # noqa: PLR0917  compiled functions take positions
    prices: Prices,
    joins: Joins,
    leaf: Nodes,
    weight: int,
    made: Classes,
    but: int,
    guess: int,
    limit: float,
    least: int,
    row: Keys,
    low: Floats,
) -> tuple[int, float]:
    """The class that becomes dearer by least when a unit joins it, and by how much; −1 if by `limit` or more.

    Of equals the first. No class has fewer than `least` records. A good guess, if it is not negative, makes short work
    of the others. `row` is room for each column, `low` for each level of shelves.
    """
    d, shelves, best, chosen = len(leaf), made.shelves, limit, -1
    for j in range(d):
        row[j] = joins.start[j] + leaf[j] * joins.nodes[j] if joins.start[j] >= 0 else -1
    here, level, last = 0, 0, len(shelves.columns)
    low[0] = 0.0  # by how much a class on a shelf becomes dearer at least
    c, is_guess = guess, guess >= 0
    while here >= 0 or c >= 0:
        if c < 0:
            if level > 0:
                together = joins.price[row[shelves.columns[level - 1]] + shelves.node[here]]
                low[level] = low[level - 1] + least * (together - shelves.price[here]) + weight * together
            if low[level] <= best + _LITTLE:
                if level < last:
                    here = shelves.below[here]
                    level += 1
                    continue
                c = shelves.below[here]
            while level > 0 and shelves.following[here] < 0:
                here = shelves.above[here]
                level -= 1
            here = shelves.following[here] if level > 0 else -1
            continue
        if made.size[c] > 0 and c != but:
            before, price = made.size[c] * made.cost[c], 0.0
            most = (best + _LITTLE + before) / (made.size[c] + weight)
            for j in range(d):
                if row[j] >= 0:
                    price += joins.price[row[j] + made.nodes[c, j]]
                else:
                    price += node_price(prices, j, joined(prices, j, made.nodes[c, j], leaf[j]))
                if price > most:
                    break
            more = (made.size[c] + weight) * price - before
            if more < best or (more == best and c < chosen):
                best, chosen = more, c
        c = -1 if is_guess else shelves.next_class[c]
        is_guess = False
    return chosen, best


@compiled
def _best_donor(  # noqa: PLR0917  compiled functions take positions
    prices: Prices,
    joins: Joins,
    nodes: Nodes,
    table: Floats,
    units: Units,
    donors: Keys,
    made: Classes,
    k: int,
    out: Keys,
    most: float,
) -> int:
    """The unit that can be spared elsewhere with which a class is cheapest after it lost another; −1 if there is none.

    `out` is the unit that is lost, the class it leaves and the one it goes to; `nodes` are those without it. No record
    of the class may then cost `most` or more, weighed with how many they become.
    """
    leaving, a, home = out[0], out[1], out[2]
    for j in range(len(nodes)):
        if joins.start[j] >= 0:
            for leaf in range(prices.leaves[j]):
                table[prices.offset[j] + leaf] = joins.price[joins.start[j] + leaf * joins.nodes[j] + nodes[j]]
        else:
            for unit in donors:
                leaf = units.leaves[unit, j]
                table[prices.offset[j] + leaf] = node_price(prices, j, joined(prices, j, nodes[j], leaf))
    by_persons = len(units.pairs.starts) > 0
    kept = made.heads[a] - _alone(units, made, leaving, a, -1)
    chosen = -1
    for unit in donors:
        giver = made.label[unit]
        if (not by_persons and made.heads[giver] <= k) or giver in (a, home):
            continue
        share = (made.size[a] - units.weight[leaving] + units.weight[unit]) / made.size[a]
        here = 0.0
        for j in range(len(nodes)):
            here += table[prices.offset[j] + units.leaves[unit, j]]
            if here * share >= most:
                break
        if here * share < most:
            if by_persons and (
                made.heads[giver] - _alone(units, made, unit, giver, -1) < k
                or kept + _alone(units, made, unit, a, leaving) < k
            ):
                continue
            most, chosen = here * share, unit
    return chosen


@compiled
def _move(units: Units, made: Classes, unit: int, target: int) -> None:
    """Take a unit out of its class and put it into another."""
    source = made.label[unit]
    lost, won = _alone(units, made, unit, source, -1), _alone(units, made, unit, target, -1)
    if made.head[source] == unit:
        made.head[source] = made.following[unit]
    else:
        before = made.head[source]
        while made.following[before] != unit:
            before = made.following[before]
        made.following[before] = made.following[unit]
    made.following[unit], made.head[target], made.label[unit] = made.head[target], unit, target
    made.units[source] -= 1
    made.units[target] += 1
    made.size[source] -= units.weight[unit]
    made.size[target] += units.weight[unit]
    made.heads[source] -= lost
    made.heads[target] += won


@compiled
def _priced(prices: Prices, units: Units, made: Classes, c: int) -> None:
    """Find the nodes of a class, and what it costs."""
    made.cost[c] = _closure(prices, units.leaves, made.following, made.head[c], -1, made.nodes[c])
    put(made.shelves, prices, c, made.nodes[c])


@compiled
def _is_dissolved(prices: Prices, units: Units, made: Classes, a: int, members: Keys, target: Keys) -> bool:
    """Move every unit of a class to its target if that costs less: several may go to one class and cost more there."""
    count = len(members)
    before, after = made.size[a] * made.cost[a], 0.0
    for i in range(count):
        is_new = True
        for other in range(i):
            is_new &= target[other] != target[i]
        if is_new:
            before += made.size[target[i]] * made.cost[target[i]]
    for i in range(count):
        _move(units, made, members[i], target[i])
    for i in range(count):
        home, is_new = target[i], True
        _priced(prices, units, made, home)
        for other in range(i):
            is_new &= target[other] != home
        if is_new:
            after += made.size[home] * made.cost[home]
    if after < before - _LITTLE:
        made.cost[a] = 0.0
        return True
    for i in range(count - 1, -1, -1):
        _move(units, made, members[i], a)
    for i in range(count):
        _priced(prices, units, made, target[i])
    return False


@compiled
def _divide(prices: Prices, joins: Joins, units: Units, made: Classes, a: int, b: int, k: int, search: Search) -> bool:
    """Divide the units of two classes anew, or let one have all of them, if that costs less."""
    many = 0
    for c in (a, b):
        unit = made.head[c]
        while unit >= 0:
            search.unit[many] = unit
            many += 1
            unit = made.following[unit]
    most = made.size[a] * made.cost[a] + made.size[b] * made.cost[b] - _LITTLE
    if not divided(prices, joins, units.leaves, many, k, most, search):
        return False
    for i in range(many):
        target = b if search.best[i] == 1 else a
        if made.label[search.unit[i]] != target:
            _move(units, made, search.unit[i], target)
    for c in (a, b):
        made.cost[c] = 0.0
        if made.units[c] > 0:
            _priced(prices, units, made, c)
    return True


@compiled
def class_moves(units: Units, label: Keys, classes: int, k: int, prices: Prices, joins: Joins, passes: int) -> Keys:
    """Better classes of the same units, each of at least k of them, or of k persons, if it was so before.

    Classes are visited from the one that loses most. A class is dissolved if its units cost less elsewhere; otherwise
    each of its units goes where it costs less, if the class can spare it or gets a unit that fits better from a class
    that can. Then the class and each one that was best for a unit of it are divided anew, unless persons are counted:
    those of two halves are not the sum of those of their units. Every step lowers the loss.

    Args:
        units: What is moved.
        label: The class of each unit, 0…classes−1.
        classes: How many classes there are.
        k: The least size.
        prices: What nodes cost.
        joins: What they cost together with leaves.
        passes: How often all classes are visited at most.
    """
    count_of_units, d = units.leaves.shape
    made = Classes(
        label.copy(),
        np.full(classes, -1, dtype=np.int64),
        np.empty(count_of_units, dtype=np.int64),
        np.zeros(classes, dtype=np.int64),
        np.zeros(classes, dtype=np.int64),
        np.zeros(classes, dtype=np.int64),
        np.zeros(classes, dtype=np.float64),
        np.zeros((classes, d), dtype=np.int32),
        np.zeros(units.pairs.people, dtype=np.int64),
        empty_shelves(units.leaves, classes, prices, joins),
    )
    for unit in range(count_of_units):
        home = made.label[unit]
        made.heads[home] += _alone(units, made, unit, home, -1)
        made.following[unit], made.head[home] = made.head[home], unit
        made.units[home] += 1
        made.size[home] += units.weight[unit]
    least = k  # no class becomes smaller than it was and than k, but for those that are dissolved
    for c in range(classes):
        _priced(prices, units, made, c)
        least = min(least, made.size[c])
    table, without = np.empty(len(prices.parent), dtype=np.float64), np.empty(d, dtype=np.int32)
    members, target = np.empty(count_of_units, dtype=np.int64), np.empty(count_of_units, dtype=np.int64)
    out, dearer = np.empty(3, dtype=np.int64), np.empty(count_of_units, dtype=np.float64)
    spare, search = np.empty(count_of_units, dtype=np.bool_), room_to_search(d)
    row, low = np.empty(d, dtype=np.int64), np.empty(d + 1, dtype=np.float64)
    by_persons = len(units.pairs.starts) > 0
    for _ in range(passes):
        improved = False
        for unit in range(count_of_units):
            c = made.label[unit]
            spare[unit] = made.heads[c] - _alone(units, made, unit, c, -1) >= k
        donors = np.flatnonzero(spare)
        for a in np.argsort(-made.size * made.cost):
            if made.units[a] == 0 or made.cost[a] <= 0:
                continue
            count, unit = 0, made.head[a]
            while unit >= 0:
                members[count] = unit
                count += 1
                unit = made.following[unit]
            # Dissolve: every member to where it costs least, if that is less than they cost here.
            spent, budget, homes, home = 0.0, made.size[a] * made.cost[a] - _LITTLE, 0, -1
            while homes < count and (spent < budget or not by_persons):  # to divide classes, all are asked for
                unit = members[homes]
                limit = budget - spent if by_persons else budget
                home, dearer[homes] = _best_class(
                    prices, joins, units.leaves[unit], units.weight[unit], made, a, home, limit, least, row, low
                )
                target[homes] = home
                spent += dearer[homes]
                homes += 1
            if spent < budget and _is_dissolved(prices, units, made, a, members[:count], target):
                improved = True
                continue
            is_moved = False
            for i in range(count):
                unit = members[i]
                if made.units[a] < 2:
                    continue
                here = _closure(prices, units.leaves, made.following, made.head[a], unit, without)
                weight = units.weight[unit]
                is_short = made.heads[a] - _alone(units, made, unit, a, -1) < k
                gain = made.size[a] * made.cost[a] - (made.size[a] if is_short else made.size[a] - weight) * here
                if gain <= _LITTLE:
                    continue
                if is_moved or i >= homes or (by_persons and target[i] < 0):  # not as it was then, or not asked
                    home, more = _best_class(
                        prices, joins, units.leaves[unit], weight, made, a, home, gain - _LITTLE, least, row, low
                    )
                else:
                    home, more = target[i], dearer[i]
                if home < 0 or more >= gain - _LITTLE:
                    continue
                donor = -1
                if is_short:
                    out[0], out[1], out[2] = unit, a, home
                    most = here + (gain - more - _LITTLE) / made.size[a]
                    donor = _best_donor(prices, joins, without, table, units, donors, made, k, out, most)
                    if donor < 0:
                        continue
                _move(units, made, unit, home)
                if donor >= 0:
                    giver = made.label[donor]
                    _move(units, made, donor, a)
                    _priced(prices, units, made, giver)
                _priced(prices, units, made, a)
                _priced(prices, units, made, home)
                improved = is_moved = True
            if by_persons:
                continue
            for i in range(count):
                home = target[i]
                is_new = home >= 0 and made.units[home] > 0 and made.units[a] > 0
                for other in range(i):
                    is_new &= target[other] != home
                if is_new and made.units[a] + made.units[home] <= MOST_UNITS:
                    improved |= _divide(prices, joins, units, made, a, home, k, search)
        if not improved:
            break
    return made.label


@compiled
def person_pieces(row: Keys, label: Keys, pairs: Pairs, k: int) -> tuple[Keys, int]:
    """Divide classes into runs of k persons or more, as short as can be, and say how many there are.

    Args:
        row: The records, class by class, each in the order in which it is divided.
        label: Their classes.
        pairs: Who has which records.
        k: How many persons a run has at least.
    """
    places = len(row)
    piece, order, right = np.empty(places, dtype=np.int64), np.arange(places), np.empty(places, dtype=np.int64)
    marks, stamp = np.zeros((pairs.people, 1), dtype=np.int64), 0
    pieces, start = -1, 0
    while start < places:
        stop = start + 1
        while stop < places and label[stop] == label[start]:
            stop += 1
        stamp += 1
        running_heads(row, order[start:stop][::-1], pairs, marks, stamp, right)
        stamp, pieces, people = stamp + 1, pieces + 1, 0
        for i in range(start, stop):
            for pair in range(pairs.starts[row[i]], pairs.starts[row[i] + 1]):
                if marks[pairs.person[pair], 0] != stamp:
                    marks[pairs.person[pair], 0] = stamp
                    people += 1
            piece[i] = pieces
            if people >= k and i + 1 < stop and right[stop - i - 2] >= k:
                stamp, pieces, people = stamp + 1, pieces + 1, 0
        start = stop
    return piece, pieces + 1
