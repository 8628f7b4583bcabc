"""Published files read back mean what was published."""

import datetime as dt
from collections import Counter

import cases
import numpy as np
import people
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import attribute_of

import shoal
from shoal.attacks.nearest import recoded_alike
from shoal.data.domain import Categorical, Dates, Grid
from shoal.data.hierarchies.build import Flat, Intervals
from shoal.data.hierarchies.paths import Paths
from shoal.data.schema import Role
from shoal.data.shown import Distributions, Spans, ValueSets, texts
from shoal.engines.codes.meanings import Meanings
from shoal.engines.codes.reading_back import read_back
from shoal.engines.codes.row_codes import UNKNOWN, row_codes
from shoal.engines.local import LocalEngine
from shoal.engines.reading.source import TableSource, frame_source, open_source
from shoal.errors import DataError
from shoal.evaluate.posterior import spreads
from shoal.pipeline import encoded

ALL = [pytest.param(case, id=f"{name}-{i}") for name, some in cases.CASES.items() for i, case in enumerate(some)]


def meant(outcome):
    """Every published record, column by column the chance of each value, and how many there are."""
    columns = []
    for name, by_code in spreads(outcome).items():
        leaves = range(outcome.table[name].domain.size)
        chances = np.column_stack([by_code.within(leaf, leaf) for leaf in leaves]).round(6)
        columns.append(chances[outcome.published.column(name)])
    found = Counter()
    for row, size in enumerate(outcome.published.sizes.tolist()):
        found[tuple(column[row].tobytes() for column in columns)] += size
    return found


def table_of(case, frame, said):
    return encoded(LocalEngine(frame_source(frame)[0]), said, case.method)


@pytest.mark.parametrize("case", ALL)
def test_what_was_published_is_read_back_whatever_the_method_and_the_format(case, tmp_path):
    release = case.anonymize(cases.table())
    table = table_of(case, cases.table(), cases.schema())
    for ending in ("csv", "parquet"):
        path = tmp_path / f"data.{ending}"
        release.write_data(path)
        found = read_back(open_source(path), table, release.certificate.columns)
        assert meant(found) == meant(release.outcome)
        assert all(a.name in found.shown for a in found.table.attributes if a.role is not Role.SENSITIVE)
        assert [a.role for a in found.table.attributes] == [a.role for a in release.outcome.table.attributes]
        levels = getattr(release.outcome.recoding, "levels", None)
        assert (found.recoding is None) == (levels is None)
        if found.recoding is not None:
            for attribute in found.table.quasi_identifiers:
                ours, theirs = (o.recoding.lookup(attribute) for o in (found, release.outcome))
                np.testing.assert_array_equal(ours.codes, theirs.codes)
            _, there, kept = recoded_alike(found)
            assert (kept <= there).all()


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("method", [shoal.OptimalLattice(k=3), shoal.Mondrian(k=3), shoal.LocalRecoding(k=2)])
def test_days_truth_values_fractions_and_observed_domains_are_read_back(method, ending, tmp_path):
    frame = pa.Table.from_pylist([dict(zip(people.NAMES, row, strict=True)) for row in people.rows()])
    release = method.anonymize(frame, people.schema())
    table = encoded(LocalEngine(frame_source(frame)[0]), people.schema(), method)
    release.write_data(tmp_path / f"data.{ending}")
    found = read_back(open_source(tmp_path / f"data.{ending}"), table, release.certificate.columns)
    assert meant(found) == meant(release.outcome)


AGE = attribute_of("age", Intervals((5, 10)), Grid.between(0, 42).with_missing())
DEPTH = attribute_of("depth", Intervals((1,)), Grid.between(-3, 3, 0.25))
DAY = attribute_of("day", Flat(), Dates(dt.date(2024, 1, 1), dt.date(2024, 3, 31)).with_missing())
TOWN = attribute_of("town", Flat(), Categorical(("Ulm", "Bonn", "Kiel", "Trier")).with_missing())


@given(st.sampled_from([AGE, DEPTH, DAY, TOWN]), st.data())
def test_a_range_is_read_as_the_values_it_was_written_for(attribute, data):
    ends = st.integers(0, attribute.domain.size - 1)
    first, last = sorted((data.draw(ends), data.draw(ends)))
    (text,) = texts(attribute, Spans(np.array([first]), np.array([last])))
    assert Meanings(attribute).of(text) == {range(first, last + 1)}


@given(st.sampled_from([AGE, DEPTH, DAY, TOWN]), st.data())
def test_a_set_is_read_as_the_values_it_was_written_for(attribute, data):
    members = sorted(data.draw(st.sets(st.integers(0, attribute.domain.size - 1), min_size=1, max_size=6)))
    (text,) = texts(attribute, ValueSets(np.array([0, len(members)]), np.array(members)))
    (found,) = Meanings(attribute).of(text)
    assert list(found) == members


