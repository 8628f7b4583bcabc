"""NSVDist: the paper's example, what is refused, both modes, all outputs."""

import json
from fractions import Fraction
from random import Random

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nsvdist_oracle import mixed_table, mixed_tables
from strategies import examples

import shoal
from shoal.audit import distribution
from shoal.audit.overlap import boxes
from shoal.data.shown import Distributions
from shoal.dp.coins.coins import SeededCoins
from shoal.errors import InfeasibleError, ParameterError, PlanError, SchemaError
from shoal.methods.nsvdist.feasibility import Fillable, cap, is_feasible, smallest_feasible
from shoal.methods.nsvdist.published import _clusters
from shoal.methods.nsvdist.sampling import _by_frequency
from shoal.methods.parts.judge import Judge
from shoal.parameters import exact
from shoal.plan.plan import Plan
from shoal.promises.guarantee import Basis

PUBLISHED = shoal.Mode.AS_PUBLISHED

PATIENTS = pa.table(
    {
        "name": ["Alice", "Bob", "Carol", "David", "Eve"],
        "age": [30, 21, 21, 55, 47],
        "zip": ["10055", "10055", "10023", "10165", "10224"],
        "disease": ["M", "F", "A", "F", "D"],
    }
)
"""Table 1(a) of the paper."""


def patients_schema():
    codes = [f"{code:05}" for code in range(10**5)]
    return (
        shoal.Schema()
        .with_column("name", role="identifier")
        .with_column("age", role="quasi-identifier", domain=(21, 55))
        .with_column("zip", role="quasi-identifier", domain=codes, hierarchy=shoal.prefixes())
        .with_column("disease", role="sensitive")
    )


def covered(outcome):
    """How many records of the original each published record covers."""
    low, high = boxes(outcome)
    table = outcome.table
    leaf = np.stack([table.counts.column(a.name) for a in table.quasi_identifiers]).astype(np.int64)
    inside = ((leaf[:, None, :] >= low[:, :, None]) & (leaf[:, None, :] <= high[:, :, None])).all(axis=0)
    return inside @ table.counts.sizes


def counts_of(outcome, name):
    shown = outcome.shown[name]
    assert isinstance(shown, Distributions)
    codes = outcome.published.column(name)
    return shown.shares[codes], shown.whole[codes]


def feasible(table, k, diversity, mode):
    value = exact(diversity)
    marginals = [table.marginal(a.name) for a in table.sensitive]
    if k > table.total or any(value > Fraction(table.total, int(m.max())) for m in marginals):
        return False
    return mode is shoal.Mode.RIGOROUS or all(is_feasible(m, k, value) for m in marginals)


# The paper's example


def test_table_1_is_masked_as_algorithm_1_does_it():
    release = shoal.NSVDist(k=2, diversity=2.0, mode=PUBLISHED).anonymize(PATIENTS, patients_schema())
    found = sorted((r["age"], r["zip"], tuple(json.loads(r["disease"]).items())) for r in release.data.to_pylist())
    half = 0.5
    assert found == [
        ("21", "100**", (("A", half), ("F", half))),
        ("21", "100**", (("A", half), ("F", half))),
        ("21-30", "10055", (("F", half), ("M", half))),
        ("47-55", "10***", (("D", half), ("F", half))),
        ("47-55", "10***", (("D", half), ("F", half))),
    ]
    assert release.facts.losses["loss"] == pytest.approx((0.132353 + 2 * 0.000495 + 2 * 0.122642) / 5, abs=1e-6)


def test_the_certificate_of_the_papers_example_says_that_three_of_five_patients_are_disclosed():
    certificate = shoal.NSVDist(k=2, diversity=2.0, mode=PUBLISHED).anonymize(PATIENTS, patients_schema()).certificate
    (guarantee,) = certificate.guarantees
    assert guarantee.statement == (
        "(2,2) syntactic; overlapping groups can disclose sensitive values; not differentially private"
    )
    assert guarantee.basis is Basis.CLAIMED
    (finding,) = certificate.findings
    assert finding.startswith("audit of all 5 people: whoever knows everybody's quasi-identifiers can tell 'disease' ")
    assert "of 3 (60.0%)" in finding
    assert finding in str(certificate)
    assert finding in json.loads(certificate.to_json())["findings"]


def test_the_hardened_release_of_the_papers_example_shows_whole_clusters():
    release = shoal.NSVDist(k=2, diversity=2.0).anonymize(PATIENTS, patients_schema())
    shares = [json.loads(row["disease"]) for row in release.data.to_pylist()]
    assert all(max(share.values()) <= 0.5 for share in shares)
    (guarantee,) = release.certificate.guarantees
    assert guarantee.basis is Basis.PROVED
    assert guarantee.statement == (
        "2 rows per person, sensitive posterior <= 1/2 in the random-worlds model; not differentially private"
    )
    assert release.certificate.findings == ()


