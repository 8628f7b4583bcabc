"""Pseudonyms: whole sequences of k persons, the best recoding of all, and numbers that tell nothing."""

from collections import Counter
from itertools import pairwise
from math import factorial, floor

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from person_samples import person_tables
from strategies import examples

import shoal
from shoal.criteria import SequenceAnonymity
from shoal.data.people.pseudonyms import drawn, linked, unlinked
from shoal.data.unit import Unit
from shoal.dp.coins.coins import SeededCoins, secure_coins
from shoal.engines.opening import engine_of_frame
from shoal.errors import InfeasibleError, ParameterError, SchemaError
from shoal.pipeline import encoded
from shoal.promises.checking.check import check_release
from shoal.promises.verify import verify
from shoal.quality import Discernibility, GroupSize, Loss, NonUniformEntropy
from shoal.search.lattice import Lattice

METHODS = st.sampled_from([shoal.OptimalLattice, shoal.OLA])
LIMITS = st.sampled_from([0.0, 0.2, 0.5, 1.0])


def rows_of(table):
    """Per person the leaves of each row in the quasi-identifiers, counted one by one."""
    own = {}
    for record, person, rows in zip(table.persons.record, table.persons.person, table.persons.rows, strict=True):
        leaves = tuple(int(table.counts.column(a.name)[record]) for a in table.quasi_identifiers)
        own.setdefault(int(person), []).extend([leaves] * int(rows))
    return own


def sequences(table):
    """How many persons have which rows."""
    return Counter(frozenset(Counter(rows).items()) for rows in rows_of(table).values())


def at_node(table, own, node, k):
    """Who is published at a node, with what sequence; counted person by person."""
    up = [a.hierarchy.up[level] for a, level in zip(table.quasi_identifiers, node, strict=True)]
    seen = {p: frozenset(Counter(tuple(int(u[v]) for u, v in zip(up, row, strict=True)) for row in rows).items())
            for p, rows in own.items()}  # fmt: skip
    alike = Counter(seen.values())
    return {p: sequence for p, sequence in seen.items() if alike[sequence] >= k}


def brute_loss(table, own, kept):
    """The loss metric of what is kept, cell by cell; what is left out loses everything."""
    quasi = table.quasi_identifiers
    cost = [(a.hierarchy.leaf_count - 1) / max(a.hierarchy.leaves - 1, 1) for a in quasi]
    lost = sum(len(rows) for p, rows in own.items() if p not in kept)
    spent = sum(times * cost[i][v] for sequence in kept.values() for row, times in sequence for i, v in enumerate(row))
    return (spent + lost * len(quasi)) / (len(quasi) * table.total), lost


def brute(table, k, limit):
    """The loss of every admissible node."""
    own, allowed = rows_of(table), min(floor(limit * table.total + 1e-9), table.total - 1)
    priced = {node: brute_loss(table, own, at_node(table, own, node, k)) for node in Lattice.of(table)}
    return {node: loss for node, (loss, lost) in priced.items() if lost <= allowed}


@examples(150)
@given(request=person_tables(), k=st.integers(1, 4), limit=LIMITS)
def test_the_best_recoding_of_all_is_found_and_every_sequence_has_k_persons(request, k, limit):
    _, table = request
    assume(table.people >= k)
    method, admissible = shoal.OptimalLattice(k=k, suppression_limit=limit), brute(table, k, limit)
    if not admissible:
        with pytest.raises(InfeasibleError, match="leave out pseudonym"):
            method.run(linked(table))
        return
    outcome = method.run(linked(table))
    assert outcome.search["loss"] == pytest.approx(min(admissible.values()), abs=1e-12)
    assert_published(table, outcome, k)


