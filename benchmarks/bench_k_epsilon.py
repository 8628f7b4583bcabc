"""(k, ε)-anonymity after the k-anonymizer, CPU seconds on one core: exact noise, classes, measures for the owner.

The baseline is what a Python programmer would write: a loop over the classes with floating-point `np.random` noise, and
for the linking attack one `argmin` per record. It does less: its noise is not exact, and nothing is counted or merged.
"""

from __future__ import annotations

import sys
from fractions import Fraction

import numpy as np
from common import cpu, machine

from shoal.data.attribute import settle
from shoal.data.counts import Counts
from shoal.data.domain import Categorical, Grid
from shoal.data.encoded import EncodedTable
from shoal.data.hierarchies.build import Flat
from shoal.data.schema import Column, Role
from shoal.dp.coins.coins import SeededCoins, secure_coins
from shoal.dp.ledger.ledger import Ledger
from shoal.methods import OLA, KEpsilon, Mode
from shoal.risk import ClassedNumbers, links_found


def table(rows: int, classes: int) -> EncodedTable:
    """Records with a class and a height in tenths of a centimeter."""
    rng = np.random.default_rng(1)
    names = Categorical(tuple(f"c{i}" for i in range(classes)))
    group = settle(Column("class", Role.QUASI_IDENTIFIER, hierarchy=Flat()), names)
    height = settle(Column("height", Role.QUASI_IDENTIFIER, hierarchy=Flat()), Grid.between(130, 220, "0.1"))
    codes = [rng.integers(0, classes, rows), np.clip(np.rint(rng.normal(400, 75, rows)), 0, 900).astype(np.int64)]
    return EncodedTable((group, height), Counts.of(["class", "height"], codes, [classes, 901]))


def naive(labels: np.ndarray, values: np.ndarray, epsilon: float) -> tuple[np.ndarray, int]:
    """Noise class by class, and links record by record."""
    rng, noisy, linked = np.random.default_rng(2), np.empty(len(values)), 0
    for label in np.unique(labels):
        rows = np.flatnonzero(labels == label)
        members = values[rows]
        noisy[rows] = members + rng.laplace(scale=np.ptp(members) / epsilon, size=len(rows))
        for value, drawn in zip(members, noisy[rows], strict=True):
            distances = np.abs(members - drawn)
            linked += abs(value - drawn) == distances.min()
    return noisy, linked


def main() -> None:
    most = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    print(machine())
    header = f"{'rows':>10} {'classes':>8} {'rigorous':>9} {'published':>10} {'M rows/s':>9} {'loop':>8} {'x loop':>8}"
    print(f"{header}   (loop: noise and links alone)")
    for rows, classes in ((32_440, 500), (most, 500), (most, 20_000)):
        encoded = table(rows, classes)
        settings = {"epsilon": 2, "perturbed": ("height",), "anonymizer": OLA(k=2, suppression_limit=1.0)}

        def ours(mode: Mode, encoded: EncodedTable = encoded, settings: dict = settings) -> float:  # type: ignore[type-arg]
            method = KEpsilon(mode=mode, **settings)
            return cpu(lambda: method.run(encoded, coins=secure_coins(), ledger=Ledger(limit=method.cost)), repeat=2)

        rigorous, published = ours(Mode.RIGOROUS), ours(Mode.AS_PUBLISHED)
        part = min(rows, 32_440)
        labels = np.repeat(encoded.counts.column("class"), encoded.counts.sizes)[:part].astype(np.int64)
        values = np.repeat(encoded.counts.column("height"), encoded.counts.sizes)[:part].astype(float)
        loop = cpu(lambda labels=labels, values=values: naive(labels, values, 2.0), repeat=1) * rows / part
        speed = rows / published / 1e6
        times = f"{rigorous:>9.3f} {published:>10.3f} {speed:>9.1f} {loop:>8.2f} {loop / published:>8.1f}"
        print(f"{rows:>10,} {classes:>8,} {times}", flush=True)
    exponents = [Fraction(2, 10_000 * width) for width in range(1, 601)]
    which = np.random.default_rng(3).integers(0, 600, 1_000_000)
    each = cpu(lambda: SeededCoins(1).discrete_laplaces_each(exponents, which), repeat=2)
    one = cpu(lambda: SeededCoins(1).discrete_laplaces(exponents[300], 1_000_000), repeat=2)
    plain = cpu(lambda: np.random.default_rng(4).laplace(scale=which + 1.0), repeat=2)
    print(f"a million exact draws: {each:.3f} s, 600 exponents; {one:.3f} s, one; NumPy's, inexact: {plain:.3f} s")
    numbers = ClassedNumbers(which, which % 500, 500)
    links = cpu(lambda: links_found(numbers, which + 1), repeat=2)
    print(f"the nearest-neighbor attack on a million records: {links:.3f} s")


if __name__ == "__main__":
    main()
