"""What the documentation shows is what happens."""

import doctest
import importlib
from pathlib import Path

import pytest

import shoal.audit

DOCS = Path(__file__).parents[3] / "docs"
MODULES = [
    "shoal.audit",
    "shoal.audit.confidence",
    "shoal.audit.enumeration",
    "shoal.audit.loss",
    "shoal.audit.neighbors",
    "shoal.dp.coins.coins",
    "shoal.dp.coins.enclosures",
    "shoal.dp.mechanisms.laplace",
    "shoal.dp.mechanisms.scores",
    "shoal.dp.mechanisms.selection",
]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_in_docstrings_run(name):
    result = doctest.testmod(importlib.import_module(name))
    assert result.attempted > 0
    assert result.failed == 0


@pytest.mark.parametrize("page", ["audit.md", "proofs/coins.md", "proofs/selection.md"])
def test_the_examples_in_pages_run(page):
    result = doctest.testfile(str(DOCS / page), module_relative=False, encoding="utf-8")
    assert result.attempted > 0
    assert result.failed == 0


def test_every_public_name_is_documented():
    for name in shoal.audit.__all__:
        assert getattr(shoal.audit, name).__doc__
