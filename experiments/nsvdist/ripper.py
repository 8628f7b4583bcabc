"""RIPPER (Cohen 1995) in the settings of Weka's JRip: three folds of which one prunes, two rounds of optimization.

Rules are learned class by class, the rarest first, each against all more frequent ones; what no rule covers is of the
most frequent class. A rule is grown condition by condition by FOIL's information gain on two thirds of the records,
pruned on the last third, and kept as long as the description length stays within 64 bits of the least (Weka's formulas
of it). Numbers are compared (≤, ≥), names are equal or not.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

Rule = tuple[tuple[int, str, int], ...]
"""Conditions: column, `=`, `<` (at most) or `>` (at least), code."""
_SLACK = 64.0
_FEWEST = 2


def _covered(rule: Rule, codes: np.ndarray) -> np.ndarray:
    mask = np.ones(len(codes), dtype=bool)
    for column, kind, code in rule:
        of = codes[:, column]
        mask &= of == code if kind == "=" else of <= code if kind == "<" else of >= code
    return mask


def _log2(x: np.ndarray | float) -> np.ndarray:
    return np.log2(np.maximum(x, 1e-300))


def _subset_bits(total: float, chosen: float, share: float) -> float:
    """Bits that tell which of so many are chosen, if a share of them is expected."""
    bits = -chosen * float(_log2(share)) if share > 0 else 0.0
    return bits - (total - chosen) * float(_log2(1 - share)) if share < 1 else bits


@dataclass
class Ripper:
    """A classifier with `fit` and `predict`, as scikit-learn's are.

    Attributes:
        nominal: How many of the last columns are names.
        optimizations: Rounds in which every rule is learned anew.
        seed: Decides which records grow and which prune.
    """

    nominal: int = 0
    optimizations: int = 2
    seed: int = 1
    _rules: list[tuple[Rule, int]] = field(default_factory=list)

    def fit(self, features: np.ndarray, labels: np.ndarray) -> Ripper:
        """Learn an ordered list of rules."""
        self._rng = np.random.default_rng(self.seed)
        self._edges = [np.unique(column) for column in features.T]
        codes = self._coded(features)
        self._numeric = features.shape[1] - self.nominal
        self._sizes = [len(edges) for edges in self._edges]
        self._conditions = sum((2 if i < self._numeric else 1) * size for i, size in enumerate(self._sizes))
        classes, counts = np.unique(labels, return_counts=True)
        *rare, self._otherwise = classes[np.argsort(counts, kind="stable")].tolist()
        self._rules = []
        for one in rare:
            rules = self._against_the_rest(codes, labels == one)
            self._rules += [(rule, one) for rule in rules]
            left = ~self._any(rules, codes)
            codes, labels = codes[left], labels[left]
        return self

    def predict(self, features: np.ndarray) -> np.ndarray:
        """The class of the first rule that covers a record."""
        codes = self._coded(features)
        found, free = np.full(len(codes), self._otherwise), np.ones(len(codes), dtype=bool)
        for rule, one in self._rules:
            here = free & _covered(rule, codes)
            found[here], free = one, free & ~here
        return found

    def _coded(self, features: np.ndarray) -> np.ndarray:
        """Numbers by their rank among those learned from: between two of them, the upper one; unseen names none."""
        columns = []
        for i, edges in enumerate(self._edges):
            at = np.searchsorted(edges, features[:, i])
            if i >= features.shape[1] - self.nominal:
                known = edges[np.minimum(at, len(edges) - 1)] == features[:, i]
                at = np.where(known, at, -1)
            columns.append(at)
        return np.stack(columns, axis=1)

    @staticmethod
    def _any(rules: list[Rule], codes: np.ndarray) -> np.ndarray:
        mask = np.zeros(len(codes), dtype=bool)
        for rule in rules:
            mask |= _covered(rule, codes)
        return mask

    # One class against the rest

    def _against_the_rest(self, codes: np.ndarray, truth: np.ndarray) -> list[Rule]:
        rules = self._extended([], codes, truth)
        for _ in range(self.optimizations):
            for at in range(len(rules)):
                rules = self._optimized(rules, at, codes, truth)
            rules = self._extended(rules, codes, truth)
        return self._without_useless(rules, codes, truth)

    def _extended(self, rules: list[Rule], codes: np.ndarray, truth: np.ndarray) -> list[Rule]:
        """Rules for positives that none covers yet, until the description grows too long or rules fail."""
        rules = list(rules)
        least = self._bits(rules, codes, truth)
        left = ~self._any(rules, codes)
        while (truth & left).any():
            grow, prune = self._parts(truth, left)
            rule = self._pruned(self._grown((), codes[grow], truth[grow]), codes[prune], truth[prune])
            covered = _covered(rule, codes) & left
            on_prune = _covered(rule, codes[prune])
            wrong = on_prune.any() and (~truth[prune][on_prune]).mean() > 0.5
            if not rule or not (covered & truth).any() or wrong:
                break
            bits = self._bits([*rules, rule], codes, truth)
            if bits > least + _SLACK:
                break
            rules.append(rule)
            least, left = min(least, bits), left & ~covered
        return rules

    def _optimized(self, rules: list[Rule], at: int, codes: np.ndarray, truth: np.ndarray) -> list[Rule]:
        """The rule as it is, learned anew, or grown further: whichever makes the shortest description."""
        reach = ~self._any(rules[:at], codes)
        grow, prune = self._parts(truth, reach)
        tried = [rules]
        for start in ((), rules[at]):
            rule = self._pruned(self._grown(start, codes[grow], truth[grow]), codes[prune], truth[prune])
            if rule:
                tried.append([*rules[:at], rule, *rules[at + 1 :]])
        return min(tried, key=lambda some: self._bits(some, codes, truth))

    def _without_useless(self, rules: list[Rule], codes: np.ndarray, truth: np.ndarray) -> list[Rule]:
        """Less those, from the last on, without which the description is shorter."""
        for at in reversed(range(len(rules))):
            fewer = rules[:at] + rules[at + 1 :]
            if self._bits(fewer, codes, truth) < self._bits(rules, codes, truth):
                rules = fewer
        return rules

    def _parts(self, truth: np.ndarray, among: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Two thirds to grow on and one to prune on, of either kind."""
        grow, prune = [], []
        for kind in (True, False):
            some = self._rng.permutation(np.flatnonzero(among & (truth == kind)))
            cut = -(-2 * len(some) // 3)
            grow.append(some[:cut])
            prune.append(some[cut:])
        return np.concatenate(grow), np.concatenate(prune)

    def _grown(self, rule: Rule, codes: np.ndarray, truth: np.ndarray) -> Rule:
        """Condition by condition, the one with the largest gain first, until no negative is covered."""
        inside = _covered(rule, codes)
        codes, truth = codes[inside], truth[inside]
        while len(truth) and not truth.all():
            best = (1e-9, None)
            before = float(_log2(truth.mean())) if truth.any() else 0.0
            for column in range(codes.shape[1]):
                of = codes[:, column]
                known = of >= 0
                positive = np.bincount(of[known & truth], minlength=self._sizes[column]).astype(float)
                total = np.bincount(of[known], minlength=self._sizes[column]).astype(float)
                kinds = {"=": (positive, total)}
                if column < self._numeric:
                    kinds = {
                        "<": (positive.cumsum(), total.cumsum()),
                        ">": (positive[::-1].cumsum()[::-1], total[::-1].cumsum()[::-1]),
                    }
                for kind, (right, all_) in kinds.items():
                    gain = right * (_log2(right / np.maximum(all_, 1)) - before)
                    gain[(right < _FEWEST) | (all_ == len(truth))] = 0.0
                    at = int(gain.argmax())
                    if gain[at] > best[0]:
                        best = (float(gain[at]), (column, kind, at))
            if best[1] is None:
                break
            rule = (*rule, best[1])
            inside = _covered((best[1],), codes)
            codes, truth = codes[inside], truth[inside]
        return rule

    @staticmethod
    def _pruned(rule: Rule, codes: np.ndarray, truth: np.ndarray) -> Rule:
        """Without the last conditions that make it no better on other records."""
        worth = [(truth.sum() + 1) / (len(truth) + 2)]
        for length in range(1, len(rule) + 1):
            covered = _covered(rule[:length], codes)
            worth.append((truth[covered].sum() + 1) / (covered.sum() + 2))
        return rule[: int(np.argmax(worth))]

    def _bits(self, rules: list[Rule], codes: np.ndarray, truth: np.ndarray) -> float:
        """The description length of rules and of their errors."""
        bits = 0.0
        for rule in rules:
            length = len(rule)
            told = float(np.log2(length)) if length > 1 else 0.0
            told += 2 * float(_log2(told)) if told > 1 else 0.0
            bits += 0.5 * (told + _subset_bits(self._conditions, length, length / self._conditions))
        covered = self._any(rules, codes)
        inside, outside = float(covered.sum()), float((~covered).sum())
        wrong, missed = float((covered & ~truth).sum()), float((~covered & truth).sum())
        bits += float(np.log2(len(truth) + 1))
        expected = 0.5 * (wrong + missed)
        if inside > outside:
            bits += _subset_bits(inside, wrong, expected / inside)
            return bits + (_subset_bits(outside, missed, missed / outside) if outside else 0.0)
        bits += _subset_bits(inside, wrong, wrong / inside) if inside else 0.0
        return bits + _subset_bits(outside, missed, expected / outside)
