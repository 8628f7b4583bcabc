"""The examples of the pages and docstrings on microaggregation run."""

import doctest
import importlib
from pathlib import Path

import pytest

METHODS = Path(__file__).parents[3] / "docs" / "methods"


@pytest.mark.parametrize(
    "module",
    [
        "shoal.cluster.orders",
        "shoal.cluster.insensitive",
        "shoal.methods.microaggregation.advice",
        "shoal.methods.microaggregation.noise",
    ],
)
def test_the_examples_of_the_docstrings_run(module):
    result = doctest.testmod(importlib.import_module(module))
    assert result.attempted > 0
    assert result.failed == 0


@pytest.mark.parametrize("page", ["mdav.md", "microaggregation-dp.md"])
def test_the_examples_of_the_pages_run(page):
    result = doctest.testfile(str(METHODS / page), module_relative=False)
    assert result.attempted > 0
    assert result.failed == 0
