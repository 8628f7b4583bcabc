"""Counts, boosting and ranking: `marginals` beside class marginals, the simplest thing that works.

For each table and ε: the mean relative error of 500 random count queries about one to three columns
(`shoal.evaluate.Workload`, other ones for each release), and the accuracy and AUC, in per cent, of boosting trained on
the release and tested on records held out. Both methods get the same columns, wide numbers in the same public bins;
`raw` tables have every value of the domain, of which only `marginals` can find bins of its own. Class marginals: every
column by class with Laplace noise of scale (d − 1)/ε, negative counts 0, records drawn class by class.

Settings of `marginals` were found on Adult (nine and fourteen columns), with the same test records: its lines are not
held out. The other tables decided no setting of it; Nursery decided the penalty of the learner.
AIM as a referee: `aim.py`. Usage: queries.py [releases, or first:last of seeds] [table ...], or queries.py variants
"""

from __future__ import annotations

import csv
import gzip
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import roc_auc_score
from threadpoolctl import threadpool_limits

sys.path.append(str(Path(__file__).resolve().parents[1]))
from workbench import DATA

import shoal
from shoal.data.attribute import settle
from shoal.data.counts import Counts
from shoal.data.domain import Categorical, Grid
from shoal.data.encoded import EncodedTable
from shoal.data.outcome import Outcome
from shoal.data.schema import Column, Role
from shoal.dp.coins.coins import SeededCoins
from shoal.dp.ledger.ledger import Ledger
from shoal.evaluate.queries import Workload, query_errors
from shoal.kernels.grouping import narrowest

NINE = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation", "income")
AGES = tuple(range(20, 95, 5))
ADULT_BINS = {
    "age": AGES,
    "fnlwgt": tuple(range(50_000, 450_000, 25_000)),
    "capital-gain": (1, 3_000, 5_000, 7_000, 10_000, 15_000, 20_000),
    "capital-loss": (1, 1_500, 1_750, 2_000, 2_250),
    "hours-per-week": (10, 20, 30, 35, 40, 41, 45, 50, 60, 70),
}
CENSUS_BINS = {"age": AGES, "weeks_worked": (1, 13, 26, 40, 52)}
ADULT_NUMBERS = {
    "age": (15, 94),
    "fnlwgt": (0, 1_499_999),
    "education-num": (1, 19),
    "capital-gain": (0, 99_999),
    "capital-loss": (0, 4_999),
    "hours-per-week": (1, 99),
}
CENSUS = (
    "age",
    "class_of_worker",
    "education",
    "marital_status",
    "major_industry",
    "major_occupation",
    "race",
    "sex",
    "employment_status",
    "tax_filer_status",
    "household_summary",
    "num_employer_persons",
    "citizenship",
    "weeks_worked",
)


@dataclass(frozen=True)
class Table:
    """Where a table is, and what is public about it."""

    file: str
    target: str
    columns: tuple[str, ...] | None = None
    numbers: dict[str, tuple[int, int]] | None = None
    bins: dict[str, tuple[int, ...]] | None = None
    test_file: str | None = None


TABLES = {
    "adult-9": Table(
        "adult/adult_train",
        "income",
        NINE,
        {"age": (15, 94)},
        {"age": AGES},
        test_file="adult/adult_test",
    ),
    "adult-14": Table("adult/adult_train", "income", None, ADULT_NUMBERS, ADULT_BINS, test_file="adult/adult_test"),
    "adult-9 raw": Table("adult/adult_train", "income", NINE, {"age": (15, 94)}, test_file="adult/adult_test"),
    "adult-14 raw": Table("adult/adult_train", "income", None, ADULT_NUMBERS, test_file="adult/adult_test"),
    "nursery": Table("nursery/nursery", "class"),
    "fars": Table("fars/fars", "iinjury", None, None),
    "cmc": Table(
        "cmc/cmc", "contraceptive_method", None, {"wife_age": (16, 49), "num_children": (0, 16)}, {"wife_age": AGES[:6]}
    ),
    "mammographic": Table("mammographic_mass/mammographic_mass", "severity", None, {"age": (18, 96)}, {"age": AGES}),
    "census": Table(
        "census_income_kdd/census_income_kdd", "income", CENSUS, {"age": (0, 90), "weeks_worked": (0, 52)}, CENSUS_BINS
    ),
}

VARIANTS = range(7000, 7010)
"""Seeds that decided no setting."""


def main() -> None:
    """What is asked for."""
    if sys.argv[1:2] == ["export"]:
        export(Path(sys.argv[2]), sys.argv[3:])
    elif sys.argv[1:2] == ["referee"]:
        referee(Path(sys.argv[2]))
    elif sys.argv[1:2] == ["variants"]:
        variants()
    else:
        rivals()