@examples(100)
@given(request=person_tables(), k=st.integers(1, 4), limit=LIMITS)
def test_ola_takes_the_best_of_the_minimal_recodings(request, k, limit):
    _, table = request
    assume(table.people >= k)
    admissible = brute(table, k, limit)
    assume(admissible)
    minimal = {
        n: loss for n, loss in admissible.items() if not set(Lattice.of(table).predecessors(n)) & set(admissible)
    }
    outcome = shoal.OLA(k=k, suppression_limit=limit).run(linked(table))
    assert outcome.search["minimal recodings"] == len(minimal)
    assert outcome.search["loss"] == pytest.approx(min(minimal.values()), abs=1e-12)
    assert_published(table, outcome, k)


def pseudonyms(outcome):
    """What is shown beside each published record."""
    numbers = outcome.shown["pseudonym"]
    return [int(numbers.values[code]) for code in outcome.published.column("pseudonym")]  # noqa: PD011  no frame


def assert_published(table, outcome, k):
    """What is published are the recoded rows of exactly those who share their sequence with k − 1 others."""
    levels, own = outcome.recoding.levels, rows_of(table)
    node = tuple(levels[a.name] for a in table.quasi_identifiers)
    kept, published = at_node(table, own, node, k), outcome.published
    shown = {a.name: outcome.shown[a.name].nodes for a in table.quasi_identifiers}
    columns = [shown[a.name][published.column(a.name)].tolist() for a in table.quasi_identifiers]
    found = {}
    numbers = pseudonyms(outcome)
    for *row, number, times in zip(*columns, numbers, published.sizes.tolist(), strict=True):
        found.setdefault(number, Counter())[tuple(row)] += times
    assert Counter(frozenset(rows.items()) for rows in found.values()) == Counter(kept.values())
    assert sorted(found) == list(range(1, len(kept) + 1))
    assert all(a < b for a, b in pairwise(zip(*published.codes, strict=True)))
    verdict = verify(outcome.table, published, [SequenceAnonymity(k)], outcome.published_persons())[0]
    assert verdict.holds
    assert verdict.reached == min(Counter(kept.values()).values())


@examples(60)
@given(
    request=person_tables(),
    k=st.integers(1, 3),
    limit=LIMITS,
    quality=st.sampled_from([Discernibility(), GroupSize(), NonUniformEntropy(), Loss()]),
)
def test_bounds_hold_for_models_that_look_at_classes_too(request, k, limit, quality):
    _, table = request
    assume(table.people >= k)
    table, method = linked(table), shoal.OptimalLattice(k=k, suppression_limit=limit, quality=quality)
    evaluator = method.evaluator(table)
    losses = [evaluator.price(node, evaluator.classes)[0] for node in evaluator.lattice]
    assume(min(losses) < np.inf)
    for time_limit in (None, 59.0):  # every node if that is faster, and branch and bound
        found = shoal.OptimalLattice(k=k, suppression_limit=limit, quality=quality, time_limit=time_limit).run(table)
        assert found.search["loss"] == pytest.approx(min(losses), abs=1e-9)


@examples(80)
@given(request=person_tables(), k=st.integers(1, 4))
def test_what_may_be_published_stays_publishable_upward(request, k):
    _, table = request
    own, lattice = rows_of(table), Lattice.of(table)
    kept = {node: set(at_node(table, own, node, k)) for node in lattice}
    assert all(kept[below] <= kept[node] for node in lattice for below in lattice.predecessors(node))


@examples(60)
@given(request=person_tables(), k=st.integers(1, 3), method=METHODS)
def test_without_the_pseudonym_it_is_the_same_table(request, k, method):
    _, table = request
    assume(table.people >= k)
    assume(brute(table, k, 1.0))
    outcome = method(k=k, suppression_limit=1.0).run(linked(table))
    plain = unlinked(outcome)
    for name in table.counts.names:
        assert np.array_equal(plain.table.counts.column(name), table.counts.column(name))
    assert np.array_equal(plain.table.counts.sizes, table.counts.sizes)
    assert sequences(plain.table) == sequences(table)
    assert plain.published.kept == outcome.published.kept == int(plain.sources.sizes.sum())
    assert np.array_equal(np.bincount(plain.sources.label, weights=plain.sources.sizes), plain.published.sizes)
    assert (plain.sources.sizes <= table.counts.sizes[plain.sources.source]).all()


