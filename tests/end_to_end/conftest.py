"""Every test here works at a desk of its own."""

import re
import tempfile

import pytest
from desk import Desk


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """The desk, with a place for temporary files that must be empty again."""
    folder, scratch = tmp_path / "desk", tmp_path / "scratch"
    folder.mkdir()
    scratch.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    monkeypatch.setenv("TMPDIR", str(scratch))
    return Desk(folder, scratch)


@pytest.fixture
def matches():
    """Assert that a sentence matches a pattern; a failure shows both."""

    def matches(pattern, sentence):
        assert re.search(pattern, sentence), f"\n{sentence!r}\ndoes not match\n{pattern!r}"

    return matches
