"""The instances that conformance runs: every method of `plan.METHODS`, in the variants that differ in their promises.

A method that is not here fails `test_every_method`; one that is here gets all its tests for free.
"""

from dataclasses import dataclass

import pyarrow as pa

import shoal
from shoal.criteria import Distance
from shoal.dp.coins.coins import SeededCoins

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
    made = shoal.Schema(person="row")
    made = made.with_column("age", role="quasi-identifier", domain=(0, 59), hierarchy=shoal.intervals(10, 20))
    made = made.with_column("town", role="quasi-identifier", hierarchy=towns, missing=True)
    return made.with_column("grade", role="sensitive", domain=shoal.Categorical(GRADES, ordered=True), hierarchy=grades)


class RepeatedCoins(SeededCoins):
    """Coins that repeat themselves without saying so: tests see the certificate of a real run, and see it again."""

    __slots__ = ()
    seeded = False


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
        """A release; private methods get coins of a seed, so that tests repeat themselves."""
        coins = {"coins": RepeatedCoins(seed)} if self.is_private else {}
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
    "diffgen": [
        Case(
            shoal.DiffGen(epsilon=2.0, target="grade"),
            shoal.DiffGen(epsilon=2.0, target="grade", threshold=100_000),
            is_private=True,
            recodes="values",
            is_verifiable=False,
        ),
        Case(
            shoal.DiffGen(epsilon=2.0, target="grade", mode=shoal.Mode.AS_PUBLISHED, specializations=3),
            shoal.DiffGen(epsilon=2.0, target="grade", mode=shoal.Mode.AS_PUBLISHED, specializations=3, threshold=9999),
            is_private=True,
            recodes="values",
            is_verifiable=False,
        ),
        Case(
            shoal.DiffGen(epsilon=3.0, target="grade", utility=shoal.Utility.INFO_GAIN, tune=(2, 4)),
            shoal.DiffGen(epsilon=3.0, target="grade", tune=(2, 4), threshold=9999),
            is_private=True,
            recodes="values",
            is_verifiable=False,
        ),
    ],
    "marginals": [
        Case(
            shoal.Marginals(epsilon=2.0, target="grade"),
            shoal.Marginals(epsilon=1e-6, target="grade"),
            is_private=True,
            recodes="invents",
            is_verifiable=False,
        ),
        Case(
            shoal.Marginals(epsilon=1.0, delta=1e-5, numbers="intervals", expected_records=1200),
            shoal.Marginals(epsilon=1e-6, delta=2e-5),
            is_private=True,
            recodes="values",
            is_verifiable=False,
        ),
        Case(
            shoal.Marginals(epsilon=8.0, workload=(("age", "grade"),), weights={"age": 2.0}),
            shoal.Marginals(epsilon=1e-6, workload=(("age", "grade"),)),
            is_private=True,
            recodes="invents",
            is_verifiable=False,
        ),
    ],
    "mondrian": [
        Case(shoal.Mondrian(k=5), shoal.Mondrian(k=5000), recodes="records"),
        Case(
            shoal.Mondrian(k=3, split="relaxed", publish="nodes", weights={"age": 2.0}),
            shoal.Mondrian(k=3, diversity=3.5),
            recodes="records",
        ),
        Case(
            shoal.Mondrian(
                k=4, diversity=1.5, closeness=0.4, criteria=(shoal.EntropyDiversity(1.8, "grade"),), publish="nodes"
            ),
            shoal.Mondrian(criteria=(shoal.DistinctDiversity(4, "grade"),), split="relaxed"),
            recodes="records",
        ),
        Case(shoal.Mondrian(k=3, split="single"), shoal.Mondrian(k=1201, split="single"), recodes="records"),
        Case(
            shoal.Mondrian(k=3, split="relaxed", closeness=0.3),
            shoal.Mondrian(split="single", diversity=3.5),
            recodes="records",
        ),
    ],
    "local-recoding": [
        Case(shoal.LocalRecoding(k=5), shoal.LocalRecoding(k=5000), recodes="records"),
        Case(
            shoal.LocalRecoding(k=3, publish="intervals", weights={"town": 0.5}),
            shoal.LocalRecoding(k=3, publish="intervals", diversity=3.5),
            recodes="records",
        ),
        Case(
            shoal.LocalRecoding(k=3, diversity=2.0, closeness=0.4),
            shoal.LocalRecoding(criteria=(shoal.DistinctDiversity(4, "grade"),)),
            recodes="records",
        ),
    ],
    "cell-suppression": [
        Case(shoal.CellSuppression(k=5), shoal.CellSuppression(k=5000), recodes="records"),
        Case(
            shoal.CellSuppression(k=3, diversity=1.5, weights={"town": 0.5}),
            shoal.CellSuppression(k=3, diversity=3.5),
            recodes="records",
        ),
        Case(shoal.CellSuppression(k=4, optimal=True), shoal.CellSuppression(k=1201, optimal=True), recodes="records"),
    ],
    "mdav": [
        Case(shoal.MDAV(k=5), shoal.MDAV(k=5000), recodes="records"),
        Case(shoal.MDAV(k=7, block_size=20), shoal.MDAV(k=1201), recodes="records"),
    ],
    "microaggregation-dp": [
        Case(
            shoal.MicroaggregationDP(epsilon=1.0),
            shoal.MicroaggregationDP(epsilon=1.0, k=5000),
            is_private=True,
            recodes="invents",
        ),
        Case(
            shoal.MicroaggregationDP(epsilon=1.0, k=150, mode=shoal.Mode.AS_PUBLISHED, columns=3),
            shoal.MicroaggregationDP(epsilon=1.0, k=5000, mode=shoal.Mode.AS_PUBLISHED, columns=3),
            is_private=True,
            recodes="invents",
        ),
        Case(
            shoal.MicroaggregationDP(epsilon=1.0, delta=1e-5, k=80, references=shoal.References.ONE),
            shoal.MicroaggregationDP(epsilon=1.0, delta=1e-5, k=1300),
            is_private=True,
            recodes="invents",
        ),
    ],
    "k-epsilon": [
        Case(
            shoal.KEpsilon(epsilon=2.0, perturbed=("age",), anonymizer=shoal.OLA(k=5)),
            shoal.KEpsilon(epsilon=2.0, perturbed=("age",), anonymizer=shoal.OLA(k=5000)),
            is_private=True,
            recodes="values",
        ),
        Case(
            shoal.KEpsilon(
                epsilon=1.0,
                perturbed=("age",),
                anonymizer=shoal.OptimalLattice(k=4, diversity=2.0),
                mode=shoal.Mode.AS_PUBLISHED,
                confidence=0.6,
            ),
            shoal.KEpsilon(
                epsilon=16.0,
                perturbed=("age",),
                anonymizer=shoal.OLA(k=100),
                mode=shoal.Mode.AS_PUBLISHED,
                confidence=0.01,
            ),
            is_private=True,
            recodes="values",
        ),
        Case(
            shoal.KEpsilon(
                epsilon=3.0,
                perturbed=("age",),
                bounds_share=0.3,
                bounds=(shoal.ClassBounds(column="age", lower=10, upper=59, where={"town": "west"}),),
                within_domain=True,
            ),
            shoal.KEpsilon(epsilon=2.0, perturbed=("age",), anonymizer=shoal.OptimalLattice(k=5000)),
            is_private=True,
            recodes="values",
        ),
        Case(
            shoal.KEpsilon(epsilon=1.0, perturbed=("age",), anonymizer=shoal.Mondrian(k=7, split="relaxed")),
            shoal.KEpsilon(epsilon=1.0, perturbed=("age",), anonymizer=shoal.Mondrian(k=7, diversity=3.5)),
            is_private=True,
            recodes="records",
        ),
    ],
    "pram": [
        Case(
            shoal.PRAM(perturbed=("town",), epsilon=2, anonymizer=shoal.OLA(k=5)),
            shoal.PRAM(perturbed=("town",), epsilon=2, anonymizer=shoal.OLA(k=5000)),
            is_private=True,
            recodes="values",
        ),
        Case(
            shoal.PRAM(
                perturbed=("grade",),
                matrices={
                    "grade": {
                        "mild": {"mild": 0.8, "medium": 0.1, "severe": 0.1},
                        "medium": {"mild": 0.1, "medium": 0.8, "severe": 0.1},
                        "severe": {"mild": 0.1, "medium": 0.1, "severe": 0.8},
                    }
                },
                anonymizer=shoal.Mondrian(k=4),
            ),
            shoal.PRAM(perturbed=("grade",), epsilon=1, anonymizer=shoal.Mondrian(k=5000)),
            is_private=True,
            recodes="records",
        ),
        Case(
            shoal.PRAM(perturbed=("town", "grade"), invariant=0.7, anonymizer=shoal.Mondrian(k=4)),
            shoal.PRAM(perturbed=("town", "grade"), invariant=0.7, anonymizer=shoal.Mondrian(k=1201)),
            is_private=True,
            recodes="records",
        ),
        Case(
            shoal.PRAM(perturbed=("age", "town"), epsilon=4),
            shoal.PRAM(perturbed=("town",), epsilon=4, anonymizer=shoal.Mondrian(k=1201)),
            is_private=True,
            recodes="invents",
            is_verifiable=False,
        ),
    ],
    "rank-swapping": [
        Case(
            shoal.RankSwapping(perturbed=("age",), anonymizer=shoal.OLA(k=5)),
            shoal.RankSwapping(perturbed=("age",), anonymizer=shoal.OLA(k=5000)),
            is_private=True,
            recodes="values",
        ),
    ],
    "noise": [
        Case(
            shoal.Noise(perturbed=("age",), anonymizer=shoal.Mondrian(k=5)),
            shoal.Noise(perturbed=("age",), anonymizer=shoal.Mondrian(k=5000)),
            is_private=True,
            recodes="records",
        ),
    ],
    "nsvdist": [
        Case(
            shoal.NSVDist(k=5, diversity=2.0),
            shoal.NSVDist(k=5, diversity=3.5),
            recodes="records",
            is_verifiable=False,
        ),
        Case(
            shoal.NSVDist(k=6, diversity=2.5, mode=shoal.Mode.AS_PUBLISHED, ties="least-used"),
            shoal.NSVDist(k=5, diversity=2.8, mode=shoal.Mode.AS_PUBLISHED),
            recodes="records",
            is_verifiable=False,
        ),
        Case(
            shoal.NSVDist(k=4, diversity=2.0, mode=shoal.Mode.AS_PUBLISHED, output="columns", publish="nodes"),
            shoal.NSVDist(k=2000, diversity=1.0, mode=shoal.Mode.AS_PUBLISHED),
            recodes="records",
            is_verifiable=False,
        ),
        Case(
            shoal.NSVDist(k=4, diversity=2.0, mode=shoal.Mode.AS_PUBLISHED, output="records"),
            shoal.NSVDist(k=4, diversity=3.5, output="records"),
            is_private=True,
            recodes="invents",
            is_verifiable=False,
        ),
    ],
    "sequential": [
        Case(shoal.Sequential(k=5, diversity=1.5), shoal.Sequential(k=5, diversity=3.5), recodes="records"),
        Case(shoal.Sequential(k=20, publish="nodes"), shoal.Sequential(k=5000), recodes="records"),
    ],
    "nhaa": [
        Case(
            shoal.NHAA(diversity=2),
            shoal.NHAA(diversity=4),
            is_private=True,
            recodes="invents",
            is_verifiable=False,
        ),
    ],
    "tds": [
        Case(shoal.TDS(k=5, target="grade"), shoal.TDS(k=5000, target="grade"), recodes="values"),
        Case(
            shoal.TDS(k=3, target="grade", diversity=1.5, criteria=(shoal.LKCPrivacy(1, 12),)),
            shoal.TDS(k=3, target="grade", diversity=3.5),
            recodes="values",
        ),
        Case(shoal.TDS(k=4, target="town"), shoal.TDS(k=601, target="town"), recodes="values"),
    ],
    "pais": [
        Case(shoal.PAIS(length=1, k=6, target="grade"), shoal.PAIS(k=5000, target="grade"), recodes="values"),
        Case(
            shoal.PAIS(length=2, k=4, confidence=0.8, sensitive_values=("severe",), utility="discernibility"),
            shoal.PAIS(confidence=0.2, utility="discernibility"),
            recodes="values",
        ),
        Case(
            shoal.PAIS(length=2, k=4, confidence=0.6, target="town"),
            shoal.PAIS(k=601, target="town"),
            recodes="values",
        ),
    ],
}
