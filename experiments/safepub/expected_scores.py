"""Two ways to score a scheme under one budget: the paper's score on a sample, and what is expected to be published.

Both choose privately, by permute-and-flip, among the same 1,000 candidates drawn without looking at the data. When one
record is added, the paper's score can move by k records; the expected one by as many as the table says.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from common import ADULT, FARS, Dataset, headline, percent, publish, rows, safepub

from shoal.data.outcome import Outcome
from shoal.dp.coins.coins import SeededCoins
from shoal.dp.mechanisms.selection import PermuteAndFlip
from shoal.evaluate import CrossValidation, information_loss
from shoal.methods.safepub.expected_scores import SurvivalTable, expected_score
from shoal.methods.safepub.method import SafePub
from shoal.methods.safepub.sampled_scores import SampledScore
from shoal.quality import Classification, Granularity, QualityModel
from shoal.search.lattice import Lattice, Node


def candidates(dataset: Dataset, model: QualityModel, seed: int) -> list[Node]:
    """A thousand schemes, the target left alone."""
    target = model.target if isinstance(model, Classification) else None
    names = [a.name for a in dataset.table.quasi_identifiers]
    heights = [0 if n == target else h for n, h in zip(names, Lattice.of(dataset.table).heights, strict=True)]
    rng = np.random.default_rng(seed)
    drawn = {tuple(int(rng.integers(0, h + 1)) for h in heights) for _ in range(1200)} - {tuple(heights)}
    return sorted(drawn)[:1000]


def by_sample(dataset: Dataset, method: SafePub, nodes: list[Node], seed: int) -> Node:
    coins = SeededCoins(seed)
    scores = SampledScore(method.quality, dataset.table, method.rate, method.k, method.search_epsilon, coins)
    return nodes[scores.select([scores.of(node) for node in nodes], coins)]


def by_expectation(dataset: Dataset, method: SafePub, nodes: list[Node], seed: int) -> Node:
    score = expected_score(method.quality, dataset.table, float(method.rate), method.k)
    assert score is not None
    choice = PermuteAndFlip(epsilon=method.search_epsilon, score_range=Fraction(score.range))
    return nodes[choice.select([score.of(node) for node in nodes], SeededCoins(seed))]


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 8
    headline(
        "Expected scores against scores on a sample", f"ε = 1 (0.9 + 0.1), δ of Table 1, 1,000 candidates, {runs} runs"
    )
    row = rows(("dataset", "measured", "one record moves it by", "on a sample", "expected"), (-16, -28, 22, 14, 14))
    for dataset in (ADULT, FARS):
        for model in (*(Classification(target) for target in dataset.targets), Granularity()):
            method = safepub(dataset, model, search_share=0.1)
            step = SurvivalTable.records(float(method.rate), method.k)
            worth = _measure(dataset, model)
            results = []
            for choose in (by_sample, by_expectation):
                nodes = [choose(dataset, method, candidates(dataset, model, seed), seed) for seed in range(runs)]
                made = [publish(dataset.table, node, method.rate, method.k, seed) for seed, node in enumerate(nodes)]
                results.append(percent(worth(outcome) for outcome in made))
            what = f"accuracy: {model.target}" if isinstance(model, Classification) else "granularity, loss"
            row(dataset.name, what, f"{method.k} -> {step.largest_step * step.unit:.1f} records", *results)


def _measure(dataset: Dataset, model: QualityModel) -> Callable[[Outcome], float]:
    if isinstance(model, Classification):
        trial = CrossValidation(dataset.table, model.target)
        return lambda outcome: trial.rate(outcome).relative

    def lost(outcome: Outcome) -> float:
        return information_loss(outcome, model)

    return lost


if __name__ == "__main__":
    main()
