"""Sampling and thresholding by brute force in 80-digit arithmetic: definitions only, no theorem, no closed form."""

import mpmath as mp

from shoal.dp.coins.sampling_rate import OneMinusExp

mp.mp.dps = 80


def number(x):
    """A fraction, or the rate 1 − e^−ε, as a multiprecision number."""
    if isinstance(x, OneMinusExp):
        return 1 - mp.exp(-number(x.epsilon))
    return mp.mpf(x.numerator) / x.denominator


def law(n, beta):
    """P[Bin(n, β) = j] for j = 0…n."""
    masses = [(1 - beta) ** n]
    for j in range(n):
        masses.append(masses[-1] * (n - j) / (j + 1) * beta / (1 - beta))
    return masses


def shown_law(masses, k, width):
    """What the operator shows of a class: its count if at least k, else nothing (last place); padded to `width`."""
    padded = [*masses, *[mp.mpf(0)] * (width - len(masses))]
    return [*padded[k:], mp.fsum(padded[:k])]


def hockey_stick(p, q, ratio):
    """Σ [p − e^ε q]₊ over outcomes, e^ε being the ratio."""
    return mp.fsum(a - ratio * b for a, b in zip(p, q, strict=True) if a > ratio * b)


def divergences(k, rate, epsilon, largest):
    """Both hockey-stick divergences, adding and removing a record, for all class sizes n = 1…largest."""
    beta, ratio = number(rate), mp.exp(number(epsilon))
    masses, width, found = [mp.mpf(1)], max(largest, k) + 1, []
    for _ in range(largest):
        trial = [(1 - beta) * a + beta * b for a, b in zip([*masses, 0], [0, *masses], strict=True)]
        fewer, more = shown_law(masses, k, width), shown_law(trial, k, width)
        found.append((hockey_stick(more, fewer, ratio), hockey_stick(fewer, more, ratio)))
        masses = trial
    return found


def exact_delta(k, rate, epsilon, largest):
    """The larger divergence, over all class sizes up to `largest`."""
    return max(max(pair) for pair in divergences(k, rate, epsilon, largest))


def bad_probability(k, beta, gamma, largest):
    """Max over n up to `largest` of P[Bin(n, β) ≥ k and > γ n] (SafePub Appendix A)."""
    masses, best = [mp.mpf(1)], mp.mpf(0)
    for n in range(1, largest + 1):
        masses = [(1 - beta) * a + beta * b for a, b in zip([*masses, 0], [0, *masses], strict=True)]
        best = max(best, mp.fsum(masses[max(k, int(mp.floor(gamma * n)) + 1) :]))
    return best


def published_delta(k, rate, epsilon, largest):
    """SafePub's d(k, β, ε), from its definition."""
    beta = number(rate)
    return bad_probability(k, beta, 1 - (1 - beta) * mp.exp(-number(epsilon)), largest)
