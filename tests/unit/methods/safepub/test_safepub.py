"""SafePub: what it asks for, what it spends and when, what it publishes, and what it keeps to itself."""

from collections import defaultdict
from dataclasses import fields, replace
from fractions import Fraction
from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples, model_on, samples, table_of

import shoal
from shoal.audit import EnumeratingCoins, charges_first
from shoal.criteria import KAnonymity
from shoal.data.attribute import Attribute
from shoal.data.domain import Categorical, Origin
from shoal.data.encoded import EncodedTable
from shoal.data.hierarchies.hierarchy import Hierarchy
from shoal.data.hierarchies.paths import Paths
from shoal.data.schema import Column, Role, Schema
from shoal.dp.accounting.cost import PrivacyCost
from shoal.dp.accounting.relation import Neighbors
from shoal.dp.coins.coins import SeededCoins
from shoal.dp.coins.sampling_rate import OneMinusExp
from shoal.dp.ledger.ledger import Ledger
from shoal.errors import BudgetError, InfeasibleError, ParameterError, SchemaError
from shoal.methods import Mode, SafePub
from shoal.methods.safepub.expected_scores import expected_score
from shoal.methods.safepub.sampled_scores import SampledScore
from shoal.promises.guarantee import Basis
from shoal.quality import (
    AverageClassSize,
    Classification,
    Discernibility,
    Granularity,
    GroupSize,
    Loss,
    NonUniformEntropy,
)

QUASI = Role.QUASI_IDENTIFIER
RIGOROUS, PUBLISHED = Mode.RIGOROUS, Mode.AS_PUBLISHED
TREE = {"w": ("w", "low", "*"), "x": ("x", "low", "*"), "y": ("y", "high", "*"), "z": ("z", "high", "*")}
COLUMNS = {"t": (QUASI, TREE), "a": (QUASI, ["0", "1"]), "b": (QUASI, ["0", "1"])}
TOY = table_of(COLUMNS, [])
CROWD = (*[("w", "0", "0")] * 40, *[("x", "0", "0")] * 30, *[("y", "1", "0")] * 30, ("z", "1", "1"))
EASY = {"epsilon": 2, "delta": 0.3}
"""Parameters under which k is small."""


class KeepAll(SeededCoins):
    """Coins that draw every record and accept every candidate: what a release shows besides its coins."""

    def __init__(self):
        super().__init__(0)

    def thin(self, sizes, rate):
        del rate
        return sizes.copy()


# Parameters


def test_the_budget_is_split_between_the_choice_and_the_release():
    method = SafePub(epsilon=1, delta="1e-5")
    assert method.search_epsilon == Fraction(1, 10)
    assert method.anon == PrivacyCost.of("0.9", "1e-5")
    assert method.cost == PrivacyCost.of(1, "1e-5")
    assert method.rate == OneMinusExp(Fraction(9, 10))
    assert method.k == 44  # theory 7.1, exact accounting


def test_a_single_scheme_leaves_the_whole_budget_to_the_release():
    method = SafePub(epsilon=1, delta="1e-6", schemes=({"a": 1},))
    assert method.search_epsilon == 0
    assert method.anon == method.cost
    assert method.k == 58


def test_several_schemes_cost_a_choice():
    assert SafePub(epsilon=1, delta="1e-6", schemes=({"a": 1}, {"b": 1})).search_epsilon == Fraction(1, 10)


def test_any_rate_below_one_may_be_asked_for():
    """Theory SP-5, by exact accounting."""
    assert SafePub(epsilon=1, delta="1e-6", schemes=({},), sampling_rate="0.9").k == 304


def test_a_public_size_of_the_table_chooses_the_rate():
    """More records can afford a larger k, and so a larger sample; a small table keeps the published rate."""
    rates = [float(SafePub(epsilon=1, delta="1e-5", expected_records=n).rate) for n in (100, 30_000, 10**7)]
    assert rates[0] == pytest.approx(0.593430)
    assert rates == sorted(rates)
    assert rates[-1] == 0.95


