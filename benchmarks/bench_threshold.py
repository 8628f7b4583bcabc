"""CPU milliseconds to find the k of SafePub, over a grid of ε and δ.

Each number is the median of several runs in one process, without the import, with the cache of factorials emptied.
"""

from __future__ import annotations

import platform
import statistics
import time
from fractions import Fraction

from shoal.dp.accounting.binomial_tail import log_factorial
from shoal.dp.accounting.threshold import Accounting, SampleAndThreshold, smallest_threshold
from shoal.dp.coins.sampling_rate import OneMinusExp, SamplingRate
from shoal.errors import ParameterError

EPSILONS = ("0.01", "0.02", "0.05", "0.1", "0.2", "0.5", "1", "2", "3", "4")
DELTAS = ("1e-4", "1e-6", "1e-8", "1e-12", "1e-20")
RUNS = 7


def timed(call: object) -> tuple[object, float]:
    """What the call returns, and its median CPU time in milliseconds."""
    assert callable(call)
    times, result = [], None
    for _ in range(RUNS):
        log_factorial.cache_clear()
        started = time.process_time()
        result = call()
        times.append(1000 * (time.process_time() - started))
    return result, statistics.median(times)


def cell(rate: SamplingRate, epsilon: str, delta: str, accounting: Accounting) -> str:
    try:
        k, milliseconds = timed(lambda: smallest_threshold(rate, Fraction(epsilon), Fraction(delta), accounting))
    except ParameterError:
        return f"{'beyond 10⁶':>16}"
    return f"{k:>9} {milliseconds:6.2f}"


def grid(title: str, accounting: Accounting) -> None:
    print(f"\n{title}\n{'epsilon':>8}" + "".join(f"{'k at ' + delta:>12} {'ms':>4}" for delta in DELTAS))
    for epsilon in EPSILONS:
        rate = OneMinusExp(Fraction(epsilon))
        print(f"{epsilon:>8}" + " ".join(cell(rate, epsilon, delta, accounting) for delta in DELTAS))


def free_rates() -> None:
    print("\nExact accounting, other rates, delta = 1e-20\n epsilon     rate         k     ms")
    for epsilon in ("0.01", "0.1", "1", "4"):
        for rate in ("0.001", "0.1", "0.5", "0.9", "0.99"):
            print(f"{epsilon:>8} {rate:>8} {cell(Fraction(rate), epsilon, '1e-20', Accounting.EXACT)}")


def others() -> None:
    rate, one = OneMinusExp(Fraction("0.9")), Fraction(1)
    print()
    for accounting in Accounting:
        operator = SampleAndThreshold(rate=rate, k=73, accounting=accounting)
        _, milliseconds = timed(lambda operator=operator: operator.delta(one))
        print(f"delta for given k ({accounting.value}): {milliseconds:.2f} ms")


if __name__ == "__main__":
    print(f"{platform.machine()}, Python {platform.python_version()}, {platform.system()}")
    grid("Exact accounting, rate 1 − e^−epsilon", Accounting.EXACT)
    grid("The paper's accounting, rate 1 − e^−epsilon", Accounting.PAPER)
    free_rates()
    others()
