"""An empirical lower bound on epsilon: the method is run many times with the most exposed person and without."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from shoal.arrays import Sizes
from shoal.attacks.interval import Rate
from shoal.attacks.nearest import ROUNDING, Nearest, random_records, values_of
from shoal.audit import estimate_epsilon
from shoal.data.counts import Counts
from shoal.data.encoded import EncodedTable
from shoal.data.outcome import Outcome
from shoal.dp.accounting.cost import PrivacyCost
from shoal.dp.accounting.relation import Neighbors
from shoal.dp.coins.coins import Coins, SeededCoins
from shoal.errors import InfeasibleError, ParameterError, ShoalError
from shoal.parameters import Seed, read_parameters

_ALPHA = 0.05
_FEWEST_RUNS = 40
"""With fewer runs no bound worth telling can come out."""
_ENOUGH_RUNS = 400
"""With fewer runs, fewer people: what is promised holds for every table, so it can be tried on a small one."""
_SAMPLES = (10_000, 2_000, 500, 150)
_NOTHING = -1_000_000
"""Stands for a release that could not be made or has no record."""


@dataclass(frozen=True, slots=True)
class EpsilonFound:
    """What many runs show about the difference one person makes; for the owner only.

    Attributes:
        epsilon: With 95% confidence the method is no better than this; 0 if nothing was found.
        promised: The epsilon that the release promises: the baseline.
        delta: The delta that it grants itself beside it.
        hits: How often, with the person and without, the telling event came up; the likelier first.
        runs: How many runs of each were counted; as many looked for the event.
        people: How many people of the original took part; fewer than all where the method is slow.
    """

    epsilon: float
    promised: float
    delta: float
    hits: tuple[int, int]
    runs: int
    people: int

    @property
    def title(self) -> str:
        """What was tried."""
        return "Tell from the release whether the most exposed person was there"

    @property
    def rates(self) -> Mapping[str, Rate]:
        """How often the event came up on either side."""
        return {
            name: Rate.of(np.repeat([1.0, 0.0], [hits, self.runs - hits]))
            for name, hits in zip(("telltale event, the likelier side", "the other side"), self.hits, strict=True)
        }

    @property
    def refutes(self) -> bool:
        """Whether the promise is refuted."""
        return self.epsilon > self.promised

    def __str__(self) -> str:
        tried = (
            f"The method was run {2 * self.runs:,} times on {self.people:,} people with the most exposed one and as "
            "often without"
        )
        if self.epsilon == 0:
            return (
                f"{tried}; no difference was found with 95% confidence, which proves nothing. The release promises "
                f"epsilon {self.promised:g}."
            )
        verdict = "more than promised: please report this" if self.refutes else "in keeping with the promise of"
        return f"{tried}; with 95% confidence its epsilon is at least {self.epsilon:.2f}, {verdict} {self.promised:g}."


@dataclass(frozen=True, slots=True, kw_only=True)
class EmpiricalEpsilon:
    """Runs a private method on two neighboring tables, and counts what the release shows where the person would be.

    Attributes:
        seconds: How long it may take.
        most_runs: How many runs of each table there are at most.
        seed: Decides the coins; nothing of these runs is published.

    Guarantee: the bound holds with 95% confidence: one run in twenty may report too large an epsilon.
    """

    seconds: float = 20.0
    most_runs: int = 4_000
    seed: Seed = 0

    def __post_init__(self) -> None:
        read_parameters(self)
        if not self.seconds > 0 or self.most_runs < _FEWEST_RUNS:
            raise ParameterError(
                f"seconds must be above 0 and most_runs at least {_FEWEST_RUNS}; got {self.seconds!r}, "
                f"{self.most_runs!r}."
            )

    def on(
        self, table: EncodedTable, run: Callable[[EncodedTable, Coins], Outcome], promised: PrivacyCost
    ) -> EpsilonFound:
        """Try to tell `table` from its neighbor without the most exposed person.

        Args:
            table: The original, as the method is given it.
            run: Makes a release of a table.
            promised: What it costs, as promised.
        """
        values = values_of(table.counts, table.counts.names, most_exposed(table))
        coins = SeededCoins(self.seed)

        def look(some: EncodedTable, coins: Coins) -> int:
            try:
                return closeness(run(some, coins), values)
            except ShoalError:
                return _NOTHING

        small, runs = self._affordable(table, lambda some: look(some, coins))
        other = without(small, most_exposed(small, values), promised.neighbors)
        delta = float(promised.delta)
        found = estimate_epsilon(look, [(small, other)], coins, runs=runs, alpha=_ALPHA, delta=delta)
        return EpsilonFound(found.epsilon, float(promised.epsilon), delta, found.hits, found.runs, small.total)

    def _affordable(self, table: EncodedTable, look: Callable[[EncodedTable], int]) -> tuple[EncodedTable, int]:
        """The largest sample of the table on which there is time for enough runs, and for how many."""
        best: tuple[EncodedTable, int] | None = None
        for number in (table.total, *(n for n in _SAMPLES if n < table.total)):
            some = sample(table, number, self.seed)
            if look(some) == _NOTHING:  # the first look also takes what is compiled once
                continue
            started = time.perf_counter()
            look(some)
            runs = min(self.most_runs, int(self.seconds / (4 * (time.perf_counter() - started) + 1e-9)) * 2)
            if best is None or runs > best[1]:
                best = some, runs
            if runs >= _ENOUGH_RUNS:
                break
        if best is None or best[1] < _FEWEST_RUNS:
            raise InfeasibleError(
                f"{self.seconds:g} seconds are too short to run the method {2 * _FEWEST_RUNS} times, even on a few of "
                "the people; give more --seconds."
            )
        return best


def most_exposed(table: EncodedTable, values: list[int] | None = None) -> int:
    """The distinct record whose values are the rarest, column by column; or the one that has these values."""
    counts = table.counts
    if len(counts) < 2:
        raise InfeasibleError("all records are the same; nobody is more exposed than others.")
    if values is not None:
        return int(
            np.all([column == value for column, value in zip(counts.codes, values, strict=True)], axis=0).argmax()
        )
    rarity = np.zeros(len(counts))
    for name in counts.names:
        rarity -= np.log(table.marginal(name)[counts.column(name)] / table.total)
    return int(rarity.argmax())


def sample(table: EncodedTable, number: int, seed: int) -> EncodedTable:
    """Some people, the most exposed one among them."""
    counts = table.counts
    if number >= table.total:
        return table
    sizes = np.bincount(random_records(counts, number, seed), minlength=len(counts))
    sizes[most_exposed(table)] = max(sizes[most_exposed(table)], 1)
    return table.with_counts(_with_sizes(counts, sizes))


def without(table: EncodedTable, person: int, neighbors: Neighbors) -> EncodedTable:
    """The table without a person, or, if their number is public, with one more of the most frequent instead."""
    if neighbors is Neighbors.ATTRIBUTES:
        raise InfeasibleError(
            "what is promised is about the noisy columns of people in one class, and not about being in the table."
        )
    counts = table.counts
    sizes = counts.sizes.copy()
    sizes[person] -= 1
    if neighbors is Neighbors.REPLACE:
        usual = np.argsort(-counts.sizes, kind="stable")[:2]
        sizes[usual[0] if usual[0] != person else usual[1]] += 1
    return table.with_counts(_with_sizes(counts, sizes))


def _with_sizes(counts: Counts, sizes: Sizes) -> Counts:
    stays = sizes > 0
    return replace(counts, codes=tuple(column[stays] for column in counts.codes), sizes=sizes[stays])


def closeness(outcome: Outcome, values: list[int]) -> int:
    """How many published records may be a person's; if none, how far the nearest is, below 0 in thousandths."""
    if not len(outcome.published):
        return _NOTHING
    nearest = Nearest(outcome, tuple(outcome.published.names))
    distance = nearest.distances(values)
    if distance.min() <= ROUNDING:
        return int(nearest.groups.sizes[distance <= ROUNDING].sum())
    return -int(np.ceil(distance.min() * 1000))
