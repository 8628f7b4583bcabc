"""TDS against specialization by hand; what it refuses."""

import by_hand
import naive
import numpy as np
import pyarrow as pa
import pytest
from by_hand import tables
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

import shoal
from shoal.data.schema import Role
from shoal.errors import InfeasibleError, ParameterError, SchemaError
from shoal.methods.top_down.tds import TDS
from shoal.promises.verify import verify

ROLES = (Role.SENSITIVE, Role.QUASI_IDENTIFIER, Role.INSENSITIVE)


def expected(small, k, diversity=None):
    def admissible(cut):
        return by_hand.smallest(small, cut) >= k and (diversity is None or by_hand.is_diverse(small, cut, diversity))

    def score(cut, column, value, most, children):
        later = by_hand.after(cut, column, value, children)
        lost = by_hand.smallest(small, cut) - by_hand.smallest(small, later)
        return most / (len(by_hand.with_value(small, column, cut[column][value])) * (lost + 1))

    return by_hand.grown(
        small,
        lambda column, leaves, children: by_hand.gain(small, column, leaves, children),
        admissible,
        score,
        lambda column, leaves: by_hand.is_beneficial(small, column, leaves),
    )


def is_startable(small, k):
    return len({row[-1] for row in small.rows}) > 1 and by_hand.smallest(small, by_hand.top(small)) >= k


@given(small=tables(ROLES), k=st.integers(1, 5))
@examples(150)
def test_it_specializes_as_one_would_by_hand(small, k):
    if not is_startable(small, k):
        with pytest.raises(InfeasibleError):
            TDS(k=k, target="class").run(small.table)
        return
    outcome = TDS(k=k, target="class").run(small.table)
    assert by_hand.cut_of(small, outcome) == expected(small, k)


@given(small=tables(), k=st.integers(1, 3), diversity=st.sampled_from((1.2, 1.5, 2.0)))
@examples(80)
def test_further_criteria_stop_it_where_they_would_by_hand(small, k, diversity):
    top = by_hand.top(small)
    method = TDS(k=k, target="class", diversity=diversity)
    if not is_startable(small, k) or not by_hand.is_diverse(small, top, diversity):
        with pytest.raises(InfeasibleError):
            method.run(small.table)
        return
    assert by_hand.cut_of(small, method.run(small.table)) == expected(small, k, diversity)


@given(small=tables(ROLES, columns=(1, 4), records=(10, 60)), k=st.integers(2, 6))
@examples(60)
def test_every_class_has_k_records_all_are_published_and_nothing_could_be_specialized_further(small, k):
    if not is_startable(small, k):
        return
    method = TDS(k=k, target="class")
    outcome = method.run(small.table)
    assert all(verdict.holds for verdict in verify(outcome.table, outcome.published, method.promises(small.table)))
    assert outcome.published.total == outcome.published.kept == len(small.rows)
    cut = by_hand.cut_of(small, outcome)
    for column, values in enumerate(cut):
        for value, leaves in enumerate(values):
            if by_hand.is_beneficial(small, column, leaves):
                for _, children in by_hand.ways(small, column, leaves):
                    assert by_hand.smallest(small, by_hand.after(cut, column, value, children)) < k


@given(small=tables(columns=(2, 4), records=(20, 60)))
@examples(20)
def test_criteria_about_groups_of_few_columns_can_be_asked_for_too(small):
    if not is_startable(small, 2):
        return
    method = TDS(k=2, target="class", criteria=(shoal.LKCPrivacy(1, 6),))
    if len(small.rows) < 6:
        with pytest.raises(InfeasibleError):
            method.run(small.table)
        return
    outcome = method.run(small.table)
    keys = by_hand.recoded(small, by_hand.cut_of(small, outcome))
    assert naive.has_lkc(keys, [row[-1] for row in small.rows], 1, 6)


PEOPLE = pa.table(
    {
        "age": [20, 21, 22, 50, 51, 52],
        "town": ["Ulm", "Ulm", "Bonn", "Bonn", "Ulm", "Bonn"],
        "buys": ["no", "no", "no", "yes", "yes", "yes"],
    }
)


def schema(**roles):
    roles = {"age": "quasi-identifier", "town": "quasi-identifier", "buys": "sensitive"} | roles
    made = shoal.Schema()
    for name, role in roles.items():
        made = made.with_column(name, role=role)
    return made


