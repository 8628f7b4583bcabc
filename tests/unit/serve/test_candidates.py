"""Releases side by side: up to four, each with its files and release file; of private ones what was paid for."""

import pytest

from shoal.serve.candidates import MOST_KEPT, compared, drop, keep, may_keep, take
from shoal.serve.tabs import Tabs
from shoal.serve.texts import Texts
from shoal.serve.work.running import run

FILE = """[data]
path = "people.csv"
[columns.age]
role = "quasi-identifier"
hierarchy = "hierarchies/age.csv"
[columns.illness]
role = "sensitive"
[method]
name = "optimal-lattice"
k = 2
suppression_limit = 0.5
"""
TREE = "\n".join(f"{age},{age // 5 * 5}-{age // 5 * 5 + 4},*" for age in range(20, 30))


@pytest.fixture
def tab(tmp_path):
    tab = Tabs(tmp_path).of("one")
    tab.take(FILE)
    tab.save()
    (tab.work / "hierarchies").mkdir()
    (tab.work / "hierarchies" / "age.csv").write_text(TREE)
    rows = "\n".join(f"{20 + i % 10},{'abc'[i % 3]}" for i in range(40))
    (tab.work / "people.csv").write_text(f"age,illness\n{rows}\n")
    return tab


def made(tab):
    """Run as the page does."""
    tab.release_folder.parent.mkdir(exist_ok=True)
    tab.jobs += 1
    result = run(str(tab.work), str(tab.release_folder), True, progress=lambda *_: None)
    tab.result, tab.result_text = {**result, "number": tab.jobs}, tab.text
    return (tab.release_folder / "data.csv").read_text()


def test_what_was_kept_comes_back_with_its_files_and_its_hierarchies(tab):
    fine = made(tab)
    keep(tab)
    keep(tab)  # once is enough
    assert len(tab.candidates) == 1
    first = tab.candidates[0]
    tab.change(lambda content: content["method"].update(k=20))
    assert not may_keep(tab)  # not what the release file says now
    (tab.work / "hierarchies" / "age.csv").write_text(TREE.replace("20-24", "young"))
    coarse = made(tab)
    assert coarse != fine
    keep(tab)
    token = tab.offer(tab.release_folder)
    take(tab, first)
    assert (tab.release_folder / "data.csv").read_text() == fine
    assert (tab.owner_folder / "report.html").exists()
    assert (tab.work / "hierarchies" / "age.csv").read_text() == TREE
    assert tab.is_current
    assert tab.content["method"]["k"] == 2
    assert token not in tab.downloads
    tab.undo()
    assert tab.content["method"]["k"] == 20
    assert not tab.is_current
    rows = dict(compared(tab.candidates, Texts("en")))
    assert rows["Method"] == ["optimal-lattice"] * 2
    assert rows["Smallest group"] == ["4", "20"]
    assert rows["Groups of records that look alike"] == ["10", "2"]
    assert rows["Chance to find a person, on average"] == ["25.00%", "5.00%"]
    assert rows["Lost (loss)"][0] == "0.000"
    folder = first.folder
    drop(tab, first)
    assert not folder.exists()
    left = tab.candidates[0].folder
    tab.start_anew()
    assert tab.candidates == []
    assert not left.exists()


def test_no_more_than_four_are_kept(tab):
    made(tab)
    for _ in range(MOST_KEPT + 2):
        keep(tab)
        tab.result = {**tab.result, "number": tab.result["number"] + 1}
    assert len(tab.candidates) == MOST_KEPT == 4


def test_of_a_private_release_only_what_was_paid_for_is_compared(tab):
    made(tab)
    tab.result |= {"is_paid": True, "guarantees": ["ε = 1"]}  # whatever a run may have told
    keep(tab)
    rows = dict(compared(tab.candidates, Texts("en")))
    told = {name: cells for name, cells in rows.items() if cells != ["–"]}
    assert told == {"Method": ["optimal-lattice"], "Promised": ["ε = 1"], "Records published": ["40"]}
