"""What the experiments on microaggregation share: the paper's three data sets, maskings of them, tables of numbers.

Releases are made with `SeededCoins`: repeatable, and therefore worth nothing as privacy.
"""

from __future__ import annotations

import csv
import gzip
import sys
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np

sys.path += [str(Path(__file__).resolve().parents[up]) for up in (0, 1)]
import wordnet
from workbench import DATA

from shoal.cluster.centers import Center, centers
from shoal.cluster.insensitive import insensitive_clusters
from shoal.cluster.mdav import mdav_clusters
from shoal.cluster.orders import References
from shoal.cluster.space import Space
from shoal.data.attribute import Attribute, settle
from shoal.data.counts import Counts
from shoal.data.domain import Domain, Grid
from shoal.data.encoded import EncodedTable
from shoal.data.hierarchies.paths import Paths
from shoal.data.schema import Column, Role
from shoal.dp.coins.coins import SeededCoins
from shoal.dp.ledger.ledger import Ledger
from shoal.evaluate.masking import Masked, alone
from shoal.kernels.grouping import narrowest
from shoal.methods.base import Mode
from shoal.methods.microaggregation.method import MicroaggregationDP

EPSILONS = (0.01, 0.1, 1.0, 10.0)
CENSUS = ("FICA", "FEDTAX", "INTVAL", "POTHVAL")
TABLE_7 = ("FEDTAX", "POTHVAL", "INTVAL", "FICA")
"""The order in which Table 7 lists the columns, and in which its reference points were counted."""


@cache
def census(names: tuple[str, ...] = CENSUS, headroom: Fraction = Fraction(3, 2)) -> EncodedTable:
    """Census, 1,080 records; domains from 0 to `headroom` times the largest value, as the paper takes them (§5.1).

    Bounds that were taken from the data are no public bounds: nothing made with them is private (theory MA-7).
    """
    rows = _rows("casc_census")
    numbers = {name: np.array([int(row[name]) for row in rows]) for name in names}
    domains = {
        name: Grid.between(0, str(float(headroom * int(values.max()))), "0.5") for name, values in numbers.items()
    }
    attributes = [settle(Column(name, Role.QUASI_IDENTIFIER), domains[name]) for name in names]
    return _encoded(attributes, [2 * numbers[name] for name in names])


@cache
def adult(*, numerical: bool, taxonomy: str = "adult_arx") -> EncodedTable:
    """Adult, 30,162 complete records: occupation and native country, and age and hours per week beside them.

    The paper's taxonomies come from WordNet 2.1: here they are of 3.0 (`wordnet`), ARX's, or those of DiffGen.
    """
    rows = [row for row in _rows("adult", "adult_train") if "?" not in row.values()]
    columns: list[tuple[Attribute, list[int]]] = []
    for name in ("age", "hours-per-week") if numerical else ():
        values = [int(row[name]) for row in rows]
        domain: Domain = Grid.between(0, str(1.5 * max(values)), "0.5")
        columns.append((settle(Column(name, Role.QUASI_IDENTIFIER), domain), [2 * value for value in values]))
    for name in ("occupation", "native-country"):
        if taxonomy == "wordnet":
            recipe = wordnet.taxonomy(name, sorted({row[name] for row in rows}))
        else:
            recipe = _hierarchy(taxonomy, name)
        leaves = recipe.leaves()
        assert leaves is not None
        attribute = settle(Column(name, Role.QUASI_IDENTIFIER, hierarchy=recipe), leaves)
        known = {label: code for code, label in enumerate(attribute.domain.labels(range(attribute.domain.size)))}
        columns.append((attribute, [known[row[name]] for row in rows]))
    return _encoded([attribute for attribute, _ in columns], [np.array(codes) for _, codes in columns])


