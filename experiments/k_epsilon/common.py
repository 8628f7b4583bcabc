"""What the experiments on (k, ε)-anonymity share: Adult as in the paper's Table III, with heights drawn by age and sex.

The paper's height column is not available, nor are the tables it was fitted to (Vital and Health Statistics, series 11,
no. 252) in a form that could be read. `heights` draws a column of the same kind: normal for each sex and age group,
with means and spreads of round figures near those of the US population, to a tenth of a centimeter, from a fixed seed.
"""

from __future__ import annotations

import csv
import gzip
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa

sys.path.append(str(Path(__file__).resolve().parents[1]))
from workbench import DATA, machine

import shoal
from shoal.data.encoded import EncodedTable
from shoal.data.outcome import Outcome
from shoal.dp.coins.coins import SeededCoins
from shoal.dp.ledger.ledger import Ledger
from shoal.engines.codes.encoding import encode
from shoal.engines.local import LocalEngine
from shoal.engines.reading.source import frame_source

ADULT = DATA / "adult" / "adult_train.csv.gz"
KS = (2, 5, 10, 20, 50, 100)
EPSILONS = (0.05, 0.5, 1, 2, 4, 8, 16)
SPREAD = {"Male": 7.5, "Female": 7.0}
MEANS = {
    "Male": ((17, 176.0), (30, 176.5), (40, 176.5), (50, 176.0), (60, 175.0), (70, 173.5)),
    "Female": ((17, 163.0), (30, 163.0), (40, 163.0), (50, 162.0), (60, 161.0), (70, 159.0)),
}
"""Centimeters, from an age on."""
QUASI = ("year of birth", "sex", "race", "marital-status")


def heights(ages: Sequence[int], sexes: Sequence[str], seed: int = 252) -> list[float]:
    """A height for every record."""
    rng = np.random.default_rng(seed)
    means = [
        next(mean for start, mean in reversed(MEANS[sex]) if age >= start) for age, sex in zip(ages, sexes, strict=True)
    ]
    drawn = rng.normal(means, [SPREAD[sex] for sex in sexes])
    return np.clip(np.round(drawn, 1), 130, 220).tolist()


@cache
def people() -> pa.Table:
    """The 32,440 training records with age below 80."""
    if not ADULT.exists():
        sys.exit("skipped: the reference data shared/data/adult is not beside the project")
    with gzip.open(ADULT, "rt", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if int(row["age"]) < 80]
    ages, sexes = [int(row["age"]) for row in rows], [row["sex"] for row in rows]
    return pa.table(
        {
            "year of birth": [1994 - age for age in ages],
            "sex": sexes,
            "race": [row["race"] for row in rows],
            "marital-status": [row["marital-status"] for row in rows],
            "height": heights(ages, sexes),
        }
    )


def schema() -> shoal.Schema:
    """The hierarchies of Table I; eight levels for the height, so that it makes the lattice eight times larger."""
    alone = ["Divorced", "Never-married", "Separated", "Widowed"]
    married = {"Alone": alone, "In marriage": ["Married-civ-spouse", "Married-AF-spouse", "Married-spouse-absent"]}
    made = shoal.Schema(person="row").with_column(
        "year of birth", role="quasi-identifier", domain=(1912, 1983), hierarchy=shoal.intervals(2, 4, 8)
    )
    made = made.with_column("sex", role="quasi-identifier", domain=["Female", "Male"])
    made = made.with_column("race", role="quasi-identifier")
    made = made.with_column("marital-status", role="quasi-identifier", hierarchy=shoal.tree({"*": married}))
    widths = shoal.intervals(1, 2, 4, 8, 16, 32)
    return made.with_column("height", role="quasi-identifier", domain=(130, 220, 0.1), hierarchy=widths)


@cache
def table(columns: tuple[str, ...] = (*QUASI, "height")) -> EncodedTable:
    """Some columns of it, coded."""
    source, _ = frame_source(people().select(columns))
    said = replace(schema(), columns=tuple(c for c in schema() if c.name in columns))
    return encode(LocalEngine(source), said, columns)


def anonymizers(k: int) -> dict[str, shoal.OLA | shoal.Mondrian]:
    """The two of the paper."""
    return {"OLA": shoal.OLA(k=k, suppression_limit=0.05), "Mondrian": shoal.Mondrian(k=k)}


def run(method: shoal.KEpsilon, seed: int = 0) -> Outcome:
    """A release with seeded coins."""
    return method.run(table(), coins=SeededCoins(seed), ledger=Ledger(limit=method.cost))


def published(k: int, epsilon: float, anonymizer: str, **settings: object) -> shoal.KEpsilon:
    """The paper's method."""
    return shoal.KEpsilon(
        **{"epsilon": epsilon, "perturbed": ("height",), "anonymizer": anonymizers(k)[anonymizer]}
        | {"mode": shoal.Mode.AS_PUBLISHED, **settings}
    )


def headline(title: str) -> None:
    """What was run, on what machine."""
    print(title)
    print("Adult, age below 80: 32,440 records; heights drawn as common.py says; SeededCoins")
    print(f"machine: {machine()}\n")
