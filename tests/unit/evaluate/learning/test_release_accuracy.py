"""Rating releases: folds, held-out parts, relative accuracy, information loss."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import MODELS, examples, model_on, nodes_of, samples

import shoal
from shoal import evaluate
from shoal.data.attribute import Attribute
from shoal.data.counts import Counts
from shoal.data.domain import Categorical
from shoal.data.encoded import EncodedTable
from shoal.data.hierarchies.hierarchy import Hierarchy
from shoal.data.outcome import Outcome
from shoal.data.schema import Role
from shoal.engines.opening import engine_of_frame
from shoal.errors import ParameterError
from shoal.evaluate import (
    Accuracy,
    CrossValidation,
    DecisionTree,
    HeldOut,
    information_loss,
    part,
    published_classes,
    random_parts,
)
from shoal.evaluate.parts import chosen_at_random
from shoal.pipeline import encoded
from shoal.search.lattice import NodeClasses


def table_of(records, seed=0):
    """`hint` is the label three times out of four; `other` is noise."""
    rng = np.random.default_rng(seed)
    label = rng.integers(0, 2, records)
    hint = np.where(rng.random(records) < 0.75, label, 1 - label)
    columns = {"hint": (hint, 2), "other": (rng.integers(0, 3, records), 3), "label": (label, 2)}
    attributes = tuple(
        Attribute(name, Role.QUASI_IDENTIFIER, Categorical(tuple("abc"[:n])), Hierarchy.flat(n))
        for name, (_, n) in columns.items()
    )
    counts = Counts.of(tuple(columns), [c for c, _ in columns.values()], [n for _, n in columns.values()])
    return EncodedTable(attributes, counts)


def published(table, node, share=1.0, seed=0):
    """The records of a scheme, or a random share of them."""
    classes = NodeClasses(table)
    kept = np.random.default_rng(seed).binomial(table.counts.sizes, share)
    recoding = classes.recoding(node)
    return Outcome.recoded(table, recoding, recoding.apply(part(table, kept)), classes=classes.at(node))


def test_a_target_that_is_hidden_is_not_predicted_by_saying_that_it_is_hidden():
    table = table_of(2000)
    hidden = published(table, (0, 0, 1))
    rated = HeldOut(table, table_of(1000, seed=1), "label", draws=40).rate(hidden)
    assert rated.release == pytest.approx(0.5, abs=0.1)
    assert rated.auc == pytest.approx(0.5, abs=0.1)
    kept = CrossValidation(table, "label", folds=4).rate(published(table, (0, 0, 0)))
    assert kept.release == kept.original == pytest.approx(0.75, abs=0.04)
    assert kept.auc == kept.auc_original == pytest.approx(0.75, abs=0.04)


def test_relative_accuracy_is_0_for_the_majority_and_1_for_the_originals():
    assert Accuracy(0.75, 0.9, 0.6).relative == pytest.approx(0.5)
    assert Accuracy(0.6, 0.9, 0.6).relative == 0
    assert Accuracy(0.9, 0.9, 0.6).relative == 1
    assert np.isnan(Accuracy(0.6, 0.6, 0.6).relative)


@pytest.mark.parametrize("make", [lambda t: CrossValidation(t, "label"), lambda t: HeldOut(t, t, "label")])
def test_what_publishes_everything_teaches_as_well_as_the_originals(make):
    trial = make(table_of(3_000))
    rated = trial.rate(published(trial.table if isinstance(trial, CrossValidation) else trial.train, (0, 0, 0)))
    assert rated.relative == 1
    assert rated.original == pytest.approx(0.75, abs=0.03)
    assert rated.trivial == pytest.approx(0.5, abs=0.03)


def test_hiding_noise_costs_nothing_and_hiding_the_hint_costs_all():
    trial = CrossValidation(table_of(3_000), "label")
    assert trial.rate(published(trial.table, (0, 1, 0), share=0.5)).relative == pytest.approx(1, abs=0.05)
    assert trial.rate(published(trial.table, (1, 0, 0), share=0.5)).relative == pytest.approx(0, abs=0.15)


def test_the_tested_fold_does_not_teach():
    """Every record is alone in its class: whoever is tested was never seen, so labels drawn by lot stay unknown."""
    rng = np.random.default_rng(5)
    records = 400
    domain = Categorical(tuple(str(i) for i in range(records)))
    attributes = (
        Attribute("id", Role.QUASI_IDENTIFIER, domain, Hierarchy.flat(records)),
        Attribute("label", Role.QUASI_IDENTIFIER, Categorical(("a", "b")), Hierarchy.flat(2)),
    )
    counts = Counts.of(("id", "label"), [np.arange(records), rng.integers(0, 2, records)], (records, 2))
    table = EncodedTable(attributes, counts)
    trial = CrossValidation(table, "label", DecisionTree(confidence=1.0, smallest=1))
    assert trial.rate(published(table, (0, 0))).release == pytest.approx(0.5, abs=0.1)
    assert HeldOut(table, table, "label", DecisionTree(confidence=1.0, smallest=1)).original == 1.0


def test_a_release_of_another_table_is_refused():
    trial = CrossValidation(table_of(50), "label")
    with pytest.raises(ParameterError, match="another table"):
        trial.rate(published(table_of(500), (0, 0, 0)))


def test_a_fold_without_published_records_gets_the_first_label():
    trial = CrossValidation(table_of(50), "label")
    nothing = replace(published(trial.table, (0, 0, 0)), published=published(trial.table, (0, 0, 0), 0.0).published)
    assert trial.rate(nothing).release == pytest.approx(share_of_the_first_label(trial.table))


def share_of_the_first_label(table):
    return table.marginal("label")[0] / table.total


@pytest.mark.parametrize("folds", [1, 51])
def test_folds_are_from_two_to_the_number_of_records(folds):
    with pytest.raises(ParameterError, match="folds"):
        CrossValidation(table_of(50), "label", folds=folds)


@given(
    sizes=st.lists(st.integers(1, 9), min_size=1, max_size=12),
    shares=st.lists(st.integers(1, 5), min_size=1, max_size=4),
)
def test_parts_add_up_to_the_table_and_have_their_share(sizes, shares):
    sizes = np.array(sizes)
    parts = random_parts(sizes, shares, np.random.default_rng(0))
    assert (parts.sum(axis=0) == sizes).all()
    expected = np.array(shares) / sum(shares) * sizes.sum()
    assert (np.abs(parts.sum(axis=1) - expected) <= 1).all()


def test_shares_must_be_given():
    for shares in ([], [0.0], [-1.0, 2.0]):
        with pytest.raises(ParameterError, match="shares"):
            random_parts(np.array([1]), shares, np.random.default_rng(0))


@given(data=st.data())
def test_as_many_of_each_label_are_chosen_as_wanted(data):
    sizes = np.array(data.draw(st.lists(st.integers(1, 5), min_size=1, max_size=10)))
    labels = np.array(data.draw(st.lists(st.integers(0, 3), min_size=len(sizes), max_size=len(sizes))))
    there = np.bincount(labels, weights=sizes, minlength=4).astype(int)
    wanted = np.array([data.draw(st.integers(0, int(n))) for n in there])
    chosen = chosen_at_random(labels, sizes, wanted, np.random.default_rng(0))
    assert ((chosen >= 0) & (chosen <= sizes)).all()
    assert (np.bincount(labels, weights=chosen, minlength=4) == wanted).all()


def test_all_records_of_a_class_are_equally_likely_to_be_chosen():
    """4 of 12 records are chosen, 9 of them in the first row: 3 on average; 2,000 draws, sd 0.02, so 0.1 is five."""
    rng = np.random.default_rng(1)
    drawn = [chosen_at_random(np.zeros(2, int), np.array([9, 3]), np.array([4]), rng)[0] for _ in range(2_000)]
    assert np.mean(drawn) == pytest.approx(3, abs=0.1)


@pytest.mark.parametrize("kind", MODELS)
@given(data=st.data())
@examples(30)
def test_a_release_of_every_record_loses_what_its_scheme_loses(kind, data):
    sample = data.draw(samples(sensitive=(1, 1)))
    model, node, table = data.draw(model_on(sample, kind)), data.draw(nodes_of(sample)), sample.table
    classes = NodeClasses(table).at(node)
    expected = model.on(table).loss(classes, np.zeros(len(classes), dtype=np.bool_))
    assert information_loss(published(table, node), model) == pytest.approx(expected, abs=1e-9)


def test_records_that_are_not_published_count_as_suppressed():
    table = table_of(200)
    outcome = published(table, (0, 1, 0), share=0.4)
    shown = published_classes(outcome).table
    assert shown.total == 200
    assert shown.counts.suppressed == 200 - outcome.published.kept


# Persons


def visits(people=24, each=4):
    """Whom a record is about tells what is to be predicted, and nothing else does."""
    who = np.repeat(np.arange(people), each)
    frame = pd.DataFrame({"who": who, "town": who, "ill": np.where(who % 2, "flu", "cold"), "day": np.arange(len(who))})
    schema = shoal.Schema(person="who").with_column("town", role="quasi-identifier", domain=(0, people - 1))
    schema = schema.with_column("ill", role="sensitive", domain=["cold", "flu"]).with_column("day", role="dropped")
    method = shoal.OptimalLattice(k=1)
    table = encoded(engine_of_frame(frame)[0], schema, shoal.OptimalLattice(k=2))
    return table, method


def test_nobody_teaches_and_is_tested():
    table, method = visits()
    outcome = method.run(table)
    by_persons = evaluate.CrossValidation(table, "ill", folds=6)
    assert by_persons.original <= 0.6  # whoever is tested was never seen
    assert by_persons.rate(outcome).release <= 0.6
    assert (np.count_nonzero(by_persons._dealt, axis=0) == 1).all()
    assert by_persons._dealt.sum(axis=1).tolist() == [16] * 6
    as_records = evaluate.CrossValidation(table.of_rows(), "ill", folds=6)
    assert as_records.original == 1.0  # as if it were known


def test_releases_are_made_of_other_persons():
    table, method = visits()
    seen = []

    def release(train):
        assert train.people == 20
        assert train.persons.rows_each.tolist() == [4] * 20
        seen.append(set(train.counts.column("town").tolist()))
        return method.run(train)

    found = evaluate.cross_validate(table, "ill", release, folds=6)
    assert found.original <= 0.6
    assert [len(towns) for towns in seen] == [20] * 6
    assert Counter(town for towns in seen for town in towns) == dict.fromkeys(range(24), 5)


def test_there_are_no_more_folds_than_persons():
    table, _ = visits()
    with pytest.raises(ParameterError, match="got 25 folds for 24 persons"):
        evaluate.CrossValidation(table, "ill", folds=25)
