"""The table that no paper has: all methods, all needs, on several tables, with AIM and class marginals in the same run.

`shoal compare` tries every method at matched settings (k = 5; ε as printed, δ = 1e-6) and measures what each is good
for; the rivals are measured by the same figures. Query error: 500 random counts about one to three columns, relative.
Moved: total variation of the columns, on average. Accuracy and AUC of a C4.5-like tree, five folds, in per cent; with
`--full` of gradient boosting.
Found: people whose record is found by who knows all quasi-identifiers; of made-up records there is none.

AIM runs in an environment of its own (`marginals/aim.py` says how): name its Python as --referee or SHOAL_REFEREE, or
its lines are left out. Every trial is kept, so that a run that was stopped goes on.
Usage: table.py [--full] [--records 10000] [--referee PYTHON] [table …]
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from common import TABLES, encoded, rivals, written
from workbench import RESULTS, Kept, machine

from shoal.compare import recommended, run, trials
from shoal.compare.grid import Trial
from shoal.data.outcome import Outcome
from shoal.pages.report.assessment import assess
from shoal.plan.plan import Plan, method_table
from shoal.progress import silent

USUAL = ("Adult", "FARS", "Nursery", "CMC", "Mammographic", "Fair")


def of_rival(
    name: str, outcome: Outcome, target: str, learner: str, epsilon: float, seconds: float | None
) -> dict[str, Any]:
    """The same figures as `shoal compare` has."""
    found = assess(outcome, target, (learner,))
    accuracy = found.accuracies[learner]
    return {
        "method": name,
        "epsilon": epsilon,
        "private": True,
        "made_up": True,
        "records": outcome.published.kept,
        "left_out": 0.0,
        "query_error": None if found.queries is None else found.queries.mean,
        "moved": sum(one.total_variation for one in found.marginals) / len(found.marginals),
        "accuracy": accuracy.release,
        "auc": accuracy.auc,
        "accuracy_original": accuracy.original,
        "accuracy_trivial": accuracy.trivial,
        "auc_original": accuracy.auc_original,
        "seconds": seconds,
    }


def printed(row: Mapping[str, Any], label: str) -> None:
    """A line."""
    if "problem" in row:
        print(f"{label:<30} {row['problem'][:110]}")
        return

    def cell(key: str, scale: float, digits: int) -> str:
        return f"{scale * row[key]:.{digits}f}" if row.get(key) is not None else "-"

    cells = [f"{row['records']:,}", cell("query_error", 1, 3), cell("moved", 1, 3), cell("accuracy", 100, 1)]
    cells += [cell("auc", 100, 1), cell("linked", 100, 1), cell("seconds", 1, 1)]
    kind = "DP" if row.get("private") else ""
    print(f"{label:<30} {kind:<3}" + "".join(f"{text:>9}" for text in cells), flush=True)


def asked(plan: Path, target: str, epsilons: Sequence[float]) -> list[Trial]:
    """Every method; the target is told to those that can use it, and NSVDist's diversity is the paper's."""
    known, schema = method_table(plan), Plan.load(plan).schema
    by_epsilon: dict[str, list[Any]] = {"epsilon": list(epsilons)}
    everywhere = trials(known, schema, ["all"], by_epsilon)
    some = [trial for trial in everywhere if trial.method not in ("marginals", "nsvdist")]
    some += trials(known, schema, ["marginals"], by_epsilon | {"target": [target]})
    some += trials(known, schema, ["safepub"], by_epsilon | {"quality": ["classification"], "target": [target]})
    counts = encoded(plan, target).marginal(target)
    diversity = int(100 * (1 + (counts.sum() / counts.max() - 1) / 3)) / 100
    return some + trials(known, schema, ["nsvdist"], {"diversity": [diversity]})


def rows_of_table(
    plan: Path, target: str, learner: str, epsilons: Sequence[float], referee: str | None
) -> tuple[list[Any], list[str]]:
    """Figures of all methods and rivals, and their names."""
    some = asked(plan, target, epsilons)
    found = run(plan, some, plan.parent, silent, target=target, learner=learner, jobs=1)
    labels = [trial.changed(["quality", "epsilon"]) for trial in some]
    kept = Kept(f"{plan.parent.parent.name}/{plan.parent.name}/rivals")
    for epsilon in epsilons:
        for name, seconds, outcome in rivals(plan, target, epsilon, referee):
            made = (name, outcome, target, learner, epsilon, seconds)
            found.append(kept.get((name, learner, epsilon), lambda made=made: of_rival(*made)))
            labels.append(f"{name} epsilon={epsilon}")
    return found, labels


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="*", metavar="table", help=", ".join(TABLES))
    parser.add_argument("--full", action="store_true", help="all records, epsilon 1 and 0.1, all tables, boosting")
    parser.add_argument("--records", type=int, help="of a table at most; 10000, or all with --full")
    parser.add_argument("--referee", default=os.environ.get("SHOAL_REFEREE"), help="a Python that has dpmm")
    said = parser.parse_args()
    most = said.records or (10**9 if said.full else 10_000)
    epsilons = (1.0, 0.1) if said.full else (1.0,)
    learner = "gradient-boosting" if said.full else "c4.5"
    folder = RESULTS / f"all_methods_{'all' if most == 10**9 else most}"
    print(f"k = 5, epsilon {' and '.join(map(str, epsilons))}, delta 1e-6, {learner}; machine: {machine()}")
    if not said.referee:
        print("AIM is left out unless it was run before: --referee names no Python that has dpmm")
    for name in said.tables or (TABLES if said.full else USUAL):
        plan = written(name, most, folder)
        if plan is None:
            print(f"\n{name}: skipped, statsmodels is not installed (shoal[people])")
            continue
        target = TABLES[name].target
        found, labels = rows_of_table(plan, target, learner, epsilons, said.referee)
        done = next(row for row in found if row.get("accuracy_original") is not None)
        ends = f"most frequent {100 * done['accuracy_trivial']:.1f}, originals {100 * done['accuracy_original']:.1f}"
        print(f"\n{name}: {target}, {ends}, AUC {100 * (done['auc_original'] or 0.5):.1f}")
        columns = ("records", "queries", "moved", "accuracy", "AUC", "found, %", "s")
        print(f"{'':<34}" + "".join(f"{column:>9}" for column in columns))
        for row, label in zip(found, labels, strict=True):
            printed(row, label)
        print("\n".join(recommended(found, labels)))


if __name__ == "__main__":
    main()