# What is refused


@pytest.mark.parametrize(
    ("counts", "k", "diversity", "holds"),
    [
        ((5, 5), 3, "2", False),
        ((5, 5), 4, "2", True),
        ((9, 1), 4, "2", False),
        ((9, 1), 2, "2", True),
        ((75, 25), 3, "1.9", False),
        ((75, 25), 50, "1.11", True),
        ((1, 2, 1, 1), 5, "3", False),
    ],
)
def test_feasibility_is_decided_as_in_theory_7_5(counts, k, diversity, holds):
    assert is_feasible(np.array(counts), k, Fraction(diversity)) is holds


def test_caps_are_computed_in_exact_arithmetic():
    assert cap(11, exact(1.1)) == 10
    assert cap(3, exact("0.3") * 10) == 1


@given(
    st.lists(st.integers(1, 6), min_size=1, max_size=4), st.integers(1, 8), st.sampled_from(["1", "1.5", "2", "2.5"])
)
def test_the_next_larger_k_is_the_smallest_that_works(counts, k, diversity):
    found = smallest_feasible(np.array(counts), k, Fraction(diversity))
    tried = [n for n in range(k, sum(counts) + 1) if is_feasible(np.array(counts), n, Fraction(diversity))]
    assert found == (tried[0] if tried else None)


def test_an_infeasible_request_names_the_next_k_that_works():
    with pytest.raises(InfeasibleError, match=r"the next larger k that works is 4; or lower diversity\.$"):
        two_values(3, 2.0)
    with pytest.raises(InfeasibleError, match="leave room for 1 record of each value"):
        two_values(3, 2.0)


def two_values(k, diversity, yes=5, no=5, **settings):
    frame = pa.table({"age": list(range(yes + no)), "ill": ["yes"] * yes + ["no"] * no})
    said = (
        shoal.Schema().with_column("age", role="quasi-identifier", domain=(0, 99)).with_column("ill", role="sensitive")
    )
    return shoal.NSVDist(k=k, diversity=diversity, mode=PUBLISHED, **settings).anonymize(frame, said)


def test_more_diversity_than_the_table_has_is_refused_though_algorithm_1_would_do_it():
    """Theory NS-5: nine of one value and one of the other at diversity 2 would make the one a hub."""
    with pytest.raises(InfeasibleError, match=r"is more than the whole table has in 'ill' \(1\.111\)"):
        two_values(2, 2.0, yes=9, no=1)


def test_a_k_above_the_table_is_refused():
    with pytest.raises(InfeasibleError, match="k = 11 is more than the table has records"):
        two_values(11, 1.0)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"k": 0}, "k must be a whole number"),
        ({"k": 2.0}, "k must be a whole number"),
        ({"diversity": 0.9}, "diversity must be a number .*, 1 or more; got 0.9"),
        ({"diversity": float("nan")}, "got nan, which is not finite"),
        ({"output": "json"}, "output must be distribution or columns or records"),
        ({"publish": "trees"}, "publish must be intervals or nodes"),
        ({"measure": "LM", "mode": PUBLISHED}, "measure must be loss or entropy"),
        ({"ties": "last", "mode": PUBLISHED}, "ties must be first or least-used"),
        ({"measure": "entropy"}, "belong to Algorithm 1"),
        ({"cluster_size": 5}, "cluster_size must be"),
    ],
)
def test_bad_parameters_are_refused_in_a_sentence(settings, said):
    with pytest.raises(ParameterError, match=said):
        shoal.NSVDist(**{"k": 5, "diversity": 2.0} | settings)


def test_a_numeric_sensitive_column_without_bins_is_refused_declared_or_not():
    frame = pa.table({"age": list(range(200)), "income": [i * 7 for i in range(200)]})
    said = shoal.Schema().with_column("age", role="quasi-identifier", domain=(0, 199))
    for domain in (None, (0, 2000)):
        with pytest.raises(SchemaError, match=r"'income' is sensitive and numeric with 1,394|2,001 possible values"):
            shoal.NSVDist(k=2, diversity=2.0).anonymize(
                frame, said.with_column("income", role="sensitive", domain=domain)
            )


def test_a_table_without_a_sensitive_column_is_refused_before_it_is_read():
    said = shoal.Schema().with_column("age", role="quasi-identifier")
    with pytest.raises(SchemaError, match="no column has this role"):
        shoal.NSVDist(k=2, diversity=1.0).counted(said)


