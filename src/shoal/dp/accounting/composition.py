"""What several looks at the same data cost together, and what sampling first saves.

Everything is rounded to the safe side: costs up, budgets down. Proofs: `docs/proofs/composition.md`.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from shoal.dp.accounting.cost import PrivacyCost
from shoal.dp.accounting.interval import Interval
from shoal.dp.accounting.relation import Neighbors, Relation
from shoal.dp.coins.sampling_rate import SamplingRate, check_rate, success
from shoal.errors import BudgetError

if TYPE_CHECKING:
    from collections.abc import Iterable


def sequential(costs: Iterable[PrivacyCost]) -> PrivacyCost:
    """One look after another, each free to depend on what the earlier ones showed: the costs add up.

    Attribute-level costs add up if they protect the same columns; where they protect others, only what both protect is
    protected by both, and `PrivacyCost.under` says so first.

    >>> print(sequential([PrivacyCost.of("0.1"), PrivacyCost.of("0.9", "1e-6")]))
    epsilon = 1, delta = 1e-06 (add/remove one record)

    Guarantee: (Σ ε, Σ δ)-DP.
    Paper: Dwork et al. 2006; SafePub Theorem 1; theory X-8.
    """
    costs, relation = _one_relation(costs)
    delta = sum((cost.delta for cost in costs), Fraction(0))
    if delta >= 1:
        raise BudgetError(
            f"composition: the deltas of {len(costs):,} costs add up to {float(delta):g}; from 1 on nothing is "
            "promised. Lower the delta of each, or make fewer releases."
        )
    return PrivacyCost.for_relation(sum((cost.epsilon for cost in costs), Fraction(0)), delta, relation)


def parallel(costs: Iterable[PrivacyCost]) -> PrivacyCost:
    """Looks at disjoint parts of the table: only the dearest counts.

    The parts must be formed by a rule that looks at one record at a time and not at the data. Under ATTRIBUTES the rule
    must not look at the protected attributes. Under REPLACE a record can leave one part and enter another, so the costs
    of the parts do not combine this way.

    Guarantee: (max ε, max δ)-DP.
    Paper: McSherry 2009, Theorem 4.
    """
    costs, relation = _one_relation(costs)
    if relation.neighbors is Neighbors.REPLACE:
        raise BudgetError(
            f"parallel composition: under '{relation}' one replacement can change two parts. "
            "Account for the parts under add/remove and convert with PrivacyCost.under(), or charge them in sequence."
        )
    return PrivacyCost.for_relation(max(cost.epsilon for cost in costs), max(cost.delta for cost in costs), relation)


def amplify(cost: PrivacyCost, rate: SamplingRate) -> PrivacyCost:
    """What a mechanism of this cost costs when it sees only a Poisson sample whose coins nobody else uses.

    Guarantee: (ln(1 + β(e^ε − 1)), β δ)-DP, rounded up.
    Paper: Li, Qardaji & Su 2012; Balle, Barthe & Gaboardi 2018; theory X-8.
    """
    beta = _sampled(cost, rate)
    epsilon = (beta * (Interval.of(cost.epsilon).exp() - 1) + 1).ln().upper()
    delta = (beta * cost.delta).upper() if cost.delta else cost.delta
    return PrivacyCost(min(epsilon, cost.epsilon), min(delta, cost.delta), cost.neighbors)


def inner_budget(cost: PrivacyCost, rate: SamplingRate) -> PrivacyCost:
    """What a mechanism may spend on a Poisson sample so that it costs no more than this on the whole table.

    ε_in = ln(1 + (e^ε − 1)/β), δ_in = δ/β, rounded down: the inverse of `amplify`.

    >>> from shoal.dp.coins.sampling_rate import OneMinusExp
    >>> print(inner_budget(PrivacyCost.of("0.1"), OneMinusExp(Fraction("0.9"))))
    epsilon = 0.163161, delta = 0 (add/remove one record)
    """
    beta = _sampled(cost, rate)
    epsilon = ((Interval.of(cost.epsilon).exp() - 1) / beta + 1).ln().lower()
    delta = min((Interval.of(cost.delta) / beta).lower(), Fraction(999, 1000)) if cost.delta else cost.delta
    return PrivacyCost(max(epsilon, cost.epsilon), max(delta, cost.delta), cost.neighbors)


def _sampled(cost: PrivacyCost, rate: SamplingRate) -> Interval:
    check_rate(rate)
    if cost.neighbors is not Neighbors.ADD_REMOVE:
        raise BudgetError(
            f"amplification by sampling: proved here for '{Neighbors.ADD_REMOVE.value}' only; "
            f"this cost is told under '{cost.relation}'. Charge it without amplification."
        )
    return success(rate)


def _one_relation(costs: Iterable[PrivacyCost]) -> tuple[list[PrivacyCost], Relation]:
    costs = list(costs)
    relations = {cost.relation for cost in costs}
    if len(relations) != 1:
        found = " and ".join(sorted(f"'{relation}'" for relation in relations)) or "no cost at all"
        raise BudgetError(
            f"composition: all costs must be told under one neighboring relation; got {found}. "
            "Convert with PrivacyCost.under() where that is possible."
        )
    return costs, relations.pop()
