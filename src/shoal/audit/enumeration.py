"""The exact output distribution of a mechanism: every branch its coins can take.

The mechanism runs once per branch. A run follows the decisions it was given and, where they end, takes the first
outcome and notes the others for later. Nothing about the mechanism needs to be known, except that all its randomness
comes from the coins; a mechanism that draws elsewhere is noticed when a replay goes astray.
"""

from __future__ import annotations

import contextlib
import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from shoal.audit.laws import Numbers, binomial_law, discrete_gaussian_law, discrete_laplace_law, geometric_law
from shoal.errors import InfeasibleError, ParameterError

if TYPE_CHECKING:
    from fractions import Fraction

    from shoal.arrays import Keys, Mask, Sizes
    from shoal.dp.coins.brackets import Gaps
    from shoal.dp.coins.coins import Chance, Coins
    from shoal.dp.coins.sampling_rate import SamplingRate

Path: TypeAlias = tuple[tuple[int, float], ...]
"""Decisions: which outcome, and its probability as a check that a replay meets the same decision again."""

_LONGEST = 500
_WIDEST = 1_000_000


@dataclass(frozen=True, slots=True)
class Distribution:
    """Outcomes and their probabilities; `lost` is the probability of what was not followed (0 for finite laws)."""

    masses: Mapping[Hashable, float]
    lost: float = 0.0


class CutError(BaseException):
    """This branch is too unlikely to follow. Not an `Exception`, so that mechanisms do not catch it."""


class EnumeratingCoins:
    """Coins that take one branch, know its probability, and note the branches beside it.

    Each draw is one decision with its exact law. Draws with infinitely many outcomes (geometric, Laplace, Gaussian) are
    followed up to a tail of probability `tail`, branches as long as their probability exceeds `cutoff`.
    """

    def __init__(self, path: Path = (), *, tail: float = 1e-12, cutoff: float = 0.0) -> None:
        self.probability = 1.0
        self.lost = 0.0
        self.tosses = 0
        self.beside: list[Path] = []
        self._forks = 0
        self._given = path
        self._path = list(path)
        self._tail = tail
        self._cutoff = cutoff

    @property
    def seeded(self) -> bool:
        """True: what follows a plan protects nobody."""
        return True

    def randbelow(self, n: int) -> int:
        """Each of 0…n−1."""
        if n > _WIDEST:
            raise InfeasibleError(f"a draw with {n:,} outcomes cannot be enumerated.")
        return self._decide([1 / n] * n)

    def bernoulli(self, p: Fraction) -> bool:
        """False, and true."""
        return bool(self._decide([float(1 - p), float(p)]))

    def bernoulli_exp(self, x: Fraction) -> bool:
        """False, and true."""
        return bool(self._decide([-math.expm1(-x), math.exp(-x)]))

    def geometric(self, x: Fraction) -> int:
        """Each of 0, 1, … up to the tail."""
        return self._number(geometric_law(float(x), self._tail))

    def discrete_laplace(self, x: Fraction) -> int:
        """Each of …, −1, 0, 1, … up to the tails."""
        return self._number(discrete_laplace_law(float(x), self._tail))

    def discrete_gaussian(self, variance: Fraction) -> int:
        """Each of …, −1, 0, 1, … up to the tails."""
        return self._number(discrete_gaussian_law(float(variance), self._tail))

    def permutation(self, n: int) -> Keys:
        """Each order, position by position."""
        left = list(range(n))
        return _array([left.pop(self.randbelow(len(left))) for _ in range(n)])

    def thin(self, sizes: Sizes, rate: SamplingRate) -> Sizes:
        """Each number of records that may stay, group by group."""
        return _array([self._decide(binomial_law(int(size), float(rate))) for size in sizes])

    def binomial(self, n: int, chance: Chance) -> int:
        """Each number of events."""
        return self._decide(binomial_law(n, float(chance)))

    def randbelows(self, n: int, count: int) -> Keys:
        """`randbelow`, again and again."""
        return _array([self.randbelow(n) for _ in range(count)])

    def geometrics(self, x: Fraction, count: int) -> Sizes:
        """`geometric`, again and again."""
        return _array([self.geometric(x) for _ in range(count)])

    def discrete_laplaces(self, x: Fraction, count: int) -> Sizes:
        """`discrete_laplace`, again and again."""
        return _array([self.discrete_laplace(x) for _ in range(count)])

    def discrete_laplaces_each(self, exponents: Sequence[Fraction], which: Keys) -> Sizes:
        """`discrete_laplace`, entry by entry."""
        return _array([self.discrete_laplace(exponents[i]) for i in which.tolist()])

    def discrete_gaussians(self, variance: Fraction, count: int) -> Sizes:
        """`discrete_gaussian`, again and again."""
        return _array([self.discrete_gaussian(variance) for _ in range(count)])

    def bernoulli_exps(self, gaps: Gaps, unit: Fraction) -> Mask:
        """`bernoulli_exp`, gap by gap."""
        return np.array([self.bernoulli_exp(int(gap) * unit) for gap in gaps], dtype=np.bool_)

    def choose_exp(self, gaps: Gaps, unit: Fraction, weights: Sizes | None = None) -> int:
        """Each index."""
        mass = np.exp(-gaps.astype(np.float64) * float(unit)) * (1 if weights is None else weights)
        return self._decide((mass / mass.sum()).tolist())

    def _number(self, law: Numbers) -> int:
        first, probabilities, left_out = law
        return first + self._decide(probabilities.tolist(), left_out)

    def _decide(self, probabilities: Sequence[float], left_out: float = 0.0) -> int:
        here = self.tosses
        self.tosses += 1
        self._forks += max(probabilities) < 1
        if self._forks > _LONGEST:
            raise InfeasibleError(
                f"a branch needs more than {_LONGEST:,} tosses: the mechanism may repeat without end. "
                "Give a cutoff, such as 1e-12, below which branches are not followed."
            )
        if here < len(self._given):
            outcome, expected = self._given[here]
            if outcome >= len(probabilities) or probabilities[outcome] != expected:
                raise ParameterError(
                    "the mechanism tossed differently when it was replayed: it keeps state between runs, "
                    "or draws randomness that does not come from the coins."
                )
        else:
            outcome = self._branch(probabilities, left_out)
        self.probability *= probabilities[outcome]
        return outcome

    def _branch(self, probabilities: Sequence[float], left_out: float) -> int:
        """Meet a decision for the first time: note all outcomes but the first for later."""
        steps = [(i, p) for i, p in enumerate(probabilities) if p > 0 and self.probability * p > self._cutoff]
        dropped = math.fsum(probabilities) - math.fsum(p for _, p in steps)
        self.lost += self.probability * (left_out + max(dropped, 0.0))
        if not steps:
            raise CutError
        trunk = tuple(self._path)
        self.beside.extend((*trunk, step) for step in steps[1:])
        self._path.append(steps[0])
        return steps[0][0]


