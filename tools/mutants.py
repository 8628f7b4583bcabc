"""How good the tests are: the code is broken in small ways, one at a time, and the tests should notice.

Every place of the modules below where a comparison, an operator, a number, a condition, a call for its effect or a
`raise` could be wrong is a mutant. A sample of them (drawn with a seed) is tested, each in a forked process of its own
that reads the broken module instead of the true one: first the test files that name the module, then the whole of what
is said to test it. A mutant that no test notices survives. Survivors that change nothing anybody could see are listed
with the reason in `tests/mutants.txt`, by the text of the code and not by its line, so that the list stays true; an
entry that no longer stands for a mutant is reported.

Left out: annotations, docstrings, assertions, the wording of errors, and by how little a limit of the implementation (a
module's constant in capitals) could be larger.

Why not a kept tool: mutmut and cosmic-ray run the suite once for every mutant in a fresh interpreter, which takes
minutes each here, and neither chooses tests by module nor keys its exceptions by text.

Run: python tools/mutants.py [--sample 100] [--seed 1] [--jobs 2] [--only dp/laplace] [--list] [--least 0.9]
"""

# ruff: noqa: D102  visitors of a syntax tree are named after what they visit

from __future__ import annotations

import argparse
import ast
import copy
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "shoal"
ACCEPTED = ROOT / "tests" / "mutants.txt"

TESTED = {
    "dp/*/*.py": ["tests/unit/dp"],
    "criteria/*.py": ["tests/unit/criteria", "tests/unit/methods/full_domain"],
    "parameters/*.py": ["tests/unit/parameters", "tests/unit/plan", "tests/conformance"],
    "promises/checking/*.py": [
        "tests/unit/promises",
        "tests/unit/test_pipeline.py",
        "tests/adversary/test_edited_releases.py",
    ],
    "promises/*.py": [
        "tests/unit/promises",
        "tests/unit/test_release.py",
        "tests/unit/test_pipeline.py",
        "tests/end_to_end/test_signed_release.py",
        "tests/conformance",
    ],
    "methods/diffgen/*.py": ["tests/unit/methods/diffgen"],
    "methods/nsvdist/hardened.py": ["tests/unit/methods/nsvdist"],
    "methods/parts/rings.py": ["tests/unit/methods/nsvdist", "tests/unit/methods/parts"],
    "release.py": ["tests/unit/test_release.py", "tests/unit/test_pipeline.py", "tests/conformance"],
}
"""What is mutated, and what tests it; files that are not there are passed over."""

FIRST, ALL = 180, 900
"""Seconds for the tests that name the module, and for all of them: a mutant that takes longer is noticed."""

COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv, ast.Pow: ast.Mult, ast.LShift: ast.RShift, ast.RShift: ast.LShift, ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}  # fmt: skip
NAMED = {"min": "max", "max": "min", "any": "all", "all": "any", "ceil": "floor", "floor": "ceil", "sorted": "list",
         "low": "high", "high": "low", "_UP": "_DOWN", "_DOWN": "_UP"}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """One way to break a module."""

    path: Path
    number: int
    line: int
    where: str
    change: str

    @property
    def key(self) -> str:
        """As it stands in the list of accepted ones."""
        return f"{self.path.relative_to(SOURCE).as_posix()} | {self.where} | {self.change}"