def _hierarchy(folder: str, name: str) -> Paths:
    with (DATA / folder / "hierarchies" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        listed = [tuple(row) for row in csv.reader(file)]
    if "level0" in listed[0]:
        listed = listed[1:]
    return Paths(tuple(row for row in listed if row[0] not in ("x", "?", "NULL")), name)


def _rows(folder: str, name: str | None = None) -> list[dict[str, str]]:
    path = DATA / folder / f"{name or folder}.csv.gz"
    if not path.exists():
        sys.exit(f"skipped: the reference data shared/data/{folder} is not beside the project")
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _encoded(attributes: Sequence[Attribute], codes: Sequence[np.ndarray]) -> EncodedTable:
    sizes = [attribute.domain.size for attribute in attributes]
    narrow = [column.astype(narrowest(size)) for column, size in zip(codes, sizes, strict=True)]
    return EncodedTable(tuple(attributes), Counts.of([a.name for a in attributes], narrow, sizes))


def masked_by_mdav(table: EncodedTable, k: int) -> Masked:
    """Algorithm 1."""
    space = Space.of(table.attributes)
    partition = mdav_clusters(space, table.counts.codes, table.counts.sizes, k)
    return Masked(table, partition, centers(space, table.counts.codes, partition))


def masked_insensitively(table: EncodedTable, k: int, references: References = References.CORNERS) -> Masked:
    """Algorithm 2, without noise."""
    space = Space.of(table.attributes)
    partition = insensitive_clusters(space, table.counts.codes, table.counts.sizes, k, references)
    return Masked(table, partition, centers(space, table.counts.codes, partition))


def masked_with_noise(table: EncodedTable, method: MicroaggregationDP, seed: int) -> Masked:
    """A release, still beside its originals."""
    partition, at = method.clustered(table, SeededCoins(seed), Ledger(method.cost))
    return Masked(table, partition, at)


def as_published(table: EncodedTable, k: int, epsilon: float, **more: object) -> MicroaggregationDP:
    """The paper's noise: the whole ε for every column."""
    columns = len(table.attributes)
    return MicroaggregationDP(epsilon=epsilon, k=k, mode=Mode.AS_PUBLISHED, columns=columns, **more)  # type: ignore[arg-type]


def masked_record_by_record(table: EncodedTable, epsilon: float, seed: int) -> Masked:
    """The paper's baseline: Laplace noise of the whole width, or Algorithm 4, on every value by itself."""
    partition = alone(table)
    rng = np.random.default_rng(seed)
    space = Space.of(table.attributes)
    at: list[Center] = []
    for axis, column in zip(space.axes, table.counts.codes, strict=True):
        codes = column[partition.source]
        if hasattr(axis, "taxonomy"):
            distances = axis.taxonomy.distance
            weights = np.exp(-epsilon * distances / (2 * axis.taxonomy.diameter / (1 << 30)))
            law = (weights / weights.sum(axis=0)).cumsum(axis=0)
            at.append((rng.random(len(codes))[:, None] > law.T[codes]).sum(axis=1).astype(np.int32))
        else:
            noisy = codes + rng.laplace(0, axis.width / epsilon, len(codes))
            at.append(np.clip(noisy, 0, axis.width))
    return Masked(table, partition, at)


def masked_row_by_row(table: EncodedTable, k: int, epsilon: float, seed: int) -> Masked:
    """The paper's noise drawn anew for every record, as Algorithm 3 is written: it promises nothing (theory MA-4)."""
    clustered, partition = masked_insensitively(table, k), alone(table)
    label = np.empty(table.total, dtype=np.int64)  # records that differ, as those of Census do
    label[clustered.partition.source] = clustered.partition.label
    rng = np.random.default_rng(seed)
    at: list[Center] = []
    for axis, center in zip(clustered.space.axes, clustered.centers, strict=True):
        noise = rng.laplace(0, table.total / k * axis.width / k / epsilon, table.total)
        at.append(np.clip(center[label] + noise, 0, axis.width))
    return Masked(table, partition, at)


def measured(made: Sequence[Masked]) -> tuple[float, float]:
    """SSE, beside categories with numbers as shares of all widths, and RL, both averages."""
    scaled = any(hasattr(axis, "taxonomy") for axis in made[0].space.axes)
    return mean([one.squared_error(scaled=scaled) for one in made]), mean([one.record_linkage() for one in made])


def figure(title: str, table: EncodedTable, ks: Sequence[int], runs: int) -> None:
    """SSE and RL by k: MDAV, insensitive, with noise as published, and noise on every record: Figures 4 to 6."""
    headline(title, f"as published, {runs} runs (paper: 3); SSE / RL in per cent")
    alone = {e: measured([masked_record_by_record(table, e, seed) for seed in range(runs)]) for e in EPSILONS}
    row = "{:>14} {:>18} {:>18} " + " ".join(["{:>18}"] * len(EPSILONS))
    print(row.format("k", "MDAV", "insensitive", *(f"epsilon {e:g}" for e in EPSILONS)))
    better: dict[float, list[int]] = {e: [] for e in EPSILONS}
    for k in ks:
        cells = [measured([masked_by_mdav(table, k)]), measured([masked_insensitively(table, k)])]
        for epsilon in EPSILONS:
            method = as_published(table, k, epsilon)
            cells.append(measured([masked_with_noise(table, method, seed) for seed in range(runs)]))
            if cells[-1][0] < alone[epsilon][0]:
                better[epsilon].append(k)
        print(row.format(k, *(f"{sse:.2e} / {100 * linked:.3f}" for sse, linked in cells)), flush=True)
    noise = (f"{sse:.2e} / {100 * linked:.3f}" for sse, linked in alone.values())
    print(row.format("every record", "", "", *noise))
    smallest = ", ".join(f"{min(found) if found else 'none'} at epsilon {e:g}" for e, found in better.items())
    root = round(table.total**0.5)
    print(f"\nthe smallest of these k with a smaller SSE than noise on every record: {smallest} (paper: about {root})")


def mean(values: Sequence[float]) -> float:
    """The average."""
    return float(np.mean(values))


def headline(title: str, settings: str) -> None:
    """What a script prints first."""
    print(f"{title}\n{settings}\n")