def rivals() -> None:
    """A line for each table and ε."""
    said = sys.argv[1] if len(sys.argv) > 1 else "5"
    seeds = range(*(int(part) for part in said.split(":")))
    asked = sys.argv[2:] or list(TABLES)
    print(f"{'table':<14} {'epsilon':>7}  {'marginals':>22} {'s':>5}  {'class marginals':>22}  {'originals':>12}")
    for name in asked:
        train, test = tables(name)
        target = TABLES[name].target
        queries = {seed: Workload(seed=seed).on(train) for seed in seeds}
        told = taught(rows_of(train.counts), test, target)
        for epsilon in (1.0, 0.1):
            ours, peers, seconds = [], [], []
            for seed in seeds:
                start = time.perf_counter()
                outcome = shoal.Marginals(epsilon=epsilon, target=target).run(
                    train, coins=SeededCoins(seed), ledger=Ledger()
                )
                seconds.append(time.perf_counter() - start)
                ours.append(measured(outcome, queries[seed], test, target))
                if "raw" not in name:
                    peers.append(measured(class_marginals(train, target, epsilon, seed), queries[seed], test, target))
            print(
                f"{name:<14} {epsilon:>7}  {shown(ours):>22} {np.mean(seconds):5.1f}  {shown(peers):>22}  "
                f"{told[0]:5.1f}/{told[1]:5.1f}",
                flush=True,
            )


def variants() -> None:
    """The query error without a target, and with a δ: a usual one, and that of the releases by AIM."""
    for name, epsilon in (("adult-9", 1.0), ("adult-9", 0.1), ("adult-14", 1.0)):
        train, _ = tables(name)
        for said in ({"target": None}, {"target": "income", "delta": 1e-6}, {"target": "income", "delta": 1e-9}):
            method = shoal.Marginals(epsilon=epsilon, **said)
            made = {seed: method.run(train, coins=SeededCoins(seed), ledger=Ledger()) for seed in VARIANTS}
            errors = [query_errors(one, Workload(seed=seed).on(train)).mean for seed, one in made.items()]
            print(f"{name:<14} {epsilon:>7}  {said}: {np.mean(errors):.3f}±{np.std(errors):.3f}", flush=True)


