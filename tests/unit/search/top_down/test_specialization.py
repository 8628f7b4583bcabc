"""The growing cut: what is told apart, and what each specialization is worth, against a recount of the records."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.data.attribute import settle
from shoal.data.counts import Counts
from shoal.data.domain import Categorical, Grid
from shoal.data.encoded import EncodedTable
from shoal.data.hierarchies.paths import Paths
from shoal.data.schema import Column, Role
from shoal.data.shown import Spans, TreeNodes
from shoal.kernels.grouping import narrowest
from shoal.search.top_down import scores as specialization_scores
from shoal.search.top_down.cut import Axis, GrowingCut, complete
from shoal.search.top_down.purity_kernel import FINENESS
from shoal.search.top_down.scores import Places, purity_gains
from shoal.search.top_down.value_scores import ValueScores, information_gain, largest_classes

JOBS = {"any": {"office": ["clerk", "lawyer"], "craft": {"wood": ["joiner"], "metal": ["smith", "fitter"]}}}
UNIT = 1 << FINENESS


def attribute(name, domain, recipe=None, **more):
    made = settle(Column(name, Role.QUASI_IDENTIFIER, hierarchy=recipe), domain)
    return type(made)(made.name, made.role, made.domain, made.hierarchy, **more)


def columns(missing=False, **more):
    grid = Grid.between(10, 15, missing=missing)
    tree = shoal.tree(JOBS)
    return (
        attribute("age", grid, **more),
        attribute("job", tree.leaves(), tree),
        attribute("class", Categorical(("no", "yes"))),
    )


def table(records, attributes=None):
    attributes = attributes or columns()
    codes = [
        np.array([record[i] for record in records], dtype=narrowest(a.domain.size)) for i, a in enumerate(attributes)
    ]
    sizes = [a.domain.size for a in attributes]
    return EncodedTable(tuple(attributes), Counts.of([a.name for a in attributes], codes, sizes))


RECORDS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 4), st.integers(0, 1)), max_size=12)
CHOICES = st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99)), max_size=5)


def grown(records, choices):
    """A cut after some specializations, chosen by numbers."""
    cut = GrowingCut(table(records), ["age", "job"], "class")
    for one, other in choices:
        ways = [
            (column, value, at)
            for column, axis in enumerate(cut.axes)
            for value in np.flatnonzero(axis.can_specialize).tolist()
            for at in (
                range(int(axis.firsts[value]) + 1, int(axis.tops[value]) + 1)
                if axis.is_ordered
                else [-1 - d for d in range(len(axis.branches[value]))]
            )
        ]
        if ways:
            cut.specialize(*ways[(one * 100 + other) % len(ways)])
    return cut


def naive_groups(cut, records):
    """Class counts by combination of values, from the records themselves."""
    groups = {}
    for record in records:
        key = tuple(int(axis.value_of(np.array([code]))[0]) for axis, code in zip(cut.axes, record, strict=False))
        groups.setdefault(key, Counter())[record[2]] += 1
    return groups


def naive_purity(counts):
    n = sum(counts.values())
    return -((n * n - sum(c * c for c in counts.values())) * UNIT // 2 // n) if n else 0


def purity(cut, records):
    return sum(naive_purity(counts) for counts in naive_groups(cut, records).values())


@given(RECORDS, CHOICES)
def test_groups_are_what_a_recount_of_the_records_finds(records, choices):
    cut = grown(records, choices)
    found = Counter(map(tuple, cut.counts().tolist()))
    assert found == Counter((c[0], c[1]) for c in naive_groups(cut, records).values())
    keys, sizes = cut.cell_keys()
    values, label = cut.cell_values(keys)
    recount = {(*key, y): n for key, counts in naive_groups(cut, records).items() for y, n in counts.items()}
    assert dict(zip(zip(*(v.tolist() for v in (*values, label)), strict=True), sizes.tolist(), strict=True)) == recount
    assert (np.diff(keys) > 0).all()
    assert not len(keys) or keys[-1] < cut.cells


@settings(deadline=None)
@given(RECORDS, CHOICES, st.booleans())
def test_gains_are_what_specializing_and_recounting_finds(records, choices, dense):
    limits = specialization_scores._SMALLEST_DENSE, specialization_scores._DENSE_CELLS_PER_RECORD
    if not dense:
        specialization_scores._SMALLEST_DENSE = specialization_scores._DENSE_CELLS_PER_RECORD = 0
    try:
        cut = grown(records, choices)
        candidates = purity_gains(cut, Places(cut), 3)
    finally:
        specialization_scores._SMALLEST_DENSE, specialization_scores._DENSE_CELLS_PER_RECORD = limits
    before = purity(cut, records)
    for i in range(len(candidates)):
        column, value, start = (int(a[i]) for a in (candidates.column, candidates.value, candidates.start))
        for at in {start, start + int(candidates.width[i]) - 1} if start >= 0 else {start}:
            after = grown(records, choices)
            assert cut.partitions_after(column, value, at) == (after.specialize(column, value, at) or after.partitions)
            assert purity(after, records) - before == candidates.score[i]


@given(RECORDS, CHOICES)
def test_runs_cover_every_point_of_the_declared_grid_once(records, choices):
    """Theory DG-3: also below the smallest and above the largest number that occurs."""
    cut = grown(records, choices)
    candidates = purity_gains(cut, Places(cut))
    for value in range(len(cut.axes[0])):
        here = np.flatnonzero((candidates.column == 0) & (candidates.value == value))
        points = [at for i in here for at in range(candidates.start[i], candidates.start[i] + candidates.width[i])]
        assert sorted(points) == list(range(cut.axes[0].firsts[value] + 1, cut.axes[0].lasts[value] + 1))


@settings(deadline=None)
@given(RECORDS, st.tuples(st.integers(0, 5), st.integers(0, 4), st.integers(0, 1)), CHOICES)
def test_one_record_more_moves_the_purity_of_any_cut_down_by_at_most_one(records, more, choices):
    cut = grown(records, choices)
    assert -UNIT <= purity(cut, [*records, more]) - purity(cut, records) <= 0


@given(st.lists(st.integers(0, 30), min_size=2, max_size=5), st.integers(0, 4))
def test_one_record_more_moves_the_purity_of_a_group_down_by_at_most_one_for_any_number_of_classes(counts, which):
    from shoal.search.top_down.purity_kernel import purity as kernel

    fewer = np.array(counts)
    more = fewer.copy()
    more[which % len(counts)] += 1
    assert -UNIT <= kernel(more) - kernel(fewer) <= 0
    assert kernel(fewer) == naive_purity(Counter(dict(enumerate(counts))))


def test_groups_too_large_for_64_bits_are_cut_off_and_still_move_by_at_most_one():
    from shoal.search.top_down.purity_kernel import purity as kernel

    for counts in ([1 << 40, 5], [1 << 25, 1 << 25], [(1 << 25) - 1, 1 << 40]):
        for which in (0, 1):
            more = np.array(counts)
            more[which] += 1
            assert -UNIT <= kernel(more) - kernel(np.array(counts)) <= 0


@settings(deadline=None)
@given(RECORDS, st.tuples(st.integers(0, 5), st.integers(0, 4), st.integers(0, 1)))
def test_the_scores_of_the_paper_move_by_at_most_one_and_max_never_falls(records, more):
    """Theory 3a and DG-1."""
    for measure, low in ((largest_classes, 0), (information_gain, -1 - 1e-9)):
        for column, points in ((0, range(1, 6)), (1, [-1])):
            here, there = (
                ValueScores(GrowingCut(table(some), ["age", "job"], "class"), measure).of(column, 0)
                for some in (records, [*records, more])
            )
            for at in points:
                assert low <= score_at(there, at) - score_at(here, at) <= 1 + 1e-9


def score_at(candidates, at):
    inside = (candidates.start <= at) & (at < candidates.start + candidates.width)
    return candidates.score[np.flatnonzero(inside)[0]]


def test_a_taxonomy_is_followed_one_step_or_more_and_chains_are_skipped():
    axis = Axis.top(columns()[1])
    below = axis.branches[0]
    labels = [axis.attribute.labels(nodes.astype(np.int32)) for nodes in below]
    assert labels == [
        ["office", "craft"],
        ["clerk", "lawyer", "joiner", "metal"],  # wood has one child, so it is that child
        ["clerk", "lawyer", "joiner", "smith", "fitter"],
    ]
    assert isinstance(axis.specialized(0, -2).lookup().shown, TreeNodes)


def below_by_hand(attribute, node):
    """The nodes one, two, … steps below a node, by asking every node for its parent."""
    hierarchy, outside = attribute.hierarchy, attribute.domain.missing if attribute.absorbs else None

    def children(of):
        found = [n for n, parent in enumerate(hierarchy.parent) if parent == of != n]
        return sorted(found, key=lambda n: hierarchy.first[n])

    def narrowest(of):
        return narrowest(children(of)[0]) if len(children(of)) == 1 else of

    nodes, steps = [narrowest(node)], []
    while any(above >= hierarchy.leaves for above in nodes):
        nodes = [narrowest(n) for above in nodes for n in (children(above) or [above])]
        if len([n for n in nodes if n != outside]) > 1:
            steps.append(nodes)
    return steps


@given(
    st.lists(st.lists(st.integers(0, 2), min_size=3, max_size=3), min_size=1, max_size=7, unique_by=tuple),
    st.booleans(),
    st.booleans(),
)
def test_what_is_below_a_node_is_what_asking_every_node_for_its_parent_tells(paths, missing, absorbs):
    rows = sorted((f"{a}{b}{c}", f"{a}{b}", f"{a}", "*") for a, b, c in paths)
    recipe = Paths(tuple(rows))
    domain = recipe.leaves().with_missing() if missing else recipe.leaves()
    column = attribute("town", replace(domain, ordered=False), recipe, absorbs=missing and absorbs)
    axis = Axis.top(column)
    while True:
        steps = [[nodes.tolist() for nodes in below] for below in axis.branches]
        assert steps == [below_by_hand(column, node) for node in axis.nodes.tolist()]
        assert axis.can_specialize.tolist() == [len(below) > 0 for below in steps]
        if not any(steps):
            break
        axis = axis.specialized(int(np.flatnonzero(axis.can_specialize)[0]), -1)


def test_numbers_are_cut_at_points_of_their_grid_and_shown_as_ranges():
    axis = Axis.top(columns()[0]).specialized(0, 3)
    shown = axis.lookup().shown
    assert isinstance(shown, Spans)
    assert shown.first.tolist() == [0, 3]
    assert shown.last.tolist() == [2, 5]
    assert axis.splits.tolist() == [2, 2]
    with pytest.raises(AssertionError):
        axis.specialized(0, 3)


def test_a_declared_missing_number_counts_above_the_largest_and_can_be_split_off():
    axis = Axis.top(columns(missing=True)[0])
    assert axis.splits.tolist() == [6]
    assert axis.specialized(0, 6).firsts.tolist() == [0, 6]
    assert axis.specialized(0, 6).live.tolist() == [0, 1]


def test_a_place_made_for_what_is_not_declared_is_a_piece_that_no_record_is_in():
    axis = Axis.top(columns(missing=True, absorbs=True)[0])
    assert axis.splits.tolist() == [5]
    split = axis.specialized(0, 3)
    assert split.firsts.tolist() == [0, 3, 6]
    assert split.live.tolist() == [0, 1]
    assert axis.children(0, 3) == 2


def test_records_without_a_class_or_with_an_undeclared_value_are_taken_out_one_by_one():
    age, job, _ = columns(missing=True, absorbs=True)
    label = attribute("class", Categorical(("no", "yes", "?"), missing=2))
    some = table([(0, 0, 0), (6, 0, 0), (1, 1, 2), (5, 4, 1)], (age, job, label))
    kept = complete(some, ["age", "job"], "class")
    assert kept.counts.kept == 2
    cut = GrowingCut(kept, ["age", "job"], "class")
    assert cut.classes == 2
    assert complete(kept, ["age", "job"], "class") is kept


def test_an_empty_table_has_no_group_and_all_the_cells():
    cut = GrowingCut(table([]), ["age", "job"], "class")
    candidates = purity_gains(cut, Places(cut))
    assert candidates.score.tolist() == [0] * len(candidates)
    cut.specialize(0, 0, 2)
    assert cut.cells == 4
    assert [len(part) for part in cut.cell_keys()] == [0, 0]
