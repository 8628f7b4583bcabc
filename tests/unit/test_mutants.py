"""The list of survivors that no test can notice stays true, and what breaks code really breaks it."""

import ast
import importlib.util
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
spec = importlib.util.spec_from_file_location("mutants", ROOT / "tools" / "mutants.py")
mutants = importlib.util.module_from_spec(spec)
sys.modules["mutants"] = mutants
spec.loader.exec_module(mutants)

MODULES = sorted({path for pattern in mutants.TESTED for path in mutants.SOURCE.glob(pattern)})


def of(code):
    """The changes of a piece of code."""
    breaker = mutants.Breaker()
    breaker.visit(ast.parse(code))
    return [change for _, _, _, change in breaker.found]


def test_every_accepted_survivor_is_a_mutant_and_has_a_reason():
    keys = {mutant.key for path in MODULES for mutant in mutants.mutants(path)}
    for key, reason in mutants.accepted().items():
        assert key in keys, key
        assert len(reason.split()) > 3, key


@pytest.mark.slow
@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_every_mutant_is_another_program(path):
    true = ast.dump(ast.parse(path.read_text(encoding="utf-8")))
    for mutant in mutants.mutants(path):
        tree = mutants.Breaker(mutant.number).visit(ast.parse(path.read_text(encoding="utf-8")))
        assert ast.dump(tree) != true, mutant.key
    assert compile(ast.fix_missing_locations(ast.parse(path.read_text(encoding="utf-8"))), str(path), "exec")


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_every_module_has_tests_of_its_own(path):
    own, others = mutants.test_lists(path)
    assert own or others
    assert not set(own) & set(others)


@pytest.mark.parametrize(
    ("code", "changes"),
    [
        ("x = a < b", ["a < b  ->  a <= b   in   x = a < b"]),
        ("if a:\n    pass", ["a  ->  not a   in   if a:"]),
        ("ledger.charge(c)", ["ledger.charge(c)  ->  pass"]),
        ("raise E(1 + 2)", ["raise E(1 + 2)  ->  pass"]),
        ("x = min(a, b)", ["min  ->  max   in   x = min(a, b)"]),
        ("assert a < b", []),
        ("x: int = 1", ["1  ->  2   in   x: int = 1"]),
        ("LIMIT = 1 << 20", []),
        ("y = 'a' + b", []),
        ("y = zip(a, strict=True)", []),
        ("def f(a: int = 0) -> int:\n    'doc'\n    return a - 1", [
            "a - 1  ->  a + 1   in   return a - 1", "1  ->  2   in   return a - 1", "0  ->  1   in   def f"]),
    ],
)  # fmt: skip
def test_what_is_broken_and_what_is_left_alone(code, changes):
    assert of(code) == changes
