"""What the experiments on SafePub share: its datasets and hierarchies, releases with seeded coins, tables of numbers.

Releases are made with `SeededCoins`: repeatable, and therefore worth nothing as privacy.
"""

from __future__ import annotations

import csv
import gzip
import os
import platform
import statistics
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from shoal.data.encoded import EncodedTable
from shoal.data.hierarchies.paths import Paths
from shoal.data.outcome import Outcome
from shoal.data.schema import Column, Role, Schema
from shoal.dp.coins.coins import SeededCoins
from shoal.dp.coins.sampling_rate import SamplingRate
from shoal.dp.ledger.ledger import Ledger
from shoal.engines.codes.encoding import encode
from shoal.engines.local import LocalEngine
from shoal.engines.reading.source import open_source
from shoal.methods.base import Mode
from shoal.methods.safepub.method import SafePub
from shoal.quality import QualityModel
from shoal.search.lattice import Node, NodeClasses

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
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
        with (DATA / self.hierarchies / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            rows = [tuple(row) for row in csv.reader(file)][1:]
        return Paths(tuple(row for row in rows if row[-1] == "*"), name)  # drops a stray row x,x,x


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
    machine = (
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, NumPy {np.__version__}"
    )
    print(f"machine: {machine}\n")


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
