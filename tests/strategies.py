"""Hypothesis strategies for small domains, hierarchies and tables: the one home for generators.

A `Sample` holds one table twice: as rows of labels, for the plain-Python oracles of `naive`, and encoded, for the code
under test.
"""

import datetime as dt
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from itertools import pairwise, product
from random import Random

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from shoal.criteria import (
    Closeness,
    Disclosure,
    Distance,
    DistinctDiversity,
    EntropyDiversity,
    FrequencyDiversity,
    KAnonymity,
    Likeness,
    RecursiveDiversity,
    Reference,
)
from shoal.data.attribute import settle
from shoal.data.counts import Counts
from shoal.data.domain import Categorical, Dates, Grid
from shoal.data.encoded import EncodedTable
from shoal.data.hierarchies.build import Balanced, DateLevels, Flat, Intervals
from shoal.data.hierarchies.paths import Paths, Prefixes
from shoal.data.people.incidence import Incidence
from shoal.data.schema import Column, Role
from shoal.data.unit import Unit
from shoal.kernels.grouping import narrowest
from shoal.quality import (
    AverageClassSize,
    Classification,
    Discernibility,
    EquivalenceClassSize,
    Granularity,
    GroupSize,
    Intensity,
    Loss,
    NonUniformEntropy,
    Precision,
    ShannonEntropy,
)


