"""Shares and numbers in words."""

from __future__ import annotations

_SHARES = ((1 / 20, "a twentieth"), (1 / 10, "a tenth"), (1 / 7, "a seventh"), (1 / 5, "a fifth"), (1 / 4, "a quarter"),
           (1 / 3, "a third"), (2 / 5, "two fifths"), (1 / 2, "half"))  # fmt: skip


def share_in_words(share: float) -> str:
    """The nearest plain fraction, or a percentage below a thirtieth.

    >>> share_in_words(0.26), share_in_words(0.004), share_in_words(0.6)
    ('about a quarter', '0.4%', 'more than half')
    """
    if share < 1 / 30:
        return f"{share:.1%}" if share >= 0.0005 else "less than 0.1%"
    if share > 0.55:
        return "more than half"
    return "about " + min(_SHARES, key=lambda one: abs(one[0] - share) / one[0])[1]


def number(value: float) -> str:
    """A number of records or steps with as many digits as matter.

    >>> number(12345.6), number(3.21), number(0.0421)
    ('12,346', '3.2', '0.042')
    """
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"
