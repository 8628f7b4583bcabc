import csv
import gzip
import io
import time

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import shoal
from shoal.cli.main import app
from shoal.data.domain import Categorical, Grid, Origin
from shoal.data.hierarchies.hierarchy import ANY
from shoal.data.hierarchies.paths import Paths, Prefixes
from shoal.data.hierarchies.standards.catalog import catalog, table_file
from shoal.data.hierarchies.standards.showing import drawn, hierarchy_rows
from shoal.data.hierarchies.standards.standard import Standard
from shoal.data.hierarchies.standards.tables import code_of, code_table
from shoal.errors import HierarchyError, PlanError
from shoal.plan.columns import parse_column

LISTS = [name for name, entry in catalog().items() if entry.codes is not None]


def labels(domain, hierarchy):
    return [*domain.labels(range(domain.size)), *hierarchy.inner_labels]


@pytest.mark.parametrize(
    ("name", "sizes"),
    [  # what the classifications themselves say of their size
        ("nace2", [615, 272, 88, 21, 1]),
        ("nace21", [651, 287, 87, 22, 1]),
        ("isic4", [419, 238, 88, 21, 1]),
        ("isic5", [463, 258, 87, 22, 1]),
        ("naics2022", [1012, 689, 308, 96, 20, 1]),
        ("us-state", [56, 10, 5, 1]),
        ("country-alpha2", [249, 23, 18, 6, 1]),
        ("isced2011", [9, 3, 1]),
        ("age", [121, 19, 10, 5, 1]),
    ],
)
def test_a_list_has_as_many_codes_on_each_level_as_its_classification(name, sizes):
    standard = Standard(name)
    _, hierarchy = standard.build(standard.leaves(), "x")
    assert [level.size for level in hierarchy.levels] == sizes
    assert standard.entry.codes == sizes[0]
    assert len(standard.entry.levels) == hierarchy.height


@pytest.mark.parametrize("name", [name for name in LISTS if name != "zip"])
def test_no_two_nodes_of_a_list_are_called_the_same(name):
    standard = Standard(name)
    called = labels(*standard.build(standard.leaves(), "x"))
    assert len(set(called)) == len(called)


@pytest.mark.parametrize(
    ("name", "value", "path"),
    [
        ("icd10cm", "E11.9", ["E11.9", "E11.9", "E11.-", "E08-E13", "E00-E89 endocrine and metabolic", "*"]),
        ("icd10cm", "S72.001A", ["S72.001A", "S72.0-", "S72.-", "S70-S79", "S00-T88 injury and poisoning", "*"]),
        ("icd10cm", "C7A.00", ["C7A.00", "C7A.0-", "C7A.-", "C7A.-", "C00-D49 neoplasms", "*"]),
        ("icd10cm", "C4A.9", ["C4A.9", "C4A.9", "C4A.-", "C43-C44", "C00-D49 neoplasms", "*"]),
        ("icd10cm", "I10", ["I10", "I10", "I10", "I10-I1A", "I00-I99 circulatory", "*"]),
        ("country-alpha2", "TW", ["TW", "Eastern Asia", "Eastern Asia", "Asia", "*"]),
        ("country-alpha3", "KEN", ["KEN", "Eastern Africa", "Sub-Saharan Africa", "Africa", "*"]),
        ("country-name", "South Korea", ["South Korea", "Eastern Asia", "Eastern Asia", "Asia", "*"]),
        ("us-state-name", "Texas", ["Texas", "West South Central", "South", "*"]),
        ("us-state-fips", "06", ["06", "Pacific", "West", "*"]),
        ("naics2022", "325411", ["325411", "32541", "3254", "325", "31-33 manufacturing", "*"]),
        ("zip", "90210", ["90210", "902**", "9****", "*"]),
        ("age", "89", ["89", "85-89", "80-89", "80+", "*"]),
        ("age", "97", ["97", "90+", "90+", "80+", "*"]),
    ],
)
def test_a_value_becomes_what_the_classification_says(name, value, path):
    rows = {row[0]: row for row in hierarchy_rows(Standard(name))}
    assert list(rows[value]) == path


@pytest.mark.parametrize(
    ("name", "domain", "kept"),
    [
        ("atc", ("A10BA02", "C07AB02"), (5, 4, 3, 1)),
        ("isco08", ("2211", "5223"), (3, 2, 1)),
        ("nuts", ("DE212", "FR101"), (4, 3, 2)),
        ("soc2018", ("29-1141", "53-3032"), (6, 4, 2)),
    ],
)
def test_codes_that_are_built_from_the_left_are_cut_where_their_levels_end(name, domain, kept):
    assert Standard(name).leaves() is None
    made, hierarchy = Standard(name).build(Categorical(domain), "x")
    same, expected = Prefixes(kept).build(Categorical(domain), "x")
    assert (made, list(hierarchy.inner_labels)) == (same, list(expected.inner_labels))


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_any_part_of_a_list_is_the_tree_that_its_rows_make(data):
    name = data.draw(st.sampled_from(["nace2", "country-name", "icd10cm"]))
    level = data.draw(st.sampled_from([None, catalog()[name].levels[1]]))
    standard = Standard(name, level)
    table = code_table(name, level or "")
    places = data.draw(st.lists(st.integers(0, len(table.values) - 1), min_size=1, max_size=12, unique=True))
    domain = Categorical(tuple(table.values[place] for place in places))
    if data.draw(st.booleans()):
        domain = domain.with_missing()
    made, hierarchy = standard.build(domain, "x")
    rows = Paths(table.rows(sorted(places)))
    expected_domain, expected = rows.build(domain, "x")
    path = {value: [labels(made, hierarchy)[n] for n in hierarchy.up[:, i]] for i, value in enumerate(made.values)}
    assert path == {
        value: [labels(expected_domain, expected)[n] for n in expected.up[:, i]]
        for i, value in enumerate(expected_domain.values)
    }
    assert made.values[: len(places)] == tuple(table.values[place] for place in sorted(places))
    assert (np.diff(hierarchy.levels[1].codes.astype(int)) >= 0).all()


