"""What the experiments on SafePub share: its datasets and hierarchies, releases with seeded coins, tables of numbers.

Releases are made with `SeededCoins`: repeatable, and therefore worth nothing as privacy.
"""

from __future__ import annotations

import csv
import gzip
import statistics
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[1]))
from workbench import DATA, machine

from shoal.data.encoded import EncodedTable
from shoal.data.hierarchies.paths import Paths
from shoal.data.outcome import Outcome
from shoal.data.schema import Column, Role, Schema
from shoal.dp.accounting.cost import PrivacyCost
from shoal.dp.accounting.threshold import Accounting, KRule, SampleAndThreshold, calibrate
from shoal.dp.coins.coins import SeededCoins
from shoal.dp.coins.sampling_rate import SamplingRate
from shoal.dp.ledger.ledger import Ledger
from shoal.engines.codes.encoding import encode
from shoal.engines.local import LocalEngine
from shoal.engines.reading.source import open_source
from shoal.kernels import grouping
from shoal.methods.base import Mode
from shoal.methods.safepub.method import SafePub
from shoal.quality import QualityModel
from shoal.search.lattice import Node, NodeClasses

EPSILON = Fraction(1)
PUBLISHED, RIGOROUS = Mode.AS_PUBLISHED, Mode.RIGOROUS
VARIANTS: dict[str, dict[str, Any]] = {
    "as published": {"mode": PUBLISHED},
    "rigorous, 1,000": {"mode": RIGOROUS, "search_share": 0.1, "candidates": 1000},
    "rigorous, all": {"mode": RIGOROUS, "search_share": 0.1},
}
"""What is compared, ε split as in the paper: its search; 1,000 candidates; every scheme a candidate, the default."""


@dataclass(frozen=True)
class Dataset:
    """A dataset of the paper: its name there, the δ of Table 1, and the class attributes of Table 2."""

    name: str
    file: str
    hierarchies: str | None
    delta: str
    targets: tuple[str, ...]
    paper: dict[str, dict[str, str]] = field(default_factory=dict)
    """The paper's numbers for each target, by where they stand."""

    @cached_property
    def table(self) -> EncodedTable:
        """All columns as quasi-identifiers; without hierarchies each can be kept or hidden."""
        path = DATA / self.file
        if not path.exists():
            sys.exit(f"skipped: the reference data shared/data/{self.file} is not beside the project")
        with gzip.open(path, "rt", encoding="utf-8") as file:
            names = next(csv.reader(file))
        schema = Schema(
            tuple(Column(name, Role.QUASI_IDENTIFIER, hierarchy=self._paths(name)) for name in names), person="row"
        )
        return encode(LocalEngine(open_source(path), missing=(), is_literal=True), schema, names)

    def _paths(self, name: str) -> Paths | None:
        if self.hierarchies is None:
            return None
        return Paths(leaves(DATA / self.hierarchies / f"{name}.csv"), name)

    def calibrated(self, epsilon: Fraction) -> SampleAndThreshold:
        """β and k of the paper's experiments for an ε_anon: k is one more than the smallest."""
        cost = PrivacyCost(epsilon, Fraction(self.delta))
        return calibrate(cost, accounting=Accounting.PAPER, k_rule=KRule.PAPER)


def leaves(file: Path) -> tuple[tuple[str, ...], ...]:
    """The rows of a hierarchy."""
    with file.open(encoding="utf-8", newline="") as lines:
        listed = [tuple(row) for row in csv.reader(lines)][1:]
    return tuple(row for row in listed if row[-1] == "*")  # drops a stray row x,x,x


def levels(file: Path) -> int:
    """How many levels a hierarchy has, the values themselves included."""
    return len(leaves(file)[0])


ADULT = Dataset(
    "US Census",
    "adult_arx/adult_arx.csv.gz",
    "adult_arx/hierarchies_safepub",
    "1e-5",
    ("marital-status", "salary-class"),
    {
        "marital-status": {"table 4": "92.0"},
        "salary-class": {"figure 16": "82", "table 3": "80.9 to 81.5", "table 4": "87.3"},
    },
)
FARS = Dataset(
    "Crash statistics",
    "fars/fars.csv.gz",
    "fars/hierarchies_safepub",
    "1e-6",
    ("ihispanic", "irace"),
    {"ihispanic": {"figure 16": "99", "table 4": "99.7"}, "irace": {"figure 16": "99", "table 4": "99.9"}},
)
NURSERY = Dataset(
    "Nursery", "nursery/nursery.csv.gz", None, "1e-5", ("class",), {"class": {"table 3": "83.7 and 83.8"}}
)


