"""Bad input: one clear sentence that shows no record, an exit code, and nothing changed on the disk."""

import errno
import gzip
import json
import os
import subprocess

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from desk import NAMES, SECRET, TOWNS, listing, people

from shoal.engines.writing import publishing

ODD = f"{SECRET},33,Ulm,2024-01-01,flu,{SECRET}"
"""A record that is right; its cells are changed one at a time."""


def with_cell(position, value):
    cells = ODD.split(",")
    cells[position] = value
    return ",".join(cells)


# The table


TABLES = {
    "an empty file": (b"", r"people\.csv is empty; expected a header line and records\."),
    "a header only": (f"{NAMES}\n", r"people\.csv has no records; give a table with at least one\."),
    "a row too short": (
        "\n".join([NAMES, *people(5), SECRET, *people(5)]),
        r"people\.csv, record 6: 1 cell where the header has 6\. Check for a stray delimiter or an unclosed quote",
    ),
    "a row too long": (
        "\n".join([NAMES, *people(5), f"{ODD},{SECRET}"]),
        r"people\.csv, record 6: 7 cells where the header has 6\.",
    ),
    "an unclosed quote": (
        "\n".join([NAMES, *people(5), f'"{ODD}', *people(5)]),
        r"people\.csv, record 6: 1 cell where the header has 6\. .*unclosed quote",
    ),
    "latin-1 said to be utf-8": (
        "\n".join([NAMES, *people(5), ODD.replace("Ulm", "Köln")]).encode("latin-1"),
        r'people\.csv is not written in utf-8; set encoding in \[data\] .* to what it is, often "latin-1" or "cp1252"',
    ),
    "utf-16": (
        f"{NAMES}\n{ODD}".encode("utf-16"),
        r'people\.csv is written in UTF-16; set encoding = "utf-16" in \[data\] .*, or save it as UTF-8\.',
    ),
    "two columns of one name": (
        f"name,{SECRET},town,{SECRET}\n1,2,3,4\n",
        r"people\.csv: columns 2 and 4 have the same name; rename one of them\.",
    ),
    "a column that is not there": (
        f"name,agee,town,day,illness,note\n{ODD}\n",
        r"column 'age' is declared and not in the data, which have 'name', 'agee', .*Did you mean 'agee'\?",
    ),
    "a column that is not declared": (
        f"{NAMES},income\n{ODD},{SECRET}\n",
        r"column 'income' is in the data and not declared; give each column a role, 'dropped' if it must not be pub",
    ),
    "no header": (
        f"{ODD}\n{ODD}x\n".replace(f",{SECRET}", ",x"),
        r"none of the declared columns \('name', 'age', 'town' and 3 more\) is in the data; check .*first line has",
    ),
    "no text": (bytes(range(256)) * 40, r"people\.csv is not (written in utf-8|a CSV file)"),
    "nothing but zeros": (bytes(400), r"people\.csv is not a CSV file: its first line holds NUL bytes\."),
    "a NUL byte": (
        "\n".join([NAMES, *people(5), ODD + "\0"]),
        r"people\.csv, column 'note', record 6: there is a NUL byte, which no text holds; the file is damaged there",
    ),
}


@pytest.mark.parametrize(("content", "sentence"), TABLES.values(), ids=TABLES)
def test_a_table_that_cannot_be_read(desk, content, sentence, matches):
    desk.write("people.csv", content)
    matches(sentence, desk.refused())


