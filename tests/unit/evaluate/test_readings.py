"""Training on releases of every kind: folds that know where records come from, concrete records, refusals."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from outcomes import outcome_of, outcomes
from strategies import examples
from test_release_accuracy import published, table_of

from shoal.data.counts import Counts
from shoal.data.encoded import EncodedTable
from shoal.data.outcome import Outcome
from shoal.data.partition import Partition
from shoal.data.recoding import FullDomain
from shoal.data.shown import Distributions, TreeNodes
from shoal.errors import ParameterError, SchemaError
from shoal.evaluate import (
    LEARNERS,
    CrossValidation,
    GradientBoosting,
    HeldOut,
    Reading,
    cross_validate,
    part,
    random_parts,
)
from shoal.evaluate.learning.folds import published_folds


def local(table):
    """Every second distinct record hides `other`; nothing else is recoded."""
    labels = np.arange(len(table.counts))
    other = table.counts.column("other")
    root = np.int32(table["other"].hierarchy.root)
    nodes = np.array([0, 1, 2, root], dtype=np.int32)
    of_class = np.where(labels % 2 == 0, 3, other)
    return Outcome.local(table, Partition.whole(labels, table.counts.sizes), {"other": (TreeNodes(nodes), of_class)})


def noisy(table):
    """More records in every cell than there are."""
    exact = published(table, (0, 1, 0))
    return replace(exact, published=replace(exact.published, sizes=exact.published.sizes + 3))


def distributions(table):
    """One published record per original one, its label a distribution that is right three times out of four."""
    counts = table.counts
    shares = np.array([[3, 1], [1, 3]])
    shown = {"label": Distributions(shares, np.array([4, 4]))}
    return Outcome(table=table, published=replace(counts), shown=shown)


MADE = {
    "full-domain": lambda t: published(t, (0, 1, 0), share=0.7),
    "local": local,
    "noisy counts": noisy,
    "distributions": distributions,
}


@pytest.mark.parametrize("kind", MADE)
def test_every_kind_of_release_can_be_read_as_concrete_records(kind):
    table = table_of(2_000)
    trial = CrossValidation(table, "label", folds=5, reading=Reading.MATERIALIZED)
    rated = trial.rate(MADE[kind](table))
    assert rated.relative == pytest.approx(1, abs=0.15)
    assert rated.is_held_out == (kind in ("full-domain", "local"))
    train, test = (part(table, sizes) for sizes in random_parts(table.counts.sizes, (2, 1), np.random.default_rng(0)))
    held = HeldOut(train, test, "label", reading=Reading.MATERIALIZED, draws=2)
    assert held.rate(MADE[kind](train)).relative == pytest.approx(1, abs=0.2)


@pytest.mark.parametrize("kind", ["full-domain", "noisy counts"])
def test_what_recodes_values_can_be_read_as_generalized_features(kind):
    table = table_of(2_000)
    rated = CrossValidation(table, "label", folds=5).rate(MADE[kind](table))
    assert rated.relative == pytest.approx(1, abs=0.1)
    assert rated == CrossValidation(table, "label", folds=5, reading=Reading.GENERALIZED).rate(MADE[kind](table))


def test_a_release_made_anew_for_each_fold_has_seen_nothing_of_it():
    seen = []

    def release(train):
        seen.append(train.total)
        return published(train, (0, 1, 0))

    rated = cross_validate(table_of(600), "label", release, folds=4)
    assert seen == [450] * 4
    assert rated.relative == pytest.approx(1, abs=0.05)
    drawn = cross_validate(table_of(600), "label", release, folds=4, reading=Reading.MATERIALIZED, draws=2)
    assert drawn.original == rated.original


def test_noisy_counts_are_not_held_out_even_where_they_happen_to_be_few_enough():
    """Fewer records than there are in every cell look like a sample; without classes of the original they are none."""
    table = table_of(500)
    sample = published(table, (0, 1, 0), share=0.7)
    assert CrossValidation(table, "label", folds=3).rate(sample).is_held_out
    assert not CrossValidation(table, "label", folds=3).rate(replace(sample, classes=None)).is_held_out


def test_a_recoding_beside_which_numbers_are_perturbed_is_read_as_concrete_records():
    """Codes of the perturbed column number its entries, not its leaves: test records would be misread."""
    outcome = outcome_of(["kept", "numbers", "kept", "kept"], records=60)
    mixed = replace(outcome, recoding=FullDomain({}))
    assert Reading.of(mixed) is Reading.MATERIALIZED
    with pytest.raises(ParameterError, match=r"read it as Reading\.MATERIALIZED"):
        HeldOut(mixed.table, mixed.table, "grade", reading=Reading.GENERALIZED).rate(mixed)
    spans = Outcome.recoded(table_of(9), FullDomain({"hint": 1}), table_of(9).counts)
    assert Reading.of(spans) is Reading.GENERALIZED


def test_a_local_recoding_cannot_be_applied_to_test_records():
    table = table_of(100)
    with pytest.raises(ParameterError, match=r"read it as Reading\.MATERIALIZED"):
        CrossValidation(table, "label", reading=Reading.GENERALIZED).rate(local(table))


@given(outcome=outcomes(), folds=st.integers(2, 4), seed=st.integers(0, 99))
@examples(30)
def test_folds_of_published_records_add_up(outcome, folds, seed):
    rng = np.random.default_rng(seed)
    dealt = random_parts(outcome.table.counts.sizes, [1.0] * folds, rng)
    found = published_folds(outcome.table, dealt, outcome, rng)
    assert (found.sizes.sum(axis=0) == outcome.published.sizes).all()
    assert not found.is_held_out


@given(seed=st.integers(0, 9999))
@examples(40)
def test_a_published_record_is_in_the_fold_of_the_original_it_stems_from(seed):
    """Parts of distinct records, some of them suppressed: no fold has more published than originals of one source."""
    rng = np.random.default_rng(seed)
    table = table_of(60, seed)
    counts = table.counts
    source, label, sizes = [], [], []
    for row, size in enumerate(counts.sizes.tolist()):
        for piece in rng.multinomial(size, [0.4, 0.3, 0.3])[:2].tolist():  # the last third is suppressed
            if piece:
                source.append(row)
                label.append(len(label))
                sizes.append(piece)
    rows = np.array(source)
    shown = Counts(counts.names, tuple(c[rows] for c in counts.codes), counts.cardinalities, np.array(sizes))
    parts = Partition(rows, np.array(label), np.array(sizes))
    outcome = Outcome(table=table, published=shown, shown={}, sources=parts)
    dealt = random_parts(counts.sizes, [1.0] * 3, rng)
    found = published_folds(table, dealt, outcome, rng)
    assert found.is_held_out
    assert (found.sizes.sum(axis=0) == sizes).all()
    for row in range(len(counts)):
        assert (found.sizes[:, rows == row].sum(axis=1) <= dealt[:, row]).all()


def test_records_of_one_source_are_all_equally_likely_in_a_fold():
    """12 records, 4 published, a fold of 3: one of them on average; 3,000 draws, sd 0.013, so 0.07 is five."""
    table = table_of(1)
    table = EncodedTable(table.attributes, replace(table.counts, sizes=np.array([12])))
    part_of = Partition(np.array([0]), np.array([0]), np.array([4]))
    outcome = Outcome(table=table, published=replace(table.counts, sizes=np.array([4])), shown={}, sources=part_of)
    rng, dealt = np.random.default_rng(0), np.array([[3], [9]])
    drawn = [published_folds(table, dealt, outcome, rng).sizes[0, 0] for _ in range(3_000)]
    assert np.mean(drawn) == pytest.approx(1, abs=0.07)


@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_reads_both_ways(name):
    pytest.importorskip("sklearn")
    table = table_of(400)
    train, test = (part(table, sizes) for sizes in random_parts(table.counts.sizes, (1, 1), np.random.default_rng(0)))
    for reading in Reading:
        learner = GradientBoosting(rounds=10) if name == "gradient-boosting" else LEARNERS[name]
        rated = HeldOut(train, test, "label", learner, reading).rate(published(train, (0, 1, 0)))
        assert rated.release >= rated.trivial - 0.05
        if name != "zero-r":
            assert rated.release == pytest.approx(0.75, abs=0.08)  # of 200 records: sd 0.03


def test_bad_input_is_refused_in_a_sentence():
    table, small = table_of(50), table_of(7)
    one = replace(table, counts=Counts.of(table.counts.names, [np.zeros(9, int)] * 3, table.counts.cardinalities))
    with pytest.raises(SchemaError, match="the target 'job' is not among the columns 'hint', 'other', 'label'"):
        CrossValidation(table, "job")
    with pytest.raises(SchemaError, match="the target 'label' has the same value in all records"):
        CrossValidation(one, "label")
    with pytest.raises(ParameterError, match="got 10 folds for 7 records"):
        CrossValidation(small, "label")
    with pytest.raises(ParameterError, match="got 10 folds for 7 records"):
        cross_validate(small, "label", lambda train: published(train, (0, 0, 0)))
    with pytest.raises(ParameterError, match="draws is a number of 1 or more"):
        HeldOut(table, table, "label", draws=0)
    with pytest.raises(ParameterError, match="no records; hold some out"):
        HeldOut(table, part(table, np.zeros(len(table.counts), int)), "label")
    only = EncodedTable(table.attributes[2:], table.counts.project(["label"]))
    with pytest.raises(SchemaError, match="is the only column"):
        HeldOut(only, only, "label")
    with pytest.raises(ParameterError, match="same columns"):
        HeldOut(table, only, "label")


def test_a_release_of_another_table_is_refused_whatever_its_kind():
    trial = CrossValidation(table_of(50), "label")
    with pytest.raises(ParameterError, match="the release has a column 'age', the original has none"):
        trial.rate(outcome_of(["nodes"] * 4))
    with pytest.raises(ParameterError, match="made from another table"):
        trial.rate(noisy(table_of(50, seed=3)))
    wider = outcome_of(["nodes"] * 4)
    other = replace(wider.table, counts=replace(wider.table.counts, cardinalities=(30, 9, 4, 3)))
    with pytest.raises(ParameterError, match="column 'age' has 30 values in the original and 24"):
        CrossValidation(other, "grade").rate(wider)