def test_the_certificate_says_the_rate_k_and_what_holds_at_larger_epsilon():
    facts = SafePub(epsilon=1, delta="1e-5").facts()
    assert facts["k"] == 44
    assert facts["sampling rate"] == pytest.approx(0.593430, abs=1e-6)
    assert [at["epsilon"] for at in facts["also holds"]] == pytest.approx([1, 1.45, 1.9, 2.35, 2.8])
    deltas = [at["delta"] for at in facts["also holds"]]
    assert deltas == sorted(deltas, reverse=True)
    assert deltas[0] <= 1e-5


def test_where_the_choice_is_not_private_nothing_is_said_to_hold_but_for_a_fixed_scheme():
    facts = SafePub(epsilon=1, delta="1e-5", mode=PUBLISHED).facts()
    assert "also holds" not in facts
    assert facts["also holds for a fixed scheme"][0]["epsilon"] == pytest.approx(0.9)


def test_guarantees_are_those_of_the_theory():
    """Theory, section 10."""
    (rigorous,) = SafePub(epsilon=1, delta="1e-5").guarantees()
    assert (rigorous.statement, rigorous.basis) == ("(1, 1e-05)-DP", Basis.PROVED)
    assert rigorous.neighbors is Neighbors.ADD_REMOVE
    (published,) = SafePub(epsilon=1, delta="1e-5", mode=PUBLISHED).guarantees()
    assert published.statement == (
        "operator (0.9, 1e-05) for a fixed scheme; the scheme was chosen without a privacy guarantee"
    )
    assert published.basis is Basis.CLAIMED
    assert published.cost is None
    (fixed,) = SafePub(epsilon=1, delta="1e-5", mode=PUBLISHED, schemes=({},)).guarantees()
    assert (fixed.statement, fixed.basis) == ("(1, 1e-05)-DP", Basis.PROVED)


@pytest.mark.parametrize(
    ("wrong", "about"),
    [
        ({"epsilon": 0}, "epsilon"),
        ({"epsilon": "much"}, "epsilon"),
        ({"delta": 0}, "delta"),
        ({"delta": 1}, "delta"),
        ({"search_share": 0}, "search_share"),
        ({"search_share": 1.0}, "search_share"),
        ({"candidates": 0}, "candidates"),
        ({"steps": 0}, "steps"),
        ({"quality": "loss"}, "quality"),
        ({"sampling_rate": 1}, "rate"),
        ({"sampling_rate": 0}, "rate"),
        ({"mode": PUBLISHED, "sampling_rate": 0.5}, "rigorous mode"),
        ({"mode": PUBLISHED, "schemes": ({"a": 1}, {"b": 1})}, "whole lattice"),
        ({"quality": AverageClassSize()}, "without bound"),
        ({"quality": AverageClassSize(), "mode": PUBLISHED}, "without bound"),
    ],
)
def test_parameters_that_make_no_sense_are_refused_before_a_table_is_seen(wrong, about):
    with pytest.raises(ParameterError, match=about):
        SafePub(**{"epsilon": 1, "delta": 1e-5} | wrong)


def test_a_fixed_scheme_needs_no_sensitivity():
    assert SafePub(epsilon=1, delta=1e-5, quality=AverageClassSize(), schemes=({"a": 1},)).k > 1


# The schema


def schema(*columns):
    return Schema(tuple(columns), person="row")


VALUES = Categorical(("0", "1"))


def test_all_published_columns_are_counted():
    """An insensitive column left out of the classes would void Theorem 3 (theory 2b)."""
    method = SafePub(**EASY)
    declared = schema(Column("a", QUASI, VALUES), Column("s", Role.SENSITIVE, VALUES), Column("id", Role.IDENTIFIER))
    assert method.counted(declared) == ("a", "s")
    with pytest.raises(SchemaError, match="voids the guarantee"):
        method.counted(schema(Column("a", QUASI, VALUES), Column("i", Role.INSENSITIVE, VALUES)))
    with pytest.raises(SchemaError, match="nothing to publish"):
        method.counted(schema(Column("id", Role.IDENTIFIER)))


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("domain", [None, Categorical(("0", "1"), origin=Origin.OBSERVED)])
def test_a_domain_that_comes_from_the_data_is_refused(mode, domain):
    """Theory X-2: hierarchies would differ between neighboring tables."""
    with pytest.raises(SchemaError, match="declare"):
        SafePub(**EASY, mode=mode).counted(schema(Column("a", QUASI, domain)))