def test_of_numbers_it_shows_intervals_and_the_recoding_applies_to_other_records():
    made = schema().with_column("age", domain=(0, 99))
    release = shoal.TDS(k=3, target="buys").anonymize(PEOPLE, made)
    assert release.data["age"].to_pylist() == ["0-35"] * 3 + ["36-99"] * 3
    other = pa.table({"age": [35, 36], "town": ["Ulm", "Bonn"], "buys": ["no", "no"]})
    assert release.recoding.apply(other)["age"].to_pylist() == ["0-35", "36-99"]


def test_an_insensitive_target_is_published_beside_its_record():
    release = shoal.TDS(k=3, target="buys").anonymize(PEOPLE, schema(buys="insensitive"))
    assert release.data["buys"].to_pylist() == PEOPLE["buys"].to_pylist()
    assert len(set(release.data["age"].to_pylist())) == 2


def test_a_target_that_is_a_quasi_identifier_is_shared_by_k_records_too():
    with pytest.raises(InfeasibleError, match="'buys' is a quasi-identifier that is published as it is"):
        shoal.TDS(k=4, target="buys").anonymize(PEOPLE, schema(buys="quasi-identifier"))
    release = shoal.TDS(k=3, target="buys").anonymize(PEOPLE, schema(buys="quasi-identifier"))
    assert release.certificate.criteria[0]["reached"] == 3


def test_what_has_a_taxonomy_only_is_priced_by_every_quality_model():
    release = shoal.TDS(k=2, target="buys").anonymize(PEOPLE, schema(age="identifier"))
    assert "loss" in release.facts.losses


@pytest.mark.parametrize(
    ("method", "roles", "error", "sentence"),
    [
        ({"target": "bays"}, {}, SchemaError, "there is no column 'bays'.*Did you mean 'buys'"),
        ({"target": "buys"}, {"buys": "identifier"}, SchemaError, "'buys' is an identifier"),
        ({"target": "age"}, {"town": "sensitive"}, SchemaError, "'age' is the only quasi-identifier"),
        ({"target": "buys", "k": 7}, {}, InfeasibleError, "k = 7 is more than the table has records"),
        ({"target": "buys", "diversity": 3}, {}, InfeasibleError, "even with every quasi-identifier hidden"),
        (
            {"target": "age", "diversity": 2},
            {"buys": "insensitive"},
            SchemaError,
            "diversity protects sensitive columns",
        ),
    ],
)
def test_what_cannot_be_done_is_refused_in_a_sentence(method, roles, error, sentence):
    with pytest.raises(error, match=sentence):
        shoal.TDS(**method).anonymize(PEOPLE, schema(**roles))


def test_a_target_with_one_value_teaches_nothing():
    same = PEOPLE.set_column(2, "buys", pa.array(["no"] * 6))
    with pytest.raises(InfeasibleError, match="'buys' has the same value in every record"):
        shoal.TDS(target="buys").anonymize(same.slice(0, 6), schema())


def test_a_target_with_too_many_values_is_refused_before_it_is_counted():
    wide = schema(buys="sensitive").with_column("age", domain=(0, 99_999)).with_column("town", role="dropped")
    frame = PEOPLE.set_column(2, "buys", pa.array(range(6)))
    with pytest.raises(SchemaError, match="too many to count together"):
        shoal.TDS(k=2, target="buys").anonymize(frame, wide.with_column("buys", domain=(0, 99_999)))


@pytest.mark.parametrize("k", [0, -1, 2.5, "5"])
def test_k_is_a_whole_number(k):
    with pytest.raises(ParameterError, match="k must be a whole number, 1 or more"):
        shoal.TDS(k=k, target="buys")


def test_missing_numbers_are_split_off_like_the_largest_and_missing_classes_are_a_class():
    frame = pa.table({"age": [None, None, None, 50, 51, 52], "buys": [None, None, None, "yes", "yes", "no"]})
    said = shoal.Schema().with_column("age", role="quasi-identifier", domain=(0, 99), missing=True)
    release = shoal.TDS(k=3, target="buys").anonymize(frame, said.with_column("buys", role="sensitive"))
    published = list(zip(release.data["age"].to_pylist(), release.data["buys"].to_pylist(), strict=True))
    assert sorted(published, key=str) == [("0-99", "no"), ("0-99", "yes"), ("0-99", "yes"), *[(None, None)] * 3]


def test_numbers_are_exact_whatever_the_size_of_the_table():
    """Gains are whole numbers, so equal ones tie and the first column is taken, also with a million records."""
    counts = PEOPLE.take(np.repeat(np.arange(6), 20_000))
    both = counts.append_column("again", counts["age"])
    said = schema(town="dropped").with_column("again", role="quasi-identifier")
    release = shoal.TDS(k=60_000, target="buys").anonymize(both, said)
    assert len(set(release.data["age"].to_pylist())) == 2
