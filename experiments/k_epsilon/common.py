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
from typing import Any

import numpy as np
import pyarrow as pa

sys.path += [str(Path(__file__).resolve().parents[up]) for up in (0, 1)]
from voters import RECORDS, YEAR, voters, weights, zip_codes
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
QUASIS = {
    "Adult": QUASI,
    "Florida": ("ZIP code", "sex", "year of birth", "race"),
    "Michigan": ("ZIP code", "sex", "year of birth"),
}
PERTURBED = {"Adult": "height", "Florida": "height", "Michigan": "weight"}
"""The k-quasis and the ε-quasi of Table III."""


def heights(ages: Sequence[int], sexes: Sequence[str], seed: int = 252) -> list[float]:
    """A height for every record."""
    rng = np.random.default_rng(seed)
    means = [
        next(mean for start, mean in reversed(MEANS[sex]) if age >= start) for age, sex in zip(ages, sexes, strict=True)
    ]
    drawn = rng.normal(means, [SPREAD[sex] for sex in sexes])
    return np.clip(np.round(drawn, 1), 130, 220).tolist()


@cache
def people(data: str = "Adult") -> pa.Table:
    """The 32,440 training records with age below 80, or a made-up voter list."""
    if data != "Adult":
        made = voters(data)
        ages = [YEAR - year for year in made["year of birth"]]
        noisy = heights(ages, made["sex"]) if data == "Florida" else weights(made["sex"])
        return pa.table({**made, PERTURBED[data]: noisy})
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


def schema(data: str = "Adult") -> shoal.Schema:
    """The hierarchies of Table I; eight levels for what gets noise, so that it makes the lattice eight times larger."""
    alone = ["Divorced", "Never-married", "Separated", "Widowed"]
    married = {"Alone": alone, "In marriage": ["Married-civ-spouse", "Married-AF-spouse", "Married-spouse-absent"]}
    born = (1912, 1983) if data == "Adult" else (YEAR - 95, YEAR - 18)
    widths = shoal.intervals(1, 2, 4, 8, 16, 32)
    said: dict[str, dict[str, Any]] = {
        "ZIP code": {"domain": zip_codes(data) if data in RECORDS else [], "hierarchy": shoal.prefixes(4, 3, 2, 1)},
        "year of birth": {"domain": born, "hierarchy": shoal.intervals(2, 4, 8)},
        "sex": {"domain": ["Female", "Male"]},
        "race": {},
        "marital-status": {"hierarchy": shoal.tree({"*": married})},
        "height": {"domain": (130, 220, 0.1), "hierarchy": widths},
        "weight": {"domain": (30, 250, 0.1), "hierarchy": widths},
    }
    made = shoal.Schema(person="row")
    for name in (*QUASIS[data], PERTURBED[data]):
        made = made.with_column(name, role="quasi-identifier", **said[name])
    return made


@cache
def table(columns: tuple[str, ...] | None = None, data: str = "Adult") -> EncodedTable:
    """Some columns of it, coded; all of them if none is named."""
    columns = columns or (*QUASIS[data], PERTURBED[data])
    source, _ = frame_source(people(data).select(columns))
    said = replace(schema(data), columns=tuple(c for c in schema(data) if c.name in columns))
    return encode(LocalEngine(source), said, columns)


def anonymizers(k: int) -> dict[str, shoal.OLA | shoal.Mondrian]:
    """The two of the paper."""
    return {"OLA": shoal.OLA(k=k, suppression_limit=0.05), "Mondrian": shoal.Mondrian(k=k)}


def run(method: shoal.KEpsilon, seed: int = 0, data: str = "Adult") -> Outcome:
    """A release with seeded coins."""
    return method.run(table(data=data), coins=SeededCoins(seed), ledger=Ledger(limit=method.cost))


def published(k: int, epsilon: float, anonymizer: str, data: str = "Adult", **settings: object) -> shoal.KEpsilon:
    """The paper's method."""
    return shoal.KEpsilon(
        **{"epsilon": epsilon, "perturbed": (PERTURBED[data],), "anonymizer": anonymizers(k)[anonymizer]}
        | {"mode": shoal.Mode.AS_PUBLISHED, **settings}
    )


def headline(title: str) -> None:
    """What was run, on what machine."""
    print(title)
    print(
        "Adult, age below 80: 32,440 records; Florida 134,791, Michigan 72,825, both made up (voters.py); SeededCoins"
    )
    print(f"machine: {machine()}\n")
