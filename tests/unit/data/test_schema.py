"""The owner's words: columns, roles, domains in short form, and what the data suggest where nothing was said."""

import datetime as dt
from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from shoal.data.attribute import declared, observed_domain, settle
from shoal.data.domain import Categorical, Dates, Grid, Origin
from shoal.data.hierarchies.build import Balanced, Flat
from shoal.data.hierarchies.paths import Paths
from shoal.data.schema import Column, Role, Schema, declared_domain, role_named
from shoal.data.unit import Unit
from shoal.errors import ParameterError, SchemaError, listed, nearest

# Schema


def test_a_column_is_declared_and_declared_anew_piece_by_piece():
    schema = Schema().with_column("age", role="quasi-identifier").with_column("name", role=Role.IDENTIFIER)
    changed = schema.with_column("age", domain=(0, 99), missing=True).with_column("age", hierarchy=Flat())
    assert [column.name for column in changed] == ["age", "name"]
    assert changed["age"] == Column("age", Role.QUASI_IDENTIFIER, Grid.between(0, 99), Flat(), missing=True)
    assert changed.with_column("age", missing=False)["age"].missing is False
    assert schema["age"] == Column("age", Role.QUASI_IDENTIFIER)


def test_a_column_says_nothing_unless_told():
    assert Schema().with_column("x")["x"] == Column("x", Role.INSENSITIVE)


def test_columns_are_found_by_role_in_order():
    schema = Schema(
        (Column("a", Role.SENSITIVE), Column("b"), Column("c", Role.SENSITIVE), Column("d", Role.IDENTIFIER))
    )
    assert schema.names(Role.SENSITIVE) == ("a", "c")
    assert schema.names(Role.IDENTIFIER, Role.INSENSITIVE) == ("b", "d")
    assert schema.names() == ()


def test_an_unknown_column_is_refused_with_those_there_are_and_the_nearest():
    schema = Schema((Column("age"), Column("income")))
    with pytest.raises(SchemaError, match=r"no column 'incom'; the schema has 'age', 'income'\. Did you mean 'inc"):
        schema["incom"]
    with pytest.raises(SchemaError, match=r"no column 'zzz'; the schema has 'age', 'income'\.$"):
        schema["zzz"]


def test_a_column_is_declared_if_all_its_values_are():
    paths = Paths((("a", "*"), ("b", "*")))
    seen = Categorical(("a",), origin=Origin.OBSERVED)
    assert Column("x", domain=Categorical(("a",))).is_declared
    assert Column("x", Role.SENSITIVE, hierarchy=paths).is_declared
    assert not Column("x", Role.SENSITIVE, hierarchy=paths, observed=True).is_declared
    assert not Column("x", Role.SENSITIVE, domain=seen, hierarchy=paths).is_declared
    assert not Column("x", Role.SENSITIVE, hierarchy=Flat()).is_declared
    assert not Column("x").is_declared


def test_a_column_that_stands_twice_is_refused():
    with pytest.raises(SchemaError, match="a column stands twice in the schema: 'a', 'a'"):
        Schema((Column("a"), Column("b"), Column("a")))


@pytest.mark.parametrize("role", Role.to_declare())
def test_roles_go_by_their_names(role):
    assert role_named(role.value) is role_named(role) is role
    assert role.is_counted == (role in {Role.QUASI_IDENTIFIER, Role.SENSITIVE})


def test_an_unknown_role_is_refused_with_the_nearest():
    with pytest.raises(SchemaError, match=r"'sensitiv' is not a role; expected one of .*\. Did you mean 'sensitive'\?"):
        Schema().with_column("x", role="sensitiv")


@pytest.mark.parametrize("role", [Role.IDENTIFIER, Role.INSENSITIVE])
def test_a_hierarchy_on_a_column_that_is_not_counted_is_refused(role):
    with pytest.raises(SchemaError, match="column 'x': a hierarchy is of no use with the role"):
        Column("x", role, hierarchy=Flat())
    with pytest.raises(SchemaError, match="of no use"):
        Schema().with_column("x", role=role, hierarchy=Flat())


@pytest.mark.parametrize(
    ("short", "domain"),
    [
        ((0, 9), Grid.between(0, 9)),
        ((0, 1, 0.25), Grid.between(0, 1, "0.25")),
        ((dt.date(2020, 1, 1), dt.date(2020, 2, 1)), Dates(dt.date(2020, 1, 1), dt.date(2020, 2, 1))),
        ((dt.datetime(2020, 1, 1), dt.datetime(2020, 2, 1)), Dates(dt.date(2020, 1, 1), dt.date(2020, 2, 1))),  # noqa: DTZ001
        (["b", "a"], Categorical(("b", "a"))),
        ([1, 2], Categorical(("1", "2"))),
        (Categorical(("x",), ordered=True), Categorical(("x",), ordered=True)),
    ],
)
def test_domains_have_short_forms(short, domain):
    assert declared_domain(short) == domain
    assert declared_domain(short).origin is Origin.DECLARED


