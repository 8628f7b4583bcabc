"""PRAM, rank swapping and noise: CPU seconds for two columns of a million records, and what it does to them.

Run: python benchmarks/bench_perturbation.py [records]
"""

from __future__ import annotations

import sys
import time
import warnings

import numpy as np
import pyarrow as pa
from common import machine

import shoal

METHODS = {
    "pram, epsilon = 2": shoal.PRAM(perturbed=("age", "income"), epsilon=2),
    "pram, invariant": shoal.PRAM(perturbed=("age", "income"), invariant=0.8),
    "rank swapping": shoal.RankSwapping(perturbed=("age", "income")),
    "noise": shoal.Noise(perturbed=("age", "income")),
    "noise, correlated": shoal.Noise(perturbed=("age", "income"), correlated=True),
}


def people(records: int) -> tuple[pa.Table, shoal.Schema]:
    """Ages, and incomes that rise with them."""
    rng = np.random.default_rng(0)
    age = rng.normal(45, 18, records).clip(0, 99).astype(int)
    income = (age + rng.gamma(2.0, 20.0, records)).clip(0, 499).astype(int)
    schema = shoal.Schema(person="row").with_column("age", role="quasi-identifier", domain=(0, 99))
    return pa.table({"age": age, "income": income}), schema.with_column(
        "income", role="quasi-identifier", domain=(0, 499)
    )


def main(records: int) -> None:
    """Each method once, after a small run that compiles."""
    warnings.simplefilter("ignore", shoal.NoLedgerWarning)
    print(machine())
    for name, method in METHODS.items():
        method.anonymize(*people(100))
        table, schema = people(records)
        start = time.process_time()
        release = method.anonymize(table, schema)
        seconds = time.process_time() - start
        before, after = (np.corrcoef(t["age"], t["income"])[0, 1] for t in (table, release.data))
        figures = ", ".join(f"{what} {value:.3g}" for what, value in release.facts.losses.items())
        print(f"{name}: {seconds:.1f} s; correlation {before:.3f}, after {after:.3f}; {figures}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