CELLS = {
    "a category outside": (
        2,
        f"{SECRET}",
        r"column 'town', record 61: the value is not in the declared domain of 3 values; corr",
    ),
    "a number outside": (
        1,
        "912345",
        r"column 'age', record 61: the value is not in the declared domain \(0 to 99 in steps of 1\)",
    ),
    "a number off the grid": (
        1,
        "33.712345",
        r"column 'age', record 61: the number lies between two steps of the declared dom",
    ),
    "a huge integer": (1, "9" * 60, r"column 'age', record 61: the value is not in the declared domain \(0 to 99"),
    "a huge exponent": (1, "9e999999999", r"column 'age', record 61: the value is not"),
    "no number": (
        1,
        SECRET,
        r"column 'age', record 61: the value is not a number, and so not in the declared domain \(0 to 99",
    ),
    "no date": (
        3,
        SECRET,
        r"column 'day', record 61: the value is not a date such as 2024-12-31, and so not in the declared",
    ),
    "a day that is none": (3, "2024-02-30", r"column 'day', record 61: the value is not a date such as 2024-12-31"),
    "a day outside": (
        3,
        "2031-07-19",
        r"column 'day', record 61: .* domain \(2024-01-01 to 2024-12-31\); correct the record",
    ),
    "a missing value": (
        4,
        "",
        r"column 'illness', record 61: the value is missing, and the declared domain has no place",
    ),
}


@pytest.mark.parametrize(("position", "value", "sentence"), CELLS.values(), ids=CELLS)
def test_a_value_that_cannot_be(desk, position, value, sentence, matches):
    desk.table(with_cell(position, value))
    said = desk.refused()
    matches(sentence, said)
    assert not value or value not in said.replace("such as 2024-12-31", "")


def test_a_wrong_delimiter(desk, matches):
    desk.change('path = "people.csv"', 'path = "people.csv"\ndelimiter = ";"')
    matches(
        r"the data have one column only where 'name', 'age', 'town' and 3 more are declared; set delimiter",
        desk.refused(),
    )
    desk.change('delimiter = ";"', 'delimiter = ";;"')
    matches(r'a delimiter is one character such as "," or ";"; got \';;\'\.', desk.refused(code=2))


def test_a_wrong_encoding(desk, matches):
    desk.change('path = "people.csv"', 'path = "people.csv"\nencoding = "utf-9"')
    matches(r"there is no encoding 'utf-9'; expected a name such as", desk.refused(code=2))


@pytest.mark.parametrize(
    ("name", "code", "sentence"),
    [
        (
            "nowhere.csv",
            1,
            r"nowhere\.csv does not exist; check \[data\] path, which is relative to the release file\.",
        ),
        ("people.docx", 2, r"people\.docx: the ending '\.docx' is not known; expected \.csv, \.csv\.gz"),
        ("empty", 1, r"empty is an empty folder; expected CSV, Parquet or Arrow files in it\."),
        ("nested", 1, r"nested holds folders \('deeper'\); expected the parts of one table, side by side\."),
        ("mixed", 1, r"b\.csv has other columns than .*a\.csv; a folder holds the parts of one table\."),
    ],
)
def test_a_path_without_a_table(desk, name, code, sentence, matches):
    desk.write("people.docx", b"PK")
    (desk.folder / "empty").mkdir()
    (desk.folder / "nested" / "deeper").mkdir(parents=True)
    desk.write("mixed/a.csv", f"{NAMES}\n")
    desk.write("mixed/b.csv", f"{SECRET},b\n")
    desk.change("people.csv", name)
    matches(sentence, desk.refused(code=code))


def parquet(desk, table, name="people.parquet"):
    pq.write_table(table, desk.folder / name)
    desk.change("people.csv", name)
    return desk.folder / name


def typed(**columns):
    cells = dict(zip(NAMES.split(","), zip(*(line.split(",") for line in people()), strict=True), strict=True))
    made = {name: pa.array(values) for name, values in cells.items()}
    made["age"] = made["age"].cast(pa.int64())
    return pa.table(made | columns)


def test_a_huge_integer_in_parquet(desk, matches):
    parquet(desk, typed(age=pa.array([2**63 - 1] * 60)))
    said = desk.refused()
    matches(r"column 'age', record 1: the value is not in the declared domain \(0 to 99 in steps of 1\)", said)
    assert str(2**63 - 1) not in said


def test_a_column_of_lists(desk, matches):
    parquet(desk, typed(age=pa.array([[1]] * 60)))
    matches(
        r"column 'age' holds values of the type list<.*>, which cannot be counted; split it into plain", desk.refused()
    )
    parquet_again = typed(note=pa.array([[SECRET]] * 60))
    pq.write_table(parquet_again, desk.folder / "people.parquet")
    matches(r"csv cannot hold column '.*', such as one of lists or of bytes; set format = 'parquet'", desk.refused())


