"""The definitions once more, on lists of rows and dictionaries: slow, short, and apart from the code they check.

A column's hierarchy is {leaf: (leaf, what it becomes on level 1, …, the root)}; a label stands on two levels of a path
exactly where both levels show the same node. A node of the lattice is a level per quasi-identifier. A suppressed record
is `None`: SafePub's row of stars.
"""

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import combinations, product
from math import inf, lcm, log, log2

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
from shoal.data.unit import Unit
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
    ShannonEntropy,
)

SLACK = 1e-9
"""Far above rounding, far below what separates two different values of these small tables."""


# Rows, classes, hierarchies


def grouped(keys):
    """{key: positions}, keys in the order of their first appearance."""
    found = defaultdict(list)
    for position, key in enumerate(keys):
        found[key].append(position)
    return dict(found)


def recoded(sample, node, rows=None):
    """The quasi-identifiers of every row at a node."""
    return [
        tuple(sample.paths[i][row[i]][level] for i, level in zip(sample.quasi, node, strict=True))
        for row in (sample.rows if rows is None else rows)
    ]


def classes(sample, node, rows=None):
    """{recoded quasi-identifiers: positions of their rows}."""
    return grouped(recoded(sample, node, rows))


def leaves_under(tree, leaf, level):
    """How many leaves share the node of `leaf` on a level."""
    return sum(path[level] == tree[leaf][level] for path in tree.values())


def level_of(tree, leaf, level):
    """The lowest level on which the node of `leaf` on this level stands."""
    return tree[leaf].index(tree[leaf][level])


def lowest_common_level(tree, leaf, other):
    """The lowest level on which two leaves have become one."""
    return next(i for i, (a, b) in enumerate(zip(tree[leaf], tree[other], strict=True)) if a == b)


# Criteria: does a class hold, given the sensitive values of its records and of all published records?


def shares(values):
    """{value: share}, exactly."""
    return {value: Fraction(count, len(values)) for value, count in Counter(values).items()}


def entropy(values):
    return -sum(float(share) * log(share) for share in shares(values).values())


def ground_distance(distance, tree, a, b):
    """How far one sensitive value is from another: Li, Li & Venkatasubramanian 2007, §4."""
    order = list(tree)
    match distance:
        case Distance.EQUAL:
            return float(a != b)
        case Distance.ORDERED:
            return abs(order.index(a) - order.index(b)) / max(len(order) - 1, 1)
        case Distance.HIERARCHICAL:
            return lowest_common_level(tree, a, b) / (len(tree[a]) - 1)


def earth_movers_distance(distance, tree, here, whole):
    """The paper's formulas: half the L1 distance; the running sums of an order; cost(N) over inner nodes of a tree."""
    p, q = shares(here), shares(whole)
    extra = {leaf: p.get(leaf, Fraction(0)) - q.get(leaf, Fraction(0)) for leaf in tree}
    match distance:
        case Distance.EQUAL:
            return float(sum(abs(x) for x in extra.values()) / 2)
        case Distance.ORDERED:
            running, work = Fraction(0), Fraction(0)
            for leaf in tree:
                running += extra[leaf]
                work += abs(running)
            return float(work / max(len(tree) - 1, 1))
        case Distance.HIERARCHICAL:
            height, work = len(next(iter(tree.values()))) - 1, Fraction(0)
            for level in range(1, height + 1):
                children = defaultdict(Fraction)  # (node on this level, node one level below): extra
                for leaf, path in tree.items():
                    children[path[level], path[level - 1]] += extra[leaf]
                for name in {above for above, _ in children}:
                    mine = [x for (above, _), x in children.items() if above == name]
                    surplus, deficit = sum(x for x in mine if x > 0), -sum(x for x in mine if x < 0)
                    work += Fraction(level, height) * min(surplus, deficit)
            return float(work)