def test_a_target_that_is_not_published_and_a_scheme_for_such_a_column_are_refused():
    columns = schema(Column("a", QUASI, VALUES), Column("b", QUASI, VALUES))
    with pytest.raises(SchemaError, match="target 'c'"):
        SafePub(**EASY, quality=Classification("c")).counted(columns)
    with pytest.raises(SchemaError, match="'c'"):
        SafePub(**EASY, schemes=({"c": 1},)).counted(columns)


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"schemes": ({"c": 1},)}, ParameterError),
        ({"schemes": ({"t": 3},)}, ParameterError),
        ({"schemes": ({"t": -1},)}, ParameterError),
        ({"schemes": ({"b": 1},), "quality": Classification("b")}, ParameterError),
        ({"quality": Loss({"c": 1})}, ParameterError),
        ({"quality": NonUniformEntropy({"a": 0, "b": 0, "t": 0})}, ParameterError),
        ({"quality": Classification("c")}, SchemaError),
    ],
    ids=str,
)
def test_what_a_table_cannot_offer_is_refused_before_anything_is_spent(mode, wrong, error):
    ledger, coins = Ledger(), EnumeratingCoins()
    with pytest.raises(error):
        SafePub(**EASY, mode=mode, **wrong).run(TOY.encoded(CROWD), coins=coins, ledger=ledger)
    assert ledger.entries == ()
    assert coins.tosses == 0


@pytest.mark.parametrize("mode", Mode)
def test_a_table_with_nothing_to_choose_is_refused(mode):
    ledger = Ledger()
    only = table_of({"b": (QUASI, ["0", "1"])}, [("0",)])
    with pytest.raises(SchemaError, match="target 'b'"):
        SafePub(**EASY, quality=Classification("b"), mode=mode).run(only.table, coins=SeededCoins(0), ledger=ledger)
    name, level = "a", Hierarchy.from_levels(1, [], [], leaf_label=str)
    flat = EncodedTable((Attribute(name, QUASI, Categorical(("0",)), level),), only.table.counts.project(()))
    with pytest.raises(SchemaError, match="no scheme"):
        SafePub(**EASY, mode=mode).run(flat, coins=SeededCoins(0), ledger=ledger)
    assert ledger.entries == ()


# The ledger


QUALITIES = [Loss(), Granularity({"a": 2}), GroupSize(), Classification("b"), Discernibility(), NonUniformEntropy()]


def name_of(quality):
    return type(quality).__name__


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("quality", QUALITIES, ids=name_of)
@pytest.mark.parametrize("candidates", [2, 1000])
def test_a_ledger_that_cannot_pay_stops_everything_before_the_first_toss(mode, quality, candidates):
    method, table = SafePub(**EASY, quality=quality, mode=mode, candidates=candidates), TOY.encoded(CROWD)
    assert charges_first(lambda _, coins, ledger: method.run(table, coins=coins, ledger=ledger), None)


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("limit", [PrivacyCost.of("0.2"), PrivacyCost.of("1.99", "0.3"), PrivacyCost.of(2, "0.29")])
def test_a_ledger_that_can_pay_for_the_choice_alone_pays_for_nothing(mode, limit):
    """What is left of a budget is not nibbled away by releases that do not fit."""
    ledger, coins = Ledger(limit=limit), EnumeratingCoins()
    with pytest.raises(BudgetError):
        SafePub(**EASY, mode=mode).run(TOY.encoded(CROWD), coins=coins, ledger=ledger)
    assert ledger.entries == ()
    assert coins.tosses == 0


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("schemes", [(), ({"t": 1},)])
@pytest.mark.parametrize("rows", [(), CROWD], ids=["empty", "crowd"])
def test_a_release_is_charged_its_whole_cost_whether_or_not_it_succeeds(mode, schemes, rows):
    method, ledger = SafePub(**EASY, mode=mode, schemes=schemes), Ledger(limit=PrivacyCost.of(2, "0.3"))
    method.run(TOY.encoded(rows), coins=SeededCoins(3), ledger=ledger)
    assert ledger.spent == method.cost


