"""What the experiments on DiffGen share: Adult in the UCI split with the paper's taxonomies, releases, learners.

Releases are made with `SeededCoins`: repeatable, and therefore worth nothing as privacy.
"""

from __future__ import annotations

import csv
import gzip
import statistics
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[1]))
from workbench import DATA, machine  # noqa: F401  what scripts print first

from shoal.data.attribute import settle
from shoal.data.counts import Counts
from shoal.data.domain import Categorical, Grid
from shoal.data.encoded import EncodedTable
from shoal.data.hierarchies.paths import Paths
from shoal.data.outcome import Outcome
from shoal.data.schema import Column, Role
from shoal.dp.coins.coins import SeededCoins
from shoal.dp.ledger.ledger import Ledger
from shoal.evaluate import DecisionTree, HeldOut
from shoal.evaluate.parts import part, random_parts
from shoal.kernels.grouping import narrowest
from shoal.methods.diffgen.method import DiffGen

TARGET = "income"
NUMBERS = {
    "age": (15, 94),
    "fnlwgt": (0, 1_499_999),
    "education-num": (1, 19),
    "capital-gain": (0, 99_999),
    "capital-loss": (0, 4_999),
    "hours-per-week": (1, 99),
}
"""The domains of the paper's taxonomies, whose upper ends are open."""
NINE = (
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
)
"""With the class the nine attributes on which AIM and MST were measured."""


def rows(part: str) -> tuple[list[str], list[list[str]]]:
    """The complete records of one half of the UCI split, or of both."""
    if part == "both":
        header, first = rows("train")
        return header, first + rows("test")[1]
    path = DATA / "adult" / f"adult_{part}.csv.gz"
    if not path.exists():
        sys.exit("skipped: the reference data shared/data/adult is not beside the project")
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        header, *records = csv.reader(file)
    return header, [record for record in records if "?" not in record]


def taxonomy(name: str) -> Paths:
    """A taxonomy tree of the paper."""
    file = DATA / "adult_diffgen_taxonomy" / "hierarchies" / f"{name}.csv"
    with file.open(encoding="utf-8", newline="") as lines:
        return Paths(tuple(tuple(row) for row in csv.reader(lines))[1:], name)


@cache
def adult(part: str, only: tuple[str, ...] | None = None) -> EncodedTable:
    """`train` (30,162 records), `test` (15,060) or `both`, all columns or some."""
    header, records = rows(part)
    names = [name for name in header if only is None or name in only or name == TARGET]
    attributes, codes = [], []
    for name in names:
        values = [record[header.index(name)] for record in records]
        if name in NUMBERS:
            low, high = NUMBERS[name]
            attribute = settle(Column(name, Role.QUASI_IDENTIFIER), Grid.between(low, high))
            column = np.array(values, dtype=np.int64) - low
        else:
            recipe = None if name == TARGET else taxonomy(name)
            domain = Categorical(("<=50K", ">50K")) if recipe is None else recipe.leaves()
            attribute = settle(Column(name, Role.QUASI_IDENTIFIER, hierarchy=recipe), domain)
            code = {value: number for number, value in enumerate(attribute.domain.values)}
            column = np.array([code[value] for value in values])
        attributes.append(attribute)
        codes.append(column.astype(narrowest(attribute.domain.size)))
    sizes = [attribute.domain.size for attribute in attributes]
    return EncodedTable(tuple(attributes), Counts.of(names, codes, sizes))


def release(method: DiffGen, table: EncodedTable, seed: int) -> Outcome:
    """One release with seeded coins."""
    return method.run(table, coins=SeededCoins(seed), ledger=Ledger())


def shown(values: Sequence[float]) -> str:
    """Mean and standard deviation, in per cent."""
    spread = statistics.stdev(values) if len(values) > 1 else 0.0
    return f"{100 * statistics.mean(values):6.2f} ± {100 * spread:4.2f}"


def folds(table: EncodedTable, count: int = 5, seed: int = 0) -> Iterator[HeldOut]:
    """Parts of equal size, each to be predicted from the others."""
    dealt = random_parts(table.counts.sizes, [1.0] * count, np.random.default_rng(seed))
    for fold in dealt:
        yield HeldOut(part(table, table.counts.sizes - fold), part(table, fold), TARGET, DecisionTree())


def grown(records: int, original: str = "train") -> EncodedTable:
    """Adult, and variations of its records with 3 of 10 values replaced by one of the same column (§5, Scalability)."""
    adult_ = adult(original)
    if records <= adult_.total:
        return adult_
    rng = np.random.default_rng(1)
    rows = np.repeat(np.arange(len(adult_.counts)), adult_.counts.sizes)
    chosen = np.concatenate([rows, rng.choice(rows, records - len(rows))])
    codes = []
    for column in adult_.counts.codes:
        others = rng.choice(rows, records)
        replaced = rng.random(records) < 0.3
        replaced[: len(rows)] = False
        codes.append(column[np.where(replaced, others, chosen)])
    return EncodedTable(adult_.attributes, Counts.of(adult_.counts.names, codes, adult_.counts.cardinalities))