class Breaker(ast.NodeTransformer):
    """Counts the places that can be broken, and breaks the one with a given number."""

    def __init__(self, chosen: int | None = None) -> None:
        self.chosen, self.count, self.where = chosen, 0, ["module"]
        self.statement = ""
        self.found: list[tuple[int, int, str, str]] = []

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, ast.stmt):
            self.statement = _head(node)
        return super().visit(node)

    def offer(self, node: ast.AST, other: ast.AST) -> ast.AST:
        """One mutant: `other` instead of `node`."""
        number, self.count = self.count, self.count + 1
        if self.chosen is None:
            before, after = _text(node), _text(other)
            around = "" if before == self.statement else f"   in   {self.statement}"
            where = ".".join(self.where[1:]) or "module"
            self.found.append((number, getattr(node, "lineno", 0), where, f"{before}  ->  {after}{around}"))
        return ast.copy_location(other, node) if number == self.chosen else node

    # Where we are, and what is left alone

    def _named(self, node: Any) -> ast.AST:
        self.where.append(node.name)
        node.body = [self.visit(statement) for statement in node.body]
        if isinstance(node, ast.FunctionDef):
            self.statement = f"def {node.name}"
            node.args.defaults = [self.visit(default) for default in node.args.defaults]
            node.args.kw_defaults = [d and self.visit(d) for d in node.args.kw_defaults]
        self.where.pop()
        return node

    visit_FunctionDef = visit_ClassDef = _named  # noqa: N815  ast's names

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        node.value = node.value and self.visit(node.value)
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        is_limit = len(self.where) == 1 and all(isinstance(t, ast.Name) and t.id.isupper() for t in node.targets)
        return node if is_limit else self.generic_visit(node)

    def visit_Import(self, node: ast.AST) -> ast.AST:
        return node

    visit_ImportFrom = visit_JoinedStr = visit_Import  # noqa: N815

    def visit_keyword(self, node: ast.keyword) -> ast.AST:
        return node if node.arg == "strict" else self.generic_visit(node)  # lengths that are equal by construction

    def visit_If(self, node: ast.If) -> ast.AST:
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return node
        if not isinstance(node.test, ast.Compare | ast.BoolOp | ast.UnaryOp):  # those are broken from inside
            node.test = self.offer(node.test, ast.UnaryOp(ast.Not(), node.test))  # type: ignore[assignment]
        return self.generic_visit(node)

    # What is broken

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        return self.offer(node, ast.Pass()) if node.exc is not None else node

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        if isinstance(node.value, ast.Constant | ast.Yield | ast.YieldFrom):
            return node
        dropped = self.offer(node, ast.Pass())
        return dropped if dropped is not node else self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        for i, op in enumerate(node.ops):
            if type(op) in COMPARED:
                ops = [*node.ops[:i], COMPARED[type(op)](), *node.ops[i + 1 :]]
                broken = self.offer(node, ast.Compare(node.left, ops, node.comparators))
                if broken is not node:
                    return broken
        return self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        is_text = any(isinstance(side, ast.JoinedStr | ast.Constant) and isinstance(getattr(side, "value", ""), str)
                      for side in (node.left, node.right))  # fmt: skip
        if type(node.op) in COMPUTED and not is_text:
            broken = self.offer(node, ast.BinOp(node.left, COMPUTED[type(node.op)](), node.right))
            if broken is not node:
                return broken
        return self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        if type(node.op) in COMPUTED:
            broken = self.offer(node, ast.AugAssign(node.target, COMPUTED[type(node.op)](), node.value))
            if broken is not node:
                return broken
        return self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        broken = self.offer(node, ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values))
        return broken if broken is not node else self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        if isinstance(node.op, ast.Not | ast.USub | ast.Invert):
            broken = self.offer(node, node.operand)
            if broken is not node:
                return broken
        return self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        broken = self.offer(node, ast.IfExp(node.test, node.orelse, node.body))
        return broken if broken is not node else self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if isinstance(node.value, bool):
            return self.offer(node, ast.Constant(not node.value))
        if isinstance(node.value, int):
            return self.offer(node, ast.Constant(node.value + 1))
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if isinstance(node.ctx, ast.Load) and node.id in NAMED and node.id not in ("low", "high"):
            return self.offer(node, ast.Name(NAMED[node.id], node.ctx))
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if isinstance(node.ctx, ast.Load) and node.attr in NAMED:
            broken = self.offer(node, ast.Attribute(node.value, NAMED[node.attr], node.ctx))
            if broken is not node:
                return broken
        return self.generic_visit(node)

    def visit_Break(self, node: ast.Break) -> ast.AST:
        return self.offer(node, ast.Continue())

    def visit_Return(self, node: ast.Return) -> ast.AST:
        if node.value is None or (isinstance(node.value, ast.Constant) and node.value.value is None):
            return node
        return self.generic_visit(node)


