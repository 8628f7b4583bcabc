"""CSV files: however they are written they mean the same; what is wrong with one is said without showing a record."""

import csv
import gzip

import hypothesis.strategies as st
import people
import pyarrow as pa
import pyarrow.csv
import pytest
from hypothesis import given

from shoal.engines.reading import csv_source
from shoal.engines.reading.csv_source import CsvSource
from shoal.errors import DataError, ParameterError

SECRET = "SECRET123"


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    return read(CsvSource(people.write_csv(tmp_path_factory.mktemp("csv") / "plain.csv")))


def read(source):
    """All rows as text."""
    rows = []
    for batch, _ in source.batches(list(source.types())):
        rows += [tuple(row.values()) for row in batch.to_pylist()]
    return rows


def refusal(source):
    with pytest.raises(DataError) as raised:
        read(source)
    assert SECRET not in str(raised.value)
    assert raised.value.__cause__ is None
    return str(raised.value)


# Files that mean the same


WRITTEN = {
    "semicolon": {"delimiter": ";"},
    "tab": {"delimiter": "\t"},
    "bar": {"delimiter": "|"},
    "CRLF": {"newline": "\r\n"},
    "byte order mark": {"start": "\ufeff"},
    "all quoted": {"quote": csv.QUOTE_ALL},
    "latin-1": {"encoding": "latin-1"},
    "utf-16": {"encoding": "utf-16"},
    "utf-16 without a mark": {"encoding": "utf-16-le"},
    "utf-8 with a mark, said so": {"encoding": "utf-8-sig"},
    "blank lines first": {"start": "\n\r\n"},
}


@pytest.mark.parametrize("written", WRITTEN.values(), ids=WRITTEN)
@pytest.mark.parametrize("ending", ["csv", "csv.gz"])
def test_a_file_means_the_same_however_it_is_written(tmp_path, plain, written, ending):
    path = people.write_csv(tmp_path / f"people.{ending}", **written)
    assert read(CsvSource(path, encoding=written.get("encoding", "utf-8"))) == plain
    assert len(plain) == len(people.rows())
    assert plain[0] == tuple(people.texts(people.rows())[0])


@pytest.mark.parametrize("block", [2000, 4001])
@pytest.mark.parametrize("ending", ["csv", "csv.gz"])
def test_blocks_change_nothing(tmp_path, plain, monkeypatch, block, ending):
    monkeypatch.setattr(csv_source, "_BLOCK", block)
    path = people.write_csv(tmp_path / f"people.{ending}")
    batches = list(CsvSource(path).batches(people.NAMES))
    assert len(batches) > 1
    assert read(CsvSource(path)) == plain
    assert batches[-1][1] == 1.0
    assert all(0 < done <= 1 for _, done in batches)


def test_an_archive_of_several_members_is_read_to_its_end(tmp_path, plain):
    content = people.write_csv(tmp_path / "people.csv").read_bytes()
    path = tmp_path / "parts.csv.gz"
    path.write_bytes(gzip.compress(content[:700]) + gzip.compress(content[700:]))
    assert read(CsvSource(path)) == plain


def test_only_the_wanted_columns_come_and_those_that_are_passed_on_are_not_coded(tmp_path):
    source = CsvSource(people.write_csv(tmp_path / "people.csv"))
    batch, _ = next(source.batches(["town", "note"], ["note"]))
    assert batch.schema.names == ["town", "note"]
    assert [pa.types.is_dictionary(kind) for kind in batch.schema.types] == [True, False]
    assert batch.column("note").to_pylist() == [row[-1] for row in people.rows()]


@pytest.mark.parametrize("header", ['"a,b,c",d', '"a,b,c";d', "'a;d"])
def test_a_delimiter_inside_quotes_does_not_count(tmp_path, header):
    path = tmp_path / "x.csv"
    path.write_text(f"{header}\n1{header[-2]}2\n")
    assert len(CsvSource(path).types()) == 2


