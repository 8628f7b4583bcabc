"""OptimalLattice and OLA: what they publish keeps every promise when it is recounted from the published records."""

from dataclasses import replace
from math import floor

import naive
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import MODELS, criteria_about, examples, fixed_by, model_on, samples, table_of

from shoal.criteria import (
    Closeness,
    Disclosure,
    DistinctDiversity,
    EntropyDiversity,
    FrequencyDiversity,
    KAnonymity,
)
from shoal.data.schema import Column, Role, Schema
from shoal.errors import InfeasibleError, ParameterError, SchemaError
from shoal.methods import OLA, OptimalLattice
from shoal.quality import (
    AverageClassSize,
    Classification,
    Discernibility,
    Granularity,
    GroupSize,
    Intensity,
    Loss,
    NonUniformEntropy,
)

METHODS = pytest.mark.parametrize("method", [OptimalLattice, OLA])
SHAPE = {"quasi": (1, 3), "sensitive": (1, 2), "records": (1, 14), "max_leaves": 4, "max_height": 2}


def read(sample, outcome):
    """The published records as rows of labels, each as often as it is published."""
    published, columns = outcome.published, []
    for attribute in sample.table.attributes:
        codes = published.column(attribute.name)
        if attribute.role is Role.QUASI_IDENTIFIER:
            level = attribute.hierarchy.levels[outcome.recoding.levels[attribute.name]]
            columns.append(attribute.labels(level.nodes[codes]))
        else:
            columns.append(attribute.domain.labels(codes))
    rows = zip(*columns, strict=True)
    return [row for row, size in zip(rows, published.sizes.tolist(), strict=True) for _ in range(size)]


def assert_kept(sample, outcome, criteria, limit):
    """Every promise, from the published rows alone; and that they are the recoded rows of whole classes."""
    shown = read(sample, outcome)
    node = tuple(outcome.recoding.levels[name] for name in sample.quasi_names)
    published = replace(sample, rows=tuple(shown))  # recoded labels in place of leaves: grouped as they are
    found = naive.grouped(tuple(row[i] for i in sample.quasi) for row in shown)
    everything = range(len(shown))
    for members in found.values():
        for criterion in criteria:
            assert naive.satisfied(published, criterion, members, everything)
    whole = naive.classes(sample, node)
    original = []
    for key in found:
        for i in whole[key]:
            row = list(sample.rows[i])
            for position, label in zip(sample.quasi, key, strict=True):
                row[position] = label
            original.append(tuple(row))
    assert sorted(shown) == sorted(original)
    assert len(sample.rows) - len(shown) <= limit * len(sample.rows) + 1e-6
    assert outcome.published.suppressed == len(sample.rows) - len(shown)
    assert outcome.published.total == len(sample.rows)


@pytest.mark.parametrize("kind", MODELS)
@given(data=st.data())
@examples(25)
def test_the_optimal_recoding_keeps_every_promise_and_loses_least(kind, data):
    sample = data.draw(samples(**SHAPE))
    model = data.draw(model_on(sample, kind))
    criteria = tuple(data.draw(criteria_about(sample, max_size=2)))
    limit = data.draw(st.sampled_from([0, 0.05, 0.3, 1]))
    k = data.draw(st.integers(1, 4))
    method = OptimalLattice(k=k, criteria=criteria, suppression_limit=limit, quality=model)
    judged = [KAnonymity(k), *criteria]
    n = len(sample.rows)
    fits = {
        node: naive.loss(sample, model, node, out)
        for node, out in naive.admissible(sample, judged, floor(limit * n + 1e-9), fixed_by(sample, model)).items()
        if len(out) < len(naive.classes(sample, node))  # a release without records is none
    }
    if not fits:
        with pytest.raises(InfeasibleError):
            method.run(sample.table)
        return
    outcome = method.run(sample.table)
    assert_kept(sample, outcome, judged, limit)
    node = tuple(outcome.recoding.levels[name] for name in sample.quasi_names)
    assert fits[node] == pytest.approx(min(fits.values()), abs=1e-9)
    assert outcome.search["loss"] == pytest.approx(fits[node], abs=1e-9)
    assert outcome.search["optimal"] is True
    assert outcome.search["lattice"] == len(sample.nodes)


