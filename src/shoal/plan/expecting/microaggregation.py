"""How far the centers of Microaggregation-DP are off."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from shoal.cluster.insensitive import cluster_sizes
from shoal.cluster.space import CategoryAxis, NumberAxis, Space
from shoal.dp.accounting.relation import Neighbors
from shoal.dp.mechanisms.selection import ExponentialMechanism, PermuteAndFlip
from shoal.methods.base import Mode
from shoal.methods.microaggregation import MicroaggregationDP
from shoal.methods.microaggregation.advice import expected_error
from shoal.parameters import exact
from shoal.plan.expecting.clipped_noise import gaussian_error, laplace_error
from shoal.plan.expecting.expectation import Expectation
from shoal.plan.expecting.public_table import in_units
from shoal.plan.expecting.words import number, share_in_words

if TYPE_CHECKING:
    from shoal.data.encoded import EncodedTable

_USELESS = 0.75 / sqrt(12)
"""Off by so much of the domain, squares averaged: three quarters of what its middle, published for everybody, is off by
if numbers are spread evenly."""
_USEFUL = 1 / 7
_ORDERS = (1_000, 10_000, 100_000, 1_000_000)
_DELTA = 1e-6
_SURE = 0.95
_FEW = 10
"""Clusters of which a table of several columns cannot be told."""


def expected_of_microaggregation(method: MicroaggregationDP, table: EncodedTable, records: int | None) -> Expectation:
    """Noise of each center, and how far a published value is from its record's own, with so many records."""
    space = Space.of(table.attributes)
    columns = len(space.wide)
    if not columns:
        return Expectation()
    if records is None:
        off_by = {n: _off_by(method, space, n)[1] for n in _ORDERS}
        told = [f"{n:,}: {share_in_words(off)}" for n, off in off_by.items()]
        return Expectation(
            warnings=_too_few([n for n, off in off_by.items() if off >= _USELESS]),
            said=(
                (
                    f"How far published values are off, squares averaged, depends on the number of records, {columns} "
                    f"column{'s' * (columns > 1)} and ε. As shares of a domain: {'; '.join(told)}."
                ),
            ),
        )
    k, off = _off_by(method, space, records)
    sizes = cluster_sizes(records, k)
    figures: dict[str, float] = {"k": k, "clusters": len(sizes), "off by": off}
    said = [
        (
            f"{records:,} records make {len(sizes):,} cluster{'s' * (len(sizes) > 1)} of {k:,} or more, each published "
            f"as its center: no more than {len(sizes):,} different records, or values of a column."
        ),
    ]
    for i in space.wide:
        axis, attribute = space.axes[i], table.attributes[i]
        if isinstance(axis, NumberAxis):
            noise = noise_of_center(method, space, axis, records, k)
            figures[f"noise of {axis.name}"] = noise / axis.width
            said.append(
                f"Centers of {axis.name!r} are off by {share_in_words(noise / axis.width)} of its domain through "
                f"noise, {in_units(attribute, noise)} on average."
            )
        else:
            sure = chance_of_node(method, space, axis, records, k)
            figures[f"sure of {axis.name}"] = sure
            if sure < _SURE:
                said.append(
                    f"Even a cluster whose records all have one value of {axis.name!r} is published with it only "
                    f"{sure:.0%} of the time, else with another."
                )
    said.append(
        f"Noise and the width of clusters together: with {columns} column{'s' * (columns > 1)} at ε = "
        f"{float(method.cost.epsilon):g} expect numbers to be off by {share_in_words(off)} of their domain (a model: "
        "squares averaged, numbers spread evenly)."
    )
    warnings = []
    if columns > 1 and len(sizes) < _FEW:
        warnings.append(
            f"{len(sizes):,} different record{'s' * (len(sizes) > 1)} can tell hardly anything about how {columns} "
            "columns belong together."
        )
    if off >= _USELESS:
        warnings.append(
            f"Numbers are off by {share_in_words(off)} of their domain, hardly less than if its middle were published "
            "for everybody: nothing of use can be expected of single values."
        )
    return Expectation(
        said=tuple(said), warnings=tuple(warnings), better=_better(method, space, records, off), figures=figures
    )


def _too_few(useless: list[int]) -> tuple[str, ...]:
    """What is to be said where tables of some orders of magnitude give nothing of use."""
    if not useless:
        return ()
    return (f"Numbers of {useless[-1]:,} records or fewer would be hardly nearer than the middle of their domain.",)