def test_an_empty_parquet_file(desk, matches):
    parquet(desk, typed()[:0])
    matches(r"people\.parquet has no records; give a table with at least one\.", desk.refused())


@pytest.mark.parametrize("damage", ["no Parquet at all", "cut off", "scribbled over"])
def test_a_damaged_parquet_file(desk, damage, matches):
    path = parquet(desk, typed())
    content = path.read_bytes()
    middle = len(content) // 2
    path.write_bytes(
        {
            "no Parquet at all": SECRET.encode(),
            "cut off": content[:middle],
            "scribbled over": content[:4] + b"\xff" * (middle - 4) + content[middle:],
        }[damage]
    )
    matches(r"people\.parquet is (not a Parquet file, or is )?damaged", desk.refused())


@pytest.mark.parametrize("damage", ["cut off", "scribbled over", "empty"])
def test_a_damaged_archive(desk, damage, matches):
    content = gzip.compress("\n".join([NAMES, *people(2000)]).encode())
    middle = len(content) // 2
    damaged = {
        "cut off": content[:middle],
        "scribbled over": content[:middle] + bytes(99) + content[middle + 99 :],
        "empty": content[:10],
    }
    desk.write("people.csv.gz", damaged[damage])
    desk.change("people.csv", "people.csv.gz")
    matches(r"people\.csv\.gz is a damaged or cut-off gzip archive; compress the file again\.", desk.refused())


# Hierarchies


TREES = {
    "a value missing": (
        "Ulm,south,*\nBonn,west,*\n",
        r"column 'town', record 3: the value is not in the declared domain of 2 va",
    ),
    "two roots": (
        "Ulm,south,*\nBonn,west,+\nKöln,west,+\n",
        r"town\.csv: the last level has 2 values \('\*', '\+'\), so there",
    ),
    "two parents": (
        "Ulm,south,w,*\nBonn,west,x,*\nKöln,west,y,*\n",
        r"town\.csv: 'west' on level 1 has two parents, 'x' and 'y'; give the two meanings different names\.",
    ),
    "a blank cell": (
        "Ulm,south,*\nBonn,,*\nKöln,west,*\n",
        r"town\.csv, row 2: the cell of level 1 is blank; repeat the value",
    ),
    "a short row": (
        "Ulm,south,*\nBonn,*\nKöln,west,*\n",
        r"town\.csv, row 2: 2 levels where row 1 has 3; repeat a value to fill",
    ),
    "a value twice": (TOWNS + "Ulm,west,*\n", r"town\.csv: 'Ulm' stands in more than one row; keep one of them\."),
    "one level": ("Ulm\nBonn\nKöln\n", r"town\.csv is empty or has one level only; give each value at least a root\."),
    "nothing": ("", r"the hierarchy file .*town\.csv is empty; expected a row per value\."),
    "no text": (
        b"\xff\xfe\xff",
        r"the hierarchy file .*town\.csv cannot be read as UTF-8 text \(UnicodeDecodeError\); save it as",
    ),
}


@pytest.mark.parametrize(("content", "sentence"), TREES.values(), ids=TREES)
def test_a_hierarchy_that_cannot_be(desk, content, sentence, matches):
    desk.write("town.csv", content)
    said = desk.refused(code=1 if "value is not" in sentence else 2)  # one shows when a record is read
    matches(sentence, said)
    assert "value is not" in said or r"release.toml, [columns.town]: " in said


def test_a_hierarchy_that_misses_declared_values_names_them(desk, matches):
    desk.write("town.csv", "Ulm,south,*\nBonn,west,*\n")
    desk.change('hierarchy = "town.csv"', 'hierarchy = "town.csv"\ndomain = ["Ulm", "Bonn", "Köln", "Kiel"]')
    matches(
        r"column 'town': .*town\.csv covers 2 of 4 declared values; missing 'Köln', 'Kiel'\. Add them to the hi",
        desk.refused(),
    )


