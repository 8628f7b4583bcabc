"""Some columns change by chance, the others are made k-anonymous without a look at them, or are none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from shoal.arrays import Codes, Keys
from shoal.criteria import Criterion
from shoal.data.attribute import Attribute
from shoal.data.counts import Counts
from shoal.data.encoded import EncodedTable
from shoal.data.outcome import Outcome
from shoal.data.partition import Partition
from shoal.data.people.incidence import Incidence
from shoal.data.recoding import FullDomain
from shoal.data.schema import Role, Schema
from shoal.data.shown import Shown
from shoal.data.unit import Unit
from shoal.dp.coins.coins import Coins
from shoal.dp.ledger.ledger import Ledger
from shoal.errors import InfeasibleError, ParameterError, SchemaError, listed
from shoal.methods.base import Method, Publishes
from shoal.methods.full_domain.request import FullDomainRequest
from shoal.methods.k_epsilon.records import Records, View, let_through
from shoal.methods.k_epsilon.settings import require_anonymizer
from shoal.parameters import read_parameters
from shoal.progress import Progress

NOBODY_BOUNDS = (
    "chance decides with coins that nobody can repeat",
    "an attacker who knows values nearly may still find the records of people with unusual ones",
)
"""What goes with the statement that nothing formal is promised."""


@dataclass(frozen=True, kw_only=True)
class PerturbationRequest(Publishes):
    """Which columns change by chance, and what becomes of the others.

    Attributes:
        perturbed: The columns whose values change: quasi-identifiers or sensitive ones.
        anonymizer: Makes the quasi-identifiers that are not in `perturbed` k-anonymous, with a k of 2 or more; it never
            sees the perturbed columns. Needed where there are any.
    """

    clamps: ClassVar[bool] = True
    counts_persons: ClassVar[bool] = True

    perturbed: tuple[str, ...]
    anonymizer: Method | None = None

    def __post_init__(self) -> None:
        read_parameters(self)
        if not self.perturbed:
            raise ParameterError(
                "perturbed is a list of the columns that change, one or more, such as ('age',); got "
                f"{self.perturbed!r}."
            )
        twice = [name for name in self.perturbed if list(self.perturbed).count(name) > 1]
        if twice:
            raise ParameterError(f"perturbed names {listed(set(twice))} twice; every column may stand in it once.")
        if self.anonymizer is not None:
            require_anonymizer(self.anonymizer)

    @property
    def tosses_coins(self) -> bool:
        """Chance changes values, paid for or not."""
        return True

    def counted(self, schema: Schema) -> tuple[str, ...]:
        """The perturbed columns, and what the k-anonymizer needs of the others."""
        for name in self.perturbed:
            if schema[name].role not in (Role.QUASI_IDENTIFIER, Role.SENSITIVE):
                raise SchemaError(
                    f"column {name!r} is in perturbed and has the role {schema[name].role.value!r}; give it the role "
                    "'quasi-identifier' or 'sensitive', or take it out of perturbed."
                )
        others = replace(schema, columns=tuple(c for c in schema if c.name not in self.perturbed))
        if open_ones := others.names(Role.QUASI_IDENTIFIER):
            if self.anonymizer is None:
                raise SchemaError(
                    f"quasi-identifiers would be published as they are: {listed(open_ones)}; name them in perturbed, "
                    'give the method an anonymizer such as { name = "mondrian", k = 5 }, or leave them out with the '
                    "role 'dropped'."
                )
            self._require_persons(schema, self.anonymizer)
            counted = {*self.anonymizer.counted(others), *self.perturbed}
        else:
            if self.anonymizer is not None:
                raise SchemaError(
                    "every quasi-identifier is in perturbed, so that there is nothing for the anonymizer; leave it out."
                )
            counted = {*others.names(Role.SENSITIVE), *self.perturbed}
        return tuple(column.name for column in schema if column.name in counted)

    def _require_persons(self, schema: Schema, anonymizer: Method) -> None:
        """Where several records of a person take part, the k-anonymizer must count persons."""
        several = schema.max_records or (2 if self.cost is None else 1)
        if schema.unit is not Unit.RECORD and several > 1 and not anonymizer.counts_persons:
            raise SchemaError(
                f"the anonymizer, {anonymizer.name}, counts records, and {schema.unit_column!r} says that a "
                f"{schema.unit.value} may have several; write max_records = 1 in [data], so that one record of each "
                "takes part, drawn at random, or choose one that counts persons, such as mondrian."
            )

    def promises(self, table: EncodedTable) -> tuple[Criterion, ...]:
        """What the k-anonymizer promises about the other quasi-identifiers."""
        return () if self.anonymizer is None else self.anonymizer.promises(table)

    def records(
        self, table: EncodedTable, ledger: Ledger, coins: Coins, progress: Progress
    ) -> tuple[Records, Outcome | None]:
        """The records to be published, one by one, and what the k-anonymizer decided about the other columns."""
        if self.anonymizer is None:
            rows = np.repeat(np.arange(len(table.counts)), table.counts.sizes)
            whose = None if table.persons is None else np.repeat(table.persons.person, table.persons.rows)
            return Records(rows, np.zeros_like(rows), 1, {}, whose), None
        view = View.without(table, self.perturbed)
        decided = self.anonymizer.run(view.table, ledger=ledger, coins=coins, progress=progress)
        if not decided.published.kept:
            raise InfeasibleError(
                "the anonymizer leaves out every record, so there is nothing to change, and nothing was spent; take a "
                "smaller k, or let it leave out fewer."
            )
        return let_through(table, view, decided, coins), decided

    def nothing(self, table: EncodedTable) -> Outcome:
        """No records, in columns that hide everything or, perturbed, could show any value."""
        attributes = with_roles(table, self.perturbed)
        others = [a for a in attributes if a.role is Role.QUASI_IDENTIFIER]
        hidden = FullDomain({attribute.name: attribute.hierarchy.height for attribute in others})
        shown: dict[str, Shown] = {attribute.name: hidden.lookup(attribute).shown for attribute in others}
        widths = [len(shown[a.name]) if a.name in shown else a.domain.size for a in attributes]
        inside: object = self.anonymizer
        return Outcome(
            table=replace(table, attributes=attributes),
            published=Counts.empty([attribute.name for attribute in attributes], widths),
            shown=shown,
            recoding=hidden if isinstance(inside, FullDomainRequest) else None,
        )


def with_roles(table: EncodedTable, perturbed: tuple[str, ...]) -> tuple[Attribute, ...]:
    """The columns of a table, those that changed no longer a part of any class."""
    return tuple(replace(a, role=Role.PERTURBED) if a.name in perturbed else a for a in table.attributes)


def codes_of(table: EncodedTable, name: str, records: Records) -> Keys:
    """The true codes of a column, record by record."""
    return table.counts.column(name)[records.source].astype(np.int64)


def side_by_side(
    table: EncodedTable,
    records: Records,
    decided: Outcome | None,
    changed: Mapping[str, Codes],
    losses: Mapping[str, float],
) -> Outcome:
    """What is published: the columns of the k-anonymizer, and the changed ones in values of their domains."""
    shown: dict[str, Shown] = {} if decided is None else dict(decided.shown)
    recoded = {name: (codes, len(shown[name])) for name, codes in records.codes.items()}
    recoded |= {name: (codes, table[name].domain.size) for name, codes in changed.items()}
    one_by_one = Partition(records.source, np.arange(len(records)), np.ones(len(records), dtype=np.int64))
    published, sources = one_by_one.published(table, recoded, suppressed=table.total - len(records))
    persons = None
    if records.persons is not None:
        persons = Incidence.of(sources.label, records.persons, sources.sizes, len(published), table.unit)
    return Outcome(
        table=replace(table, attributes=with_roles(table, tuple(changed))),
        published=published,
        persons=persons,
        shown=shown,
        recoding=None if decided is None else decided.recoding,
        classes=None if decided is None else decided.classes,
        suppressed=None if decided is None else decided.suppressed,
        sources=sources,
        losses=losses,
        search={} if decided is None else decided.search,
    )