def _text(node: ast.AST | None) -> str:
    return " ".join(ast.unparse(node).split()) if node is not None else ""


def _head(statement: ast.stmt) -> str:
    """A statement without the block that follows."""
    bare = copy.copy(statement)
    for block in ("body", "orelse", "finalbody", "handlers"):
        if isinstance(getattr(bare, block, None), list):
            setattr(bare, block, [ast.Pass()] if block == "body" else [])
    return _text(bare).removesuffix(" pass")


def mutants(path: Path) -> Iterator[Mutant]:
    """All of a module. Equal changes in one function are told apart by a number."""
    breaker = Breaker()
    breaker.visit(ast.parse(path.read_text(encoding="utf-8")))
    seen: dict[tuple[str, str], int] = {}
    for number, line, where, change in breaker.found:
        times = seen[where, change] = seen.get((where, change), 0) + 1
        yield Mutant(path, number, line, where, change if times == 1 else f"{change}  #{times}")


def broken_code(mutant: Mutant) -> CodeType:
    """The module with that mutant."""
    tree = copy.deepcopy(ast.parse(mutant.path.read_text(encoding="utf-8")))
    return compile(ast.fix_missing_locations(Breaker(mutant.number).visit(tree)), str(mutant.path), "exec")


# Testing


def test_lists(path: Path) -> tuple[list[str], list[str]]:
    """The test files that name a module, and all that test it."""
    relative = path.relative_to(SOURCE)
    patterns = next(tests for pattern, tests in TESTED.items() if relative.match(pattern))
    everything = [found for pattern in patterns for found in sorted(ROOT.glob(pattern))]
    files = [f for found in everything for f in ([found] if found.is_file() else sorted(found.rglob("test_*.py")))]
    module = ".".join(("shoal", *relative.with_suffix("").parts))
    named = [f for f in files if module in f.read_text(encoding="utf-8") or relative.stem in f.stem]
    own = sorted(named, key=lambda f: (relative.stem not in f.stem, f.stat().st_size))
    return [str(f) for f in own], [str(f) for f in files if f not in own]


def preload() -> None:
    """What every test imports anyway, once for all: nothing of Shoal itself."""
    import hypothesis  # noqa: F401
    import numpy as np  # noqa: F401
    import pyarrow.compute  # noqa: F401
    import pytest  # noqa: F401
    import scipy.stats  # noqa: F401


def in_child(mutant: Mutant | None, tests: list[str], seconds: int) -> None:
    """Break the module, run the tests, and leave with what they say; never returns."""
    os.setsid()
    signal.alarm(seconds)
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)
    os.dup2(silent, 2)
    scratch = tempfile.mkdtemp(prefix="mutant-")
    os.environ |= {"HYPOTHESIS_STORAGE_DIRECTORY": scratch, "MPLBACKEND": "agg"}
    code = 3
    try:
        if mutant is not None:
            compiled, true_code = broken_code(mutant), SourceFileLoader.get_code

            def get_code(self: SourceFileLoader, name: str) -> CodeType | None:
                return compiled if self.path == str(mutant.path) else true_code(self, name)

            SourceFileLoader.get_code = get_code  # type: ignore[method-assign]
        import pytest

        arguments = ["-o", "addopts=", "-x", "-q", "-m", "not slow", "-p", "no:cacheprovider", "-p", "no:xdist",
                     "-W", "ignore::pytest.PytestAssertRewriteWarning", "--hypothesis-seed=0",
                     f"--basetemp={scratch}/base"]  # fmt: skip
        code = int(pytest.main([*arguments, *tests]))
    finally:
        import shutil

        shutil.rmtree(scratch, ignore_errors=True)
        os._exit(code)


@dataclass
class Trial:
    """A mutant with the tests still to be run."""

    mutant: Mutant | None
    stages: list[tuple[list[str], int]]


