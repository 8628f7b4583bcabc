"""Somebody edits a published release: `shoal check` finds it out, or says that it cannot know."""

import csv
import shutil

import cases
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from release_folders import certificate_of, told_again, with_certificate, write_release

import shoal
from shoal.errors import DataError
from shoal.plan.plan import METHODS
from shoal.promises import signing
from shoal.promises.checking import check_release
from shoal.promises.checking.check import UNSIGNED


@pytest.fixture(scope="module")
def keys(tmp_path_factory):
    """Two pairs of keys."""
    folder = tmp_path_factory.mktemp("keys")
    for name in ("office", "other"):
        signing.new_key(folder / name)
    return folder


@pytest.fixture(scope="module")
def signed(tmp_path_factory, keys):
    """An honest and signed release of each method, as `shoal run` writes it; made once, and copied."""
    made = {}

    def release(name, form, where):
        if (name, form) not in made:
            folder = tmp_path_factory.mktemp("honest")
            method = cases.CASES[name][0].method
            key = signing.private_key(keys / "office")
            write_release(method.anonymize(cases.table(), cases.schema()), folder, form, groups=True, key=key)
            made[name, form] = folder
        return shutil.copytree(made[name, form], where / "release")

    return release


def data_of(folder):
    """The published table."""
    return next(path for path in folder.iterdir() if path.name.startswith("data."))


def change_rows(path, change):
    """Change the records of a file in place: lists of texts in CSV, of values in Parquet."""
    if path.suffix == ".csv":
        with path.open(newline="", encoding="utf-8") as file:
            names, *rows = csv.reader(file)
        rows = change(rows)
        with path.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([names, *rows])
        return
    table = pq.read_table(path)
    rows = change([list(row.values()) for row in table.to_pylist()])
    made = [dict(zip(table.column_names, row, strict=True)) for row in rows]
    pq.write_table(pa.Table.from_pylist(made, table.schema), path)


def edit_a_cell(folder):
    def exchange(rows):
        cell, other = next((i, row) for i in range(len(rows[0])) for row in rows if row[i] != rows[0][i])
        rows[0][cell] = other[cell]
        return rows

    change_rows(data_of(folder), exchange)


def drop_a_row(folder):
    change_rows(data_of(folder), lambda rows: rows[1:])


def repeat_a_row(folder):
    change_rows(data_of(folder), lambda rows: [rows[0], *rows])


def drop_a_row_and_say_so(folder):
    drop_a_row(folder)
    with_certificate(folder, lambda said: said.update(records=said["records"] - 1))


def edit_a_count(folder):
    def more(rows):
        rows[0][-1] = type(rows[0][-1])(int(rows[0][-1]) + 1)
        return rows

    change_rows(folder / f"groups{data_of(folder).suffix}", more)


def drop_a_group(folder):
    change_rows(folder / f"groups{data_of(folder).suffix}", lambda rows: rows[1:])


def take_groups_out(folder):
    (folder / f"groups{data_of(folder).suffix}").unlink()


def add_a_file(folder):
    (folder / "names.csv").write_text("name\nAlice\n")


def add_a_folder(folder):
    (folder / "more").mkdir()


def add_a_hidden_file(folder):
    (folder / ".names").write_text("Alice\n")


def edit_the_note(folder):
    path = folder / "README.md"
    path.write_text(path.read_text(encoding="utf-8").replace("records", "happy records"), encoding="utf-8")


def edit_a_digest(folder):
    with_certificate(folder, lambda said: said["files"].update({"README.md": "sha256:" + "0" * 64}))


def all_insensitive(folder):
    with_certificate(folder, lambda said: [column.update(role="insensitive") for column in said["columns"]])


def one_insensitive(folder):
    with_certificate(folder, lambda said: said["columns"][0].update(role="insensitive"))


def one_noisy(folder):
    def noisy(said):
        column = next(column for column in said["columns"] if column["role"] == "quasi-identifier")
        column["role"] = "perturbed"

    with_certificate(folder, noisy)


def a_column_less(folder):
    with_certificate(folder, lambda said: said["columns"].pop())


def a_column_twice(folder):
    with_certificate(folder, lambda said: said["columns"].append(said["columns"][0]))


def another_parameter(folder):
    def more(said):
        said = said["method"]["parameters"]
        said = said.get("anonymizer", said)  # of what promises nothing by itself
        key = next(key for key in ("k", "epsilon", "diversity") if key in said)
        said[key] = 77

    with_certificate(folder, more)