@pytest.mark.parametrize("short", [("a", "b"), (1,), (1, 2, 3, 4), (dt.date(2020, 1, 1), 5)])
def test_a_tuple_that_is_no_range_is_refused(short):
    with pytest.raises(SchemaError, match=r"a domain given as a tuple is \(from, to\) or \(from, to, step\)"):
        declared_domain(short)


# What the owner declared


def test_a_hierarchy_that_names_its_values_declares_the_domain():
    paths = Paths((("a", "*"), ("b", "*")))
    assert declared(Column("x", Role.SENSITIVE, hierarchy=paths), ()) == Categorical(("a", "b"))
    observed = declared(Column("x", Role.SENSITIVE, hierarchy=paths, observed=True), ())
    assert observed == Categorical(("a", "b"), origin=Origin.OBSERVED)
    assert declared(Column("x", Role.SENSITIVE, hierarchy=Flat()), ()) is None
    assert declared(Column("x"), ()) is None


def test_a_declared_domain_outranks_that_of_the_hierarchy():
    column = Column("x", Role.SENSITIVE, Categorical(("b",)), Paths((("a", "*"), ("b", "*"))))
    assert declared(column, ()) == Categorical(("b",))


def test_a_token_for_missing_values_among_the_categories_is_the_missing_one():
    column = Column("x", Role.SENSITIVE, Categorical(("a", "?", "b")))
    assert declared(column, ("?", "NA")).missing == 1
    assert declared(column, ("NA",)).missing is None
    assert declared(Column("x", domain=Categorical(("a", "?"), missing=0)), ("?",)).missing == 0


def test_missing_values_get_a_place_where_the_owner_allows_them():
    assert declared(Column("x", domain=Grid.between(0, 9), missing=True), ()).missing == 10
    assert declared(Column("x", domain=Categorical(("a",)), missing=True), ()).values == ("a", "missing")
    assert declared(Column("x", domain=Categorical(("a", "?")), missing=True), ("?",)).values == ("a", "?")


def test_a_declared_domain_without_a_value_is_refused_unless_all_are_missing():
    with pytest.raises(SchemaError, match="'town': its domain lists no value"):
        Column("town", Role.SENSITIVE, Categorical(()))
    assert Column("town", Role.SENSITIVE, Categorical(()), missing=True).domain == Categorical(())
    assert Column("town", Role.SENSITIVE, Categorical((), origin=Origin.OBSERVED)).domain.size == 0


def test_settling_builds_the_hierarchy_and_orders_the_domain_by_it():
    rows = (("b", "B", "*"), ("a", "A", "*"), ("c", "B", "*"))
    attribute = settle(Column("x", Role.QUASI_IDENTIFIER, hierarchy=Paths(rows)), Categorical(("a", "b", "c")), "type")
    assert attribute.domain.values == ("b", "c", "a")
    assert attribute.source_type == "type"
    assert attribute.labels(attribute.hierarchy.up[1]) == ["B", "B", "A"]
    plain = settle(Column("x", Role.QUASI_IDENTIFIER), Categorical(("a", "b"), ordered=True))
    assert plain.hierarchy.height == Balanced(fanout=2).build(plain.domain, "x")[1].height


# What the data suggest


@given(st.lists(st.integers(-400, 400), min_size=1, max_size=30, unique=True), st.integers(0, 3), st.booleans())
@examples(80)
def test_numbers_lie_on_the_coarsest_decimal_grid_that_holds_them(numbers, places, has_missing):
    decimals = [Decimal(number).scaleb(-places) for number in numbers]
    domain = observed_domain([f"{number:f}" for number in decimals], has_missing=has_missing)
    assert isinstance(domain, Grid)
    labels = [Decimal(label) for label in domain.labels(range(domain.steps + 1))]
    assert (labels[0], labels[-1]) == (min(decimals), max(decimals))
    assert set(decimals) <= set(labels)
    assert domain.has_missing == has_missing
    assert domain.origin is Origin.OBSERVED


def test_whole_numbers_have_steps_of_one_and_decimals_steps_of_their_last_digit():
    assert observed_domain(["10", "30"], has_missing=False) == Grid.between(10, 30, origin=Origin.OBSERVED)
    assert observed_domain(["0.5", "-1.25", "3"], has_missing=False) == Grid.between(
        "-1.25", 3, "0.01", origin=Origin.OBSERVED
    )


@pytest.mark.parametrize(
    "labels",
    [
        ["00501", "10001"],
        ["007", "8"],
        ["1", "2", "x"],
        ["1e3", "2e3"],
        ["1,5", "2,5"],
        ["", "1"],
        ["1 ", "2"],
        ["nan", "1"],
        [".5", "1"],
        ["5.", "1"],
        ["2020-01-01", "2020-1-2"],
        ["2020-02-30", "2020-02-01"],
        ["2020-01-01", "5"],
    ],
)
def test_codes_with_leading_zeros_and_what_only_looks_like_numbers_or_dates_are_categories(labels):
    domain = observed_domain(labels, has_missing=False)
    assert domain == Categorical(tuple(sorted(labels)), origin=Origin.OBSERVED)