def test_names_with_commas_and_to_in_them_are_understood_where_only_one_reading_is_possible():
    town = attribute_of("town", Flat(), Categorical(("a", "b, c", "d to e", "f"), ordered=True))
    assert Meanings(town).of("{a, b, c}") == {range(2)}
    assert Meanings(town).of("a to d to e") == {range(3)}
    assert Meanings(town).of("{b, c, f}") == {(1, 3)}
    assert Meanings(town).of("{a, c}") == set()
    unclear = attribute_of("town", Flat(), Categorical(("a", "b", "a, b", "c")))
    assert Meanings(unclear).of("{a, b, c}") == {(0, 1, 3), range(2, 4)}


def published(frame, table, columns):
    return read_back(TableSource(frame), table, columns)


@pytest.fixture
def lattice():
    release = shoal.OptimalLattice(k=5).anonymize(cases.table(), cases.schema())
    table = encoded(LocalEngine(frame_source(cases.table())[0]), cases.schema(), shoal.OptimalLattice(k=5))
    return release, table


def changed(frame, name, values):
    return frame.set_column(frame.column_names.index(name), name, pa.array(values))


def test_a_value_that_no_domain_holds_is_refused_and_not_shown(lattice):
    release, table = lattice
    strange = changed(release.data, "town", ["Atlantis"] * release.data.num_rows)
    with pytest.raises(DataError, match="column 'town': a published value is not in the domain") as refused:
        published(strange, table, release.certificate.columns)
    assert "Atlantis" not in str(refused.value)


def test_a_name_that_means_two_groups_is_refused_unless_the_level_tells_which():
    paths = (("Ulm", "x", "*"), ("Bonn", "x", "*"), ("Köln", "Köln", "*"), ("Trier", "Köln", "*"))
    towns = Paths(paths, "by hand")
    said = shoal.Schema().with_column("town", role="quasi-identifier", hierarchy=towns)
    frame = pa.table({"town": ["Ulm", "Bonn", "Köln", "Trier"]})
    table = encoded(LocalEngine(frame_source(frame)[0]), said, shoal.Mondrian(k=2))
    written = pa.table({"town": ["x", "Köln"]})
    with pytest.raises(DataError, match="several ways"):
        published(written, table, [{"name": "town", "role": "quasi-identifier"}])
    found = published(written, table, [{"name": "town", "role": "quasi-identifier", "level": 1}])
    assert found.published.sizes.tolist() == [1, 1]


@pytest.mark.parametrize("said", [{}, {"role": "king"}, {"level": 99}, {"level": "high"}])
def test_a_certificate_that_does_not_fit_is_refused(lattice, said):
    release, table = lattice
    columns = [{"name": "age"}] if not said else [{**c, **said} for c in release.certificate.columns]
    with pytest.raises(DataError, match="belongs to another"):
        published(release.data, table, columns)


def test_a_table_without_a_column_is_refused(lattice):
    release, table = lattice
    with pytest.raises(DataError, match="has no column 'town'"):
        published(release.data.drop_columns(["town"]), table, release.certificate.columns)


def test_shares_become_counts_of_a_known_whole_or_of_the_least_one(lattice):
    release, table = lattice
    said = [{**c, "level": None} if c["name"] != "grade" else c for c in release.certificate.columns]
    shares = changed(release.data, "grade", ['{"mild": 0.5, "severe": 0.5}'] * release.data.num_rows)
    for whole, counts in {None: [1, 0, 1], 4: [2, 0, 2], 5: [1, 0, 1]}.items():
        found = read_back(TableSource(shares), table, said, whole=whole).shown["grade"]
        assert isinstance(found, Distributions)
        assert found.shares.tolist() == [counts]
    broken = changed(release.data, "grade", ['{"mild": 0.5, "severe": 0.6}'] * release.data.num_rows)
    with pytest.raises(DataError, match="do not add up to 1"):
        read_back(TableSource(broken), table, said)


def test_other_people_get_the_codes_of_the_table_and_strange_values_none(lattice):
    _, table = lattice
    others = pa.table({"age": [3, 99], "town": ["Bonn", None], "grade": ["mild", "severe"], "more": [1, 2]})
    codes = row_codes(TableSource(others), table, ("age", "town"), ("",))
    assert codes["age"].tolist() == [3, UNKNOWN]
    assert codes["town"][1] == table["town"].domain.missing
    with pytest.raises(DataError, match="has no column 'grade'"):
        row_codes(TableSource(others.drop_columns(["grade"])), table, ("grade",), ())


def test_a_release_without_records_is_read_back_too(lattice):
    release, table = lattice
    found = published(release.data.slice(0, 0), table, release.certificate.columns)
    assert found.published.kept == 0
