"""Mondrian, local recoding and MDAV where a person may have several records: k persons in every published class."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from local_outcomes import assert_truthful, members, naive_loss
from person_samples import person_tables, persons_of, published_classes
from strategies import criteria_about, examples

import shoal
from shoal.criteria import KAnonymity
from shoal.data.partition import Partition
from shoal.data.unit import Unit
from shoal.kernels.heads import ONE_EACH
from shoal.methods.local_recoding import method as local_recoding
from shoal.methods.local_recoding.rounds import Rounds
from shoal.methods.mondrian.judged import judged_classes
from shoal.methods.mondrian.kernel import NO_SHARES, mondrian
from shoal.methods.mondrian.looking import NOWHERE, Look
from shoal.methods.mondrian.method import strict_classes
from shoal.methods.parts.cells import Cells
from shoal.methods.parts.company import completed
from shoal.methods.parts.judge import Judge
from shoal.methods.parts.publish import Publish
from shoal.promises.verify import verify

PUBLISH = st.sampled_from(["intervals", "nodes"])
SPLITS = st.sampled_from(["strict", "relaxed", "single"])
LOOKS = st.sampled_from([None, NOWHERE, Look(8, 1), Look(10**6, 9)])
"""Relaxed, or which cuts are compared by loss."""
METHODS = st.one_of(
    st.builds(shoal.Mondrian, k=st.integers(1, 5), split=SPLITS, publish=PUBLISH),
    st.builds(shoal.LocalRecoding, k=st.integers(1, 5), publish=PUBLISH, passes=st.sampled_from([0, 2])),
    st.builds(shoal.MDAV, k=st.integers(1, 5), block_size=st.sampled_from([10, 50_000])),
)


@examples(150)
@given(request=person_tables(), method=METHODS)
def test_every_published_class_has_k_persons_and_no_record_is_in_two(request, method):
    _, table = request
    assume(table.people >= method.k)
    outcome = method.run(table)
    classes = published_classes(outcome)
    assert min(len(persons_of(table, rows)) for rows in classes) >= method.k
    if table.persons.most_rows > 1:
        assert sum(len(rows) for rows in classes) == len(table.counts)
    if not isinstance(method, shoal.MDAV):
        assert_truthful(table, outcome)
        if getattr(method, "split", None) is not shoal.methods.mondrian.Split.SINGLE:
            assert outcome.losses["loss"] == pytest.approx(naive_loss(table, outcome), abs=1e-12)
    assert all(v.holds for v in verify(table, outcome.published, method.promises(table), outcome.published_persons()))


@examples(80)
@given(request=person_tables(one_each=True), method=METHODS)
def test_where_everybody_has_one_record_persons_are_records(request, method):
    sample, table = request
    assume(table.total >= method.k)
    by_persons, by_rows = method.run(table), method.run(shoal.data.encoded.EncodedTable(table.attributes, table.counts))
    assert np.array_equal(by_persons.sources.label, by_rows.sources.label)
    assert np.array_equal(by_persons.sources.sizes, by_rows.sources.sizes)
    assert by_persons.losses == by_rows.losses
    published = by_persons.published_persons()
    heads = published.heads(np.arange(len(by_persons.published)), len(by_persons.published))
    assert np.array_equal(heads, by_persons.published.sizes)
    del sample


@examples(60)
@given(request=person_tables(one_each=True, max_size=1), k=st.integers(1, 5), publish=PUBLISH, look=LOOKS)
def test_the_cuts_of_persons_are_those_of_records_where_these_are_the_same(request, k, publish, look):
    """The kernel counts persons one way and records another; distinct records are single here, so neither divides."""
    _, table = request
    assume(table.total >= k)
    sizes = table.counts.sizes
    relaxed, look = look is None, look or NOWHERE
    assume(not relaxed or (sizes == 1).all())
    cells = Cells.of(table, Publish(publish), {})
    by_rows, by_persons = (
        mondrian(cells.codes, sizes, k, relaxed, look, cells.prices, cells.widest, pairs, NO_SHARES)
        for pairs in (ONE_EACH, table.persons.pairs)
    )
    for here, there in zip(by_rows, by_persons, strict=True):
        assert np.array_equal(here, there)


@examples(100)
@given(request=person_tables(), k=st.integers(1, 4), publish=PUBLISH, look=LOOKS)
def test_the_kernel_makes_the_classes_of_the_judged_variant(request, k, publish, look):
    _, table = request
    assume(table.people >= k)
    cells, judge = Cells.of(table, Publish(publish), {}), Judge(table, [KAnonymity(k, Unit.PERSON)])
    assert judge.is_size_alone
    if look is None:
        fast = shoal.Mondrian(k=k, split="relaxed", publish=publish)._classes(cells, judge)
    else:
        fast = strict_classes(cells, judge, look)
    slow = judged_classes(cells, judge, is_relaxed=look is None, look=look)
    canonical = [Counter(tuple(sorted(c.items())) for c in members(made)) for made in (fast, slow)]
    assert canonical[0] == canonical[1]


@examples(80)
@given(request=person_tables(), k=st.integers(1, 4), publish=PUBLISH)
def test_strict_classes_have_no_cut_left_that_leaves_k_persons_on_both_sides(request, k, publish):
    _, table = request
    assume(table.people >= k)
    cells = Cells.of(table, Publish(publish), {})
    method = shoal.Mondrian(k=k, publish=publish)
    partition = method._classes(cells, Judge(table, method.promises(table)))
    for rows in members(partition):
        for column in range(len(cells.leaves)):
            values = {row: int(cells.codes[row, column]) for row in rows}
            for cut in sorted(set(values.values()))[:-1]:
                left = {row for row in rows if values[row] <= cut}
                sides = left, set(rows) - left
                assert min(len(persons_of(table, side)) for side in sides) < k


@examples(60)
@given(request=person_tables(), k=st.integers(1, 4))
def test_the_kernel_finds_the_classes_of_the_judged_rounds(request, k):
    _, table = request
    cells, judge = Cells.of(table, Publish.NODES, {}), Judge(table, [KAnonymity(k, Unit.PERSON)])
    rounds = Rounds(cells)
    fast, slow = rounds.classes(np.arange(len(table.counts)), judge), rounds.judged_classes(judge)
    assert np.array_equal(fast < 0, slow < 0)
    pairs = {(int(a), int(b)) for a, b in zip(fast, slow, strict=True)}
    assert len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs})


@examples(80)
@given(request=person_tables(), k=st.integers(1, 4), passes=st.integers(0, 3))
def test_moves_never_lose_and_keep_k_persons_in_every_class(request, k, passes):
    _, table = request
    assume(table.people >= k)
    assume(table.persons.most_rows > 1)
    cells, judge = Cells.of(table, Publish.NODES, {}), Judge(table, [KAnonymity(k, Unit.PERSON)])
    rows = np.arange(len(table.counts))
    label = completed(cells, judge, Rounds(cells).classes(rows, judge))
    before = cells.loss(Partition.whole(label, table.counts.sizes))
    moved = local_recoding._improved_persons(cells, label, [rows], judge, passes)
    assert cells.loss(moved) <= before + 1e-9
    assert all(len(persons_of(table, set(records))) >= k for records in members(moved))


@examples(80)
@given(request=person_tables(sensitive=(1, 2)), data=st.data())
def test_other_criteria_are_met_beside_k_persons(request, data):
    sample, table = request
    criteria = tuple(data.draw(criteria_about(sample, max_size=2)))
    k, publish = data.draw(st.integers(1, 3)), data.draw(PUBLISH)
    kind = data.draw(st.sampled_from([shoal.Mondrian, shoal.LocalRecoding]))
    split = {"split": data.draw(SPLITS)} if kind is shoal.Mondrian else {}
    method = kind(k=k, criteria=criteria, publish=publish, **split)
    assume(table.people >= k)
    assume(Judge(table, method.promises(table)).unmet() is None)
    outcome = method.run(table)
    assert all(v.holds for v in verify(table, outcome.published, method.promises(table), outcome.published_persons()))
    assert min(len(persons_of(table, rows)) for rows in published_classes(outcome)) >= k


@examples(30)
@given(request=person_tables(one_each=True, sensitive=(1, 2)), data=st.data())
def test_criteria_of_persons_are_those_of_records_where_everybody_has_one(request, data):
    sample, table = request
    criteria = tuple(data.draw(criteria_about(sample, max_size=2)))
    method = data.draw(st.sampled_from([shoal.Mondrian, shoal.LocalRecoding]))(k=2, criteria=criteria)
    assume(table.people >= 2)
    rows = shoal.data.encoded.EncodedTable(table.attributes, table.counts)
    assume(Judge(rows, method.promises(rows)).unmet() is None)
    by_persons, by_rows = method.run(table), method.run(rows)
    assert np.array_equal(by_persons.sources.label, by_rows.sources.label)
    assert all(
        v.holds for v in verify(table, by_persons.published, method.promises(table), by_persons.published_persons())
    )


def test_whoever_has_records_on_both_sides_of_a_cut_counts_on_both():
    """Three persons with a young and an old record each: two classes of three persons, where records are six."""
    import pandas as pd

    visits = pd.DataFrame({"who": list("abcabc"), "age": [20, 21, 22, 60, 61, 62]})
    schema = shoal.Schema(person="who").with_column("age", role="quasi-identifier", domain=(0, 99))
    for method in (shoal.Mondrian(k=3), shoal.LocalRecoding(k=3, publish="intervals")):
        release = method.anonymize(visits, schema)
        assert sorted(set(release.data.age)) == ["20-22", "60-62"]
    assert sorted(set(shoal.MDAV(k=3).anonymize(visits, schema).data.age)) == [21.0, 61.0]


def test_what_is_left_over_joins_the_nearest_clusters():
    """After two clusters of two persons each only one person is left, between them."""
    import pandas as pd

    visits = pd.DataFrame({"who": list("abcdccc"), "age": [10, 11, 90, 91, 30, 31, 70]})
    schema = shoal.Schema(person="who").with_column("age", role="quasi-identifier", domain=(0, 99))
    release = shoal.MDAV(k=2).anonymize(visits, schema)
    assert Counter(release.data.age.tolist()) == {20.5: 4, 83.666667: 3}


@pytest.mark.parametrize("method", [shoal.Mondrian, shoal.LocalRecoding, shoal.MDAV], ids=lambda kind: kind.name)
def test_more_than_there_are_persons_is_refused(method):
    import pandas as pd

    visits = pd.DataFrame({"who": list("aabb"), "age": [10, 11, 90, 91]})
    schema = shoal.Schema(person="who").with_column("age", role="quasi-identifier", domain=(0, 99))
    with pytest.raises(shoal.InfeasibleError, match="k = 3 is more than the table has persons"):
        method(k=3).anonymize(visits, schema)