def test_a_hierarchy_file_that_is_not_there(desk, matches):
    (desk.folder / "town.csv").unlink()
    matches(
        r"release\.toml, \[columns\.town\]: the hierarchy file .*town\.csv does not exist; paths are relative to",
        desk.refused(code=2),
    )


# The release file


FILES = {
    "an unknown key": (
        "k = 3",
        "kk = 3",
        2,
        r"release\.toml, \[method\]: 'kk' is not known here; expected k, .* Did you mean 'k'\?",
    ),
    "an unknown table": (
        "[method]",
        "[methods]",
        2,
        r"release\.toml: 'methods' is not known here; .* Did you mean 'method'\?",
    ),
    "an unknown role": (
        '"sensitive"',
        '"secret"',
        2,
        r"release\.toml, \[columns\.illness\]: 'secret' is not a role; expected one",
    ),
    "an unknown method": (
        "optimal-lattice",
        "optimal",
        2,
        r"\[method\]: 'optimal' is not a method; .*Did you mean 'optimal-lattice'\?",
    ),
    "an unknown quality": (
        "k = 3",
        'quality = "lost"',
        2,
        r"\[method\]: 'lost' is not a quality model; .*Did you mean 'loss'\?",
    ),
    "no quasi-identifier": (
        '"quasi-identifier"',
        '"sensitive"',
        1,
        r"release\.toml: no column is a quasi-identifier, so there is",
    ),
    "no TOML": ("[method]", "[method", 2, r"release\.toml is not valid TOML: .*\(at line \d+, column \d+\)\."),
    "k of nothing": ("k = 3", "k = 0", 2, r"release\.toml, \[method\]: k must be a whole number, 1 or more; got 0\."),
    "too much suppression": (
        "k = 3",
        "suppression_limit = 5",
        2,
        r"\[method\]: suppression_limit is a share between 0 and 1; got 5\.",
    ),
    "a domain upside down": (
        "from = 0, to = 99",
        "from = 99, to = 0",
        2,
        r"\[columns\.age\]: a domain from 99 to 0 in steps of 1 is",
    ),
    "intervals that do not nest": (
        "[5, 10, 20]",
        "[5, 7]",
        2,
        r"\[columns\.age\]: intervals of width 7 do not nest in interv",
    ),
}


@pytest.mark.parametrize(("old", "new", "code", "sentence"), FILES.values(), ids=FILES)
def test_a_release_file_that_cannot_be_understood(desk, old, new, code, sentence, matches):
    desk.change(old, new)
    matches(sentence, desk.refused(code=code))


def test_a_release_file_that_is_not_there(desk, matches):
    matches(
        r"nothing\.toml does not exist; `shoal init DATA` writes a release file to start",
        desk.refused("run", "nothing.toml", code=2),
    )


# What cannot be met


def test_k_larger_than_the_table(desk, matches):
    desk.change("k = 3", "k = 61")
    matches(r"k = 61 is more than the table has records; lower k, or give a larger table\.", desk.refused())


def test_a_criterion_out_of_reach_is_named_with_how_far_it_is(desk, matches):
    desk.change("k = 3", "diversity = 3.5")
    matches(
        r"even with every quasi-identifier hidden the request cannot be met \(no value of 'illness' has more than "
        r"1/3\.5 of any class \(3\.5-diverse by frequency\): the whole table reaches 2\.857\)\. Lower this criterion",
        desk.refused(),
    )
    desk.change("diversity = 3.5", "criteria = [{ name = 'distinct-diversity', diversity = 4, column = 'illness' }]")
    matches(r"4 or more different values of 'illness' in every class .*: the whole table reaches 3\)", desk.refused())


# The output


@pytest.mark.parametrize("name", ["release", "release-owner"])
def test_an_output_that_exists(desk, name, matches):
    (desk.folder / name).mkdir()
    matches(
        rf"{name} exists already and is not overwritten; "
        r"choose another place with -o, or say --force \(force=True in Python\)\.",
        desk.refused(),
    )