def another_method(folder):
    def other(said):
        said["method"]["name"] = "mdav" if said["method"]["name"] != "mdav" else "ola"

    with_certificate(folder, other)


def another_promise(folder):
    with_certificate(folder, lambda said: said["guarantees"][0].update(statement="nobody can ever be found"))


def a_promise_more(folder):
    more = {"statement": "0.001-DP", "basis": "proved", "neighbors": None, "assumptions": []}
    with_certificate(folder, lambda said: said["guarantees"].append(more))


def another_reading(folder):
    with_certificate(folder, lambda said: said.update(reading="Every record is true."))


def something_in_the_metadata(folder):
    path = data_of(folder)
    if path.suffix == ".csv":
        pytest.skip("CSV has none")
    pq.write_table(pq.read_table(path).replace_schema_metadata({"names": "Alice"}), path)


CARELESS = [
    *(edit_a_cell, drop_a_row, repeat_a_row, drop_a_row_and_say_so, edit_a_count, drop_a_group, take_groups_out),
    *(add_a_file, add_a_folder, add_a_hidden_file, edit_the_note, edit_a_digest),
]
"""Caught because the digests, the note or the folder are not as the certificate says."""

CAREFUL = [
    *(edit_a_cell, drop_a_row, repeat_a_row, drop_a_row_and_say_so, edit_a_count, drop_a_group, add_a_file),
    *(all_insensitive, one_insensitive, one_noisy, a_column_less, a_column_twice, another_parameter, another_method),
    *(another_promise, a_promise_more, another_reading, something_in_the_metadata),
]
"""Caught though digests and note were made again: the data, the groups and the certificate contradict each other."""

FORMS = [pytest.param(name, form, id=f"{name}-{form}") for name in METHODS for form in ("csv", "parquet")]


def is_refused(folder, **how):
    try:
        return not check_release(folder, **how).holds
    except DataError as error:
        assert "\n" not in str(error)  # noqa: PT017
        return True


@pytest.mark.parametrize(("name", "form"), FORMS)
def test_an_honest_release_passes_with_and_without_its_key(name, form, signed, keys, tmp_path):
    folder = signed(name, form, tmp_path)
    checked = check_release(folder, key=keys / "office.pub")
    assert checked.holds
    assert checked.signed_by == signing.fingerprint(signing.public_key(keys / "office.pub"))
    assert checked.notes == ()
    unsigned = check_release(folder)
    assert unsigned.holds
    assert unsigned.notes[-1] == UNSIGNED
    roles = {column["name"]: column["role"] for column in certificate_of(folder)["columns"]}
    assert set(checked.quasi_identifiers) == {name for name, role in roles.items() if role == "quasi-identifier"}
    assert set(checked.sensitive) == {name for name, role in roles.items() if role == "sensitive"}


@pytest.mark.parametrize(("name", "form"), FORMS)
def test_who_edits_a_release_is_found_out(name, form, signed, keys, tmp_path):
    passed = []
    for attack in CARELESS:
        folder = signed(name, form, tmp_path / attack.__name__)
        attack(folder)
        passed += [] if is_refused(folder) and is_refused(folder, key=keys / "office.pub") else [attack.__name__]
    assert passed == []


@pytest.mark.parametrize(("name", "form"), FORMS)
def test_who_edits_a_release_and_makes_its_digests_again_is_found_out_by_what_it_says(name, form, signed, tmp_path):
    passed = []
    for attack in CAREFUL:
        if attack is something_in_the_metadata and form == "csv":
            continue
        folder = signed(name, form, tmp_path / attack.__name__)
        attack(folder)
        told_again(folder)
        passed += [] if is_refused(folder) else [attack.__name__]
    assert passed == []


@pytest.mark.parametrize(("name", "form"), FORMS)
def test_a_forgery_without_a_contradiction_is_found_out_with_the_key_alone(name, form, signed, keys, tmp_path):
    folder = signed(name, form, tmp_path)
    with_certificate(folder, lambda said: said["findings"].append("an audit found nothing"))
    told_again(folder)
    checked = check_release(folder)
    assert checked.holds
    assert checked.notes[-1] == UNSIGNED
    with pytest.raises(DataError, match="is not signed with this key, or was changed since"):
        check_release(folder, key=keys / "office.pub")
    (folder / "certificate.sig").unlink()
    with pytest.raises(DataError, match=r"is not signed: there is no certificate\.sig beside it"):
        check_release(folder, key=keys / "office.pub")
    with pytest.raises(DataError, match="is not signed with this key"):
        check_release(signed(name, form, tmp_path / "again"), key=keys / "other.pub")


