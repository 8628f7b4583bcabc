"""What settings of `marginals` are worth: the expected error of all queries of `queries.py`, by seeds for tuning.

In place of 500 random queries all that could be drawn: every set of one to three columns, the values of every record;
of ranges, which are too many, the same two hundred for each set. So settings are compared by the same questions. A
setting is a number in a module of the method, such as `budget._RECORDS_A_BOX=8` or `budget.SIZE_SHARE=1/100`. With
`learn`, accuracy and AUC of boosting follow. Looks at the original without noise: for research only.

Seeds 1000 to 1059 are for tuning; what `queries.py` reports is of others.
Usage: settings.py [first:last of seeds] [table ...] [epsilon=1,0.1] [module.NAME=number ...] [learn]
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import cache
from importlib import import_module
from itertools import combinations
from unittest.mock import patch

import numpy as np
from queries import TABLES, rows_of, tables, taught

import shoal
from shoal.data.counts import Counts
from shoal.data.encoded import EncodedTable
from shoal.dp.coins.coins import SeededCoins
from shoal.dp.ledger.ledger import Ledger

SANITY = 0.001
"""The share of records that the denominator of an error has at least, as in `query_errors`."""
RANGES = 200


def main() -> None:
    """A line for each table and ε."""
    said = sys.argv[1:]
    seeds = range(1000, 1010)
    if said and ":" in said[0]:
        seeds = range(*(int(part) for part in said.pop(0).split(":")))
    epsilons = [1.0, 0.1]
    learn = "learn" in said
    names = [word for word in said if word in TABLES] or ["adult-9", "adult-14", "nursery", "fars"]
    with ExitStack() as changed:
        for word in said:
            setting, _, number = word.partition("=")
            if setting == "epsilon":
                epsilons = [float(part) for part in number.split(",")]
            elif number:
                module, _, constant = setting.rpartition(".")
                where = import_module(f"shoal.methods.marginals.{module}")
                changed.enter_context(patch.object(where, constant, type(getattr(where, constant))(number)))
        for name in names:
            for epsilon in epsilons:
                print(f"{name:<10} {epsilon:>5}  {line(name, epsilon, seeds, learn)}", flush=True)


def line(name: str, epsilon: float, seeds: Sequence[int], learn: bool) -> str:
    """Means of all releases, and of the query error the standard error of the mean; then by one, two, three columns."""
    train, test = tables(name)
    errors, learned = [], []
    for seed in seeds:
        method = shoal.Marginals(epsilon=epsilon, target=TABLES[name].target)
        outcome = method.run(train, coins=SeededCoins(seed), ledger=Ledger())
        errors.append(expected_errors(name, outcome.published))
        if learn:
            learned.append(taught(rows_of(outcome.published), test, TABLES[name].target))
    means = np.mean(errors, axis=1)
    shown = f"{means.mean():.4f} ± {means.std() / np.sqrt(len(means)):.4f}"
    by_number = " ".join(f"{mean:.3f}" for mean in np.mean(errors, axis=0))
    found = np.mean(learned, axis=0) if learn else ()
    return " ".join([shown, f"({by_number})", *(f"{mean:.2f}" for mean in found)])


def expected_errors(name: str, published: Counts) -> list[float]:
    """The expected relative error of a query about one, two and three columns."""
    found = []
    for number in (1, 2, 3):
        errors = [
            error(answers, truth, ranges)
            for answers, (truth, ranges) in zip(
                contingencies(tables(name)[0], published, number), truths(name, number), strict=True
            )
        ]
        found.append(float(np.mean(errors)))
    return found


def error(answers: np.ndarray, truth: np.ndarray, ranges: tuple[np.ndarray, ...]) -> float:
    """Half of the queries are about the values of a record, half about ranges where columns have an order."""
    total = truth.sum()
    answers = answers * (total / max(answers.sum(), 1.0))
    points = np.abs(answers - truth) / np.maximum(truth, SANITY * total)
    at_points = float((truth * points).sum() / total)
    if not ranges:
        return at_points
    asked, right = (within(table, ranges) for table in (answers, truth))
    likely = truth.sum(axis=tuple(range(len(ranges)))).ravel() / total
    off = np.abs(asked - right) / np.maximum(right, SANITY * total)
    return (at_points + float((likely * off).sum(axis=-1).mean())) / 2


def within(table: np.ndarray, ranges: tuple[np.ndarray, ...]) -> np.ndarray:
    """What a table, its ordered axes first, has in each range of these, for each cell of the others."""
    sums = table.reshape(*table.shape[: len(ranges)], -1)
    for axis in range(len(ranges)):
        sums = np.concatenate([np.zeros_like(sums.take([0], axis)), np.cumsum(sums, axis=axis)], axis=axis)
    found = 0.0
    for corner in range(1 << len(ranges)):
        ends = [corner >> axis & 1 for axis in range(len(ranges))]
        at = tuple(one[:, end] for one, end in zip(ranges, ends, strict=True))
        found = found + (-1) ** (len(ends) - sum(ends)) * sums[at]
    return np.asarray(found)


def contingencies(table: EncodedTable, counts: Counts, number: int) -> Iterator[np.ndarray]:
    """The table of every set of so many columns, those with an order first."""
    names = sorted(table.counts.names, key=lambda name: not table[name].domain.ordered)
    codes = {name: counts.column(name).astype(np.int64) for name in names}
    for columns in combinations(names, number):
        shape = [table[name].domain.size for name in columns]
        cells = np.ravel_multi_index([codes[name] for name in columns], shape)
        yield np.bincount(cells, weights=counts.sizes, minlength=int(np.prod(shape))).reshape(shape)


@cache
def truths(name: str, number: int) -> list[tuple[np.ndarray, tuple[np.ndarray, ...]]]:
    """The table of every set of so many columns, and ranges of those with an order: first value, one past the last."""
    rng = np.random.default_rng(0)
    train, _ = tables(name)
    ordered = [one for one in train.counts.names if train[one].domain.ordered]
    names = sorted(train.counts.names, key=lambda one: one not in ordered)
    drawn = []
    for columns in combinations(names, number):
        ends = [
            np.sort(rng.integers(0, train[one].domain.size, (RANGES, 2)), axis=1) for one in columns if one in ordered
        ]
        drawn.append(tuple(end + np.array([0, 1]) for end in ends))
    return list(zip(contingencies(train, train.counts, number), drawn, strict=True))


if __name__ == "__main__":
    main()
