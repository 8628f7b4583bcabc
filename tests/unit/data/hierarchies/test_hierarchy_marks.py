"""A hierarchy file says itself that its values were seen in the data, until the owner has changed or confirmed them."""

import pytest

import shoal
from shoal.data.domain import Origin
from shoal.data.hierarchies.files import confirmed_text, from_csv
from shoal.data.hierarchies.marks import Mark, marked
from shoal.errors import HierarchyError, SchemaError

VALUES = ("Ulm", "Bonn", "Köln")
ROWS = "Ulm,south,*\nBonn,west,*\nKöln,west,*\n"


@pytest.fixture
def file(tmp_path):
    def write(rows=ROWS, mark=Mark.SEEN, values=VALUES, header=None):
        path = tmp_path / "town.csv"
        first = marked(values, mark) if header is None else header
        path.write_text(f"{first},level1,level2\n{rows}", encoding="utf-8")
        return path

    return write


def private_on(path, **column):
    schema = shoal.Schema(person="row").with_column(
        "town", role="quasi-identifier", hierarchy=shoal.from_csv(path), **column
    )
    return shoal.SafePub(epsilon=1, delta=1e-5).counted(schema)


def test_values_seen_in_the_data_are_not_declared(file):
    assert from_csv(file()).leaves().origin is Origin.OBSERVED
    for column in ({}, {"domain": list(VALUES)}):
        with pytest.raises(
            SchemaError, match=r"the values of 'town' in .*town.csv were seen in the data.*shoal declare"
        ):
            private_on(file(), **column)


def test_confirmed_values_are_declared(file):
    path = file()
    rows = from_csv(path).rows
    path.write_text(confirmed_text(path), encoding="utf-8")
    assert from_csv(path).mark is Mark.CONFIRMED
    assert from_csv(path).leaves().origin is Origin.DECLARED
    assert from_csv(path).rows == rows
    assert private_on(path) == ("town",)


@pytest.mark.parametrize("mark", [Mark.SEEN, Mark.CONFIRMED])
@pytest.mark.parametrize("rows", [f"{ROWS}Mainz,west,*\n", "Ulm,south,*\nBonn,west,*\n", ROWS.replace("Ulm", "Aalen")])
def test_other_values_are_the_owners(file, rows, mark):
    assert from_csv(file(rows, mark)).mark is Mark.EDITED
    assert private_on(file(rows, mark)) == ("town",)


@pytest.mark.parametrize(
    "rows",
    [
        ROWS.replace("west", "near the Rhine"),
        "Köln,west,*\nUlm,south,*\nBonn,west,*\n",
        ROWS.replace("Ulm", '"Ulm"'),
        "\n" + ROWS.replace("\n", "\r\n"),
    ],
)
def test_the_same_values_grouped_sorted_or_written_otherwise_are_still_those_of_the_data(file, rows):
    assert from_csv(file(rows)).mark is Mark.SEEN


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
def test_a_spreadsheet_may_save_it_with_another_delimiter(file, delimiter):
    path = file()
    path.write_text("\ufeff" + path.read_text(encoding="utf-8").replace(",", delimiter), encoding="utf-8")
    assert from_csv(path).mark is Mark.SEEN
    path.write_text(confirmed_text(path), encoding="utf-8")
    assert from_csv(path).mark is Mark.CONFIRMED


@pytest.mark.parametrize("header", ["level0 (values seen in the data: 12)", "level0 (values", "level0 (values: ok)"])
def test_a_damaged_mark_is_refused(file, header):
    with pytest.raises(HierarchyError, match="cannot be understood"):
        from_csv(file(header=header))


def test_a_plain_header_says_nothing(file):
    assert from_csv(file(header="level0")).mark is Mark.NONE


def test_groups_made_from_the_data_are_declared_by_confirming_them_and_by_nothing_else(file):
    path = file()
    first = path.read_text(encoding="utf-8").replace(",level1,", ",level1 (groups made from the data),")
    path.write_text(first.replace("Ulm", "Aalen"), encoding="utf-8")  # other values, and still groups by frequency
    assert from_csv(path).mark is Mark.SEEN
    path.write_text(confirmed_text(path), encoding="utf-8")
    assert "level1 (groups confirmed by the owner)" in path.read_text(encoding="utf-8")
    assert from_csv(path).leaves().origin is Origin.DECLARED
    path.write_text(first, encoding="utf-8")
    path.write_text(confirmed_text(path), encoding="utf-8")
    assert from_csv(path).mark is Mark.CONFIRMED
    assert private_on(path) == ("town",)
