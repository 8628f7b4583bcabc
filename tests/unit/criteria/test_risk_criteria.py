"""Risk as a request: against the definition, against all sets of classes, and against all recodings."""

from itertools import chain, combinations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.criteria import (
    AverageRisk,
    KAnonymity,
    KMap,
    PopulationUniqueness,
    Presence,
    RecordsAtRisk,
    SampleUniqueness,
    Suppression,
)
from shoal.data.attribute import Attribute
from shoal.data.classes import Classes
from shoal.data.counts import Counts
from shoal.data.encoded import EncodedTable
from shoal.data.people.survey_weights import SurveyWeights
from shoal.data.schema import Role
from shoal.quality import Loss
from shoal.search.evaluator import Evaluator
from shoal.search.minimal import minimal_nodes
from shoal.search.optimal import best_node

HEIGHT = 3
SIDE = 4


def attribute(name):
    domain, hierarchy = shoal.intervals(2).build(shoal.Grid.between(0, SIDE - 1), name)
    return Attribute(name, Role.QUASI_IDENTIFIER, domain, hierarchy)


def table_of(rows, weights=None, population=None):
    """Rows of two columns, each with a weight, and the people of a population beside them."""
    columns = np.array(rows, dtype=np.uint8).reshape(-1, 2).T
    counts = Counts.of(["a", "b"], list(columns), [SIDE, SIDE])
    labels = {pair: i for i, pair in enumerate(zip(*(code.tolist() for code in counts.codes), strict=True))}
    survey = None
    if weights is not None:
        units = np.zeros(len(counts), dtype=np.int64)
        for row, weight in zip(rows, weights, strict=True):
            units[labels[tuple(row)]] += weight
        survey = SurveyWeights(units, None, 1)
    people = None
    if population is not None:
        people = Counts.of(["a", "b"], list(np.array([*rows, *population], dtype=np.uint8).T), [SIDE, SIDE])
    return EncodedTable((attribute("a"), attribute("b")), counts, survey_weights=survey, population=people)


def level(value, height):
    return value if height == 0 else value // 2 if height == 1 else 0


class Naive:
    """The classes of a node, and who looks like them, counted one by one."""

    def __init__(self, rows, weights, population, node):
        self.members = {}
        for number, row in enumerate(rows):
            self.members.setdefault(self._of(row, node), []).append(number)
        self.people = {}
        for row in [*rows, *population]:
            self.people[self._of(row, node)] = self.people.get(self._of(row, node), 0) + 1
        self.weights = weights

    @staticmethod
    def _of(row, node):
        return tuple(level(value, height) for value, height in zip(row, node, strict=True))

    def holds(self, criterion, kept):
        sizes = [len(self.members[c]) for c in kept]
        n = sum(sizes)
        match criterion:
            case KAnonymity():
                return all(size >= criterion.k for size in sizes)
            case AverageRisk():
                return len(kept) <= criterion.risk * n + 1e-9
            case RecordsAtRisk():
                return sum(s for s in sizes if s * criterion.threshold < 1 - 1e-9) <= criterion.share * n + 1e-9
            case SampleUniqueness():
                return sum(s == 1 for s in sizes) <= criterion.share * n + 1e-9
            case PopulationUniqueness():
                alone = [self.weights[self.members[c][0]] for c in kept if len(self.members[c]) == 1]
                return sum(1 / w for w in alone) <= criterion.share * n + 1e-9
            case KMap(population=None):
                return all(sum(self.weights[i] for i in self.members[c]) >= criterion.k for c in kept)
            case KMap():
                return all(self.people[c] >= criterion.k for c in kept)
            case Presence():
                shares = [len(self.members[c]) / self.people[c] if c in kept else 0 for c in self.people]
                return all(criterion.least - 1e-9 <= share <= criterion.most + 1e-9 for share in shares)

    def fewest(self, criteria):
        """The fewest records that can be left out, over all sets of classes; None if something must be published."""
        classes = list(self.members)
        best = None
        for out in chain.from_iterable(combinations(classes, n) for n in range(len(classes))):
            kept = [c for c in classes if c not in out]
            if all(self.holds(criterion, kept) for criterion in criteria):
                lost = sum(len(self.members[c]) for c in out)
                best = lost if best is None else min(best, lost)
        return best


