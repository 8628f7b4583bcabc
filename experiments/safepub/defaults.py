"""Which defaults serve the rigorous mode best: the share of ε for the choice, the candidates, β, δ.

Every scheme of the lattice is scored once for each (β, k); then the choice is repeated with fresh candidates and coins.
Classification is rated by relative accuracy (10 folds); the loss metric by the information, and the group size by the
classes, that a release is expected to keep, as a share of what the best scheme would keep at the paper's β and search
share, if it were known.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from statistics import mean

import numpy as np
from common import ADULT, EPSILON, FARS, NURSERY, Dataset, headline, publish, rows, safepub

from shoal.arrays import Floats, Keys, Sizes
from shoal.dp.coins.coins import SeededCoins
from shoal.dp.coins.sampling_rate import SamplingRate
from shoal.dp.mechanisms.selection import PermuteAndFlip
from shoal.evaluate import CrossValidation
from shoal.methods.safepub.expected_scores import SurvivalTable
from shoal.quality import Loss
from shoal.search.exhaustive import walk
from shoal.search.lattice import Lattice, Node, NodeClasses

SHARES = ("0.02", "0.05", "0.1", "0.2")
CANDIDATES = ("300", "1000", "3000", "all")
PRIORS = ("1000 coarsest", "1000 half and half", "1000 log-uniform", "3000 log-uniform")
RATES = ("0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.85", "0.9", "0.95")
DELTAS = ("1e-4", "1e-5", "1e-6", "1e-8")
_UNITS = 1 << 10


@dataclass(frozen=True)
class Setting:
    """A choice of parameters: the share of ε for the choice, β and k."""

    share: Fraction
    rate: SamplingRate
    k: int

    @staticmethod
    def of(dataset: Dataset, share: str, **settings: object) -> Setting:
        """As SafePub would set it."""
        method = safepub(dataset, Loss(), search_share=float(share), **settings)
        return Setting(Fraction(share), method.rate, method.k)


@dataclass(frozen=True)
class Problem:
    """All schemes of a dataset with their scores under several settings.

    Attributes:
        name: What is optimized.
        dataset: The data.
        settings: The settings.
        nodes: The schemes.
        scores: `scores[setting, scheme]`, in whole units.
        ranges: How far one record can move a score, by setting.
        worth: What a scheme is worth under a setting, both by number, in per cent.
    """

    name: str
    dataset: Dataset
    settings: Sequence[Setting]
    nodes: Sequence[Node]
    scores: Sizes
    ranges: Sequence[int]
    worth: Callable[[int, int], float]

    @cached_property
    def by_cells(self) -> Keys:
        """Schemes in the order of how many classes they could have: public, it depends on hierarchies only."""
        sizes = [[np.log(level.size) for level in a.hierarchy.levels] for a in self.dataset.table.quasi_identifiers]
        cells = [sum(of_level[at] for of_level, at in zip(sizes, node, strict=True)) for node in self.nodes]
        return np.argsort(cells, kind="stable")

    def candidates(self, which: str, rng: np.random.Generator) -> Keys:
        """Numbers of schemes, chosen without looking at the data."""
        schemes = len(self.nodes)
        number, _, how = which.partition(" ")
        if which == "all" or int(number) >= schemes:
            return np.arange(schemes)
        if how == "coarsest":
            return self.by_cells[: int(number)]
        if how == "half and half":
            order = self.by_cells
            half = int(number) // 2
            return np.concatenate([order[:half], rng.permutation(order[half:])[:half]])
        if how == "log-uniform":
            ranks = np.exp(rng.random(100 * int(number)) * np.log(schemes)).astype(np.int64) - 1
            return self.by_cells[list(dict.fromkeys(ranks.tolist()))[: int(number)]]
        return rng.permutation(schemes)[: int(number)]

    def mean_worth(self, at: int, which: str, runs: int) -> float:
        """What is chosen is worth so much on average."""
        return mean(self.worth(at, self.draw(at, which, seed)) for seed in range(runs))

    def draw(self, at: int, which: str, seed: int) -> int:
        """The number of the scheme that is chosen privately among some candidates."""
        among = np.sort(self.candidates(which, np.random.default_rng(seed)))
        choice = PermuteAndFlip(epsilon=self.settings[at].share * EPSILON, score_range=Fraction(self.ranges[at]))
        return int(among[choice.select([int(score) for score in self.scores[at, among]], SeededCoins(seed))])


def classification(dataset: Dataset, target: str, settings: Sequence[Setting]) -> Problem:
    """Σ_f max_c g(n(f, c)) for every scheme that leaves the target alone."""
    table, names = dataset.table, [a.name for a in dataset.table.quasi_identifiers]
    source = NodeClasses(table, last=names.index(target))
    heights = [0 if n == target else h for n, h in zip(names, Lattice.of(table).heights, strict=True)]
    nodes = sorted(product(*(range(h + 1) for h in heights)), key=lambda node: [node[i] for i in source.order])
    nodes.remove(tuple(heights))
    tables = [SurvivalTable.records(float(setting.rate), setting.k) for setting in settings]
    scores = np.empty((len(settings), len(nodes)), dtype=np.int64)
    for number, node in enumerate(nodes):
        classes, features = source.at_with_features(node)
        starts = np.flatnonzero(np.diff(features, prepend=-1))
        largest = np.maximum.reduceat(classes.sizes, starts)  # g rises with n: the largest class is the best one
        largest = largest[largest > 8]  # smaller ones are worth nothing
        for at, survival in enumerate(tables):
            scores[at, number] = survival.at(largest).sum()
    trial, known = CrossValidation(table, target), {}

    def worth(at: int, number: int) -> float:
        """The relative accuracy, the mean of two releases."""
        key = (settings[at].rate, settings[at].k, number)
        if key not in known:
            releases = [publish(table, nodes[number], settings[at].rate, settings[at].k, seed) for seed in (1, 2)]
            known[key] = 100 * mean(trial.rate(o).relative if len(o.published) else 0.0 for o in releases)
        return known[key]

    return Problem(target, dataset, settings, nodes, scores, [table.largest_step for table in tables], worth)


def kept(dataset: Dataset, settings: Sequence[Setting]) -> list[Problem]:
    """Σ_E g(|E|) Σ_i (1 − cost_i) / m, and Σ_E p(|E|), for every scheme."""
    table = dataset.table
    worths = [1 - Loss().costs(a.hierarchy) for a in table.quasi_identifiers]
    usual = Setting.of(dataset, "0.1")
    everywhere = [*settings, usual]
    by_records = [SurvivalTable.records(float(s.rate), s.k) for s in everywhere]
    by_classes = [SurvivalTable.classes(float(s.rate), s.k) for s in everywhere]
    nodes, cells, classes_kept = [], [], []
    for node, source in walk(NodeClasses(table)):
        classes = source.at(node)
        large = classes.sizes > 8  # smaller ones are worth nothing
        sizes, members = classes.sizes[large], classes.members[large]
        worth: Floats = sum(of_node[classes.row_nodes(i, members)] for i, of_node in enumerate(worths)) / len(worths)
        nodes.append(node)
        cells.append([int(_UNITS * (survival.at(sizes) * worth).sum()) for survival in by_records])
        classes_kept.append([int(survival.at(sizes).sum()) for survival in by_classes])
    found = []
    for name, scores, tables, unit in (("loss", cells, by_records, _UNITS), ("groups", classes_kept, by_classes, 1)):
        by_setting = np.array(scores[:-1]).T
        in_units = by_setting * np.array([survival.unit for survival in tables])[:, None]
        ranges = [unit * survival.largest_step for survival in tables]
        title = f"{dataset.name}: {name}"
        worth_of = _share(in_units, float(in_units[-1].max()))
        found.append(Problem(title, dataset, settings, nodes[:-1], by_setting, ranges, worth_of))
    return found


def _share(kept: Floats, reference: float) -> Callable[[int, int], float]:
    return lambda at, number: 100 * float(kept[at, number]) / reference


def problems(settings: Callable[[Dataset], Sequence[Setting]]) -> list[Problem]:
    """All that is measured, under the settings of each dataset."""
    found = []
    for dataset in (ADULT, FARS, NURSERY):
        found += [classification(dataset, target, settings(dataset)) for target in dataset.targets]
    for dataset in (ADULT, FARS):
        found += kept(dataset, settings(dataset))
    return found


def shares_and_candidates(runs: int) -> None:
    """How much to spend on the choice, and on how many candidates."""
    print("Share of ε for the choice × candidates, β = 1 − e^−ε_anon; candidates drawn evenly if nothing else is said")
    found = problems(lambda dataset: [Setting.of(dataset, share) for share in SHARES])
    names = [problem.name for problem in found]
    row = rows(("share", "candidates", *names, "mean"), (5, -18, *(max(8, len(n)) for n in names), 6))
    for at, share in enumerate(SHARES):
        for which in (*CANDIDATES, *PRIORS):
            worth = [problem.mean_worth(at, which, runs) for problem in found]
            row(share, which, *(f"{w:.1f}" for w in worth), f"{mean(worth):.1f}")


def ranks(runs: int) -> None:
    """Where the best schemes stand in the public order by possible classes."""
    del runs
    print(
        "\nThe ten best schemes by score (share 0.1, β = 1 − e^−ε_anon): their ranks from the coarsest, of all schemes"
    )
    for problem in problems(lambda dataset: [Setting.of(dataset, "0.1")]):
        rank = np.argsort(problem.by_cells)
        best = np.sort(rank[np.argsort(-problem.scores[0])[:10]])
        print(f"{problem.name:<26} {best[0]:>6,} to {best[-1]:>6,} of {len(problem.nodes):>6,}", flush=True)


def sampling_rates(runs: int) -> None:
    """Which β."""
    print("\nβ, all candidates, share 0.1; k in brackets; by rule: chosen with expected_records")
    labels = ["1−e^−ε", "by rule", *RATES]

    def settings(dataset: Dataset) -> list[Setting]:
        by_rule = Setting.of(dataset, "0.1", expected_records=dataset.table.total)
        return [Setting.of(dataset, "0.1"), by_rule, *(Setting.of(dataset, "0.1", sampling_rate=r) for r in RATES)]

    _by_setting(runs, "β", labels, settings)


def deltas(runs: int) -> None:
    """What δ costs."""
    print("\nδ, all candidates, share 0.1, β = 1 − e^−ε_anon; k in brackets")
    _by_setting(runs, "δ", DELTAS, lambda dataset: [Setting.of(dataset, "0.1", delta=delta) for delta in DELTAS])


def _by_setting(runs: int, name: str, labels: Sequence[str], settings: Callable[[Dataset], Sequence[Setting]]) -> None:
    found = problems(settings)
    names = [problem.name for problem in found]
    row = rows((name, *names), (8, *(max(11, len(n)) for n in names)))
    for at, label in enumerate(labels):
        row(label, *(f"{problem.mean_worth(at, 'all', runs):.1f} ({problem.settings[at].k})" for problem in found))


def main() -> None:
    """Print the tables whose names are given."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    parts = {"shares": shares_and_candidates, "ranks": ranks, "rates": sampling_rates, "deltas": deltas}
    headline("Defaults of SafePub's rigorous mode", f"ε = 1, δ of Table 1, {runs} choices each")
    for part in sys.argv[2:] or ["shares"]:
        parts[part](runs)


if __name__ == "__main__":
    main()
