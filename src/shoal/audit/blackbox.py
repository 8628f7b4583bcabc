"""A lower confidence bound on ε for a mechanism that can only be run.

Half of the runs look for an event that is much likelier on one table than on its neighbor; the other half, which had no
part in that choice, measures it. In the shape of dp-auditorium: a mechanism, neighbors, a property to test.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np

from shoal.audit.confidence import clopper_pearson
from shoal.audit.enumeration import hashable
from shoal.errors import ParameterError

if TYPE_CHECKING:
    from shoal.arrays import Floats
    from shoal.dp.coins.coins import Coins

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Finding(Generic[T]):
    """A lower confidence bound on ε.

    If the mechanism were (ε', δ)-DP for some ε' < `epsilon`, an audit would find this with probability at most α.
    """

    epsilon: float
    delta: float
    alpha: float
    here: T
    there: T
    event: frozenset[Hashable]
    """The outcomes that were counted."""
    hits: tuple[int, int]
    """How often the event came up on `here` and on `there`."""
    runs: int
    """How many runs of each were counted."""

    def refutes(self, epsilon: float) -> bool:
        """Whether a claim of (ε, δ)-DP is refuted."""
        return self.epsilon > epsilon


def estimate_epsilon(
    mechanism: Callable[[T, Coins], object],
    neighbors: Iterable[tuple[T, T]],
    coins: Coins,
    *,
    runs: int = 20_000,
    alpha: float = 1e-6,
    delta: float = 0.0,
    statistic: Callable[[object], Hashable] = hashable,
) -> Finding[T]:
    """Run a mechanism on neighboring tables; return an ε it exceeds with confidence 1 − α.

    0 means that nothing was found, which proves nothing: more runs or a coarser statistic may find more.

    Args:
        mechanism: Takes a table and coins, returns its output.
        neighbors: Pairs of neighboring tables; all are explored, the worst is measured.
        coins: Seeded coins make the audit repeatable.
        runs: Per table; half of them to find the event, half to measure it.
        alpha: The probability of reporting too large an ε.
        delta: What the claim grants beside ε.
        statistic: What to look at in an output, if outputs rarely repeat.
    """
    if runs < 2 or not 0 < alpha < 1 or not 0 <= delta < 1:
        raise ParameterError(
            f"estimate_epsilon: needs runs >= 2, 0 < alpha < 1 and 0 <= delta < 1; got {runs}, {alpha}, {delta}."
        )
    half = runs // 2

    def outcomes(table: T) -> Counter[Hashable]:
        return Counter(statistic(mechanism(table, coins)) for _ in range(half))

    best: tuple[float, T, T, frozenset[Hashable]] | None = None
    for one, other in neighbors:
        seen, seen_other = outcomes(one), outcomes(other)
        for here, there, likely, unlikely in ((one, other, seen, seen_other), (other, one, seen_other, seen)):
            promise, event = _best_event(likely, unlikely, half, alpha, delta)
            if best is None or promise > best[0]:
                best = promise, here, there, event
    if best is None:
        raise ParameterError("estimate_epsilon: needs at least one pair of neighboring tables.")

    _, here, there, event = best
    hits, rare = (sum(n for outcome, n in outcomes(table).items() if outcome in event) for table in (here, there))
    low = clopper_pearson(hits, half, alpha / 2)[0] - delta
    high = clopper_pearson(rare, half, alpha / 2)[1]
    epsilon = max(0.0, math.log(low / high)) if low > 0 else 0.0
    return Finding(epsilon, delta, alpha, here, there, event, (hits, rare), half)


def _best_event(
    likely: Counter[Hashable], unlikely: Counter[Hashable], runs: int, alpha: float, delta: float
) -> tuple[float, frozenset[Hashable]]:
    """The candidate event that promises the largest bound, judged on the runs that chose it."""
    best = -math.inf, frozenset[Hashable]()
    for order in _orders(likely, unlikely):
        hits = np.cumsum([likely[outcome] for outcome in order])
        rare = np.cumsum([unlikely[outcome] for outcome in order])
        low = _wilson(hits, runs, alpha, -1) - delta
        high = _wilson(rare, runs, alpha, +1)
        promise = np.log(np.maximum(low, 1e-300) / high)
        last = int(np.argmax(promise))
        if promise[last] > best[0]:
            best = float(promise[last]), frozenset(order[: last + 1])
    return best


def _orders(likely: Counter[Hashable], unlikely: Counter[Hashable]) -> Iterator[list[Hashable]]:
    """Orders whose beginnings are candidate events: by ratio of frequencies, and by size if outcomes are numbers."""
    outcomes = list(likely.keys() | unlikely.keys())
    yield sorted(outcomes, key=lambda o: ((unlikely[o] + 0.5) / (likely[o] + 0.5), str(o)))
    if all(isinstance(outcome, Real) for outcome in outcomes):
        ascending = sorted(outcomes, key=float)  # type: ignore[arg-type]
        yield ascending
        yield ascending[::-1]


def _wilson(hits: Floats, runs: int, alpha: float, side: int) -> Floats:
    """Wilson's score bound with a generous normal quantile: quick, and only used to choose."""
    z = math.sqrt(2 * math.log(2 / alpha))
    share = hits / runs
    middle = share + z * z / (2 * runs)
    spread = z * np.sqrt(share * (1 - share) / runs + z * z / (4 * runs * runs))
    bound: Floats = (middle + side * spread) / (1 + z * z / runs)
    return bound