@given(st.lists(st.dates(dt.date(1900, 1, 1), dt.date(2100, 1, 1)), min_size=1, max_size=9, unique=True), st.booleans())
@examples(40)
def test_days_become_dates(days, has_missing):
    domain = observed_domain([day.isoformat() for day in days], has_missing=has_missing)
    assert domain == Dates(min(days), max(days), has_missing=has_missing, origin=Origin.OBSERVED)


def test_a_column_of_missing_values_has_one_category():
    assert observed_domain([], has_missing=True).values == ("missing",)


def test_categories_with_missing_values_have_a_place_for_them_at_the_end():
    domain = observed_domain(["b", "a"], has_missing=True)
    assert domain == Categorical(("a", "b", "missing"), missing=2, origin=Origin.OBSERVED)


def test_numbers_beyond_64_bits_are_categories_or_refused_in_a_sentence():
    """Such as account numbers of twenty digits that lie close together."""
    labels = [str(10**20 + i) for i in (1, 7, 25)]
    try:
        domain = observed_domain(labels, has_missing=False)
    except SchemaError:
        return
    attribute = settle(Column("x", Role.QUASI_IDENTIFIER), domain)
    assert set(labels) <= set(attribute.domain.labels(range(attribute.domain.size)))


def test_numbers_that_no_grid_holds_are_those_seen_in_their_order():
    labels = ["10234567.8", "1234567.8", "-0.000000000000001", "3"]
    domain = observed_domain(labels, has_missing=True)
    assert domain == Categorical(
        ("-0.000000000000001", "3", "1234567.8", "10234567.8", "missing"),
        ordered=True,
        missing=4,
        origin=Origin.OBSERVED,
    )


def test_lists_in_messages_are_short():
    assert listed(["a", "b"]) == "'a', 'b'"
    assert listed("abcdefg") == "'a', 'b', 'c' and 4 more"
    assert listed(range(2000), 1) == "0 and 1,999 more"


def test_the_nearest_word_is_suggested_only_when_it_is_near():
    assert nearest("epsilonn", ["epsilon", "k"]) == " Did you mean 'epsilon'?"
    assert nearest("zzz", ["epsilon", "k"]) == ""


def test_a_person_is_a_row_or_a_column():
    made = Schema().with_column("age", role="quasi-identifier")
    assert made.person is None
    affirmed = made.with_person("row").with_column("town").with_column("age", role="sensitive")
    assert affirmed.person == "row"
    assert affirmed.columns == made.with_column("town").with_column("age", role="sensitive").columns
    assert affirmed.with_person(None).person is None
    for wrong in (1, True):
        with pytest.raises(ParameterError, match="person must be a text"):
            made.with_person(wrong)
    with pytest.raises(SchemaError, match="person is 'age', a column with the role 'quasi-identifier'"):
        made.with_person("age")
    with pytest.raises(SchemaError, match="person is empty"):
        made.with_person("")
    named = made.with_person("subject")
    assert named["subject"].role is Role.PERSON
    assert named.unit is Unit.PERSON
    assert named.unit_column == "subject"
    assert named == made.with_column("subject", role="person")
    assert named == made.with_column("subject", role="identifier").with_person("subject")
    assert named.with_person("row").unit is Unit.RECORD
    assert named.with_person("row")["subject"].role is Role.IDENTIFIER
    with pytest.raises(SchemaError, match="say the same in both places"):
        Schema((Column("subject", "person"), Column("other")), person="other")
    with pytest.raises(SchemaError, match="which one column can have"):
        named.with_column("other", role="person")
    with pytest.raises(SchemaError, match="give the column another name"):
        affirmed.with_column("row")


def test_households_are_protected_on_request_and_records_counted_of_somebody():
    made = Schema(person="id", household="home")
    assert made.unit is Unit.PERSON
    assert made["home"].role is Role.HOUSEHOLD
    asked = replace(made, protect="household", max_records=2)
    assert asked.unit is Unit.HOUSEHOLD
    assert asked.unit_column == "home"
    with pytest.raises(SchemaError, match="no column tells them apart"):
        Schema(person="id", protect="household")
    with pytest.raises(SchemaError, match='expected "person" or "household"'):
        Schema(person="id", protect="record")
    with pytest.raises(SchemaError, match="no column tells persons apart"):
        Schema(person="row", max_records=1)
    with pytest.raises(ParameterError, match="max_records"):
        Schema(person="id", max_records=0)


def test_a_schema_is_printed_as_a_line_for_each_column():
    schema = Schema(person="row").with_column("age", role="quasi-identifier", domain=(0, 99)).with_column("town")
    assert str(schema).splitlines() == [
        "2 columns; each record is another person.",
        "column  role              domain                   hierarchy  missing values",
        "age     quasi-identifier  0 to 99 (declared)",
        "town    insensitive       as observed in the data",
    ]