def test_a_column_cannot_be_sensitive_and_a_quasi_identifier(tmp_path):
    path = tmp_path / "release.toml"
    path.write_text(
        '[data]\npath = "x.csv"\n[columns.age]\nrole = ["quasi-identifier", "sensitive"]\n'
        '[method]\nname = "nsvdist"\nk = 2\ndiversity = 1.5\n'
    )
    with pytest.raises(PlanError, match="role"):
        Plan.load(path)


# Both modes


@given(
    mixed_tables(records=(4, 40)),
    st.integers(1, 6),
    st.sampled_from([1.0, 1.2, 1.5, 2.0]),
    st.sampled_from(["intervals", "nodes"]),
)
@examples(40)
def test_every_record_covers_k_records_and_no_value_exceeds_its_share(table, k, diversity, publish):
    for mode in (shoal.Mode.RIGOROUS, PUBLISHED):
        method = shoal.NSVDist(k=k, diversity=diversity, mode=mode, publish=publish)
        if not feasible(table, k, diversity, mode):
            with pytest.raises(InfeasibleError):
                method.run(table)
            continue
        outcome = method.run(table)
        assert outcome.published.kept == table.total
        assert (covered(outcome) >= k).all()
        shares, whole = counts_of(outcome, table.sensitive[0].name)
        assert (shares.max(axis=1) * exact(diversity) <= whole).all()
        assert (shares.sum(axis=1) == whole).all()
        assert 0 <= outcome.losses["loss"] <= 1


@given(mixed_tables(records=(6, 30), sensitive=(2, 2), widest=3), st.integers(1, 4))
@examples(25)
def test_several_sensitive_columns_are_diverse_each_or_refused(table, k):
    for mode in (shoal.Mode.RIGOROUS, PUBLISHED):
        try:
            outcome = shoal.NSVDist(k=k, diversity=1.5, mode=mode).run(table)
        except InfeasibleError:
            continue
        for attribute in table.sensitive:
            shares, whole = counts_of(outcome, attribute.name)
            assert (shares.max(axis=1) * Fraction(3, 2) <= whole).all()


def test_a_large_table_is_cut_into_clusters_within_which_all_records_can_be_masked():
    table = mixed_table(Random(11), 900, widest=3)
    method = shoal.NSVDist(k=6, diversity=1.5, mode=PUBLISHED, cluster_size=200)
    clusters = _clusters(method, table)
    assert len(clusters) > 2
    assert sum(int(sizes.sum()) for _, sizes in clusters) == table.total
    value = table.counts.column(table.sensitive[0].name)
    for rows, sizes in clusters:
        assert sizes.sum() >= 100
        assert is_feasible(np.bincount(value[rows], weights=sizes).astype(int), 6, Fraction(3, 2))
    outcome = method.run(table)
    assert outcome.search["clusters"] == len(clusters)
    assert (covered(outcome) >= 6).all()


def test_a_cut_after_which_a_side_could_not_be_masked_is_not_made():
    """Theory NS-8: the only other value lies on one side."""
    frame = pa.table({"age": list(range(40)), "ill": ["yes"] * 30 + ["no"] * 10})
    said = (
        shoal.Schema().with_column("age", role="quasi-identifier", domain=(0, 99)).with_column("ill", role="sensitive")
    )
    method = shoal.NSVDist(k=4, diversity=1.3, mode=PUBLISHED, cluster_size=10)
    release = method.anonymize(frame, said)
    assert release.certificate.records == 40
    assert all(max(json.loads(row["ill"]).values()) <= 1 / 1.3 for row in release.data.to_pylist())


def test_fillable_judges_a_class_by_the_room_it_has_for_a_set():
    table = mixed_table(Random(11), 40, widest=3)
    name = table.sensitive[0].name
    for k, diversity in ((4, 1.0), (4, 2.0), (5, 3.0), (40, 1.0)):
        criterion = Fillable(k, diversity, name)
        criterion.check(table)
        assert criterion.implied() is criterion
        assert not criterion.is_relative
        unmet = Judge(table, [criterion]).unmet()
        assert (unmet is None) == is_feasible(table.marginal(name), k, exact(diversity))
        if unmet is not None:
            assert f"{k} records of which no value of '{name}' exceeds 1/{diversity:g}" in str(unmet)
    with pytest.raises(SchemaError, match="NSVDist needs a sensitive column"):
        Fillable(4, 2.0, "nobody").check(table)


def test_progress_is_told_to_the_end():
    told = []
    table = mixed_table(Random(3), 500)
    shoal.NSVDist(k=4, diversity=1.0, mode=PUBLISHED).run(table, progress=lambda task, done: told.append((task, done)))
    assert [done for _, done in told] == sorted(done for _, done in told)
    assert told[-1] == ("masking records", 1.0)