def measured(criterion, values, whole, tree):
    """The number of a class on the criterion's own scale."""
    counts = sorted(Counter(values).values(), reverse=True)
    here, all_of_it = shares(values), shares(whole)
    match criterion:
        case KAnonymity():
            return len(values)
        case DistinctDiversity():
            return len(counts)
        case EntropyDiversity():
            return 2.718281828459045 ** entropy(values)
        case RecursiveDiversity():
            rest = sum(counts[criterion.diversity - 1 :])
            return counts[0] / rest if rest else inf
        case FrequencyDiversity():
            return len(values) / counts[0]
        case Closeness():
            return earth_movers_distance(criterion.distance, tree, values, whole)
        case Disclosure():
            return max(abs(log(here[v] / p)) if v in here else inf for v, p in all_of_it.items())
        case Likeness():
            gains = {v: float(here.get(v, 0) / p) - 1 for v, p in all_of_it.items()}
            broken = any(gain > -log(all_of_it[v]) + SLACK for v, gain in gains.items())
            return inf if broken else max(0.0, *gains.values())
    raise AssertionError(criterion)


def holds(criterion, values, whole, tree):
    """Whether a class meets a criterion; equality in exact arithmetic counts where the definition says so."""
    counts = sorted(Counter(values).values(), reverse=True)
    match criterion:
        case KAnonymity():
            return len(values) >= criterion.k
        case DistinctDiversity():
            return len(set(values)) >= criterion.diversity
        case EntropyDiversity():
            return entropy(values) >= log(criterion.diversity) - SLACK
        case RecursiveDiversity():
            return counts[0] < Fraction(criterion.c) * sum(counts[criterion.diversity - 1 :])
        case FrequencyDiversity():
            return counts[0] / len(values) <= 1 / criterion.diversity + SLACK
        case Closeness():
            return earth_movers_distance(criterion.distance, tree, values, whole) <= criterion.closeness + SLACK
        case Disclosure():
            return measured(criterion, values, whole, tree) < criterion.delta
        case Likeness():
            return measured(criterion, values, whole, tree) <= criterion.beta + SLACK
    raise AssertionError(criterion)


def has_lkc(keys, labels, length, k, confidence=1.0, protected=None):
    """LKC-privacy by its definition: every combination of up to L columns."""
    columns = len(keys[0])
    for size in range(min(length, columns) + 1):
        for chosen in combinations(range(columns), size):
            groups = {}
            for key, label in zip(keys, labels, strict=True):
                groups.setdefault(tuple(key[i] for i in chosen), []).append(label)
            for here in groups.values():
                often = [n for label, n in Counter(here).items() if protected is None or label in protected]
                if len(here) < k or max(often, default=0) > confidence * len(here) + 1e-9:
                    return False
    return True


def has_lkc_in_persons(keys, labels, persons, length, k, confidence=1.0):
    """LKC-privacy in persons, who count once for each value: every combination of up to L columns."""
    for size in range(min(length, len(keys[0])) + 1):
        for chosen in combinations(range(len(keys[0])), size):
            for members in grouped(tuple(key[i] for i in chosen) for key in keys).values():
                here = {persons[i] for i in members}
                often = [len({persons[i] for i in members if labels[i] == value}) for value in set(labels)]
                if len(here) < k or max(often) > confidence * len(here) + 1e-9:
                    return False
    return True


COMPARING = (Closeness, Disclosure, Likeness)


def is_relative(criterion):
    """Whether a class is compared with what is published."""
    return isinstance(criterion, COMPARING) and criterion.reference is Reference.PUBLISHED


def column_of(sample, criterion):
    """The position of the column a criterion is about, and its tree; k-anonymity is about none."""
    position = sample.names.index(criterion.column) if hasattr(criterion, "column") else 0
    return position, sample.paths[position]


