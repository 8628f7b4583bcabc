"""The instances that conformance runs: every method of `plan.METHODS`, in the variants that differ in their promises.

A method that is not here fails `test_every_method`; one that is here gets all its tests for free.
"""

from dataclasses import dataclass

import pyarrow as pa

import shoal
from shoal.criteria import Distance
from shoal.dp.coins import SeededCoins

GRADES = ("mild", "medium", "severe")

PATHS = {
    "age": {
        str(n): (str(n), f"{n // 10 * 10}-{n // 10 * 10 + 9}", f"{n // 20 * 20}-{n // 20 * 20 + 19}", "*")
        for n in range(60)
    },
    "town": {
        "Ulm": ("Ulm", "south", "*"),
        "Bonn": ("Bonn", "west", "*"),
        "Köln": ("Köln", "west", "*"),
        "missing": ("missing", "missing", "*"),
    },
    "grade": {
        "mild": ("mild", "light", "any"),
        "medium": ("medium", "light", "any"),
        "severe": ("severe", "heavy", "any"),
    },
}
"""Every value, and what it may become: written down, not computed by the code under test."""


def table(records=1200):
    """Everything counted and declared, some towns missing; classes of all sizes, the rarest of one record."""
    towns, rare = ("Ulm", "Bonn", "Köln", None), (3, 13, 23)
    return pa.table(
        {
            "age": [rare[i % 3] if i % 401 == 0 else 20 + (i * i) % 40 for i in range(records)],
            "town": [towns[(i // 5) % 4] if i % 7 else "Ulm" for i in range(records)],
            "grade": [GRADES[(i + i // 11) % 3] for i in range(records)],
        }
    )


def schema():
    """Declared domains, as every method takes them."""
    towns = shoal.tree({"*": {"south": ["Ulm"], "west": ["Bonn", "Köln"]}})
    grades = shoal.tree({"any": {"light": ["mild", "medium"], "heavy": ["severe"]}})
    made = shoal.Schema().with_column("age", role="quasi-identifier", domain=(0, 59), hierarchy=shoal.intervals(10, 20))
    made = made.with_column("town", role="quasi-identifier", hierarchy=towns, missing=True)
    return made.with_column("grade", role="sensitive", domain=shoal.Categorical(GRADES, ordered=True), hierarchy=grades)


@dataclass(frozen=True)
class Case:
    """A method with its parameters, and one that asks for too much of the same table."""

    method: object
    impossible: object
    is_private: bool = False
    """Whether it needs coins, and generalizes sensitive columns too."""
    recodes: str = "levels"
    """`levels`: full-domain; `values`: each value by itself, so that the recoding can be applied to other records;
    `records`: values together with those of other records; `invents`: what is published are not the records."""
    is_verifiable: bool = True
    """Whether something can be verified on the published table."""

    def anonymize(self, frame, said=None, seed=7):
        """A release; private methods get seeded coins, so that tests repeat themselves."""
        coins = {"coins": SeededCoins(seed)} if self.is_private else {}
        return self.method.anonymize(frame, schema() if said is None else said, **coins)


CASES = {
    "optimal-lattice": [
        Case(shoal.OptimalLattice(k=5), shoal.OptimalLattice(k=5000)),
        Case(
            shoal.OptimalLattice(k=2, diversity=1.5, suppression_limit=0.2, quality=shoal.Discernibility()),
            shoal.OptimalLattice(k=2, diversity=3.5),
        ),
        Case(
            shoal.OptimalLattice(
                k=3,
                closeness=0.4,
                suppression_limit=1.0,
                criteria=(
                    shoal.Closeness(0.3, "grade", Distance.ORDERED),
                    shoal.EntropyDiversity(1.8, "grade"),
                    shoal.Disclosure(2.0, "grade"),
                ),
                time_limit=60,
            ),
            shoal.OptimalLattice(criteria=(shoal.DistinctDiversity(4, "grade"),), suppression_limit=1.0),
        ),
    ],
    "ola": [
        Case(shoal.OLA(k=5), shoal.OLA(k=5000)),
        Case(
            shoal.OLA(k=4, suppression_limit=0.0, criteria=(shoal.RecursiveDiversity(3.0, 2, "grade"),)),
            shoal.OLA(k=4, suppression_limit=0.0, diversity=3.5),
        ),
    ],
    "safepub": [
        Case(
            shoal.SafePub(epsilon=2.0, delta=1e-3),
            shoal.SafePub(epsilon=0.01, delta=1e-9),
            is_private=True,
        ),
        Case(
            shoal.SafePub(epsilon=2.0, delta=1e-3, mode=shoal.Mode.AS_PUBLISHED, quality=shoal.Granularity()),
            shoal.SafePub(epsilon=0.01, delta=1e-9, schemes=({"age": 0},)),
            is_private=True,
        ),
    ],
}
