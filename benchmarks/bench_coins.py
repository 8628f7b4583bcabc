"""How fast exact coins are: CPU time of bulk draws, beside the plain exact samplers that draw one at a time.

Prints draws per second for both and their ratio. Coins are those of the operating system, as in a release.
"""

from __future__ import annotations

import platform
import time
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from shoal.dp.coins.coins import secure_coins
from shoal.dp.coins.sampling_rate import OneMinusExp
from shoal.dp.mechanisms.selection import ExponentialMechanism, PermuteAndFlip

MILLION = 1_000_000
COINS = secure_coins()
HALF = Fraction(1, 2)


def seconds(work: Callable[[], object]) -> float:
    """CPU seconds, the better of two runs."""
    taken = []
    for _ in range(2):
        start = time.process_time()
        work()
        taken.append(time.process_time() - start)
    return min(taken)


def report(name: str, draws: int, bulk: Callable[[], object], few: int, one_by_one: Callable[[], object]) -> None:
    fast, slow = seconds(bulk), seconds(one_by_one)
    ratio = (draws / fast) / (few / slow)
    print(f"{name:52} {draws:>10,} {fast:8.3f} {draws / fast:14,.0f} {few / slow:12,.0f} {ratio:8,.0f}x")


def noise() -> None:
    for x in (HALF, Fraction(1, 1000)):
        report(
            f"discrete Laplace, exponent {x}",
            MILLION,
            lambda x=x: COINS.discrete_laplaces(x, MILLION),
            3_000,
            lambda x=x: [COINS.discrete_laplace(x) for _ in range(3_000)],
        )
    report(
        "geometric, exponent 1/2",
        MILLION,
        lambda: COINS.geometrics(HALF, MILLION),
        3_000,
        lambda: [COINS.geometric(HALF) for _ in range(3_000)],
    )
    report(
        "discrete Gaussian, variance 100",
        MILLION,
        lambda: COINS.discrete_gaussians(Fraction(100), MILLION),
        3_000,
        lambda: [COINS.discrete_gaussian(Fraction(100)) for _ in range(3_000)],
    )


def thinning() -> None:
    def one_by_one() -> object:
        return [not COINS.bernoulli_exp(Fraction(9, 10)) for _ in range(5_000)]

    rate = OneMinusExp(Fraction(9, 10))
    for groups, size in ((12 * MILLION, 1), (MILLION, 12), (1_000, 12_000)):
        sizes = np.full(groups, size, dtype=np.int64)
        report(
            f"thin {groups:,} x {size:,} records",
            groups * size,
            lambda sizes=sizes: COINS.thin(sizes, rate),
            5_000,
            one_by_one,
        )


def plain_permute_and_flip(scores: list[Fraction], eta: Fraction) -> int:
    best = max(scores)
    for i in COINS.permutation(len(scores)):
        if COINS.bernoulli_exp(eta * (best - scores[i])):
            return int(i)
    raise AssertionError


def plain_exponential(scores: list[Fraction], eta: Fraction) -> int:
    best = max(scores)
    while True:
        i = COINS.randbelow(len(scores))
        if COINS.bernoulli_exp(eta * (best - scores[i])):
            return i


def selection() -> None:
    """A draw is one choice among all candidates; the plain samplers get their scores as fractions already."""
    spread = np.random.default_rng(1).random(100_000) * 100  # one candidate in a hundred is within 1/η of the best
    lonely = np.zeros(100_000)
    lonely[0] = 20  # one good candidate, so that nearly every coin must be tossed
    cases = [(f"{n:,}", spread[:n]) for n in (1_000, 10_000, 100_000)] + [("1 good of 100,000", lonely)]
    for name, scores in cases:
        fractions = [Fraction(score) for score in scores]
        for kind, plain in ((PermuteAndFlip, plain_permute_and_flip), (ExponentialMechanism, plain_exponential)):
            choice = kind(epsilon=Fraction(1), score_range=Fraction(1), grid=Fraction(1, 2**20))
            report(
                f"{kind.__name__}, {name} candidates",
                50,
                lambda choice=choice, scores=scores: [choice.select(scores, COINS) for _ in range(50)],
                2,
                lambda plain=plain, fractions=fractions: [plain(fractions, Fraction(1)) for _ in range(2)],
            )


def orders() -> None:
    def fisher_yates() -> object:
        order = list(range(5_000))
        for i in range(len(order) - 1, 0, -1):
            j = COINS.randbelow(i + 1)
            order[i], order[j] = order[j], order[i]
        return order

    report("permutation", MILLION, lambda: COINS.permutation(MILLION), 5_000, fisher_yates)


def main() -> None:
    print(f"{platform.machine()}, Python {platform.python_version()}, NumPy {np.__version__}, one process")
    print(f"{'':52} {'draws':>10} {'CPU s':>8} {'draws/s':>14} {'plain/s':>12} {'ratio':>9}")
    thinning()
    noise()
    orders()
    selection()


if __name__ == "__main__":
    main()
