"""How far apart two output distributions are, and the worst over neighboring tables."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from shoal.audit.enumeration import Distribution, distribution
from shoal.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable

    from shoal.dp.coins.coins import Coins

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Loss(Generic[T]):
    """The largest privacy loss found: how much more likely `outcome` is on `here` than on `there`, as a logarithm."""

    epsilon: float
    here: T
    there: T
    outcome: Hashable
    lost: float
    """The probability left out on either side; 0 when every branch was followed."""


def max_log_ratio(here: Distribution, there: Distribution) -> float:
    """The largest ln(P[here = o] / P[there = o]) over outcomes o.

    Exact when nothing was lost. Otherwise a lower bound: what was lost `there` is counted for every outcome.

    >>> round(max_log_ratio(Distribution({"a": 0.5, "b": 0.5}), Distribution({"a": 0.25, "b": 0.75})), 6)
    0.693147
    """
    return _worst(here, there)[0]


def hockey_stick(here: Distribution, there: Distribution, epsilon: float) -> float:
    """The smallest δ with P[here ∈ E] <= e^ε P[there ∈ E] + δ for all events E: Σ max(0, P[here] − e^ε P[there]).

    Exact when nothing was lost. Otherwise an upper bound: what was lost `here` is counted in full.

    >>> hockey_stick(Distribution({"a": 0.5, "b": 0.5}), Distribution({"a": 0.25, "b": 0.75}), epsilon=0.0)
    0.25
    """
    factor = math.exp(epsilon)
    return here.lost + math.fsum(max(0.0, p - factor * there.masses.get(o, 0.0)) for o, p in here.masses.items())


def exact_epsilon(
    mechanism: Callable[[T, Coins], object],
    neighbors: Iterable[tuple[T, T]],
    *,
    tail: float = 1e-12,
    cutoff: float = 0.0,
) -> Loss[T]:
    """The largest privacy loss over all given pairs, in both directions.

    For pure ε-DP: a mechanism that claims less than this is broken. See `distribution` for `tail` and `cutoff`.
    """
    worst: Loss[T] | None = None
    law = _Laws(mechanism, tail, cutoff)
    for one, other in neighbors:
        p, q = law(one), law(other)
        for here, there, likely, unlikely in ((one, other, p, q), (other, one, q, p)):
            epsilon, outcome = _worst(likely, unlikely)
            if worst is None or epsilon > worst.epsilon:
                worst = Loss(epsilon, here, there, outcome, max(p.lost, q.lost))
    if worst is None:
        raise ParameterError("exact_epsilon: needs at least one pair of neighboring tables.")
    return worst


def exact_delta(
    mechanism: Callable[[T, Coins], object],
    neighbors: Iterable[tuple[T, T]],
    epsilon: float,
    *,
    tail: float = 1e-12,
    cutoff: float = 0.0,
) -> float:
    """The δ that the mechanism needs beside ε, over all given pairs, in both directions (see `hockey_stick`)."""
    law = _Laws(mechanism, tail, cutoff)
    worst = 0.0
    for one, other in neighbors:
        p, q = law(one), law(other)
        worst = max(worst, hockey_stick(p, q, epsilon), hockey_stick(q, p, epsilon))
    return worst


class _Laws(Generic[T]):
    """Distributions by table, each computed once if the table can be looked up."""

    def __init__(self, mechanism: Callable[[T, Coins], object], tail: float, cutoff: float) -> None:
        self._mechanism, self._tail, self._cutoff = mechanism, tail, cutoff
        self._known: dict[T, Distribution] = {}

    def __call__(self, table: T) -> Distribution:
        try:
            known = self._known.get(table)
        except TypeError:  # not hashable
            return self._law(table)
        if known is None:
            known = self._known[table] = self._law(table)
        return known

    def _law(self, table: T) -> Distribution:
        return distribution(lambda coins: self._mechanism(table, coins), tail=self._tail, cutoff=self._cutoff)


def _worst(here: Distribution, there: Distribution) -> tuple[float, Hashable]:
    worst: tuple[float, Hashable] = (-math.inf, None)
    for outcome, p in here.masses.items():
        q = there.masses.get(outcome, 0.0) + there.lost
        ratio = math.log(p / q) if q > 0 else math.inf
        if ratio > worst[0]:
            worst = ratio, outcome
    return worst
