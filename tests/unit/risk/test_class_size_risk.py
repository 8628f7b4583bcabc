"""Class-size risk, attribute disclosure and presence: against plain counting, pycanon and scipy."""

from collections import Counter
from dataclasses import replace
from math import log2
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples, nodes_of, samples, table_of

from shoal.data.counts import Counts
from shoal.data.encoded import EncodedTable
from shoal.data.outcome import Outcome
from shoal.data.recoding import FullDomain
from shoal.data.schema import Role
from shoal.data.shown import Distributions
from shoal.errors import ParameterError, SchemaError
from shoal.risk import attribute_disclosure, class_size_risk, presence, release_risk
from shoal.risk.attribute_disclosure import disclosure_of
from shoal.risk.inverse_class_size import expected_inverse

SIZES = st.lists(st.integers(1, 12), min_size=1, max_size=20).map(lambda sizes: np.array(sizes, dtype=np.int64))


def outcome_at(sample, node, keep=None):
    """The records of a scheme, some of them left out."""
    table = sample.table
    recoding = FullDomain(dict(zip(sample.quasi_names, node, strict=True)))
    kept = table if keep is None else EncodedTable(table.attributes, sample.encoded(keep).counts)
    return Outcome.recoded(table, recoding, recoding.apply(kept))


@given(sizes=SIZES, threshold=st.sampled_from([0.05, 0.2, 1 / 3, 0.5, 1.0]))
@examples(60)
def test_a_prosecutor_finds_a_record_with_one_over_the_size_of_its_class(sizes, threshold):
    chances = [1 / size for size in sizes.tolist() for _ in range(size)]
    found = class_size_risk(sizes, threshold=threshold)
    assert found.records == len(chances)
    assert found.prosecutor.highest == max(chances)
    assert found.prosecutor.average == pytest.approx(sum(chances) / len(chances))
    assert found.prosecutor.records_at_risk == sum(chance > threshold + 1e-12 for chance in chances)
    assert found.prosecutor.at_risk == pytest.approx(found.prosecutor.records_at_risk / len(chances))
    assert dict(zip(found.sizes.tolist(), found.of_size.tolist(), strict=True)) == dict(Counter(sizes.tolist()))
    assert found.smallest == sizes.min()
    assert found.uniques == (sizes == 1).sum()
    assert found.journalist is None
    assert found.marketer is None


@given(sizes=SIZES, seed=st.integers(0, 999))
@examples(40)
def test_journalist_and_marketer_find_a_record_with_one_over_the_size_of_its_class_in_the_population(sizes, seed):
    """El Emam 2013: jR_b = 1 / min F; jR_c = max(|J| / ΣF, Σ f/F / n); mR = Σ f/F / n."""
    people = sizes + np.random.default_rng(seed).integers(0, 9, len(sizes))
    found = class_size_risk(sizes, population=people)
    marketer = sum(f / F for f, F in zip(sizes, people, strict=True)) / sizes.sum()
    assert found.marketer == pytest.approx(marketer)
    assert found.journalist.highest == pytest.approx(1 / people.min())
    assert found.journalist.average == pytest.approx(max(marketer, len(sizes) / people.sum()))
    assert found.journalist.highest <= found.prosecutor.highest
    assert not found.is_estimated


@pytest.mark.parametrize("fraction", [0.001, 0.05, 0.3, 0.5, 0.51, 0.8, 0.99])
def test_the_expected_inverse_is_that_of_the_negative_binomial(fraction):
    """Summed term by term with scipy; F − f is negative binomial with f successes."""
    nbinom = pytest.importorskip("scipy.stats").nbinom
    sizes = np.array([1, 2, 3, 7, 40, 1_999, 2_000, 2_001, 5_000])
    sizes = sizes[sizes / fraction < 1e5]
    found = expected_inverse(sizes, fraction)
    for size, inverse in zip(sizes.tolist(), found, strict=True):
        top = int(size / fraction * 1.5 + 60 / fraction)
        more = np.arange(top)
        assert inverse == pytest.approx((nbinom.pmf(more, size, fraction) / (more + size)).sum(), rel=1e-5)


