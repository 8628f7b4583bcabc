"""Mondrian: classes by definition, cuts by brute force, and the kernel against the judged variant."""

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from local_outcomes import assert_truthful, members, naive_loss
from local_requests import PUBLISH, meets, requests
from strategies import examples

import shoal
from shoal.criteria import FrequencyDiversity, KAnonymity
from shoal.data.partition import Partition
from shoal.errors import InfeasibleError, ParameterError, SchemaError
from shoal.kernels.heads import ONE_EACH
from shoal.methods.mondrian import judged, looking
from shoal.methods.mondrian.cuts_kernel import all_cut_losses
from shoal.methods.mondrian.judged import judged_classes
from shoal.methods.mondrian.looking import Look, usual_look
from shoal.methods.mondrian.method import strict_classes
from shoal.methods.mondrian.single import single_classes
from shoal.methods.parts.cells import Cells
from shoal.methods.parts.judge import Judge
from shoal.methods.parts.publish import Publish


def cuts_of(cells, column, rows):
    """Every way to part the values that occur, in order."""
    values = sorted({int(cells.codes[row, column]) for row in rows})
    return values[:-1]


def sides(cells, column, cut, records):
    left = {row: size for row, size in records.items() if cells.codes[row, column] <= cut}
    return left, {row: size for row, size in records.items() if row not in left}


@examples(80)
@given(request=requests(), publish=PUBLISH)
def test_strict_classes_are_admissible_do_not_overlap_and_have_no_admissible_cut_left(request, publish):
    sample, table, criteria = request
    cells = Cells.of(table, Publish(publish), {})
    judge = Judge(table, criteria)
    classes = members(judged_classes(cells, judge, is_relaxed=False, look=usual_look(cells, judge)))
    for records in classes:
        assert meets(sample, criteria, records)
        for column in range(len(cells.leaves)):
            for cut in cuts_of(cells, column, records):
                assert not all(meets(sample, criteria, side) for side in sides(cells, column, cut, records))
    boxes = [(cells.codes[list(records)].min(axis=0), cells.codes[list(records)].max(axis=0)) for records in classes]
    for i, (low, high) in enumerate(boxes):
        for other_low, other_high in boxes[:i]:
            assert ((high < other_low) | (other_high < low)).any()


LOOKS = st.builds(Look, st.sampled_from([0, 6, 12, 10**6]), st.sampled_from([1, 2, 9]))


@examples(80)
@given(request=requests(with_criteria=False), publish=PUBLISH, look=st.none() | LOOKS, data=st.data())
def test_the_kernel_makes_the_classes_of_the_judged_variant(request, publish, look, data):
    sample, table, (criterion,) = request
    weights = {name: data.draw(st.sampled_from([0.5, 1.0, 3.0])) for name in sample.quasi_names}
    cells, judge = Cells.of(table, Publish(publish), weights), Judge(table, (criterion,))
    if look is None:
        fast = shoal.Mondrian(k=criterion.k, split="relaxed", publish=publish)._classes(cells, judge)
    else:
        fast = strict_classes(cells, judge, look)
    slow = judged_classes(cells, judge, is_relaxed=look is None, look=look)
    canonical = [Counter(tuple(sorted(c.items())) for c in members(made)) for made in (fast, slow)]
    assert canonical[0] == canonical[1]


@examples(120)
@given(
    request=requests(with_criteria=False),
    publish=PUBLISH,
    ell=st.sampled_from([1.0, 1.5, 2.0, 2.5, 3.0]),
    look=st.none() | LOOKS,
    data=st.data(),
)
def test_compiled_or_not_shares_of_sensitive_values_lead_to_the_same_classes(request, publish, ell, look, data):
    sample, table, criteria = request
    names = data.draw(st.lists(st.sampled_from(sample.sensitive_names), max_size=2)) if sample.sensitive_names else []
    judge = Judge(table, [*criteria, *(FrequencyDiversity(ell, name) for name in names)])
    assume(judge.unmet() is None)
    weights = {name: data.draw(st.sampled_from([0.5, 1.0, 3.0])) for name in sample.quasi_names}
    cells = Cells.of(table, Publish(publish), weights)
    with pytest.MonkeyPatch.context() as patch:
        slow = judged_classes(cells, judge, is_relaxed=False, look=look)
        patch.setattr(judged, "_COMPILED", 0)
        fast = judged_classes(cells, judge, is_relaxed=False, look=look)
    for mine, theirs in ((fast.source, slow.source), (fast.label, slow.label), (fast.sizes, slow.sizes)):
        assert np.array_equal(mine, theirs)


