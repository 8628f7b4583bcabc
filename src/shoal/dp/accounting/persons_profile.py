"""Records drawn one by one, distinct persons counted: which k for (ε, δ) where a person has up to m records.

Each record is drawn with β = 1 − e^{−ε/m}; a class shows how many persons have a drawn record in it, if they are k or
more. A person who leaves changes nothing beyond e^ε. One who comes has a_1 + … + a_c ≤ m records in c classes, and is
seen in each by itself; the others' counts are independent binomials at worst, of n_i trials with B = 1 − (1 − β)^m. So
what one class tells is bounded for all n at once, as a function of t = e^ε, and classes are put together by multiplying
the ratios of what each tells: on a grid of powers of one number, on which convex functions are bounded by their chords,
and ratios multiply by adding positions. Everything is rounded up. Derivation: `docs/proofs/persons.md`, section 4.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property, lru_cache

from shoal.dp.accounting.binomial_tail import BITS, Trials
from shoal.dp.accounting.interval import Interval
from shoal.dp.accounting.threshold import first_within
from shoal.errors import ParameterError

MOST_EACH = 6
"""Records of a person beyond which there are too many ways to spread them over classes."""

_STEPS = 4
"""Grid points to a factor of e^{ε/m}: with 64 the bound is less than a tenth smaller where it is not tight at all."""

_BEYOND = 2
"""The grid ends at e^ε to this power; what is rarer counts as if it gave a person away."""


@lru_cache(maxsize=256)
def smallest_persons_threshold(epsilon: Fraction, delta: Fraction, records: int) -> int:
    """The smallest k for which drawing records and showing classes of k distinct persons is (ε, δ)-DP for a person.

    >>> smallest_persons_threshold(Fraction(1), Fraction(1, 10**5), 2)
    46
    """
    profile = PersonsProfile(epsilon, records)
    k = first_within(lambda k: profile.of_classes(k, (records,)), delta)
    if k is not None and Fraction(profile.at(k)) > delta:  # spread over several classes they may need more
        k = first_within(profile.at, delta, above=k)
    if k is None:
        raise ParameterError(
            f"sample and threshold: epsilon = {float(epsilon):g} and delta = {float(delta):g} for up to {records} "
            "records of a person take classes of more than a million persons. Use a larger delta, or max_records = 1."
        )
    return k


@dataclass(frozen=True)
class PersonsProfile:
    """δ as a function of k, for one ε and one largest number of records of a person.

    Guarantee: sampling records with 1 − e^{−ε/m}, generalizing by a fixed scheme and showing classes of k or more
        distinct persons, with how many they are, is (ε, at(k))-DP under add/remove of a person with up to m records.
    """

    epsilon: Fraction
    records: int

    def __post_init__(self) -> None:
        if self.epsilon <= 0 or not 1 <= self.records <= MOST_EACH:
            raise ParameterError(
                f"distinct persons: epsilon must be positive and max_records from 1 to {MOST_EACH}; got "
                f"{float(self.epsilon):g} and {self.records!r}."
            )

    def at(self, k: int) -> Decimal:
        """No less than δ(ε) for the threshold k, however a person's records are spread."""
        return max(self.of_classes(k, parts) for parts in partitions(self.records))

    def of_classes(self, k: int, parts: Sequence[int]) -> Decimal:
        """No less than δ(ε) for a person with so many records in each of several classes."""
        if len(parts) == 1:
            return self._one_class(k, parts[0], self._ratio(self.records * _STEPS))
        told = [self._told(k, records) for records in parts]
        masses, first = [1], 0
        for one in told:
            masses, first = _convolved(masses, one.masses), first + one.first
        gone = Interval.of(0)
        for i, one in enumerate(told):
            rest = Interval.of(1)
            for other in (*told[:i], *told[i + 1 :]):
                rest = rest * other.whole
            gone = gone + rest * Interval(one.beyond, one.beyond)
        level = self._ratio(self.records * _STEPS)
        total = 0
        for position, mass in enumerate(masses, start=first):
            if position > self.records * _STEPS:
                total += mass * _scaled((self._ratio(position) - level).high)
        return (gone + Fraction(total, 1 << BITS * (len(parts) + 1))).high

    @cached_property
    def _trials(self) -> Trials:
        """Whether one of the others is seen in a class, with as many records there as can be."""
        unseen = Interval.of(-self.epsilon).exp()
        return Trials.of(1 - unseen, unseen)

    @lru_cache(maxsize=1024)  # noqa: B019  profiles are small, and few
    def _ratio(self, position: int) -> Interval:
        """e^{ε/m} to the power of so many steps of the grid."""
        return Interval.of(self.epsilon * Fraction(position, self.records * _STEPS)).exp()

    def _one_class(self, k: int, records: int, t: Interval) -> Decimal:
        """No less than sup_n b f(k−1; n) + (1 − t) S(k; n), for t > 1 − b.

        It rises with n while (n + 1)/(n + 2 − k) > c = (1 − (1 − t) B/b)/(1 − B), and falls from there on.
        """
        seen = 1 - Interval.of(-self.epsilon * Fraction(records, self.records)).exp()
        turn = (1 - (1 - t) * self._trials.success / seen) / self._trials.failure
        assert turn.low > 1, "the grid begins where others are seen for certain"
        best = Decimal(0)
        for n in range(_worst(k, turn.high), _worst(k, turn.low) + 1):
            value = self._trials.mass(k - 1, n) * seen + (1 - t) * self._tail(k, n)
            best = max(best, value.high)
        return min(best, Decimal(1))

    def _tail(self, k: int, n: int) -> Interval:
        """P[k or more of n are seen], by the shorter way."""
        if n < k:
            return Interval.of(0)
        if k > n * self._trials.success.low:
            over = [Interval.of(self._trials.tail_over_mass(k, n, up=up)) for up in (False, True)]
            return self._trials.mass(k, n) * Interval(over[0].low, over[1].high)
        unseen = self._trials.swapped
        over = [Interval.of(unseen.tail_over_mass(n - k + 1, n, up=up)) for up in (False, True)]
        return 1 - unseen.mass(n - k + 1, n) * Interval(over[0].low, over[1].high)

    @lru_cache(maxsize=64)  # noqa: B019  the same for all ways to spread the others
    def _told(self, k: int, records: int) -> _Told:
        """What one class tells of somebody with so many records in it: measures that are worse for all t at once."""
        first, last = -records * _STEPS, _BEYOND * self.records * _STEPS
        ratios = [self._ratio(position) for position in range(first, last + 1)]
        beyond = self._one_class(k, records, ratios[-1])
        value, slope = Interval(beyond, beyond), Decimal(0)
        masses: list[int] = []
        for i in range(len(ratios) - 2, -1, -1):  # chords, each at least as steep as the next one
            bound = 1 - ratios[0] if i == 0 else Interval.of(Fraction(self._one_class(k, records, ratios[i])))
            width = ratios[i + 1] - ratios[i]
            steeper = max(slope, ((bound - value) / width).high)
            masses.append(_scaled((Interval(steeper, steeper) - Interval(slope, slope)).high))
            value, slope = value + width * Interval(steeper, steeper), steeper
        steepest = max(slope, Decimal(1))
        masses.append(_scaled((Interval(steepest, steepest) - Interval(slope, slope)).high))
        whole = value + ratios[0] * Interval(steepest, steepest)
        return _Told(first, masses[::-1], beyond, whole)