@given(st.data())
@examples(80)
def test_ola_takes_the_minimal_recoding_that_loses_least(data):
    sample = data.draw(samples(**SHAPE))
    model = data.draw(model_on(sample, data.draw(st.sampled_from(MODELS))))
    k, limit = data.draw(st.integers(1, 4)), data.draw(st.sampled_from([0, 0.1, 0.4]))
    kinds = ("distinct", "k-anonymity") if limit else ("closeness", "entropy", "frequency", "distinct", "likeness")
    criteria = tuple(data.draw(criteria_about(sample, kinds=kinds, max_size=1)))
    method = OLA(k=k, criteria=criteria, suppression_limit=limit, quality=model)
    judged = [KAnonymity(k), *criteria]
    fixed = fixed_by(sample, model)
    fits = naive.admissible(sample, judged, floor(limit * len(sample.rows) + 1e-9), fixed)
    minimal = {node: naive.loss(sample, model, node, fits[node]) for node in naive.minimal(fits)}
    if not minimal:
        with pytest.raises(InfeasibleError):
            method.run(sample.table)
        return
    outcome = method.run(sample.table)
    assert_kept(sample, outcome, judged, limit)
    node = tuple(outcome.recoding.levels[name] for name in sample.quasi_names)
    assert minimal[node] == pytest.approx(min(minimal.values()), abs=1e-9)
    assert outcome.search["minimal recodings"] == len(minimal)


@METHODS
@given(data=st.data())
@examples(30)
def test_above_a_floor_the_best_of_the_original_is_found_in_records_counted_at_it(method, data):
    """By brute force over the records as they were; and of entropy, which is counted from the floor, the guarantee."""
    sample = data.draw(samples(**SHAPE))
    kind = data.draw(st.sampled_from(["loss", "discernibility", "precision", "average class size", "entropy"]))
    model, k = data.draw(model_on(sample, kind)), data.draw(st.integers(1, 4))
    levels = data.draw(st.tuples(*(st.integers(0, height) for height in sample.heights)))
    at = {name: level for name, level in zip(sample.quasi_names, levels, strict=True) if level}
    request = method(k=k, suppression_limit=0.4, quality=model, floor=at)
    attributes = tuple(a.counted_at(at.get(a.name, 0)) for a in sample.table.attributes)
    table = replace(sample.table.coarsened(at), attributes=attributes)
    fits = naive.admissible(sample, [KAnonymity(k)], floor(0.4 * len(sample.rows) + 1e-9), [-1 - n for n in levels])
    fits = {node: naive.loss(sample, model, node, out) for node, out in fits.items()}
    if not fits:
        with pytest.raises(InfeasibleError):
            request.run(table)
        return
    outcome = request.run(table)
    assert_kept(sample, outcome, [KAnonymity(k)], 0.4)
    node = tuple(outcome.recoding.levels[name] for name in sample.quasi_names)
    among = fits if method is OptimalLattice else naive.minimal(fits)
    assert node in among
    if kind != "entropy":
        assert fits[node] == pytest.approx(min(fits[n] for n in among), abs=1e-9)


@METHODS
def test_a_floor_that_cannot_be_is_refused(method):
    schema = Schema().with_column("age", role="quasi-identifier", domain=(0, 9)).with_column("note", role="sensitive")
    table = pa.table({"age": [1, 2, 3], "note": ["a", "b", "c"]})
    with pytest.raises(SchemaError, match="'note', which is not generalized"):
        method(k=2, floor={"note": 1}).anonymize(table, schema)
    with pytest.raises(SchemaError, match="floor has level 7 for 'age', whose hierarchy has levels 0 to"):
        method(k=2, floor={"age": 7}).anonymize(table, schema)
    with pytest.raises(SchemaError, match="the target of the classification"):
        method(k=2, floor={"age": 1}, quality=Classification("age")).anonymize(table, schema)
    with pytest.raises(ParameterError, match="floor"):
        method(k=2, floor={"age": -1})


