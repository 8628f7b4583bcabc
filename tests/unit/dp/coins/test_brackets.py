from fractions import Fraction

import mpmath
import numpy as np
import pytest
from test_enclosures import Script, exactly

from shoal.dp.coins.bits import SeededBits
from shoal.dp.coins.brackets import PRECISION, exp_brackets, toss_between, toss_exp

UNITS = [Fraction(1, 3), Fraction(1), Fraction(7, 2**20), Fraction("123.456"), Fraction(1, 10**9), Fraction(10**12, 7)]
GAPS = np.array([0, 1, 2, 3, 5, 44, 45, 46, 100, 10**4, 10**6, 10**9, 10**10, 2**60, 2**62])


def spread(unit):
    """Gaps whose exponents cover 0…60, and a few that are far away."""
    step = max(1, int(60 / unit / 500))
    return np.unique(np.concatenate([np.arange(500) * step, GAPS]))


def assert_encloses(gaps, unit):
    low, high = exp_brackets(gaps, unit)
    with mpmath.workprec(200):
        for gap, least, most in zip(gaps, low, high, strict=True):
            exact = mpmath.ldexp(mpmath.exp(-int(gap) * exactly(unit)), PRECISION)
            assert int(least) <= exact <= int(most)
    return high.astype(np.int64) - low.astype(np.int64)


@pytest.mark.parametrize("unit", UNITS)
def test_the_exponential_lies_in_its_bracket_and_brackets_are_narrow(unit):
    widths = assert_encloses(spread(unit), unit)
    assert widths.max() <= 2**9  # undecided about once in 2^22


@pytest.mark.parametrize("unit", UNITS)
def test_integers_of_any_length_are_bracketed_too(unit):
    gaps = np.array([0, 1, 10**9, 2**61, 2**63, 10**40], dtype=object)
    widths = assert_encloses(gaps, unit / 10**20)
    assert widths[0] == 0


def test_a_unit_too_small_for_the_tables_gives_wide_brackets_but_right_ones():
    widths = assert_encloses(np.array([0, 1, 2**40, 2**55, 2**60]), Fraction(1, 2**57))
    assert widths[0] == 0
    assert widths[-1] > 2**20


def test_no_gap_means_certainty():
    low, high = exp_brackets(np.array([0]), Fraction(1, 3))
    assert low[0] == high[0] == 1 << PRECISION
    assert toss_exp(np.zeros(1000, dtype=np.int64), Fraction(1, 3), SeededBits(1)).all()


def test_a_toss_is_the_comparison_of_a_uniform_number_with_the_exponential():
    gaps, unit = np.full(7, 2), Fraction(1, 3)
    low, high = (int(bound[0]) for bound in exp_brackets(gaps[:1], unit))
    with mpmath.workprec(300):
        bits = int(mpmath.floor(mpmath.ldexp(mpmath.exp(-exactly(Fraction(2, 3))), PRECISION + 64)))
    inside, rest = bits >> 64, bits & (1 << 64) - 1
    prefixes = np.array([0, low - 1, high, high + 1, inside, inside, (1 << PRECISION) - 1], dtype=np.uint64)
    script = Script(
        (prefixes << 1).astype("<u4").tobytes(), (rest - 1).to_bytes(8, "little"), (rest + 1).to_bytes(8, "little")
    )
    expected = [True, True, False, False, True, False, False]
    assert toss_exp(gaps, unit, script).tolist() == expected
    assert not script.pieces


def test_far_candidates_are_not_impossible():
    """e^-50 lies in [0, 2^-31]: only a prefix of zeros goes on, and it may win."""
    zeros = np.zeros(1, dtype="<u4").tobytes()
    low, high = exp_brackets(np.array([50]), Fraction(1))
    assert (int(low[0]), int(high[0])) == (0, 1)
    assert toss_between(low, high, np.array([50]), Fraction(1), Script(zeros, bytes(8)))[0]
    assert not toss_between(low, high, np.array([50]), Fraction(1), Script(zeros, b"\xff" * 8))[0]