def test_the_ledger_shows_what_the_choice_and_the_release_cost():
    ledger = Ledger()
    SafePub(epsilon=2, delta="0.3").run(TOY.encoded(CROWD), coins=SeededCoins(1), ledger=ledger)
    assert [(entry.reason, entry.cost.epsilon, entry.cost.delta) for entry in ledger.entries] == [
        ("choose the generalization scheme", Fraction(1, 5), 0),
        ("sample, generalize, suppress", Fraction(9, 5), Fraction(3, 10)),
    ]


# Candidates


def test_all_schemes_of_a_small_lattice_are_candidates_but_the_one_that_hides_all():
    found = SafePub(**EASY)._candidates(TOY.encoded(CROWD), EnumeratingCoins())
    assert sorted(found) == sorted(set(product(range(3), range(2), range(2))) - {(2, 1, 1)})


@pytest.mark.parametrize("candidates", [1, 4, 10])
def test_of_a_large_lattice_so_many_are_drawn_all_different(candidates):
    method = SafePub(**EASY, candidates=candidates)
    drawn = [method._candidates(TOY.encoded(CROWD), SeededCoins(seed)) for seed in range(60)]
    assert all(len(set(found)) == candidates == len(found) for found in drawn)
    assert {node for found in drawn for node in found} == set(product(range(3), range(2), range(2))) - {(2, 1, 1)}


@pytest.mark.parametrize("quality", QUALITIES, ids=name_of)
def test_candidates_do_not_depend_on_the_data(quality):
    method = SafePub(**EASY, quality=quality, candidates=3)
    for seed in range(10):
        one, other = (
            method._candidates(TOY.encoded(rows), SeededCoins(seed)) for rows in ((), CROWD, [("z", "1", "1")] * 9)[:2]
        )
        assert one == other


def test_the_target_is_never_generalized():
    table = TOY.encoded(CROWD)
    method = SafePub(**EASY, quality=Classification("b"))
    assert {node[2] for node in method._candidates(table, SeededCoins(0))} == {0}
    assert (2, 1, 0) not in method._candidates(table, SeededCoins(0))  # nothing left to tell the target from
    for mode in Mode:
        chosen = SafePub(**EASY, quality=Classification("b"), mode=mode, steps=20)
        for seed in range(8):
            assert chosen.run(table, coins=SeededCoins(seed), ledger=Ledger()).recoding.levels["b"] == 0


@pytest.mark.parametrize("mode", Mode)
def test_one_scheme_is_taken_as_it_is(mode):
    outcome = SafePub(**EASY, mode=mode, schemes=({"t": 1},)).run(
        TOY.encoded(CROWD), coins=SeededCoins(1), ledger=Ledger()
    )
    assert outcome.recoding.levels == {"t": 1, "a": 0, "b": 0}


def test_of_several_schemes_one_is_chosen():
    schemes = ({"t": 1}, {"t": 2, "a": 1})
    method = SafePub(**EASY, schemes=schemes, search_share=0.01)
    found = {
        tuple(method.run(TOY.encoded(CROWD), coins=SeededCoins(seed), ledger=Ledger()).recoding.levels.values())
        for seed in range(40)
    }
    assert found == {(1, 0, 0), (2, 1, 0)}


@pytest.mark.parametrize("quality", QUALITIES, ids=name_of)
def test_a_large_budget_finds_the_best_scheme(quality):
    """With ε_search = 200 the choice is all but certain: only `t`, ungeneralized, tells three groups apart."""
    of_x = "1" if isinstance(quality, Classification) else "0"
    rows = [("w", "0", "0")] * 300 + [("x", "0", of_x)] * 300 + [("y", "0", "0")] * 300
    method = SafePub(epsilon=202, delta=0.3, search_share=200 / 202, sampling_rate=0.8, quality=quality)
    assert method.run(TOY.encoded(rows), coins=SeededCoins(5), ledger=Ledger()).recoding.levels["t"] == 0


# Releases


def records(sample, outcome):
    """Published rows as labels, each once, and how often."""
    columns = []
    for attribute in sample.attributes:
        level = attribute.hierarchy.levels[outcome.recoding.levels[attribute.name]]
        columns.append(attribute.labels(level.nodes[outcome.published.column(attribute.name)]))
    return list(zip(*columns, strict=True)), outcome.published.sizes.tolist()