@given(st.data())
@examples(40)
def test_diversity_and_closeness_hold_for_every_sensitive_column(data):
    sample = data.draw(samples(**SHAPE))
    diversity = data.draw(st.sampled_from([None, 1, 1.5, 2]))
    closeness = data.draw(st.sampled_from([None, 0.2, 0.5]))
    method = OptimalLattice(k=2, diversity=diversity, closeness=closeness, suppression_limit=0.5)
    wanted = [KAnonymity(2)]
    for name in sample.sensitive_names:
        wanted += [FrequencyDiversity(diversity, name)] if diversity is not None else []
        wanted += [Closeness(closeness, name)] if closeness is not None else []
    assert set(method.promises(sample.table)) == set(wanted)
    assert method.promises(sample.table)[0] == KAnonymity(2)
    try:
        outcome = method.run(sample.table)
    except InfeasibleError:
        assert not any(
            len(out) < len(naive.classes(sample, node))
            for node, out in naive.admissible(sample, wanted, len(sample.rows) // 2).items()
        )
        return
    assert_kept(sample, outcome, wanted, 0.5)


@given(st.data())
@examples(40)
def test_a_time_limit_still_keeps_every_promise(data):
    sample = data.draw(samples(**SHAPE))
    k, limit = data.draw(st.integers(1, 3)), data.draw(st.sampled_from([0, 0.3, 1]))
    if k > len(sample.rows):
        return
    outcome = OptimalLattice(k=k, suppression_limit=limit, time_limit=1e-9).run(sample.table)
    assert_kept(sample, outcome, [KAnonymity(k)], limit)
    fits = naive.admissible(sample, [KAnonymity(k)], floor(limit * len(sample.rows) + 1e-9))
    least = min(naive.loss(sample, Loss(), node, out) for node, out in fits.items())
    assert outcome.search["no recoding loses less than"] <= least + 1e-9
    assert outcome.search["loss"] >= least - 1e-9


# Hand-written tables


TREE = {"1": ("1", "low", "*"), "2": ("2", "low", "*"), "8": ("8", "high", "*"), "9": ("9", "high", "*")}
PATIENTS = table_of(
    {
        "age": (Role.QUASI_IDENTIFIER, TREE),
        "sex": (Role.QUASI_IDENTIFIER, ["f", "m"]),
        "ill": (Role.SENSITIVE, ["flu", "cold", "none"]),
    },
    [("1", "f", "flu"), ("2", "f", "flu"), ("8", "m", "cold"), ("9", "m", "flu"), ("9", "f", "cold")],
)
EVERY_MODEL = (
    Loss(),
    Granularity(),
    Intensity(),
    Discernibility(),
    NonUniformEntropy(),
    GroupSize(),
    AverageClassSize(),
    Classification("ill"),
)


@METHODS
def test_k_larger_than_the_table_is_infeasible(method):
    with pytest.raises(InfeasibleError, match="k = 6 is more than the table has records; lower k"):
        method(k=6).run(PATIENTS.table)
    assert len(read(PATIENTS, method(k=5).run(PATIENTS.table))) == 5


@pytest.mark.parametrize("model", EVERY_MODEL, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("limit", [0, 0.5, 1])
def test_a_request_that_only_the_coarsest_recoding_meets_is_met_whatever_may_be_suppressed(model, limit):
    """k is the number of records: any other recoding would leave out everybody, which is no release."""
    outcome = OptimalLattice(k=5, suppression_limit=limit, quality=model).run(PATIENTS.table)
    assert len(read(PATIENTS, outcome)) == 5


@METHODS
@pytest.mark.parametrize(
    ("criterion", "reached"),
    [
        (DistinctDiversity(3, "ill"), "the whole table reaches 2"),
        (EntropyDiversity(2, "ill"), r"the whole table reaches 1\.96"),
        (FrequencyDiversity(2, "ill"), r"the whole table reaches 1\.667"),
    ],
)
def test_an_unreachable_criterion_is_named_with_what_is_reached(method, criterion, reached):
    with pytest.raises(InfeasibleError, match="even with every quasi-identifier hidden") as raised:
        method(k=2, criteria=(criterion,), suppression_limit=0).run(PATIENTS.table)
    assert criterion.statement in str(raised.value)
    assert raised.match(reached)
    assert "anonymous" not in str(raised.value)


def test_every_unreachable_criterion_is_named():
    asked = (DistinctDiversity(3, "ill"), FrequencyDiversity(2, "ill"))
    with pytest.raises(InfeasibleError) as raised:
        OptimalLattice(k=2, criteria=asked, suppression_limit=0.3).run(PATIENTS.table)
    assert all(criterion.statement in str(raised.value) for criterion in asked)


@METHODS
def test_of_several_sensitive_columns_the_one_in_the_way_is_named_and_how_to_ask_for_the_others(method):
    table = pa.table({"age": [1, 2, 3, 4], "ill": list("aaab"), "faith": list("pqpq"), "vote": list("xyxy")})
    schema = Schema().with_column("age", role="quasi-identifier", domain=(0, 9))
    for name in ("ill", "faith", "vote"):
        schema = schema.with_column(name, role="sensitive")
    with pytest.raises(InfeasibleError) as raised:
        method(k=2, diversity=2, suppression_limit=0).anonymize(table, schema)
    assert str(raised.value).endswith(
        "; 'ill' alone is in the way, and 'faith', 'vote' would do: ask for that alone, with criteria = "
        '[{ name = "frequency-diversity", column = "faith", ... }] in place of a number for all sensitive columns.'
    )


@METHODS
def test_a_target_that_may_not_be_generalized_can_make_a_request_infeasible(method):
    """Hiding everything would do, but the target stays: two women of five are too few."""
    asked = method(k=3, suppression_limit=0, quality=Classification("sex"))
    with pytest.raises(InfeasibleError, match="raise suppression_limit"):
        asked.run(PATIENTS.table)
    assert (
        method(k=2, suppression_limit=0, quality=Classification("sex")).run(PATIENTS.table).recoding.levels["sex"] == 0
    )


def test_when_time_runs_out_before_an_admissible_recoding_was_seen_the_request_is_not_called_impossible():
    """Hiding everything violates diversity; leaving out the men and ages 9 does not."""
    asked = {"k": 1, "criteria": (FrequencyDiversity(2, "ill"),), "suppression_limit": 0.6}
    assert len(read(PATIENTS, OptimalLattice(**asked).run(PATIENTS.table))) >= 2
    with pytest.raises(InfeasibleError) as raised:
        OptimalLattice(**asked, time_limit=1e-9).run(PATIENTS.table)
    assert "cannot be met" not in str(raised.value)
    assert "time" in str(raised.value)


def test_ola_refuses_what_coarser_recodings_may_break():
    with pytest.raises(ParameterError, match="OLA needs a criterion that coarser recodings keep"):
        OLA(k=2, diversity=1.5, suppression_limit=0.2).run(PATIENTS.table)
    OLA(k=2, diversity=1.5, suppression_limit=0).run(PATIENTS.table)


def test_ola_can_lose_more_than_the_optimum_because_it_stays_minimal():
    """Nine distinct records and a pair: suppressing nine is allowed, so the bottom is minimal, and far from best."""
    leaves = {str(i): (str(i), "low" if i < 5 else "high", "*") for i in range(10)}
    sample = table_of({"q": (Role.QUASI_IDENTIFIER, leaves)}, [*((str(i),) for i in range(10)), ("0",)])
    ola, best = (method(k=2, suppression_limit=0.9).run(sample.table) for method in (OLA, OptimalLattice))
    assert ola.recoding.levels == {"q": 0}
    assert best.recoding.levels == {"q": 1}
    assert best.search["loss"] < ola.search["loss"]


@pytest.mark.parametrize(("limit", "allowed"), [(0.1, 1), (0.3, 3), (0.29, 2), (0.7, 7), (1, 9), (0, 0)])
def test_the_suppression_limit_is_a_share_rounded_down(limit, allowed):
    """0.1 · 3 is a little above 0.3 in binary, and 0.29 · 10 below 2.9: neither may matter. One record must be left."""
    sample = table_of({"q": (Role.QUASI_IDENTIFIER, [str(i) for i in range(10)])}, [(str(i),) for i in range(10)])
    assert OptimalLattice(suppression_limit=limit).evaluator(sample.table).allowed == allowed


def test_the_outcome_says_what_was_suppressed_and_how_it_was_found():
    outcome = OptimalLattice(k=2, suppression_limit=0.2).run(PATIENTS.table)
    assert outcome.published.suppressed == int(outcome.classes.sizes[outcome.suppressed].sum())
    assert outcome.classes.sizes[~outcome.suppressed].min() >= 2
    assert set(outcome.search) == {"lattice", "evaluated", "loss", "no recoding loses less than", "optimal", "searched"}
    assert outcome.search["searched"] == "all recodings of the lattice, each leaving out exactly the classes that fail"
    assert outcome.search["evaluated"] > 0


# Parameters and schemas


@METHODS
@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"k": 0}, "k must be a whole number, 1 or more; got 0"),
        ({"k": 2.5}, "k must be a whole number, 1 or more; got 2.5"),
        ({"k": True}, "k must be a whole number, 1 or more; got True"),
        ({"k": "5"}, "k must be a whole number"),
        ({"suppression_limit": -0.1}, "suppression_limit is a share between 0 and 1; got -0.1"),
        ({"suppression_limit": 5}, "suppression_limit is a share between 0 and 1; got 5"),
        ({"suppression_limit": float("nan")}, "suppression_limit must be a number; got nan"),
        ({"quality": "loss"}, "quality must be a quality model"),
        ({"quality": Loss}, "quality must be a quality model"),
        ({"diversity": 0.5}, "diversity must be a number such as 2.5 or .*, 1 or more; got 0.5"),
        ({"closeness": 1.5}, "closeness must be between 0 and 1; got 1.5"),
    ],
)
def test_a_parameter_that_is_not_allowed_is_refused_before_any_data_is_seen(method, parameters, sentence):
    with pytest.raises(ParameterError, match=sentence):
        method(**parameters)