@given(text=st.text(st.sampled_from('"",;\n\ra\x85 '), max_size=12))
def test_the_first_line_is_that_of_the_text_without_what_is_quoted(text):
    assert csv_source._first_line(text) == (csv_source._QUOTED.sub("", text) + "\n").splitlines()[0]


@pytest.mark.parametrize("room", [0, 1 << 27])
def test_a_file_that_is_read_twice_at_once_is_parsed_once_if_there_is_room(tmp_path, monkeypatch, room):
    monkeypatch.setattr(csv_source, "_KEPT_BYTES", room)
    path = tmp_path / "x.csv"
    path.write_text("a,b\n1,2\n3,4\n")
    source, same = (CsvSource(path, absorb=True) for _ in range(2))

    def rows(source, names, passed=()):
        return [row for batch, _ in source.batches(names, passed) for row in batch.to_pylist()]

    with csv_source.reading_once():
        assert rows(source, ["a", "b"]) == [{"a": "1", "b": "2"}, {"a": "3", "b": "4"}]
        path.write_text("a,b\n5,6\n")
        now = [{"a": "5", "b": "6"}]
        assert rows(same, ["a", "b"], ["b"]) == rows(CsvSource(path), ["a", "b"]) == now  # another way of reading
        assert rows(same, ["b"]) == ([{"b": "2"}, {"b": "4"}] if room else [{"b": "6"}])
        assert rows(same, ["a", "b"]) == now  # what was handed over is gone
    assert rows(same, ["a", "b"]) == now


def test_a_column_name_may_hold_a_line_break(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text('"two\nlines",b\n1,2\n')
    assert list(CsvSource(path).types()) == ["two\nlines", "b"]
    assert read(CsvSource(path)) == [("1", "2")]


# Blank lines


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("lines", "values"),
    [
        (["a", "1", "", "2"], ["1", "", "2"]),
        (["a", "1", "2", ""], ["1", "2", ""]),
        (["a", "", "", "1"], ["", "", "1"]),
        (["a", ""], [""]),
        (["a"], []),
        (["", "", "a", "", "1"], ["", "1"]),
        (["\ufeff", "a", "", "1"], ["", "1"]),
        (["a", '""', "", '"x, y"'], ["", "", "x, y"]),
    ],
)
def test_in_a_file_of_one_column_a_blank_line_is_a_missing_value_and_the_end_of_the_last_line_is_nothing(
    tmp_path, newline, lines, values
):
    path = tmp_path / "x.csv"
    path.write_text(newline.join([*lines, ""]), encoding="utf-8", newline="")
    assert read(CsvSource(path)) == [(value,) for value in values]


def test_blank_lines_between_blocks_are_counted_too(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_source, "_BLOCK", 64)
    path = tmp_path / "x.csv"
    values = ["" if i % 3 else str(i) for i in range(2000)]
    path.write_text("\n".join(["a", *values, ""]))
    assert read(CsvSource(path)) == [(value,) for value in values]


