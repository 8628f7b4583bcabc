"""Attacks at a click: what `shoal attack` says, on the release as it was made; none on what has a price."""

import pytest

from shoal.errors import ParameterError
from shoal.serve.work.attacking import attack
from shoal.serve.work.running import run

FILE = """[data]
path = "people.csv"
[columns.age]
role = "quasi-identifier"
domain = { from = 20, to = 29 }
hierarchy = { intervals = [5] }
[columns.illness]
role = "sensitive"
domain = ["a", "b"]
[method]
"""


def silent(*_):
    pass


def test_the_release_that_was_made_is_attacked_whatever_the_file_says_now(tmp_path):
    work, release = tmp_path / "work", tmp_path / "result" / "release"
    work.mkdir()
    release.parent.mkdir()
    rows = "\n".join(f"{20 + i % 10},{'ab'[i % 5 > 0]}" for i in range(40))  # who knows an age knows the illness
    (work / "people.csv").write_text(f"age,illness\n{rows}\n")
    (work / "release.toml").write_text(f'{FILE}name = "optimal-lattice"\nk = 4\n')
    run(str(work), str(release), True, progress=silent)
    (work / "release.toml").write_text("[method]\n")
    found = attack(str(work), str(release), progress=silent)
    assert found["level"] == "weigh"
    assert "About 100.0% of people the release leaves no doubt what their illness is." in [
        *found["sentences"],
        *found["points"],
    ]
    page = tmp_path / "result" / "release-owner" / "attack.html"
    assert "What an attacker would find" in page.read_text()
    assert page.stat().st_mode & 0o077 == 0
    assert sorted(path.name for path in release.iterdir()) == ["README.md", "certificate.json", "data.csv"]
    paid = f'{FILE}name = "safepub"\nepsilon = 1\ndelta = 0.001\n'
    (tmp_path / "result" / "release-owner" / "release.toml").write_text(paid)
    with pytest.raises(ParameterError, match="not paid for"):
        attack(str(work), str(release), progress=silent)
