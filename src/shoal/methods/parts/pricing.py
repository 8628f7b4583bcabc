"""What a private method promises where a person may have several records, and how it is run so that this is true.

What a release file says, ε above all, is the price for a person. At most m records of each take part
(`data/people/capping`); what runs on them is the method itself for m = 1, and for more what the method says of
`for_several`: with a budget for each record that adds up to the price for m of them, or with a bound of its own
(`docs/proofs/persons.md`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from shoal.criteria import KAnonymity
from shoal.data.people.persons import ONE_RECORD_EACH
from shoal.data.unit import Unit
from shoal.methods.parts.declared import records_each, refuse_vain_overruling, require_persons
from shoal.promises.guarantee import Basis, Guarantee

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shoal.data.encoded import EncodedTable
    from shoal.data.outcome import Outcome
    from shoal.data.schema import Schema
    from shoal.dp.accounting.cost import PrivacyCost
    from shoal.methods.base import Method

_OF_ONE_RECORD = ("also holds", "linking posterior")
"""How public numbers of a method begin that are told for single records."""


@dataclass(frozen=True, slots=True)
class Priced:
    """A method, and whom it makes promises to.

    Attributes:
        method: As the release file has it: what it costs is the price for a person.
        inner: What runs on the records that take part; what it charges is about one of them.
        unit: Whom promises are about.
        records: How many records of each take part at most; None if all do.
    """

    method: Method
    inner: Method
    unit: Unit = Unit.RECORD
    records: int | None = None

    @property
    def cost(self) -> PrivacyCost | None:
        """What a release costs, for a person where a person may have several records."""
        return _about(self.method.cost, self.unit, self.records)

    def guarantees(self, outcome: Outcome) -> tuple[Guarantee, ...]:
        """What the method promises, told of whom it is about."""
        given = self.method.guarantees(outcome)
        if self.unit is Unit.RECORD or self.method.cost is None:
            return given
        return tuple(map(self._of_persons, given)) + self._persons_of_classes(outcome.table)

    def _of_persons(self, guarantee: Guarantee) -> Guarantee:
        if guarantee.neighbors is None:
            return guarantee
        words = {"number of records": f"number of {self.unit.plural}"}
        words["of one record"] = f"of the records of one {self.unit.value}"
        assumptions = [text if text == ONE_RECORD_EACH else _with_words(text, words) for text in guarantee.assumptions]
        cost = _about(guarantee.cost, self.unit, self.records)
        return replace(guarantee, cost=cost, unit=self.unit, assumptions=tuple(assumptions))

    def _persons_of_classes(self, table: EncodedTable) -> tuple[Guarantee, ...]:
        """Of k records that look alike no more than m are of one person: so many persons a class has at least.

        Where persons were counted, each of the k is another one.
        """
        if (self.records or 1) == 1:
            return ()
        each = 1 if self.inner.counts_persons else self.records or 1
        sizes = [c.k for c in self.inner.promises(table) if isinstance(c, KAnonymity) and c.unit is Unit.RECORD]
        if not sizes:
            return ()
        statement = KAnonymity(-(-max(sizes) // each), self.unit).statement
        return (Guarantee(statement, Basis.PROVED, ("others know one record of a person at most",)),)

    def facts(self) -> dict[str, Any]:
        """The public numbers that go with the promise."""
        facts = self.inner.facts()
        if (self.records or 1) == 1:
            return facts
        return {name: value for name, value in facts.items() if not name.startswith(_OF_ONE_RECORD)}


def checked_unread(schema: Schema, method: Method, *, one_record_each: bool) -> Priced:
    """Refuse what cannot be met before a row is read; what is to be run, and for whom."""
    method.counted(schema)
    require_persons(schema, method)
    refuse_vain_overruling(method, one_record_each=one_record_each)
    return priced(schema, method)


def priced(schema: Schema, method: Method) -> Priced:
    """The method for the persons of a schema; refuses, by what is declared, what no proof covers."""
    return priced_for(method, schema.unit, records_each(schema, method))


def priced_for(method: Method, unit: Unit, records: int | None) -> Priced:
    """The method where so many records of each take part."""
    if method.cost is None or records is None:
        return Priced(method, method, unit, records)
    return Priced(method, method if records == 1 else method.for_several(records), unit, records)


def price(schema: Schema, method: Method) -> PrivacyCost | None:
    """What a release of the method costs whom the schema tells apart."""
    return _about(method.cost, schema.unit, records_each(schema, method))


def _with_words(text: str, words: Mapping[str, str]) -> str:
    for record, person in words.items():
        text = text.replace(record, person)
    return text


def _about(cost: PrivacyCost | None, unit: Unit, records: int | None) -> PrivacyCost | None:
    if cost is None or unit is Unit.RECORD:
        return cost
    return replace(cost, unit=unit, max_records=records)
