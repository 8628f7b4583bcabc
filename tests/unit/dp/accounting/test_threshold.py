"""SafePub's parameters: the numbers of theory 7.1, the paper's own, and safety against 60-digit arithmetic."""

import subprocess
import sys
import time
from fractions import Fraction

import mpmath as mp
import pytest
from brute_threshold import exact_delta, law, number, published_delta
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from shoal.dp.accounting.cost import PrivacyCost
from shoal.dp.accounting.threshold import Accounting, KRule, SampleAndThreshold, calibrate, smallest_threshold
from shoal.dp.coins.sampling_rate import OneMinusExp
from shoal.errors import ParameterError

ONE = Fraction(1)
DELTAS = ("1e-4", "1e-5", "1e-6", "1e-7")
TABLE = {  # theory 7.1: smallest k by the paper's d, and by the exact profile
    "0.5": ((39, 51, 63, 75), (25, 35, 46, 56)),
    "0.9": ((44, 58, 73, 87), (32, 44, 56, 68)),
    "1": ((47, 61, 74, 91), (33, 46, 58, 71)),
    "1.25": ((51, 70, 84, 102), (40, 54, 67, 82)),
    "1.5": ((62, 80, 99, 117), (48, 64, 78, 95)),
    "2": ((81, 113, 131, 164), (72, 92, 114, 138)),
}
MINIMALITY = {  # theory 7.1, `expected_output.txt`: d(k) and d(k−1)
    ("0.5", 39): (9.1913e-05, 1.4771e-04),
    ("0.5", 51): (9.1132e-06, 1.4560e-05),
    ("0.5", 63): (9.2576e-07, 1.4735e-06),
    ("0.5", 75): (9.5576e-08, 1.5173e-07),
    ("0.9", 44): (9.8983e-05, 1.1449e-04),
    ("0.9", 58): (8.8940e-06, 1.2672e-05),
    ("0.9", 73): (7.1202e-07, 1.0116e-06),
    ("0.9", 87): (8.2402e-08, 1.1665e-07),
    ("1", 47): (9.2099e-05, 1.2761e-04),
    ("1", 61): (7.8028e-06, 1.0330e-05),
    ("1", 74): (8.9948e-07, 1.1841e-06),
    ("1", 91): (7.6352e-08, 1.0506e-07),
    ("1.25", 51): (9.3556e-05, 1.2208e-04),
    ("1.25", 70): (8.2714e-06, 1.0714e-05),
    ("1.25", 84): (7.7376e-07, 1.0039e-06),
    ("1.25", 102): (9.2578e-08, 1.1953e-07),
    ("1.5", 62): (9.1452e-05, 1.1260e-04),
    ("1.5", 80): (9.6645e-06, 1.1875e-05),
    ("1.5", 99): (8.5177e-07, 1.0457e-06),
    ("1.5", 117): (9.3724e-08, 1.1495e-07),
    ("2", 81): (9.1723e-05, 1.0488e-04),
    ("2", 113): (9.8119e-06, 1.1161e-05),
    ("2", 131): (9.4458e-07, 1.0768e-06),
    ("2", 164): (9.3486e-08, 1.0625e-07),
}


def delta(k, epsilon, rate=None, accounting=Accounting.EXACT):
    epsilon = Fraction(epsilon)
    operator = SampleAndThreshold(rate=rate or OneMinusExp(epsilon), k=k, accounting=accounting)
    return float(operator.delta(epsilon))


def paper(k, epsilon, rate=None):
    return delta(k, epsilon, rate, Accounting.PAPER)


def digits(value, shown):
    """Equal in all digits that the oracle shows."""
    return value == pytest.approx(shown, rel=5.5e-5)


@pytest.mark.parametrize("epsilon", TABLE)
def test_smallest_k_of_the_table(epsilon):
    rate = OneMinusExp(Fraction(epsilon))
    for accounting, expected in zip((Accounting.PAPER, Accounting.EXACT), TABLE[epsilon], strict=True):
        found = tuple(smallest_threshold(rate, Fraction(epsilon), Fraction(d), accounting) for d in DELTAS)
        assert found == expected


@pytest.mark.parametrize(("epsilon", "k"), MINIMALITY)
def test_the_published_delta_at_and_below_the_smallest_k(epsilon, k):
    at, below = MINIMALITY[epsilon, k]
    assert digits(paper(k, epsilon), at)
    assert digits(paper(k - 1, epsilon), below)


def test_the_published_delta_is_a_step_function():
    assert len({paper(k, 1) for k in (74, 75, 76, 77)}) == 1
    shown = {65: 5.663273e-06, 66: 4.102738e-06, 67: 2.966830e-06, 74: 8.994781e-07, 87: 1.050617e-07, 89: 1.050617e-07}
    assert {k: float(f"{paper(k, 1):.6e}") for k in shown} == shown


def test_the_paper_s_example_epsilon_1_beta_0_632_k_75():
    assert digits(paper(75, 1, Fraction("0.632")), 8.8970e-07)
    assert digits(paper(75, 1), 8.9948e-07)
    assert digits(delta(75, 1, Fraction("0.632")), 4.9761e-08)
    assert digits(delta(75, 1), 5.0129e-08)


