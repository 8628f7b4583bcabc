"""The nearest-neighbor attack: expected links and found links against their definitions."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from shoal.risk import ClassedNumbers, expected_links, links_found

CLASSES = st.lists(st.lists(st.integers(-20, 20), min_size=1, max_size=6), min_size=1, max_size=4)


def laplace_cdf(x, b):
    return 0.5 * math.exp(x / b) if x < 0 else 1 - 0.5 * math.exp(-x / b)


def links_by_definition(members, noisy):
    """φ of §V-B, and the same with ties shared."""
    published = fair = 0
    for value, y in zip(members, noisy, strict=True):
        distances = [abs(y - other) for other in members]
        if abs(y - value) == min(distances):
            published += 1
            fair += 1 / distances.count(min(distances))
    return published, fair


@given(classes=CLASSES, data=st.data())
@examples(100)
def test_links_are_those_of_the_definition(classes, data):
    noisy = [[data.draw(st.integers(-40, 40)) for _ in members] for members in classes]
    found = links_found(ClassedNumbers.of(classes), np.array([y for some in noisy for y in some]))
    expected = [links_by_definition(*pair) for pair in zip(classes, noisy, strict=True)]
    assert found.published == sum(published for published, _ in expected)
    assert found.fair == pytest.approx(sum(fair for _, fair in expected))
    assert found.risk == found.published / sum(map(len, classes))


@given(classes=CLASSES, epsilon=st.floats(0.05, 20))
@examples(100)
def test_expected_links_are_the_probabilities_of_the_cells_nearest_to_each_value(classes, epsilon):
    of = ClassedNumbers.of(classes)
    published = fair = 0.0
    for members in classes:
        b, distinct = (max(members) - min(members)) / epsilon, sorted(set(members))
        for i, value in enumerate(distinct):
            low = 0.0 if i == 0 else laplace_cdf(-(value - distinct[i - 1]) / 2, b)
            high = 1.0 if i == len(distinct) - 1 else laplace_cdf((distinct[i + 1] - value) / 2, b)
            published += members.count(value) * (high - low)
            fair += high - low
    found = expected_links(of, of.diameters / epsilon)
    assert found.published == pytest.approx(published)
    assert found.fair == pytest.approx(fair)
    assert found.fair_risk <= found.risk + 1e-12


def test_simulation_agrees_with_expectation_and_not_with_half_the_noise():
    """40,000 releases of one class: the mean is within 6 standard errors, a false alarm once in 5 · 10^8."""
    of, runs, fine = ClassedNumbers.of([[150, 160, 160, 175, 180]]), 40_000, 1000
    rng = np.random.default_rng(5)
    many = ClassedNumbers(np.tile(of.numbers * fine, runs), np.repeat(np.arange(runs), 5), runs)

    def mean_links(scale):
        noise = np.rint(rng.laplace(scale=scale * fine, size=5 * runs)).astype(np.int64)
        return links_found(many, many.numbers + noise).published / runs

    expected = expected_links(of, of.diameters / 2).published
    error = 6 * math.sqrt(5 * 5 / 4 / runs)  # links of a class lie between 0 and 5
    assert abs(mean_links(15) - expected) < error
    assert abs(mean_links(7.5) - expected) > error


def test_a_class_of_one_value_is_linked_for_certain_as_published_and_by_chance_in_fairness():
    of = ClassedNumbers.of([[7] * 4])
    for links in (expected_links(of, of.diameters / 1.0), links_found(of, np.full(4, 7))):
        assert (links.published, links.fair) == (4, 1)