def test_in_a_file_of_several_columns_blank_lines_are_passed_over(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("\na,b\n1,2\n\n,\n\n")
    assert read(CsvSource(path)) == [("1", "2"), ("", "")]


@pytest.mark.parametrize("start", ["", "\n\n"])
def test_the_record_that_has_too_many_cells_is_counted_from_the_header(tmp_path, start):
    path = tmp_path / "x.csv"
    path.write_text(f"{start}a\n\n1\n{SECRET},3\n")
    assert f"{path}, record 3: 2 cells where the header has 1." in refusal(CsvSource(path))


# Files that are wrong


def test_an_empty_file_is_refused(tmp_path):
    path = tmp_path / "x.csv"
    for content in (b"", b"\n \n"):
        path.write_bytes(content)
        assert refusal(CsvSource(path)) == f"{path} is empty; expected a header line and records."


def test_a_header_without_records_has_no_batches(tmp_path):
    """The engine says that there are no records; among the parts of a folder one may be empty."""
    path = tmp_path / "x.csv"
    for header in ("a,b\n", "a,b", "a\n", "a", "\n\na"):
        path.write_text(header)
        assert read(CsvSource(path)) == []


@pytest.mark.parametrize("block", [1 << 24, 64])
@pytest.mark.parametrize(("bad", "cells"), [(SECRET, "1 cell"), (f"{SECRET},{SECRET},{SECRET}", "3 cells")])
def test_a_ragged_row_is_named_by_its_record_wherever_blocks_end(tmp_path, monkeypatch, block, bad, cells):
    monkeypatch.setattr(csv_source, "_BLOCK", block)
    path = tmp_path / "x.csv"
    path.write_text('a,b\n1,2\n"3\n3",4\n\n' + "5,6\n" * 40 + f"{bad}\n7,8\n")
    assert refusal(CsvSource(path)) == (
        f"{path}, record 43: {cells} where the header has 2. Check for a stray delimiter or an unclosed quote there."
    )


def test_a_thread_of_arrow_that_reads_ahead_never_asks_python_about_a_record_that_is_refused(tmp_path, monkeypatch):
    given, options = [], pyarrow.csv.ParseOptions

    def remembered(**said):
        given.append(said["invalid_row_handler"])
        return options(**said)

    monkeypatch.setattr(pyarrow.csv, "ParseOptions", remembered)
    (tmp_path / "x.csv").write_text("a,b\n1,2,3\n")
    assert "3 cells" in refusal(CsvSource(tmp_path / "x.csv"))
    assert read(CsvSource(tmp_path / "x.csv", absorb=True)) == [(None, None)]
    assert [handler is None for handler in given] == [True, False]


def test_an_unclosed_quote_is_refused(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text(f'a,b\n1,2\n"{SECRET},4\n5,6\n')
    assert "record 2: 1 cell where the header has 2" in refusal(CsvSource(path))


def test_a_record_longer_than_a_block_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_source, "_BLOCK", 50)
    path = tmp_path / "x.csv"
    path.write_text(f'a,b\n1,2\n"{SECRET * 20}",4\n')
    assert "cannot be read as CSV after 1 records" in refusal(CsvSource(path))


@pytest.mark.parametrize("place", ["header", "first lines", "far down"])
def test_a_wrong_encoding_is_refused_wherever_it_shows(tmp_path, monkeypatch, place):
    monkeypatch.setattr(csv_source, "_HEADER", 64)
    path = tmp_path / "x.csv"
    odd = f"{SECRET} Köln".encode("latin-1")
    lines = [b"a,b" if place != "header" else b"K\xf6ln,b", *[b"1,2"] * 100]
    lines[{"header": 1, "first lines": 2, "far down": 90}[place]] = odd + b",2"
    path.write_bytes(b"\n".join(lines))
    assert refusal(CsvSource(path)) == (
        f"{path} is not written in utf-8; set encoding in [data] (--encoding of `shoal init`) to what it is, often "
        '"latin-1" or "cp1252", or save it as UTF-8.'
    )


def test_the_header_may_be_cut_in_the_middle_of_a_character(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_source, "_HEADER", 7)
    path = tmp_path / "x.csv"
    path.write_text("a,b\nöö,ö\n")  # 4 bytes, then two a character: the seventh is half of one
    assert read(CsvSource(path)) == [("öö", "ö")]


def test_utf_16_is_recognized_by_its_mark(tmp_path):
    path = tmp_path / "x.csv"
    path.write_bytes(f"a,b\n{SECRET},2\n".encode("utf-16"))
    assert refusal(CsvSource(path)) == (
        f'{path} is written in UTF-16; set encoding = "utf-16" in [data] (--encoding of `shoal init`), or save it as '
        "UTF-8."
    )


@pytest.mark.parametrize(
    "content", [f"a,b\n{SECRET},2\n".encode("utf-16-le"), b"PK\x03\x04\0\0\0\0" * 9], ids=["utf-16", "zip"]
)
def test_what_is_no_text_is_refused(tmp_path, content):
    path = tmp_path / "x.csv"
    path.write_bytes(content)
    assert "is not a CSV file: its first line holds NUL bytes" in refusal(CsvSource(path))


def test_a_nul_byte_is_named_by_column_and_record(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_source, "_BLOCK", 64)
    path = tmp_path / "x.csv"
    path.write_bytes(b"a,b\n" + b"1,2\n" * 60 + f"3,{SECRET}\0\n".encode() + b"4,5\n")
    with pytest.raises(DataError, match=r"column 'b', record 61: there is a NUL byte"):
        list(CsvSource(path).batches(["a", "b"], ["a", "b"]))
    assert refusal(CsvSource(path)) == (
        f"{path}, column 'b', record 61: there is a NUL byte, which no text holds; the file is damaged there, or is "
        "not CSV."
    )


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "utf-16"])
def test_what_is_no_text_or_no_record_can_be_absorbed(tmp_path, monkeypatch, encoding):
    monkeypatch.setattr(csv_source, "_BLOCK", 64)
    monkeypatch.setattr("shoal.engines.reading.damaged._AT_ONCE", 7)
    odd = {"utf-8": b"\xff", "cp1252": b"\x81", "utf-16": b"\x00\xdc"}[encoding]
    plain = [b"a,b\n", b"\xc3\xb6,2\n" * 40]
    damaged = [b"1,%\n", b"1%,x\0\n", b"%,1,2\n", b"7\n", b"3,4\n"]
    lines = [line.decode().encode(encoding.replace("16", "16-le")) for line in plain + damaged]
    sign = "%".encode(encoding.replace("16", "16-le"))
    path = tmp_path / "x.csv"
    path.write_bytes((b"\xff\xfe" if encoding == "utf-16" else b"") + b"".join(lines).replace(sign, odd))
    found = [("ö", "2")] * 40 + [("1", None), (None, None), ("3", "4"), (None, None), (None, None)]
    assert read(CsvSource(path, None, encoding, absorb=True)) == found
    for passed in ((), ("b",)):
        batches = [batch for batch, _ in CsvSource(path, None, encoding, absorb=True).batches(["b", "a"], passed)]
        assert [row["b"] for batch in batches for row in batch.to_pylist()] == [b for _, b in found]
    assert SECRET not in refusal(CsvSource(path, None, encoding))


