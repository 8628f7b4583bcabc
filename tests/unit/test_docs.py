"""What the documents show runs, and what they name exists."""

import doctest
import importlib
import re
import runpy
import subprocess
import sys
import tomllib
from functools import cache
from itertools import pairwise
from pathlib import Path
from pkgutil import resolve_name

import pytest
from following import Reader, blocks, commands, unknown
from release_schema import complaints

import shoal
from shoal.plan.plan import METHODS, QUALITY_MODELS

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def named(page):
    return page.relative_to(ROOT).as_posix()


def of(language, page):
    return [block.text for block in blocks(page) if block.language == language]


def is_followed(page):
    """Whether a page shows commands with their answers, code with what it prints, or files."""
    kinds = [block.language for block in blocks(page)]
    is_told = any(pair == ("python", "text") for pair in pairwise(kinds))
    return is_told or "console" in kinds or any(block.title for block in blocks(page))


SKETCHED = {ROOT / "ARCHITECTURE.md", ROOT / "docs" / "plugins.md"}
"""Pages that show code with parts left out; the methods of tests/plugin are whole, and run."""
FOLLOWED = [page for page in PAGES if page not in SKETCHED and is_followed(page)]
"""Pages that are followed from top to bottom, in a folder of their own."""
LANGUAGES = {"python", "console", "sh", "toml", "text", "csv", "json"}


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_block_says_what_it_is_and_every_command_is_one_that_there_is(page):
    for block in blocks(page):
        assert block.language in LANGUAGES, f"line {block.line}"
        for command in commands(block) if block.language in {"sh", "console"} else ():
            if command.startswith("shoal "):
                assert unknown(command) is None, f"line {block.line}: {command}: {unknown(command)}"


WHOLE = {"data": {"path": "people.csv"}, "columns": {"age": {"role": "quasi-identifier"}}, "method": {"name": "ola"}}
"""A release file."""
LATTICE = {"name": "optimal-lattice", "k": 5}


def wholes(content):
    """Release files of which what a page shows may be a part: some tables, or lines of [method] or of [data]."""
    if set(content) & {*WHOLE, "release", "output", "budget"}:
        return [{**WHOLE, **content}]
    return [{**WHOLE, "method": {**LATTICE, **content}}, {**WHOLE, "data": {**WHOLE["data"], **content}}]


@pytest.mark.parametrize("page", [page for page in PAGES if of("toml", page)], ids=named)
def test_every_toml_example_is_one_that_shoal_reads(page):
    for content in map(tomllib.loads, of("toml", page)):
        found = [complaints(whole) for whole in wholes(content)]
        assert "project" in content or [] in found, found


SESSIONS = [page for page in PAGES if ">>>" in page.read_text(encoding="utf-8") and page not in FOLLOWED]


@pytest.mark.parametrize("page", SESSIONS, ids=named)
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


QUICK = {
    "README.md",
    "anjana-pycanon.md",
    "arx.md",
    "building-hierarchies.md",
    "choosing.md",
    "custodian.md",
    "researcher.md",
    "sdcmicro.md",
}
"""Pages that are followed in the default tests; the others, which take a second or more each, in the slow ones."""


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=() if page.name in QUICK else pytest.mark.slow, id=named(page)) for page in FOLLOWED],
)
def test_a_page_can_be_followed(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    Reader(page).follow()


@pytest.mark.parametrize(
    "page", [page for page in PAGES if of("python", page) and page not in {*FOLLOWED, *SKETCHED}], ids=named
)
def test_every_other_python_example_of_the_documentation_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    scope = {}
    exec(SCENE, scope)
    for example in of("python", page):
        if ">>>" not in example:
            exec(STANDS_IN.sub('"grade"', example), scope)


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
    for target, place in re.findall(r"\]\(([^)#]*)(?:#([^)]*))?\)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            path = page.parent / target if target else page
            assert path.exists(), target
            assert not place or place in places(path), f"{target}#{place}"


@cache
def places(page):
    """The headings of a page, as links name them."""
    heads = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).strip().replace(" ", "-") for head in heads}


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


def test_the_notebook_says_what_its_page_says():
    made = runpy.run_path(str(ROOT / "tools" / "notebook.py"))
    assert made["NOTEBOOK"].read_text(encoding="utf-8") == made["notebook"](made["PAGE"].read_text(encoding="utf-8"))


def test_the_decision_guide_says_what_advise_says():
    made = runpy.run_path(str(ROOT / "tools" / "decision_tables.py"))
    text = made["PAGE"].read_text(encoding="utf-8")
    assert made["page"](text) == text


def test_the_api_page_tells_of_every_public_name_once():
    told = re.findall(r"^::: shoal\.(\w+)$", (ROOT / "docs" / "api.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(told) == sorted(shoal.__all__)


def test_the_site_lists_every_page():
    lines = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    listed = re.findall(r"[\w/-]+\.md", lines)
    assert sorted(listed) == sorted(
        page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").rglob("*.md")
    )


@pytest.mark.slow
def test_the_site_is_built_without_a_warning_and_asks_for_nothing_elsewhere(tmp_path):
    pytest.importorskip("mkdocstrings", reason="shoal[docs] is not installed")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    loaded = r"<(?:link|script|img|iframe)\b[^>]*\b(?:href|src)=[\"'](?:https?:)?//(?!127\.0\.0\.1)"
    for page in tmp_path.rglob("*.html"):
        assert not re.findall(loaded, page.read_text(encoding="utf-8")), page.name


SECTIONS = ("What it does", "Parameters", "What is promised", "Measured")


@pytest.mark.parametrize("page", sorted((ROOT / "docs" / "methods").glob("*.md")), ids=named)
def test_every_page_of_a_method_has_the_same_parts(page):
    text = page.read_text(encoding="utf-8")
    heads = re.findall(r"^## (.*)$", text, flags=re.MULTILINE)
    assert [part for part in SECTIONS if any(head.startswith(part) for head in heads)] == list(SECTIONS)
    glance = re.findall(
        r"^\| (at a glance|take it when|what comes out|promise|needs|parameters) \|", text, re.MULTILINE
    )
    assert glance == ["at a glance", "take it when", "what comes out", "promise", "needs", "parameters"]
    told = [tomllib.loads(example) for example in of("toml", page)]
    names = re.findall(r"`([\w-]+)`", text.splitlines()[0])
    assert {content["method"]["name"] for content in told if "method" in content} & set(names)


def test_every_method_has_a_page():
    titles = [page.read_text(encoding="utf-8").splitlines()[0] for page in (ROOT / "docs" / "methods").glob("*.md")]
    assert sorted(name for title in titles for name in re.findall(r"`([\w-]+)`", title)) == sorted(METHODS)


MEASURED = re.compile(r"\b\d+(?:\.\d+)? (?:s|ms|MB|GB|seconds)\b")


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_figures_name_what_prints_them(page):
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for part in re.split(r"^(?=## )", text, flags=re.MULTILINE):
        if len(MEASURED.findall(part)) > 2:
            assert re.search(r"\w\.py\b|`make ", part), part.splitlines()[0]


def test_the_readme_tells_the_figures_of_the_benchmarks():
    told = (ROOT / "README.md").read_text(encoding="utf-8").partition("## How fast")[2].partition("\n## ")[0]
    found = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    for figure in re.findall(r"\b\d+\.\d+(?= s\b)|\b\d{3}\b(?= MB|, | \|)", told):
        assert re.search(rf"(?<![\d.]){re.escape(figure)}(?![\d.])", found), figure
