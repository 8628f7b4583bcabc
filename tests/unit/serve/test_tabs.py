"""A tab edits a release file, can take edits back, and knows nothing of other tabs."""

import tomllib

from shoal.serve.tabs import Tabs

FILE = '[data]\npath = "people.csv"\n\n[columns.age]\nrole = "quasi-identifier"\n'


def test_edits_can_be_taken_back_and_are_on_the_disk(tmp_path):
    tab = Tabs(tmp_path).of("one")
    tab.take(FILE)
    start = tab.text
    tab.change(lambda content: content["columns"]["age"].update(role="sensitive"))
    tab.change(lambda content: content["columns"]["age"].update(role="sensitive"))  # nothing new
    assert tomllib.loads((tab.work / "release.toml").read_text())["columns"]["age"]["role"] == "sensitive"
    assert (tab.work / "release.toml").stat().st_mode & 0o077 == 0
    tab.undo()
    assert tab.text == start == (tab.work / "release.toml").read_text()
    tab.redo()
    assert "sensitive" in tab.text
    assert tab.can_undo
    tab.undo()
    assert not tab.can_undo
    tab.undo()
    assert tab.text == start


def test_what_no_file_can_hold_is_not_taken(tmp_path):
    tab = Tabs(tmp_path).of("one")
    tab.take(FILE)
    start = tab.text
    for value in (None, [None], {"a": object()}, "\ud800"):
        tab.change(lambda content, value=value: content["columns"]["age"].update(role=value))
        assert tab.text == start
        assert "left as it was" in tab.failure
        assert not tab.can_undo
    tab.change(lambda content: content["columns"]["age"].update(role="sensitive"))
    assert tab.failure == ""


def test_tabs_are_separate_and_a_closed_one_is_forgotten(tmp_path):
    tabs = Tabs(tmp_path)
    one, other = tabs.of("one"), tabs.of("other")
    assert tabs.of("one") is one
    assert one.folder != other.folder
    token = one.offer(one.folder / "file")
    assert one.offer(one.folder / "file") == token
    assert token not in other.downloads
    (one.work / "upload").write_text("secret")
    one.start_anew()
    assert list(one.work.iterdir()) == []
    assert one.downloads == {}
    other.viewers.add("somebody")
    one.last_seen = other.last_seen = -1e9
    tabs.tidy()
    assert list(tabs.known) == ["other"]
    assert not one.folder.exists()


def test_a_result_belongs_to_the_file_that_was_run(tmp_path):
    tab = Tabs(tmp_path).of("one")
    tab.take(FILE)
    tab.result, tab.result_text = {}, tab.text
    assert tab.is_current
    tab.change(lambda content: content["columns"]["age"].update(role="sensitive"))
    assert not tab.is_current
    tab.undo()
    assert tab.is_current


def test_another_look_at_the_table_leaves_nothing_of_the_one_before(tmp_path):
    tab = Tabs(tmp_path).of("one")
    tab.take(FILE)
    tab.change(lambda content: content["columns"]["age"].update(role="sensitive"))
    tab.lattice, tab.wanted, tab.original, tab.column = {}, [1], {}, "age"
    tab.take_anew(FILE)
    assert (tab.lattice, tab.wanted, tab.original, tab.column) == (None, None, None, None)
    assert not tab.can_undo
    assert "quasi-identifier" in tab.text
