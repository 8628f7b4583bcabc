"""Does a sample follow a law? Chi-square tests with a stated false-alarm rate.

Cells expected less than `SPARSE` times are merged, the rarest first, so that the chi-square approximation holds far
into the tail; whatever the law leaves out is one more cell.
"""

from __future__ import annotations

import mpmath
import numpy as np

SPARSE = 25


def fits(drawn, probabilities, alpha):
    """Whether counts are compatible with a law; a right law is rejected with probability about alpha."""
    return fit_p_value(drawn, probabilities) >= alpha


def fit_p_value(drawn, probabilities):
    drawn = np.asarray(drawn, dtype=np.float64)
    probabilities = np.asarray(probabilities, dtype=np.float64)
    if drawn.shape != probabilities.shape:
        raise ValueError(f"{drawn.shape} counts, {probabilities.shape} probabilities")
    if probabilities.min() < 0 or abs(probabilities.sum() - 1) > 1e-9:
        raise ValueError("the probabilities must be those of a distribution")
    if np.any(drawn[probabilities == 0]):
        return 0.0
    seen, expected = merged(drawn, probabilities * drawn.sum())
    if len(expected) < 2:
        raise ValueError("too few draws to tell anything")
    return chi_square_tail(((seen - expected) ** 2 / expected).sum(), len(expected) - 1)


def agree(one, other, alpha):
    """Whether two samples may come from the same law (homogeneity); the same law is rejected with probability alpha."""
    one, other = np.asarray(one, dtype=np.float64), np.asarray(other, dtype=np.float64)
    share = one.sum() / (one.sum() + other.sum())
    ones, both = merged(one, one + other)  # merge by what both hold together
    expected = both * share
    statistic = ((ones - expected) ** 2 / (expected * (1 - share))).sum()
    return chi_square_tail(statistic, len(both) - 1) >= alpha


def merged(seen, expected):
    """Cells in order of expectation, the sparse ones merged into one that is not sparse."""
    order = np.argsort(expected, kind="stable")
    seen, expected = seen[order], expected[order]
    sparse = int(np.count_nonzero(expected < SPARSE))
    while 0 < sparse < len(expected) and expected[:sparse].sum() < SPARSE:
        sparse += 1
    if sparse < 2:
        return seen, expected
    return np.append(seen[:sparse].sum(), seen[sparse:]), np.append(expected[:sparse].sum(), expected[sparse:])


def chi_square_tail(statistic, freedom):
    return float(mpmath.gammainc(freedom / 2, statistic / 2, mpmath.inf, regularized=True))


def cells(draws, law, reach):
    """Counts of −reach…reach and of everything beyond, beside the probabilities of the same cells."""
    draws = np.asarray(draws)
    values = np.arange(-reach, reach + 1)
    inside = draws[np.abs(draws) <= reach]
    counts = np.bincount(inside + reach, minlength=len(values))
    probabilities = law(values)
    return np.append(counts, len(draws) - len(inside)), np.append(probabilities, 1 - probabilities.sum())