FRAME = pd.DataFrame({"who": list("abccddbae"), "age": [1, 1, 2, 1, 2, 1, 2, 2, 3], "ill": list("xyxyxyxyx")})
SCHEMA = (
    shoal.Schema(person="who", pseudonym=True)
    .with_column("age", role="quasi-identifier", domain=(1, 3))
    .with_column("ill", role="sensitive", domain=["x", "y"])
)


def test_every_order_of_persons_is_as_likely_as_any_other():
    """Four persons are published, one is left out: 24 orders. 2,400 draws, χ² with 23 degrees, false alarm 1e-6."""
    frame, seen = FRAME.assign(ill=FRAME.who), Counter()
    table = encoded(
        engine_of_frame(frame)[0], SCHEMA.with_column("ill", domain=list("abcde")), shoal.OptimalLattice(k=4)
    )
    method, coins = shoal.OptimalLattice(k=4, suppression_limit=0.2), SeededCoins(7)
    evaluator = method.evaluator(table)
    for _ in range(2400):
        outcome = method.decide(evaluator, (0,), {}, coins)
        who = outcome.published.column("ill").tolist()
        seen[tuple(number for _, number in sorted(set(zip(who, pseudonyms(outcome), strict=True))))] += 1
    assert set(map(len, seen)) == {4}
    assert len(seen) == factorial(4)
    assert sum((times - 100) ** 2 / 100 for times in seen.values()) < 72.7


@examples(60)
@given(request=person_tables())
def test_a_draw_changes_who_has_which_number_and_nothing_else(request):
    table = linked(request[1])
    again = drawn(table, secure_coins())
    assert sequences(again) == sequences(request[1])
    assert all(a < b for a, b in pairwise(zip(*again.counts.codes, strict=True)))
    assert np.array_equal(again.counts.column("pseudonym"), again.persons.person)


def test_a_release_says_so_and_anybody_can_check_it(tmp_path):
    release = shoal.OptimalLattice(k=4, suppression_limit=0.2).anonymize(FRAME, SCHEMA)
    said = release.certificate.guarantees[0]
    assert said.statement == (
        "4-anonymous in persons, known by all their records: every person shares their whole sequence of "
        "quasi-identifiers with at least 3 others"
    )
    assert said.basis.value == "verified"
    assert list(release.data.columns) == ["age", "ill", "pseudonym"]
    assert sorted(release.data.pseudonym) == [1, 1, 2, 2, 3, 3, 4, 4]
    assert release.data.groupby("pseudonym").age.apply(sorted).tolist() == [[1, 2]] * 4
    assert release.facts.class_sizes == {4: 1}
    assert [c["recoding"] for c in release.facts.columns] == [
        "published as it is",
        "published as it is",
        "a number drawn at random for each person",
    ]
    for form in ("csv", "parquet"):
        release.write(tmp_path / form, form, groups=True)
        checked = check_release(tmp_path / form)
        assert checked.holds
        assert [v.reached for v in checked.verdicts] == [4, 4]


def test_a_check_counts_sequences_and_not_records(tmp_path):
    release = shoal.OptimalLattice(k=4, suppression_limit=0.2).anonymize(FRAME, SCHEMA)
    release.write(tmp_path / "release")
    data, certificate = tmp_path / "release" / "data.csv", tmp_path / "release" / "certificate.json"
    rows = data.read_text().splitlines()
    first = next(i for i, row in enumerate(rows) if row.startswith("1,"))
    second = next(i for i, row in enumerate(rows) if row.startswith("2,") and row[-1] != rows[first][-1])
    swapped = rows[first][:-1] + rows[second][-1], rows[second][:-1] + rows[first][-1]
    rows[first], rows[second] = swapped  # the same records, and two persons with a sequence of their own
    data.write_text("\n".join(rows) + "\n")
    text = certificate.read_text()
    start = text.index('"files"')
    certificate.write_text(text[:start] + '"files": {}' + text[text.index("}", start) + 1 :])
    checked = check_release(tmp_path / "release")
    assert [v.holds for v in checked.verdicts] == [False, True]
    assert checked.verdicts[0].reached == 1