def distribution(
    mechanism: Callable[[Coins], object], *, tail: float = 1e-12, cutoff: float = 0.0, most: int = 1_000_000
) -> Distribution:
    """The output distribution of a mechanism, by following all branches of its coins.

    Arrays, lists and dictionaries in the output are turned into tuples.

    Args:
        mechanism: Takes coins, returns its output. All its randomness must come from the coins.
        tail: What may be left out of a draw that has infinitely many outcomes.
        cutoff: Branches that are not more likely than this are not followed. Needed for mechanisms that try again until
            they succeed.
        most: How many branches to follow before giving up.

    Raises:
        InfeasibleError: There are too many branches, or one is too long.
        ParameterError: A replay met other decisions than before.

    >>> from fractions import Fraction
    >>> distribution(lambda coins: coins.bernoulli(Fraction(1, 4)) + coins.bernoulli(Fraction(1, 2))).masses
    {0: 0.375, 1: 0.5, 2: 0.125}
    """
    masses: defaultdict[Hashable, float] = defaultdict(float)
    lost = 0.0
    waiting: list[Path] = [()]
    followed = 0
    while waiting:
        followed += 1
        if followed > most:
            raise InfeasibleError(f"there are more than {most:,} branches: take a smaller table, or a cutoff.")
        coins = EnumeratingCoins(waiting.pop(), tail=tail, cutoff=cutoff)
        with contextlib.suppress(CutError):
            masses[hashable(mechanism(coins))] += coins.probability
        lost += coins.lost
        waiting.extend(coins.beside)
    return Distribution(dict(masses), lost)


def hashable(output: object) -> Hashable:
    """The output with arrays and lists as tuples and dictionaries as frozen sets of pairs."""
    if isinstance(output, np.ndarray):
        return hashable(output.tolist())
    if isinstance(output, list | tuple):
        return tuple(hashable(part) for part in output)
    if isinstance(output, dict):
        return frozenset((key, hashable(value)) for key, value in output.items())
    if not isinstance(output, Hashable):
        raise ParameterError(f"an output must be hashable to be counted; got a {type(output).__name__}.")
    return output


def _array(numbers: Sequence[int]) -> Sizes:
    return np.array(numbers, dtype=np.int64)