@pytest.mark.parametrize("mode", Mode)
@given(data=st.data())
@examples(40)
def test_what_is_published_is_true_of_so_many_records_and_of_at_least_k(mode, data):
    sample = data.draw(samples(quasi=(1, 3), sensitive=(0, 0), records=(20, 60), max_leaves=3, max_height=2))
    method = SafePub(epsilon=2, delta=0.5, mode=mode, steps=5, quality=GroupSize())
    outcome = method.run(sample.table, coins=SeededCoins(data.draw(st.integers(0, 99))), ledger=Ledger())
    node = [outcome.recoding.levels[name] for name in sample.names]
    recoded = [tuple(sample.paths[i][row[i]][level] for i, level in enumerate(node)) for row in sample.rows]
    shown, sizes = records(sample, outcome)
    assert len(set(shown)) == len(shown)
    for row, size in zip(shown, sizes, strict=True):
        assert method.k <= size <= recoded.count(row)
    assert method.promises(sample.table) == (KAnonymity(method.k),)


@pytest.mark.parametrize("mode", Mode)
def test_for_the_owner_the_outcome_has_the_original_and_not_the_sample(mode):
    table = table_of(COLUMNS, CROWD).table
    outcome = SafePub(**EASY, mode=mode, quality=GroupSize()).run(table, coins=SeededCoins(1), ledger=Ledger())
    assert outcome.table is table
    assert outcome.classes is not None
    assert outcome.classes.sizes.sum() == len(CROWD) > outcome.published.kept


@pytest.mark.parametrize("mode", Mode)
@given(order=st.permutations(range(len(CROWD))), seed=st.integers(0, 5))
@examples(20)
def test_the_order_of_the_input_does_not_show(mode, order, seed):
    method = SafePub(**EASY, mode=mode, steps=5)
    one, other = (
        method.run(TOY.encoded(rows), coins=SeededCoins(seed), ledger=Ledger())
        for rows in (CROWD, [CROWD[i] for i in order])
    )
    assert records(TOY, one) == records(TOY, other)
    codes = list(zip(*(column.tolist() for column in one.published.codes), strict=True))
    assert codes == sorted(codes)


def shown(counts):
    """All that a published table holds, field by field."""
    return {
        field.name: [np.asarray(part).tolist() for part in np.atleast_1d(getattr(counts, field.name))]
        for field in fields(counts)
        if field.name != "codes"
    } | {"codes": [column.tolist() for column in counts.codes]}


@pytest.mark.parametrize("mode", Mode)
def test_a_record_outside_every_shown_class_changes_nothing_but_coins(mode):
    """Neither the number of suppressed records nor the size of the sample is published (theory SP-2)."""
    method = SafePub(**EASY, mode=mode, schemes=({"t": 1},))
    more = (*CROWD, ("z", "1", "1"), ("w", "1", "1"))
    one, other = (method.run(TOY.encoded(rows), coins=KeepAll(), ledger=Ledger()).published for rows in (CROWD, more))
    assert shown(one) == shown(other)
    assert one.suppressed == 0
    assert one.total == one.kept == 100


def frame(rows):
    return pa.table({name: [row[i] for row in rows] for i, name in enumerate(COLUMNS)})


PUBLIC = (
    shoal.Schema(person="row")
    .with_column("t", role="quasi-identifier", hierarchy=Paths(tuple(TREE.values())))
    .with_column("a", role="quasi-identifier", domain=["0", "1"])
    .with_column("b", role="sensitive", domain=["0", "1"])
)


def test_nothing_a_reader_gets_tells_of_a_record_outside_every_shown_class():
    """Certificate and data, through the front door."""
    method = SafePub(**EASY, schemes=({"t": 1},))
    more = (*CROWD, ("z", "1", "1"), ("w", "1", "1"))
    one, other = (method.anonymize(frame(rows), PUBLIC, coins=KeepAll()) for rows in (CROWD, more))
    assert one.certificate.to_json() == other.certificate.to_json()
    assert one.data == other.data
    assert one.certificate.records == one.data.num_rows == 100


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("quality", QUALITIES, ids=name_of)
def test_an_empty_release_is_one_and_the_same_whatever_the_table(mode, quality):
    """It is a function of the release, not a second look at the data; the empty table is a table like others."""
    method, said = SafePub(epsilon=1, delta=1e-5, mode=mode, quality=quality, steps=5), set()
    for rows in ((), [("w", "0", "0")], CROWD[:30]):
        for seed in range(3):
            outcome = method.run(TOY.encoded(rows), coins=SeededCoins(seed), ledger=Ledger())
            said.add((tuple(outcome.recoding.levels.items()), len(outcome.published), outcome.published.suppressed))
    assert said == {(tuple(zip(TOY.names, TOY.heights, strict=True)), 0, 0)}


