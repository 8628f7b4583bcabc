"""What the documents show runs, and what they name exists."""

import doctest
import importlib
import re
import tomllib
from pathlib import Path

import pytest

from shoal.plan.plan import METHODS, QUALITY_MODELS

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


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


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_toml_example_is_valid_toml(page):
    for example in blocks(page, "toml"):
        tomllib.loads(example)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_to_a_file_leads_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
        assert "://" in target or (page.parent / target).exists(), target


@pytest.mark.parametrize(
    "module",
    [
        "shoal.methods.full_domain.optimal_lattice",
        "shoal.methods.top_down.tds",
        "shoal.methods.top_down.pais",
        "shoal.release",
        "shoal.ledger",
        "shoal.notebook",
        "shoal.parameters",
        "shoal.dp",
        "shoal.data.schema",
    ],
)
def test_the_examples_of_the_docstrings_run(module):
    result = doctest.testmod(importlib.import_module(module))
    assert result.attempted > 0
    assert result.failed == 0


def test_the_release_file_page_names_every_method_and_quality_model():
    text = (ROOT / "docs" / "release-file.md").read_text(encoding="utf-8")
    for name in [*METHODS, *QUALITY_MODELS]:
        assert f'"{name}"' in text