def test_files_of_another_honest_release_are_found_out(signed, tmp_path):
    ours, other = signed("ola", "csv", tmp_path / "a"), signed("mondrian", "csv", tmp_path / "b")
    for name in ("data.csv", "groups.csv", "README.md"):
        folder = shutil.copytree(ours, tmp_path / name)
        shutil.copyfile(other / name, folder / name)
        with pytest.raises(DataError, match=f"'{name}' is not the file that .* tells of: its digest is another"):
            check_release(folder)
        told_again(folder)
        if name != "README.md":
            assert is_refused(folder)


def test_a_method_of_another_version_is_not_a_failure_but_is_said(signed, tmp_path):
    folder = signed("ola", "csv", tmp_path)
    with_certificate(folder, lambda said: said["method"].update(name="from-the-future"))
    told_again(folder)
    checked = check_release(folder)
    assert checked.holds
    assert "does not know the method 'from-the-future'" in checked.notes[0]


def test_a_certificate_of_another_version_says_so_where_it_is_not_understood(signed, tmp_path):
    folder = signed("ola", "csv", tmp_path)
    with_certificate(folder, lambda said: said.update(shoal="99.0"))
    assert any("made by Shoal 99.0" in note for note in check_release(folder).notes)
    with_certificate(folder, lambda said: said["method"]["parameters"].update(k=77))
    with pytest.raises(DataError, match=r"contradicts itself.*It was made by Shoal 99\.0, and this is"):
        check_release(folder)


# Values that are one to somebody careless, and two to whoever looks

SPLITS = {
    "a space behind": ("csv", pa.string(), "Ulm", "Ulm "),
    "a letter composed": ("csv", pa.string(), "K\u00f6ln", "Ko\u0308ln"),
    "a number with a point": ("csv", pa.string(), "1", "1.0"),
    "a number with a zero": ("csv", pa.string(), "1", "01"),
    "nothing and a blank": ("csv", pa.string(), None, ""),
    "nothing and a blank, typed": ("parquet", pa.string(), None, ""),
    "nothing and no number": ("parquet", pa.float64(), None, float("nan")),
    "two zeros": ("parquet", pa.float64(), 0.0, -0.0),
    "a time of day": ("parquet", pa.timestamp("us"), 0, 3_600_000_000),
    "a time of day in a zone": ("parquet", pa.timestamp("ns", "Europe/Berlin"), 0, 1),
    "a letter composed, typed": ("parquet", pa.string(), "K\u00f6ln", "Ko\u0308ln"),
}


@pytest.mark.parametrize("name", SPLITS)
def test_people_who_are_told_apart_by_how_a_value_is_written_are_not_alike(name, tmp_path):
    """Four records of one class; two of them are then written otherwise, with every file made to agree."""
    form, kind, value, other = SPLITS[name]
    column = pa.array([value] * 4, kind)
    schema = shoal.Schema().with_column("a", role="quasi-identifier").with_column("s", role="sensitive")
    table = pa.table({"a": column, "s": ["y", "n", "y", "n"]})
    write_release(shoal.OLA(k=3).anonymize(table, schema), tmp_path, form)
    published = pa.table({"a": pa.array([value, value, other, other], kind), "s": ["y", "n", "y", "n"]})
    if form == "csv":
        import pyarrow.csv as pc

        pc.write_csv(published, tmp_path / "data.csv")
    else:
        pq.write_table(published, tmp_path / "data.parquet")
    told_again(tmp_path)
    checked = check_release(tmp_path)
    assert [(verdict.holds, verdict.reached) for verdict in checked.verdicts] == [(False, 2.0)]


def test_sensitive_values_that_hardly_differ_are_counted_and_spoken_of(tmp_path):
    schema = shoal.Schema().with_column("a", role="quasi-identifier").with_column("s", role="sensitive")
    table = pa.table({"a": ["x"] * 4, "s": ["flu", "Flu ", "cold", "flu"]})
    method = shoal.OptimalLattice(k=2, criteria=(shoal.DistinctDiversity(3, "s"),))
    write_release(method.anonymize(table, schema), tmp_path, "csv")
    checked = check_release(tmp_path)
    assert checked.holds
    assert "1 of 3 values of 's' differ from another only in case, spaces" in checked.notes[0]
