"""Figure 15: how relative accuracy on US Census changes with ε_anon, ε_search being 0.1."""

from __future__ import annotations

import sys
from fractions import Fraction

from common import ADULT, PUBLISHED, RIGOROUS, headline, percent, release, rows, safepub

from shoal.evaluate import CrossValidation
from shoal.quality import Classification

EPSILONS = ("0.3", "0.5", "0.7", "0.9", "1.4", "1.9")


def main() -> None:
    """Print the table."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 8
    headline(
        "Relative accuracy and ε_anon on US Census, SafePub Fig. 15 (curves; the text says: best at about 0.9)",
        f"ε_search = 0.1, δ = 1e-5, 300 steps or all schemes, {runs} runs, 10 folds, our C4.5-like tree",
    )
    row = rows(("target", "method", "ε_anon", "k", "relative %", "records"), (-14, -12, 6, 4, 12, 8))
    for target in ADULT.targets:
        trial = CrossValidation(ADULT.table, target)
        for mode in (PUBLISHED, RIGOROUS):
            for at, anon in enumerate(EPSILONS):
                whole = Fraction(anon) + Fraction(1, 10)
                share = Fraction(1, 10) / whole
                method = safepub(ADULT, Classification(target), mode=mode, epsilon=whole, search_share=share)
                seeds = range(100 * at, 100 * at + runs)  # a walk of its own for every ε_anon
                made = [outcome for seed in seeds if (outcome := release(method, ADULT.table, seed))]
                row(
                    target,
                    mode.value,
                    anon,
                    method.k,
                    percent(trial.rate(outcome).relative for outcome in made),
                    sum(outcome.published.kept for outcome in made) // len(made),
                )


if __name__ == "__main__":
    main()
