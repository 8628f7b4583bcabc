"""The house is as ARCHITECTURE.md draws it: tests stand where the code stands, and no room is crowded."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HOUSE, TESTS = ROOT / "src" / "shoal", ROOT / "tests" / "unit"
MOST = 15
"""Entries of a folder that a newcomer still reads."""


def rooms(house):
    """Folders that hold Python, relative to the house."""
    return {path.parent.relative_to(house).as_posix() for path in house.rglob("*.py")} - {"."}


def test_tests_stand_in_the_same_rooms_as_the_code():
    assert rooms(TESTS) <= rooms(HOUSE)


def test_no_room_is_crowded():
    for room in rooms(HOUSE):
        entries = [path for path in (HOUSE / room).iterdir() if path.name not in {"__pycache__", "__init__.py"}]
        assert len(entries) <= MOST, room
    assert len([path for path in HOUSE.iterdir() if path.suffix == ".py"]) <= MOST, "beside the rooms"


def test_nothing_strays_into_the_repository():
    if not (ROOT / ".git").exists():
        pytest.skip("it is not a repository")
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split(
        "\n"
    )
    folders = {name.partition("/")[0] for name in listed if "/" in name}
    assert folders <= {".ci", ".github", "benchmarks", "docs", "examples", "experiments", "src", "tests", "tools"}
    files = {name for name in listed if name and "/" not in name and not name.startswith(".")}
    assert {Path(name).suffix for name in files} <= {".md", ".toml", ".yml", ""}
    assert {name for name in files if name.endswith(".toml")} == {"pyproject.toml"}
    assert {name for name in files if name.endswith(".yml")} == {"mkdocs.yml"}


def test_every_room_says_what_it_is():
    for room in rooms(HOUSE):
        first = (HOUSE / room / "__init__.py").read_text(encoding="utf-8")
        assert first.startswith('"""'), room


def test_the_map_shows_every_room_and_no_other():
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    drawn = re.search(r"## The rooms.*?```text\n(.*?)```", text, flags=re.DOTALL)[1]
    names = {part for room in rooms(HOUSE) for part in room.split("/")} - {"examples"}
    shown = {part for path in re.findall(r"[a-z_]+(?:/[a-z_]+)*/", drawn) for part in path.strip("/").split("/")}
    assert shown == names


def test_the_fast_tests_are_there_and_look_into_every_room():
    listed = [line for line in (ROOT / "tests" / "fast.txt").read_text(encoding="utf-8").splitlines() if line[0] != "#"]
    assert listed == sorted(set(listed))
    assert all((ROOT / file).is_file() for file in listed)
    seen = {file.split("/")[2] for file in listed if file.startswith("tests/unit/") and file.count("/") > 2}
    rooms = {path.name for path in TESTS.iterdir() if path.is_dir() and any(path.rglob("test_*.py"))}
    assert seen == rooms - {"kernels"}  # its only file draws thousands of tables


def test_every_core_type_is_where_the_map_says():
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    for row in re.search(r"## Core types\n\n(.*?)\n\n", text, flags=re.DOTALL)[1].splitlines()[2:]:
        names, places = row.split(" | ")[:2]
        code, folder = "", HOUSE
        for place in re.findall(r"`([\w/]+(?:\.py)?)`", places):  # a bare name is of a file beside the one before it
            path = HOUSE / place if (HOUSE / place).exists() else folder / place
            assert path.exists(), row
            folder = path.parent
            files = path.rglob("*.py") if path.is_dir() else [path]
            code += "".join(file.read_text(encoding="utf-8") for file in files)
        for name in re.findall(r"`(?:\w+\.)?(\w+)`", names):
            assert re.search(rf"^(?:class |def )?{name}\b", code, flags=re.MULTILINE), f"{name} is not in {places}"


@pytest.mark.slow
def test_a_record_walks_no_further_than_the_map_says():
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    bars = re.findall(r"([0-9]+)\s+and\s+([0-9]+)\s+for\s+`([a-z-]+)`", text)
    command = [sys.executable, str(ROOT / "tools" / "walk.py")]  # a process of its own: nothing is known beforehand
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    walked = {
        name: (int(modules), int(crossings)) for name, modules, crossings in map(str.split, told.splitlines()[1:])
    }
    assert walked.keys() == {name for *_, name in bars}
    for modules, crossings, name in bars:
        assert walked[name][0] < int(modules), f"{name}: `tools/walk.py --list` shows which modules"
        assert walked[name][1] < int(crossings), name
