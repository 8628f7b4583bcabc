"""What one person's records tell where distinct persons are counted: no less than any table does, and hardly more."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom

from shoal.dp.accounting.composition import for_each_record
from shoal.dp.accounting.cost import PrivacyCost
from shoal.dp.accounting.persons_profile import PersonsProfile, partitions, smallest_persons_threshold
from shoal.dp.accounting.threshold import smallest_threshold
from shoal.dp.coins.sampling_rate import OneMinusExp
from shoal.errors import ParameterError


def shown(k, others, each, mine=0):
    """The law of what a class shows of so many others, and of somebody who is seen in it with probability `mine`."""
    seen = binom.pmf(np.arange(others + 1), others, each)
    seen = np.convolve(seen, [1 - mine, mine])
    return np.concatenate([[seen[:k].sum()], seen[k:]])


def loss(k, epsilon, records, parts, sizes):
    """How much a person with so many records in each class shows beyond e^ε beside so many others, in doubles."""
    q = math.exp(-epsilon / records)
    with_them = without = np.ones(1)
    for mine, others in zip(parts, sizes, strict=True):
        more, fewer = shown(k, others, 1 - q**records, 1 - q**mine), shown(k, others, 1 - q**records)
        with_them = np.outer(with_them, more).ravel()
        without = np.outer(without, np.append(fewer, np.zeros(len(more) - len(fewer)))).ravel()
    return np.maximum(with_them - math.exp(epsilon) * without, 0).sum()


@pytest.mark.parametrize(("epsilon", "records"), [(1, 1), (1, 3), (2, 2), (Fraction(1, 5), 4)])
@pytest.mark.parametrize("k", [1, 2, 7, 30])
def test_one_class_is_what_its_worst_size_tells(epsilon, records, k):
    profile = PersonsProfile(Fraction(epsilon), records)
    for mine in range(1, records + 1):
        worst = max(loss(k, float(epsilon), records, (mine,), (n,)) for n in range(12 * k + 40))
        bound = profile._one_class(k, mine, profile._ratio(records * 4))
        assert float(bound) == pytest.approx(worst, rel=1e-9, abs=1e-15)


@pytest.mark.parametrize(
    ("epsilon", "records", "parts", "k", "sizes"),
    [
        (1, 2, (1, 1), 2, range(9)),
        (1, 2, (1, 1), 46, range(44, 56)),
        (2, 2, (1, 1), 30, range(26, 36)),
        (1, 3, (2, 1), 3, range(12)),
        (3, 3, (1, 1, 1), 2, range(8)),
        (3, 3, (1, 1, 1), 6, range(4, 13)),
        (Fraction(1, 2), 4, (2, 1, 1), 2, range(0, 16, 2)),
    ],
)
def test_several_classes_tell_no_more_than_the_bound(epsilon, records, parts, k, sizes):
    worst = max(
        loss(k, float(epsilon), records, parts, others) for others in itertools.product(sizes, repeat=len(parts))
    )
    bound = float(PersonsProfile(Fraction(epsilon), records).of_classes(k, parts))
    assert worst <= bound <= max(4 * worst, 1e-5)


def test_the_numbers_of_the_theory():
    """`people.md`: where one class is worst, and where it is not."""
    profile = PersonsProfile(Fraction(1), 2)
    assert [float(profile.at(k)) for k in (45, 46)] == pytest.approx([1.03536e-5, 8.46739e-6], rel=1e-5)
    profile = PersonsProfile(Fraction(2), 2)
    assert float(profile.of_classes(30, (2,))) == pytest.approx(0.01275, abs=1e-5)
    assert loss(30, 2.0, 2, (1, 1), (29, 29)) == pytest.approx(0.01855, abs=1e-5)
    assert profile.at(30) == profile.of_classes(30, (1, 1)) < 0.0192


def test_delta_falls_with_k_and_is_a_probability():
    for epsilon, records in ((1, 2), (2, 3)):
        profile = PersonsProfile(Fraction(epsilon), records)
        found = [profile.at(k) for k in (1, 2, 3, 5, 9, 20, 40)]
        assert found == sorted(found, reverse=True)
        assert 0 < found[-1] < found[0] <= 1.5


@pytest.mark.parametrize("delta", ["1e-2", "1e-5", "1e-8"])
@pytest.mark.parametrize("epsilon", ["0.1", "1", "3"])
def test_counting_records_never_takes_a_larger_k(epsilon, delta):
    """Why it is what happens if nobody says."""
    for records in (2, 3):
        cost = PrivacyCost.of(epsilon, delta)
        each = for_each_record(cost, records)
        by_records = smallest_threshold(OneMinusExp(each.epsilon), each.epsilon, each.delta)
        k = smallest_persons_threshold(cost.epsilon, cost.delta, records)
        assert by_records <= k
        profile = PersonsProfile(cost.epsilon, records)
        assert profile.at(k) <= cost.delta
        assert k == 1 or profile.at(k - 1) > cost.delta


def test_records_are_spread_in_every_way():
    assert [len(list(partitions(records))) for records in range(1, 7)] == [1, 2, 3, 5, 7, 11]
    assert all(sum(parts) == 5 for parts in partitions(5))


@pytest.mark.parametrize(("epsilon", "records"), [(0, 2), (1, 0), (1, 7)])
def test_what_has_no_bound_is_refused(epsilon, records):
    with pytest.raises(ParameterError, match="max_records from 1 to 6"):
        PersonsProfile(Fraction(epsilon), records)


def test_a_budget_that_nobody_can_meet_is_refused():
    with pytest.raises(ParameterError, match="more than a million persons"):
        smallest_persons_threshold(Fraction(16), Fraction(1, 10**9), 2)