def values_of(sample, criterion, members):
    """The sensitive values of some rows; in persons, those of everybody's rows so often that all have as many."""
    position, _ = column_of(sample, criterion)
    if criterion.unit is Unit.RECORD:
        return [sample.rows[i][position] for i in members]
    each = Counter(sample.persons)
    whole = lcm(*each.values())
    return [sample.rows[i][position] for i in members for _ in range(whole // each[sample.persons[i]])]


def compared_with(sample, criterion, published):
    """The sensitive values that those of a class are compared with."""
    is_input = isinstance(criterion, COMPARING) and criterion.reference is Reference.INPUT
    return values_of(sample, criterion, range(len(sample.rows)) if is_input else published)


def values_held(sample, criterion, members):
    """{value: persons who have it} among some rows."""
    position, _ = column_of(sample, criterion)
    held = defaultdict(set)
    for i in members:
        held[sample.rows[i][position]].add(sample.persons[i])
    return held


def most_apart(held):
    """How many values can be given to different persons who have them, by trying all ways."""
    if not held:
        return 0
    (_, persons), *rest = held.items()
    without = most_apart(dict(rest))
    return max([without, *(1 + most_apart({v: who - {person} for v, who in rest}) for person in persons)])


def measured_in_persons(sample, criterion, members):
    """The number of a class, for criteria that do not spread persons over their records; None for those that do."""
    match criterion:
        case KAnonymity():
            return len({sample.persons[i] for i in members})
        case DistinctDiversity():
            return most_apart(values_held(sample, criterion, members))
        case FrequencyDiversity():
            most = max(map(len, values_held(sample, criterion, members).values()))
            return Fraction(len({sample.persons[i] for i in members}), most)
    return None


def satisfied(sample, criterion, members, published):
    """Whether the class of the rows `members` meets a criterion when the rows `published` are published."""
    _, tree = column_of(sample, criterion)
    reached = None if criterion.unit is Unit.RECORD else measured_in_persons(sample, criterion, members)
    if reached is not None:
        return reached >= (criterion.k if isinstance(criterion, KAnonymity) else criterion.diversity) - SLACK
    whole = compared_with(sample, criterion, published)
    return holds(criterion, values_of(sample, criterion, members), whole, tree)


def all_satisfied(sample, criteria, found, kept):
    """Whether the classes `kept` meet all criteria when they are what is published."""
    published = [i for key in kept for i in found[key]]
    return all(satisfied(sample, c, found[key], published) for key in kept for c in criteria)


def excess(criterion, values, whole, tree):
    """How far a class is beyond what is allowed, in multiples of what is allowed or of a thousandth."""
    match criterion:
        case Closeness():
            allowed = criterion.closeness
            return (earth_movers_distance(criterion.distance, tree, values, whole) - allowed) / max(allowed, 0.001)
        case Disclosure():
            return measured(criterion, values, whole, tree) / criterion.delta - 1
        case Likeness():
            here, beyond = shares(values), []
            for value, share in shares(whole).items():
                allowed = min(criterion.beta, -log(share))
                beyond.append((float(here.get(value, 0) / share) - 1 - allowed) / max(allowed, 0.001))
            return max(beyond)
    raise AssertionError(criterion)


def all_at_once(sample, relative, found, kept):
    """Leave out every class that fails, judge again, until none fails."""
    while True:
        published = [i for key in kept for i in found[key]]
        bad = [key for key in kept if not all(satisfied(sample, c, found[key], published) for c in relative)]
        if not bad:
            return kept
        kept = [key for key in kept if key not in bad]


def worst_first(sample, relative, found, kept, *, order):
    """Leave out the class that fails by most, judge again, until none fails."""
    while True:
        published = [i for key in kept for i in found[key]]
        beyond = {}
        for key in kept:
            for c in relative:
                if not satisfied(sample, c, found[key], published):
                    _, tree = column_of(sample, c)
                    by = excess(c, values_of(sample, c, found[key]), compared_with(sample, c, published), tree)
                    beyond[key] = max(by, beyond.get(key, -inf))
        if not beyond:
            return kept
        worst = min(beyond, key=lambda key: (-round(beyond[key], 9) if beyond[key] < inf else -inf, order(key)))
        kept = [key for key in kept if key != worst]


def put_back(sample, relative, found, kept, candidates, *, order):
    """Put back what can be put back, the largest first, until no single class can be."""
    while True:
        before = kept
        for key in sorted((key for key in candidates if key not in before), key=order, reverse=True):
            if all_satisfied(sample, relative, found, [*kept, key]):
                kept = [*kept, key]
        if kept == before:
            return kept


def choices(sample, criteria, found, node, allowed):
    """The sets of classes (keys of `found`) with at most `allowed` records that may be left out, as docs have it."""
    alone = [c for c in criteria if not is_relative(c)]
    relative = [c for c in criteria if is_relative(c)]
    left = [key for key, members in found.items() if all(satisfied(sample, c, members, members) for c in alone)]
    numbers = {key: class_number(sample, node, members) for key, members in found.items()}

    def order(key):
        return len(found[key]), numbers[key]

    sets = [all_at_once(sample, relative, found, left), worst_first(sample, relative, found, left, order=order)]
    fit = [kept for kept in sets if sum(len(found[key]) for key in found if key not in kept) <= allowed]
    return [set(found) - set(put_back(sample, relative, found, kept, left, order=order)) for kept in fit]


def class_number(sample, node, members):
    """The numbers of the nodes by which a class is published."""
    columns = [(sample.attributes[i], sample.rows[members[0]][i]) for i in sample.quasi]
    return tuple(
        int(a.hierarchy.up[level][a.domain.values.index(value)])
        for (a, value), level in zip(columns, node, strict=True)
    )


def suppressed(sample, criteria, found, node):
    """The classes to leave out: of the choices the one of fewest records."""
    return min(
        choices(sample, criteria, found, node, len(sample.rows)), key=lambda out: sum(len(found[key]) for key in out)
    )


# Quality: SafePub §5, NSVDist Eq. (2), LeFevre et al. 2006


def cell_cost(model, tree, leaf, level):
    """What a published cell costs; a suppressed one costs 1."""
    height = len(tree[leaf]) - 1
    match model:
        case Granularity():
            return leaves_under(tree, leaf, level) / len(tree)
        case Loss():
            return (leaves_under(tree, leaf, level) - 1) / max(len(tree) - 1, 1)
        case Intensity():
            return level_of(tree, leaf, level) / height
    raise AssertionError(model)


def phi(values):
    """SafePub Eq. (7): Σ |E|² / n + suppressed, over a list with None for suppressed records."""
    if not values:
        return Fraction(0)
    kept = Counter(value for value in values if value is not None)
    return sum(Fraction(size * size, len(values)) for size in kept.values()) + values.count(None)


def release(sample, node, out):
    """S(D): the recoded rows, None for those of the classes `out`."""
    return [None if row in out else row for row in recoded(sample, node)]


def weights_of(sample, model):
    return [model.weights.get(sample.names[i], 1.0) for i in sample.quasi]


def score(sample, model, node, out, *, stars=True):
    """A model's score when the classes `out` are suppressed.

    Args:
        sample: The table.
        model: The quality model.
        node: The recoding.
        out: The suppressed classes.
        stars: Whether a value generalized to the root is a suppressed one, as SafePub's S(D) has it.
    """
    shown = release(sample, node, out)
    others = Loss | AverageClassSize | EquivalenceClassSize | ShannonEntropy
    stars = stars and not isinstance(model, others)  # not scores of SafePub
    if stars:
        shown = [None if row is not None and set(row) == {"*"} else row for row in shown]
    match model:
        case Granularity() | Intensity() | Loss():
            total = 0.0
            for row, seen in zip(sample.rows, shown, strict=True):
                for i, level, weight in zip(sample.quasi, node, weights_of(sample, model), strict=True):
                    total += weight * (1.0 if seen is None else cell_cost(model, sample.paths[i], row[i], level))
            return -total
        case Discernibility():
            return -float(phi(shown))
        case NonUniformEntropy():
            columns = [[None if row is None else row[j] for row in shown] for j in range(len(node))]
            if stars:
                columns = [[None if value == "*" else value for value in column] for column in columns]
            return -sum(w * float(phi(column)) for w, column in zip(weights_of(sample, model), columns, strict=True))
        case GroupSize():
            return float(len({row for row in shown if row is not None}))
        case AverageClassSize():
            kept = [row for row in shown if row is not None]
            return -len(kept) / len(set(kept)) if kept else -float(len(shown))
        case EquivalenceClassSize():
            return -len(shown) / len(set(shown))  # what is suppressed is one class more
        case ShannonEntropy():
            return -sum(w * bits(sample, node, out, j) for j, w in enumerate(weights_of(sample, model)))
        case Classification():
            return float(majorities(sample, model, shown, stars=stars))
    raise AssertionError(model)


def bits(sample, node, out, column):
    """What tells the original values of a column from its generalized ones, and the suppressed ones from each other."""
    rows = recoded(sample, node)
    values = [row[sample.quasi[column]] for row in sample.rows]
    general = [row[column] for row in rows]
    suppressed = [row[column] for row in rows if row in out]
    v, u, m = Counter(values), Counter(general), Counter(suppressed)
    told = sum(log2(u[b] / v[a]) for a, b in zip(values, general, strict=True))
    return told + sum(log2(len(suppressed) / m[b]) for b in suppressed)


def majorities(sample, model, shown, *, stars):
    """The published records with the most frequent target value among those that share their features."""
    target = sample.names.index(model.target)
    own = sample.quasi.index(target) if target in sample.quasi else None
    by_features = defaultdict(Counter)
    for row, seen in zip(sample.rows, shown, strict=True):
        if seen is None:
            continue
        features = tuple(value for j, value in enumerate(seen) if j != own)
        if stars and set(features) == {"*"}:
            continue
        by_features[features][row[target] if own is None else seen[own]] += 1
    return sum(max(counted.values()) for counted in by_features.values())


def loss(sample, model, node, out):
    """A model's loss, as its docstring defines it from the score."""
    n, bottom = len(sample.rows), (0,) * len(node)
    here = score(sample, model, node, out)
    match model:
        case Granularity() | Intensity() | Loss():
            weights = weights_of(sample, model)
            cheapest = [cell_cost(model, sample.paths[i], next(iter(sample.paths[i])), 0) for i in sample.quasi]
            original = sum(w * c for w, c in zip(weights, cheapest, strict=True))
            span = n * (sum(weights) - original)
            return (-here - n * original) / span if span else 0.0
        case Discernibility():
            return (-here - 1) / max(n - 1, 1)
        case NonUniformEntropy():
            original = -score(sample, model, bottom, set())
            span = n * sum(weights_of(sample, model)) - original
            return (-here - original) / (span if span > SLACK else 1.0)
        case GroupSize():
            return 1 - here / len(classes(sample, bottom))
        case AverageClassSize():
            least = n / len(classes(sample, bottom))
            published = sum(row is not None for row in release(sample, node, out)) / n
            average = (-here - least) / (n - least) if n > least else 0.0
            return 1 - published * (1 - max(average, 0.0))
        case EquivalenceClassSize():
            least = n / len(classes(sample, bottom))
            return (-here - least) / (n - least) if n > least else 0.0
        case ShannonEntropy():
            span = -score(sample, model, sample.heights, set())
            return -here / (span if span > SLACK else 1.0)
        case Classification():
            return 1 - here / n
    raise AssertionError(model)


# The whole lattice


def within(node, fixed):
    """Whether columns that must stay at a level do, and others are at their floor or above: −1 − n for level n."""
    return all(level == at if at >= 0 else level >= -1 - at for level, at in zip(node, fixed, strict=True))


def admissible(sample, criteria, allowed, fixed=None, model=None):
    """{node: suppressed classes} for every node that suppresses no more than allowed records; the best for a model."""
    fits = {}
    for node in product(*(range(height + 1) for height in sample.heights)):
        if fixed is not None and not within(node, fixed):
            continue
        found = classes(sample, node)
        out = choices(sample, criteria, found, node, allowed)
        if out:
            fits[node] = min(out, key=lambda out: 0 if model is None else loss(sample, model, node, out))
    return fits


def minimal(nodes):
    """The nodes of a set below which none of the set lies."""
    return {
        node
        for node in nodes
        if not any(other != node and all(a <= b for a, b in zip(other, node, strict=True)) for other in nodes)
    }