def examples(number):
    """`number` examples in the default profile, as many times more as a longer profile asks for."""
    return settings(max_examples=max(1, number * settings.default.max_examples // 100), deadline=None)


# Domains


def words(min_size=1, max_size=4):
    """Short names, none of them blank."""
    return st.text("abc12", min_size=min_size, max_size=max_size)


@st.composite
def categoricals(draw, ordered=None, max_size=12):
    values = draw(st.lists(words(), min_size=1, max_size=max_size, unique=True))
    domain = Categorical(tuple(values), ordered=draw(st.booleans()) if ordered is None else ordered)
    return domain.with_missing() if draw(st.booleans()) else domain


@st.composite
def grids(draw, max_steps=60, decimals=(0, 2)):
    """Numbers on a grid, its step a small multiple of a power of ten, its start a multiple of the step."""
    places = draw(st.integers(*decimals))
    unit = Decimal(1).scaleb(-places)
    step = draw(st.integers(1, 5)) * unit
    lower = draw(st.integers(-30, 30)) * step
    return Grid.between(lower, lower + draw(st.integers(0, max_steps)) * step, step, missing=draw(st.booleans()))


@st.composite
def date_ranges(draw, max_days=900):
    first = draw(st.dates(dt.date(1899, 1, 1), dt.date(2031, 12, 31)))
    last = first + dt.timedelta(days=draw(st.integers(0, max_days)))
    return Dates(first, last, has_missing=draw(st.booleans()))


# Hierarchies


@st.composite
def trees(draw, max_leaves=6, max_height=3, prefix="v"):
    """A ragged tree as paths: {leaf: (leaf, its node on level 1, …, '*')}, leaves along the tree."""
    leaves = draw(st.integers(1, max_leaves))
    height = draw(st.integers(1, max_height))
    borders = draw(st.lists(st.integers(1, height), min_size=leaves - 1, max_size=leaves - 1))
    repeats = draw(st.lists(st.booleans(), min_size=height, max_size=height))
    return tree_of(draw(st.permutations([f"{prefix}{i}" for i in range(leaves)])), borders, repeats, prefix)


def tree_of(names, borders, repeats, prefix):
    """A tree over `names`: between two neighbors stands a border that disappears at a level.

    A group that is the same on two levels is one node, its label repeated, where `repeats[level]` says so, else two.
    """
    leaves, height = len(names), len(repeats)
    paths = [[name] for name in names]
    spans = [(i, i + 1) for i in range(leaves)]
    for level in range(1, height):
        starts = [0, *(i + 1 for i, gone in enumerate(borders) if gone > level), leaves]
        for start, end in pairwise(starts):
            same = spans[start] == (start, end) and repeats[level]
            label = paths[start][-1] if same else f"{prefix}[{start}:{end}]^{level}"
            for i in range(start, end):
                paths[i].append(label)
                spans[i] = (start, end)
    return {name: (*path, "*") for name, path in zip(names, paths, strict=True)}


@st.composite
def cases(draw):
    """A recipe with a domain it fits."""
    kind = draw(st.sampled_from(("flat", "intervals", "dates", "balanced", "paths", "prefixes")))
    match kind:
        case "flat":
            return Flat(), draw(st.one_of(categoricals(), grids(max_steps=12), date_ranges(max_days=12)))
        case "intervals":
            domain = draw(grids())
            step = Decimal(domain.step).scaleb(-domain.decimals)
            widths = [step * draw(st.integers(1, 6))]
            for _ in range(draw(st.integers(0, 2))):
                widths.append(widths[-1] * draw(st.integers(2, 4)))
            return Intervals(tuple(widths), origin=step * draw(st.integers(-9, 9))), domain
        case "dates":
            units = ("month", "quarter", "year", "decade")
            chosen = draw(st.lists(st.sampled_from(units), min_size=1, unique=True))
            return DateLevels(tuple(unit for unit in units if unit in chosen)), draw(date_ranges())
        case "balanced":
            fanout = draw(st.integers(2, 5))
            return Balanced(fanout=fanout), draw(st.one_of(categoricals(), grids(), date_ranges(max_days=40)))
        case "prefixes":
            keep = draw(st.lists(st.integers(1, 4), unique=True))
            return Prefixes(tuple(sorted(keep, reverse=True))), draw(categoricals(ordered=False))
        case _:
            tree = draw(trees(max_leaves=9, max_height=4))
            ordered = draw(st.booleans())
            values = tuple(tree) if ordered else tuple(draw(st.permutations(list(tree))))
            domain = Categorical(values[: draw(st.integers(1, len(values)))], ordered=ordered)
            rows = tuple(draw(st.permutations(list(tree.values()))))
            return Paths(rows), domain.with_missing() if draw(st.booleans()) else domain


@st.composite
def hierarchies(draw):
    """A settled attribute from any recipe."""
    recipe, domain = draw(cases())
    return settle(Column("x", Role.QUASI_IDENTIFIER, hierarchy=recipe), domain)


# Tables


@dataclass(frozen=True)
class Sample:
    """One table as rows of labels and as codes.

    Attributes:
        names: The columns, in the order of the rows.
        roles: Their roles.
        paths: For each column, {leaf: (leaf, …, '*')}, leaves along the tree.
        rows: The records, equal ones repeated.
        persons: Whose each record is, if a person may have several.
    """

    names: tuple
    roles: tuple
    paths: tuple
    rows: tuple
    persons: tuple | None = None

    @cached_property
    def table(self):
        table = self.encoded(self.rows)
        if self.persons is None:
            return table
        codes = [{value: i for i, value in enumerate(a.domain.values)} for a in self.attributes]
        return told_apart(table, [[c[v] for c, v in zip(codes, row, strict=True)] for row in self.rows], self.persons)

    @cached_property
    def attributes(self):
        made = []
        for name, role, paths in zip(self.names, self.roles, self.paths, strict=True):
            recipe = Paths(tuple(reversed(paths.values())))
            domain = Categorical(tuple(sorted(paths)))
            if role is Role.SENSITIVE:  # in the order of the tree, so that closeness by order has a meaning
                domain = Categorical(tuple(paths), ordered=True)
            made.append(settle(Column(name, role, hierarchy=recipe), domain))
        return tuple(made)

    def encoded(self, rows):
        """The same columns with other records."""
        codes = []
        for position, attribute in enumerate(self.attributes):
            code = {value: i for i, value in enumerate(attribute.domain.values)}
            column = np.array([code[row[position]] for row in rows], dtype=narrowest(attribute.domain.size))
            codes.append(column)
        sizes = [attribute.domain.size for attribute in self.attributes]
        return EncodedTable(self.attributes, Counts.of(self.names, codes, sizes))

    def named(self, *roles):
        """The positions of the columns with one of these roles."""
        return [i for i, role in enumerate(self.roles) if role in roles]

    @cached_property
    def quasi(self):
        return self.named(Role.QUASI_IDENTIFIER)

    @cached_property
    def quasi_names(self):
        return [self.names[i] for i in self.quasi]

    @cached_property
    def sensitive_names(self):
        return [self.names[i] for i in self.named(Role.SENSITIVE)]

    @cached_property
    def heights(self):
        return tuple(len(next(iter(self.paths[i].values()))) - 1 for i in self.quasi)

    @cached_property
    def nodes(self):
        return list(product(*(range(height + 1) for height in self.heights)))


@st.composite
def samples(draw, quasi=(1, 4), sensitive=(0, 2), records=(1, 30), max_leaves=5, max_height=3, max_size=3):
    """A small table: ragged hierarchies of height 1 to `max_height`, columns of all roles in any order.

    Only its shape is drawn choice by choice; what fills it comes from a seed, which is faster and keeps
    tables from being tiny. A smaller number of records is a beginning of the same table.
    """
    roles = [Role.QUASI_IDENTIFIER] * draw(st.integers(*quasi)) + [Role.SENSITIVE] * draw(st.integers(*sensitive))
    number = draw(st.integers(*records))
    random = Random(draw(st.integers(0, 2**32 - 1)))
    random.shuffle(roles)
    names = tuple(f"{role.value[0]}{i}" for i, role in enumerate(roles))
    paths, values = [], []
    for name in names:
        leaves, height = random.randint(1, max_leaves), random.randint(1, max_height)
        borders = [random.randint(1, height) for _ in range(leaves - 1)]
        labels = random.sample([f"{name}{i}" for i in range(leaves)], leaves)
        paths.append(tree_of(labels, borders, [random.random() < 0.5 for _ in range(height)], name))
        skew = random.choice((1.0, 0.4))  # so that some tables have many equal records
        values.append((labels, [skew**i for i in range(leaves)]))
    rows = []
    for _ in range(number):
        row = tuple(random.choices(labels, weights)[0] for labels, weights in values)
        rows += [row] * random.randint(1, max_size)
    return Sample(names, tuple(roles), tuple(paths), tuple(rows))


def told_apart(table, rows, persons):
    """An encoded table that knows whose each of its rows, given in codes, is."""
    number = {record: i for i, record in enumerate(zip(*(c.tolist() for c in table.counts.codes), strict=True))}
    who = {person: i for i, person in enumerate(dict.fromkeys(persons))}
    pairs = [[number[tuple(row)] for row in rows], [who[person] for person in persons]]
    incidence = Incidence.of(*np.array(pairs, dtype=np.int64), np.ones(len(rows), dtype=np.int64), len(table.counts))
    return replace(table, persons=incidence, unit=Unit.PERSON)


@st.composite
def person_samples(draw, **shape):
    """A small table in which a person may have several records, equal ones among them."""
    sample = draw(samples(**shape))
    random = Random(draw(st.integers(0, 2**32 - 1)))
    people = random.randint(1, len(sample.rows))
    return replace(sample, persons=tuple(random.randint(1, people) for _ in sample.rows))


def nodes_of(sample):
    """Any node of the sample's lattice."""
    return st.tuples(*(st.integers(0, height) for height in sample.heights))


def class_keys(classes):
    """The labels by which each class is published, in the order of the classes."""
    labels = [a.labels(classes.nodes(i)) for i, a in enumerate(classes.table.quasi_identifiers)]
    return list(zip(*labels, strict=True))


# Criteria


CRITERIA = {
    "k-anonymity": lambda column: st.builds(KAnonymity, st.integers(1, 6)),  # noqa: ARG005  it needs no column
    "distinct": lambda column: st.builds(DistinctDiversity, st.integers(1, 3), st.just(column)),
    "entropy": lambda column: st.builds(EntropyDiversity, st.sampled_from([1, 1.5, 2, 2.5, 3.0]), st.just(column)),
    "recursive": lambda column: st.builds(
        RecursiveDiversity, st.sampled_from([0.5, 1, 1.5, 2, 4]), st.integers(1, 3), st.just(column)
    ),
    "frequency": lambda column: st.builds(
        FrequencyDiversity, st.sampled_from([1, 4 / 3, 1.5, 2, 2.5, 3.0]), st.just(column)
    ),
    "closeness": lambda column: st.builds(
        Closeness,
        st.sampled_from([0, 0.1, 0.2, 1 / 3, 0.5, 0.75]),
        st.just(column),
        st.sampled_from(Distance),
        st.sampled_from(Reference),
    ),
    "disclosure": lambda column: st.builds(
        Disclosure, st.sampled_from([0.1, 0.5, 0.8, 1.5, 3]), st.just(column), st.sampled_from(Reference)
    ),
    "likeness": lambda column: st.builds(
        Likeness, st.sampled_from([0.1, 0.25, 0.5, 1, 2, 4]), st.just(column), st.sampled_from(Reference)
    ),
}
"""For each kind a strategy for criteria of this kind about a column."""


@st.composite
def criteria_about(draw, sample, kinds=tuple(CRITERIA), max_size=3):
    """Several criteria at once; about sensitive values only where the sample has sensitive columns."""
    columns = sample.sensitive_names
    usable = list(kinds) if columns else [kind for kind in kinds if kind == "k-anonymity"]
    chosen = draw(st.lists(st.sampled_from(usable), min_size=1, max_size=max_size)) if usable else []
    return [draw(CRITERIA[kind](draw(st.sampled_from(columns)) if columns else "")) for kind in chosen]


# Quality models


WEIGHTED = {
    "granularity": Granularity,
    "intensity": Intensity,
    "loss": Loss,
    "precision": Precision,
    "entropy": NonUniformEntropy,
    "Shannon entropy": ShannonEntropy,
}
PLAIN = {
    "discernibility": Discernibility,
    "group size": GroupSize,
    "average class size": AverageClassSize,
    "equivalence class size": EquivalenceClassSize,
}
MODELS = (*WEIGHTED, *PLAIN, "classification")
RANGED = tuple(
    kind for kind in MODELS if kind not in {"average class size", "equivalence class size", "Shannon entropy"}
)
"""Models whose scores one record moves no further than by a number that is known without the table."""


@st.composite
def model_on(draw, sample, kind):
    """A quality model of a kind, with weights, or with a target that the sample has."""
    if kind in PLAIN:
        return PLAIN[kind]()
    if kind in WEIGHTED:
        weights = draw(st.dictionaries(st.sampled_from(sample.quasi_names), st.sampled_from([0, 0.5, 1, 3])))
        if len(weights) == len(sample.quasi) and not any(weights.values()):
            weights = {}
        return WEIGHTED[kind](weights)
    return Classification(draw(st.sampled_from(targets_of(sample))))


def targets_of(sample):
    """The columns a classification can have as its target."""
    return [*sample.sensitive_names, *(sample.quasi_names if len(sample.quasi) > 1 else ())]


def fixed_by(sample, model):
    """The target of a classification is not generalized; every other column is free."""
    target = getattr(model, "target", None)
    return tuple(0 if name == target else -1 for name in sample.quasi_names)


def fixed_at(heights):
    """For each column a level it must stay at, or a floor."""
    return st.tuples(*(st.integers(-1 - height, height) for height in heights))


# By hand


def attribute_of(name, recipe, domain, role=Role.QUASI_IDENTIFIER):
    """A settled attribute, for hand-written cases."""
    return settle(Column(name, role, hierarchy=recipe), domain)


def table_of(columns, rows):
    """A hand-written sample: `columns` maps a name to (role, {leaf: path}) or (role, [leaves]), flat then."""
    names, roles, paths = [], [], []
    for name, (role, tree) in columns.items():
        names.append(name)
        roles.append(role)
        paths.append(dict(tree) if isinstance(tree, dict) else {leaf: (leaf, "*") for leaf in tree})
    return Sample(tuple(names), tuple(roles), tuple(paths), tuple(tuple(row) for row in rows))