@examples(40)
@given(request=requests(with_criteria=False), publish=PUBLISH)
def test_what_is_lost_after_a_cut_is_what_its_two_sides_lose(request, publish):
    _, table, (criterion,) = request
    cells, sizes = Cells.of(table, Publish(publish), {}), table.counts.sizes
    rows, columns = cells.codes.shape
    asked = np.ones((1, columns), dtype=np.bool_)
    every, k = np.arange(rows), criterion.k
    lost = all_cut_losses(
        cells.codes, every, sizes, np.zeros(1, np.int64), asked, k, cells.prices, cells.widest, ONE_EACH
    )
    expected = []
    for column in range(columns):
        for cut in cuts_of(cells, column, every):
            right = (cells.codes[:, column] > cut).astype(np.int64)
            if min(sizes[right == 0].sum(), sizes[right == 1].sum()) >= k:
                mean = cells.loss(Partition.whole(right, sizes))
                expected.append(mean * float(cells.weights.sum()) * table.total)
    assert lost == pytest.approx(expected, abs=1e-9)


def test_a_region_is_cut_where_least_is_lost_and_a_large_one_at_its_median(monkeypatch):
    """At the median (4 | 5) the far ages stay with near ones; cut between 9 and 90 they do not."""
    schema = shoal.Schema().with_column("age", role="quasi-identifier", domain=(0, 99))
    ages = pa.table({"age": [1, 2, 3, 4, 5, 6, 7, 8, 9, 90, 91]})
    for where, near, first in (("_NEAR", 200, {"90-91"}), ("_NEAR", 0, {"9-91"}), ("_LARGE", 0, {"90-91"})):
        monkeypatch.setattr(looking, where, near)
        assert first <= set(shoal.Mondrian(k=2).anonymize(ages, schema).data["age"].to_pylist())


@examples(60)
@given(request=requests(), publish=PUBLISH)
def test_relaxed_classes_are_admissible_and_halving_any_column_would_break_them(request, publish):
    sample, table, criteria = request
    cells = Cells.of(table, Publish(publish), {})
    for records in members(judged_classes(cells, Judge(table, criteria), is_relaxed=True)):
        assert meets(sample, criteria, records)
        if all(isinstance(criterion, KAnonymity) for criterion in criteria):
            is_one = len({tuple(cells.codes[row]) for row in records}) == 1
            assert is_one or sum(records.values()) < 2 * max(criterion.k for criterion in criteria)


def test_relaxed_cuts_deal_equal_records_to_both_sides():
    schema = shoal.Schema().with_column("age", role="quasi-identifier", domain=(0, 9))
    ages = pa.table({"age": [1, 5, 5, 5, 5, 9]})
    relaxed = shoal.Mondrian(k=3, split="relaxed").anonymize(ages, schema).data["age"].to_pylist()
    strict = shoal.Mondrian(k=3).anonymize(ages, schema).data["age"].to_pylist()
    assert sorted(relaxed) == ["1-5"] * 3 + ["5-9"] * 3
    assert set(strict) == {"1-9"}


@examples(60)
@given(request=requests(), publish=PUBLISH)
def test_single_dimensional_pieces_hold_for_all_records_and_none_can_be_cut(request, publish):
    sample, table, criteria = request
    cells, judge = Cells.of(table, Publish(publish), {}), Judge(table, criteria)
    partition, pieces = single_classes(cells, judge)
    classes = members(partition)
    assert all(meets(sample, criteria, records) for records in classes)
    for column in range(len(cells.leaves)):
        piece = {}
        for row in range(len(pieces)):  # a value is in the same piece wherever it stands
            assert piece.setdefault(int(cells.codes[row, column]), pieces[row, column]) == pieces[row, column]
        for number in set(piece.values()):
            rows = [row for row in range(len(pieces)) if pieces[row, column] == number]
            for cut in cuts_of(cells, column, rows):
                halves = [side for records in classes if set(records) <= set(rows)
                          for side in sides(cells, column, cut, records) if side]  # fmt: skip
                assert not all(meets(sample, criteria, side) for side in halves)