def test_a_table_whose_public_size_is_too_small_is_refused_before_anything_is_spent():
    ledger = Ledger()
    method = SafePub(epsilon=1, delta="1e-5", expected_records=50)
    with pytest.raises(InfeasibleError, match=r"k = 44, .*about 75 records .* at most 0 classes"):
        method.run(TOY.encoded(CROWD), coins=SeededCoins(0), ledger=ledger)
    assert ledger.entries == ()


def test_a_scheme_that_hides_everything_is_refused_before_anything_is_spent():
    method, ledger = SafePub(**EASY, schemes=({"t": 2, "a": 1, "b": 1},)), Ledger()
    with pytest.raises(InfeasibleError, match="hides every value"):
        method.run(TOY.encoded(CROWD), coins=KeepAll(), ledger=ledger)
    assert ledger.entries == ()


def test_progress_is_told_about_schemes_and_nothing_else():
    told = []
    SafePub(**EASY).run(
        TOY.encoded(CROWD), coins=SeededCoins(0), ledger=Ledger(), progress=lambda *said: told.append(said)
    )
    assert told == [("scoring schemes", 0.0)]


# Scores on a sample


@pytest.mark.parametrize("model", [Discernibility(), NonUniformEntropy(), NonUniformEntropy({"t": 1e9, "a": 1e-9})])
def test_the_range_of_a_sampled_score_pays_for_rounding_and_floating_point(model):
    """docs/proofs/safepub.md, section 5: R + 4 τ + 2 w with τ = R / 4096 and w ≤ R / 4096."""
    table = TOY.encoded(CROWD)
    score = SampledScore(model, table, Fraction(1, 2), 3, Fraction(1, 10), SeededCoins(0))
    proved = Fraction(model.change(3, table.quasi_identifiers).range)
    choice = score._choice
    assert choice.score_range == pytest.approx(float(proved * (1 + Fraction(4, 4096))))
    assert proved / 8192 / 2 <= choice.grid <= proved / 4096
    assert choice.exponent <= choice.epsilon / (proved * (1 + Fraction(4, 4096)) + 2 * choice.grid) * (1 + 10**-12)


@pytest.mark.parametrize("records", [10**6, 10**9])
@pytest.mark.parametrize("model", [Discernibility(), NonUniformEntropy({"t": 1e9, "a": 0.3})])
def test_floating_point_puts_no_sampled_score_further_off_than_the_range_pays_for(model, records):
    """Scores of enormous tables in doubles against fractions."""
    rng = np.random.default_rng(3)
    cells = [tuple(row) for row in product(TREE, "01", "01")]
    sizes = rng.multinomial(records, rng.dirichlet(np.ones(len(cells)) / 3))
    sizes[sizes == 0] = 1
    encoded = TOY.encoded(cells)
    order = dict(zip(cells, sizes.tolist(), strict=True))
    labels = [attribute.domain.values for attribute in TOY.attributes]
    rows = list(zip(*(column.tolist() for column in encoded.counts.codes), strict=True))
    counts = np.array([order[tuple(labels[i][code] for i, code in enumerate(row))] for row in rows])
    table = replace(encoded, counts=replace(encoded.counts, sizes=counts))
    score = SampledScore(model, table, Fraction(1, 2), 5, Fraction(1, 10), KeepAll())
    allowed = model.change(5, table.quasi_identifiers).range / 4096
    for node in product(range(3), range(2), range(2)):
        exactly = exact_score(model, dict(zip(rows, counts.tolist(), strict=True)), node, 5)
        assert abs(Fraction(score.of(node)) - exactly) < allowed