def test_force_replaces_a_release_and_nothing_else(desk, matches):
    desk.done("run", "release.toml")
    before = listing(desk.folder)
    desk.done("run", "release.toml", "--force")
    after = listing(desk.folder)
    assert set(after) == set(before)
    certificates = [json.loads(files["release/certificate.json"]) for files in (before, after)]
    assert [made.pop("files").keys() for made in certificates] == [{"data.csv", "README.md"}] * 2  # rows are shuffled
    assert certificates[0] == certificates[1]
    desk.write("release/thesis.docx", "years of work")
    matches(
        r"release holds what Shoal did not write there \('thesis\.docx'\) and is not replaced, even with --force",
        desk.refused("run", "release.toml", "--force"),
    )


@pytest.mark.parametrize("place", [".", "..", "people.csv", "people.csv/release"])
@pytest.mark.parametrize("force", [(), ("--force",)])
@pytest.mark.parametrize("command", [("run", "release.toml"), ("demo",)], ids=["run", "demo"])
def test_an_output_in_the_way_of_something_else(desk, command, place, force):
    desk.refused(*command, "-o", place, *force)


def test_the_root_of_the_disk_is_no_place_for_a_release(desk, matches):
    for command in (("run", "release.toml"), ("demo",)):
        matches(r"/ is no place for a result; choose a folder with -o\.", desk.refused(*command, "-o", "/"))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_to(desk, matches):
    locked = desk.folder / "locked"
    locked.mkdir(mode=0o500)
    matches(
        r"cannot be written: permission denied\. Choose another",
        desk.refused("run", "release.toml", "-o", "locked/release"),
    )


def test_a_folder_that_the_system_does_not_let_write(desk, monkeypatch, matches):
    def denied(*_, **__):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(type(desk.folder), "mkdir", denied)
    matches(r"release cannot be written: permission denied\. Choose another place with -o\.", desk.refused())


class FullDisk:
    """A writer that runs out of space after the first rows."""

    def __init__(self, sink):
        sink.write(b"some rows")

    def __enter__(self):
        return self

    def write_table(self, _):
        raise OSError(errno.ENOSPC, "No space left on device")

    def __exit__(self, *_):
        raise OSError(errno.ENOSPC, "No space left on device")


def test_a_disk_that_fills_up(desk, monkeypatch, matches):
    monkeypatch.setattr(publishing, "_writer", lambda sink, _ending, _schema: FullDisk(sink))
    matches(
        r"there is no space left to write .*release; nothing was written\. Free some space and try again\.",
        desk.refused(),
    )


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_small_disk_that_really_fills_up(desk, form, matches):
    disk = desk.folder.parent / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", disk], capture_output=True, check=False)
    if mounted.returncode:
        pytest.skip("a disk cannot be mounted here")
    try:
        desk.write("people.csv", "\n".join([NAMES, *people(30_000)]))
        desk.change("[method]", f'[output]\nformat = "{form}"\n[method]')
        matches(
            r"there is no space left to write", desk.refused("run", "release.toml", "-o", disk / "deep" / "release")
        )
        assert listing(disk) == {}
    finally:
        subprocess.run(["umount", "--lazy", disk], check=True)


# Words that are printed


def test_what_nobody_foresaw_is_said_without_its_words_which_may_quote_a_record(desk, monkeypatch):
    import shoal.pipeline

    def broken(*_, **__):
        raise KeyError(SECRET)

    monkeypatch.setattr(shoal.pipeline, "publish", broken)
    result = desk.shoal("run", "release.toml")
    assert result.exit_code == 1
    assert result.stdout == ""
    assert SECRET not in result.stderr
    assert result.stderr.startswith("error: Shoal failed where it should not (KeyError in test_bad_input.py, line ")


def test_too_little_memory_is_said(desk, monkeypatch, matches):
    import shoal.pipeline

    def broken(*_, **__):
        raise MemoryError

    monkeypatch.setattr(shoal.pipeline, "publish", broken)
    matches(r"not enough memory for the distinct records of this table\.", desk.refused())
