from fractions import Fraction

import pytest

from shoal.dp.mechanisms.checks import require_fraction, require_positive
from shoal.errors import ParameterError


def test_a_float_is_refused_with_the_text_to_write_instead():
    with pytest.raises(ParameterError, match=r"Noise: epsilon must be a Fraction .* got 0.1. .*Fraction\('0.1'\)"):
        require_fraction("Noise", epsilon=0.1)


@pytest.mark.parametrize("value", [0, -1, Fraction(-1, 2)])
def test_what_must_be_positive_is_checked(value):
    with pytest.raises(ParameterError, match="object: epsilon must be greater than 0"):
        require_positive(object(), epsilon=value)


@pytest.mark.parametrize("value", [True, "1", None, 1.0])
def test_only_exact_numbers_count(value):
    with pytest.raises(ParameterError):
        require_positive("here", epsilon=value)


def test_exact_numbers_pass():
    require_fraction("here", epsilon=-3, delta=Fraction(1, 3))
    require_positive("here", epsilon=3, delta=Fraction(1, 3))
