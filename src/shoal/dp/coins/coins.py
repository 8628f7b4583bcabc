"""Coins: the only way to draw randomness, exact in law, passed in and never global.

`secure_coins()` is what a release uses. `SeededCoins(seed)` exists for tests and benchmarks; what is made with them is
marked "TEST RUN: seeded, no privacy". `shoal.audit` has a third kind that follows every branch of a mechanism.

Every law below is exact: no probability is rounded, and no floating-point number takes part in a draw (theory X-3, X-4;
`docs/proofs/coins.md`). Running time depends on the coins and on what they are tossed for (theory X-5).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Protocol, assert_never

import numpy as np

from shoal.dp.coins import bulk, many_exponents, samplers
from shoal.dp.coins.bits import Bits, SeededBits, SystemBits
from shoal.dp.coins.brackets import Gaps, toss_exp
from shoal.dp.coins.enclosures import Enclosure, complement, exp_minus, rational
from shoal.dp.coins.sampling_rate import OneMinusExp, SamplingRate
from shoal.dp.mechanisms.checks import require_fraction, require_positive
from shoal.errors import ParameterError

if TYPE_CHECKING:
    from shoal.arrays import Keys, Mask, Sizes


# Below so many draws, one by one is faster than setting up a draw in bulk.
_FEW = 16
_FEW_EXPONENTS = 6


class Chance(Protocol):
    """A probability that is known as well as one asks."""

    def __float__(self) -> float: ...

    def enclosure(self) -> Enclosure:
        """Bounds on it, for any number of bits."""
        ...


class Coins(Protocol):
    """What a mechanism may toss. Scalar draws first, then arrays of independent draws."""

    @property
    def seeded(self) -> bool:
        """Whether the coins can be repeated by whoever knows a seed: then nothing is private."""
        ...

    def randbelow(self, n: int) -> int:
        """Uniform on 0…n−1."""
        ...

    def bernoulli(self, p: Fraction) -> bool:
        """True with probability p."""
        ...

    def bernoulli_exp(self, x: Fraction) -> bool:
        """True with probability e^-x."""
        ...

    def geometric(self, x: Fraction) -> int:
        """G with P[G >= g] = e^(−x g)."""
        ...

    def discrete_laplace(self, x: Fraction) -> int:
        """X with P[X = n] proportional to e^(−x |n|)."""
        ...

    def discrete_gaussian(self, variance: Fraction) -> int:
        """X with P[X = n] proportional to e^(−n² / (2 variance))."""
        ...

    def permutation(self, n: int) -> Keys:
        """A uniformly random order of 0…n−1."""
        ...

    def thin(self, sizes: Sizes, rate: SamplingRate) -> Sizes:
        """How many of each `sizes[i]` records stay, each with the same probability."""
        ...

    def binomial(self, n: int, chance: Chance) -> int:
        """How many of n independent events happen, each with the same chance."""
        ...

    def randbelows(self, n: int, count: int) -> Keys:
        """`count` times `randbelow`."""
        ...

    def geometrics(self, x: Fraction, count: int) -> Sizes:
        """`count` times `geometric`."""
        ...

    def discrete_laplaces(self, x: Fraction, count: int) -> Sizes:
        """`count` times `discrete_laplace`."""
        ...

    def discrete_laplaces_each(self, exponents: Sequence[Fraction], which: Keys) -> Sizes:
        """For each entry of `which`, `discrete_laplace(exponents[entry])`."""
        ...

    def discrete_gaussians(self, variance: Fraction, count: int) -> Sizes:
        """`count` times `discrete_gaussian`."""
        ...

    def bernoulli_exps(self, gaps: Gaps, unit: Fraction) -> Mask:
        """For each gap, `bernoulli_exp(gap · unit)`."""
        ...

    def choose_exp(self, gaps: Gaps, unit: Fraction, weights: Sizes | None = None) -> int:
        """An index with probability proportional to weight · e^(−gap · unit); weights are 1 if not given."""
        ...


class BitCoins:
    """Coins made of a source of bits."""

    __slots__ = ("_bits",)

    def __init__(self, bits: Bits) -> None:
        self._bits = bits

    @property
    def seeded(self) -> bool:
        """Whether the source is repeatable."""
        return self._bits.seeded

    def randbelow(self, n: int) -> int:
        """Uniform on 0…n−1: the shortest whole bytes, masked, drawn again if too large."""
        if n < 1:
            raise ParameterError(f"randbelow: n must be at least 1; got {n}.")
        length = (n - 1).bit_length()
        size, mask = (length + 7) // 8, (1 << length) - 1
        while True:
            drawn = int.from_bytes(self._bits.take(size), "little") & mask
            if drawn < n:
                return drawn

    def bernoulli(self, p: Fraction) -> bool:
        """True with probability p."""
        require_fraction("bernoulli", p=p)
        if not 0 <= p <= 1:
            raise ParameterError(f"bernoulli: p must lie between 0 and 1; got {p}.")
        return samplers.bernoulli(Fraction(p), self)

    def bernoulli_exp(self, x: Fraction) -> bool:
        """True with probability e^-x."""
        require_fraction("bernoulli_exp", x=x)
        if x < 0:
            raise ParameterError(f"bernoulli_exp: an exponent must not be negative; got {x}.")
        return samplers.bernoulli_exp(Fraction(x), self)

    def geometric(self, x: Fraction) -> int:
        """G with P[G >= g] = e^(−x g)."""
        require_positive("geometric", x=x)
        return samplers.geometric(Fraction(x), self)

    def discrete_laplace(self, x: Fraction) -> int:
        """X with P[X = n] proportional to e^(−x |n|)."""
        require_positive("discrete_laplace", x=x)
        return samplers.discrete_laplace(Fraction(x), self)

    def discrete_gaussian(self, variance: Fraction) -> int:
        """X with P[X = n] proportional to e^(−n² / (2 variance))."""
        require_positive("discrete_gaussian", variance=variance)
        return samplers.discrete_gaussian(Fraction(variance), self)

    def permutation(self, n: int) -> Keys:
        """A uniformly random order of 0…n−1."""
        return bulk.permutation(_counted("permutation", n), self._bits)

    def thin(self, sizes: Sizes, rate: SamplingRate) -> Sizes:
        """How many of each `sizes[i]` records stay, each with the same probability."""
        if np.any(sizes < 0):
            raise ParameterError("thin: sizes must not be negative.")
        return bulk.thin(sizes, _enclosure(rate), self._bits)

    def binomial(self, n: int, chance: Chance) -> int:
        """How many of n independent events happen, each with the same chance."""
        return bulk.binomial(_counted("binomial", n), chance.enclosure(), self._bits)

    def randbelows(self, n: int, count: int) -> Keys:
        """`count` times `randbelow`, for n up to 2^63."""
        if not 1 <= n <= 1 << 63:
            raise ParameterError(f"randbelows: n must lie between 1 and 2^63; got {n}.")
        return bulk.below(n, _counted("randbelows", count), self._bits)

    def geometrics(self, x: Fraction, count: int) -> Sizes:
        """`count` times `geometric`, for x of at least 2^-40."""
        require_positive("geometrics", x=x)
        if _counted("geometrics", count) < _FEW:
            return _array([self.geometric(x) for _ in range(count)])
        return bulk.geometric(Fraction(x), count, self._bits)

    def discrete_laplaces(self, x: Fraction, count: int) -> Sizes:
        """`count` times `discrete_laplace`, for x of at least 2^-40."""
        require_positive("discrete_laplaces", x=x)
        if _counted("discrete_laplaces", count) < _FEW:
            return _array([self.discrete_laplace(x) for _ in range(count)])
        return bulk.discrete_laplace(Fraction(x), count, self._bits)

    def discrete_laplaces_each(self, exponents: Sequence[Fraction], which: Keys) -> Sizes:
        """For each entry of `which`, `discrete_laplace(exponents[entry])`, for exponents of at least 2^-40."""
        for x in exponents:
            require_positive("discrete_laplaces_each", x=x)
        if len(which) < _FEW:
            return _array([self.discrete_laplace(exponents[i]) for i in which.tolist()])
        return many_exponents.discrete_laplaces(exponents, which, self._bits)

    def discrete_gaussians(self, variance: Fraction, count: int) -> Sizes:
        """`count` times `discrete_gaussian`, for a variance below 2^79."""
        require_positive("discrete_gaussians", variance=variance)
        if _counted("discrete_gaussians", count) < _FEW:
            return _array([self.discrete_gaussian(variance) for _ in range(count)])
        return bulk.discrete_gaussian(Fraction(variance), count, self._bits)

    def bernoulli_exps(self, gaps: Gaps, unit: Fraction) -> Mask:
        """For each gap, `bernoulli_exp(gap · unit)`, for unit > 0."""
        _require_gaps("bernoulli_exps", gaps, unit)
        if len(gaps) < _FEW_EXPONENTS:
            return np.array([self.bernoulli_exp(int(gap) * Fraction(unit)) for gap in gaps], dtype=np.bool_)
        return toss_exp(gaps, Fraction(unit), self._bits)

    def choose_exp(self, gaps: Gaps, unit: Fraction, weights: Sizes | None = None) -> int:
        """An index with probability proportional to weight · e^(−gap · unit), for unit > 0."""
        _require_gaps("choose_exp", gaps, unit)
        if not len(gaps) or gaps.min():
            raise ParameterError("choose_exp: one gap at least must be 0, or waiting for a proposal may take forever.")
        if weights is not None and (len(weights) != len(gaps) or weights.min() < 1):
            raise ParameterError("choose_exp: every gap needs a weight of at least 1.")
        return bulk.choose_exp(gaps, Fraction(unit), weights, self._bits)


class SeededCoins(BitCoins):
    """Repeatable coins, for tests and benchmarks only: a release made with them protects nobody.

    >>> SeededCoins(7).discrete_laplace(Fraction(1, 2)) == SeededCoins(7).discrete_laplace(Fraction(1, 2))
    True
    >>> SeededCoins(7).seeded
    True
    """

    __slots__ = ()

    def __init__(self, seed: int) -> None:
        super().__init__(SeededBits(seed))


def secure_coins() -> Coins:
    """Coins of the operating system: the ones a release needs.

    >>> secure_coins().seeded
    False
    """
    return BitCoins(SystemBits())


def _enclosure(rate: SamplingRate) -> Enclosure:
    match rate:
        case Fraction():
            if not 0 <= rate <= 1:
                raise ParameterError(f"thin: the rate must lie between 0 and 1; got {float(rate):g}.")
            return rational(rate)
        case OneMinusExp(epsilon):
            return complement(exp_minus(epsilon))
    assert_never(rate)


def _require_gaps(owner: str, gaps: Gaps, unit: Fraction) -> None:
    require_positive(owner, unit=unit)
    if len(gaps) and gaps.min() < 0:
        raise ParameterError(f"{owner}: gaps must not be negative.")


def _array(numbers: list[int]) -> Sizes:
    return np.array(numbers, dtype=np.int64)


def _counted(owner: str, count: int) -> int:
    if count < 0:
        raise ParameterError(f"{owner}: how many must not be negative; got {count}.")
    return count
