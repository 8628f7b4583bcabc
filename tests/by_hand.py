"""Specialization from the top once more, on lists of rows and sets of leaves: slow, short, apart from what it checks.

A column is {leaf: path} for a taxonomy, or a `range` for numbers, whose last leaf may stand for what is missing. A cut
is, per column, a list of tuples of leaves; a record is a tuple of leaves, its class the last of them.
"""

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from math import log2
from random import Random

import numpy as np
from hypothesis import strategies as st
from strategies import attribute_of, tree_of

from shoal.data.counts import Counts
from shoal.data.domain import Categorical, Grid
from shoal.data.encoded import EncodedTable
from shoal.data.hierarchies.paths import Paths
from shoal.data.schema import Role
from shoal.kernels.grouping import narrowest


@dataclass(frozen=True)
class Small:
    """A table twice: as rows of leaf codes, and encoded. The last column is the class."""

    trees: tuple
    rows: tuple
    table: EncodedTable
    has_missing: tuple

    @property
    def role(self):
        return self.table["class"].role


@st.composite
def tables(draw, roles=(Role.SENSITIVE,), columns=(1, 3), records=(2, 24), classes=3):
    """Numbers and names in any mixture; some numbers missing."""
    random = Random(draw(st.integers(0, 2**32 - 1)))
    width, number = draw(st.integers(*columns)), draw(st.integers(*records))
    role = draw(st.sampled_from(roles))
    trees, attributes, missing = [], [], []
    for i in range(width):
        has_missing = False
        if random.random() < 0.5:
            size = random.randint(1, 9)
            has_missing = random.random() < 0.3
            domain = Grid.between(10, 9 + size, missing=has_missing)
            attributes.append(attribute_of(f"q{i}", None, domain))
            trees.append(range(domain.size))
        else:
            leaves, height = random.randint(1, 6), random.randint(1, 3)
            borders = [random.randint(1, height) for _ in range(leaves - 1)]
            repeats = [random.random() < 0.5 for _ in range(height)]
            paths = tree_of([f"v{j}" for j in range(leaves)], borders, repeats, f"q{i}")
            recipe = Paths(tuple(paths.values()), f"q{i}")
            attributes.append(attribute_of(f"q{i}", recipe, recipe.leaves()))
            labels = attributes[-1].domain.values
            trees.append({code: paths[label] for code, label in enumerate(labels)})
        missing.append(has_missing)
    attributes.append(attribute_of("class", None, Categorical(tuple("xyz"[:classes])), role))
    rows = []
    for _ in range(number):
        row = [random.randrange(len(tree)) for tree in trees]
        label = sum(row) % classes if random.random() < 0.7 else random.randrange(classes)
        rows += [(*row, label)] * random.choice((1, 1, 1, 3))
    codes = [
        np.array(column, dtype=narrowest(a.domain.size))
        for column, a in zip(zip(*rows, strict=True), attributes, strict=True)
    ]
    counts = Counts.of([a.name for a in attributes], codes, [a.domain.size for a in attributes])
    return Small(tuple(trees), tuple(rows), EncodedTable(tuple(attributes), counts), tuple(missing))


def ways(small, column, leaves):
    """Every way to specialize a value: (split leaf or −1, the children)."""
    tree = small.trees[column]
    if isinstance(tree, range):
        present = sorted({row[column] for row in small.rows if row[column] in leaves})
        for a, b in pairwise(present):
            at = b - (b - a) // 2
            if small.has_missing[column] and b == tree[-1]:
                at = b
            yield at, [tuple(v for v in leaves if v < at), tuple(v for v in leaves if v >= at)]
        return
    for level in reversed(range(len(tree[leaves[0]]))):
        children = {}
        for leaf in leaves:
            children.setdefault(tree[leaf][level], []).append(leaf)
        if len(children) > 1:
            yield -1, [tuple(child) for child in children.values()]
            return


def with_value(small, column, leaves):
    return [row for row in small.rows if row[column] in leaves]


def n_log_n(n):
    return round(n * log2(n) * 2**20) if n else 0


def uncertainty(rows):
    return n_log_n(len(rows)) - sum(n_log_n(n) for n in Counter(row[-1] for row in rows).values())


def gain(small, column, leaves, children):
    """Records times information gain, in units of 2^−20 bits."""
    after = sum(uncertainty(with_value(small, column, child)) for child in children)
    return max(uncertainty(with_value(small, column, leaves)) - after, 0)


def balance(small, column, children):
    """How even a split is; a taxonomy has one way only."""
    if not isinstance(small.trees[column], range):
        return 0
    low, high = (len(with_value(small, column, child)) for child in children)
    return -abs(low - high)


def is_beneficial(small, column, leaves):
    return len({row[-1] for row in with_value(small, column, leaves)}) > 1


def top(small):
    return [[tuple(tree)] for tree in small.trees]


def after(cut, column, value, children):
    new = [list(values) for values in cut]
    new[column][value : value + 1] = children
    return new


def recoded(small, cut):
    """The quasi-identifiers of every record under a cut; the class among them if it is one."""
    number = [{leaf: i for i, leaves in enumerate(values) for leaf in leaves} for values in cut]
    shown = [tuple(n[v] for n, v in zip(number, row, strict=False)) for row in small.rows]
    return (
        [(*key, row[-1]) for key, row in zip(shown, small.rows, strict=True)]
        if small.role is Role.QUASI_IDENTIFIER
        else shown
    )


def smallest(small, cut):
    return min(Counter(recoded(small, cut)).values())


def squares(small, cut, column, value):
    """Σ n² over the groups that have a value."""
    return sum(n * n for key, n in Counter(recoded(small, cut)).items() if key[column] == value)


def is_diverse(small, cut, diversity):
    groups = {}
    for key, row in zip(recoded(small, cut), small.rows, strict=True):
        groups.setdefault(key, []).append(row[-1])
    return all(max(Counter(labels).values()) * diversity <= len(labels) + 1e-9 for labels in groups.values())


def grown(small, worth, admissible, score, beneficial):
    """Specialize greedily: of each value its best admissible way, of all values the one with the best score."""
    cut = top(small)
    while True:
        found = []
        for column, values in enumerate(cut):
            for value, leaves in enumerate(values):
                if not beneficial(column, leaves):
                    continue
                open_ = [
                    (worth(column, leaves, children), -at, children)
                    for at, children in ways(small, column, leaves)
                    if admissible(after(cut, column, value, children))
                ]
                if open_:
                    most, _, children = max(open_, key=lambda way: way[:2])
                    found.append((score(cut, column, value, most, children), -column, -value, children))
        if not found:
            return cut
        _, column, value, children = max(found, key=lambda step: step[:3])
        cut = after(cut, -column, -value, children)


def cut_of(small, outcome):
    """The cut of an outcome as tuples of leaves."""
    found = []
    for tree, attribute in zip(small.trees, small.table.attributes, strict=False):
        codes = outcome.recoding.lookup(attribute).codes
        found.append(
            [tuple(leaf for leaf in range(len(tree)) if codes[leaf] == code) for code in sorted(set(codes.tolist()))]
        )
    return found