def exact_score(model, counts, node, k):
    """Discernibility and entropy in fractions: −φ over whole classes, or −Σ_i w_i φ_i with the root as a star."""
    levels = [attribute.hierarchy.up[level] for attribute, level in zip(TOY.attributes, node, strict=True)]
    classes, total = defaultdict(int), sum(counts.values())
    for row, size in counts.items():
        classes[tuple(int(level[code]) for level, code in zip(levels, row, strict=True))] += size
    kept = {key: size for key, size in classes.items() if size >= k}

    def phi(shown):
        return Fraction(sum(size * size for size in shown), total) + total - sum(shown)

    if isinstance(model, Discernibility):
        return -phi(kept.values())
    value = Fraction(0)
    for i, attribute in enumerate(TOY.attributes):
        column = defaultdict(int)
        for key, size in kept.items():
            column[key[i]] += size
        column.pop(attribute.hierarchy.root, None)
        value -= Fraction(model.weights.get(attribute.name, 1.0)) * phi(column.values())
    return value


@pytest.mark.parametrize("kind", ["discernibility", "entropy"])
@given(data=st.data())
@examples(60)
def test_adding_any_record_to_a_sample_moves_the_score_of_every_scheme_within_the_range(kind, data):
    """Theory SP-6 on the very scores the choice uses, stars included, the empty sample among the samples."""
    sample = data.draw(samples(quasi=(1, 3), sensitive=(0, 0), records=(0, 14), max_leaves=4, max_height=2))
    model, k = data.draw(model_on(sample, kind)), data.draw(st.integers(1, 6))
    added = tuple(data.draw(st.sampled_from(sorted(paths))) for paths in sample.paths)
    here, there = (
        SampledScore(model, sample.encoded(rows), Fraction(1, 2), k, Fraction(1, 10), KeepAll())
        for rows in (sample.rows, (*sample.rows, added))
    )
    change = model.change(k, sample.attributes)
    for node in sample.nodes:
        assert change.least - 1e-9 <= there.of(node) - here.of(node) <= change.most + 1e-9


# A floor


@given(st.data())
@examples(30)
def test_above_a_floor_schemes_score_what_they_score_on_the_original_records(data):
    """In exact integers, for every model: the choice among schemes has the law that it has on the original."""
    sample = data.draw(samples(quasi=(2, 3), sensitive=(0, 0), records=(1, 30), max_leaves=5, max_height=2))
    model = data.draw(model_on(sample, data.draw(st.sampled_from(["loss", "entropy", "group size", "discernibility"]))))
    levels = data.draw(st.tuples(*(st.integers(0, height) for height in sample.heights)))
    floor = {name: level for name, level in zip(sample.quasi_names, levels, strict=True) if level}
    method = SafePub(**EASY, quality=model, floor=floor)
    table = sample.table.coarsened(floor)
    whole = [node for node in product(*(range(h + 1) for h in sample.heights)) if node != tuple(sample.heights)]
    wanted = [node for node in whole if all(a >= b for a, b in zip(node, levels, strict=True))]
    if not wanted:
        with pytest.raises(SchemaError, match="no scheme to choose"):
            method.run(table, ledger=Ledger(), coins=SeededCoins(1))
        return
    schemes = method._candidates(table, SeededCoins(1))
    assert schemes == wanted
    here, there = (
        expected_score(model, t, float(method.rate), method.k, looks=len(schemes)) for t in (sample.table, table)
    )
    assert here.range == there.range
    assert list(here.of_all(schemes)) == list(there.of_all(schemes))


def test_a_release_above_a_floor_shows_what_the_coarser_scheme_shows():
    table, floored = table_of(COLUMNS, CROWD).table, table_of(COLUMNS, CROWD).table.coarsened({"t": 1})
    scheme = ({"t": 1, "b": 1},)
    here = SafePub(**EASY, schemes=scheme).run(table, ledger=Ledger(), coins=KeepAll())
    there = SafePub(**EASY, schemes=scheme, floor={"t": 1}).run(floored, ledger=Ledger(), coins=KeepAll())
    assert [c.tolist() for c in here.published.codes] == [c.tolist() for c in there.published.codes]
    assert here.published.sizes.tolist() == there.published.sizes.tolist()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"mode": PUBLISHED}, "the published search walks the whole lattice; floor"),
        ({"schemes": ({"a": 1},)}, "a scheme has 't' below the floor"),
    ],
)
def test_a_floor_that_contradicts_the_rest_is_refused(parameters, message):
    with pytest.raises(ParameterError, match=message):
        SafePub(**EASY, floor={"t": 1}, **parameters)