def _off_by(method: MicroaggregationDP, space: Space, records: int) -> tuple[int, float]:
    """k, and how far a value is off as a share of its domain: the model that k is chosen by."""
    columns = len(space.wide)
    k = min(method.cluster_size_for(records, columns), records)
    rho = float(method.rho) if method.cost.delta else None
    return k, sqrt(expected_error(records, columns, k, float(method.cost.epsilon), rho))


def noise_of_center(method: MicroaggregationDP, space: Space, axis: NumberAxis, records: int, k: int) -> float:
    """How far noise moves a center in the middle of its domain, in steps; without smoothing, which lessens it."""
    sizes = cluster_sizes(records, k)
    clusters, share = method.public_clusters(space, sizes), _share(method, space, axis.name)
    if method.mode is Mode.AS_PUBLISHED:
        return laplace_error(records * axis.width / (k * k * float(exact(method.epsilon))), axis.width)
    if method.cost.delta:
        deviation = sqrt(clusters.sum_square(axis) / (2 * share * float(method.rho)))
        return gaussian_error(deviation / k, axis.width)
    return laplace_error(clusters.sum_range(axis) / (share * float(exact(method.epsilon))) / k, axis.width)


def chance_of_node(method: MicroaggregationDP, space: Space, axis: CategoryAxis, records: int, k: int) -> float:
    """How likely a cluster of k records with one value is published with this value: the best that can happen.

    Averaged over values. A cluster of different values has scores that are closer to each other.
    """
    clusters, share = method.public_clusters(space, cluster_sizes(records, k)), _share(method, space, axis.name)
    taxonomy, epsilon = axis.taxonomy, Fraction(share) * exact(method.epsilon)
    choice: PermuteAndFlip | ExponentialMechanism
    if method.mode is Mode.AS_PUBLISHED:
        width = Fraction(2 * taxonomy.diameter * records, k)
        choice = ExponentialMechanism(epsilon=exact(method.epsilon), score_range=width, neighbors=Neighbors.REPLACE)
    elif method.cost.delta:
        each = Fraction(sqrt(8 * float(method.rho) * share / clusters.changed))
        choice = ExponentialMechanism(
            epsilon=each, score_range=Fraction(2 * taxonomy.diameter), neighbors=Neighbors.REPLACE
        )
    else:
        score_range = Fraction(clusters.changed * 2 * taxonomy.diameter)
        choice = PermuteAndFlip(epsilon=epsilon, score_range=score_range, neighbors=Neighbors.REPLACE)
    values = np.unique(np.linspace(0, taxonomy.values - 1, min(taxonomy.values, 16)).astype(int))
    return float(np.mean([choice.probabilities(-k * taxonomy.units[:, value])[value] for value in values]))


def _share(method: MicroaggregationDP, space: Space, name: str) -> float:
    return float(method.shares([space.axes[i].name for i in space.wide])[name])


def _better(method: MicroaggregationDP, space: Space, records: int, off: float) -> tuple[str, ...]:
    """What would make it better, each with how far values would then be off."""
    found, columns = [], len(space.wide)
    if method.mode is Mode.RIGOROUS and not method.cost.delta and columns > 1:
        gaussian = _off_by(replace(method, delta=_DELTA), space, records)[1]
        if gaussian < 0.95 * off:
            found.append(f"delta = {_DELTA:g}, Gaussian noise: off by {gaussian:.1%} instead of {off:.1%}.")
    if columns > 1:
        alone = sqrt(expected_error(records, 1, method.cluster_size_for(records, 1), float(method.cost.epsilon)))
        each = sqrt(
            expected_error(records, 1, method.cluster_size_for(records, 1), float(method.cost.epsilon) / columns)
        )
        if each < 0.8 * off:
            found.append(
                f"A release for each column, ε/{columns} each: off by {number(100 * each)}% instead of "
                f"{number(100 * off)}%, if it does not matter which values belong together (one column alone with the "
                f"whole of ε: {number(100 * alone)}%)."
            )
    if off >= _USELESS:
        larger = ((records * 2**i, _off_by(method, space, records * 2**i)[1]) for i in range(1, 20))
        if enough := next((n for n, then in larger if then < _USEFUL), None):
            found.append(f"About {enough:,} records, for numbers off by {share_in_words(_USEFUL)} of their domain.")
    return tuple(found)
