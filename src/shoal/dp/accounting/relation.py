"""Neighboring relations: which two tables a differentially private method may not tell apart (theory X-1)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import Enum

from shoal.errors import ParameterError
from shoal.parameters import read_as, read_parameters


class Neighbors(Enum):
    """The kinds of neighboring relations; under ATTRIBUTES it also takes the columns that may change."""

    ADD_REMOVE = "add/remove one record"
    REPLACE = "replace one record, the number of records is public"
    ATTRIBUTES = "replace the protected attributes of one record"


KINDS = {"add/remove": Neighbors.ADD_REMOVE, "replace": Neighbors.REPLACE, "attributes": Neighbors.ATTRIBUTES}
"""How a release file and the command line call them."""


@dataclass(frozen=True, slots=True)
class Relation:
    """A neighboring relation in full: its kind, and under ATTRIBUTES the columns in which one record may differ.

    >>> print(attributes("income", "age"))
    replace age, income of one record
    >>> attributes("age", "income").steps_to(attributes("age"))
    1
    >>> attributes("age").steps_to(attributes("income")) is None
    True
    """

    neighbors: Neighbors
    protected: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        read_parameters(self)
        given = self.protected
        if self.neighbors is Neighbors.ATTRIBUTES and not given:
            raise ParameterError(
                f"'{self.neighbors.value}' does not say which attributes are protected, so nothing could be added up; "
                "give their names in protected."
            )
        if self.neighbors is not Neighbors.ATTRIBUTES and given:
            raise ParameterError(
                f"'{self.neighbors.value}' protects whole records; got protected = {sorted(given)!r}. Leave protected "
                "out, or give neighbors as attributes."
            )

    def __str__(self) -> str:
        if self.neighbors is Neighbors.ATTRIBUTES:
            return f"replace {', '.join(sorted(self.protected))} of one record"
        kind: str = self.neighbors.value
        return kind

    @property
    def kind(self) -> str:
        """The name of its kind in a release file and on the command line."""
        return next(name for name, kind in KINDS.items() if kind is self.neighbors)

    @classmethod
    def named(cls, kind: object, protected: Collection[str] = ()) -> Relation:
        """The relation of that name, as a release file and the command line write it."""
        if not isinstance(kind, str) or kind not in KINDS:
            raise ParameterError(f"neighbors is one of {', '.join(KINDS)}; got {kind!r}.")
        return cls(KINDS[kind], read_as(frozenset[str], "protected", protected))

    def steps_to(self, other: Relation) -> int | None:
        """Over how many pairs of neighbors of this relation one gets from a table to any neighbor under the other.

        None where there is no such way, so that a promise under this relation says nothing under the other one
        (`docs/proofs/composition.md`, section 2).
        """
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


def attributes(*names: str) -> Relation:
    """Tables that differ in some columns of one record."""
    return Relation(Neighbors.ATTRIBUTES, frozenset(names))


def relation_of(given: Neighbors | Relation) -> Relation:
    """A relation, also where only its kind was given, which is enough for all but ATTRIBUTES."""
    read: Neighbors | Relation = read_as(Neighbors | Relation, "neighbors", given)
    return read if isinstance(read, Relation) else Relation(read)


def common(relations: Collection[Relation]) -> Relation | None:
    """The strongest relation to which all of these convert; None if there is none, as for two disjoint sets of columns.

    >>> print(common([Relation(Neighbors.REPLACE), attributes("age", "income"), attributes("age", "zip")]))
    replace age of one record
    >>> common([attributes("age"), attributes("income")]) is None
    True
    """
    kinds = {relation.neighbors for relation in relations}
    if Neighbors.ATTRIBUTES in kinds:
        shared = frozenset.intersection(*(relation.protected for relation in relations if relation.protected))
        return Relation(Neighbors.ATTRIBUTES, shared) if shared else None
    return Relation(Neighbors.REPLACE if Neighbors.REPLACE in kinds else Neighbors.ADD_REMOVE)
