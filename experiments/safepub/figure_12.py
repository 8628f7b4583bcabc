"""Figure 12: scores of all schemes of US Census, and what the exponential mechanism makes of them without a walk.

(a) the share of schemes by score, between the worst and the best; (b) the probability of a score in that range when one
scheme of all is drawn with ε̃; (c) how much worse the scheme that is drawn is than the best, by the quality model. One
sample with ε_anon = 1; the exponent is the paper's, ε̃ / (2 Δ).
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
from common import ADULT, entropy_of_cells, headline, rows
from workbench import settings

from shoal.arrays import Floats
from shoal.data.outcome import Outcome
from shoal.dp.coins.coins import SeededCoins
from shoal.evaluate import information_loss
from shoal.methods.safepub.published import published_score, published_sensitivity
from shoal.quality import GroupSize, NonUniformEntropy, QualityModel
from shoal.search.lattice import Lattice, NodeClasses

TILDE = (1e-1, 1e-2, 1e-3, 1e-4)
PAPER = {NonUniformEntropy: "31 (0.1) to 49 (1e-4)", GroupSize: "less than 4"}


def laws(scores: Floats, exponent: float) -> Floats:
    """The exponential mechanism's probabilities."""
    weights = np.exp(exponent * (scores - scores.max()))
    return weights / weights.sum()


def main() -> None:
    """Print the three parts."""
    said = settings(__doc__, draws=(100, 100))
    headline("One draw from all schemes, SafePub Fig. 12", f"US Census, ε_anon = 1, δ = 1e-5, {said.draws} draws")
    table = ADULT.table
    method = ADULT.calibrated(Fraction(1))
    sample = replace(table, counts=table.counts.thin(method.rate, SeededCoins(0)))
    nodes = [node for node in Lattice.of(table) if node != Lattice.of(table).top]
    shares = [f"{10 * i}-{10 * i + 10}%" for i in range(10)]
    classes = NodeClasses(sample)

    def losses(model: QualityModel, node: tuple[int, ...]) -> tuple[float, float]:
        recoding = classes.recoding(node)
        published = replace(recoding.apply(sample).suppress_below(method.k), suppressed=0)
        everywhere = NodeClasses(table).at(node)
        nowhere = np.zeros(len(everywhere), dtype=np.bool_)
        made = Outcome.recoded(table, recoding, published, classes=everywhere, suppressed=nowhere)
        return information_loss(made, model), entropy_of_cells(table, made)

    for model in (NonUniformEntropy(), GroupSize()):
        score = published_score(model, sample, method.k, len(nodes))
        scores = np.array([score(node) for node in nodes])
        sensitivity = float(published_sensitivity(model, method.k, len(table.quasi_identifiers)))
        at = np.minimum((10 * (scores - scores.min()) / np.ptp(scores)).astype(int), 9)
        print(f"\n{type(model).__name__}: schemes in per cent by score, from the worst to the best of {len(nodes):,}")
        row = rows(("drawn", *shares, "worse by, %", "De Waal"), (-14, *(8 for _ in shares), 11, 8))
        row("evenly (a)", *(f"{100 * np.mean(at == i):.1f}" for i in range(10)), "", "")
        known: dict[int, tuple[float, float]] = {}
        best = losses(model, nodes[int(scores.argmax())])
        for tilde in TILDE:
            law = laws(scores, tilde / (2 * sensitivity))
            drawn = np.random.default_rng(0).choice(len(nodes), said.draws, p=law).tolist()
            known |= {one: losses(model, nodes[one]) for one in set(drawn) - set(known)}
            worse = 100 * (np.mean([known[one] for one in drawn], axis=0) - best)
            cells = (f"{100 * law[at == i].sum():.1f}" for i in range(10))
            is_entropy = isinstance(model, NonUniformEntropy)
            row(f"ε̃ = {tilde:g} (b)", *cells, f"{worse[0]:.1f} (c)", f"{worse[1]:.1f}" if is_entropy else "")
        print(f"the paper's averages (c): {PAPER[type(model)]}")


if __name__ == "__main__":
    main()
