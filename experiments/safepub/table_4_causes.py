"""Table 4 on US Census by number of steps, and what its accuracies depend on.

The paper shows the best of several numbers of steps, the mean of 20 runs each, trained on two thirds of the records and
tested on the last one. It does not say whether the release is made from the two thirds, or from all records, of which
those of the two thirds teach (as in its 10-fold validation). Both are here, with two learners, and beside them the
schemes that are best by score: what a search that made no mistake would reach.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from functools import cache

import numpy as np
from common import ADULT, PUBLISHED, headline, percent, publish, release, rows, safepub

from shoal.data.encoded import EncodedTable
from shoal.data.outcome import Outcome
from shoal.evaluate import CrossValidation, HeldOut, Learner, LogisticRegression, part, random_parts
from shoal.evaluate.learning.tree import DecisionTree
from shoal.methods.safepub.expected_scores import expected_score
from shoal.methods.safepub.method import SafePub
from shoal.quality import Classification
from shoal.search.lattice import Lattice, Node

STEPS = (30, 100, 300, 1000)
RANKS = (1, 10, 100)
LEARNERS: dict[str, Learner] = {"C4.5-like": DecisionTree(), "logistic": LogisticRegression(iterations=100)}
Trial = HeldOut | CrossValidation


def trials(table: EncodedTable, target: str, learner: Learner, splits: int) -> dict[str, list[Trial]]:
    """Who rates the release of each seed, by what it is made from."""
    apart: list[Trial] = []
    for seed in range(splits):
        train, test = (
            part(table, piece) for piece in random_parts(table.counts.sizes, (2, 1), np.random.default_rng(seed))
        )
        apart.append(HeldOut(train, test, target, learner))
    together: Trial = CrossValidation(table, target, learner, folds=3)
    return {"two thirds": apart, "all records": [together] * splits}


def original(trial: Trial) -> EncodedTable:
    """What the release is made from."""
    return trial.train if isinstance(trial, HeldOut) else trial.table


def best_by_score(method: SafePub, table: EncodedTable) -> list[Node]:
    """All schemes, the best by what they are expected to publish first."""
    names = [attribute.name for attribute in table.quasi_identifiers]
    target = names.index(method.quality.target)
    heights = [0 if i == target else height for i, height in enumerate(Lattice.of(table).heights)]
    nodes = [node for node in Lattice(tuple(heights)) if node != tuple(heights)]
    score = expected_score(method.quality, table, float(method.rate), method.k, looks=len(nodes))
    assert score is not None
    order = np.argsort(-np.asarray(score.of_all(nodes)), kind="stable")
    return [nodes[i] for i in order]


def searches(model: Classification) -> dict[str, Callable[[EncodedTable, int], Outcome | None]]:
    """Ways to a release of a table, by seed."""
    methods = {f"published, {steps:,} steps": safepub(ADULT, model, mode=PUBLISHED, steps=steps) for steps in STEPS}
    methods["rigorous, all schemes"] = safepub(ADULT, model)
    ways: dict[str, Callable[[EncodedTable, int], Outcome | None]] = {
        name: (lambda table, seed, method=method: release(method, table, seed)) for name, method in methods.items()
    }
    usual, ranked = methods[f"published, {STEPS[0]:,} steps"], cache(best_by_score)
    for rank in RANKS:

        def take(table: EncodedTable, seed: int, rank: int = rank) -> Outcome:
            return publish(table, ranked(usual, table)[rank - 1], usual.rate, usual.k, seed)

        ways[f"number {rank} by score, k = {usual.k}"] = take
    return ways


def main() -> None:
    """Print the tables."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 12
    warnings.filterwarnings("ignore", message="lbfgs failed to converge")  # a hundred iterations are near enough
    headline(
        "Relative accuracy on a held-out third by number of steps, SafePub Table 4 and Fig. 17, US Census",
        f"ε = 1 (0.9 + 0.1), δ = 1e-5, {runs} runs and splits; a quarter of them for logistic regression",
    )
    widths = (-15, -12, -10, -28, 13, 8, 8)
    row = rows(("target", "release of", "learner", "search", "relative %", "records", "Table 4"), widths)
    for target in ADULT.targets:
        made: dict[tuple[str, str, int], Outcome | None] = {}
        ways = searches(Classification(target))
        for name, learner in LEARNERS.items():
            splits = runs if isinstance(learner, DecisionTree) else max(runs // 4, 2)
            for whence, by_seed in trials(ADULT.table, target, learner, splits).items():
                for what, way in ways.items():
                    rated, kept = [], []
                    for seed, trial in enumerate(by_seed):
                        key = (whence, what, seed)
                        if key not in made:
                            made[key] = way(original(trial), seed)
                        if (outcome := made[key]) is not None:
                            rated.append(trial.rate(outcome).relative)
                            kept.append(outcome.published.kept)
                    paper = ADULT.paper[target]["table 4"] if what.startswith("published") else ""
                    row(target, whence, name, what, percent(rated), sum(kept) // len(kept), paper)


if __name__ == "__main__":
    main()
