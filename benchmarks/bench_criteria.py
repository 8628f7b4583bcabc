"""The optimal search of Adult under criteria and quality models, beside ARX: CPU seconds of the search alone, warm.

ARX's figures are CPU seconds on Adult, measured on a machine of this kind and written down here; the ratio says how
many times as long it took. ARX compares classes with the input: `input`; what anybody can check, classes compared with
what is published, has a line of its own. A request that ARX was not timed for has no ratio.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from common import DATA, adult, cpu, machine

from shoal.criteria import (
    Closeness,
    Criterion,
    Disclosure,
    Distance,
    EntropyDiversity,
    Likeness,
    RecursiveDiversity,
    Reference,
)
from shoal.data.encoded import EncodedTable
from shoal.data.schema import Role
from shoal.methods import OptimalLattice
from shoal.quality import (
    Discernibility,
    EquivalenceClassSize,
    Loss,
    NonUniformEntropy,
    QualityModel,
    ShannonEntropy,
)

COLUMN = "occupation"
"""Sensitive where a criterion is about sensitive values, a quasi-identifier otherwise."""


@dataclass(frozen=True)
class Line:
    """One request, and the CPU seconds of ARX for it if they are known."""

    name: str
    limit: float
    arx: float | None = None
    criterion: Criterion | None = None
    quality: QualityModel = field(default_factory=Loss)


EQUAL = Closeness(0.2, COLUMN, reference=Reference.INPUT)
TREE = replace(EQUAL, distance=Distance.HIERARCHICAL)
LIKENESS, DISCLOSURE = Likeness(1.0, COLUMN, Reference.INPUT), Disclosure(2.0, COLUMN, Reference.INPUT)
LINES = [
    Line("0.2-closeness, equal, input", 0.04, 1.10, EQUAL),
    Line("0.2-closeness, equal, published", 0.04, 1.10, replace(EQUAL, reference=Reference.PUBLISHED)),
    Line("0.2-closeness, hierarchical, input", 0.04, 1.19, TREE),
    Line("0.2-closeness, hierarchical, published", 0.04, 1.19, replace(TREE, reference=Reference.PUBLISHED)),
    Line("1-likeness, input", 0.04, None, LIKENESS),
    Line("1-likeness, published", 0.04, None, replace(LIKENESS, reference=Reference.PUBLISHED)),
    Line("2-disclosure, input", 0.04, None, DISCLOSURE),
    Line("2-disclosure, published", 0.04, None, replace(DISCLOSURE, reference=Reference.PUBLISHED)),
    Line("entropy 3-diversity", 0.04, None, EntropyDiversity(3, COLUMN)),
    Line("entropy 3-diversity", 1.0, 1.11, EntropyDiversity(3, COLUMN)),
    Line("recursive (4, 3)-diversity", 0.04, None, RecursiveDiversity(4, 3, COLUMN)),
    Line("recursive (4, 3)-diversity", 1.0, None, RecursiveDiversity(4, 3, COLUMN)),
    Line("loss", 0.0, 0.033),
    Line("loss", 0.04),
    Line("loss", 1.0),
    Line("shannon-entropy", 0.04, 1.25, quality=ShannonEntropy()),
    Line("shannon-entropy", 1.0, 6.94, quality=ShannonEntropy()),
    Line("entropy, SafePub's", 0.04, 1.25, quality=NonUniformEntropy()),
    Line("entropy, SafePub's", 1.0, 6.94, quality=NonUniformEntropy()),
    Line("equivalence-class-size", 0.04, quality=EquivalenceClassSize()),
    Line("equivalence-class-size", 1.0, quality=EquivalenceClassSize()),
    Line("discernibility", 1.0, 5.3, quality=Discernibility()),
]


def main() -> None:
    print(machine())
    table = adult()
    judged = _with_sensitive(table, COLUMN)
    print(f"Adult: {table.total:,} records, k = 5; {COLUMN} is sensitive where a criterion is asked for")
    print(f"{'':<40} {'limit':>6} {'loss':>8} {'looks':>7} {'CPU s':>7} {'ARX':>7} {'ARX/ours':>9}")
    for line in LINES:
        criteria = () if line.criterion is None else (line.criterion,)
        method = OptimalLattice(k=5, suppression_limit=line.limit, quality=line.quality, criteria=criteria)
        here = judged if criteria else table
        found, seconds = method.run(here).search, cpu(lambda method=method, here=here: method.run(here))
        told = f"{line.name:<40} {line.limit:>6.0%} {found['loss']:>8.4f} {found['evaluated']:>7,} {seconds:>7.3f}"
        is_comparable = line.arx is not None and DATA.exists()  # ARX had Adult, and not a made-up table
        print(told + (f" {line.arx:>7.3f} {line.arx / seconds:>9.1f}" if is_comparable else ""))


def _with_sensitive(table: EncodedTable, column: str) -> EncodedTable:
    """The same table with one column sensitive."""
    attributes = tuple(replace(a, role=Role.SENSITIVE) if a.name == column else a for a in table.attributes)
    return replace(table, attributes=attributes)


if __name__ == "__main__":
    main()