@dataclass(frozen=True, slots=True)
class _Told:
    """Measures whose ratio is a power of one number.

    Attributes:
        first: The power at which they begin.
        masses: What the smaller of the two has at each power, in 2^−BITS.
        beyond: What the larger one has where the other has nothing.
        whole: What the larger one has in all.
    """

    first: int
    masses: list[int]
    beyond: Decimal
    whole: Interval


def partitions(records: int, largest: int | None = None) -> Iterator[tuple[int, ...]]:
    """The ways to spread so many records over classes.

    >>> list(partitions(3))
    [(3,), (2, 1), (1, 1, 1)]
    """
    if records == 0:
        yield ()
        return
    for first in range(min(records, largest or records), 0, -1):
        for rest in partitions(records - first, first):
            yield (first, *rest)


def _worst(k: int, turn: Decimal) -> int:
    """With how many others in a class a person who comes shows most: the first n with n (c − 1) ≥ 1 + c (k − 2)."""
    c = Fraction(turn)
    return max(k - 1, math.ceil((1 + c * (k - 2)) / (c - 1)))


def _scaled(value: Decimal) -> int:
    """In 2^−BITS, rounded up."""
    return math.ceil(Fraction(value) * (1 << BITS))


def _convolved(one: Sequence[int], other: Sequence[int]) -> list[int]:
    found = [0] * (len(one) + len(other) - 1)
    for i, a in enumerate(one):
        for j, b in enumerate(other):
            found[i + j] += a * b
    return found