@pytest.mark.parametrize("seconds", [0, -1, float("nan")])
def test_a_time_limit_is_above_zero(seconds):
    with pytest.raises(ParameterError, match=r"time_limit (is a number of seconds above 0|must be a number); got"):
        OptimalLattice(time_limit=seconds)


@METHODS
def test_parameters_are_given_by_name_and_cannot_be_changed(method):
    with pytest.raises(TypeError):
        method(5)
    with pytest.raises(AttributeError):
        method().k = 3


SCHEMA = Schema(
    (
        Column("name", Role.IDENTIFIER),
        Column("age", Role.QUASI_IDENTIFIER),
        Column("ill", Role.SENSITIVE),
        Column("color"),
    )
)


@METHODS
def test_a_method_counts_quasi_identifiers_sensitive_columns_and_its_target(method):
    assert method().counted(SCHEMA) == ("age", "ill")
    assert method(quality=Classification("ill")).counted(SCHEMA) == ("age", "ill")
    assert method(quality=Classification("color")).counted(SCHEMA) == ("age", "ill", "color")


@METHODS
@pytest.mark.parametrize(
    ("schema", "parameters", "sentence"),
    [
        (
            Schema((Column("ill", Role.SENSITIVE),)),
            {},
            "no column is a quasi-identifier, so there is nothing to protect",
        ),
        (
            SCHEMA,
            {"quality": Classification("name")},
            "the target 'name' is an identifier, and is not published",
        ),
        (SCHEMA, {"quality": Classification("zip")}, "there is no column 'zip'"),
        (
            Schema((Column("age", Role.QUASI_IDENTIFIER),)),
            {"diversity": 2},
            "diversity protects sensitive columns, and no",
        ),
        (Schema((Column("age", Role.QUASI_IDENTIFIER),)), {"closeness": 0.2}, "closeness protects sensitive columns"),
    ],
)
def test_a_schema_the_method_cannot_work_with_is_refused_before_a_row_is_read(method, schema, parameters, sentence):
    with pytest.raises(SchemaError, match=sentence):
        method(**parameters).counted(schema)