def test_what_is_no_text_is_absorbed_where_it_is_asked_for_only(tmp_path):
    path = tmp_path / "x.csv"
    path.write_bytes(b"a,b\n\xff,1\n2,3\n")
    assert read(CsvSource(path, absorb=("a",))) == [(None, "1"), ("2", "3")]
    assert "column 'a', record 1: there is a NUL byte" in refusal(CsvSource(path, absorb=("b",)))
    path.write_bytes(b"a,b\n1,2,3\n")
    assert "record 1: 3 cells where the header has 2" in refusal(CsvSource(path, absorb=("a", "b")))


@pytest.mark.parametrize("rows", [b"", b"\n1\n2,3,4\n"], ids=["none", "ragged"])
def test_a_file_without_a_whole_record_can_be_absorbed(tmp_path, rows):
    path = tmp_path / "x.csv"
    path.write_bytes(b"a,b" + rows)
    assert read(CsvSource(path, absorb=True)) == [(None, None)] * (2 if rows else 0)


@pytest.mark.parametrize("header", [b"a,K\xf6ln", b'a,"K\xf6ln"'])
def test_names_that_are_no_text_are_never_absorbed(tmp_path, header):
    path = tmp_path / "x.csv"
    path.write_bytes(header + b"\n1,2\n")
    assert "is not written in utf-8" in refusal(CsvSource(path, absorb=True))