def test_the_expected_inverse_of_a_sample_unique_has_a_closed_form():
    """π / (1 − π) · ln(1 / π) (Benedetti & Franconi 1998); all of the population is 1/f."""
    assert expected_inverse(np.array([1]), 0.1)[0] == pytest.approx(0.1 / 0.9 * np.log(10))
    assert expected_inverse(np.array([1, 4]), 1.0).tolist() == [1, 0.25]
    found = class_size_risk(np.array([1, 1, 4]), sampling_fraction=0.1)
    assert found.is_estimated
    assert found.journalist.highest == pytest.approx(0.1 / 0.9 * np.log(10))


@given(data=st.data())
@examples(40)
def test_a_release_is_rated_by_its_classes_and_the_original_by_its_own(data):
    sample = data.draw(samples())
    node = data.draw(nodes_of(sample))
    found = release_risk(outcome_at(sample, node))
    before = Counter(tuple(row[i] for i in sample.quasi) for row in sample.rows)
    after = Counter(
        tuple(sample.paths[i][row[i]][level] for i, level in zip(sample.quasi, node, strict=True))
        for row in sample.rows
    )
    assert found.before.smallest == min(before.values())
    assert found.before.classes == len(before)
    assert found.after.smallest == min(after.values())
    assert found.after.prosecutor.average == pytest.approx(len(after) / len(sample.rows))


def test_bad_parameters_are_refused():
    sizes = np.array([1, 2])
    for wrong in (0, 1.5):
        with pytest.raises(ParameterError, match="threshold is a probability"):
            class_size_risk(sizes, threshold=wrong)
        with pytest.raises(ParameterError, match="sampling fraction is a share"):
            class_size_risk(sizes, sampling_fraction=wrong)
    with pytest.raises(ParameterError, match="not both"):
        class_size_risk(sizes, sampling_fraction=0.5, population=sizes)
    with pytest.raises(ParameterError, match="not drawn from this population"):
        class_size_risk(sizes, population=np.array([1, 1]))
    nothing = class_size_risk(np.zeros(0, dtype=np.int64), sampling_fraction=0.5)
    assert (nothing.smallest, nothing.uniques, nothing.prosecutor.highest, nothing.marketer) == (0, 0, 0, 0)


# Attribute disclosure


def hospital():
    """80 records, drawn as written here; pycanon 1.3.6 was given the same ones."""
    r = Random(7)
    rows = [(r.choice("abc"), r.choice("xy"), r.choice(["flu", "cold", "ulcer"])) for _ in range(80)]
    quasi, sensitive = Role.QUASI_IDENTIFIER, Role.SENSITIVE
    columns = {"q1": (quasi, ["a", "b", "c"]), "q2": (quasi, ["x", "y"]), "s": (sensitive, ["flu", "cold", "ulcer"])}
    return table_of(columns, rows)


def test_the_figures_of_pycanon_are_ours():
    """pycanon pins old versions of its dependencies, so that it cannot stand beside ours: its results are noted here.

    k_anonymity 8, l_diversity 3, entropy_l_diversity 2 (rounded down), alpha_k_anonymity (0.5, 8).
    """
    sample = hospital()
    outcome = outcome_at(sample, (0, 0))
    (found,) = attribute_disclosure(outcome)
    assert release_risk(outcome).before.smallest == 8
    assert found.before.distinct.min() == 3
    assert int(2 ** found.before.entropy.min() + 1e-9) == 2
    assert found.before.highest == 0.5


@given(data=st.data())
@examples(40)
def test_disclosure_is_what_counting_class_by_class_says(data):
    sample = data.draw(samples(sensitive=(1, 2)))
    node = data.draw(nodes_of(sample))
    found = attribute_disclosure(outcome_at(sample, node))
    assert [one.after.column for one in found] == sample.sensitive_names
    for one, position in zip(found, sample.named(Role.SENSITIVE), strict=True):
        classes = {}
        for row in sample.rows:
            key = tuple(sample.paths[i][row[i]][level] for i, level in zip(sample.quasi, node, strict=True))
            classes.setdefault(key, []).append(row[position])
        expected = sorted(_facts(values) for values in classes.values())
        facts = zip(one.after.sizes, one.after.distinct, one.after.largest, one.after.entropy, strict=True)
        assert sorted(map(tuple, facts)) == [pytest.approx(fact, abs=1e-9) for fact in expected]
        records = len(sample.rows)
        assert one.after.average == pytest.approx(sum(n * share for n, _, share, _ in expected) / records)
        assert one.after.homogeneous == pytest.approx(sum(n for n, d, _, _ in expected if d == 1) / records)
        assert one.after.baseline == pytest.approx(max(Counter(r[position] for r in sample.rows).values()) / records)
        assert one.before.average >= one.after.average - 1e-12