def test_exact_deltas_of_the_theory():
    assert digits(delta(57, 1), 1.1879e-06)
    assert digits(delta(58, 1), 9.3843e-07)
    assert digits(delta(74, 1), 6.0550e-08)
    assert digits(delta(303, 1, Fraction("0.9")), 1.0367e-06)
    assert digits(delta(304, 1, Fraction("0.9")), 9.9662e-07)


@pytest.mark.parametrize(
    ("rate", "k", "shown"),
    [
        ("0.5", 35, 9.2469e-07),
        ("0.6", 51, 9.9550e-07),
        ("0.7", 79, 9.2645e-07),
        ("0.8", 135, 9.4947e-07),
        ("0.9", 304, 9.9662e-07),
    ],
)
def test_exact_accounting_allows_any_rate(rate, k, shown):
    assert smallest_threshold(Fraction(rate), ONE, Fraction("1e-6")) == k
    assert digits(delta(k, 1, Fraction(rate)), shown)


@pytest.mark.parametrize(
    ("wanted", "k", "at_two", "paper_k", "paper_at_two"),
    [("1e-5", 61, 1.593e-09, 62, 1e-9), ("1e-6", 74, 1.530e-11, 75, 2e-11), ("1e-7", 91, 4.694e-14, 92, 4e-14)],
)
def test_smoothness_of_table_1(wanted, k, at_two, paper_k, paper_at_two):
    """SafePub Table 1 comes from k_min + 1, as in ARX."""
    cost = PrivacyCost.of(1, wanted)
    ours = calibrate(cost, accounting=Accounting.PAPER)
    theirs = calibrate(cost, accounting=Accounting.PAPER, k_rule=KRule.PAPER)
    assert (ours.k, theirs.k) == (k, paper_k)
    assert float(ours.delta(Fraction(2))) == pytest.approx(at_two, rel=5e-4)
    assert float(f"{float(theirs.delta(Fraction(2))):.0e}") == paper_at_two
    curve = theirs.smoothness([Fraction(1), Fraction(3, 2), Fraction(2)])
    assert [float(cost.epsilon) for cost in curve] == [1, 1.5, 2]
    assert curve[0].delta > curve[1].delta > curve[2].delta


def test_smoothness_in_exact_accounting():
    operator = SampleAndThreshold(rate=OneMinusExp(ONE), k=61)
    assert float(operator.delta(ONE)) == pytest.approx(6.099e-07, rel=5e-4)
    assert float(operator.delta(Fraction(2))) == pytest.approx(1.357e-10, rel=5e-4)


@settings(max_examples=40, deadline=None)
@given(
    epsilon=st.fractions(Fraction(1, 10), 3, max_denominator=1000),
    excess=st.fractions(0, 2, max_denominator=100),
    k=st.integers(1, 8),
)
def test_the_published_delta_is_no_less_than_its_definition_and_hardly_more(epsilon, excess, k):
    rate, raised = OneMinusExp(epsilon), epsilon + excess
    assume(number(rate) > 0.2)
    truth = published_delta(k, rate, raised, largest=int(3 * k / number(rate)) + 30)
    operator = SampleAndThreshold(rate=rate, k=k, accounting=Accounting.PAPER)
    claimed = number(operator.delta(raised))
    assert truth <= claimed <= truth * (1 + mp.mpf(10) ** -9)


@pytest.mark.parametrize(
    ("epsilon", "rate", "k"),
    [
        ("0.5", None, 46),
        ("1", None, 58),
        ("1", "0.5", 35),
        ("1", "0.7", 79),
        ("2", None, 114),
        ("0.3", "0.8", 40),
        ("4", None, 120),
    ],
)
def test_returned_deltas_are_true_upper_bounds(epsilon, rate, k):
    """Against the definition in 60 digits, all class sizes up to well beyond the worst; less than 1e-9 above it."""
    epsilon = Fraction(epsilon)
    rate = OneMinusExp(epsilon) if rate is None else Fraction(rate)
    exact = number(SampleAndThreshold(rate=rate, k=k).delta(epsilon))
    truth = exact_delta(k, rate, epsilon, largest=int(1.6 * k / number(rate)))
    assert truth <= exact <= truth * (1 + mp.mpf(10) ** -9)
    if isinstance(rate, OneMinusExp):
        published = number(SampleAndThreshold(rate=rate, k=k, accounting=Accounting.PAPER).delta(epsilon))
        truth = published_delta(k, rate, epsilon, largest=int(1.6 * k / number(rate)))
        assert truth <= published <= truth * (1 + mp.mpf(10) ** -9)


