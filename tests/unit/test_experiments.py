"""The experiments are listed as they are, and their runner goes on where it was stopped."""

import importlib
import json
import re
import sys
from importlib import util
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

ROOT = Path(__file__).resolve().parents[2]
EXPERIMENTS = ROOT / "experiments"
HELPERS = {
    *("workbench.py", "run.py", "common.py", "tables.py"),
    *("aim.py", "voters.py", "wordnet.py", "ripper.py", "learners.py", "grid.py", "rank_tests.py"),
}
"""What is no experiment by itself."""


@pytest.fixture
def runner(monkeypatch):
    monkeypatch.syspath_prepend(str(EXPERIMENTS))
    spec = util.spec_from_file_location("run_experiments", EXPERIMENTS / "run.py")
    made = util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "run_experiments", made)  # where dataclasses look for names
    spec.loader.exec_module(made)
    return made


def test_what_is_run_and_what_is_documented_are_the_scripts_there_are(runner):
    there = {path.relative_to(EXPERIMENTS).as_posix() for path in EXPERIMENTS.rglob("*.py")}
    there = {path for path in there if Path(path).name not in HELPERS}
    page = (ROOT / "docs" / "reproduction.md").read_text(encoding="utf-8")
    assert {script.path for script in runner.scripts()} == there
    assert set(re.findall(r"`(\w+/\w+\.py)`", page)) == there


def test_the_runner_goes_on_where_it_was_stopped(runner, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(runner, "HERE", tmp_path)
    (tmp_path / "scripts.toml").write_text('["a.py"]\nseconds = 1\n["b.py"]\nseconds = 2\nfull = []\n')
    (tmp_path / "a.py").write_text("print('one')")
    (tmp_path / "b.py").write_text("raise SystemExit('skipped: no data')")
    monkeypatch.setattr(sys, "argv", ["run.py", "--results", str(tmp_path / "results")])
    assert runner.main() == 1
    kept = json.loads((tmp_path / "results" / "a.json").read_text())
    assert kept["output"] == ["one"]
    assert "no result of b.py: skipped: no data" in capsys.readouterr().out

    (tmp_path / "b.py").write_text("print('two')")
    assert runner.main() == 0
    said = capsys.readouterr().out
    assert "2 scripts, 1 done, about 2 s left" in said
    assert "[2/2] b.py" in said
    assert "a.py" not in said
    assert runner.main() == 0
    assert "2 done" in capsys.readouterr().out


def test_numbers_that_took_long_are_found_once(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(EXPERIMENTS))
    workbench = importlib.import_module("workbench")
    monkeypatch.setattr(workbench, "RESULTS", tmp_path)
    assert workbench.Kept("cells").get(("adult", 5), lambda: [1.5]) == [1.5]
    with (tmp_path / "cells.jsonl").open("a") as file:
        file.write('\n["[\\"adult\\", 6]", [2')  # killed while it wrote
    again = workbench.Kept("cells")
    assert again.get(("adult", 5), lambda: pytest.fail("looked for again")) == [1.5]
    assert again.get(("adult", 6), lambda: [2.5]) == [2.5]
    assert workbench.Kept("cells").get(("adult", 6), lambda: pytest.fail("looked for again")) == [2.5]


def test_ripper_finds_the_rule_that_made_the_classes(monkeypatch):
    monkeypatch.syspath_prepend(str(EXPERIMENTS / "nsvdist"))
    ripper = importlib.import_module("ripper")
    rng = np.random.default_rng(0)
    features = np.stack([rng.uniform(0, 10, 600), rng.uniform(0, 10, 600), rng.integers(0, 4, 600)], axis=1)
    labels = np.where((features[:, 0] <= 3) & (features[:, 2] == 2), 7, np.where(features[:, 1] >= 8, 5, 1))
    found = ripper.Ripper(nominal=1).fit(features[:400], labels[:400]).predict(features[400:])
    assert (found == labels[400:]).mean() > 0.97


def test_nsvdists_384_p_values_follow_from_its_ranks_by_a_one_sided_test(monkeypatch):
    monkeypatch.syspath_prepend(str(EXPERIMENTS / "nsvdist"))
    rank_tests = importlib.import_module("rank_tests")
    told = rank_tests.papers_agreement(rank_tests.printed())
    assert told == {5: (64, 64), 6: (64, 64), 9: (128, 128), 10: (128, 128)}
    ranks = np.array([np.random.default_rng(seed).permutation(5) + 1 for seed in range(9)])
    assert rank_tests.friedman(ranks.mean(axis=0), 9) == pytest.approx(stats.friedmanchisquare(*ranks.T).pvalue)
