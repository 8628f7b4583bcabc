"""A table like Adult where the reference data is not beside the project: as many columns, values and records, made up.

The nine columns of Adult with hierarchies of the same shapes (12,960 nodes) and records that go together by one hidden
number each; seeded, so that all machines have the same. Figures of it are near those of Adult, not equal to them.
"""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterator
from pathlib import Path

import numpy as np

RECORDS = 30_162
SHAPES = {
    "sex": (2, ()),
    "age": (74, (5, 10, 20)),
    "race": (5, ()),
    "marital-status": (7, (4,)),
    "education": (16, (3, 6)),
    "native-country": (41, (8,)),
    "workclass": (8, (3,)),
    "occupation": (14, (5,)),
    "salary-class": (2, ()),
}
"""Per column how many values, and how many of them are one group on each level in between."""


def stand_in(folder: Path) -> Path:
    """Where the table and its hierarchies are, made if they are not there yet."""
    if not (folder / "adult_arx.csv.gz").exists():
        (folder / "hierarchies").mkdir(parents=True, exist_ok=True)
        for name, (values, widths) in SHAPES.items():
            with (folder / "hierarchies" / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
                csv.writer(file).writerows(_hierarchy(name, values, widths))
        with gzip.open(folder / "adult_arx.csv.gz", "wt", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(SHAPES)
            writer.writerows(zip(*_columns(), strict=True))
    return folder


def _hierarchy(name: str, values: int, widths: tuple[int, ...]) -> Iterator[list[str]]:
    yield [f"level{i}" for i in range(len(widths) + 2)]
    for value in range(values):
        yield [_label(name, value), *(f"{name} {width}-{value // width}" for width in widths), "*"]


def _label(name: str, value: int) -> str:
    return str(17 + value) if name == "age" else f"{name}-{value}"


def _columns() -> Iterator[list[str]]:
    """Skewed values; two of three cells follow from what is hidden."""
    rng = np.random.default_rng(1996)
    hidden = rng.random(RECORDS)
    for name, (values, _) in SHAPES.items():
        drawn = np.where(rng.random(RECORDS) < 0.65, hidden, rng.random(RECORDS))
        codes = np.minimum((drawn ** (1.2 if name == "age" else 4.0) * values).astype(int), values - 1)
        yield [_label(name, value) for value in codes.tolist()]