CRITERIA = [
    AverageRisk(0.5),
    AverageRisk(0.3),
    RecordsAtRisk(0.34, 0.25),
    RecordsAtRisk(0.5, 0.0),
    SampleUniqueness(0.2),
    SampleUniqueness(0.0),
    PopulationUniqueness(0.1),
    KMap(6),
    KMap(4, "people.csv"),
    Presence("people.csv", 0.6),
    Presence("people.csv", 0.9, 0.2),
]
IDS = [f"{c.name}-{i}" for i, c in enumerate(CRITERIA)]
ROW = st.tuples(st.integers(0, SIDE - 1), st.integers(0, SIDE - 1))
WEIGHTS = st.lists(st.integers(1, 5), min_size=8, max_size=8)
SMALL = st.tuples(st.lists(ROW, min_size=1, max_size=8), WEIGHTS, st.lists(ROW, max_size=6))


def evaluator(sample, criteria, allowed):
    rows, weights, population = sample
    table = table_of(rows, weights[: len(rows)], population)
    return Evaluator(table, [KAnonymity(1), *criteria], Loss(), allowed)


@pytest.mark.parametrize("criterion", CRITERIA, ids=IDS)
@settings(max_examples=25)
@given(sample=SMALL)
def test_what_is_left_out_of_a_recoding_suffices_and_is_the_least(criterion, sample):
    rows, weights, population = sample
    look = evaluator(sample, [criterion], len(rows))
    for node in look.lattice:
        classes, naive = look.classes.at(node), Naive(rows, weights, population, node)
        (suppressed,) = Suppression([criterion]).choices(classes, len(rows))
        everything = np.ones(len(classes), dtype=np.bool_)
        lost, fewest = int(classes.sizes[suppressed].sum()), naive.fewest([criterion])
        if isinstance(criterion, RecordsAtRisk) and fewest is not None:
            assert fewest <= lost <= fewest + 1
        else:
            assert lost == (len(rows) if fewest is None else fewest)
        assert criterion.violations(classes, everything).any() == (fewest != 0)


@pytest.mark.parametrize("criterion", CRITERIA, ids=IDS)
@settings(max_examples=12)
@given(sample=SMALL, limit=st.sampled_from([0.0, 0.3]))
def test_searches_find_what_looking_at_all_recodings_finds(criterion, sample, limit):
    rows, weights, population = sample
    look = evaluator(sample, [criterion], min(int(limit * len(rows)), len(rows) - 1))
    losses, admissible = {}, set()
    for node in look.lattice:
        fewest = Naive(rows, weights, population, node).fewest([criterion])
        if fewest is not None and fewest <= look.allowed:
            admissible.add(node)
        losses[node] = look.price(node, look.classes)[0]
    if not isinstance(criterion, RecordsAtRisk):
        assert {node for node, loss in losses.items() if loss < np.inf} == admissible
    found = best_node(look)
    assert (found is None and min(losses.values()) == np.inf) or found.loss == pytest.approx(min(losses.values()))
    if look.is_monotone:
        here = {node for node, loss in losses.items() if loss < np.inf}
        assert set(minimal_nodes(look)) == {n for n in here if not any(b in here for b in look.lattice.predecessors(n))}