@METHODS
def test_criteria_are_checked_against_the_table(method):
    with pytest.raises(SchemaError, match="δ-disclosure needs a sensitive column, and 'age' is not one"):
        method(k=2, criteria=(Disclosure(1, "age"),), suppression_limit=0).run(PATIENTS.table)


@METHODS
def test_the_same_criterion_asked_twice_is_promised_once(method):
    asked = method(k=2, criteria=(KAnonymity(2), KAnonymity(3), KAnonymity(3)))
    assert asked.promises(PATIENTS.table) == (KAnonymity(2), KAnonymity(3))


@METHODS
def test_a_run_changes_neither_the_table_nor_the_method(method):
    table, asked = PATIENTS.encoded(PATIENTS.rows), method(k=2, suppression_limit=0.2)
    before = [column.copy() for column in table.counts.codes]
    first, second = asked.run(table), asked.run(table)
    assert first.recoding == second.recoding
    assert all(np.array_equal(a, b) for a, b in zip(before, table.counts.codes, strict=True))


def test_a_column_whose_generalization_gains_nothing_is_not_generalized():
    """A constant column loses nothing at any level; it is published as it is."""
    leaves = [str(i) for i in range(4)]
    columns = {"constant": (Role.QUASI_IDENTIFIER, ["x"]), "q": (Role.QUASI_IDENTIFIER, leaves)}
    sample = table_of(columns, [("x", str(i)) for i in (0, 0, 1, 1)])
    for limit in (0, 0.5):
        outcome = OptimalLattice(k=2, suppression_limit=limit).run(sample.table)
        assert outcome.recoding.levels == {"constant": 0, "q": 0}


def test_where_one_criterion_lets_no_class_stay_another_is_not_asked_about_none():
    """Two criteria about one column: the first leaves nothing that the second could be compared with."""
    table = pa.table({"q": ["a", "b", "b", "b"], "s": ["x", "y", "y", "y"]})
    schema = Schema().with_column("q", role="quasi-identifier").with_column("s", role="sensitive")
    criteria = (Disclosure(0.1, "s"), Disclosure(0.5, "s"))
    release = OptimalLattice(k=1, suppression_limit=0, criteria=criteria).anonymize(table, schema)
    assert release.data["q"].to_pylist() == ["*"] * 4
