"""What overlapping sets disclose, against the enumeration of all worlds."""

from itertools import product
from random import Random

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

import shoal
from shoal.audit import overlap
from shoal.audit.overlap import Sets, audit_overlap, still_possible
from shoal.errors import ParameterError

M, F, A, D = range(4)
TABLE_2 = [([0, 1], (M, F)), ([1, 2], (F, A)), ([2, 0], (A, M)), ([3, 4], (F, D)), ([3, 4], (F, D))]
"""The sets of the paper's Table 2: Alice and Bob, Bob and Carol, Carol and Alice, David and Eve twice."""


def tallied(values, width=4):
    return np.bincount(values, minlength=width)


def sets_of(people, members, counts):
    """Sets whose members are written down."""
    starts = np.concatenate([[0], np.cumsum([len(some) for some in members])]).astype(np.int64)
    member = np.array([person for some in members for person in some], dtype=np.int64)
    return Sets(np.asarray(people, dtype=np.int64), starts, member, counts, counts)


def test_the_papers_table_2_leaves_one_disease_to_each_of_three_patients():
    """Theory NS-1 and 7.5: Alice M, Bob F, Carol A; David and Eve F or D."""
    counts = np.array([tallied(values) for _, values in TABLE_2])
    found = still_possible(sets_of([1] * 5, [members for members, _ in TABLE_2], counts), np.arange(5))
    assert [np.flatnonzero(row).tolist() for row in found] == [[M], [F], [A], [F, D], [F, D]]


def test_clusters_shown_as_wholes_leave_every_value_of_the_cluster():
    """The hardened variant on the same patients: three values each, and two each."""
    counts = np.array([tallied((M, F, A)), tallied((F, D))])
    found = still_possible(sets_of([1] * 5, [[0, 1, 2], [3, 4]], counts), np.arange(5))
    assert found.sum(axis=1).tolist() == [3, 3, 3, 2, 2]


@st.composite
def systems(draw):
    """People, some with a double, in overlapping sets; bounds that the truth keeps to, some of them loose."""
    random = Random(draw(st.integers(0, 2**32 - 1)))
    people, values = random.randint(1, 4), random.randint(1, 3)
    size = [random.choice((1, 1, 2)) for _ in range(people)]
    truth = [[random.randrange(values) for _ in range(count)] for count in size]
    members, least, most = [], [], []
    for _ in range(random.randint(0, 5)):
        some = random.sample(range(people), random.randint(1, people))
        counts = tallied([value for person in some for value in truth[person]], values)
        spare = random.choice((0, 0, 1))
        members.append(some)
        least.append(np.maximum(counts - spare, 0))
        most.append(counts + spare)
    starts = np.concatenate([[0], np.cumsum([len(some) for some in members])]).astype(np.int64)
    flat = np.array([person for some in members for person in some], dtype=np.int64)
    shape = (len(members), values)
    bounds = (np.array(part, dtype=np.int64).reshape(shape) for part in (least, most))
    return Sets(np.array(size), starts, flat, *bounds)


def possible_by_enumeration(sets):
    people, values = len(sets.size), sets.least.shape[1]
    seen = np.zeros((people, values), dtype=bool)
    owner = np.repeat(np.arange(people), sets.size)
    for world in product(range(values), repeat=len(owner)):
        held = np.zeros((people, values), dtype=int)
        np.add.at(held, (owner, list(world)), 1)
        sums = [held[sets.member[a:b]].sum(axis=0) for a, b in zip(sets.starts[:-1], sets.starts[1:], strict=True)]
        if all(
            (low <= s).all() and (s <= high).all() for low, s, high in zip(sets.least, sums, sets.most, strict=True)
        ):
            seen |= held > 0
    return seen


@given(systems())
@examples(60)
def test_what_is_possible_is_what_some_world_shows(sets):
    assert np.array_equal(still_possible(sets, np.arange(len(sets.size))), possible_by_enumeration(sets))


def scattered(people=60, values=3, seed=0):
    """Two numbers at random: closures of few people hold nobody else."""
    random = Random(seed)
    rows = [[random.randrange(1000), random.randrange(1000), f"v{random.randrange(values)}"] for _ in range(people)]
    frame = pa.table(dict(zip(("x", "y", "ill"), zip(*rows, strict=True), strict=True)))
    said = shoal.Schema()
    for name in ("x", "y"):
        said = said.with_column(name, role="quasi-identifier", domain=(0, 999))
    return frame, said.with_column("ill", role="sensitive")


def released(**settings):
    return shoal.NSVDist(k=2, diversity=2.0, mode=shoal.Mode.AS_PUBLISHED, **settings).anonymize(*scattered())


def test_small_sets_of_scattered_people_disclose_many_of_them():
    """Theory NS-2: about 0.39 of a hundred people at k = 2, a lower bound that ours may exceed."""
    (found,) = audit_overlap(released().outcome)
    assert found.is_whole
    assert found.people == found.examined == 60
    assert found.share > 0.2
    assert found.exact_sets > 0.6
    assert 1 <= found.possible < 3


def test_an_audit_of_some_people_never_finds_more_than_the_audit_of_all(monkeypatch):
    outcome = released().outcome
    (whole,) = audit_overlap(outcome)
    monkeypatch.setattr(overlap, "_MOST_UNKNOWNS", 0)
    (some,) = audit_overlap(outcome, people=1000)
    assert not some.is_whole
    assert some.examined == 60
    assert some.disclosed <= whole.disclosed
    assert some.possible >= whole.possible
    assert str(some).startswith("audit of 60 of 60 people")
    (few,) = audit_overlap(outcome, people=7)
    assert few.examined == 7


def test_a_solver_that_gives_up_excludes_nothing(monkeypatch):
    monkeypatch.setattr(overlap, "_MOST_NODES", 0)
    counts = np.array([tallied(values) for _, values in TABLE_2])
    found = still_possible(sets_of([1] * 5, [members for members, _ in TABLE_2], counts), np.arange(5))
    truth = [M, F, A, F, D]
    assert all(row[value] for row, value in zip(found, truth, strict=True))


def test_a_release_without_distributions_is_not_audited():
    release = shoal.Mondrian(k=3).anonymize(*scattered())
    with pytest.raises(ParameterError, match="published as distributions"):
        audit_overlap(release.outcome)