def test_several_at_once_hold_together():
    rng = np.random.default_rng(3)
    for _ in range(20):
        rows = [tuple(row) for row in rng.integers(0, SIDE, (9, 2)).tolist()]
        weights = rng.integers(1, 6, 9).tolist()
        criteria = [AverageRisk(0.45), SampleUniqueness(0.1), PopulationUniqueness(0.05), KMap(4)]
        look = evaluator((rows, weights, []), criteria, 9)
        for node in look.lattice:
            classes, naive = look.classes.at(node), Naive(rows, weights, [], node)
            (suppressed,) = Suppression(criteria).choices(classes, 9)
            kept = [c for c, out in zip(sorted(naive.members), suppressed, strict=True) if not out]
            assert all(naive.holds(criterion, kept) for criterion in criteria)


@pytest.mark.parametrize("method", [shoal.Mondrian, shoal.LocalRecoding, shoal.TDS, shoal.OptimalLattice])
def test_every_method_meets_them(method):
    rng = np.random.default_rng(1)
    table = pa.table({"a": rng.integers(0, 16, 200), "b": rng.integers(0, 16, 200), "w": rng.integers(2, 9, 200)})
    schema = shoal.Schema(person="row", weight="w")
    for name in ("a", "b"):
        schema = schema.with_column(name, role="quasi-identifier", domain=(0, 15), hierarchy=shoal.intervals(2, 4, 8))
    criteria = (AverageRisk(0.2), RecordsAtRisk(0.25, 0.05), SampleUniqueness(0.01), PopulationUniqueness(0.01))
    given = {"target": "a"} if method is shoal.TDS else {}
    if method is shoal.TDS:
        schema = schema.with_column("c", role="sensitive", domain=["x", "y"])
        table = table.append_column("c", pa.array(rng.choice(["x", "y"], 200)))
        given = {"target": "c"}
    release = method(k=1, criteria=criteria, **given).anonymize(table, schema)
    sizes = np.array(sorted(release.facts.class_sizes.items()))
    records = int((sizes[:, 0] * sizes[:, 1]).sum())
    assert sizes[:, 1].sum() <= 0.2 * records
    assert sizes[sizes[:, 0] < 4].prod(axis=1).sum() <= 0.05 * records
    said = {guarantee.statement: guarantee.basis.value for guarantee in release.certificate.guarantees}
    assert said[AverageRisk(0.2).statement] == "verified"
    assert said[PopulationUniqueness(0.01).statement] == "claimed"


def test_persons_are_counted_where_they_are_told_apart():
    table = pa.table({"a": [0, 0, 0, 1, 1, 2], "p": [1, 1, 1, 2, 3, 4]})
    schema = shoal.Schema(person="p").with_column(
        "a", role="quasi-identifier", domain=(0, 3), hierarchy=shoal.intervals(2)
    )
    release = shoal.OptimalLattice(k=1, suppression_limit=0, criteria=(AverageRisk(0.5),)).anonymize(table, schema)
    assert release.outcome.classes.people.tolist() == [3, 1]
    (average,) = [c for c in release.certificate.guarantees if "average risk" in c.statement]
    assert "published person" in average.statement
    assert average.basis.value == "claimed"


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: AverageRisk(0),
        lambda: AverageRisk(1.5),
        lambda: RecordsAtRisk(0.2, 1),
        lambda: SampleUniqueness(-0.1),
        lambda: KMap(0),
        lambda: KMap(3, " "),
        lambda: Presence("people.csv", 0.5, 0.6),
        lambda: Presence("people.csv", 0),
    ],
)
def test_parameters_out_of_range_are_refused(wrong):
    with pytest.raises(shoal.ParameterError):
        wrong()


def test_classes_say_what_is_missing():
    table = table_of([(0, 0)])
    classes = Classes(table, np.zeros(1, dtype=np.int64), 1, lambda _, rows: rows)
    with pytest.raises(shoal.SchemaError, match="name the column of weights"):
        KMap(2).violations(classes, np.ones(1, dtype=np.bool_))
    with pytest.raises(shoal.SchemaError, match="was not read"):
        KMap(2, "people.csv").violations(classes, np.ones(1, dtype=np.bool_))
