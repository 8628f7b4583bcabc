"""One sample for search and release: the bound's numbers, and the bound against adversarial selectors."""

import math
from fractions import Fraction

import mpmath as mp
import pytest
from brute_threshold import bad_probability, number

from shoal.dp.accounting.threshold import Accounting, SampleAndThreshold
from shoal.dp.coins.sampling_rate import OneMinusExp
from shoal.dp.shared_sample import SharedSample, smallest_shared_threshold
from shoal.errors import InfeasibleError, ParameterError

RATE = OneMinusExp(Fraction("0.9"))
TENTH, ONE = Fraction("0.1"), Fraction(1)


@pytest.mark.parametrize(("wanted", "k"), [("1e-5", 77), ("1e-6", 95), ("1e-7", 114)])
def test_smallest_k_of_the_theory(wanted, k):
    assert smallest_shared_threshold(RATE, TENTH, ONE, Fraction(wanted)) == k


def test_the_published_k_certifies_less():
    assert float(SharedSample(rate=RATE, search=TENTH, k=73).delta(ONE)) == pytest.approx(1.591e-05, rel=5e-4)
    assert float(SharedSample(rate=RATE, search=TENTH, k=44).delta(ONE)) == pytest.approx(6.805e-04, rel=5e-4)
    rate = OneMinusExp(Fraction(1, 2))
    assert float(SharedSample(rate=rate, search=Fraction(1, 2), k=30).delta(ONE)) == pytest.approx(2.883e-01, rel=5e-4)


@pytest.mark.parametrize("k", [1, 3, 10, 30])
def test_delta_is_no_less_than_its_definition_and_hardly_more(k):
    beta, tilt = number(RATE), mp.exp(mp.mpf(1) / 10)
    odds = (mp.e / (1 - beta) - 1) / tilt**2
    truth = bad_probability(k, beta * tilt / (1 - beta + beta * tilt), odds / (1 + odds), largest=5 * k + 60)
    claimed = number(SharedSample(rate=RATE, search=TENTH, k=k).delta(ONE))
    assert truth <= claimed <= truth * (1 + mp.mpf(10) ** -9)


def test_without_a_search_it_is_the_published_bound():
    shared = SharedSample(rate=RATE, search=Fraction(0), k=60)
    assert smallest_shared_threshold(RATE, Fraction(0), Fraction("0.9"), Fraction("1e-6")) == 73
    assert float(shared.delta(Fraction("0.9"))) == pytest.approx(
        float(SampleAndThreshold(rate=RATE, k=60, accounting=Accounting.PAPER).delta(Fraction("0.9"))), rel=1e-9
    )


def joint(n, k, beta, chosen):
    """Laws of (scheme, count) with and without t; `chosen[a][b]`: chance of the scheme given a others and b of t."""
    with_t, without = {}, {}
    for a in range(n):
        p = math.comb(n - 1, a) * beta**a * (1 - beta) ** (n - 1 - a)
        for b, weight in ((0, 1 - beta), (1, beta)):
            shown = a + b if a + b >= k else None
            with_t[shown] = with_t.get(shown, 0) + p * weight * chosen[a][b]
            with_t["top"] = with_t.get("top", 0) + p * weight * (1 - chosen[a][b])
        shown = a if a >= k else None
        without[shown] = without.get(shown, 0) + p * chosen[a][0]
        without["top"] = without.get("top", 0) + p * (1 - chosen[a][0])
    return with_t, without


def hockey(p, q, epsilon):
    return sum(max(mass - math.exp(epsilon) * q.get(o, 0), 0) for o, mass in p.items())


def adversary(n, cut, search, offset):
    """A private selector that welcomes t and shuns its class: log-odds b − max(0, a − cut + 1) − offset (SP-4)."""
    odds = lambda a, b: search * (b - max(0, a - cut + 1) - offset)  # noqa: E731
    return [[1 / (1 + math.exp(-odds(a, b))) for b in (0, 1)] for a in range(n)]


def test_the_theory_s_explicit_selector_breaks_the_published_claim_but_not_the_bound():
    """eps_a = eps_s = 1, k = 74, n = 98: δ(2) = 3.3518e-5, claimed 9.0e-7."""
    beta = -math.expm1(-1)
    with_t, without = joint(98, 74, beta, adversary(98, 74, 1.0, 3))
    reached = hockey(with_t, without, 2.0)
    assert reached == pytest.approx(3.3518e-05, rel=5e-5)
    claimed = SampleAndThreshold(rate=OneMinusExp(ONE), k=74, accounting=Accounting.PAPER).delta(ONE)
    assert reached > 30 * float(claimed)
    assert reached <= float(SharedSample(rate=OneMinusExp(ONE), search=ONE, k=74).delta(Fraction(2)))


@pytest.mark.parametrize("search", [0.1, 0.3, 0.5])
@pytest.mark.parametrize("k", [2, 5, 9])
def test_no_selector_tried_beats_the_bound(search, k):
    exact = Fraction(str(search))
    for epsilon in (exact + Fraction(9, 10), exact + Fraction(3, 2)):
        claimed = float(SharedSample(rate=RATE, search=exact, k=k).delta(epsilon))
        for n in range(1, 3 * k + 6):
            for cut in range(1, n + 1, 2):
                for offset in (-2, 0, 2):
                    laws = joint(n, k, float(RATE), adversary(n, cut, search, offset))
                    assert hockey(*laws, float(epsilon)) <= claimed + 1e-12
                    assert hockey(*laws[::-1], float(epsilon)) <= claimed + 1e-12


def test_a_search_too_dear_is_refused():
    operator = SharedSample(rate=OneMinusExp(ONE), search=ONE, k=47)
    assert operator.delta(Fraction(2)) == 1
    with pytest.raises(InfeasibleError, match="no k is large enough"):
        operator.cost(Fraction(2))
    with pytest.raises(InfeasibleError, match="no k is large enough"):
        smallest_shared_threshold(OneMinusExp(ONE), ONE, Fraction(2), Fraction("1e-6"))


def test_what_the_proof_does_not_cover_is_refused():
    with pytest.raises(ParameterError, match="at least −ln"):
        SharedSample(rate=RATE, search=TENTH, k=9).delta(Fraction(1, 2))
    with pytest.raises(ParameterError, match="search must not be negative"):
        SharedSample(rate=RATE, search=Fraction(-1), k=9)
    with pytest.raises(ParameterError, match="delta must lie strictly"):
        smallest_shared_threshold(RATE, TENTH, ONE, Fraction(0))


def test_cost_carries_epsilon_and_delta():
    operator = SharedSample(rate=RATE, search=TENTH, k=95)
    assert operator.cost(ONE).delta == operator.delta(ONE) <= Fraction("1e-6")
