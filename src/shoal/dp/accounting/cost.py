"""The price of a look at the data."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import lru_cache

from shoal.data.unit import Unit
from shoal.dp.accounting.interval import Interval
from shoal.dp.accounting.relation import Neighbors, Relation, relation_of
from shoal.errors import InfeasibleError, ParameterError
from shoal.parameters import Number, exact, read_parameters

_relation = lru_cache(maxsize=256)(Relation)
"""Made once: a ledger of thousands of releases asks for hardly more than one."""


@dataclass(frozen=True, slots=True)
class PrivacyCost:
    """The price (ε, δ) of one look at the data, under one neighboring relation, as exact fractions.

    >>> print(PrivacyCost.of(0.1, "1e-6"))
    epsilon = 0.1, delta = 1e-06 (add/remove one record)
    >>> print(PrivacyCost.of(1, "1e-6").under(Neighbors.REPLACE))
    epsilon = 2, delta = 3.71829e-06 (replace one record, the number of records is public)
    >>> from shoal.dp.accounting.relation import attributes
    >>> print(PrivacyCost.of(1, neighbors=attributes("age", "income")))
    epsilon = 1, delta = 0 (replace age, income of one record)
    >>> print(PrivacyCost.of(1, neighbors=Relation(Neighbors.ADD_REMOVE, unit=Unit.PERSON)).under(Neighbors.ADD_REMOVE))
    epsilon = 2, delta = 0 (add/remove one record)
    """

    epsilon: Fraction
    delta: Fraction = Fraction(0)
    neighbors: Neighbors = Neighbors.ADD_REMOVE
    protected: frozenset[str] = frozenset()
    """Under ATTRIBUTES: the columns in which one record may differ. What a change elsewhere costs is not bounded."""
    unit: Unit = Unit.RECORD
    """Whom it hides one of: a record, or a person or household with all their records."""
    max_records: int | None = None
    """How many records of a person or household took part at most, where that is known of the one look it is for."""

    def __post_init__(self) -> None:
        read_parameters(self)
        object.__setattr__(self, "protected", self.relation.protected)
        if self.max_records is not None and (self.unit is Unit.RECORD or self.max_records < 1):
            raise ParameterError(
                "a privacy cost says in max_records how many records of each person took part, 1 or more, and has a "
                f"unit of person or household; got max_records = {self.max_records!r} and unit = {self.unit.value!r}."
            )
        if self.epsilon < 0 or not 0 <= self.delta < 1:
            raise ParameterError(
                f"a privacy cost needs epsilon >= 0 and 0 <= delta < 1; got epsilon = {float(self.epsilon):g}, "
                f"delta = {float(self.delta):g}."
            )

    @classmethod
    def of(
        cls, epsilon: Number, delta: Number = 0, neighbors: Neighbors | Relation = Neighbors.ADD_REMOVE
    ) -> PrivacyCost:
        """The cost as a user writes it: text, decimals and floats mean the decimal they show."""
        return cls.for_relation(exact(epsilon, "epsilon"), exact(delta, "delta"), relation_of(neighbors))

    @classmethod
    def for_relation(cls, epsilon: Fraction, delta: Fraction, relation: Relation) -> PrivacyCost:
        """The cost under a relation."""
        return cls(epsilon, delta, relation.neighbors, relation.protected, relation.unit)

    @property
    def relation(self) -> Relation:
        """The relation under which it is told, with the columns it protects."""
        return _relation(self.neighbors, self.protected, self.unit)

    def __str__(self) -> str:
        return f"epsilon = {shown(self.epsilon)}, delta = {shown(self.delta)} ({self.relation})"

    def within(self, limit: PrivacyCost) -> bool:
        """Whether neither ε nor δ exceeds the limit; both must be told under the same relation."""
        assert self.relation == limit.relation
        return self.epsilon <= limit.epsilon and self.delta <= limit.delta

    def under(self, neighbors: Neighbors | Relation) -> PrivacyCost:
        """What this cost is worth under a coarser relation, rounded up.

        Replacing a record is removing one and adding one: (ε, δ) becomes (2ε, (1 + e^ε) δ). Replacing attributes is a
        special case of replacing, and replacing fewer attributes of replacing more. There is no way back (theory X-1;
        `docs/proofs/composition.md`, section 2). A record more or less is at most a person replaced; less than that if
        one record of each took part (`docs/proofs/persons.md`, section 2).
        """
        wanted = relation_of(neighbors)
        steps = self.relation.steps_to(wanted)
        if steps is None:
            raise ParameterError(
                f"a cost under '{self.relation}' says nothing under '{wanted}'. Only add/remove converts to replace, "
                "replace to attributes, attributes to fewer of them, and all records of a person to one of them."
            )
        if wanted == self.relation:
            return self
        if steps == 1:
            return PrivacyCost.for_relation(self.epsilon, self.delta, wanted)
        if steps > 2:  # a record that passes to another person is one less of the one, then one more of the other
            return self.under(Neighbors.ADD_REMOVE).under(wanted)
        epsilon, ratio = 2 * self.epsilon, Interval.of(self.epsilon).exp()
        delta = ((ratio + 1) * self.delta).upper() if self.delta else Fraction(0)
        is_drawn = self.unit is not wanted.unit and self.max_records == 1
        if is_drawn and wanted.neighbors is Neighbors.ADD_REMOVE:  # the new record is drawn half of the time at most
            epsilon, delta = min(epsilon, ((ratio * ratio + 1) / 2).ln().upper()), delta / 2
        if delta >= 1:
            raise InfeasibleError(
                f"privacy cost {self}: under '{wanted}' delta would be {float(delta):g}, which promises nothing. "
                "Lower epsilon or delta."
            )
        return PrivacyCost.for_relation(epsilon, delta, wanted)


def shown(value: Fraction, digits: int = 6, *, down: bool = False) -> str:
    """A number as it stands in a promise: exact if it is short, otherwise rounded up; down if it is what is left.

    >>> shown(Fraction(9, 10)), shown(Fraction(1, 10**6)), shown(Fraction(1, 3)), shown(Fraction(1, 3), down=True)
    ('0.9', '1e-06', '0.333334', '0.333333')
    """
    rounded = Context(prec=digits, rounding=ROUND_FLOOR if down else ROUND_CEILING).divide(
        Decimal(value.numerator), Decimal(value.denominator)
    )
    return f"{float(rounded):.{digits}g}"
