"""What the documents show runs, and what they name exists."""

import doctest
import importlib
import re
import tomllib
from pathlib import Path
from pkgutil import resolve_name

import pytest
from release_schema import complaints

from shoal.plan.plan import METHODS, QUALITY_MODELS

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def named(page):
    return page.relative_to(ROOT).as_posix()


def blocks(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def test_the_examples_of_the_readme_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    publishes, pays = blocks(ROOT / "README.md", "python")
    scope = {}
    exec(publishes, scope)
    assert sorted(set(scope["release"].data["age"])) == ["30-39", "50-59"]
    assert (tmp_path / "release-owner" / "report.html").exists()
    exec(pays, scope)
    assert str(scope["ledger"].account().totals()[0]) == "epsilon = 2, delta = 0.0001 (add/remove one record)"
    assert scope["ledger"].account().totals()[0] == scope["release"].certificate.guarantees[0].cost


def test_the_examples_of_the_ledger_run():
    examples = blocks(ROOT / "docs" / "ledger.md", "python")
    assert len(examples) == 2
    for example in examples:
        exec(example, {})


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_toml_example_is_valid_toml(page):
    for example in blocks(page, "toml"):
        tomllib.loads(example)


@pytest.mark.parametrize("page", [page for page in PAGES if ">>>" in page.read_text(encoding="utf-8")], ids=named)
def test_what_a_page_shows_as_a_session_is_what_python_answers(page):
    result = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert result.attempted > 0
    assert result.failed == 0


SCENE = """
import shoal
from cases import schema as declared, table
people, schema = table(400), declared()
patients = test_set = people
"""
"""What pages take for granted."""
STANDS_IN = re.compile(r'"(?:illness|income|outcome)"')
"""Columns that they speak of, for each of which the table of the tests has its `grade`."""


@pytest.mark.parametrize("page", sorted({*(ROOT / "docs").rglob("*.md")} - {ROOT / "docs" / "plugins.md"}), ids=named)
def test_every_other_python_example_of_the_documentation_runs(page):
    scope = {}  # plugins.md shows methods with parts left out; those of tests/plugin are whole, and run
    exec(SCENE, scope)
    for example in blocks(page, "python"):
        if ">>>" not in example:
            exec(STANDS_IN.sub('"grade"', example), scope)


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_release_file_that_a_page_shows_is_valid(page):
    for example in blocks(page, "toml"):
        content = tomllib.loads(example)
        if "data" in content:
            assert not complaints(content)


ENTRY_POINTS = {"shoal.methods", "shoal.quality_models", "shoal.criteria", "shoal.hierarchies"}
FILES = {path.name for path in ROOT.rglob("*.py")}


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_module_that_a_page_names_is_there(page):
    text = page.read_text(encoding="utf-8")
    for name in re.findall(r"`([\w.-]+(?:/[\w.-]+)*\.py)`", text):
        places = [start / name for start in (ROOT, ROOT / "src", ROOT / "src" / "shoal", ROOT / "experiments")]
        assert any(place.exists() for place in places) or ("/" not in name and name in FILES), name
    for name in set(re.findall(r"\bshoal(?:\.[A-Za-z_]+)+", text)) - ENTRY_POINTS:
        assert resolve_name(name) is not None, name


def test_the_changes_are_told_by_version():
    heads = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert heads[0] == "Unreleased"
    assert heads[1].split()[0] == version
    assert all(re.fullmatch(r"\d+\.\d+\.\d+(?: \(\d{4}-\d\d-\d\d\))?", head) for head in heads[1:])


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_link_to_a_file_leads_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
        assert "://" in target or (page.parent / target).exists(), target


MODULES = [
    ".".join(path.relative_to(ROOT / "src").with_suffix("").parts).removesuffix(".__init__")
    for path in sorted((ROOT / "src").rglob("*.py"))
    if ">>>" in path.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("module", MODULES)
def test_the_examples_of_the_docstrings_run(module):
    result = doctest.testmod(importlib.import_module(module))
    assert result.attempted > 0
    assert result.failed == 0


def test_the_release_file_page_names_every_method_and_quality_model():
    text = (ROOT / "docs" / "release-file.md").read_text(encoding="utf-8")
    for name in [*METHODS, *QUALITY_MODELS]:
        assert f'"{name}"' in text
