"""Voter lists of the shape that Table III gives for Florida and Michigan, made up: no voter is in them.

The paper took samples of public voter lists, which are lists of named people and are not kept here. What it says of
them is kept: how many records (134,791 and 72,825), which columns, the hierarchies of Table I, and that the ε-quasi is
a height (normal) or a weight (log-normal) drawn by age and sex. All else is ours, in round figures near those of the
two states: years of birth by an age pyramid of voters, sexes, races, and ZIP codes whose sizes fall off as those of
towns do. What depends on how records are spread over ZIP codes, as Table IV does, can agree in kind only.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

RECORDS = {"Florida": 134_791, "Michigan": 72_825}
ZIP_CODES = {"Florida": (32_003, 34_997, 150), "Michigan": (48_001, 49_971, 120)}
"""First, last, how many of them."""
RACES = {
    "White": 0.63,
    "Hispanic": 0.16,
    "Black": 0.13,
    "Unknown": 0.03,
    "Asian or Pacific Islander": 0.02,
    "Other": 0.02,
    "Multi-racial": 0.007,
    "American Indian": 0.003,
}
AGES = ((18, 25, 0.10), (25, 35, 0.15), (35, 45, 0.15), (45, 55, 0.18), (55, 65, 0.18), (65, 75, 0.14), (75, 96, 0.10))
"""From, to, share; even in between."""
YEAR = 2014
WEIGHTS = {"Male": (87.0, 0.19), "Female": (73.0, 0.23)}
"""Kilograms: median, and spread of the logarithm."""


def zip_codes(state: str) -> list[str]:
    """The public list of them."""
    first, last, number = ZIP_CODES[state]
    return [str(round(code)) for code in np.linspace(first, last, number)]


def voters(state: str) -> dict[str, pa.Array | list[object]]:
    """The k-quasis, and the ages behind the years of birth."""
    records = RECORDS[state]
    rng = np.random.default_rng(records)
    codes = np.array(zip_codes(state))
    sizes = rng.lognormal(0, 1, len(codes))
    starts, ends, shares = map(np.array, zip(*AGES, strict=True))
    group = rng.choice(len(AGES), records, p=shares)
    ages = rng.integers(starts[group], ends[group])
    made: dict[str, pa.Array | list[object]] = {
        "ZIP code": rng.choice(codes, records, p=sizes / sizes.sum()).tolist(),
        "sex": rng.choice(["Female", "Male"], records, p=[0.53, 0.47]).tolist(),
        "year of birth": (YEAR - ages).tolist(),
    }
    if state == "Florida":
        made["race"] = rng.choice(list(RACES), records, p=list(RACES.values())).tolist()
    return made


def weights(sexes: list[str], seed: int = 252) -> list[float]:
    """A weight for every record."""
    rng = np.random.default_rng(seed)
    medians, spreads = (np.array([WEIGHTS[sex][i] for sex in sexes]) for i in (0, 1))
    return np.clip(np.round(medians * np.exp(rng.normal(0, spreads)), 1), 30, 250).tolist()