def _facts(values):
    shares = [count / len(values) for count in Counter(values).values()]
    return len(values), len(shares), max(shares), -sum(share * log2(share) for share in shares)


def test_distributions_count_with_their_shares():
    counts = Counts.of(("q", "s"), [np.array([0, 0, 1]), np.array([0, 1, 1])], (2, 2), np.array([2, 2, 3]))
    shown = Distributions(np.array([[1, 1, 0], [0, 3, 1]]), np.array([2, 4]))
    found = disclosure_of(counts, ["q"], "s", shown)
    assert found.sizes.tolist() == [4, 3]
    assert found.largest == pytest.approx([(1 + 1.5) / 4, 0.75])
    assert found.distinct.tolist() == [3, 2]
    assert found.baseline == pytest.approx((1 + 1.5 + 2.25) / 7)


def test_a_named_column_that_is_generalized_too_is_judged_by_the_others():
    outcome = outcome_at(hospital(), (0, 1))
    (found,) = attribute_disclosure(outcome, ["q1"])
    assert len(found.before.sizes) == 2
    assert len(found.after.sizes) == 1
    with pytest.raises(SchemaError, match="no column 'job'"):
        attribute_disclosure(outcome, ["job"])
    with pytest.raises(ParameterError, match="threshold is a share"):
        found.after.at_risk(0)
    alone = table_of({"q": (Role.QUASI_IDENTIFIER, ["a"])}, [("a",)])
    with pytest.raises(SchemaError, match="only quasi-identifier"):
        attribute_disclosure(outcome_at(alone, (0,)), ["q"])


# Presence


@given(data=st.data(), seed=st.integers(0, 999))
@examples(40)
def test_presence_is_what_counting_the_population_says(data, seed):
    sample = data.draw(samples(sensitive=(0, 0)))
    node = data.draw(nodes_of(sample))
    random = Random(seed)
    drawn = [row for row in sample.rows if random.random() < 0.6]
    if not drawn:
        drawn = [sample.rows[0]]
    found = presence(outcome_at(sample, node, drawn), sample.table)

    def key(row):
        return tuple(sample.paths[i][row[i]][level] for i, level in zip(sample.quasi, node, strict=True))

    people, records = Counter(map(key, sample.rows)), Counter(map(key, drawn))
    assert found.k_map == min(people[one] for one in records)
    chances = [records[one] / people[one] for one in people]
    assert found.delta == pytest.approx((min(chances), max(chances)))
    assert found.risk().journalist.highest == pytest.approx(1 / found.k_map)
    assert found.risk().marketer == pytest.approx(sum(n / people[one] for one, n in records.items()) / len(drawn))


def test_a_population_that_does_not_fit_is_refused():
    sample = hospital()
    outcome = outcome_at(sample, (0, 0))
    fewer = EncodedTable(sample.attributes, sample.encoded(sample.rows[:10]).counts)
    with pytest.raises(ParameterError, match="not drawn from this population"):
        presence(outcome, fewer)
    with pytest.raises(ParameterError, match="has no column 'q1'"):
        presence(outcome, EncodedTable(sample.attributes[1:], sample.table.counts.project(["q2", "s"])))
    with pytest.raises(ParameterError, match="recodes records, not values"):
        presence(replace(outcome, recoding=None), sample.table)
    wider = replace(sample.table.counts, cardinalities=(9, 2, 3))
    with pytest.raises(ParameterError, match="column 'q1' has 9 values in the population and 3"):
        presence(outcome, EncodedTable(sample.attributes, wider))
    empty = replace(outcome, published=outcome.published.suppress(np.ones(len(outcome.published), dtype=np.bool_)))
    assert presence(empty, sample.table).k_map == 0
