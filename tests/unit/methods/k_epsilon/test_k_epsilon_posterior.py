"""The posterior bound of (k, ε)-anonymity (theory KE-2), on the method itself: every branch of its coins.

Each person carries a tag in a column that is published as it is. The law of tagged releases is the joint law of who
became which row and what the rows show; an attacker sees the rows without tags, and asks who is who.
"""

from collections import Counter, defaultdict
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from strategies import attribute_of

from shoal.audit import distribution
from shoal.audit.laws import discrete_laplace_law
from shoal.data.counts import Counts
from shoal.data.domain import Categorical, Grid
from shoal.data.encoded import EncodedTable
from shoal.data.hierarchies.build import Flat
from shoal.data.schema import Role
from shoal.dp.accounting.relation import attributes
from shoal.dp.ledger.ledger import Ledger
from shoal.errors import InfeasibleError
from shoal.kernels.grouping import narrowest
from shoal.methods import OLA, KEpsilon, Mode, Several
from shoal.promises.statements import linking_posterior
from shoal.risk import ClassRule

WIDTH = 2
"""Between the least and the largest number of anybody."""
TAGS = ("Alice", "Bob", "Carol", "Dave")


@pytest.fixture(autouse=True)
def _nothing_for_the_owner(monkeypatch):
    """What is measured for the owner takes time, and an enumeration runs thousands of releases."""
    monkeypatch.setattr("shoal.methods.k_epsilon.columns.PerturbedColumn.losses", lambda *_: {})


def tagged(people):
    """People of one class, each a tuple of numbers 0…2, each with a tag of their own."""
    columns = len(people[0])
    grid = Grid.between(0, 2)
    attributes = (
        attribute_of("g", Flat(), Categorical(("a", "b"))),
        *(attribute_of(f"h{i}", Flat(), grid) for i in range(columns)),
        attribute_of("tag", None, Categorical(TAGS), Role.SENSITIVE),
    )
    rows = [(0, *numbers, tag) for tag, numbers in enumerate(people)]
    codes = [np.array([row[i] for row in rows], dtype=narrowest(a.domain.size)) for i, a in enumerate(attributes)]
    return EncodedTable(attributes, Counts.of([a.name for a in attributes], codes, [a.domain.size for a in attributes]))


class OneClass(OLA):
    """Decides once: all people here are alike in the k-quasis."""

    def run(self, table, **others):
        return _decided(self, table.total) or _decide(self, table, **others)


@cache
def _memory():
    return {}


def _decided(method, total):
    return _memory().get((method.k, total))


def _decide(method, table, **others):
    return _memory().setdefault((method.k, table.total), OLA.run(method, table, **others))


def links(method, people, tail):
    """(rows seen, who, which row, its posterior) for everything that can be published."""
    table = tagged(people)

    def run(coins):
        try:
            outcome = method.run(table, coins=coins, ledger=Ledger(neighbors=attributes(*method.perturbed)))
        except InfeasibleError:  # nobody is left at this confidence
            return []
        published = outcome.published
        shown = [outcome.shown[name].values[published.column(name)] for name in method.perturbed]
        assert published.sizes.tolist() == [1] * len(published)  # tags tell everybody apart
        return sorted(zip(zip(*(of.tolist() for of in shown), strict=True), published.column("tag"), strict=True))

    joint = defaultdict(lambda: defaultdict(float))
    for rows, mass in distribution(run, tail=tail).masses.items():
        joint[tuple(row for row, _ in rows)][rows] += mass
    columns = list(zip(*{row for seen in joint for row in seen}, strict=True))
    if method.confidence is not None:  # rows left out may be those far out
        reach = -discrete_laplace_law(method.epsilon / WIDTH, tail)[0]
        columns = [(-reach, WIDTH + reach)]
    within = [range(int(min(of)) + WIDTH, int(max(of)) - WIDTH + 1) for of in columns]  # beyond, noise is cut off
    for seen, worlds in joint.items():
        if not all(number in of for row in seen for number, of in zip(row, within, strict=True)):
            continue
        total, copies = sum(worlds.values()), Counter(seen)
        held = defaultdict(float)
        for rows, mass in worlds.items():
            for row, tag in rows:
                held[tag, row] += mass
        for (tag, row), mass in held.items():
            yield seen, tag, row, mass / total / copies[row]


CASES = [
    ([(0,), (2,)], 2, 3, {}),
    ([(0,), (1,), (2,)], 3, 2, {}),
    ([(0,), (0,), (2,)], 2, 2, {}),
    ([(0,), (1,), (2,)], 2, 3, {"confidence": 0.9}),
    pytest.param([(0,), (1,), (2,)], 2, 3, {"confidence": 0.9, "class_rule": ClassRule.TEXT}, marks=pytest.mark.slow),
    pytest.param([(0, 2), (2, 0)], 2, 6, {"several": Several.SPLIT}, marks=pytest.mark.slow),
    ([(0, 1), (2, 0)], 2, 6, {"several": Several.VECTOR}),
]


@pytest.mark.parametrize(("people", "k", "epsilon", "settings"), CASES)
def test_no_link_is_surer_than_the_certificate_says(people, k, epsilon, settings):
    """All rows of the class, with and without rows left out for confidence, in both readings of the class rule."""
    method = KEpsilon(
        epsilon=epsilon,
        perturbed=tuple(f"h{i}" for i in range(len(people[0]))),
        anonymizer=OneClass(k=k),
        mode=Mode.AS_PUBLISHED,
        digits=0,
        **settings,
    )
    promised = method.facts()["linking posterior from all rows of a class"]
    assert promised == float(linking_posterior(k, Fraction(epsilon)))
    surest, seen = 0.0, 0
    tail = 1e-4 if "confidence" in settings else 0.01  # rows left out: their law is cut off by so much
    for _, _, _, posterior in links(method, people, tail):
        surest, seen = max(surest, posterior), seen + 1
    assert seen > 10
    assert 1 / len(people) < surest <= promised + 1e-9
    if "confidence" not in settings:  # the class is larger than k, too
        assert surest <= float(linking_posterior(len(people), Fraction(epsilon))) + 1e-9


def test_the_bound_for_two_people_is_reached():
    """Two at the ends of the class: rows beyond either end multiply to e^(2ε), so nothing smaller could be promised."""
    method = KEpsilon(epsilon=2, perturbed=("h0",), anonymizer=OneClass(k=2), mode=Mode.AS_PUBLISHED, digits=0)
    surest = max(posterior for *_, posterior in links(method, [(0,), (2,)], tail=0.01))
    assert surest == pytest.approx(float(linking_posterior(2, Fraction(2))), abs=1e-9)


def test_rigorous_releases_obey_the_same_bound():
    """Proofs, section 4, last paragraph: any two values of the domain are hidden from each other."""
    method = KEpsilon(epsilon=3, perturbed=("h0",), anonymizer=OneClass(k=2), within_domain=False)
    surest = max(posterior for *_, posterior in links(method, [(0,), (1,), (2,)], tail=0.01))
    assert surest <= method.facts()["linking posterior from all rows of a class"] + 1e-9
    assert surest > 1 / 3