def test_entropy_says_that_it_looks_at_every_record():
    table = mixed_table(Random(3), 60)
    told = []
    method = shoal.NSVDist(k=4, diversity=1.0, mode=PUBLISHED, measure="entropy")
    outcome = method.run(table, progress=lambda task, _: told.append(task))
    assert "not monotone" in outcome.search["scan"]
    assert told[0] == "masking records (entropy: every pick looks at all)"


# Outputs


def test_a_distribution_can_be_spread_over_one_column_for_each_value(tmp_path):
    release = shoal.NSVDist(k=2, diversity=2.0, mode=PUBLISHED, output="columns").anonymize(PATIENTS, patients_schema())
    assert release.data.column_names == ["age", "zip", "disease=A", "disease=D", "disease=F", "disease=M"]
    for row in release.data.to_pylist():
        assert sum(row[name] for name in row if name.startswith("disease=")) == 1.0
    assert [column["name"] for column in release.certificate.columns] == release.data.column_names
    release.write_data(tmp_path / "data.csv")
    assert (tmp_path / "data.csv").read_text().splitlines()[
        0
    ] == '"age","zip","disease=A","disease=D","disease=F","disease=M"'


@given(mixed_tables(records=(6, 40)), st.integers(0, 9))
@examples(20)
def test_concrete_records_lie_in_the_closures_they_were_drawn_from(table, seed):
    method = shoal.NSVDist(k=3, diversity=1.0, mode=PUBLISHED)
    closures = method.run(table)
    drawn = shoal.NSVDist(k=3, diversity=1.0, mode=PUBLISHED, output="records").run(table, coins=SeededCoins(seed))
    assert drawn.published.kept == table.total
    assert drawn.shown == {}
    low, high = boxes(closures)
    shares, _ = counts_of(closures, table.sensitive[0].name)
    codes = np.stack([drawn.published.column(a.name) for a in table.quasi_identifiers]).astype(np.int64)
    values = drawn.published.column(table.sensitive[0].name)
    for record in range(len(drawn.published)):
        here = codes[:, record]
        fits = ((low <= here[:, None]) & (here[:, None] <= high)).all(axis=0) & (shares[:, values[record]] > 0)
        assert fits.any()
    for column, attribute in enumerate(table.quasi_identifiers):
        assert (table.marginal(attribute.name)[codes[column]] > 0).all()


def test_sensitive_values_are_drawn_together():
    """Two columns that always agree still agree in every drawn record."""
    ills = ["a", "b", "c", "d"] * 10
    frame = pa.table({"age": [i % 7 for i in range(40)], "ill": ills, "cure": [f"for {ill}" for ill in ills]})
    said = shoal.Schema().with_column("age", role="quasi-identifier", domain=(0, 9))
    said = said.with_column("ill", role="sensitive").with_column("cure", role="sensitive")
    for mode in (shoal.Mode.RIGOROUS, PUBLISHED):
        method = shoal.NSVDist(k=4, diversity=2.0, mode=mode, output="records")
        rows = method.anonymize(frame, said, coins=SeededCoins(5)).data.to_pylist()
        assert len(rows) == 40
        assert all(row["cure"] == f"for {row['ill']}" for row in rows)
        assert len({row["ill"] for row in rows}) > 1


def test_values_are_drawn_by_their_frequency_in_the_original():
    """The exact law, by following every branch of the coins: leaves 1 to 3 with 2, 0 and 1 records."""
    frequencies = np.array([5, 2, 0, 1])
    found = distribution(lambda coins: int(_by_frequency(frequencies, np.array([1]), np.array([3]), coins)[0]))
    assert {leaf: round(p, 9) for leaf, p in found.masses.items()} == {1: round(2 / 3, 9), 3: round(1 / 3, 9)}


def test_insensitive_columns_stand_beside_the_record_they_belong_to():
    frame = PATIENTS.append_column("note", pa.array(["a", "b", "c", "d", "e"]))
    said = patients_schema().with_column("note", role="insensitive")
    for output in ("distribution", "columns", "records"):
        method = shoal.NSVDist(k=2, diversity=2.0, mode=PUBLISHED, output=output)
        release = method.anonymize(frame, said, coins=SeededCoins(1))
        assert sorted(release.data["note"].to_pylist()) == ["a", "b", "c", "d", "e"]
        by_note = {row["note"]: row for row in release.data.to_pylist()}
        if output == "distribution":
            assert by_note["a"]["zip"] == "10055"