@pytest.mark.parametrize("delimiter", ["", ";;", '"', "\n"])
def test_a_delimiter_is_one_character(tmp_path, delimiter):
    with pytest.raises(ParameterError, match=r'a delimiter is one character such as "," or ";"; got'):
        CsvSource(tmp_path / "x.csv", delimiter)


@pytest.mark.parametrize("encoding", ["utf-9", "base64"])
def test_an_encoding_that_does_not_exist_is_refused(tmp_path, encoding):
    with pytest.raises(ParameterError, match=f"there is no encoding '{encoding}'"):
        CsvSource(tmp_path / "x.csv", None, encoding)


@pytest.mark.parametrize("damage", ["cut", "cut early", "flipped", "empty"])
def test_a_damaged_archive_is_refused(tmp_path, damage):
    content = people.write_csv(tmp_path / "people.csv.gz").read_bytes()
    middle = len(content) // 2
    damaged = {
        "cut": content[:-20],
        "cut early": content[:12],
        "flipped": content[:middle] + bytes(255 - byte for byte in content[middle:-8]) + content[-8:],
        "empty": content[:10],
    }[damage]
    path = tmp_path / "x.csv.gz"
    path.write_bytes(damaged)
    assert "is a damaged or cut-off gzip archive; compress the file again" in refusal(CsvSource(path))


def test_an_archive_that_breaks_off_after_its_beginning_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_source, "_HEADER", 200)
    path = people.write_csv(tmp_path / "x.csv.gz", people.rows(4000))
    path.write_bytes(path.read_bytes()[:-2000])
    sentence = refusal(CsvSource(path))
    assert "check for unclosed quotes, a cut-off file or a damaged archive" in sentence


def test_a_file_that_may_not_be_read_is_refused(tmp_path, monkeypatch):
    path = people.write_csv(tmp_path / "x.csv")

    def denied(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(type(path), "open", denied)
    assert refusal(CsvSource(path)) == f"{path} cannot be read (permission denied); check the file and its permissions."


def test_duplicate_names_are_named_by_their_places_for_they_may_be_cells_of_a_record(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text(f"a,{SECRET},b,{SECRET}\n1,2,3,4\n")
    assert refusal(CsvSource(path)) == f"{path}: columns 2 and 4 have the same name; rename one of them."


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "utf-16", "cp037"])
@pytest.mark.parametrize("is_packed", [False, True])
@pytest.mark.parametrize("names", [["a"], ["a", "b"]])
def test_a_quote_that_is_never_closed_does_not_swallow_records_unsaid(tmp_path, encoding, is_packed, names):
    path = tmp_path / ("people.csv.gz" if is_packed else "people.csv")

    def rows(text):
        content = text.encode(encoding)
        path.write_bytes(gzip.compress(content) if is_packed else content)
        return sum(batch.num_rows for batch, _ in CsvSource(path, encoding=encoding).batches(names))

    for unclosed in ('a,b\n1,x\n2,"y\n3,z\n4,w\n', 'a,b\n1,x\n2,"y\n3,z'):
        with pytest.raises(DataError, match="record 2: a quote in column 'b' is never closed"):
            rows(unclosed)
    for sound in ('a,b\n1,x\n2,"y\n3,z"\n', 'a,b\n1,x\n2,"y\n3,z" \r\n\r\n', 'a,b\n1,"x\ny"\n2,w'):
        assert rows(sound) == 2


def test_a_last_column_that_nobody_reads_may_hold_what_is_no_text(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_source, "_HEADER", len("a,b\n1,"))
    path = tmp_path / "people.csv"
    path.write_bytes(b"a,b\n1,x\n2,\xff\n")
    assert sum(batch.num_rows for batch, _ in CsvSource(path).batches(["a"])) == 2