def test_a_list_is_declared_and_one_of_a_hundred_thousand_codes_is_cheap():
    started = time.process_time()
    domain = Standard("icd10cm").leaves()
    assert domain.origin is Origin.DECLARED
    assert domain.size > 98_000
    Standard("icd10cm").build(domain.with_missing(), "x")
    assert time.process_time() - started < 2  # a third of a second, on a busy machine too


def test_a_column_may_have_a_coarser_level_or_codes_without_dots():
    assert Standard("icd10cm", "category").leaves().values[:2] == ("A00", "A01")
    assert Standard("nace2", "section").leaves().values == tuple("ABCDEFGHIJKLMNOPQRSTU")
    assert "31-33" in Standard("naics2022", "sector").leaves().values
    assert "E119" in Standard("icd10cm", dots=False).leaves().values
    assert code_of("Western Europe") == "Western Europe"


def test_what_is_not_there_is_said_with_what_is():
    with pytest.raises(HierarchyError, match=r"'icd10' is not a standard hierarchy.*Did you mean 'icd10cm'"):
        Standard("icd10")
    with pytest.raises(HierarchyError, match=r"'divisoin' is not a level.*Did you mean 'division'"):
        Standard("nace2", "divisoin")
    with pytest.raises(HierarchyError, match="it is a rule"):
        Standard("atc", "substance")
    with pytest.raises(HierarchyError, match=r"covers 1 of 2 declared values; missing 'XX'"):
        Standard("country-alpha2").build(Categorical(("DE", "XX")), "land")
    with pytest.raises(HierarchyError, match="ages are numbers from 0 on"):
        Standard("age").build(Grid.between(-1, 5), "age")


def test_a_release_file_names_a_standard(tmp_path):
    def parse(**said):
        return parse_column("d", {"role": "quasi-identifier", "hierarchy": said}, tmp_path, "r.toml").hierarchy

    assert parse(standard="icd10cm") == shoal.standard("icd10cm")
    assert parse(standard="icd10cm", level="category", dots=False) == Standard("icd10cm", "category", dots=False)
    with pytest.raises(PlanError, match="'levels' is not known here"):
        parse(standard="icd10cm", levels="category")
    with pytest.raises(HierarchyError, match="not a standard hierarchy"):
        parse(standard="x")


def test_a_standard_serves_a_private_method_and_values_off_the_list_count_as_missing():
    countries = ["DE", "FR", "KE", "US", "nowhere"] * 40
    frame = pa.table({"country": countries, "paid": ["yes", "no"] * 100})
    schema = (
        shoal.Schema(person="row")
        .with_column("country", role="quasi-identifier", hierarchy=shoal.standard("country-alpha2"))
        .with_column("paid", role="sensitive", domain=["yes", "no"])
    )
    method = shoal.DiffGen(epsilon=5.0, specializations=3, target="paid")
    release = method.anonymize(frame, schema)
    table = Standard("country-alpha2").build(Standard("country-alpha2").leaves().with_missing(), "x")
    assert set(release.data["country"].to_pylist()) <= {*labels(*table), None}
    assert "nowhere" not in set(release.data["country"].to_pylist())


@pytest.mark.parametrize("name", catalog())
def test_every_hierarchy_says_where_it_comes_from_and_can_be_drawn(name):
    entry = catalog()[name]
    assert entry.source
    assert entry.license
    if name not in ("icd10cm", "zip"):
        lines = drawn(Standard(name))
        assert lines[0] == ANY
        assert any("└── " in line for line in lines)


def test_the_tables_are_small():
    sizes = [len(table_file(f"{name}.txt.gz").read_bytes()) for name in LISTS if name not in ("zip", "age")]
    assert sum(sizes) < 300_000
    text = gzip.decompress(table_file("us-state.txt.gz").read_bytes()).decode()
    assert text.startswith("\t\tNortheast\n\tNew England\nCT\n")


def run(*arguments):
    return CliRunner().invoke(app, list(arguments))


def test_the_command_lists_draws_and_exports(tmp_path):
    listed = run("hierarchies")
    assert listed.exit_code == 0
    assert all(name in listed.output for name in catalog())
    shown = run("hierarchies", "nace2", "--level", "division")
    assert "A farming, forestry, fishing (3)" in shown.output
    assert 'hierarchy = { standard = "nace2", level = "division" }' in shown.output
    target = tmp_path / "states.csv"
    assert run("hierarchies", "us-state", "--csv", "-o", str(target)).exit_code == 0
    assert shoal.from_csv(target).rows == hierarchy_rows(Standard("us-state"))
    assert list(csv.reader(io.StringIO(run("hierarchies", "us-state", "--csv").output)))[1][:2] == ["CT", "New England"]
    assert run("hierarchies", "us-state", "--csv", "-o", str(target)).exit_code == 1
    assert run("hierarchies", "nuts", "--csv").exit_code in (1, 2)
    assert run("hierarchies", "--csv").exit_code == 2
    assert run("hierarchies", "us-state", "-o", "x").exit_code == 2
    assert "icd10cm" in run("hierarchies", "--json").output
