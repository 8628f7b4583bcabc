"""What the experiments on NSVDist share: the paper's datasets with its quasi-identifiers and trees, and the rivals."""

from __future__ import annotations

import csv
import gzip
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[1]))
from workbench import DATA, machine  # noqa: F401  what scripts print first

import shoal
from shoal.arrays import Keys
from shoal.data.attribute import Attribute, settle
from shoal.data.counts import Counts
from shoal.data.domain import Categorical, Grid
from shoal.data.encoded import EncodedTable
from shoal.data.hierarchies.build import Balanced
from shoal.data.hierarchies.paths import Paths
from shoal.data.outcome import Outcome
from shoal.data.schema import Column, Role
from shoal.errors import InfeasibleError
from shoal.kernels.grouping import narrowest

ADULT_NUMBERS = {
    "age": (15, 94),
    "fnlwgt": (0, 1_499_999),
    "education-num": (1, 19),
    "capital-gain": (0, 99_999),
    "capital-loss": (0, 4_999),
    "hours-per-week": (1, 99),
}
"""The domains of the taxonomies of Mohammed et al., whose upper ends are open."""

_ADULT = (
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "education-num",
    "marital-status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "capital-gain",
    "capital-loss",
    "hours-per-week",
    "native-country",
)


@dataclass(frozen=True)
class Dataset:
    """One of the paper's datasets: complete records with the quasi-identifiers of Table 3."""

    name: str
    file: str
    quasi: tuple[str, ...]
    target: str
    nominal: tuple[str, ...] = ()
    """Quasi-identifiers whose values are names; the others are numbers to a learner."""
    diversity: float = 0.0
    """Global diversity as the paper gives it."""
    records: int = 0
    test_file: str | None = None

    def _read(self, file: str) -> list[list[str]]:
        path = DATA / file
        if not path.exists():
            sys.exit(f"skipped: the reference data shared/data/{file} are not beside the project")
        with gzip.open(path, "rt", encoding="utf-8", newline="") as lines:
            header, *rows = csv.reader(lines)
        kept = [header.index(name) for name in (*self.quasi, self.target)]
        whole = range(len(header)) if self.name in ("Adult", "Breast Cancer", "Mammographic") else kept
        return [[row[i] for i in kept] for row in rows if not any(row[i] == "?" for i in whole)]

    @cached_property
    def rows(self) -> list[list[str]]:
        """All complete records; of Adult the training records."""
        return self._read(self.file)

    @cached_property
    def test_rows(self) -> list[list[str]]:
        """The records kept for testing, where the dataset has them."""
        return self._read(self.test_file) if self.test_file else []

    @cached_property
    def attributes(self) -> tuple[Attribute, ...]:
        """Trees as in §5.2: of Mohammed et al. for Adult, else values sorted as text and joined five at a time."""
        names = (*self.quasi, self.target)
        return tuple(self._attribute(name, position) for position, name in enumerate(names))

    def _attribute(self, name: str, position: int) -> Attribute:
        values = sorted({row[position] for row in (*self.rows, *self.test_rows)})
        if name == self.target:
            return settle(Column(name, Role.SENSITIVE), Categorical(tuple(values)))
        if self.name != "Adult":
            return settle(Column(name, Role.QUASI_IDENTIFIER, hierarchy=Balanced(fanout=5)), Categorical(tuple(values)))
        if name in ADULT_NUMBERS:
            return settle(Column(name, Role.QUASI_IDENTIFIER), Grid.between(*ADULT_NUMBERS[name]))
        path = DATA / "adult_diffgen_taxonomy" / "hierarchies" / f"{name}.csv"
        with path.open(encoding="utf-8", newline="") as lines:
            tree = Paths(tuple(tuple(row) for row in csv.reader(lines))[1:], name)
        leaves = tree.leaves()
        assert leaves is not None
        return settle(Column(name, Role.QUASI_IDENTIFIER, hierarchy=tree), leaves)

    def codes(self, rows: Sequence[Sequence[str]]) -> Keys:
        """`codes[row, column]`."""
        columns = []
        for position, attribute in enumerate(self.attributes):
            domain = attribute.domain
            if isinstance(domain, Grid):
                columns.append([int(row[position]) - domain.lower for row in rows])
            else:
                assert isinstance(domain, Categorical)
                code = {value: i for i, value in enumerate(domain.values)}
                columns.append([code[row[position]] for row in rows])
        return np.array(columns, dtype=np.int64).T

    def table(self, codes: Keys) -> EncodedTable:
        """Some records as a method takes them."""
        sizes = [attribute.domain.size for attribute in self.attributes]
        columns = [column.astype(narrowest(size)) for column, size in zip(codes.T, sizes, strict=True)]
        return EncodedTable(self.attributes, Counts.of([a.name for a in self.attributes], columns, sizes))

    @property
    def publish(self) -> Any:
        """Numbers of Adult become intervals; all else nodes of trees."""
        return "intervals" if self.name == "Adult" else "nodes"

    def higher_diversity(self, global_diversity: float) -> float:
        """ℓ = 1 + (ℓ_g − 1) / 3 (§5.2), to two decimals, down."""
        return int(100 * (1 + (global_diversity - 1) / 3)) / 100

    def method(self, name: str, k: int, diversity: float) -> Any:
        """One of the anonymizers that are compared."""
        asked = None if diversity == 1 else diversity
        match name:
            case "NSVDist":
                return shoal.NSVDist(k=k, diversity=diversity, mode=shoal.Mode.AS_PUBLISHED, publish=self.publish)
            case "hardened":
                return shoal.NSVDist(k=k, diversity=diversity, publish=self.publish)
            case "SeqA":
                return shoal.Sequential(k=k, diversity=asked, publish=self.publish)
            case "Mondrian":
                return shoal.Mondrian(k=k, diversity=asked, publish=self.publish, split="single")
            case "PAIS":
                return shoal.PAIS(length=len(self.quasi), k=k, confidence=1 / diversity, target=self.target)
            case _:
                raise ValueError(name)

    def release(self, name: str, train: EncodedTable, k: int, diversity: float) -> Outcome | None:
        """What one of them publishes; None if it cannot."""
        try:
            outcome: Outcome = self.method(name, k, diversity).run(train)
        except InfeasibleError:
            return None
        return outcome