@examples(80)
@given(
    request=requests(),
    publish=PUBLISH,
    split=st.sampled_from(["strict", "relaxed", "single"]),
    data=st.data(),
)
def test_what_is_shown_covers_the_records_and_loses_what_is_said(request, publish, split, data):
    sample, table, criteria = request
    weights = {name: data.draw(st.sampled_from([0.5, 1.0, 3.0])) for name in sample.quasi_names}
    method = shoal.Mondrian(k=criteria[0].k, criteria=criteria[1:], split=split, publish=publish, weights=weights)
    outcome = method.run(table)
    assert_truthful(table, outcome)
    assert outcome.losses["loss"] == pytest.approx(naive_loss(table, outcome, weights), abs=1e-12)
    if outcome.classes is not None:
        model = shoal.Loss(weights=weights).on(table)
        if all(attribute.domain.size > 1 for attribute in table.quasi_identifiers):
            assert model.loss(outcome.classes, outcome.suppressed) == pytest.approx(outcome.losses["loss"], abs=1e-12)


def test_k_of_one_would_publish_the_quasi_identifiers_as_they_are_and_is_refused_unless_more_is_asked():
    schema = shoal.Schema().with_column("age", role="quasi-identifier", domain=(0, 9))
    table = pa.table({"age": [3, 7, 7, 1]})
    for method in (shoal.Mondrian(k=1), shoal.OLA(k=1, diversity=1), shoal.MDAV(k=1)):
        with pytest.raises(ParameterError, match="k = 1 publishes every record as it is"):
            method.anonymize(table, schema)
    data = shoal.Mondrian(k=1, criteria=(shoal.KAnonymity(1),)).anonymize(table, schema).data
    assert sorted(data["age"].to_pylist()) == [1, 3, 7, 7]


def test_cuts_along_the_taxonomy_come_first():
    """The most even cut would part `west`; the cut between regions is taken."""
    tree = shoal.tree({"all": {"south": ["Ulm"], "west": ["Bonn", "Köln"]}})
    schema = shoal.Schema().with_column("town", role="quasi-identifier", hierarchy=tree)
    towns = pa.table({"town": ["Ulm"] * 3 + ["Bonn"] * 2 + ["Köln"] * 4})
    made = shoal.Mondrian(k=3, publish="nodes").anonymize(towns, schema)
    assert Counter(made.data["town"].to_pylist()) == {"Ulm": 3, "west": 6}


def test_what_makes_no_sense_is_refused():
    schema = shoal.Schema().with_column("age", role="quasi-identifier", domain=(0, 9))
    ages = pa.table({"age": [1, 2, 3]})
    for wrong in ({"k": 0}, {"k": 2.5}, {"split": "loose"}, {"publish": "text"}, {"weights": {"age": -1.0}}):
        with pytest.raises(ParameterError):
            shoal.Mondrian(**wrong)
    for weights in ({"zip": 1.0}, {"age": 0.0}):
        with pytest.raises(ParameterError):
            shoal.Mondrian(k=2, weights=weights).anonymize(ages, schema)
    with pytest.raises(InfeasibleError, match="more than the table has records"):
        shoal.Mondrian(k=4).anonymize(ages, schema)
    with pytest.raises(SchemaError, match="nothing to protect"):
        shoal.Mondrian(k=2).anonymize(ages, shoal.Schema().with_column("age", role="sensitive"))
    with pytest.raises(SchemaError, match="diversity protects sensitive columns"):
        shoal.Mondrian(k=2, diversity=2.0).anonymize(ages, schema)


@pytest.mark.parametrize(
    ("near", "shown"), [(200, {"0-1", "500000-500001", "999998-999999"}), (0, {"0-500000", "500001-999999"})]
)
def test_a_wide_domain_with_few_values_is_cut_as_a_narrow_one(monkeypatch, near, shown):
    """Ranges far wider than the records in them are sorted, not counted through."""
    values = [0, 1, 500_000, 500_001, 999_998, 999_999]
    schema = shoal.Schema().with_column("income", role="quasi-identifier", domain=(0, 999_999))
    monkeypatch.setattr(looking, "_NEAR", near)
    made = shoal.Mondrian(k=2).anonymize(pa.table({"income": values}), schema)
    assert set(made.data["income"].to_pylist()) == shown


def test_classes_are_the_same_whatever_else_is_asked_that_is_already_met():
    rng = np.random.default_rng(5)
    frame = pa.table({"age": rng.integers(0, 60, 400), "ill": rng.choice(["a", "b"], 400)})
    schema = shoal.Schema().with_column("age", role="quasi-identifier", domain=(0, 59))
    schema = schema.with_column("ill", role="sensitive")
    plain = shoal.Mondrian(k=10).anonymize(frame, schema)
    judged = shoal.Mondrian(k=10, criteria=(shoal.DistinctDiversity(1, "ill"),)).anonymize(frame, schema)
    assert plain.data.equals(judged.data)