def safepub(dataset: Dataset, quality: QualityModel, **settings: Any) -> SafePub:
    """SafePub at the paper's ε = 1 and the dataset's δ, if nothing else is said."""
    return SafePub(**{"epsilon": EPSILON, "delta": dataset.delta, "quality": quality} | settings)


def release(method: SafePub, table: EncodedTable, seed: int) -> Outcome | None:
    """A release with seeded coins; None if nothing could be published."""
    outcome = method.run(table, coins=SeededCoins(seed), ledger=Ledger())
    return outcome if len(outcome.published) else None


def repeats(runs: int, dataset: Dataset) -> range:
    """Seeds: a quarter of the runs where results hardly vary and take long."""
    return range(min(max(runs // 4, 3), runs) if dataset is FARS else runs)


def percent(values: Iterable[float]) -> str:
    """Mean and standard deviation in per cent."""
    values = [100 * value for value in values]
    spread = f" ± {statistics.stdev(values):4.1f}" if len(values) > 1 else ""
    return f"{statistics.mean(values):5.1f}{spread}"


def headline(title: str, settings: str) -> None:
    """What was run, with what, on what machine."""
    print(title)
    print(f"settings: {settings}")
    print("coins: SeededCoins(0), SeededCoins(1), … (repeatable; a real release uses secure_coins())")
    print(f"machine: {machine()}\n")


def rows(header: Sequence[str], widths: Sequence[int]) -> Callable[..., None]:
    """Print a header, and return what prints a row under it: texts to the left, all else to the right."""

    def row(*cells: object) -> None:
        shown = []
        for cell, width in zip(cells, widths, strict=True):
            text = f"{cell:,}" if isinstance(cell, int) else str(cell)
            shown.append(text.ljust(-width) if width < 0 else text.rjust(width))
        print("  ".join(shown).rstrip(), flush=True)

    widths = list(widths)
    row(*header)
    return row


def publish(table: EncodedTable, node: Node, rate: SamplingRate, k: int, seed: int) -> Outcome:
    """The second half of SafePub for a scheme: sample, generalize, leave out classes below k."""
    classes = NodeClasses(table)
    recoding, everywhere = classes.recoding(node), classes.at(node)
    sample = replace(table, counts=table.counts.thin(rate, SeededCoins(seed)))
    published = replace(recoding.apply(sample).suppress_below(k), suppressed=0)
    nowhere = np.zeros(len(everywhere), dtype=np.bool_)
    return Outcome.recoded(table, recoding, published, classes=everywhere, suppressed=nowhere)


def entropy_of_cells(table: EncodedTable, outcome: Outcome) -> float:
    """The non-uniform entropy that is lost; of the alike records of a class each is as likely to be published."""
    counts, published = table.counts, outcome.published
    levels = [a.hierarchy.levels[outcome.recoding.levels[a.name]] for a in table.quasi_identifiers]
    names = [a.name for a in table.quasi_identifiers]
    columns = [
        np.concatenate([level.codes[counts.column(n)], published.column(n)])
        for n, level in zip(names, levels, strict=True)
    ]
    labels, classes = grouping.group(columns, [level.size for level in levels], len(counts) + len(published))
    there = grouping.totals(labels[: len(counts)], classes, counts.sizes)
    shown = grouping.totals(labels[len(counts) :], classes, published.sizes)
    share = (shown / np.maximum(there, 1))[labels[: len(counts)]]
    lost = most = 0.0
    for name, level in zip(names, levels, strict=True):
        marginal = table.marginal(name)
        general = np.bincount(level.codes, weights=marginal)[level.codes]
        cell = np.log2(np.maximum(general, 1) / np.maximum(marginal, 1))[counts.column(name)]
        hidden = np.log2(table.total / np.maximum(marginal, 1))[counts.column(name)]
        lost += float((counts.sizes * (share * cell + (1 - share) * hidden)).sum())
        most += float((counts.sizes * hidden).sum())
    return lost / most