DATASETS = (
    Dataset(
        "Abalone",
        "abalone/abalone.csv.gz",
        ("sex", "diameter", "height", "viscera_weight", "shell_weight"),
        "rings",
        nominal=("sex",),
        diversity=6.06,
        records=4177,
    ),
    Dataset(
        "Adult",
        "adult/adult_train.csv.gz",
        _ADULT,
        "income",
        nominal=tuple(name for name in _ADULT if name not in ADULT_NUMBERS),
        diversity=1.33,
        records=45222,
        test_file="adult/adult_test.csv.gz",
    ),
    Dataset(
        "Breast Cancer",
        "breast_cancer_wisconsin/breast_cancer_wisconsin.csv.gz",
        (
            "clump_thickness",
            "uniformity_cell_size",
            "uniformity_cell_shape",
            "bare_nuclei",
            "bland_chromatin",
            "normal_nucleoli",
        ),
        "class",
        diversity=1.54,
        records=683,
    ),
    Dataset(
        "CMC",
        "cmc/cmc.csv.gz",
        ("wife_age", "wife_education", "num_children"),
        "contraceptive_method",
        diversity=2.34,
        records=1473,
    ),
    Dataset(
        "Ecoli",
        "ecoli/ecoli.csv.gz",
        ("sequence_name", "mcg", "gvh", "lip", "alm1", "alm2"),
        "class",
        nominal=("sequence_name",),
        diversity=2.35,
        records=336,
    ),
    Dataset(
        "Mammographic",
        "mammographic_mass/mammographic_mass.csv.gz",
        ("bi_rads", "age", "shape", "margin", "density"),
        "severity",
        diversity=1.94,
        records=830,
    ),
    Dataset(
        "Page Blocks",
        "page_blocks/page_blocks.csv.gz",
        ("height", "eccen", "p_black", "p_and", "mean_tr", "wb_trans"),
        "class",
        diversity=1.11,
        records=5473,
    ),
    Dataset(
        "Yeast",
        "yeast/yeast.csv.gz",
        ("sequence_name", "alm", "erl", "pox"),
        "class",
        nominal=("sequence_name",),
        diversity=3.21,
        records=1484,
    ),
)


def named(*names: str) -> list[Dataset]:
    """Some of the datasets; all of them if none is named."""
    return [dataset for dataset in DATASETS if not names or dataset.name in names]


def global_diversity(rows: Sequence[Sequence[str]]) -> Fraction:
    """Records over those with the most frequent class."""
    counts = np.unique([row[-1] for row in rows], return_counts=True)[1]
    return Fraction(len(rows), int(counts.max()))
