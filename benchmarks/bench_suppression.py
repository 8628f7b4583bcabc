"""t-closeness, β-likeness and δ-disclosure on Adult: loss and CPU time by which classes are left out, and how well.

*At once* is the plain rule: all failing classes go together, judged again until none fails. *Ours* is the better of
that and worst first, with what can be put back put back. *Input* compares with the input instead of what is published.
Last, on small tables of which all sets of classes can be tried: how far the rules are from the best set.

With an argument, a share such as 0.5, only that suppression limit is run; large ones take minutes.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from common import ADULT, adult_schema, cpu, machine

from shoal.arrays import Floats, Mask
from shoal.criteria import Closeness, Criterion, Disclosure, Distance, KAnonymity, Likeness, Reference, Suppression
from shoal.data.attribute import settle
from shoal.data.classes import Classes
from shoal.data.counts import Counts
from shoal.data.domain import Categorical
from shoal.data.encoded import EncodedTable
from shoal.data.schema import Column, Role, Schema
from shoal.quality import Loss
from shoal.search.evaluator import Evaluator
from shoal.search.exhaustive import best_of_all
from shoal.search.lattice import NodeClasses
from shoal.search.optimal import best_node

COLUMN = "occupation"


@dataclass(frozen=True)
class AtOnce:
    """A criterion of which nothing is known but what it says: its failing classes go all at once."""

    inner: Criterion
    is_relative = True

    @property
    def statement(self) -> str:
        """As the criterion has it."""
        return self.inner.statement

    def check(self, table: EncodedTable) -> None:
        """As the criterion does."""
        self.inner.check(table)

    def measure(self, classes: Classes, published: Mask) -> Floats:
        """As the criterion does."""
        return self.inner.measure(classes, published)

    def violations(self, classes: Classes, published: Mask) -> Mask:
        """As the criterion does."""
        return self.inner.violations(classes, published)

    def worst(self, measured: Floats) -> float:
        """As the criterion does."""
        return self.inner.worst(measured)

    def implied(self) -> None:
        """Nothing."""
        return


def main() -> None:
    print(machine())
    table = adult()
    print(f"Adult: {table.total:,} records, {COLUMN} sensitive, k = 5, loss metric")
    print(f"{'':<26} {'limit':>6} {'at once':>8} {'CPU s':>7} {'ours':>8} {'CPU s':>7} {'input':>8} {'CPU s':>7}")
    for limit in [float(share) for share in sys.argv[1:]] or [0.04, 0.1, 0.2]:
        for name, criterion in {
            "0.2-closeness, equal": Closeness(0.2, COLUMN),
            "0.2-closeness, hierarchy": Closeness(0.2, COLUMN, Distance.HIERARCHICAL),
            "1-likeness": Likeness(1.0, COLUMN),
            "2-likeness": Likeness(2.0, COLUMN),
            "2-disclosure": Disclosure(2.0, COLUMN),
        }.items():
            searches = (
                (AtOnce(criterion), best_of_all),
                (criterion, best_node),
                (replace(criterion, reference=Reference.INPUT), best_node),
            )
            told = ""
            for asked, search in searches:
                evaluator = Evaluator(table, [KAnonymity(5), asked], Loss(), int(limit * table.total))
                found = []
                seconds = cpu(lambda e=evaluator, s=search, f=found: f.append(s(e)), repeat=1)
                told += f" {found[0].loss:>8.4f} {seconds:>7.2f}"
            print(f"{name:<26} {limit:>6.0%}{told}", flush=True)
    gaps()


def adult() -> EncodedTable:
    from shoal.engines.codes.encoding import encode
    from shoal.engines.local import LocalEngine
    from shoal.engines.reading.source import open_source

    columns = [replace(c, role=Role.SENSITIVE) if c.name == COLUMN else c for c in adult_schema()]
    schema = Schema(tuple(columns))
    engine = LocalEngine(open_source(ADULT / "adult_arx.csv.gz"))
    return encode(engine, schema, schema.names(Role.QUASI_IDENTIFIER, Role.SENSITIVE))


def gaps(tables: int = 300) -> None:
    """Small tables: the records that each rule keeps, and the most that any set of classes could keep."""
    rng = np.random.default_rng(0)
    print(f"\n{tables} tables of 3 to 9 classes: records kept less than by the best set of all, and how often as many")
    print(f"{'':<26} {'at once':>16} {'ours':>16}")
    drawn = [_small(rng) for _ in range(tables)]
    for name, criterion in {
        "0.2-closeness": Closeness(0.2, "s"),
        "1-likeness": Likeness(1.0, "s"),
        "1-disclosure": Disclosure(1.0, "s"),
    }.items():
        once, ours = [], []
        for classes in drawn:
            best = _best(criterion, classes)
            for asked, into in ((AtOnce(criterion), once), (criterion, ours)):
                choices = Suppression([asked]).choices(classes, classes.total)
                kept = max(int(classes.sizes[~choice].sum()) for choice in choices)
                into.append((best - kept) / classes.total)
        told = [f"{np.mean(gap):>8.2%} {np.mean(np.array(gap) == 0):>7.0%}" for gap in (once, ours)]
        print(f"{name:<26} {told[0]:>16} {told[1]:>16}")


def _small(rng: np.random.Generator) -> Classes:
    groups, values = int(rng.integers(3, 10)), int(rng.integers(2, 5))
    common = 2 * rng.dirichlet(np.full(values, 2.0))
    q, s = [], []
    for group in range(groups):
        drawn = rng.choice(values, int(rng.integers(3, 30)), p=rng.dirichlet(common * rng.choice([2.0, 5.0, 20.0])))
        q += [group] * len(drawn)
        s += drawn.tolist()
    attributes = tuple(
        settle(Column(name, role), Categorical(tuple(f"{name}{i}" for i in range(size))))
        for name, role, size in (("q", Role.QUASI_IDENTIFIER, groups), ("s", Role.SENSITIVE, values))
    )
    counts = Counts.of(["q", "s"], [np.array(q), np.array(s)], [groups, values])
    return NodeClasses(EncodedTable(attributes, counts)).at((0,))


def _best(criterion: Criterion, classes: Classes) -> int:
    """The most records that any set of classes keeps, by trying all sets."""
    best = 0
    for kept in product((False, True), repeat=len(classes)):
        published = np.array(kept)
        records = int(classes.sizes[published].sum())
        if records > best and not criterion.violations(classes, published)[published].any():
            best = records
    return best


if __name__ == "__main__":
    main()
