"""The sentences with which releases state what they promise: one function per row of theory section 10, nothing else.

Numbers are exact if they are short, otherwise rounded up, so that no sentence promises more than was proved.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

from shoal.dp.accounting.cost import shown
from shoal.dp.accounting.interval import Interval

if TYPE_CHECKING:
    from shoal.dp.accounting.cost import PrivacyCost


def safepub_published(anon: PrivacyCost) -> str:
    """SafePub as published, with a search (steps > 0)."""
    return f"operator {_pair(anon)} for a fixed scheme; the scheme was chosen without a privacy guarantee"


def safepub_fixed_scheme(anon: PrivacyCost) -> str:
    """SafePub with a scheme fixed in advance; add/remove."""
    return f"{_pair(anon)}-DP"


def safepub_rigorous(total: PrivacyCost) -> str:
    """SafePub with a private search on its own sample; `total` is (ε_search + ε_anon, δ); add/remove."""
    return f"{_pair(total)}-DP"


def diffgen(epsilon: Fraction) -> str:
    """DiffGen with all groups, public domains and exact noise; add/remove."""
    return f"{shown(epsilon)}-DP"


def k_epsilon_published(k: int, epsilon: Fraction) -> str:
    """(k, ε)-anonymity as published: e^{2ε}/(e^{2ε} + k − 1) bounds the posterior of a link (theory KE-2)."""
    return (
        f"{k}-anonymous on the k-quasis; linking posterior <= {shown(linking_posterior(k, epsilon))} "
        "for the stated attacker; not differentially private"
    )


def k_epsilon_rigorous(k: int, epsilon: Fraction, protected: Collection[str]) -> str:
    """(k, ε)-anonymity with public class bounds; one record's eps-quasis, by name."""
    named = ", ".join(sorted(protected))
    return f"{shown(epsilon)} attribute-level DP on the eps-quasis ({named}); {k}-anonymous on the k-quasis"


def microaggregation_published(attributes: int, epsilon: Fraction) -> str:
    """Microaggregation with fixed order, public bounds, one noise per cluster, unlinked; replace-one, n public."""
    return f"({shown(attributes * epsilon)})-DP"


def microaggregation_rigorous(cost: PrivacyCost) -> str:
    """Microaggregation with the budget split over the attributes; (ε, δ) with Gaussian noise; replace-one, n public."""
    return f"{_pair(cost) if cost.delta else shown(cost.epsilon)}-DP"


def marginals(cost: PrivacyCost) -> str:
    """Noisy counts of columns and of pairs of them; (ε, δ) with Gaussian noise; add/remove."""
    return f"{_pair(cost) if cost.delta else shown(cost.epsilon)}-DP"


def nsvdist_published(k: int, diversity: Fraction) -> str:
    """NSVDist as published."""
    return (
        f"({k},{shown(diversity)}) syntactic; overlapping groups can disclose sensitive values; "
        "not differentially private"
    )


def nsvdist_hardened(k: int, diversity: Fraction) -> str:
    """NSVDist with cluster-level distributions and rings."""
    return (
        f"{k} rows per person, sensitive posterior <= 1/{shown(diversity)} in the random-worlds model; "
        "not differentially private"
    )


def nsvdist_published_records(k: int, diversity: Fraction) -> str:
    """NSVDist as published, concrete records drawn from its sets."""
    return (
        f"records drawn from ({k},{shown(diversity)}) syntactic sets; overlapping groups can disclose sensitive "
        "values; not differentially private"
    )


def nsvdist_hardened_records(diversity: Fraction) -> str:
    """NSVDist with clusters and rings, concrete records drawn from its rows: chance decides how many fit a person."""
    return (
        f"drawn records, any number of which may fit a person; sensitive posterior <= 1/{shown(diversity)} in the "
        "random-worlds model; not differentially private"
    )


def randomized_response(epsilon: Fraction, by_column: Mapping[str, Fraction]) -> str:
    """PRAM with transition matrices that are public: what each column of one record costs adds up."""
    each = ", ".join(f"{name}: {shown(of)}" for name, of in by_column.items())
    return f"{shown(epsilon)} attribute-level local DP by randomized response ({each})"


def nothing_formal(what: str, columns: Collection[str]) -> str:
    """PRAM with matrices from the data, rank swapping, noise: values changed, with no bound on what they still tell."""
    return f"nothing formal about {', '.join(columns)}: {what}, and how much that hides is for the owner to measure"


def marked() -> str:
    """A CSV file whose texts a spreadsheet program cannot run."""
    return "A text that begins with =, +, -, @, a tab or an apostrophe has one more apostrophe before it."


def formulas() -> str:
    """A CSV file with texts that a spreadsheet program could run."""
    return (
        "some texts begin with =, +, - or @, and a spreadsheet program may run them as formulas; import them as text, "
        "or have them marked with spreadsheet_safe = true in [output]"
    )


def seeded() -> str:
    """Any method run with coins that somebody who knows the seed can toss again: said instead of a promise."""
    return "TEST RUN: seeded, no privacy"


def linking_posterior(k: int, epsilon: Fraction) -> Fraction:
    """e^{2ε}/(e^{2ε} + k − 1), rounded up (theory KE-2).

    >>> round(float(linking_posterior(10, Fraction(1))), 4)
    0.4509
    """
    return min((1 / (Interval.of(-2 * epsilon).exp() * (k - 1) + 1)).upper(), Fraction(1))


def _pair(cost: PrivacyCost) -> str:
    return f"({shown(cost.epsilon)}, {shown(cost.delta)})"
