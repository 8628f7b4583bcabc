"""Probabilities of the draws an enumeration decides, in double precision.

A law with infinitely many outcomes is cut where less than `tail` remains; what remains is returned with it.
"""

from __future__ import annotations

import math

import numpy as np

from shoal.arrays import Floats

Numbers = tuple[int, Floats, float]
"""The first outcome, the probabilities of it and its successors, and the probability left out."""


def geometric_law(x: float, tail: float) -> Numbers:
    """P[g] = (1 − e^−x) e^(−x g)."""
    size = max(1, math.ceil(-math.log(tail) / x))
    return 0, -math.expm1(-x) * np.exp(-x * np.arange(size)), math.exp(-x * size)


def discrete_laplace_law(x: float, tail: float) -> Numbers:
    """P[n] = tanh(x / 2) e^(−x |n|)."""
    reach = max(1, math.ceil(-math.log(tail / 2) / x))
    law = math.tanh(x / 2) * np.exp(-x * np.abs(np.arange(-reach, reach + 1)))
    return -reach, law, 2 * math.exp(-x * (reach + 1)) / (1 + math.exp(-x))


def discrete_gaussian_law(variance: float, tail: float) -> Numbers:
    """P[n] proportional to e^(−n² / (2 variance)); beyond r remains less than 2 e^(−r² / (2 variance))."""
    reach = max(1, math.ceil(math.sqrt(-2 * variance * math.log(tail / 2))))
    far = reach + math.ceil(math.sqrt(1500 * variance)) + 1  # past double precision
    density = np.exp(-(np.arange(-far, far + 1.0) ** 2) / (2 * variance))
    law = density / density.sum()
    outside = far - reach
    return -reach, law[outside:-outside], 2 * float(law[:outside].sum())


def binomial_law(size: int, rate: float) -> list[float]:
    """P[k] for k = 0…size."""
    return [math.comb(size, k) * rate**k * (1 - rate) ** (size - k) for k in range(size + 1)]