def export(folder: Path, names: Sequence[str]) -> None:
    """Tables as codes, for `aim.py`."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        train, _ = tables(name)
        sizes = np.array([attribute.domain.size for attribute in train.attributes])
        np.savez(folder / f"{name}.table.npz", sizes=sizes, **rows_of(train.counts))


def referee(folder: Path) -> None:
    """A line for each release that `aim.py` made."""
    for path in sorted(folder.glob("*.aim.npz")):
        name, epsilon = path.name.removesuffix(".aim.npz").split(".", 1)
        train, test = tables(name)
        found = np.load(path)
        widths = [attribute.domain.size for attribute in train.attributes]
        published = Counts.of(train.counts.names, [found[one] for one in train.counts.names], widths)
        outcome = Outcome(table=train, published=published, shown={})
        queries = [Workload(seed=seed).on(train) for seed in range(5)]
        rated = [measured(outcome, asked, test, TABLES[name].target) for asked in queries]
        print(f"{name:<14} {epsilon:>7}  AIM {shown(rated)} {float(found['seconds']):.0f} s")


def measured(outcome: Outcome, queries: Sequence[object], test: EncodedTable, target: str) -> tuple[float, ...]:
    """Query error, accuracy, AUC."""
    return (query_errors(outcome, queries).mean, *taught(rows_of(outcome.published), test, target))


def shown(found: Sequence[tuple[float, ...]]) -> str:
    """Means; of the query error the standard deviation too."""
    if not found:
        return ""
    error, accuracy, auc = np.mean(found, axis=0)
    return f"{error:.3f}±{np.std([one[0] for one in found]):.3f}/{accuracy:4.1f}/{auc:4.1f}"


def rows_of(counts: Counts) -> dict[str, np.ndarray]:
    """Every record."""
    return {name: np.repeat(counts.column(name), counts.sizes).astype(np.int64) for name in counts.names}


def taught(train: dict[str, np.ndarray], test: EncodedTable, target: str) -> tuple[float, float]:
    """Accuracy and AUC of boosting, in per cent."""
    features = [name for name in train if name != target]
    truth, weights = test.counts.column(target).astype(np.int64), test.counts.sizes
    classes = np.unique(train[target])
    if len(classes) < 2:
        return 100 * float(np.average(truth == (classes[0] if len(classes) else 0), weights=weights)), 50.0
    asked = np.stack([test.counts.column(name) for name in features], axis=1).astype(float)
    with threadpool_limits(1):
        model = HistGradientBoostingClassifier(
            max_iter=100, early_stopping=False, random_state=0, l2_regularization=1.0
        )
        model.fit(np.stack([train[name] for name in features], axis=1).astype(float), train[target])
        chances = np.zeros((len(truth), test[target].domain.size))
        chances[:, model.classes_] = model.predict_proba(asked)
    right = float(np.average(chances.argmax(axis=1) == truth, weights=weights))
    there = [one for one in np.unique(truth) if (truth == one).any() and (truth != one).any()]
    scores = [roc_auc_score(truth == one, chances[:, one], sample_weight=weights) for one in there]
    shares = [weights[truth == one].sum() for one in there]
    return 100 * right, 100 * float(np.average(scores, weights=shares))


def class_marginals(table: EncodedTable, target: str, epsilon: float, seed: int) -> Outcome:
    """The peer: noise in floating point, so for comparison only."""
    rng = np.random.default_rng(seed)
    counts, classes = table.counts, table[target].domain.size
    label = counts.column(target).astype(np.int64)
    others = [name for name in counts.names if name != target]
    noisy = {}
    for name in others:
        size = table[name].domain.size
        cells = np.bincount(
            counts.column(name).astype(np.int64) * classes + label, weights=counts.sizes, minlength=size * classes
        ).reshape(size, classes)
        noisy[name] = np.maximum(cells + rng.laplace(0, len(others) / epsilon, cells.shape), 0)
    totals = np.mean([cells.sum(axis=0) for cells in noisy.values()], axis=0)
    records = round(counts.kept + rng.laplace(0, 1))
    drawn = {target: rng.choice(classes, records, p=totals / totals.sum())}
    for name, cells in noisy.items():
        drawn[name] = np.zeros(records, dtype=np.int64)
        for one in range(classes):
            here = drawn[target] == one
            law = cells[:, one] if cells[:, one].sum() else np.ones(len(cells))
            drawn[name][here] = rng.choice(len(law), int(here.sum()), p=law / law.sum())
    widths = [attribute.domain.size for attribute in table.attributes]
    published = Counts.of(counts.names, [drawn[name] for name in counts.names], widths)
    return Outcome(table=table, published=published, shown={})


@cache
def tables(name: str) -> tuple[EncodedTable, EncodedTable]:
    """What is released, and what is tested: the files of a split, or three quarters and one quarter of a file."""
    said = TABLES[name]
    header, records = read(said)
    if said.test_file is None:
        order = np.random.default_rng(0).permutation(len(records))
        cut = len(records) * 3 // 4
        parts = [[records[i] for i in order[:cut]], [records[i] for i in order[cut:]]]
    else:
        parts = [records, read(replace(said, file=said.test_file))[1]]
    known = [sorted({record[i] for part in parts for record in part}) for i in range(len(header))]
    train, test = (encoded(said, header, part, known) for part in parts)
    return train, test


def encoded(said: Table, header: list[str], records: list[list[str]], known: list[list[str]]) -> EncodedTable:
    """Records with the domains that are public here: lists of all values, numbers by their bounds or bins."""
    attributes, codes = [], []
    for i, name in enumerate(header):
        values = [record[i] for record in records]
        if name in (said.numbers or {}):
            low, high = said.numbers[name]
            numbers = np.clip(np.array([int(float(value)) for value in values]), low, high)
            if name in (said.bins or {}):
                column = np.searchsorted(np.array(said.bins[name]), numbers, side="right")
                domain: Grid | Categorical = Grid.between(0, len(said.bins[name]))
            else:
                column, domain = numbers - low, Grid.between(low, high)
        else:
            domain = Categorical(tuple(known[i]))
            code = {value: number for number, value in enumerate(known[i])}
            column = np.array([code[value] for value in values])
        attributes.append(settle(Column(name, Role.QUASI_IDENTIFIER, hierarchy=flat(domain)), domain))
        codes.append(column.astype(narrowest(domain.size)))
    sizes = [attribute.domain.size for attribute in attributes]
    return EncodedTable(tuple(attributes), Counts.of([a.name for a in attributes], codes, sizes))


def flat(domain: object) -> object:
    """No taxonomies: `marginals` uses none."""
    return shoal.flat() if isinstance(domain, Categorical) else None


def read(said: Table) -> tuple[list[str], list[list[str]]]:
    """The records of a file that are complete in the columns that are asked for."""
    path = DATA / f"{said.file}.csv.gz"
    if not path.exists():
        sys.exit(f"skipped: the reference data shared/data/{said.file} is not beside the project")
    with gzip.open(path, "rt", encoding="utf-8", newline="") as lines:
        header, *records = csv.reader(lines)
    columns = [i for i, name in enumerate(header) if said.columns is None or name in (*said.columns, said.target)]
    found = [[record[i] for i in columns] for record in records]
    return [header[i] for i in columns], [record for record in found if "?" not in record]


if __name__ == "__main__":
    main()
