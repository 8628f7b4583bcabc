"""How far noise moves a number that is moved back into its domain: exact for Laplace and Gaussian noise."""

from __future__ import annotations

from math import erfc, exp, pi, sqrt


def laplace_error(scale: float, width: float) -> float:
    """The mean distance by which Laplace noise moves a number in the middle of its domain, ends not passed.

    E min(|X|, w/2) = b (1 − e^(−w/2b)). Nowhere in the domain is it more, and at an end, (b/2)(1 − e^(−w/b)), it is
    more than half of it: what is said here is off by a factor of two at most.
    """
    return scale * -(exp(-min(width / (2 * scale), 700.0)) - 1) if scale else 0.0


def gaussian_error(deviation: float, width: float) -> float:
    """The same for Gaussian noise: σ √(2/π) (1 − e^(−c²/2σ²)) + c P[|X| > c], c = w/2."""
    if not deviation:
        return 0.0
    most = width / 2
    near = deviation * sqrt(2 / pi) * (1 - exp(-min(most**2 / (2 * deviation**2), 700.0)))
    return near + most * erfc(most / (deviation * sqrt(2)))


def laplace_at_an_end(scale: float, width: float) -> float:
    """How likely a number in the middle of its domain comes out at one of the ends; others do so more often."""
    return exp(-min(width / (2 * scale), 700.0)) if scale else 0.0
