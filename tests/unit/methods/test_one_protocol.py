"""Methods are asked what they are, and nobody asks their type."""

import re
from pathlib import Path

import shoal

HOUSE = Path(shoal.__file__).parent


def test_nobody_asks_for_the_type_of_a_method():
    asking = re.compile(r"isinstance\([^()]*\bMethod\b|CoversColumns|PrivateMethod")
    assert [path.name for path in HOUSE.rglob("*.py") if asking.search(path.read_text(encoding="utf-8"))] == []
