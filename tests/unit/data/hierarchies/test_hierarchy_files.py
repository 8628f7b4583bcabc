"""Hierarchies in files: ARX-style CSV and edge lists, and one sentence for a file that cannot be read."""

import pytest

from shoal.data.hierarchies.files import from_csv, from_edges
from shoal.errors import HierarchyError

ROWS = (("a", "A", "*"), ("b", "A", "*"), ("c, d", "C", "*"))


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("header", [None, "level{}", "Level_{}", "LEVEL {}"])
@pytest.mark.parametrize("start", ["", "\ufeff"])
def test_a_csv_file_is_read_with_any_usual_delimiter_with_or_without_a_header(tmp_path, delimiter, header, start):
    rows = [[f'"{cell}"' if "," in cell else cell for cell in row] for row in ROWS]
    if header:
        rows.insert(0, [header.format(level) for level in range(3)])
    path = tmp_path / "x.csv"
    path.write_text(start + "\n".join(delimiter.join(row) for row in rows) + "\n\n", encoding="utf-8")
    paths = from_csv(path)
    assert paths.rows == ROWS
    assert paths.where == str(path)


def test_an_edge_list_is_read_with_or_without_a_header(tmp_path):
    path = tmp_path / "x.csv"
    for header in ("", "node,parent\n", "Child,Parent\n"):
        path.write_text(f"{header}a,A\nb,A\nA,*\nc,*\n*,\n")
        assert from_edges(path).rows == (("a", "A", "*"), ("b", "A", "*"), ("c", "c", "*"))


@pytest.mark.parametrize("line", ["a", "a,b,c", ",b"])
def test_an_edge_that_is_not_a_node_and_its_parent_is_refused(tmp_path, line):
    path = tmp_path / "x.csv"
    path.write_text(f"x,*\n{line}\n")
    with pytest.raises(HierarchyError, match=r"x\.csv, row 2: expected a node and its parent"):
        from_edges(path)


@pytest.mark.parametrize("read", [from_csv, from_edges])
def test_a_file_that_is_not_there_is_empty_or_is_no_text_is_refused(tmp_path, read):
    path = tmp_path / "x.csv"
    with pytest.raises(HierarchyError, match=r"x\.csv does not exist; paths are relative to the release file"):
        read(path)
    path.write_text("")
    with pytest.raises(HierarchyError, match=r"x\.csv is empty; expected a row per value"):
        read(path)
    path.write_bytes(b"caf\xe9,*\n")
    with pytest.raises(HierarchyError, match=r"x\.csv cannot be read as UTF-8 text \(UnicodeDecodeError\)"):
        read(path)
    with pytest.raises(HierarchyError, match="cannot be read"):
        read(tmp_path)


def test_a_file_whose_quotes_do_not_close_is_refused(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text('a,*\n"b,*\n')
    with pytest.raises(HierarchyError, match=r"x\.csv"):
        from_csv(path)
    path.write_text('a,*\n"' + "b,*\n" * 50_000)
    with pytest.raises(HierarchyError, match=r"x\.csv cannot be read as CSV; check its quotes"):
        from_csv(path)


def test_a_file_with_a_header_only_is_refused(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("level0,level1\n")
    with pytest.raises(HierarchyError, match="is empty or has one level only"):
        from_csv(path)
