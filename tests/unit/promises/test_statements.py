"""Every row of theory section 10, with numbers in place of the letters."""

from fractions import Fraction

import pytest

from shoal.dp.accounting.cost import PrivacyCost
from shoal.promises import statements

ANON = PrivacyCost.of("0.9", "1e-6")
ONE = Fraction(1)


@pytest.mark.parametrize(
    ("said", "row", "numbers"),
    [
        (
            statements.safepub_published(ANON),
            "operator (eps_anon, delta) for a fixed scheme; the scheme was chosen without a privacy guarantee",
            {"eps_anon": "0.9", "delta": "1e-06"},
        ),
        (statements.safepub_fixed_scheme(ANON), "(eps_anon, delta)-DP", {"eps_anon": "0.9", "delta": "1e-06"}),
        (
            statements.safepub_rigorous(PrivacyCost.of(1, "1e-6")),
            "(eps_search + eps_anon, delta)-DP",
            {"eps_search + eps_anon": "1", "delta": "1e-06"},
        ),
        (statements.diffgen(ONE), "eps-DP", {"eps": "1"}),
        (statements.marginals(PrivacyCost(ONE)), "eps-DP", {"eps": "1"}),
        (
            statements.k_epsilon_published(10, ONE),
            (
                "K-anonymous on the k-quasis; linking posterior <= e^{2 eps}/(e^{2 eps}+k-1) for the stated attacker; "
                "not differentially private"
            ),
            {"K-": "10-", "e^{2 eps}/(e^{2 eps}+k-1)": "0.450854"},
        ),
        (
            statements.k_epsilon_rigorous(5, ONE, ("income", "age")),
            "EPS attribute-level DP on the eps-quasis (age, income); K-anonymous on the k-quasis",
            {"EPS": "1", "K-": "5-"},
        ),
        (statements.microaggregation_published(4, Fraction(1, 2)), "(m eps)-DP", {"m eps": "2"}),
        (statements.microaggregation_rigorous(PrivacyCost.of(1)), "eps-DP", {"eps": "1"}),
        (
            statements.microaggregation_rigorous(PrivacyCost.of(1, "1e-6")),
            "(eps, delta)-DP",
            {"eps": "1", "delta": "1e-06"},
        ),
        (
            statements.nsvdist_published(4, Fraction(2)),
            "(k,l) syntactic; overlapping groups can disclose sensitive values; not differentially private",
            {"(k,l)": "(4,2)"},
        ),
        (
            statements.nsvdist_hardened(4, Fraction(2)),
            "K rows per person, sensitive posterior <= 1/l in the random-worlds model; not differentially private",
            {"K rows": "4 rows", "1/l": "1/2"},
        ),
        (
            statements.nsvdist_published_records(4, Fraction(2)),
            (
                "records drawn from (k,l) syntactic sets; overlapping groups can disclose sensitive values; "
                "not differentially private"
            ),
            {"(k,l)": "(4,2)"},
        ),
        (
            statements.nsvdist_hardened_records(Fraction(2)),
            (
                "drawn records, any number of which may fit a person; sensitive posterior <= 1/l in the random-worlds "
                "model; not differentially private"
            ),
            {"1/l": "1/2"},
        ),
        (statements.seeded(), "TEST RUN: seeded, no privacy", {}),
    ],
)
def test_a_statement_is_its_row(said, row, numbers):
    for letter, value in numbers.items():
        row = row.replace(letter, value)
    assert said == row


def test_the_linking_posterior_of_the_theory_is_rounded_up():
    """theory KE-2: 0.451 for k = 10, ε = 1."""
    assert float(statements.linking_posterior(10, ONE)) == pytest.approx(0.450853, abs=1e-6)
    assert statements.linking_posterior(1, ONE) == 1
    assert statements.linking_posterior(2, Fraction(40)) == 1