def run_all(trials: list[Trial], jobs: int) -> Iterator[tuple[Trial, str, float]]:
    """Every trial, what became of it (survived, killed, or too slow), and after how many seconds; `jobs` at once."""
    waiting, running = list(reversed(trials)), {}
    began: dict[int, float] = {}
    while waiting or running:
        while waiting and len(running) < jobs:
            trial = waiting.pop()
            tests, seconds = trial.stages[0]
            sys.stdout.flush()
            child = os.fork()
            if child == 0:
                in_child(trial.mutant, tests, seconds)
            running[child] = trial
            began.setdefault(id(trial), time.monotonic())
        child, status = os.wait()
        trial = running.pop(child)
        if status == 0 and len(trial.stages) > 1:
            trial.stages = trial.stages[1:]
            waiting.append(trial)
        else:
            was_late = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM
            end = "too slow" if was_late else "killed" if status else "survived"
            yield trial, end, time.monotonic() - began[id(trial)]


def accepted() -> dict[str, str]:
    """Survivors that are known, with the reason why no test can notice them."""
    if not ACCEPTED.exists():
        return {}
    lines = ACCEPTED.read_text(encoding="utf-8").splitlines()
    entries = [line.rsplit("  ::  ", 1) for line in lines if line.strip() and not line.startswith("#")]
    return {key.strip(): reason.strip() for key, reason in entries}


def main() -> int:
    """Draw, test, report; 1 if the score is below what is asked, or an accepted entry stands for nothing."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--sample", type=int, default=100, help="how many mutants; 0: all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", default="", help="modules whose path contains this")
    parser.add_argument("--least", type=float, default=0.9, help="the score to be reached")
    parser.add_argument("--list", action="store_true", help="show the mutants and test none")
    asked = parser.parse_args()
    os.chdir(ROOT)
    sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]
    os.environ["PYTHONPATH"] = os.pathsep.join(sys.path[:2])
    paths = sorted({path for pattern in TESTED for path in SOURCE.glob(pattern) if path.name != "__init__.py"})
    every = [mutant for path in paths for mutant in mutants(path)]
    known = accepted()
    stale = sorted(set(known) - {mutant.key for mutant in every})
    some = [mutant for mutant in every if asked.only in str(mutant.path.relative_to(SOURCE))]
    drawn = some if not asked.sample else random.Random(asked.seed).sample(some, min(asked.sample, len(some)))
    print(f"{len(every):,} mutants in {len(paths)} modules, {len(drawn)} of {len(some):,} drawn with seed {asked.seed}")
    if asked.list:
        print("\n".join(mutant.key for mutant in drawn))
        return 0
    preload()
    trials = []
    for mutant in drawn:
        own, others = test_lists(mutant.path)
        trials.append(Trial(mutant, [s for s in ((own, FIRST), (others, ALL)) if s[0]]))
    used = sorted({test for trial in trials for tests, _ in trial.stages for test in tests})
    parts = [Trial(None, [(used[i :: asked.jobs], 2 * ALL)]) for i in range(min(asked.jobs, len(used)))]
    if any(end != "survived" for _, end, _ in run_all(parts, asked.jobs)):
        print("without any mutant some of these tests fail; run pytest on them first:", *used)
        return 2
    killed, late, survivors = 0, 0, []
    for number, (trial, end, seconds) in enumerate(run_all(trials, asked.jobs), start=1):
        mutant = trial.mutant
        assert mutant is not None
        killed, late = killed + (end != "survived"), late + (end == "too slow")
        if end == "survived":
            survivors.append(mutant)
        told = end if end != "survived" else "accepted" if mutant.key in known else "SURVIVED"
        print(f"{number:4} {told:8} {seconds:5.0f}s  {mutant.key}", flush=True)
    unexplained = [mutant for mutant in survivors if mutant.key not in known]
    judged = len(drawn) - (len(survivors) - len(unexplained))
    print(
        f"\nscore: {killed} of {judged} noticed ({killed / max(judged, 1):.1%}), {late} of them because tests took too "
        f"long; {len(survivors) - len(unexplained)} survivors are accepted and not counted"
    )
    for mutant in unexplained:
        print(f"  survived: {mutant.key}   ({mutant.path.relative_to(ROOT)}:{mutant.line})")
    for key in stale:
        print(f"  accepted, but no longer a mutant: {key}")
    return int(killed < asked.least * judged or bool(stale))


if __name__ == "__main__":
    sys.exit(main())
