"""What several looks at the same data cost together, and what sampling first saves.

Everything is rounded to the safe side: costs up, budgets down. Proofs: `docs/proofs/composition.md`.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from shoal.data.unit import Unit
from shoal.dp.accounting.cost import PrivacyCost
from shoal.dp.accounting.interval import Interval
from shoal.dp.accounting.relation import Neighbors, Relation
from shoal.dp.coins.sampling_rate import SamplingRate, check_rate, success
from shoal.errors import BudgetError, InfeasibleError, ParameterError

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
    of the parts do not combine this way; nor where a person may have records in several parts.

    Guarantee: (max ε, max δ)-DP.
    Paper: McSherry 2009, Theorem 4.
    """
    costs, relation = _one_relation(costs)
    if relation.neighbors is Neighbors.REPLACE:
        raise BudgetError(
            f"parallel composition: under '{relation}' one replacement can change two parts. "
            "Account for the parts under add/remove and convert with PrivacyCost.under(), or charge them in sequence."
        )
    if relation.unit is not Unit.RECORD:
        raise BudgetError(
            f"parallel composition: under '{relation}' one {relation.unit.value} may have records in several parts. "
            "Charge the parts in sequence."
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


def grouped(cost: PrivacyCost, records: int, unit: Unit) -> PrivacyCost:
    """What a cost for one record is for a person, or household, that has so many of them at most.

    >>> print(grouped(PrivacyCost.of(1, "1e-6"), 2, Unit.PERSON))
    epsilon = 2, delta = 3.71829e-06 (add/remove one person with all their records)

    Guarantee: (m ε, δ (e^{mε} − 1)/(e^ε − 1))-DP, rounded up, if everybody has m records at most.
    Paper: Dwork & Roth 2014, Theorem 2.2, for δ > 0 with the sum of the geometric series; `docs/proofs/persons.md`.
    """
    _require_group(cost, records, unit)
    delta = (_ratios(cost.epsilon, records) * cost.delta).upper() if cost.delta else Fraction(0)
    if delta >= 1:
        raise InfeasibleError(
            f"privacy cost {cost}: for {records:,} records together delta would be {float(delta):g}, which promises "
            "nothing. Lower epsilon or delta."
        )
    return PrivacyCost(records * cost.epsilon, delta, cost.neighbors, cost.protected, unit, records)


def for_each_record(cost: PrivacyCost, records: int) -> PrivacyCost:
    """What may be spent for one record so that so many of them cost no more than this: the inverse of `grouped`.

    >>> print(for_each_record(PrivacyCost.of(1, "1e-5"), 2))
    epsilon = 0.5, delta = 3.77541e-06 (add/remove one record)
    """
    each = cost.epsilon / records
    delta = (Interval.of(cost.delta) / _ratios(each, records)).lower() if cost.delta else Fraction(0)
    found = PrivacyCost(each, delta, cost.neighbors, cost.protected)
    _require_group(found, records, Unit.PERSON)
    return found


def _ratios(epsilon: Fraction, records: int) -> Interval:
    """1 + e^ε + … + e^{(m−1)ε}."""
    total = Interval.of(1)
    for power in range(1, records):
        total = total + Interval.of(power * epsilon).exp()
    return total


def _require_group(cost: PrivacyCost, records: int, unit: Unit) -> None:
    if cost.unit is not Unit.RECORD or unit is Unit.RECORD or records < 1:
        raise ParameterError(
            f"a cost for one record becomes one for all 1 or more records of a person or household; got {cost}, "
            f"{records!r} records of one {unit.value}."
        )
    if records > 1 and cost.neighbors is Neighbors.REPLACE:
        raise ParameterError(
            f"a cost under '{cost.relation}' says nothing about a {unit.value} who has several records: with another "
            "number of them, the number of records would change. Let one record of each take part."
        )


def _sampled(cost: PrivacyCost, rate: SamplingRate) -> Interval:
    check_rate(rate)
    if cost.relation != Relation(Neighbors.ADD_REMOVE):
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
