"""What overlapping sets disclose: an attacker who knows the quasi-identifiers of all people solves for their values.

A published record of NSVDist is the closure of k people and the distribution of their sensitive values. Whoever knows
everybody's quasi-identifiers sees which people a closure covers. If they are exactly k, the counts of their values are
known; if they are m > k, each count is known up to m − k. All records together are a system of linear inequalities in
whole numbers, and it decides which values each person can still have. What is found is a lower bound: the attacker uses
neither the way the sets were chosen nor other knowledge (theory NS-1, NS-2).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.arrays import Keys, Mask, Nodes, Sizes
from shoal.data.encoded import EncodedTable
from shoal.data.outcome import Outcome
from shoal.data.shown import Distributions, Shown, Spans, TreeNodes
from shoal.errors import ParameterError
from shoal.search.integer_program import Conditions, cheapest

_MOST_UNKNOWNS = 4_000
"""A system of so many unknown numbers is solved as a whole; of a larger one, some people with the sets around them."""
_MOST_SETS = 200
"""So many sets around one person are used; leaving some out makes the bound lower, never wrong."""
_MOST_NODES = 100
"""After so many branches a solver gives up; then what it did not exclude counts as possible."""


@dataclass(frozen=True, slots=True)
class Overlap:
    """What an attacker who knows all quasi-identifiers learns for certain about one sensitive column, at the least.

    Attributes:
        column: The sensitive column.
        people: How many people there are.
        examined: About how many of them the question was asked.
        disclosed: How many of those have only one value left.
        possible: How many values are left to a person examined, on average.
        exact_sets: The share of published records whose closure covers exactly as many people as its distribution.
        is_whole: Whether all people and all published records took part.
    """

    column: str
    people: int
    examined: int
    disclosed: int
    possible: float
    exact_sets: float
    is_whole: bool

    @property
    def share(self) -> float:
        """The share of people examined whose value is certain."""
        return self.disclosed / max(self.examined, 1)

    def __str__(self) -> str:
        whom = f"all {self.people:,} people" if self.is_whole else f"{self.examined:,} of {self.people:,} people"
        return (
            f"audit of {whom}: whoever knows everybody's quasi-identifiers can tell {self.column!r} for certain of "
            f"{self.disclosed:,} ({self.share:.1%}), at the least; {self.possible:.2f} values are left to a person on "
            f"average; {self.exact_sets:.0%} of the records show exactly who they are made of"
        )


@dataclass(frozen=True, eq=False)
class Sets:
    """Sets of people, with bounds on how many of each set carry each value.

    Attributes:
        size: How many people each one of ours stands for: those with the same quasi-identifiers.
        starts: The people of set j are `member[starts[j] : starts[j + 1]]`.
        member: See there.
        least: `least[set, value]`.
        most: `most[set, value]`.
    """

    size: Sizes
    starts: Keys
    member: Keys
    least: Sizes
    most: Sizes


def audit_overlap(outcome: Outcome, *, people: int = 50) -> tuple[Overlap, ...]:
    """Solve the overlaps of a release whose sensitive columns are published as distributions, column by column.

    Args:
        outcome: What NSVDist decided, as published: each distribution is that of the people its closure was made of.
        people: How many people are examined where the whole system is too large to be solved; evenly spread.
    """
    table = outcome.table
    columns = [a.name for a in table.sensitive if isinstance(outcome.shown.get(a.name), Distributions)]
    if not columns:
        raise ParameterError(
            "the overlap audit needs a release whose sensitive columns are published as distributions; this one has "
            "none."
        )
    quasi = [attribute.name for attribute in table.quasi_identifiers]
    everybody = table.counts.project(quasi)
    records = np.stack([column.astype(np.int32) for column in everybody.codes])
    low, high = boxes(outcome)
    return tuple(
        _audited(table, name, everybody.sizes, records, (low, high), _counts(outcome, name), people) for name in columns
    )


def boxes(outcome: Outcome) -> tuple[Nodes, Nodes]:
    """The first and the last leaf of each published record in each quasi-identifier."""
    lows, highs = [], []
    for attribute in outcome.table.quasi_identifiers:
        codes = outcome.published.column(attribute.name)
        first, last = _range(attribute.hierarchy.first, attribute.hierarchy.leaf_count, outcome.shown[attribute.name])
        lows.append(first[codes].astype(np.int32))
        highs.append(last[codes].astype(np.int32))
    return np.stack(lows), np.stack(highs)


def _range(first: Nodes, count: Nodes, shown: Shown) -> tuple[Nodes, Nodes]:
    match shown:
        case TreeNodes():
            return first[shown.nodes], first[shown.nodes] + count[shown.nodes] - 1
        case Spans():
            return shown.first.astype(np.int32), shown.last.astype(np.int32)
        case _:
            raise ParameterError("the overlap audit needs quasi-identifiers published as nodes or ranges.")


def _counts(outcome: Outcome, name: str) -> Sizes:
    shown = outcome.shown[name]
    assert isinstance(shown, Distributions)
    return shown.shares[outcome.published.column(name)]


def _audited(
    table: EncodedTable,
    name: str,
    size: Sizes,
    records: Nodes,
    box: tuple[Nodes, Nodes],
    counts: Sizes,
    people: int,
) -> Overlap:
    occurring = np.flatnonzero(counts.any(axis=0))
    counts = counts[:, occurring]
    wholes = counts.sum(axis=1)
    truth = _truth(table, name, len(size))[:, occurring]
    unknowns = len(size) * len(occurring)
    is_whole = unknowns <= _MOST_UNKNOWNS
    if is_whole:
        found, exact_sets = _sets(size, records, box, counts, np.arange(len(wholes)))
        possible = still_possible(found, np.arange(len(size)), truth)
        examined = size
        values = possible.sum(axis=1)
    else:
        chosen = np.unique(np.linspace(0, len(size) - 1, people).astype(np.int64))
        values, shares = np.empty(len(chosen), dtype=np.int64), np.empty(len(chosen))
        for i, person in enumerate(chosen.tolist()):
            values[i], shares[i] = _around(person, size, records, box, counts, truth)
        examined, exact_sets = size[chosen], float(shares.mean())
    return Overlap(
        column=name,
        people=table.total,
        examined=int(examined.sum()),
        disclosed=int(examined[values == 1].sum()),
        possible=float((values * examined).sum() / examined.sum()),
        exact_sets=exact_sets,
        is_whole=is_whole,
    )


def _truth(table: EncodedTable, name: str, people: int) -> Mask:
    """Which values the people with each combination of quasi-identifiers have."""
    label, _ = table.counts.group([attribute.name for attribute in table.quasi_identifiers])
    truth = np.zeros((people, table[name].domain.size), dtype=np.bool_)
    truth[label, table.counts.column(name)] = True
    return truth


def _around(
    person: int, size: Sizes, records: Nodes, box: tuple[Nodes, Nodes], counts: Sizes, truth: Mask
) -> tuple[int, float]:
    """How many values one person can have by the sets around them, and the share of those that are exact."""
    from shoal.audit.boxes_kernel import around

    near = np.flatnonzero(around(records[:, person], *box))[:_MOST_SETS]
    found, exact = _sets(size, records, box, counts, near)
    here = np.unique(found.member)
    place = np.zeros(len(size), dtype=np.int64)
    place[here] = np.arange(len(here))
    local = Sets(size[here], found.starts, place[found.member], found.least, found.most)
    possible = still_possible(local, place[np.array([person])], truth[here])
    return int(possible.sum()), exact


def _sets(size: Sizes, records: Nodes, box: tuple[Nodes, Nodes], counts: Sizes, which: Keys) -> tuple[Sets, float]:
    """The people in some boxes, what is known of their values, and the share of boxes with no one else in them."""
    from shoal.audit.boxes_kernel import inside

    members = [np.flatnonzero(inside(records, box[0][:, j], box[1][:, j])) for j in which.tolist()]
    starts = np.concatenate([[0], np.cumsum([len(some) for some in members])])
    covered = np.array([int(size[some].sum()) for some in members])
    counts = counts[which]
    spare = covered - counts.sum(axis=1)
    assert (spare >= 0).all(), "a closure covers at least the records it was made of"
    found = Sets(size, starts, np.concatenate(members), counts, counts + spare[:, None])
    return found, float((spare == 0).mean())


def still_possible(sets: Sets, asked: Keys, known: Mask | None = None) -> Mask:
    """`[asked person, value]`: whether some world in keeping with all sets gives the person the value.

    One program asks for as many as can be of the combinations not yet seen; those its solution shows are possible. It
    is asked again until the answer is none: then no world has any of the others. What is `known` to be possible, such
    as the truth, need not be asked for; the answer is the same, only sooner.
    """
    people, values = len(sets.size), sets.least.shape[1]
    conditions, most = _conditions(sets, values), np.repeat(sets.size, values).astype(float)
    seen = np.zeros((people, values), dtype=np.bool_) if known is None else known.copy()
    wanted = np.zeros((people, values), dtype=np.bool_)
    wanted[asked] = True
    while (wanted & ~seen).any():
        asked_for = -(wanted & ~seen).ravel().astype(float)
        solved = cheapest(asked_for, most, conditions, most_nodes=_MOST_NODES)
        if solved is None or (not solved.is_best and -(asked_for @ solved.numbers) < 0.5):
            seen |= wanted  # the solver gave up: nothing more is excluded
            break
        new = solved.numbers.reshape(people, values) > 0.5
        if not (new & wanted & ~seen).any():
            break
        seen |= new
    return seen[asked]


def _conditions(sets: Sets, values: int) -> Conditions:
    """What is known of how many people of each kind carry each value.

    One sum for each set and value: who carries it; and one for each kind of people: everybody carries one value.
    """
    people, number = len(sets.size), len(sets.starts) - 1
    of_set = np.repeat(np.arange(number), np.diff(sets.starts))
    in_sets = (of_set[:, None] * values + np.arange(values)).ravel()
    unknown = (sets.member[:, None] * values + np.arange(values)).ravel()
    row = np.concatenate([in_sets, number * values + np.repeat(np.arange(people), values)])
    return Conditions(
        row=row,
        column=np.concatenate([unknown, np.arange(people * values)]),
        weight=np.ones(len(row)),
        low=np.concatenate([sets.least.ravel(), sets.size]).astype(float),
        high=np.concatenate([sets.most.ravel(), sets.size]).astype(float),
    )
