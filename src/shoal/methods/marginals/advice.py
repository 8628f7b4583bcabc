"""What a release will be worth, from public numbers alone."""

from __future__ import annotations

from math import sqrt

from shoal.methods.marginals.budget import share_for_tables

USELESS = 30
"""Below so many records for each column, in scales of its noise, nothing of use is to be expected."""
_POOR = 300


def expected_worth(epsilon: float, records: int, columns: int) -> str:
    """What to expect of ε, about so many records and so many columns, in a sentence.

    ε n / d is how many records there are for each column, in scales of its noise.

    >>> expected_worth(0.1, 700, 21)
    'epsilon * records / columns = 3.3 is below 30: noise drowns the counts of single values; expect nothing of use, \
and take a larger epsilon or fewer columns.'
    """
    x = epsilon * records / max(columns, 1)
    noise = columns / (epsilon * float(share_for_tables(x)))
    if is_useless(epsilon, records, columns):
        return (
            f"epsilon * records / columns = {x:.1f} is below {USELESS}: noise drowns the counts of single values; "
            "expect nothing of use, and take a larger epsilon or fewer columns."
        )
    single = f"counts of single values are off by about {sqrt(2) * noise:,.0f} of {records:,} records"
    return f"{single}; {ties_of_columns(epsilon, records, columns)}"


def ties_of_columns(epsilon: float, records: int, columns: int) -> str:
    """By what columns are tied together in a release."""
    x = epsilon * records / max(columns, 1)
    if x < _POOR:
        return (
            f"columns are tied together through the target alone (epsilon * records / columns = {x:.0f} is below "
            f"{_POOR})."
        )
    return "pairs of columns that depend on each other are counted too."


def is_useless(epsilon: float, records: int, columns: int) -> bool:
    """Whether noise drowns the counts of single values."""
    return epsilon * records < USELESS * max(columns, 1)
