from fractions import Fraction

import mpmath
import pytest

from shoal.dp.coins.enclosures import complement, exp_minus, is_below, logistic_minus, rational

EXPONENTS = [
    Fraction(0),
    Fraction(1, 10**30),
    Fraction(1, 1000),
    Fraction("0.9"),
    Fraction(1),
    Fraction(22, 7),
    Fraction(44),
    Fraction(10**6 + 1, 10**4),
    Fraction(10**9),
]


class Script:
    """A source of bits that says what it is told."""

    seeded = True

    def __init__(self, *pieces):
        self.pieces = list(pieces)

    def take(self, count):
        piece = self.pieces.pop(0)
        assert len(piece) == count
        return piece


def word(value):
    return value.to_bytes(8, "little")


def scaled(number, bits):
    return mpmath.ldexp(number, bits)


def exactly(x):
    return mpmath.mpf(x.numerator) / x.denominator


@pytest.mark.parametrize("bits", [1, 8, 31, 64, 72, 200, 1000])
@pytest.mark.parametrize("x", EXPONENTS)
def test_the_exponential_lies_within_its_bounds_and_they_are_close(x, bits):
    with mpmath.workprec(bits + 400):
        low, high = exp_minus(x)(bits)
        assert low <= scaled(mpmath.exp(-exactly(x)), bits) <= high
        assert 0 <= high - low <= 2
        low, high = complement(exp_minus(x))(bits)
        assert low <= scaled(-mpmath.expm1(-exactly(x)), bits) <= high
        assert high - low <= 2
        low, high = logistic_minus(x)(bits)
        assert low <= scaled(1 / (1 + mpmath.exp(exactly(x))), bits) <= high
        assert high - low <= 2


def test_a_certain_event_is_enclosed_without_doubt():
    assert exp_minus(Fraction(0))(64) == (1 << 64, 1 << 64)
    assert complement(exp_minus(Fraction(0)))(64) == (0, 0)


@pytest.mark.parametrize("p", [Fraction(0), Fraction(1), Fraction(1, 3), Fraction(5, 8)])
def test_a_fraction_is_enclosed_as_narrowly_as_bits_allow(p):
    low, high = rational(p)(10)
    assert low <= p * 1024 <= high
    assert high - low == (0 if (p * 1024).denominator == 1 else 1)


def test_a_decided_comparison_draws_nothing_more():
    assert is_below(340, 10, rational(Fraction(1, 3)), Script())
    assert not is_below(342, 10, rational(Fraction(1, 3)), Script())


def test_an_undecided_comparison_reads_on_until_it_is_decided():
    third = int("01" * 32, 2)  # 1/3 is 0.0101… in base 2
    assert is_below(341, 10, rational(Fraction(1, 3)), Script(word(third - 1)))
    assert not is_below(341, 10, rational(Fraction(1, 3)), Script(word(third + 1)))
    assert is_below(341, 10, rational(Fraction(1, 3)), Script(word(third), word(third - 1)))


def test_two_hundred_bits_later_the_exponential_still_decides():
    with mpmath.workprec(600):
        digits = int(mpmath.floor(mpmath.ldexp(mpmath.exp(-1), 264)))
    pieces = [word(digits >> shift & (1 << 64) - 1) for shift in (128, 64, 0)]
    prefix = digits >> 192
    last = digits & (1 << 64) - 1
    assert is_below(prefix, 72, exp_minus(Fraction(1)), Script(*pieces[:2], word(last - 1)))
    assert not is_below(prefix, 72, exp_minus(Fraction(1)), Script(*pieces[:2], word(last + 1)))
