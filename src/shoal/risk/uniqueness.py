"""How many people are unique in the population, estimated from a sample of it.

A record that is alone in its class in the sample is in danger only if nobody else in the population is like it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from math import exp, lgamma

import numpy as np

from shoal.arrays import Sizes
from shoal.risk.inverse_class_size import require_fraction
from shoal.risk.pitman import Pitman
from shoal.risk.slide_negative_binomial import uniques_by_slide_negative_binomial

_SMALL_FRACTION = 0.1
"""Up to which sampling fraction the decision rule takes Pitman's model (Dankar et al. 2012)."""


class Model(Enum):
    """What the sizes of classes in the population are taken to follow."""

    ZAYATZ = "zayatz"
    PITMAN = "pitman"
    SLIDE_NEGATIVE_BINOMIAL = "slide-negative-binomial"


@dataclass(frozen=True, slots=True, kw_only=True)
class PopulationUniques:
    """How many people are alone in their class in the population.

    Attributes:
        fraction: The share of the population that is in the sample.
        population: Number of people: records / fraction.
        sample_uniques: Records that are alone in their class in the sample.
        estimates: The number of population uniques by each model; None where the model does not fit the sample.
        chosen: The model that the decision rule of Dankar et al. takes.
        uniques: Its estimate.
    """

    fraction: float
    population: float
    sample_uniques: int
    estimates: dict[Model, float | None]
    chosen: Model
    uniques: float

    @property
    def share(self) -> float:
        """The share of the population that is unique."""
        return self.uniques / self.population if self.population else 0.0

    @property
    def chance(self) -> float:
        """How likely a sample unique is unique in the population too."""
        return min(self.uniques * self.fraction / self.sample_uniques, 1.0) if self.sample_uniques else 0.0


def population_uniques(sizes: Sizes, sampling_fraction: float) -> PopulationUniques:
    """Estimate how many people are unique in the population.

    The decision rule: Pitman's model up to a sampling fraction of 0.1, Zayatz's where it has no solution; above, the
    smaller of the slide negative binomial model and Zayatz's.

    Args:
        sizes: How many records each class of the sample has.
        sampling_fraction: Which share of the population the sample is.

    Paper: Dankar, El Emam, Neisa & Roffey 2012, "Estimating the re-identification risk of clinical data sets".
    """
    require_fraction(sampling_fraction)
    records, alone = int(sizes.sum()), int(np.count_nonzero(sizes == 1))
    population = records / sampling_fraction
    estimates: dict[Model, float | None] = dict.fromkeys(Model, 0.0)
    if alone and sampling_fraction == 1:
        estimates = dict.fromkeys(Model, float(alone))
    elif alone:
        estimates = {
            Model.ZAYATZ: zayatz(sizes, sampling_fraction),
            Model.PITMAN: _possible(pitman(sizes, sampling_fraction), population),
            Model.SLIDE_NEGATIVE_BINOMIAL: _possible(
                uniques_by_slide_negative_binomial(sizes, sampling_fraction), population
            ),
        }
    chosen = _decide(estimates, sampling_fraction)
    return PopulationUniques(
        fraction=sampling_fraction,
        population=population,
        sample_uniques=alone,
        estimates=estimates,
        chosen=chosen,
        uniques=estimates[chosen] or 0.0,
    )


def zayatz(sizes: Sizes, sampling_fraction: float) -> float:
    """Population uniques if the population's classes have the sizes of the sample's.

    A sample unique is a population unique with probability p_1 h(1) / Σ_i p_i h(i), p_i the share of classes of i
    records, h(i) the probability that exactly one of i people is in the sample (hypergeometric). The number of sample
    uniques times this, over the sampling fraction.

    Paper: Zayatz 1991.
    """
    occurring, of_size = np.unique(sizes, return_counts=True)
    n = int(sizes.sum())
    population = max(round(n / sampling_fraction), n)
    chances = np.array([_exactly_one(population, int(i), n) for i in occurring])
    whole = float((of_size * chances).sum())
    alone = float(of_size[occurring == 1].sum())
    if not alone or not whole:
        return 0.0
    return alone * (alone * _exactly_one(population, 1, n) / whole) / sampling_fraction


def pitman(sizes: Sizes, sampling_fraction: float) -> float | None:
    """Population uniques by Pitman's sampling formula; None where it has no likeliest parameters."""
    fitted = Pitman.fitted(sizes)
    return None if fitted is None else fitted.uniques(float(sizes.sum()) / sampling_fraction)


def _exactly_one(population: int, members: int, sample: int) -> float:
    """Hypergeometric: exactly one of `members` people is among `sample` drawn from `population`."""
    others, rest = population - members, sample - 1
    if rest > others or rest < 0:
        return 0.0
    return members * exp(_ln_binomial(others, rest) - _ln_binomial(population, sample))


def _ln_binomial(n: int, k: int) -> float:
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)


def _possible(estimate: float | None, population: float) -> float | None:
    return estimate if estimate is not None and 0 <= estimate <= population else None


def _decide(estimates: dict[Model, float | None], fraction: float) -> Model:
    if fraction <= _SMALL_FRACTION:
        return Model.ZAYATZ if estimates[Model.PITMAN] is None else Model.PITMAN
    other, safe = estimates[Model.SLIDE_NEGATIVE_BINOMIAL], estimates[Model.ZAYATZ]
    assert safe is not None
    return Model.ZAYATZ if other is None or safe < other else Model.SLIDE_NEGATIVE_BINOMIAL
