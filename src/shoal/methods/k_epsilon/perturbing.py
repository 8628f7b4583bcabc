"""Which noise each perturbed column gets in each class: by the values of the class, or by bounds."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from shoal.dp.coins.coins import Coins
from shoal.methods.k_epsilon.bounds import estimated_bounds, public_bounds, worth_estimating
from shoal.methods.k_epsilon.columns import PerturbedColumn, classed, numeric
from shoal.methods.k_epsilon.noise import ClassNoise, extra_digits, vector_diameters
from shoal.methods.k_epsilon.settings import Several
from shoal.parameters import exact

if TYPE_CHECKING:
    from shoal.data.encoded import EncodedTable
    from shoal.data.outcome import Outcome
    from shoal.methods.k_epsilon.method import KEpsilon
    from shoal.methods.k_epsilon.records import Records


def epsilon_for_noise(method: KEpsilon) -> Fraction:
    """What is left of ε when bounds have been estimated."""
    return exact(method.epsilon) * (1 - exact(method.bounds_share))


def columns_as_published(method: KEpsilon, table: EncodedTable, records: Records) -> list[PerturbedColumn]:
    """Noise by the diameter of each class (Eq. 3)."""
    values = [classed(table, name, records) for name in method.perturbed]
    shares = [Fraction(len(values))] * records.groups
    if method.several is Several.VECTOR:
        shares = vector_diameters(values)
    epsilon = exact(method.epsilon)
    digits = extra_digits(epsilon / len(values)) if method.digits is None else method.digits
    return [
        PerturbedColumn(
            name,
            numeric(table, name),
            of,
            ClassNoise(epsilon, of.diameters, shares, 10**digits),
            digits=digits,
        )
        for name, of in zip(method.perturbed, values, strict=True)
    ]


def columns_with_bounds(
    method: KEpsilon, table: EncodedTable, decided: Outcome, records: Records, coins: Coins
) -> list[PerturbedColumn]:
    """Noise by the width of public or estimated bounds; the caller has paid (KE-R1, KE-R2).

    A class too small for an estimate spends all of ε on noise. How large a class is tells nothing about the
    perturbed columns.
    """
    columns, several = [], len(method.perturbed)
    for_noise = epsilon_for_noise(method)
    for_bounds = exact(method.epsilon) - for_noise
    for name in method.perturbed:
        values = classed(table, name, records)
        lows, highs = public_bounds(table, name, method.bounds, decided, records)
        is_large = np.zeros(records.groups, dtype=np.bool_)
        if for_bounds:
            each = for_bounds / (2 * several)
            is_large = worth_estimating(values.sizes, highs - lows, each)
            lows, highs = estimated_bounds(
                values, lows, highs, epsilon=each, tail=exact(method.tail), classes=is_large, coins=coins
            )
        shares = [several * (Fraction(1) if large else for_noise / exact(method.epsilon)) for large in is_large]
        noise = ClassNoise(for_noise, highs - lows, shares)
        columns.append(PerturbedColumn(name, numeric(table, name), values, noise, lows, highs))
    return columns
