"""Neighboring relations: which two tables a differentially private method may not tell apart (theory X-1)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import Enum

from shoal.data.unit import Unit
from shoal.errors import ParameterError
from shoal.parameters import read_as, read_parameters


class Neighbors(Enum):
    """The kinds of neighboring relations; under ATTRIBUTES it also takes the columns that may change."""

    ADD_REMOVE = "add/remove one record"
    REPLACE = "replace one record, the number of records is public"
    ATTRIBUTES = "replace the protected attributes of one record"

    def of(self, unit: Unit) -> str:
        """The kind in words, by whom it is about: one record, or one person or household with all records.

        >>> Neighbors.ADD_REMOVE.of(Unit.PERSON)
        'add/remove one person with all their records'
        """
        if unit is Unit.RECORD:
            kind: str = self.value
            return kind
        return {
            Neighbors.ADD_REMOVE: f"add/remove one {unit.value} with all {_THEIR[unit]} records",
            Neighbors.REPLACE: f"replace all records of one {unit.value}, the number of {unit.plural} is public",
            Neighbors.ATTRIBUTES: f"replace the protected attributes in all records of one {unit.value}",
        }[self]

    @staticmethod
    def from_words(text: str) -> tuple[Neighbors, Unit]:
        """The kind, and whom it is about, from its words; `ValueError` if they are none of these."""
        for unit in Unit:
            for kind in Neighbors:
                if kind.of(unit) == text:
                    return kind, unit
        raise ValueError(text)


_THEIR = {Unit.PERSON: "their", Unit.HOUSEHOLD: "its"}

KINDS = {"add/remove": Neighbors.ADD_REMOVE, "replace": Neighbors.REPLACE, "attributes": Neighbors.ATTRIBUTES}
"""How a release file and the command line call them."""


@dataclass(frozen=True, slots=True)
class Relation:
    """A neighboring relation in full: its kind, whom it is about, and under ATTRIBUTES the columns that may differ.

    >>> print(attributes("income", "age"))
    replace age, income of one record
    >>> print(attributes("income", "age", unit=Unit.PERSON))
    replace age, income in all records of one person
    >>> attributes("age", "income").steps_to(attributes("age"))
    1
    >>> attributes("age").steps_to(attributes("income")) is None
    True
    """

    neighbors: Neighbors
    protected: frozenset[str] = frozenset()
    unit: Unit = Unit.RECORD
    """Whom neighbors differ in: one record, or all records of one person, or of one household."""

    def __post_init__(self) -> None:
        read_parameters(self)
        given = self.protected
        if self.neighbors is Neighbors.ATTRIBUTES and not given:
            raise ParameterError(
                f"'{self.neighbors.of(self.unit)}' does not say which attributes are protected, so nothing could be "
                "added up; give their names in protected."
            )
        if self.neighbors is not Neighbors.ATTRIBUTES and given:
            raise ParameterError(
                f"'{self.neighbors.of(self.unit)}' protects whole records; got protected = {sorted(given)!r}. Leave "
                "protected out, or give neighbors as attributes."
            )

    def __str__(self) -> str:
        if self.neighbors is Neighbors.ATTRIBUTES:
            whose = "of one record" if self.unit is Unit.RECORD else f"in all records of one {self.unit.value}"
            return f"replace {', '.join(sorted(self.protected))} {whose}"
        return self.neighbors.of(self.unit)

    @property
    def kind(self) -> str:
        """The name of its kind in a release file and on the command line."""
        return next(name for name, kind in KINDS.items() if kind is self.neighbors)

    @classmethod
    def named(cls, kind: object, protected: Collection[str] = (), unit: object = Unit.RECORD) -> Relation:
        """The relation of that name, as a release file and the command line write it."""
        if not isinstance(kind, str) or kind not in KINDS:
            raise ParameterError(f"neighbors is one of {', '.join(KINDS)}; got {kind!r}.")
        return cls(KINDS[kind], read_as(frozenset[str], "protected", protected), read_as(Unit, "unit", unit))

    def steps_to(self, other: Relation) -> int | None:
        """Over how many pairs of neighbors of this relation one gets from a table to any neighbor under the other.

        None where there is no such way, so that a promise under this relation says nothing under the other one
        (`docs/proofs/composition.md`, section 2; `docs/proofs/persons.md`, section 2). One record leads to all records
        of a person only where it is known how many they have (`composition.grouped`); and nothing here says that a
        person is in one household.
        """
        if self.unit is not other.unit:
            return self._steps_to_records(other) if other.unit is Unit.RECORD else None
        match self.neighbors, other.neighbors:
            case (Neighbors.ATTRIBUTES, Neighbors.ATTRIBUTES):
                return 1 if other.protected <= self.protected else None
            case (have, want) if have is want:
                return 1
            case (Neighbors.ADD_REMOVE, Neighbors.REPLACE | Neighbors.ATTRIBUTES):
                return 2
            case (Neighbors.REPLACE, Neighbors.ATTRIBUTES):
                return 1
        return None

    def _steps_to_records(self, other: Relation) -> int | None:
        """From all records of a person to single ones.

        A record more or less, of somebody who has others, is that person left out and added again; a record that
        passes from one person to another changes both.
        """
        match self.neighbors, other.neighbors:
            case (Neighbors.ADD_REMOVE, Neighbors.REPLACE):
                return 4
            case (Neighbors.ADD_REMOVE, _):
                return 2
            case (Neighbors.REPLACE, Neighbors.ATTRIBUTES):
                return 1
            case (Neighbors.ATTRIBUTES, Neighbors.ATTRIBUTES):
                return 1 if other.protected <= self.protected else None
        return None


def attributes(*names: str, unit: Unit = Unit.RECORD) -> Relation:
    """Tables that differ in some columns of one record, or of all records of one person."""
    return Relation(Neighbors.ATTRIBUTES, frozenset(names), unit)


def relation_of(given: Neighbors | Relation) -> Relation:
    """A relation, also where only its kind was given, which is enough for all but ATTRIBUTES."""
    if isinstance(given, Relation):
        return given
    read: Neighbors | Relation = read_as(Neighbors | Relation, "neighbors", given)
    return read if isinstance(read, Relation) else Relation(read)


def common(relations: Collection[Relation]) -> Relation | None:
    """The strongest relation to which all of these convert; None if there is none, as for two disjoint sets of columns.

    >>> print(common([Relation(Neighbors.REPLACE), attributes("age", "income"), attributes("age", "zip")]))
    replace age of one record
    >>> common([attributes("age"), attributes("income")]) is None
    True
    """
    units = {relation.unit for relation in relations}
    unit = units.pop() if len(units) == 1 else Unit.RECORD
    candidates = [Relation(kind, unit=unit) for kind in (Neighbors.ADD_REMOVE, Neighbors.REPLACE)]
    named = [relation.protected for relation in relations if relation.protected]
    if named and (shared := frozenset.intersection(*named)):
        candidates.append(Relation(Neighbors.ATTRIBUTES, shared, unit))
    fit = (each for each in candidates if all(have.steps_to(each) is not None for have in relations))
    return next(fit, None)