@settings(max_examples=100, deadline=None)
@given(
    epsilon=st.fractions(Fraction(1, 50), 4, max_denominator=1000),
    share=st.fractions(Fraction(1, 100), 1, max_denominator=100),
    k=st.integers(1, 300),
)
def test_exact_is_never_above_the_published_delta_and_both_fall_with_k(epsilon, share, k):
    rate = OneMinusExp(epsilon * share)
    exact, published = (
        [SampleAndThreshold(rate=rate, k=j, accounting=accounting).delta(epsilon) for j in (k, k + 1)]
        for accounting in (Accounting.EXACT, Accounting.PAPER)
    )
    rounding = 1 + Fraction(1, 10**9)
    assert exact[0] <= published[0] * rounding
    assert exact[1] <= exact[0] * rounding
    assert published[1] <= published[0] * rounding


@settings(max_examples=60, deadline=None)
@given(
    epsilon=st.fractions(Fraction(1, 50), 4, max_denominator=1000),
    rate=st.one_of(st.none(), st.fractions(Fraction(1, 100), Fraction(19, 20), max_denominator=100)),
    exponent=st.integers(1, 20),
    accounting=st.sampled_from(Accounting),
)
def test_the_smallest_k_meets_delta_and_the_next_smaller_does_not(epsilon, rate, exponent, accounting):
    rate = OneMinusExp(epsilon) if rate is None or accounting is Accounting.PAPER else rate
    wanted = Fraction(1, 10**exponent)
    k = smallest_threshold(rate, epsilon, wanted, accounting)
    deltas = [
        SampleAndThreshold(rate=rate, k=j, accounting=accounting).delta(epsilon) for j in range(max(k - 1, 1), k + 1)
    ]
    assert deltas[-1] <= wanted * (1 + Fraction(1, 10**11))  # shown with 12 digits, rounded up
    assert k == 1 or deltas[0] > wanted


class RoundedDown(SampleAndThreshold):
    """A double that rounds to nine digits, to the nearest instead of up."""

    def delta(self, epsilon):
        return Fraction(f"{float(SampleAndThreshold.delta(self, epsilon)):.8e}")


def test_deltas_rounded_to_the_nearest_are_caught():
    rate, epsilon = OneMinusExp(ONE), ONE
    truths = {k: exact_delta(k, rate, epsilon, largest=3 * k + 5) for k in range(1, 13)}
    assert all(t <= number(SampleAndThreshold(rate=rate, k=k).delta(epsilon)) for k, t in truths.items())
    assert not all(t <= number(RoundedDown(rate=rate, k=k).delta(epsilon)) for k, t in truths.items())


def test_with_one_record_the_law_is_that_of_a_single_coin():
    assert law(1, mp.mpf("0.25")) == [mp.mpf("0.75"), mp.mpf("0.25")]
    assert delta(1, 1, Fraction(1, 4)) == pytest.approx(0.25, rel=1e-11)


def test_a_generous_delta_needs_no_threshold():
    for accounting in Accounting:
        assert smallest_threshold(OneMinusExp(ONE), ONE, Fraction(9, 10), accounting) == 1


def test_parameters_are_computed_in_milliseconds():
    """The promise is milliseconds; a slow shared machine gets room."""
    started = time.process_time()
    for epsilon in ("0.01", "0.1", "1", "4"):
        for wanted in ("1e-4", "1e-20"):
            for accounting in Accounting:
                smallest_threshold(OneMinusExp(Fraction(epsilon)), Fraction(epsilon), Fraction(wanted), accounting)
    assert (time.process_time() - started) / 16 < 0.1


def test_no_statistics_package_is_imported():
    script = (
        "import sys, shoal.dp.accounting.threshold\n"
        "sys.exit(any(m.split('.')[0] in {'scipy', 'mpmath'} for m in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: smallest_threshold(Fraction(1), ONE, Fraction("1e-6")), "strictly between 0 and 1"),
        (lambda: smallest_threshold(0.5, ONE, Fraction("1e-6")), "must be a fraction"),
        (lambda: smallest_threshold(Fraction(1, 2), ONE, Fraction(0)), "delta must lie strictly"),
        (lambda: smallest_threshold(Fraction(1, 2), Fraction(0), Fraction("1e-6")), "epsilon must be positive"),
        (lambda: OneMinusExp(Fraction(0)), "must be a positive fraction"),
        (lambda: OneMinusExp(0.9), "epsilon must be an exact number"),
        (lambda: SampleAndThreshold(rate=Fraction(1, 2), k=0), "k must be a whole number"),
        (
            lambda: smallest_threshold(Fraction("0.7"), ONE, Fraction("1e-6"), Accounting.PAPER),
            "at most 1 − e^−epsilon = 0.632121 at epsilon = 1; got 0.7",
        ),
    ],
)
def test_what_cannot_be_is_refused_with_a_reason(call, message):
    with pytest.raises(ParameterError, match=message.replace("^", r"\^").replace("(", r"\(")):
        call()


def test_cost_carries_epsilon_and_delta():
    operator = calibrate(PrivacyCost.of(1, "1e-6"))
    assert operator.k == 58
    assert operator.cost(ONE) == PrivacyCost(ONE, operator.delta(ONE))
    assert calibrate(PrivacyCost.of(1, "1e-6"), Fraction("0.9")).k == 304
