"""Ticks are round, cover the values, and are written so that they can be told apart."""

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from shoal.pages.drawing.scales import Scale, decade_ticks, finite, round_ticks, tick_labels

ANY = st.lists(st.floats(), max_size=8)
ORDINARY = st.lists(st.floats(-1e9, 1e9, allow_subnormal=False).map(lambda x: round(x, 6)), min_size=1, max_size=8)


@given(ANY, st.integers(-1, 12))
@example([5e-324], 5)
@example([1e-308, 2e-308], 5)
@example([-1.8e308, 1.8e308], 5)
@example([1e16, 1e16 + 2], 5)
@example([0.1 + 0.2, 0.3], 2)
@example([float("nan"), float("inf")], 4)
def test_ticks_cover_all_values_and_are_few(values, most):
    ticks = round_ticks(values, most)
    assert all(a < b for a, b in pairwise(ticks))
    assert 2 <= len(ticks) <= max(most, 3)
    unseen = max(map(abs, ticks)) * 1e-8
    assert all(ticks[0] - unseen <= value <= ticks[-1] + unseen for value in finite(values))


@given(ORDINARY, st.integers(3, 9))
def test_ticks_are_multiples_of_one_two_or_five_times_a_power_of_ten(values, most):
    assume(max(values) - min(values) > 1e-3)
    ticks = [Fraction(str(tick)) for tick in round_ticks(values, most)]
    steps = {b - a for a, b in pairwise(ticks)}
    assert len(steps) == 1
    (step,) = steps
    digits = f"{float(step):e}"
    assert digits[0] in "125"
    assert float(digits.split("e", maxsplit=1)[0]).is_integer()
    assert all(tick / step == round(tick / step) for tick in ticks)


@given(ORDINARY, st.integers(3, 9))
def test_ticks_leave_little_room_unused(values, most):
    low, high = min(values), max(values)
    assume(high - low > 1e-3)
    ticks = round_ticks(values, most)
    step = ticks[1] - ticks[0]
    assert ticks[0] + step > low
    assert ticks[-1] - step < high


@pytest.mark.parametrize(
    ("values", "most", "expected"),
    [
        ([0, 1], 6, [0, 0.2, 0.4, 0.6, 0.8, 1]),
        ([0, 0.3], 4, [0, 0.1, 0.2, 0.3]),
        ([0, 97], 5, [0, 50, 100]),
        ([3], 5, [2.8, 2.9, 3, 3.1, 3.2]),
        ([0], 5, [0, 0.2, 0.4, 0.6]),
        ([], 3, [0, 0.5, 1]),
        ([-7, 12], 5, [-10, 0, 10, 20]),
    ],
)
def test_these_are_the_ticks(values, most, expected):
    assert round_ticks(values, most) == expected


@given(st.lists(st.floats(), max_size=8))
@example([5e-324, 1.7e308])
@example([0.0, -3.0])
@example([1.0, 9.99])
def test_a_logarithmic_axis_has_its_positive_values_and_ticks_among_them(values):
    ticks, low, high = decade_ticks(values)
    assert ticks
    assert 0 < low < high
    assert len(set(ticks)) == len(ticks) <= 40
    assert all(low <= tick <= high for tick in ticks)
    assert all(low <= value <= high for value in finite(values) if value > 0)
    scale = Scale(low, high, 10, 200, logarithmic=True)
    assert all(10 <= scale(value) <= 200 for value in [*ticks, -1, 0, 1e308])


def test_powers_of_ten_come_first_on_a_logarithmic_axis():
    assert decade_ticks([1, 1000])[0] == [1, 10, 100, 1000, 5, 50, 500, 2, 20, 200]
    assert decade_ticks([5, 9])[0] == [5, 6, 7, 8, 9]
    assert decade_ticks([1, 1e40])[0] == [1, 1e5, 1e10, 1e15, 1e20, 1e25, 1e30, 1e35, 1e40]


def test_equal_ratios_take_equal_room_on_a_logarithmic_scale():
    scale = Scale(1, 1000, 0, 300, logarithmic=True)
    assert [scale(value) for value in (1, 10, 100, 1000)] == pytest.approx([0, 100, 200, 300])
    assert Scale(0, 4, 100, 0)(1) == 75


@given(ANY, st.integers(2, 9), st.booleans())
@example([1e16, 1e16 + 64], 5, False)
@example([123456789.25, 123456789.5], 5, False)
@example([1e-9, 4e-9], 5, True)
@example([0.999999, 1.0], 5, True)
def test_ticks_are_told_apart_by_their_labels(values, most, percent):
    ticks = round_ticks(values, most)
    labels = tick_labels(ticks, percent=percent)
    assert len(set(labels)) == len(ticks)
    assert all(len(label) <= 24 for label in labels)


@pytest.mark.parametrize(
    ("ticks", "percent", "labels"),
    [
        ([0, 0.5, 1], True, ["0%", "50%", "100%"]),
        ([0, 0.025, 0.05], True, ["0.0%", "2.5%", "5.0%"]),
        ([-0.05, 0, 0.05], True, ["-5%", "0%", "5%"]),
        ([0, 500, 1000], False, ["0", "500", "1,000"]),
        ([0, 500_000, 1_000_000], False, ["0", "0.5M", "1.0M"]),
        ([0, 2e9], False, ["0", "2B"]),
        ([1e20, 2e20], False, ["1e20", "2e20"]),
        ([1, 10, 100], False, ["1", "10", "100"]),
    ],
)
def test_these_are_the_labels(ticks, percent, labels):
    assert tick_labels(ticks, percent=percent) == labels
