"""Small outcomes of every kind of `Shown`, and what a reader of one entry may think, leaf by leaf."""

import numpy as np
from hypothesis import strategies as st
from strategies import attribute_of

from shoal.data.counts import Counts
from shoal.data.domain import Categorical, Grid
from shoal.data.encoded import EncodedTable
from shoal.data.hierarchies.build import Flat, Intervals
from shoal.data.outcome import Outcome
from shoal.data.shown import Distributions, Numbers, Spans, TreeNodes, ValueSets

AGE = attribute_of("age", Intervals((5, 10)), Grid.between(20, 42).with_missing())
HEIGHT = attribute_of("height", Intervals((0.5,)), Grid.between(1, 3, 0.25))
TOWN = attribute_of("town", Flat(), Categorical(("Ulm", "Bonn", "Kiel", "Trier")))
GRADE = attribute_of("grade", Flat(), Categorical(("low", "mid", "high"), ordered=True))
ATTRIBUTES = (AGE, HEIGHT, TOWN, GRADE)

KINDS = ("kept", "nodes", "spans", "sets", "numbers", "distributions")


def shown_of(attribute, kind, entries, rng):
    """Random entries of one kind; None where values are kept."""
    leaves = attribute.domain.size
    ends = np.sort(rng.integers(0, leaves, (2, entries)), axis=0)
    match kind:
        case "kept":
            return None
        case "nodes":
            return TreeNodes(rng.integers(0, attribute.hierarchy.root + 1, entries).astype(np.int32))
        case "spans":
            return Spans(ends[0], ends[1])
        case "sets":
            some = [np.flatnonzero(rng.random(leaves) < 0.4) for _ in range(entries)]
            some = [one if len(one) else np.array([0]) for one in some]
            return ValueSets(np.cumsum([0, *map(len, some)]), np.concatenate(some))
        case "numbers":
            values = rng.uniform(-5, 60, entries)
            return Numbers(np.where(rng.random(entries) < 0.2, np.nan, values))
        case "distributions":
            shares = rng.integers(0, 4, (entries, leaves))
            shares[:, 0] += shares.sum(axis=1) == 0
            return Distributions(shares, shares.sum(axis=1))


def outcome_of(kinds, records=20, seed=0, entries=4, published=None):
    """An outcome with one column of each attribute, shown as `kinds` says; codes are drawn at random."""
    rng = np.random.default_rng(seed)
    names = tuple(a.name for a in ATTRIBUTES)
    leaves = [a.domain.size for a in ATTRIBUTES]
    original = Counts.of(names, [rng.integers(0, n, records) for n in leaves], leaves)
    shown = {a.name: shown_of(a, kind, entries, rng) for a, kind in zip(ATTRIBUTES, kinds, strict=True)}
    shown = {name: one for name, one in shown.items() if one is not None}
    widths = [len(shown[a.name]) if a.name in shown else a.domain.size for a in ATTRIBUTES]
    codes = [rng.integers(0, n, records if published is None else published) for n in widths]
    return Outcome(table=EncodedTable(ATTRIBUTES, original), published=Counts.of(names, codes, widths), shown=shown)


@st.composite
def outcomes(draw, max_records=20):
    """Any mixture of kinds; numbers only where the domain has some."""
    kinds = [draw(st.sampled_from(KINDS if isinstance(a.domain, Grid) else _WORDS)) for a in ATTRIBUTES]
    size = st.integers(1, max_records)
    return outcome_of(kinds, draw(size), draw(st.integers(0, 2**20)), draw(st.integers(1, 5)), draw(size))


_WORDS = tuple(kind for kind in KINDS if kind != "numbers")


def beliefs(attribute, shown, code):
    """{leaf: probability} for one published code, as the docstring of `materialize` says."""
    leaves = attribute.domain.size
    match shown:
        case None:
            return {code: 1.0}
        case TreeNodes():
            first, count = (
                attribute.hierarchy.first[shown.nodes[code]],
                attribute.hierarchy.leaf_count[shown.nodes[code]],
            )
            return _even_but_missing(attribute, range(first, first + count))
        case Spans():
            return _even_but_missing(attribute, range(shown.first[code], shown.last[code] + 1))
        case ValueSets():
            return _even_but_missing(attribute, shown.of(code))
        case Numbers():
            domain = attribute.domain
            numbers = [(domain.lower + i * domain.step) / 10**domain.decimals for i in range(domain.steps + 1)]
            value = shown.values[code]
            if np.isnan(value):
                return {domain.missing: 1.0} if domain.missing is not None else dict.fromkeys(range(leaves), 1 / leaves)
            return {min(range(len(numbers)), key=lambda i: abs(numbers[i] - value)): 1.0}
        case Distributions():
            return {i: s / shown.whole[code] for i, s in enumerate(shown.shares[code].tolist()) if s}


def _even_but_missing(attribute, covered):
    """The missing value beside others has no share."""
    present = [int(leaf) for leaf in covered if leaf != attribute.domain.missing] or [attribute.domain.missing]
    return {leaf: 1 / len(present) for leaf in present}


def believed(outcome, row):
    """Per column what one published record may have been."""
    return {
        name: beliefs(outcome.table[name], outcome.shown.get(name), int(codes[row]))
        for name, codes in zip(outcome.published.names, outcome.published.codes, strict=True)
    }
