"""What once broke: each is refused in a sentence, or goes through, and leaves nothing behind."""

import json
import re
import subprocess
import sys
import warnings

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from bases import DESCRIPTIONS, HIERARCHY, SECRET, _written, release_file, table
from judging import INTERNAL, LONGEST
from typer.testing import CliRunner

from shoal.cli.main import app
from shoal.dp.ledger import store
from shoal.dp.ledger.store import LedgerStore

ROW = 'person = "row"'
RUN = ("run", "release.toml", "-o", "release", "--force")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with what a run needs, made by the test."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "town.csv").write_text(HIERARCHY.partition("\n")[2], encoding="utf-8")
    return tmp_path


def outcome(*arguments):
    """Run the command here; the exit code and what it said, held to what no run may do."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        result = CliRunner().invoke(app, [*arguments])
    assert result.exit_code in (0, 1, 2), result.output
    assert INTERNAL not in result.output, result.output
    assert SECRET not in result.output
    assert not warned, [str(one.message) for one in warned]
    if result.exit_code:
        assert all(len(line) <= LONGEST for line in result.output.splitlines()), result.output
    return result.exit_code, result.output


def edited(method, *edits, data="people.csv"):
    """A release file with some words changed."""
    text = release_file(method, data)
    for old, new in edits:
        assert old in text, old
        text = text.replace(old, new)
    return text


RELEASE_FILES = {
    "an encoding of no file": (
        "mondrian",
        [(ROW, f'{ROW}\nencoding = "punycode"')],
        "no encoding",
    ),
    "utf-16 without its mark": (
        "mondrian",
        [(ROW, f'{ROW}\nencoding = "utf-16"')],
        "not written in",
    ),
    "utf-16 of a paid run": ("safepub", [(ROW, f'{ROW}\nencoding = "utf-16"')], "not written in"),
    "utf-32 of a paid run": ("safepub", [(ROW, f'{ROW}\nencoding = "utf-32"')], "not written in"),
    "a NUL in the data's path": ("mondrian", [("people.csv", "peo\\u0000ple.csv")], ""),
    "a NUL in a hierarchy's path": ("mondrian", [("town.csv", "to\\u0000wn.csv")], "cannot be read"),
    "a NUL in the ledger's path": ("safepub", [("books", "bo\\u0000oks")], ""),
    "intervals beyond all numbers": ("mondrian", [("[5, 20]", f"[1, 1{'0' * 29}]")], "at most 18 digits"),
    "a long way down": ("mondrian", [("[5, 20]", "[" * 3000 + "]" * 3000)], "too deep"),
    "tables in tables by their dots": ("mondrian", [("k = 3", f"k = 3\n{'.'.join('k' * 100_000)} = 3")], "too deep"),
    "a domain of nothing": ("local-recoding", [('"town.csv"', '"town.csv"\ndomain = []')], "lists no value"),
    "a domain of missing values": (
        "local-recoding",
        [('"town.csv"', '"town.csv"\ndomain = []\nmissing = true')],
        "domain",
    ),
    "many passes": ("sequential", [("passes = 5", f"passes = 1{'0' * 30}")], "passes"),
    "a name of 70,000 letters": ("mondrian", [("k = 3", "k" * 70_000 + " = 3")], "not known"),
    "epsilon of 1e-300": ("safepub", [("epsilon = 2.0", "epsilon = 1e-300")], "epsilon"),
    "epsilon of a million": ("safepub", [("epsilon = 2.0", "epsilon = 1e6")], "epsilon"),
    "epsilon of 1e300": ("diffgen", [("epsilon = 2.0", "epsilon = 1e300")], "epsilon"),
    "epsilon that takes forever to read": ("diffgen", [("epsilon = 2.0", 'epsilon = "1e400000000"')], "epsilon"),
    "digits that make a large domain": (
        "k-epsilon",
        [("epsilon = 2.0", 'epsilon = 2.0\nmode = "as_published"\ndigits = 6'), ('[budget]\nledger = "books"', "")],
        None,
    ),
}


@pytest.mark.parametrize("name", RELEASE_FILES)
def test_release_files(folder, name):
    method, edits, sentence = RELEASE_FILES[name]
    _written(folder, "csv")
    (folder / "release.toml").write_text(edited(method, *edits), encoding="utf-8")
    code, said = outcome(*RUN)
    if sentence is None:
        return
    assert code
    assert sentence in said
    assert not (folder / "release").exists()


@pytest.mark.parametrize("method", ["mondrian", "safepub"])
def test_a_quote_that_is_not_closed_in_the_first_line_shows_no_record(folder, method):
    _written(folder, "csv")
    (folder / "release.toml").write_text(release_file(method, "people.csv"), encoding="utf-8")
    path = folder / "people.csv"
    header, records = path.read_text(encoding="utf-8").split("\n", 1)
    assert header.endswith('"')
    path.write_text(f"{header[:-1]}\n{records}", encoding="utf-8")
    code, said = outcome(*RUN)
    assert code
    assert "goes on in the next line" in said
    assert "Quokkaberg" not in said


@pytest.mark.parametrize("weight", [1e308, 1e19, 9e14, 5e-324, 1e-4])
def test_weights_that_are_no_numbers_of_people(folder, weight):
    people = table()
    people = people.append_column("w", pa.array([weight] * len(people)))
    pq.write_table(people, folder / "people.parquet")
    text = release_file("mondrian", "people.parquet") + '\n[columns.w]\nrole = "weight"\n'
    (folder / "release.toml").write_text(text, encoding="utf-8")
    code, said = outcome(*RUN)
    assert code == 1
    assert "column 'w'" in said


def test_more_memory_than_any_machine_has(folder):
    pytest.importorskip("duckdb")
    _written(folder, "csv")
    (folder / "release.toml").write_text(release_file("mondrian"), encoding="utf-8")
    code, said = outcome(*RUN, "--engine", "duckdb", "--memory", "999999999999TB")
    assert code == 2
    assert "memory is a size that a machine may have" in said


def test_a_cell_that_begins_as_a_number_of_seventy_thousand_digits_is_recognized_at_once(folder):
    text = (folder / _written(folder, "csv")).read_text(encoding="utf-8")
    (folder / "people.csv").write_text(text.replace('"flu"', f'"{"0" * 700_000}flu"', 1), encoding="utf-8")
    (folder / "release.toml").write_text(release_file("safepub"), encoding="utf-8")
    assert outcome(*RUN)[0] == 0


def test_a_refused_table_whose_text_is_decoded_ahead_ends_the_process_as_it_should(folder):
    rows = ["name,age,town,born,income,ill", "too,many,cells,in,this,record,of,eight"]
    rows += [f"{SECRET} {i},31,Köln,2024-01-01,1,flu" for i in range(300_000)]
    (folder / "people.csv").write_text("\n".join(rows), encoding="latin-1")
    text = edited("mondrian", (ROW, f'{ROW}\nencoding = "latin-1"'))
    (folder / "release.toml").write_text(text, encoding="utf-8")
    for _ in range(3):  # before, one in four aborted or never ended
        done = subprocess.run(
            [sys.executable, "-m", "shoal", *RUN], capture_output=True, text=True, check=False, timeout=300
        )
        assert done.returncode == 1
        assert "record 1: 8 cells where the header has 6" in done.stderr
        assert "terminate" not in done.stderr


def test_bytes_in_a_column_that_is_passed_on(folder):
    people = table()
    people = people.set_column(4, "income", pa.array([b"\xff\xfe"] * len(people), pa.binary()))
    pq.write_table(people, folder / "people.parquet")
    (folder / "release.toml").write_text(release_file("mondrian", "people.parquet"), encoding="utf-8")
    code, said = outcome(*RUN)
    assert code
    assert "csv cannot hold column 'income'" in said
    assert not (folder / "release").exists()


def test_text_that_is_no_unicode_in_a_column_that_is_passed_on(folder):
    people = table()
    spoiled = pa.array([b"\xff\xfe", *[b"x"] * (len(people) - 1)], pa.binary())
    text = pa.Array.from_buffers(pa.string(), len(people), spoiled.buffers())
    pq.write_table(people.set_column(4, "income", text), folder / "people.parquet")
    (folder / "release.toml").write_text(release_file("mondrian", "people.parquet"), encoding="utf-8")
    code, said = outcome(*RUN)
    assert (code == 0) == (folder / "release").exists()
    assert code == 0 or "income" in said
    if code == 0:
        assert outcome("check", "release")[0] == 0


def test_a_column_name_that_is_no_unicode(folder):
    people = table()
    pq.write_table(people, folder / "people.parquet")
    content = (folder / "people.parquet").read_bytes()
    assert b"income" in content
    (folder / "people.parquet").write_bytes(content.replace(b"income", b"inc\xffme"))
    (folder / "release.toml").write_text(release_file("mondrian", "people.parquet"), encoding="utf-8")
    for arguments in (RUN, ("init", "people.parquet", "-o", "i.toml")):
        code, said = outcome(*arguments)
        assert code
        assert "people.parquet" in said


def cut(content, at):
    return content[:at]


def bent(content, at):
    return content[:at] + b"\xff\xff\xff\x7f" + content[at + 4 :]


@pytest.mark.parametrize("damage", [cut, bent])
def test_a_damaged_arrow_file_ends_the_run_and_not_the_process(folder, damage):
    name = _written(folder, "arrow")
    content = (folder / name).read_bytes()
    for method, places in (("mondrian", 9), ("safepub", 4)):
        (folder / "release.toml").write_text(release_file(method, name), encoding="utf-8")
        for at in range(0, len(content), len(content) // places):
            (folder / name).write_bytes(damage(content, at))
            code, _ = outcome(*RUN)
            assert (code == 0) == (folder / "release").exists()
            if code == 0:
                outcome("check", "release")
                for inside in (folder / "release", folder / "release-owner"):
                    for path in inside.iterdir():
                        path.unlink()
                    inside.rmdir()


def test_a_damaged_text_in_an_identifier_of_a_seldom_type(folder):
    people = table()
    spoiled = pa.array([f"{SECRET} is a text of more than twelve bytes, {i}" for i in range(len(people))]).cast(
        pa.string_view()
    )
    path = folder / "people.arrow"
    with pa.ipc.new_file(path, people.set_column(0, "name", spoiled).schema) as writer:
        writer.write_table(people.set_column(0, "name", spoiled))
    path.write_bytes(path.read_bytes().replace(b"more than", b"more \xff\xffan"))
    (folder / "release.toml").write_text(release_file("mondrian", "people.arrow"), encoding="utf-8")
    assert outcome(*RUN)[0] == 0


def test_a_stream_of_arrow_is_called_that(folder):
    with pa.ipc.new_stream(folder / "people.arrow", table().schema) as writer:
        writer.write_table(table())
    (folder / "release.toml").write_text(release_file("mondrian", "people.arrow"), encoding="utf-8")
    code, said = outcome(*RUN)
    assert code
    assert "is an Arrow stream and no Arrow file" in said


@pytest.mark.parametrize("description", DESCRIPTIONS)
def test_a_description_whose_ends_take_forever_to_write_down(folder, description):
    _written(folder, "csv")
    text = DESCRIPTIONS[description]
    most = re.compile(r'(max(?:imum)?"?[:=] ?)"?99"?')
    assert most.search(text)
    (folder / description).write_text(most.sub(r'\1"1e400000000"', text), encoding="utf-8")
    assert outcome("init", "people.csv", "--metadata", description, "-o", "i.toml")[0] == 0


CERTIFICATES = {
    "a number without end": (r'"records": \d+', '"records": Infinity'),
    "a number of 400 digits": (r'"records": \d+', f'"records": 1{"0" * 400}'),
    "names that are no text": (r'"name": "age"', '"name": ["age"]'),
    "a column without a name": (r'"name": "age"', '"nime": "age"'),
    "an epsilon that takes forever": (r'"epsilon": "2"', '"epsilon": "1e400000000"'),
    "a version to come": (r'"version": \d+', '"version": 999'),
}


@pytest.mark.parametrize("name", CERTIFICATES)
def test_certificates(folder, name):
    _written(folder, "csv")
    (folder / "release.toml").write_text(release_file("safepub"), encoding="utf-8")
    assert outcome(*RUN)[0] == 0
    path = folder / "release" / "certificate.json"
    pattern, other = CERTIFICATES[name]
    text, count = re.subn(pattern, other, path.read_text(encoding="utf-8"))
    assert count or name == "a version to come", path.read_text()[:3000]
    path.write_text(text, encoding="utf-8")
    code, said = outcome("check", "release")
    assert code or not count, said


def test_values_of_any_kind_in_every_place_of_a_certificate(folder):
    _written(folder, "csv")
    (folder / "release.toml").write_text(release_file("mondrian"), encoding="utf-8")
    assert outcome(*RUN)[0] == 0
    path = folder / "release" / "certificate.json"
    sound = json.loads(path.read_text(encoding="utf-8"))
    for place in places(sound):
        for value in ([[]], -1e308):
            path.write_text(json.dumps(replaced(sound, place, value)), encoding="utf-8")
            outcome("check", "release")


def places(value, here=()):
    """Every place in nested lists and tables, of lists the first."""
    if here:
        yield here
    inside = value.items() if isinstance(value, dict) else enumerate(value[:1]) if isinstance(value, list) else ()
    for key, one in inside:
        yield from places(one, (*here, key))


def replaced(value, place, other):
    if not place:
        return other
    copied = dict(value) if isinstance(value, dict) else list(value)
    copied[place[0]] = replaced(copied[place[0]], place[1:], other)
    return copied


def test_a_row_of_a_ledger_that_nobody_knows(folder):
    _written(folder, "csv")
    (folder / "release.toml").write_text(release_file("safepub"), encoding="utf-8")
    assert outcome(*RUN)[0] == 0
    books = LedgerStore(folder / "books")
    with books._writing() as (connection, key):
        rows = store._read(connection)
        store._append(connection, key, rows, json.dumps({"kind": "gift"}).encode())
    for arguments in (("ledger", "release.toml"), ("run", "release.toml", "-o", "again")):
        code, said = outcome(*arguments)
        assert code == 1
        assert "row 3 says what this version of Shoal does not know; a later one wrote it" in said


def test_a_key_of_a_version_to_come_is_not_called_damaged(folder):
    _written(folder, "csv")
    (folder / "release.toml").write_text(release_file("safepub"), encoding="utf-8")
    assert outcome(*RUN)[0] == 0
    path = folder / "books" / "ledger.key"
    path.write_text(path.read_text().replace('"version": 1', '"version": 2'))
    code, said = outcome("ledger", "release.toml")
    assert code == 1
    assert "a later version of Shoal wrote it" in said