def test_seeded_pseudonyms_are_a_test_run():
    release = shoal.OLA(k=4, suppression_limit=0.2).anonymize(FRAME, SCHEMA, coins=SeededCoins(1))
    assert release.certificate.seeded
    assert not release.certificate.guarantees


def test_a_report_has_figures_about_columns_alone():
    release = shoal.OptimalLattice(k=4, suppression_limit=0.2).anonymize(FRAME, SCHEMA)
    page = release.report().html()
    assert "with all their records together, looks exactly like at least 3 others" in page
    assert "pseudonym and age" not in page


@pytest.mark.parametrize(
    "method",
    [
        shoal.Mondrian(k=2),
        shoal.MDAV(k=2),
        shoal.LocalRecoding(k=2),
        shoal.TDS(k=2, target="ill"),
        shoal.SafePub(epsilon=1, delta=1e-3),
    ],
    ids=lambda method: method.name,
)
def test_methods_that_count_single_records_refuse(method):
    with pytest.raises(
        SchemaError, match=f"^{method.name} makes classes of single records.*optimal-lattice and ola can"
    ):
        method.anonymize(FRAME, SCHEMA)


@pytest.mark.parametrize("asked", [{"diversity": 2}, {"closeness": 0.5}, {"criteria": (SequenceAnonymity(2),)}])
def test_nothing_is_asked_of_sequences_but_k(asked):
    with pytest.raises(ParameterError, match="k alone is counted"):
        shoal.OptimalLattice(k=2, **asked).anonymize(FRAME, SCHEMA)
    with pytest.raises(ParameterError, match="classification"):
        shoal.OLA(k=2, quality=shoal.quality.Classification("ill")).anonymize(FRAME, SCHEMA)


def test_sequences_are_not_asked_for_where_nothing_is_linked():
    with pytest.raises(SchemaError, match="write pseudonym = true"):
        shoal.OLA(k=2, criteria=(SequenceAnonymity(2, Unit.PERSON),)).anonymize(
            FRAME, SCHEMA.with_person(None).with_person("who")
        )


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({"person": None}, "no column tells persons apart"),
        ({"person": "row"}, "no column tells persons apart"),
        ({"max_records": 1}, "nothing to link"),
        ({"weight": "w"}, "figures by weight"),
        ({"household": "h"}, "figures by household"),
        ({"household": "h", "protect": "household"}, "households are protected"),
        ({"columns": (shoal.Column("pseudonym"),)}, "a column is called 'pseudonym'"),
    ],
)
def test_pseudonyms_that_say_nothing_or_too_much_are_refused(said, sentence):
    with pytest.raises(SchemaError, match=sentence):
        shoal.Schema(**{"person": "who", "pseudonym": True, **said})


def test_what_is_passed_through_beside_a_pseudonym_is_refused():
    with pytest.raises(SchemaError, match="beside a pseudonym"):
        shoal.OLA(k=2).anonymize(FRAME, SCHEMA.with_column("ill", role="insensitive", unlinkable=True))
    with pytest.raises(SchemaError, match="drawn for a release"):
        shoal.Column("who", "pseudonym")


def test_a_cap_shortens_sequences(tmp_path):
    many = pd.DataFrame({"who": np.repeat(range(12), range(1, 13)), "age": 1})
    schema = shoal.Schema(person="who", pseudonym=True).with_column("age", role="quasi-identifier")
    with pytest.raises(InfeasibleError, match="max_records"):
        shoal.OptimalLattice(k=3).anonymize(many, schema)
    capped = shoal.Schema(person="who", pseudonym=True, max_records=2, columns=schema.columns)
    release = shoal.OptimalLattice(k=11).anonymize(many, capped)
    assert len(release.data) == 22
    assert release.certificate.max_records == 2
    release.write(tmp_path / "release")
    assert check_release(tmp_path / "release").holds
